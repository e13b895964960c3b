/* measure.h - transferability measures: how well a model serves a labelled set, as one number (larger is better).
 * Paper: section 4.1 (T), appendix (LEEP, LogME, ETran); `gbv list measures` prints what each one needs.
 *
 *     double score;
 *     gbv_measure_input input = {.labels = y, .class_count = 10, .rows = 1000};
 *     input.probabilities = gbv_matrix_f64(p, 1000, 10);
 *     gbv_measure("leep", NULL, &input, &score, NULL, &error);
 */
#ifndef GBV_MEASURE_H
#define GBV_MEASURE_H

#include <gbv/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a measure needs; a missing piece is refused before anything is computed. */
enum {
    GBV_NEEDS_LABELS = 1,
    GBV_NEEDS_PROBABILITIES = 2,
    GBV_NEEDS_FEATURES = 4,
    GBV_NEEDS_SOURCE_FEATURES = 8, /* the same readout of the source's own rows */
    GBV_NEEDS_CLASS_COLUMNS = 16,  /* the columns of the probabilities must be classes of the labels */
};

/* Everything is borrowed for the call. Pieces that are not given stay zero. */
typedef struct gbv_measure_input {
    size_t rows;                 /* N, rows of the reference set */
    const int32_t *labels;       /* N class indices in 0..class_count-1 */
    size_t class_count;          /* C; 0 means one more than the largest label */
    gbv_matrix probabilities;    /* N x Z: what the model thinks of each row; f32 or f64 are fastest */
    const int32_t *column_class; /* Z: which class each column of the probabilities is, -1 for one that no label
                                    can have; NULL when column z is class z */
    gbv_matrix features;         /* N x D: what the model sees in each row */
    gbv_matrix source_features;  /* n x D: the same for the rows of the source */
    gbv_matrix targets;          /* N x R real targets instead of labels (regression, logme only) */
    size_t threads;              /* 0: as many as OpenMP would use; the score does not depend on it */
    bool fast;                   /* single-precision products where the measure has them: 1e-6 instead of 1e-8 */
} gbv_measure_input;

#define GBV_ROW_WEIGHTS "row weights"
#define GBV_HALF_SAMPLES "half samples"

typedef struct gbv_measure_info {
    const char *name;
    const char *summary;  /* one line for people */
    const char *variants; /* names separated by '|', the first is the default; "" when there is one form only */
    unsigned needs;       /* GBV_NEEDS_* of the default variant */
    /* Leading terms of the work for N reference rows, D features, C classes, Z outputs of the model, n source rows and
     * m = min(N, D), for the default variant; one line */
    const char *cost;
    const char *blind_to;  /* what the measure cannot see, one line */
    const char *joint;     /* the variants ('|' between) whose scores depend on the models compared; NULL: none */
    const char *resampled; /* how intervals redraw the reference, for the default variant: GBV_ROW_WEIGHTS (each row
                              counts more or less) or GBV_HALF_SAMPLES (half of the rows, none twice) */
} gbv_measure_info;

/* The measures in the order of `gbv list measures`; NULL past the last. */
GBV_API const gbv_measure_info *gbv_measure_at(size_t index);
GBV_API const gbv_measure_info *gbv_measure_find(const char *name);

enum { GBV_VARIANT_LENGTH = 32 };

/* Whether there is such a measure and variant (NULL: its default); `chosen` receives the variant's name, "" for a
 * measure with one form. Fails with GBV_USAGE and the nearest name. */
GBV_API GBV_MUST_CHECK gbv_status gbv_measure_choose(const char *name, const char *variant,
                                                     char chosen[GBV_VARIANT_LENGTH], gbv_error *error);

/* Whether the variant (NULL: the default) brings its parts to one scale over the models that are compared, so that a
 * model's score changes with its company; gbv_value does that, gbv_measure gives the unscaled score of the one model.
 * False for an unknown name. */
GBV_API bool gbv_measure_is_joint(const char *name, const char *variant);

/* One score. `variant` NULL takes the default; `row_terms` (N doubles, or NULL) receives each row's share when the
 * score is a mean over rows, and NaN otherwise.
 * The score may be -INFINITY (defined, worst possible), never NaN: an undefined score is GBV_UNDEFINED.
 * Fails with GBV_USAGE for an unknown name or variant or a missing piece, GBV_BAD_INPUT for ill-shaped or non-finite
 * input. */
GBV_API GBV_MUST_CHECK gbv_status gbv_measure(const char *name, const char *variant, const gbv_measure_input *input,
                                              double *score, double *row_terms, gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
