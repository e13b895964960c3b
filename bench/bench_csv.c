/* bench_csv.c - reads one CSV file again and again on one thread and prints the median megabytes a second.
 *     bench_csv FILE [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <gbv/gbv.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int upwards(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments)
{
    enum { MOST = 100 };
    double seconds[MOST];
    int rounds = count > 2 ? atoi(arguments[2]) : 5;
    struct stat info;
    if (count < 2 || rounds < 1 || rounds > MOST || stat(arguments[1], &info) != 0)
        return fprintf(stderr, "usage: bench_csv FILE [ROUNDS]\n"), 2;
    for (int i = 0; i < rounds; i++) {
        gbv_dataset *dataset;
        gbv_error error;
        double begin = now();
        if (gbv_dataset_read(arguments[1], NULL, &dataset, &error) != GBV_OK)
            return fprintf(stderr, "%s\n", error.message), 1;
        seconds[i] = now() - begin;
        gbv_dataset_free(dataset);
    }
    qsort(seconds, (size_t)rounds, sizeof *seconds, upwards);
    printf("%.6f\n", seconds[rounds / 2]);
    return 0;
}
