/* hscore.c - the H-score (Bao et al. 2019): tr(Cov(f)^+ Cov(g)), g the class mean of each row. Both covariances have
 * the same divisor, which cancels: H = sum_c n_c m_c' T^+ m_c over the centred class means, T the total scatter. */
#include "measure/measure.h"

#include <stdlib.h>

#include "base/error.h"
#include "measure/feature_space.h"

static gbv_status hscore(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                         gbv_error *error)
{
    (void)variant, (void)row_terms;
    feature_space space;
    double *matrix = NULL;
    gbv_status status = feature_space_create(input, true, DIRECTION_NONE, &space, error);
    if (status != GBV_OK)
        return status;
    if (space.classes.count == 1) {
        *score = 0;
        goto done;
    }
    if (!(matrix = feature_space_matrix(&space, error))) {
        status = GBV_FAILED;
        goto done;
    }
    feature_space_total(&space, matrix);
    status = feature_space_between(&space, matrix, score, error);
done:
    free(matrix);
    feature_space_free(&space);
    return status;
}

const measure measure_hscore = {
    .info = {.name = "hscore",
             .summary = "H-score: the share of the features' spread that lies between classes, 0 to classes - 1",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + C·m²",
             .blind_to = "everything when there are fewer rows than columns: it is then classes - 1",
             .resampled = GBV_HALF_SAMPLES},
    .compute = hscore,
};
