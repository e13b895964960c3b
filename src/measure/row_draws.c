#include "measure/row_draws.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "base/random.h"
#include "base/select.h"

/* The rows of the largest draws; `scratch` holds as many numbers as there are rows. */
static void take_half(const double *draws, size_t rows, size_t wanted, double *scratch, uint32_t *half)
{
    if (!wanted)
        return;
    memcpy(scratch, draws, rows * sizeof *scratch);
    select_largest(scratch, rows, wanted);
    double least = scratch[wanted - 1];
    size_t above = 0, taken = 0;
    for (size_t i = 0; i < rows; i++)
        above += draws[i] > least;
    size_t equal = wanted - above;
    for (size_t i = 0; i < rows; i++)
        if (draws[i] > least || (draws[i] == least && equal && equal--))
            half[taken++] = (uint32_t)i;
}

gbv_status row_draws_create(uint64_t seed, const char *subject, size_t count, size_t rows, size_t threads,
                            row_draws *draws, gbv_error *error)
{
    size_t cells, workers = plan_workers(threads, count);
    *draws = (row_draws){.count = count, .rows = rows, .half_rows = rows / 2};
    if (rows > UINT32_MAX) {
        *draws = (row_draws){0};
        return error_set(error, GBV_BAD_INPUT,
                         "replicates take at most %u reference rows and there are %zu: give fewer", UINT32_MAX, rows);
    }
    if (!__builtin_mul_overflow(count, rows, &cells)) {
        draws->weights = memory_array(cells, sizeof *draws->weights);
        draws->halves = memory_array(count * draws->half_rows, sizeof *draws->halves);
    }
    double *scratch = memory_array(rows, workers * sizeof *scratch);
    if (!draws->weights || !draws->halves || !scratch) {
        free(scratch);
        row_draws_free(draws);
        return error_out_of_memory(error, "the weights of the replicates: ask for fewer of them");
    }
    random_stream opened = random_stream_open(seed, subject, RANDOM_ROW_WEIGHTS);
#pragma omp parallel for num_threads((int)workers) if (workers > 1)
    for (size_t b = 0; b < count; b++) {
        double *line = draws->weights + b * rows, sum = 0;
        random_stream stream = opened;
        random_stream_seek(&stream, (uint64_t)(b / 2) << 32);
        for (size_t i = 0; i < rows; i++) {
            double drawn = random_uniform(&stream);
            line[i] = b % 2 ? 1 - drawn : drawn;
        }
        take_half(line, rows, draws->half_rows, scratch + (workers > 1 ? (size_t)omp_get_thread_num() : 0) * rows,
                  draws->halves + b * draws->half_rows);
        for (size_t i = 0; i < rows; i++)
            sum += line[i] = line[i] > 0.5 ? 1 + ROW_WEIGHT_STEP : 1 - ROW_WEIGHT_STEP;
        for (size_t i = 0; i < rows; i++)
            line[i] *= (double)rows / sum;
    }
    free(scratch);
    return GBV_OK;
}

void row_draws_free(row_draws *draws)
{
    free(draws->weights);
    free(draws->halves);
    *draws = (row_draws){0};
}

double *row_draws_chosen(const row_draws *draws)
{
    double *chosen = memory_zeroed(draws->count * draws->rows, sizeof *chosen);
    for (size_t b = 0; chosen && b < draws->count; b++)
        for (size_t i = 0; i < draws->half_rows; i++)
            chosen[b * draws->rows + draws->halves[b * draws->half_rows + i]] = 1;
    return chosen;
}
