#include "measure/mixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"

enum { CLUSTER_ROUNDS = 100, MIXTURE_ROUNDS = 100, RIDGE_ATTEMPTS = 40 };
static const double RIDGE = 1e-6, TOLERANCE = 1e-3, EMPTY = 10 * DBL_EPSILON;

typedef struct mixture {
    const double *points; /* rows x dimensions */
    size_t rows, dimensions, components;
    double *responsibilities; /* rows x components */
    double *means;            /* components x dimensions */
    double *factors;          /* components x dimensions x dimensions: lower Cholesky factors of the covariances */
    double *log_weights;      /* components: with the factor of the density; -INFINITY for an empty one */
    double *differences;      /* rows x dimensions */
    double *distances;        /* rows: squares, to the nearest centre */
    size_t *nearest;          /* rows */
} mixture;

static double square_distance(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
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

static gbv_status cluster(mixture *m, random_stream *stream, gbv_error *error)
{
    size_t width = m->dimensions, *sizes = memory_array(m->components, sizeof *sizes);
    if (!sizes)
        return error_out_of_memory(error, "the clusters of the features");
    seed_centres(m, stream);
    bool moved = true;
    for (int round = 0; moved && round < CLUSTER_ROUNDS; round++) {
        move_centres(m, sizes);
        moved = false;
        for (size_t i = 0; i < m->rows; i++) {
            size_t best = m->nearest[i];
            double least = square_distance(m->points + i * width, m->means + best * width, width);
            for (size_t k = 0; k < m->components; k++) {
                double distance = square_distance(m->points + i * width, m->means + k * width, width);
                if (distance < least)
                    least = distance, best = k;
            }
            moved |= best != m->nearest[i];
            m->nearest[i] = best;
        }
    }
    free(sizes);
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
    double weight = 0, *mean = m->means + k * width, *factor = m->factors + k * width * width;
    const double *share = m->responsibilities + k;
    for (size_t i = 0; i < m->rows; i++)
        weight += share[i * m->components];
    m->log_weights[k] = -INFINITY;
    if (!(weight > EMPTY))
        return true;
    memset(mean, 0, width * sizeof *mean);
    for (size_t i = 0; i < m->rows; i++)
        if (share[i * m->components] > 0)
            cblas_daxpy((int)width, share[i * m->components] / weight, m->points + i * width, 1, mean, 1);
    for (size_t i = 0; i < m->rows; i++) {
        if (!(share[i * m->components] > 0))
            continue;
        double root = sqrt(share[i * m->components] / weight), *line = m->differences + count++ * width;
        for (size_t j = 0; j < width; j++)
            line[j] = root * (m->points[i * width + j] - mean[j]);
    }
    if (!factorise(m->differences, count, width, factor))
        return false;
    m->log_weights[k] = log(weight / (double)m->rows) - 0.5 * (double)width * log(2 * M_PI);
    for (size_t j = 0; j < width; j++)
        m->log_weights[k] -= log(factor[j * width + j]);
    return true;
}

/* Responsibilities from the components; returns the mean log-likelihood, NaN when a row has none. */
static double expect(mixture *m)
{
    size_t width = m->dimensions, components = m->components;
    for (size_t k = 0; k < components; k++) {
        const double *mean = m->means + k * width;
        bool empty = m->log_weights[k] == -INFINITY;
        for (size_t i = 0; !empty && i < m->rows; i++)
            for (size_t j = 0; j < width; j++)
                m->differences[i * width + j] = m->points[i * width + j] - mean[j];
        if (!empty)
            cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m->rows, (int)width, 1,
                        m->factors + k * width * width, (int)width, m->differences, (int)width);
        for (size_t i = 0; i < m->rows; i++) {
            const double *line = m->differences + i * width;
            m->responsibilities[i * components + k] =
                empty ? -INFINITY : m->log_weights[k] - 0.5 * dense_dot_f64(line, line, width);
        }
    }
    double sum = 0;
    for (size_t i = 0; i < m->rows; i++) {
        double *row = m->responsibilities + i * components, likelihood;
        dense_log_sum_exp_rows(row, 1, components, &likelihood);
        if (!isfinite(likelihood))
            return NAN;
        sum += likelihood;
        dense_softmax_rows(row, 1, components);
    }
    return sum / (double)m->rows;
}

static gbv_status iterate(mixture *m, gbv_error *error)
{
    double before = -INFINITY;
    for (int round = 0;; round++) {
        bool sound = true;
        for (size_t k = 0; sound && k < m->components; k++)
            sound = maximise(m, k);
        double likelihood = sound ? expect(m) : NAN;
        if (isnan(likelihood))
            return error_set(error, GBV_UNDEFINED,
                             "the features are too large for a mixture of Gaussians: scale the features");
        if (fabs(likelihood - before) < TOLERANCE || round == MIXTURE_ROUNDS)
            return GBV_OK;
        before = likelihood;
    }
}

gbv_status mixture_fit(const double *points, size_t rows, size_t dimensions, size_t components, random_stream *stream,
                       double *responsibilities, gbv_error *error)
{
    mixture m = {.points = points,
                 .rows = rows,
                 .dimensions = dimensions,
                 .components = components,
                 .responsibilities = responsibilities,
                 .means = memory_array(components, dimensions * sizeof(double)),
                 .log_weights = memory_array(components, sizeof(double)),
                 .differences = memory_array(rows, dimensions * sizeof(double)),
                 .distances = memory_array(rows, sizeof(double)),
                 .nearest = memory_array(rows, sizeof(size_t))};
    size_t square;
    gbv_status status;
    if (!__builtin_mul_overflow(dimensions, dimensions * sizeof(double), &square))
        m.factors = memory_array(components, square);
    if (m.means && m.factors && m.log_weights && m.differences && m.distances && m.nearest) {
        status = cluster(&m, stream, error);
        if (status == GBV_OK)
            status = iterate(&m, error);
    } else {
        status = error_out_of_memory(error, "a mixture of Gaussians");
    }
    free(m.means);
    free(m.factors);
    free(m.log_weights);
    free(m.differences);
    free(m.distances);
    free(m.nearest);
    return status;
}
