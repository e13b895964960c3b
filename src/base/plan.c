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

size_t plan_workers(size_t asked, size_t tasks)
{
    size_t workers = asked ? asked : (size_t)omp_get_num_procs();
    if (workers > tasks)
        workers = tasks;
    return workers ? workers : 1;
}

/* OpenBLAS built on OpenMP also changes how many threads our own loops would get; that is put back. */
static void set_blas_threads(int count)
{
    int own = omp_get_max_threads();
    openblas_set_num_threads(count);
    omp_set_num_threads(own);
}

int plan_blas_begin(void)
{
    int previous = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    if (openblas_set_num_threads && previous != 1)
        set_blas_threads(1);
    return previous;
}

void plan_blas_end(int previous)
{
    if (openblas_set_num_threads && previous > 1)
        set_blas_threads(previous);
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
