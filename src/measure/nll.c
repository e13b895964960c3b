/* nll.c - the mean log-likelihood of the labels under the model's own class names, after one temperature.
 *
 * A model's probabilities are often too sure or not sure enough, which one temperature t mends: p_z^(1/t) / sum
 * p^(1/t). Fitting t on the rows it is judged by would flatter the model, so the rows are cut in two halves (the even
 * and the odd ones of each class, in the order given), and each half is scored with the t that suits the other half
 * best. t stays within 1/20 and 20; a half with nothing to learn from leaves t at 1 (one row in all, for instance). The
 * likelihood of a row is (1 - 1e-6) p_y + 1e-6: a class without a column or with probability zero counts as 1e-6. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"

static const double floor_share = 1e-6, smallest_inverse = 0.05, largest_inverse = 20;

typedef struct tempering {
    const gbv_measure_input *input;
    size_t columns;
    double *logarithms;    /* rows x columns: ln p minus the row's largest */
    unsigned char *halves; /* rows: 0 or 1 */
} tempering;

/* What one row says at an inverse temperature. */
typedef struct row_state {
    double likelihood;       /* of the label */
    double slope, curvature; /* of its logarithm, by the inverse temperature */
} row_state;

static row_state temper_row(const tempering *t, size_t row, double inverse)
{
    const double *logarithms = t->logarithms + row * t->columns;
    int32_t label = t->input->labels[row];
    double all[3] = {0}, own[3] = {0}; /* sums of w, w l, w l^2 */
    for (size_t z = 0; z < t->columns; z++) {
        double l = logarithms[z];
        if (l == -INFINITY)
            continue;
        double w = exp(inverse * l);
        all[0] += w, all[1] += w * l, all[2] += w * l * l;
        if (measure_column_class(t->input, z) == label)
            own[0] += w, own[1] += w * l, own[2] += w * l * l;
    }
    row_state state = {.likelihood = own[0] / all[0]};
    if (own[0] > 0) {
        double mean = all[1] / all[0], own_mean = own[1] / own[0];
        state.slope = own_mean - mean;
        state.curvature = own[2] / own[0] - own_mean * own_mean - (all[2] / all[0] - mean * mean);
    }
    return state;
}

static void half_slope(const tempering *t, int half, double inverse, double *slope, double *curvature)
{
    *slope = *curvature = 0;
    for (size_t i = 0; i < t->input->rows; i++) {
        if (t->halves[i] != half)
            continue;
        row_state state = temper_row(t, i, inverse);
        *slope += state.slope;
        *curvature += state.curvature;
    }
}

/* The inverse temperature at which the half's log-likelihood stops rising: Newton's steps inside a shrinking bracket.
 */
static double fit_inverse(const tempering *t, int half)
{
    double low = smallest_inverse, high = largest_inverse, inverse = 1, slope, curvature;
    for (int step = 0; step < 60; step++) {
        half_slope(t, half, inverse, &slope, &curvature);
        if (slope == 0)
            return inverse;
        if (slope > 0)
            low = inverse;
        else
            high = inverse;
        double next = curvature < 0 ? inverse - slope / curvature : NAN;
        if (next >= largest_inverse || next <= smallest_inverse) {
            /* The end of the range may itself be the answer. */
            double end = next >= largest_inverse ? largest_inverse : smallest_inverse;
            if (inverse == end)
                return end;
            next = end == high || end == low ? end : NAN;
        }
        if (!(next >= low && next <= high))
            next = sqrt(low * high);
        if (fabs(next - inverse) <= 1e-12 * inverse)
            return next;
        inverse = next;
    }
    return inverse;
}

static gbv_status take_logarithms(tempering *t, gbv_error *error)
{
    const gbv_matrix *matrix = &t->input->probabilities;
    double *buffer = memory_array(t->columns, sizeof *buffer);
    if (!buffer)
        return error_out_of_memory(error, "a row of probabilities");
    for (size_t i = 0; i < matrix->rows; i++) {
        const double *values = matrix_row(matrix, i, buffer);
        double largest = log(values[measure_argmax(values, t->columns)]);
        for (size_t z = 0; z < t->columns; z++)
            t->logarithms[i * t->columns + z] = values[z] > 0 ? log(values[z]) - largest : -INFINITY;
    }
    free(buffer);
    return GBV_OK;
}

static gbv_status nll(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                      gbv_error *error)
{
    (void)variant;
    size_t rows = input->rows, cells;
    tempering t = {.input = input, .columns = input->probabilities.columns};
    unsigned char *next_half = memory_zeroed(input->class_count, 1);
    t.halves = memory_array(rows, 1);
    if (!__builtin_mul_overflow(rows, t.columns, &cells))
        t.logarithms = memory_array(cells, sizeof *t.logarithms);
    gbv_status status = GBV_OK;
    if (!next_half || !t.halves || !t.logarithms) {
        status = error_out_of_memory(error, "the logarithms of the probabilities");
        goto done;
    }
    if ((status = take_logarithms(&t, error)) != GBV_OK)
        goto done;
    for (size_t i = 0; i < rows; i++) {
        t.halves[i] = next_half[input->labels[i]];
        next_half[input->labels[i]] ^= 1;
    }
    double inverse[2] = {fit_inverse(&t, 1), fit_inverse(&t, 0)}, sum = 0;
    for (size_t i = 0; i < rows; i++) {
        double likelihood = temper_row(&t, i, inverse[t.halves[i]]).likelihood;
        double term = log((1 - floor_share) * likelihood + floor_share);
        if (row_terms)
            row_terms[i] = term;
        sum += term;
    }
    *score = sum / (double)rows;
done:
    free(next_half);
    free(t.halves);
    free(t.logarithms);
    return status;
}

const measure measure_nll = {
    .info = {.name = "nll",
             .summary = "mean log-likelihood of the labels after one cross-fitted temperature",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES | GBV_NEEDS_CLASS_COLUMNS,
             .cost = "R·N·Z, R <= 120 steps of Newton",
             .blind_to = "classes the model has no column for, which all count as one chance in a million"},
    .compute = nll,
};
