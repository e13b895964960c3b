/* lfc.c - label-feature correlation (Deshpande et al. 2021): how far rows of one class have features that point the
 * same way. K_f = ff' and K_y = 1 for rows of one class, -1 otherwise, each minus its grand mean:
 *
 *     LFC = <K_f, K_y> / (|K_f| |K_y|)
 *
 * Neither is formed. With m the mean and h_i the centred rows, K_f = a_i + a_j + h_i.h_j with a_i = m.h_i, so that
 *
 *     |K_f|^2 = 2N sum a_i^2 + |H'H|^2,   <K_f, K_y> = 2 sum_c (2 n_c sum_{i in c} a_i + |n_c m_c|^2)
 *     |K_y|^2 = 4 N^2 q (1 - q),  q = sum_c n_c^2 / N^2
 *
 * and no large offset cancels. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "compute/dense.h"
#include "measure/feature_space.h"

static double agreement(const feature_space *space)
{
    double sum = 0;
    for (size_t i = 0; i < space->rows; i++)
        sum += 2 * (double)space->classes.sizes[space->classes.ranks[i]] * space->projections[i];
    for (size_t c = 0; c < space->classes.count; c++) {
        double size = (double)space->classes.sizes[c];
        const double *mean = space->class_means + c * space->columns;
        sum += size * size * dense_dot_f64(mean, mean, space->columns);
    }
    return 2 * sum;
}

/* |K_f|; the Gram matrix is overwritten. */
static double feature_norm(const feature_space *space, double *gram)
{
    size_t columns = space->columns;
    double squares = 0;
    feature_space_total(space, gram);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = j; i < columns; i++)
            squares += (i == j ? 1 : 2) * gram[j * columns + i] * gram[j * columns + i];
    return sqrt(squares + 2 * (double)space->rows * dense_dot_f64(space->projections, space->projections, space->rows));
}

static double label_norm(const feature_space *space)
{
    double rows = (double)space->rows, same = 0, different = 0;
    for (size_t c = 0; c < space->classes.count; c++) {
        double share = (double)space->classes.sizes[c] / rows;
        same += share * share;
        different += share * (1 - share);
    }
    return 2 * rows * sqrt(same * different);
}

static gbv_status lfc(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                      gbv_error *error)
{
    (void)variant, (void)row_terms;
    feature_space space;
    double *gram = NULL;
    gbv_status status = feature_space_create(input, true, DIRECTION_MEAN, &space, error);
    if (status != GBV_OK)
        return status;
    *score = 0;
    if (space.classes.count == 1 || space.scatter == 0)
        goto done;
    if (!(gram = feature_space_matrix(&space, error))) {
        status = GBV_FAILED;
        goto done;
    }
    *score = agreement(&space) / feature_norm(&space, gram) / label_norm(&space);
done:
    free(gram);
    feature_space_free(&space);
    return status;
}

const measure measure_lfc = {
    .info = {.name = "lfc",
             .summary = "label-feature correlation: whether rows of one class have like features, -1 to 1",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m",
             .blind_to = "features on a small scale beside others: the largest columns decide",
             .resampled = GBV_HALF_SAMPLES},
    .compute = lfc,
};
