/* cmmd.c - conditional MMD (Xu et al., data distribution valuation): the discrepancy between the model's probabilities
 * on the reference set and its labels as one-hot rows, in the space of the classes, as T = -sqrt(MMD^2).
 *
 *     exact   biased MMD^2 over all rows
 *     code    sum over batches of 128 rows in order, divided by 128 (the authors of the paper)
 *     xu      sum over batches of 100 rows in NumPy's shuffled order of seed 1234, divided by 100 (Xu et al.) */
#include "measure/replicate.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "measure/numpy_shuffle.h"
#include "measure/rbf.h"

enum { EXACT, CODE, XU };
enum { CODE_BATCH = 128, XU_BATCH = 100, XU_SEED = 1234 };

/* Rows of probabilities over axes: the classes that occur among the labels first, then one axis for each other class
 * that a column stands for, and one for each column that stands for none. */
typedef struct class_space {
    size_t rows, axes;
    double *points; /* rows x axes, in the order in which batches take them */
    size_t *label;  /* rows: the axis of the label */
    size_t *counts; /* axes: scratch, rows of each label in a batch */
    size_t threads;
} class_space;

static gbv_status axes_of_columns(const gbv_measure_input *input, const present_classes *classes, size_t *axis,
                                  size_t *axes, gbv_error *error)
{
    int32_t *extra = memory_array(input->class_count, sizeof *extra);
    if (!extra)
        return error_out_of_memory(error, "the classes of the columns");
    for (size_t c = 0; c < input->class_count; c++)
        extra[c] = classes->number[c];
    *axes = classes->count;
    for (size_t z = 0; z < input->probabilities.columns; z++) {
        int32_t class_index = measure_column_class(input, z);
        if (class_index < 0)
            axis[z] = (*axes)++;
        else if (extra[class_index] >= 0)
            axis[z] = (size_t)extra[class_index];
        else
            extra[class_index] = (int32_t)(axis[z] = (*axes)++);
    }
    free(extra);
    return GBV_OK;
}

static void space_free(class_space *space)
{
    free(space->points);
    free(space->label);
    free(space->counts);
}

static gbv_status space_create(const gbv_measure_input *input, bool shuffled, class_space *space, gbv_error *error)
{
    const gbv_matrix *matrix = &input->probabilities;
    size_t rows = input->rows, columns = matrix->columns, cells;
    present_classes classes;
    *space = (class_space){.rows = rows, .threads = input->threads};
    gbv_status status = present_classes_create(input, &classes, error);
    if (status != GBV_OK)
        return status;
    size_t *axis = memory_array(columns, sizeof *axis), *order = memory_array(rows, sizeof *order);
    double *buffer = memory_array(columns, sizeof *buffer);
    if (!axis || !order || !buffer) {
        status = error_out_of_memory(error, "the class space");
        goto done;
    }
    if ((status = axes_of_columns(input, &classes, axis, &space->axes, error)) != GBV_OK)
        goto done;
    if (!__builtin_mul_overflow(rows, space->axes, &cells))
        space->points = memory_zeroed(cells, sizeof *space->points);
    space->label = memory_array(rows, sizeof *space->label);
    space->counts = memory_array(space->axes, sizeof *space->counts);
    if (!space->points || !space->label || !space->counts) {
        status = error_out_of_memory(error, "the class space");
        goto done;
    }
    for (size_t i = 0; i < rows; i++)
        order[i] = i;
    if (shuffled)
        numpy_shuffle(XU_SEED, order, rows);
    for (size_t i = 0; i < rows; i++) {
        const double *values = matrix_row(matrix, order[i], buffer);
        for (size_t z = 0; z < columns; z++)
            space->points[i * space->axes + axis[z]] += values[z];
        space->label[i] = (size_t)classes.ranks[order[i]];
    }
done:
    free(axis);
    free(order);
    free(buffer);
    present_classes_free(&classes);
    if (status != GBV_OK)
        space_free(space);
    return status;
}

/* Biased MMD^2 from the sums of the kernel over all pairs: xx within the rows, xy between rows and labels; `equal`
 * pairs of labels are the same. One-hot rows are equal or sqrt(2) apart. */
static double squared_of(double xx, double equal, double xy, double pairs)
{
    double yy = RBF_DIAGONAL * equal + rbf_kernel(2) * (pairs - equal);
    return xx / pairs + yy / pairs - 2 * (xy / pairs);
}

/* Biased MMD^2 of `count` rows from `first` on. |p - e_y|^2 needs only p_y, so the labels cost a table of counts and
 * one pass. */
static gbv_status batch_mmd2(const class_space *space, size_t first, size_t count, double *squared, gbv_error *error)
{
    const double *points = space->points + first * space->axes;
    double pairs = (double)count * (double)count, equal = 0, xy = 0, xx;
    rbf_points x;
    gbv_status status = rbf_points_borrow(points, count, space->axes, &x, error);
    x.threads = space->threads;
    if (status == GBV_OK)
        status = rbf_sum_within(&x, &xx, error);
    rbf_points_free(&x);
    if (status != GBV_OK)
        return status;
    for (size_t c = 0; c < space->axes; c++)
        space->counts[c] = 0;
    for (size_t i = 0; i < count; i++)
        space->counts[space->label[first + i]]++;
    for (size_t c = 0; c < space->axes; c++)
        equal += (double)space->counts[c] * (double)space->counts[c];
    for (size_t i = 0; i < count; i++) {
        const double *point = points + i * space->axes;
        double length = 0;
        for (size_t c = 0; c < space->axes; c++)
            length += point[c] * point[c];
        for (size_t c = 0; c < space->axes; c++)
            if (space->counts[c])
                xy += (double)space->counts[c] * rbf_kernel(fmax(0, length + 1 - 2 * point[c]));
    }
    *squared = squared_of(xx, equal, xy, pairs);
    return GBV_OK;
}

static gbv_status cmmd(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                       gbv_error *error)
{
    (void)row_terms;
    class_space space;
    size_t rows = input->rows, batch = variant == CODE ? CODE_BATCH : variant == XU ? XU_BATCH : rows;
    if (rows > UINT32_MAX)
        return error_set(error, GBV_BAD_INPUT, "cmmd takes at most %u rows and there are %zu", UINT32_MAX, rows);
    gbv_status status = space_create(input, variant == XU, &space, error);
    if (status != GBV_OK)
        return status;
    double total = 0;
    for (size_t first = 0; first < rows && status == GBV_OK; first += batch) {
        double squared = 0;
        status = batch_mmd2(&space, first, rows - first < batch ? rows - first : batch, &squared, error);
        total += squared;
    }
    if (variant != EXACT)
        total /= (double)batch;
    *score = -sqrt(total > 0 ? total : 0);
    space_free(&space);
    return status;
}

/* The kernel between each row's probabilities and each class that may be a label: rows x axes. */
static void kernel_to_classes(const class_space *space, double *kernel)
{
    for (size_t i = 0; i < space->rows; i++) {
        const double *point = space->points + i * space->axes;
        double length = dense_dot_f64(point, point, space->axes);
        for (size_t c = 0; c < space->axes; c++)
            kernel[i * space->axes + c] = rbf_kernel(fmax(0, length + 1 - 2 * point[c]));
    }
}

/* The exact form on half-samples: xx by the tiles of one kernel, xy by the counts of the labels in each. */
static gbv_status replicates(const replicate_task *task, double *scores, gbv_error *error)
{
    const row_draws *draws = task->draws;
    size_t rows = draws->rows, half = draws->half_rows;
    double pairs = (double)half * (double)half;
    class_space space;
    rbf_points x = {0};
    gbv_status status = space_create(task->input, false, &space, error);
    if (status != GBV_OK)
        return status;
    size_t axes = space.axes;
    double *chosen = row_draws_chosen(draws), *kernel = memory_array(rows, axes * sizeof *kernel);
    double *within = memory_array(draws->count, sizeof *within), *reached = memory_array(axes, sizeof *reached);
    if (!chosen || !kernel || !within || !reached)
        status = error_out_of_memory(error, "the kernel sums");
    if (status == GBV_OK)
        status = rbf_points_borrow(space.points, rows, axes, &x, error);
    x.threads = space.threads;
    if (status == GBV_OK)
        status = rbf_sums_within_halves(&x, task, chosen, within, error);
    if (status == GBV_OK)
        kernel_to_classes(&space, kernel);
    for (size_t b = 0; status == GBV_OK && b < draws->count; b++) {
        const uint32_t *taken = draws->halves + b * half;
        double equal = 0, xy = 0;
        for (size_t c = 0; c < axes; c++)
            reached[c] = 0, space.counts[c] = 0;
        for (size_t i = 0; i < half; i++) {
            space.counts[space.label[taken[i]]]++;
            dense_add_f64(reached, kernel + taken[i] * axes, axes);
        }
        for (size_t c = 0; c < axes; c++) {
            equal += (double)space.counts[c] * (double)space.counts[c];
            xy += (double)space.counts[c] * reached[c];
        }
        scores[b] = -sqrt(fmax(0, squared_of(within[b], equal, xy, pairs)));
    }
    rbf_points_free(&x);
    free(chosen);
    free(kernel);
    free(within);
    free(reached);
    space_free(&space);
    return status;
}

const measure measure_cmmd = {
    .info = {.name = "cmmd",
             .summary = "minus the discrepancy between the model's probabilities and the labels, in class space",
             .variants = "exact|code|xu",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES | GBV_NEEDS_CLASS_COLUMNS,
             .cost = "N²·C",
             .blind_to = "which row is which: it compares two clouds of points, not row with row",
             .resampled = GBV_HALF_SAMPLES},
    .compute = cmmd,
    .replicates = {.compute = replicates, .variants = 1},
};
