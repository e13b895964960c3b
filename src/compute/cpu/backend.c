/* backend.c - the table of the backend cpu. */
#include "compute/cpu/cpu.h"
#include "compute/cpu/layout.h"
#include "compute/cpu/loop.h"
#include "compute/reference/reference.h"

/* Each number is updated by itself, so the plain loop serves: it is cloned by instruction set, and every thread runs it
 * over a stretch. */
static void update(const optimizer_step *step, float *parameters, const float *gradient, float *first, float *second,
                   size_t count, size_t threads)
{
    size_t parts = (size_t)loop_threads(count, threads), each = (count / parts + 16) / 16 * 16;
#pragma omp parallel for num_threads((int)parts) schedule(static)
    for (size_t i = 0; i < parts; i++) {
        size_t start = i * each < count ? i * each : count, left = count - start;
        reference_update(step, parameters + start, gradient + start, first + start, second ? second + start : NULL,
                         left < each ? left : each, 1);
    }
}

/* What oneDNN will use, which its own environment may have lowered. */
static unsigned level(void)
{
    return (unsigned)dnnl_get_effective_cpu_isa();
}

extern const backend backend_cpu;
const backend backend_cpu = {
    .name = "cpu",
    .summary = "oneDNN: AVX2 or AVX-512, several threads",
    .level = level,
    .convolution = cpu_convolution,
    .batch_norm = cpu_batch_norm,
    .relu = cpu_relu,
    .add = cpu_add,
    .max_pool = cpu_max_pool,
    .mean_pool = cpu_mean_pool,
    .linear = cpu_linear,
    .dropout = cpu_dropout,
    .to_own = layout_to_own,
    .to_plain = layout_to_plain,
    .normalise = cpu_normalise,
    .cross_entropy = reference_cross_entropy,
    .accumulate = cpu_accumulate,
    .update = update,
};
