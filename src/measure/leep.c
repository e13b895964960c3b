/* leep.c - LEEP (Nguyen et al. 2020; paper, section 4.1): the mean log-likelihood of the labels when each source class
 * z predicts the target classes as often as it met them.
 *
 *     J[y,z] = sum over rows i with label y of p_iz;   p(y|z) = J[y,z] / sum_y J[y,z]
 *     LEEP   = 1/N sum_i ln sum_z p_iz p(y_i|z)
 * A column that is zero everywhere has no p(y|z) and is left out. Only the row of the true label is ever needed, so the
 * work is two passes over the probabilities and never an N x C product. */
#include "measure/leep.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"

/* Rows handled at a time. A row that adds up to more than this is no row of probabilities. */
enum { CHUNK = 64, LANES = 8, NARROW = 64 };
#define LARGEST_TOTAL 1e30

/* The passes over rows that are plain arrays, for each precision: `stride` elements from row to row. */
#define DEFINE_PASSES(TYPE, REAL)                                                                                      \
    /* True when no value is negative or NaN and all add up to no more than LARGEST_TOTAL. */                          \
    CLONED static bool sound_##TYPE(const REAL *values, size_t count)                                                  \
    {                                                                                                                  \
        REAL total = 0, smallest = 0;                                                                                  \
        _Pragma("omp simd reduction(+ : total) reduction(min : smallest)") for (size_t z = 0; z < count; z++)          \
        {                                                                                                              \
            total += values[z];                                                                                        \
            smallest = values[z] < smallest ? values[z] : smallest;                                                    \
        }                                                                                                              \
        return smallest >= 0 && total <= (REAL)LARGEST_TOTAL;                                                          \
    }                                                                                                                  \
                                                                                                                       \
    CLONED static void sum_rows_##TYPE(const REAL *values, ptrdiff_t stride, size_t rows, size_t columns,              \
                                       const int32_t *ranks, double *table)                                            \
    {                                                                                                                  \
        for (size_t i = 0; i < rows; i++, values += stride) {                                                          \
            double *restrict sums = table + (size_t)ranks[i] * columns;                                                \
            _Pragma("omp simd") for (size_t z = 0; z < columns; z++) sums[z] += (double)values[z];                     \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    CLONED static void likelihoods_##TYPE(const REAL *values, ptrdiff_t stride, size_t rows, size_t columns,           \
                                          const int32_t *ranks, const double *table, double *out)                      \
    {                                                                                                                  \
        for (size_t i = 0; i < rows; i++, values += stride) {                                                          \
            const double *weights = table + (size_t)ranks[i] * columns;                                                \
            double lanes[LANES] = {0}, rest = 0;                                                                       \
            size_t z = 0;                                                                                              \
            for (; z + LANES <= columns; z += LANES)                                                                   \
                _Pragma("omp simd") for (int l = 0; l < LANES; l++) lanes[l] +=                                        \
                    (double)values[z + (size_t)l] * weights[z + (size_t)l];                                            \
            for (; z < columns; z++)                                                                                   \
                rest += (double)values[z] * weights[z];                                                                \
            out[i] = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +                                                 \
                     ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])) + rest;                                           \
        }                                                                                                              \
    }

DEFINE_PASSES(f32, float)
DEFINE_PASSES(f64, double)

/* Rows of any type, a chunk at a time: plain ones where they lie, others converted. */
typedef struct row_chunk {
    const void *values;
    ptrdiff_t stride;
    bool single;
} row_chunk;

static row_chunk chunk_at(const gbv_matrix *matrix, size_t first, size_t count, double *buffer)
{
    const char *bytes = (const char *)matrix->data + (ptrdiff_t)first * matrix->row_stride;
    if (matrix_is_plain(matrix, GBV_F32))
        return (row_chunk){bytes, matrix->row_stride / (ptrdiff_t)sizeof(float), true};
    if (matrix_is_plain(matrix, GBV_F64))
        return (row_chunk){bytes, matrix->row_stride / (ptrdiff_t)sizeof(double), false};
    for (size_t i = 0; i < count; i++)
        matrix_row_f64(matrix, first + i, buffer + i * matrix->columns);
    return (row_chunk){buffer, (ptrdiff_t)matrix->columns, false};
}

/* Which row of the chunk is at fault, in words. */
static gbv_status blame(const gbv_matrix *matrix, size_t first, size_t count, double *buffer, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = first; i < first + count && status == GBV_OK; i++)
        status = measure_check_probabilities(matrix_row(matrix, i, buffer), matrix->columns, i, error);
    return status;
}

static bool chunk_is_sound(const row_chunk *chunk, size_t rows, size_t columns)
{
    bool dense = chunk->stride == (ptrdiff_t)columns, sound = true;
    size_t runs = dense ? 1 : rows, length = dense ? rows * columns : columns;
    for (size_t i = 0; i < runs && sound; i++)
        sound = chunk->single ? sound_f32((const float *)chunk->values + (ptrdiff_t)i * chunk->stride, length)
                              : sound_f64((const double *)chunk->values + (ptrdiff_t)i * chunk->stride, length);
    return sound;
}

/* Narrow rows are taken 64 at a time as they come; wide ones one by one, class after class, so that the class's line of
 * the table stays in the fastest cache. Within a class both keep the order of the rows, so the sums are the same. */
typedef struct row_order {
    size_t *rows; /* NULL: as they come */
    size_t step;
} row_order;

static gbv_status order_create(const gbv_matrix *matrix, const present_classes *classes, row_order *order,
                               gbv_error *error)
{
    *order = (row_order){.step = CHUNK};
    if (matrix->columns <= NARROW)
        return GBV_OK;
    size_t *next = memory_array(classes->count, sizeof *next), first = 0;
    order->rows = memory_array(matrix->rows, sizeof *order->rows);
    order->step = 1;
    if (!next || !order->rows) {
        free(next);
        return error_out_of_memory(error, "the order of the rows");
    }
    for (size_t c = 0; c < classes->count; first += classes->sizes[c++])
        next[c] = first;
    for (size_t i = 0; i < matrix->rows; i++)
        order->rows[next[classes->ranks[i]]++] = i;
    free(next);
    return GBV_OK;
}

/* Asks memory for the row after position i, since the processor cannot guess which one that is. */
static void prefetch_next(const gbv_matrix *matrix, const row_order *order, size_t i)
{
    if (!order->rows || i + 1 >= matrix->rows || matrix->column_stride != (ptrdiff_t)type_size(matrix->type))
        return;
    const char *bytes = (const char *)matrix->data + (ptrdiff_t)order->rows[i + 1] * matrix->row_stride;
    for (size_t offset = 0; offset < matrix->columns * type_size(matrix->type); offset += 64)
        __builtin_prefetch(bytes + offset, 0, 2);
}

/* Every row added to its class's line of the table. */
static gbv_status joint(const gbv_matrix *matrix, const present_classes *classes, const row_order *order, double *table,
                        double *buffer, gbv_error *error)
{
    size_t columns = matrix->columns;
    for (size_t i = 0; i < matrix->rows; i += order->step) {
        size_t first = order->rows ? order->rows[i] : i;
        size_t count = matrix->rows - i < order->step ? matrix->rows - i : order->step;
        row_chunk chunk = chunk_at(matrix, first, count, buffer);
        prefetch_next(matrix, order, i);
        if (!chunk_is_sound(&chunk, count, columns)) {
            gbv_status status = blame(matrix, first, count, buffer, error);
            if (status != GBV_OK)
                return status;
        }
        if (chunk.single)
            sum_rows_f32(chunk.values, chunk.stride, count, columns, classes->ranks + first, table);
        else
            sum_rows_f64(chunk.values, chunk.stride, count, columns, classes->ranks + first, table);
    }
    return GBV_OK;
}

static void likelihoods(const gbv_matrix *matrix, const present_classes *classes, const row_order *order,
                        const double *table, double *buffer, double *out)
{
    for (size_t i = 0; i < matrix->rows; i += order->step) {
        size_t first = order->rows ? order->rows[i] : i;
        size_t count = matrix->rows - i < order->step ? matrix->rows - i : order->step;
        row_chunk chunk = chunk_at(matrix, first, count, buffer);
        prefetch_next(matrix, order, i);
        const int32_t *ranks = classes->ranks + first;
        if (chunk.single)
            likelihoods_f32(chunk.values, chunk.stride, count, matrix->columns, ranks, table, out + first);
        else
            likelihoods_f64(chunk.values, chunk.stride, count, matrix->columns, ranks, table, out + first);
    }
}

/* The mean of the logarithms. They are taken of products of many factors, which is as exact and much cheaper. A row of
 * zeros shows here, as the only one whose likelihood can be zero. */
static gbv_status mean_logarithm(const gbv_matrix *matrix, const double *values, double *buffer, double *mean,
                                 gbv_error *error)
{
    double sum = 0, product = 1;
    for (size_t i = 0; i < matrix->rows; i++) {
        double next = product * values[i];
        if (!(next > 1e-200 && next < 1e200)) {
            gbv_status status = blame(matrix, i, 1, buffer, error);
            if (status != GBV_OK)
                return status;
            sum += log(product) + log(values[i]);
            next = 1;
        }
        product = next;
    }
    *mean = (sum + log(product)) / (double)matrix->rows;
    return GBV_OK;
}

/* J becomes p(y|z) in place. */
static void condition(double *table, size_t class_count, size_t columns, double *totals)
{
    for (size_t z = 0; z < columns; z++)
        totals[z] = 0;
    for (size_t y = 0; y < class_count; y++)
        dense_add_f64(totals, table + y * columns, columns);
    for (size_t z = 0; z < columns; z++)
        totals[z] = totals[z] > 0 ? 1 / totals[z] : 0;
    for (size_t y = 0; y < class_count; y++)
        for (size_t z = 0; z < columns; z++)
            table[y * columns + z] *= totals[z];
}

gbv_status leep_likelihoods(const gbv_matrix *matrix, const present_classes *classes, double *values, double *log_mean,
                            gbv_error *error)
{
    size_t columns = matrix->columns, cells;
    double *buffer = NULL, *table = NULL;
    row_order order = {0};
    gbv_status status = order_create(matrix, classes, &order, error);
    if (status != GBV_OK)
        goto done;
    if (!__builtin_mul_overflow(classes->count, columns, &cells))
        table = memory_zeroed(cells, sizeof *table);
    buffer = memory_array(columns, order.step * sizeof *buffer);
    if (!table || !buffer) {
        status = error_out_of_memory(error, "the joint distribution of labels and source classes");
        goto done;
    }
    if ((status = joint(matrix, classes, &order, table, buffer, error)) != GBV_OK)
        goto done;
    condition(table, classes->count, columns, buffer);
    likelihoods(matrix, classes, &order, table, buffer, values);
    status = mean_logarithm(matrix, values, buffer, log_mean, error);
done:
    free(order.rows);
    free(table);
    free(buffer);
    return status;
}

static gbv_status leep(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                       gbv_error *error)
{
    (void)variant;
    present_classes classes;
    gbv_status status = present_classes_create(input, &classes, error);
    if (status != GBV_OK)
        return status;
    double *values = memory_array(input->rows, sizeof *values);
    if (values)
        status = leep_likelihoods(&input->probabilities, &classes, values, score, error);
    else
        status = error_out_of_memory(error, "the likelihoods of the rows");
    for (size_t i = 0; status == GBV_OK && row_terms && i < input->rows; i++)
        row_terms[i] = log(values[i]);
    free(values);
    present_classes_free(&classes);
    return status;
}

const measure measure_leep = {
    .info = {.name = "leep",
             .summary = "log expected empirical prediction: how well the model's classes predict the labels",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES,
             .cost = "N·Z + C·Z",
             .blind_to = "which class is called what: a model that always mixes up two names scores as well",
             .resampled = GBV_ROW_WEIGHTS},
    .compute = leep,
    .replicates = {.compute = leep_replicates, .variants = 1, .weighs_rows = true},
    .checks_probabilities = true,
};
