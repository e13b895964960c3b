/* plan.h - the one place that decides how many workers run and how many threads each may use. */
#ifndef BASE_PLAN_H
#define BASE_PLAN_H

#include <stddef.h>

/* Workers for `tasks` independent pieces of work: what was asked for (0: every core this process may use), never more
 * than there are tasks, at least one. */
size_t plan_workers(size_t asked, size_t tasks);

/* BLAS is kept to one thread between begin and end: small products are slower on two (measured), and a fixed number
 * keeps results identical. The value returned by begin is handed to end. */
int plan_blas_begin(void);
void plan_blas_end(int previous);

/* "avx512", "avx2" or "x86-64": what the machine offers. */
const char *plan_instruction_set(void);

#endif
