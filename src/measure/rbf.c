/* rbf.c - the kernel sums of MMD at the speed of a matrix product: a tile of u.v by BLAS, one exponential an element,
 * and its powers, since the bandwidths 10, 5, 2, 1 have exponents in the ratio 1 : 4 : 25 : 100. */
#include "measure/rbf.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"
#include "compute/power.h"

enum { TILE = RBF_BAND };

/* |u-v|^2 / (2 * 10^2) as a power of two: 2^(-UNIT |u-v|^2). */
#define UNIT (M_LOG2E / 200)

double rbf_kernel(double squared_distance)
{
    return exp(squared_distance / -200) + exp(squared_distance / -50) + exp(squared_distance / -8) +
           exp(squared_distance / -2);
}

/* x + x^4 + x^25 + x^100. Each power starts from a floor that keeps it above the subnormal numbers, which are slow;
 * what that adds is far below the rounding of the sums. */
static inline float powers_f32(float x)
{
    float a = power_larger_f32(x, 3e-9f), b = power_larger_f32(x, 0.0325f);
    float a2 = a * a, b2 = b * b, b4 = b2 * b2, b8 = b4 * b4, b16 = b8 * b8, b25 = b16 * b8 * b;
    float c = power_larger_f32(b25, 1e-9f), c2 = c * c;
    return x + a2 * a2 + b25 + c2 * c2;
}

static inline double powers_f64(double x)
{
    double a = power_larger_f64(x, 1e-76), b = power_larger_f64(x, 1e-12);
    double a2 = a * a, b2 = b * b, b4 = b2 * b2, b8 = b4 * b4, b16 = b8 * b8, b25 = b16 * b8 * b;
    double c = power_larger_f64(b25, 1e-76), c2 = c * c;
    return x + a2 * a2 + b25 + c2 * c2;
}

/* Sum of k over one row of a tile: `products` are 2 UNIT u.v, `half` and `halves` are UNIT |u|^2 and UNIT |v|^2. */
CLONED static double row_sum_f32(const float *products, float half, const float *halves, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < count; j++) {
        sum += (double)powers_f32(power_inverse_f32(power_larger_f32((half + halves[j]) - products[j], 0)));
    }
    return sum;
}

CLONED static double row_sum_f64(const double *products, double half, const double *halves, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < count; j++) {
        sum += powers_f64(power_inverse_f64(power_larger_f64((half + halves[j]) - products[j], 0)));
    }
    return sum;
}

/* The numbers themselves. */
CLONED static void row_kernel_f32(const float *products, float half, const float *halves, size_t count, double *out)
{
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        out[j] = (double)powers_f32(power_inverse_f32(power_larger_f32((half + halves[j]) - products[j], 0)));
}

CLONED static void row_kernel_f64(const double *products, double half, const double *halves, size_t count, double *out)
{
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        out[j] = powers_f64(power_inverse_f64(power_larger_f64((half + halves[j]) - products[j], 0)));
}

/* One tile: rows first_x.. of x against rows first_y.. of y. On the diagonal of x against itself only pairs with
 * j < i are summed. */
typedef struct tile {
    const rbf_points *x, *y;
    size_t first_x, first_y, count_x, count_y;
    bool diagonal;
} tile;

/* 2 UNIT u.v of the tile's pairs, TILE numbers a line; below the diagonal only where the tile lies on it. */
static void tile_products(const tile *t, void *products)
{
    int rows = (int)t->count_x, columns = (int)t->count_y, inner = (int)t->x->columns;
    size_t from_x = t->first_x * t->x->columns, from_y = t->first_y * t->y->columns;
    if (t->x->single) {
        const float *a = (const float *)t->x->values + from_x, *b = (const float *)t->y->values + from_y;
        if (t->diagonal)
            cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, inner, (float)(2 * UNIT), a, inner, 0, products,
                        TILE);
        else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, columns, inner, (float)(2 * UNIT), a, inner, b,
                        inner, 0, products, TILE);
        return;
    }
    const double *a = (const double *)t->x->values + from_x, *b = (const double *)t->y->values + from_y;
    if (t->diagonal)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, inner, 2 * UNIT, a, inner, 0, products, TILE);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, columns, inner, 2 * UNIT, a, inner, b, inner, 0,
                    products, TILE);
}

/* The kernel of the tile's pairs, line by line: their sums, or with `kernel` the numbers themselves, TILE to a line. On
 * the diagonal only pairs with j < i count; the rest of the kernel is zero there. */
static void tile_lines(const tile *t, const void *products, double *sums, double *kernel)
{
    float halves[TILE];
    for (size_t j = 0; t->x->single && j < t->count_y; j++)
        halves[j] = (float)t->y->halves[t->first_y + j];
    for (size_t i = 0; i < t->count_x; i++) {
        size_t count = t->diagonal ? i : t->count_y;
        double half = t->x->halves[t->first_x + i], *line = kernel ? kernel + i * TILE : NULL;
        if (t->x->single && !kernel)
            sums[i] = row_sum_f32((const float *)products + i * TILE, (float)half, halves, count);
        else if (t->x->single)
            row_kernel_f32((const float *)products + i * TILE, (float)half, halves, count, line);
        else if (!kernel)
            sums[i] = row_sum_f64((const double *)products + i * TILE, half, t->y->halves + t->first_y, count);
        else
            row_kernel_f64((const double *)products + i * TILE, half, t->y->halves + t->first_y, count, line);
        for (size_t j = count; kernel && j < t->count_y; j++)
            line[j] = 0;
    }
}

/* Tile number `index` of the grid; within one set only the lower triangle of tiles is numbered. */
static tile tile_at(const rbf_points *x, const rbf_points *y, size_t index)
{
    size_t tiles_y = (y->rows + TILE - 1) / TILE, i, j;
    if (x == y) {
        i = (size_t)((sqrt(8 * (double)index + 1) - 1) / 2);
        while (i * (i + 1) / 2 > index)
            i--;
        while ((i + 1) * (i + 2) / 2 <= index)
            i++;
        j = index - i * (i + 1) / 2;
    } else {
        i = index / tiles_y;
        j = index % tiles_y;
    }
    size_t left_x = x->rows - i * TILE, left_y = y->rows - j * TILE;
    return (tile){.x = x,
                  .y = y,
                  .first_x = i * TILE,
                  .first_y = j * TILE,
                  .count_x = left_x < TILE ? left_x : TILE,
                  .count_y = left_y < TILE ? left_y : TILE,
                  .diagonal = x == y && i == j};
}

/* Each tile's sum has its own place and they are added in order, so that threads change nothing. */
static gbv_status tiles_sum(const rbf_points *x, const rbf_points *y, double *total, gbv_error *error)
{
    size_t tiles_x = (x->rows + TILE - 1) / TILE, tiles_y = (y->rows + TILE - 1) / TILE;
    size_t count = x == y ? tiles_x * (tiles_x + 1) / 2 : tiles_x * tiles_y;
    size_t threads = plan_workers(x->threads, count);
    size_t element = x->single ? sizeof(float) : sizeof(double);
    double *sums = memory_array(count, sizeof *sums);
    size_t bytes = (x->rows < TILE ? x->rows : TILE) * TILE * element;
    char *products = memory_array(threads, bytes);
    gbv_status status = GBV_OK;
    if (!sums || !products) {
        status = error_out_of_memory(error, "the kernel sums");
        goto done;
    }
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (threads > 1)
    for (size_t index = 0; index < count; index++) {
        tile t = tile_at(x, y, index);
        void *mine = products + (threads > 1 ? (size_t)omp_get_thread_num() : 0) * bytes;
        double lines[TILE];
        tile_products(&t, mine);
        tile_lines(&t, mine, lines, NULL);
        sums[index] = 0;
        for (size_t i = 0; i < t.count_x; i++)
            sums[index] += lines[i];
    }
    *total = 0;
    for (size_t index = 0; index < count; index++)
        *total += sums[index];
done:
    free(sums);
    free(products);
    return status;
}

gbv_status rbf_sum_within(const rbf_points *points, double *sum, gbv_error *error)
{
    double half;
    gbv_status status = tiles_sum(points, points, &half, error);
    if (status == GBV_OK)
        *sum = 2 * half + RBF_DIAGONAL * (double)points->rows;
    return status;
}

gbv_status rbf_sum_between(const rbf_points *x, const rbf_points *y, double *sum, gbv_error *error)
{
    return tiles_sum(x, y, sum, error);
}

/* 2^(-scale (half + halves_j - products_j)) in place of the products. */
CLONED static void row_powers_f64(double *products, double half, const double *halves, double scale, size_t count)
{
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        products[j] = power_inverse_f64(scale * power_larger_f64((half + halves[j]) - products[j], 0));
}

void rbf_apply(const rbf_points *x, size_t first, size_t rows, const rbf_points *y, double sigma, const double *weights,
               size_t count, double *scratch, double *out)
{
    int inner = (int)x->columns, leading = inner ? inner : 1;
    const double *a = (const double *)x->values + first * x->columns;
    double scale = 100 / (sigma * sigma); /* UNIT is that of the bandwidth 10 */
    memset(out, 0, rows * count * sizeof *out);
    for (size_t start = 0; start < y->rows; start += TILE) {
        size_t columns = y->rows - start < TILE ? y->rows - start : TILE;
        const double *b = (const double *)y->values + start * y->columns;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, inner, 2 * UNIT, a, leading, b,
                    leading, 0, scratch, TILE);
        for (size_t i = 0; i < rows; i++)
            row_powers_f64(scratch + i * TILE, x->halves[first + i], y->halves + start, scale, columns);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)count, (int)columns, 1, scratch, TILE,
                    weights + start * count, (int)count, 1, out, (int)count);
    }
}

static gbv_status too_wide(size_t columns, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT, "rows of %zu numbers are wider than the %d that BLAS can take", columns,
                     INT_MAX);
}

gbv_status rbf_row_sums(const rbf_points *x, const rbf_points *y, double *sums, gbv_error *error)
{
    size_t tiles_x = (x->rows + TILE - 1) / TILE, tiles_y = (y->rows + TILE - 1) / TILE;
    size_t workers = plan_workers(x->threads, tiles_x), bytes = TILE * TILE * sizeof(double);
    char *products = memory_array(workers, bytes);
    if (!products)
        return error_out_of_memory(error, "the kernel sums");
#pragma omp parallel for schedule(dynamic) num_threads((int)workers) if (workers > 1)
    for (size_t i = 0; i < tiles_x; i++) {
        void *mine = products + (workers > 1 ? (size_t)omp_get_thread_num() : 0) * bytes;
        double *out = sums + i * TILE, lines[TILE];
        for (size_t j = 0; j < tiles_y; j++) {
            tile t = tile_at(x, y, i * tiles_y + j);
            tile_products(&t, mine);
            tile_lines(&t, mine, lines, NULL);
            for (size_t k = 0; k < t.count_x; k++)
                out[k] = (j ? out[k] : 0) + lines[k];
        }
    }
    free(products);
    return GBV_OK;
}

/* Tiles of the kernel against the half-samples. */
typedef struct half_tiles {
    const rbf_points *points;
    const double *chosen; /* count x rows */
    size_t count;
    double *sums;    /* tiles x count */
    double *scratch; /* workers x scratch_cells: products, kernel, and count lines of their product */
    size_t scratch_cells;
} half_tiles;

static gbv_status sum_tile(void *context, size_t worker, size_t piece, gbv_error *error)
{
    (void)error;
    const half_tiles *h = context;
    tile t = tile_at(h->points, h->points, piece);
    int rows = (int)h->points->rows;
    double *products = h->scratch + worker * h->scratch_cells, *kernel = products + TILE * TILE;
    double *reached = kernel + TILE * TILE;
    tile_products(&t, products);
    tile_lines(&t, products, NULL, kernel);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)h->count, (int)t.count_x, (int)t.count_y, 1,
                h->chosen + t.first_y, rows, kernel, TILE, 0, reached, TILE);
    for (size_t b = 0; b < h->count; b++)
        h->sums[piece * h->count + b] =
            dense_dot_f64(reached + b * TILE, h->chosen + b * h->points->rows + t.first_x, t.count_x);
    return GBV_OK;
}

gbv_status rbf_sums_within_halves(const rbf_points *points, const replicate_task *task, const double *chosen,
                                  double *sums, gbv_error *error)
{
    size_t side = (points->rows + TILE - 1) / TILE, tiles = side * (side + 1) / 2, count = task->draws->count;
    size_t workers = plan_workers(points->threads, tiles);
    if (points->rows > INT_MAX)
        return too_wide(points->rows, error);
    half_tiles h = {.points = points,
                    .chosen = chosen,
                    .count = count,
                    .sums = memory_array(tiles, count * sizeof *h.sums),
                    .scratch_cells = TILE * (2 * TILE + count)};
    h.scratch = memory_array(h.scratch_cells, workers * sizeof *h.scratch);
    gbv_status status = GBV_OK;
    if (!h.sums || !h.scratch)
        status = error_out_of_memory(error, "the kernel sums");
    else
        status = replicate_share(task, tiles, workers, sum_tile, &h, error);
    for (size_t b = 0; status == GBV_OK && b < count; b++) {
        sums[b] = 0;
        for (size_t k = 0; k < tiles; k++)
            sums[b] += h.sums[k * count + b];
        sums[b] = 2 * sums[b] + RBF_DIAGONAL * (double)task->draws->half_rows;
    }
    free(h.sums);
    free(h.scratch);
    return status;
}

/* A row moved by the centre, as it will be used, and its squared length. */
CLONED static double move_row_f32(const double *row, const double *centre, size_t columns, float *out)
{
    double squares = 0;
#pragma omp simd reduction(+ : squares)
    for (size_t j = 0; j < columns; j++) {
        out[j] = (float)(row[j] - centre[j]);
        squares += (double)out[j] * (double)out[j];
    }
    return squares;
}

CLONED static double move_row_f64(const double *row, const double *centre, size_t columns, double *out)
{
    double squares = 0;
#pragma omp simd reduction(+ : squares)
    for (size_t j = 0; j < columns; j++) {
        out[j] = row[j] - centre[j];
        squares += out[j] * out[j];
    }
    return squares;
}

static gbv_status points_fill(const gbv_matrix *matrix, const double *centre, bool single, double *buffer,
                              rbf_points *points, gbv_error *error)
{
    size_t columns = matrix->columns, cells;
    *points = (rbf_points){.rows = matrix->rows, .columns = columns, .single = single};
    points->halves = memory_array(matrix->rows, sizeof *points->halves);
    if (!__builtin_mul_overflow(matrix->rows, columns, &cells))
        points->values = memory_array(cells, single ? sizeof(float) : sizeof(double));
    if (!points->halves || !points->values)
        return error_out_of_memory(error, "the features");
    for (size_t i = 0; i < matrix->rows; i++) {
        const double *row = matrix_row(matrix, i, buffer);
        double squares = single ? move_row_f32(row, centre, columns, (float *)points->values + i * columns)
                                : move_row_f64(row, centre, columns, (double *)points->values + i * columns);
        points->halves[i] = UNIT * squares;
        if (!(squares < (single ? 1e36 : 1e300)))
            return error_set(error, GBV_BAD_INPUT,
                             "row %zu of the features is %g away from the others, too far for the kernel: scale the "
                             "features first",
                             i + 1, sqrt(squares));
    }
    return GBV_OK;
}

gbv_status rbf_points_pair(const gbv_matrix *a, const gbv_matrix *b, bool single, rbf_points *x, rbf_points *y,
                           gbv_error *error)
{
    size_t columns = a->columns;
    *x = *y = (rbf_points){0};
    if (columns > INT_MAX)
        return too_wide(columns, error);
    double *centre = memory_zeroed(columns, 2 * sizeof *centre);
    if (!centre)
        return error_out_of_memory(error, "the features");
    double *row = centre + columns, share = 1 / ((double)a->rows + (double)b->rows);
    for (int side = 0; side < 2; side++) {
        const gbv_matrix *matrix = side ? b : a;
        for (size_t i = 0; i < matrix->rows; i++)
            dense_add_f64(centre, matrix_row(matrix, i, row), columns);
    }
    for (size_t j = 0; j < columns; j++)
        centre[j] *= share;
    gbv_status status = points_fill(a, centre, single, row, x, error);
    if (status == GBV_OK)
        status = points_fill(b, centre, single, row, y, error);
    if (status != GBV_OK)
        rbf_points_free(x), rbf_points_free(y);
    free(centre);
    return status;
}

gbv_status rbf_points_borrow(const double *values, size_t rows, size_t columns, rbf_points *points, gbv_error *error)
{
    *points = (rbf_points){0};
    if (columns > INT_MAX)
        return too_wide(columns, error);
    double *halves = memory_array(rows, sizeof *halves);
    if (!halves)
        return error_out_of_memory(error, "the kernel sums");
    for (size_t i = 0; i < rows; i++)
        halves[i] = UNIT * dense_dot_f64(values + i * columns, values + i * columns, columns);
    *points =
        (rbf_points){.rows = rows, .columns = columns, .values = (void *)values, .halves = halves, .borrowed = true};
    return GBV_OK;
}

void rbf_points_free(rbf_points *points)
{
    if (!points->borrowed)
        free(points->values);
    free(points->halves);
    *points = (rbf_points){0};
}
