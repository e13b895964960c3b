#include "measure/mixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"

enum { CLUSTER_ROUNDS = 100, MIXTURE_ROUNDS = 100, RIDGE_ATTEMPTS = 40, BLOCK = 256 };
static const double RIDGE = 1e-6, TOLERANCE = 1e-3, EMPTY = 10 * DBL_EPSILON;
/* A row with less than this share of a component changes neither its mean nor its covariance in double precision. */
static const double NEGLIGIBLE = 1e-20;

typedef struct mixture {
    const double *points; /* rows x dimensions */
    size_t rows, dimensions, components;
    double *responsibilities; /* rows x components */
    double *means;            /* components x dimensions */
    double *inverses;         /* components x dimensions x dimensions: of the lower Cholesky factors of covariances */
    double *log_weights;      /* components: with the factor of the density; -INFINITY for an empty one */
    double *differences;      /* rows x dimensions */
    double *products;         /* BLOCK x components: points times centres; likelihoods of a block of rows */
    double *distances;        /* rows: squares, to the nearest centre */
    size_t *nearest;          /* rows */
} mixture;

CLONED static double square_distance(const double *a, const double *b, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < count; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

CLONED static void take_difference(const double *point, const double *mean, double factor, size_t count, double *out)
{
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        out[j] = factor * (point[j] - mean[j]);
}

/* A row by chance, as likely as its distance; any row when all are at a centre already. */
static size_t draw_row(const mixture *m, random_stream *stream)
{
    double total = 0, reached = 0;
    for (size_t i = 0; i < m->rows; i++)
        total += m->distances[i];
    if (!(total > 0))
        return (size_t)random_below(stream, m->rows);
    double wanted = random_uniform(stream) * total;
    size_t last = 0;
    for (size_t i = 0; i < m->rows; i++) {
        if (m->distances[i] == 0)
            continue;
        last = i;
        reached += m->distances[i];
        if (reached > wanted)
            break;
    }
    return last;
}

static size_t block_at(const mixture *m, size_t first)
{
    return m->rows - first < BLOCK ? m->rows - first : BLOCK;
}

/* k-means++ (Arthur and Vassilvitskii 2007): centres far from each other. */
static void seed_centres(mixture *m, random_stream *stream)
{
    size_t width = m->dimensions;
    for (size_t k = 0; k < m->components; k++) {
        size_t row = k == 0 ? (size_t)random_below(stream, m->rows) : draw_row(m, stream);
        memcpy(m->means + k * width, m->points + row * width, width * sizeof *m->means);
        for (size_t i = 0; i < m->rows; i++) {
            double distance = square_distance(m->points + i * width, m->means + k * width, width);
            if (k == 0 || distance < m->distances[i]) {
                m->distances[i] = distance;
                m->nearest[i] = k;
            }
        }
    }
}

/* Each centre becomes the mean of the points nearest to it; one without points stays. */
static void move_centres(mixture *m, size_t *sizes)
{
    size_t width = m->dimensions;
    memset(sizes, 0, m->components * sizeof *sizes);
    for (size_t i = 0; i < m->rows; i++)
        sizes[m->nearest[i]]++;
    for (size_t k = 0; k < m->components; k++)
        if (sizes[k])
            memset(m->means + k * width, 0, width * sizeof *m->means);
    for (size_t i = 0; i < m->rows; i++)
        dense_add_f64(m->means + m->nearest[i] * width, m->points + i * width, width);
    for (size_t k = 0; k < m->components; k++)
        for (size_t j = 0; sizes[k] && j < width; j++)
            m->means[k * width + j] /= (double)sizes[k];
}

/* Every point goes to the centre with the least |c|^2/2 - x.c, and stays where it is when none is nearer. */
static bool find_nearest(mixture *m, double *halves)
{
    size_t width = m->dimensions, components = m->components;
    bool moved = false;
    for (size_t k = 0; k < components; k++)
        halves[k] = 0.5 * dense_dot_f64(m->means + k * width, m->means + k * width, width);
    for (size_t first = 0; first < m->rows; first += BLOCK) {
        size_t count = block_at(m, first);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)components, (int)width, 1,
                    m->points + first * width, (int)width, m->means, (int)width, 0, m->products, (int)components);
        for (size_t i = 0; i < count; i++) {
            const double *products = m->products + i * components;
            size_t *nearest = &m->nearest[first + i], best = *nearest;
            double least = halves[best] - products[best];
            for (size_t k = 0; k < components; k++) {
                double distance = halves[k] - products[k];
                best = distance < least ? k : best;
                least = distance < least ? distance : least;
            }
            moved |= best != *nearest;
            *nearest = best;
        }
    }
    return moved;
}

static gbv_status cluster(mixture *m, random_stream *stream, gbv_error *error)
{
    size_t *sizes = memory_array(m->components, sizeof *sizes);
    double *halves = memory_array(m->components, sizeof *halves);
    if (!sizes || !halves) {
        free(sizes);
        free(halves);
        return error_out_of_memory(error, "the clusters of the features");
    }
    seed_centres(m, stream);
    bool moved = true;
    for (int round = 0; moved && round < CLUSTER_ROUNDS; round++) {
        move_centres(m, sizes);
        moved = find_nearest(m, halves);
    }
    free(sizes);
    free(halves);
    memset(m->responsibilities, 0, m->rows * m->components * sizeof *m->responsibilities);
    for (size_t i = 0; i < m->rows; i++)
        m->responsibilities[i * m->components + m->nearest[i]] = 1;
    return GBV_OK;
}

/* The lower Cholesky factor of the sum of squares of the lines, with as much on the diagonal as rounding asks for. */
static bool factorise(const double *lines, size_t count, size_t width, double *factor)
{
    double ridge = RIDGE;
    for (int attempt = 0; attempt < RIDGE_ATTEMPTS; attempt++) {
        int order = (int)width, info;
        double trace = 0;
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, order, (int)count, 1, lines, order, 0, factor, order);
        for (size_t j = 0; j < width; j++) {
            trace += factor[j * width + j];
            factor[j * width + j] += ridge;
        }
        dpotrf_("U", &order, factor, &order, &info); /* column-major upper is row-major lower */
        if (info == 0)
            return isfinite(trace);
        ridge = fmax(10 * ridge, DBL_EPSILON * trace);
    }
    return false;
}

/* Weight, mean and covariance of one component from its responsibilities. */
static bool maximise(mixture *m, size_t k)
{
    size_t width = m->dimensions, count = 0;
    double weight = 0, *mean = m->means + k * width, *factor = m->inverses + k * width * width;
    const double *share = m->responsibilities + k;
    for (size_t i = 0; i < m->rows; i++)
        weight += share[i * m->components];
    m->log_weights[k] = -INFINITY;
    if (!(weight > EMPTY))
        return true;
    memset(mean, 0, width * sizeof *mean);
    for (size_t i = 0; i < m->rows; i++)
        if (share[i * m->components] > NEGLIGIBLE * weight)
            cblas_daxpy((int)width, share[i * m->components] / weight, m->points + i * width, 1, mean, 1);
    for (size_t i = 0; i < m->rows; i++) {
        if (!(share[i * m->components] > NEGLIGIBLE * weight))
            continue;
        take_difference(m->points + i * width, mean, sqrt(share[i * m->components] / weight), width,
                        m->differences + count++ * width);
    }
    if (!factorise(m->differences, count, width, factor))
        return false;
    m->log_weights[k] = log(weight / (double)m->rows) - 0.5 * (double)width * log(2 * M_PI);
    for (size_t j = 0; j < width; j++)
        m->log_weights[k] -= log(factor[j * width + j]);
    int order = (int)width, info;
    dtrtri_("U", "N", &order, factor, &order, &info); /* column-major upper is row-major lower */
    return info == 0;
}

/* Log-densities of the rows from `first` on in one component. */
static void expect_block(mixture *m, size_t k, size_t first, size_t count)
{
    size_t width = m->dimensions;
    const double *mean = m->means + k * width;
    double *densities = m->responsibilities + first * m->components + k;
    bool empty = m->log_weights[k] == -INFINITY;
    for (size_t i = 0; !empty && i < count; i++)
        take_difference(m->points + (first + i) * width, mean, 1, width, m->differences + i * width);
    if (!empty)
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)count, (int)width, 1,
                    m->inverses + k * width * width, (int)width, m->differences, (int)width);
    for (size_t i = 0; i < count; i++) {
        const double *line = m->differences + i * width;
        densities[i * m->components] = empty ? -INFINITY : m->log_weights[k] - 0.5 * dense_dot_f64(line, line, width);
    }
}

/* Responsibilities from the components; returns the mean log-likelihood, NaN when a row has none. */
static double expect(mixture *m)
{
    double sum = 0;
    for (size_t first = 0; first < m->rows; first += BLOCK) {
        size_t count = block_at(m, first);
        double *block = m->responsibilities + first * m->components;
        for (size_t k = 0; k < m->components; k++)
            expect_block(m, k, first, count);
        dense_log_sum_exp_rows(block, count, m->components, m->products);
        for (size_t i = 0; i < count; i++) {
            if (!isfinite(m->products[i]))
                return NAN;
            sum += m->products[i];
        }
        dense_softmax_rows(block, count, m->components);
    }
    return sum / (double)m->rows;
}

static gbv_status iterate(mixture *m, size_t *rounds, gbv_error *error)
{
    double before = -INFINITY;
    for (*rounds = 1;; (*rounds)++) {
        bool sound = true;
        for (size_t k = 0; sound && k < m->components; k++)
            sound = maximise(m, k);
        double likelihood = sound ? expect(m) : NAN;
        if (isnan(likelihood))
            return error_set(error, GBV_UNDEFINED,
                             "the features are too large for a mixture of Gaussians: scale the features");
        if (fabs(likelihood - before) < TOLERANCE || *rounds > MIXTURE_ROUNDS)
            return GBV_OK;
        before = likelihood;
    }
}

gbv_status mixture_fit(const double *points, size_t rows, size_t dimensions, size_t components, random_stream *stream,
                       double *responsibilities, size_t *rounds, gbv_error *error)
{
    mixture m = {.points = points,
                 .rows = rows,
                 .dimensions = dimensions,
                 .components = components,
                 .responsibilities = responsibilities,
                 .means = memory_array(components, dimensions * sizeof(double)),
                 .log_weights = memory_array(components, sizeof(double)),
                 .products = memory_array(components, BLOCK * sizeof(double)),
                 .differences = memory_array(rows, dimensions * sizeof(double)),
                 .distances = memory_array(rows, sizeof(double)),
                 .nearest = memory_array(rows, sizeof(size_t))};
    size_t square;
    gbv_status status;
    if (!__builtin_mul_overflow(dimensions, dimensions * sizeof(double), &square))
        m.inverses = memory_array(components, square);
    if (m.means && m.inverses && m.products && m.log_weights && m.differences && m.distances && m.nearest) {
        status = cluster(&m, stream, error);
        if (status == GBV_OK)
            status = iterate(&m, rounds, error);
    } else {
        status = error_out_of_memory(error, "a mixture of Gaussians");
    }
    free(m.means);
    free(m.inverses);
    free(m.products);
    free(m.log_weights);
    free(m.differences);
    free(m.distances);
    free(m.nearest);
    return status;
}
