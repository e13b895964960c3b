/* sfda.c - SFDA (Shao et al. 2022): how well discriminant analysis tells the classes apart after each row was pulled
 * towards the other classes, the harder the less sure the first analysis was of it.
 *
 *     p = stage(x);  w_i = softmax(p_i) at the true class;  x_i <- w_i x_i + (1 - w_i) o,  o the mean of the other
 *     classes' means;  score = mean of stage(x) at the true class, with the shrinkage of the first stage */
#include "measure/measure.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "measure/discriminant.h"

static void find_pull(const discriminant *d, double *pull)
{
    const feature_space *space = d->space;
    size_t classes = space->classes.count;
    for (size_t first = 0; first < space->rows; first += space->block_rows) {
        size_t count = feature_space_count(space, first);
        double *p = discriminant_probabilities(d, first, count);
        dense_softmax_rows(p, count, classes);
        for (size_t i = 0; i < count; i++)
            pull[first + i] = p[i * classes + (size_t)space->classes.ranks[first + i]];
    }
}

/* o_c: the mean of the means of all classes but c. */
static void find_others(const feature_space *space, double *others)
{
    size_t classes = space->classes.count;
    for (size_t j = 0; j < space->columns; j++) {
        double sum = 0;
        for (size_t c = 0; c < classes; c++)
            sum += space->class_means[c * space->columns + j];
        for (size_t c = 0; c < classes; c++)
            others[c * space->columns + j] = (sum - space->class_means[c * space->columns + j]) / (double)(classes - 1);
    }
}

static gbv_status two_stages(const feature_space *space, double *score, double *row_terms, gbv_error *error)
{
    discriminant first = {.space = space}, second = {.space = space};
    discriminant_fit fit;
    double *pull = memory_array(space->rows, sizeof *pull);
    double *others = memory_array(space->classes.count, space->columns * sizeof *others);
    gbv_status status = GBV_OK;
    if (!pull || !others) {
        status = error_out_of_memory(error, "the pulled rows");
        goto done;
    }
    if ((status = discriminant_fit_scatter(&first, &fit, error)) != GBV_OK)
        goto done;
    if (fit == DISCRIMINANT_CONSTANT) {
        *score = discriminant_largest_share(space);
        goto done;
    }
    find_pull(&first, pull);
    find_others(space, others);
    second.pull = pull;
    second.others = others;
    second.shrinkage = first.shrinkage;
    discriminant_free(&first);
    if ((status = discriminant_fit_scatter(&second, &fit, error)) == GBV_OK)
        *score = discriminant_score(&second, row_terms);
done:
    discriminant_free(&first);
    discriminant_free(&second);
    free(pull);
    free(others);
    return status;
}

static gbv_status sfda(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                       gbv_error *error)
{
    (void)variant;
    feature_space space;
    gbv_status status = feature_space_create(input, true, DIRECTION_ONES, &space, error);
    if (status != GBV_OK)
        return status;
    if (space.classes.count > 1) {
        status = two_stages(&space, score, row_terms, error);
    } else {
        *score = 1;
        for (size_t i = 0; row_terms && i < space.rows; i++)
            row_terms[i] = 1;
    }
    feature_space_free(&space);
    return status;
}

const measure measure_sfda = {
    .info = {.name = "sfda",
             .summary = "SFDA: discriminant analysis of the features after hard rows are pulled in, 0 to 1",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "2·(N·D·m + m³ + N·C·m)",
             .blind_to = "overfitting: with fewer rows than columns nearly every model reaches 1",
             .resampled = GBV_HALF_SAMPLES},
    .compute = sfda,
};
