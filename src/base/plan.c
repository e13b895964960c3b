#include "base/plan.h"

#include <gbv/status.h>

#include <omp.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Only OpenBLAS has these; with another BLAS they stay NULL. */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

plan plan_begin(size_t asked)
{
    plan p = {.openmp_before = omp_get_max_threads(),
              .blas_before = openblas_get_num_threads ? openblas_get_num_threads() : 1};
    p.threads = omp_in_parallel() ? 1 : asked ? asked : (size_t)p.openmp_before;
    if (openblas_set_num_threads && (p.blas_before != 1 || p.openmp_before != 1))
        openblas_set_num_threads(1); /* sets OpenMP's number for this thread, too */
    return p;
}

void plan_end(plan p)
{
    if (openblas_set_num_threads && (p.blas_before != 1 || p.openmp_before != 1)) {
        openblas_set_num_threads(p.blas_before);
        omp_set_num_threads(p.openmp_before);
    }
}

size_t plan_workers(size_t threads, size_t tasks)
{
    size_t workers = threads < tasks ? threads : tasks;
    return workers ? workers : 1;
}

size_t plan_fits(size_t threads, size_t threads_per_model, size_t models)
{
    return threads_per_model > 1 ? 1 : plan_workers(threads, models);
}

const char *gbv_blas_core(void)
{
    static const char *const old[] = {"Prescott", "Core2", "Nehalem", "Sandybridge", "Generic"};
    const char *core = openblas_get_corename ? openblas_get_corename() : "";
    bool poor = false;
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        poor |= strcasecmp(core, old[i]) == 0;
    const char *set = plan_instruction_set();
    if (poor && strcmp(set, "avx512") == 0)
        return "SkylakeX";
    return poor && strcmp(set, "avx2") == 0 ? "Haswell" : NULL;
}

const char *plan_instruction_set(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "avx512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "avx2";
    return "x86-64";
#else
    return "generic";
#endif
}
