#include "base/plan.h"

#include <omp.h>

/* Only OpenBLAS has these; with another BLAS they stay NULL. */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

size_t plan_workers(size_t asked, size_t tasks)
{
    size_t workers = asked ? asked : (size_t)omp_get_num_procs();
    if (workers > tasks)
        workers = tasks;
    return workers ? workers : 1;
}

int plan_blas_begin(void)
{
    int previous = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    if (openblas_set_num_threads && previous != 1)
        openblas_set_num_threads(1);
    return previous;
}

void plan_blas_end(int previous)
{
    if (openblas_set_num_threads && previous > 1)
        openblas_set_num_threads(previous);
}

const char *plan_instruction_set(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return "avx512";
    if (__builtin_cpu_supports("avx2"))
        return "avx2";
    return "x86-64";
#else
    return "generic";
#endif
}
