/* transrate.c - TransRate (Huang et al. 2022): the coding rate of all features minus that of the features of a class.
 *
 *     R(Z) = ln det(I + Z'Z / (n eps)) / 2 of n rows centred over all classes, eps = 1e-4
 *     tll       the mean over the classes that occur, as in Transfer-Learning-Library
 *     weighted  each class by its share of the rows */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "measure/feature_space.h"

enum { TLL, WEIGHTED };

static const double distortion = 1e-4;

typedef struct transrate_work {
    feature_space space;
    size_t *order;    /* rows, class by class */
    double *gram;     /* columns x columns */
    double *gathered; /* capacity x columns */
    size_t capacity;  /* rows: every class that has fewer rows than there are columns fits */
} transrate_work;

static gbv_status work_create(const gbv_measure_input *input, transrate_work *work, gbv_error *error)
{
    gbv_status status = feature_space_create(input, true, DIRECTION_NONE, &work->space, error);
    if (status != GBV_OK)
        return status;
    const feature_space *space = &work->space;
    work->capacity = space->block_rows;
    for (size_t c = 0; c < space->classes.count; c++)
        if (space->classes.sizes[c] < space->columns && space->classes.sizes[c] > work->capacity)
            work->capacity = space->classes.sizes[c];
    size_t *next = memory_zeroed(space->classes.count, sizeof *next);
    work->order = memory_array(space->rows, sizeof *work->order);
    work->gathered = memory_array(work->capacity, space->columns * sizeof(double));
    work->gram = feature_space_matrix(space, error);
    if (!next || !work->order || !work->gathered || !work->gram) {
        free(next);
        return error_out_of_memory(error, "the rows of the classes");
    }
    for (size_t c = 1; c < space->classes.count; c++)
        next[c] = next[c - 1] + space->classes.sizes[c - 1];
    for (size_t i = 0; i < space->rows; i++)
        work->order[next[space->classes.ranks[i]]++] = i;
    free(next);
    return GBV_OK;
}

static void work_free(transrate_work *work)
{
    feature_space_free(&work->space);
    free(work->order);
    free(work->gram);
    free(work->gathered);
}

/* Z'Z of the rows named, or ZZ' where that is smaller: lower triangle. Both have the same determinant in R. */
static size_t gather(const transrate_work *work, const size_t *order, size_t count)
{
    size_t columns = work->space.columns;
    int width = (int)columns;
    for (size_t first = 0; first < count; first += work->capacity) {
        size_t left = count - first, taken = left < work->capacity ? left : work->capacity;
        for (size_t i = 0; i < taken; i++)
            feature_space_row(&work->space, order[first + i], work->gathered + i * columns);
        if (count < columns)
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)count, width, 1, work->gathered, width, 0,
                        work->gram, (int)count);
        else
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, width, (int)taken, 1, work->gathered, width,
                        first ? 1 : 0, work->gram, width);
    }
    return count < columns ? count : columns;
}

static double coding_rate(const transrate_work *work, const size_t *order, size_t count)
{
    size_t size = gather(work, order, count);
    int side = (int)size, info = 0;
    double scale = 1 / ((double)count * distortion), rate = 0;
    for (size_t j = 0; j < size; j++) {
        for (size_t i = j; i < size; i++)
            work->gram[j * size + i] *= scale;
        work->gram[j * size + j] += 1;
    }
    dpotrf_("L", &side, work->gram, &side, &info);
    for (size_t j = 0; j < size; j++)
        rate += log(work->gram[j * size + j]);
    return info == 0 ? rate : NAN;
}

static gbv_status transrate(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                            gbv_error *error)
{
    (void)row_terms;
    transrate_work work = {0};
    gbv_status status = work_create(input, &work, error);
    if (status != GBV_OK)
        goto done;
    const present_classes *classes = &work.space.classes;
    const size_t *order = work.order;
    double within = 0;
    for (size_t c = 0; c < classes->count; c++) {
        double share = (double)classes->sizes[c] / (double)work.space.rows;
        within +=
            (variant == WEIGHTED ? share : 1 / (double)classes->count) * coding_rate(&work, order, classes->sizes[c]);
        order += classes->sizes[c];
    }
    *score = classes->count > 1 ? coding_rate(&work, work.order, work.space.rows) - within : 0;
done:
    work_free(&work);
    return status;
}

const measure measure_transrate = {
    .info = {.name = "transrate",
             .summary = "TransRate: coding rate of the features minus that within a class",
             .variants = "tll|weighted",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + C·m³",
             .blind_to = "the scale of the features, which it rewards: compare models of one family only",
             .resampled = GBV_HALF_SAMPLES},
    .compute = transrate,
};
