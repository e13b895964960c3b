/* bench_clock.h - what every benchmark takes times with. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Wall-clock time; with BENCH_CLOCK=cpu the processor time of this process. */
static inline double seconds_now(void)
{
    struct timespec now;
    const char *clock = getenv("BENCH_CLOCK");
    clock_gettime(clock && strcmp(clock, "cpu") == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* For qsort: medians are taken of sorted times. */
static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
