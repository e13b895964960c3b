/* plan.h - the one place that decides how many workers run and how many threads each may use. */
#ifndef BASE_PLAN_H
#define BASE_PLAN_H

#include <stddef.h>

/* What a piece of work may use, from plan_begin to plan_end. In between BLAS is kept to one thread: small products are
 * slower on two (measured), and a fixed number keeps results identical. OpenBLAS follows OpenMP's own setting, so loops
 * of ours must name their number of threads: plan_workers(plan.threads, tasks). */
typedef struct plan {
    size_t threads; /* what was asked for, or what OpenMP would use; one inside another plan's workers */
    int openmp_before, blas_before;
} plan;

plan plan_begin(size_t asked);
void plan_end(plan p);

/* Workers for `tasks` independent pieces of work: never more than there are tasks, at least one. */
size_t plan_workers(size_t threads, size_t tasks);

/* Workers that fit models side by side. A model that may use several threads itself has them to itself: the libraries
 * that run it take no more than one inside a parallel region. */
size_t plan_fits(size_t threads, size_t threads_per_model, size_t models);

/* "avx512", "avx2" or "x86-64": what the machine offers. */
const char *plan_instruction_set(void);

#endif
