/* nleep.c - N-LEEP (Li et al. 2021): LEEP for a model without classes of its own. The components of a Gaussian mixture
 * over the features take the place of the source classes, and the chance that a row came from each that of the
 * probabilities.
 *
 *     log   the mean log-likelihood of the labels, as LEEP
 *     code  the mean likelihood, as the programs of SFDA and ETran have it
 * The features are cut down to the fewest principal components with 0.8 of the variance; five components of the mixture
 * for each class that occurs. Features that are constant tell no rows apart: minus the entropy of the labels. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/leep.h"
#include "measure/mixture.h"
#include "measure/principal.h"

enum { LOG, CODE };
enum { COMPONENTS_OF_A_CLASS = 5 };
static const double SHARE = 0.8;

static gbv_status responsibilities_of(const gbv_matrix *features, size_t components, double *responsibilities,
                                      gbv_error *error)
{
    principal_components axes;
    gbv_status status = principal_components_create(features, SHARE, &axes, error);
    if (status == GBV_OK && axes.count > 0) {
        /* A fixed seed: the score is a function of the input alone. */
        random_stream stream = random_stream_open(0, "nleep", RANDOM_CENTRES);
        size_t rounds;
        status = mixture_fit(axes.scores, axes.rows, axes.count, components, &stream, responsibilities, &rounds, error);
    } else if (status == GBV_OK) {
        for (size_t i = 0; i < features->rows * components; i++)
            responsibilities[i] = 1 / (double)components;
    }
    principal_components_free(&axes);
    return status;
}

static gbv_status nleep(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                        gbv_error *error)
{
    size_t rows = input->rows, components, cells;
    double *responsibilities = NULL, *likelihoods = NULL, log_mean;
    present_classes classes;
    gbv_status status = present_classes_create(input, &classes, error);
    if (status != GBV_OK)
        return status;
    components = COMPONENTS_OF_A_CLASS * classes.count;
    if (rows < components) {
        status = error_set(error, GBV_UNDEFINED,
                           "nleep needs at least %zu rows, %d for each of the %zu classes that occur, and there are "
                           "%zu: give more rows or use logme",
                           components, COMPONENTS_OF_A_CLASS, classes.count, rows);
        goto done;
    }
    if (!__builtin_mul_overflow(rows, components, &cells))
        responsibilities = memory_array(cells, sizeof *responsibilities);
    likelihoods = memory_array(rows, sizeof *likelihoods);
    if (!responsibilities || !likelihoods) {
        status = error_out_of_memory(error, "the responsibilities of the mixture");
        goto done;
    }
    if ((status = responsibilities_of(&input->features, components, responsibilities, error)) != GBV_OK)
        goto done;
    gbv_matrix matrix = gbv_matrix_f64(responsibilities, rows, components);
    if ((status = leep_likelihoods(&matrix, &classes, likelihoods, &log_mean, error)) != GBV_OK)
        goto done;
    *score = variant == CODE ? measure_mean(likelihoods, rows) : log_mean;
    for (size_t i = 0; row_terms && i < rows; i++)
        row_terms[i] = variant == CODE ? likelihoods[i] : log(likelihoods[i]);
done:
    free(responsibilities);
    free(likelihoods);
    present_classes_free(&classes);
    return status;
}

const measure measure_nleep = {
    .info = {.name = "nleep",
             .summary = "LEEP of the clusters that a Gaussian mixture finds in the features",
             .variants = "log|code",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + R·C·(N·d² + d³), R <= 100 rounds, d principal components kept",
             .blind_to = "the model's own classifier, and whatever lies across the clusters of its features",
             .resampled = GBV_HALF_SAMPLES},
    .compute = nleep,
};
