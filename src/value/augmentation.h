/* augmentation.h - the valuation of augmentors from inside: what is scored on which images, and T of any augmentor.
 *
 *     augmentation a;
 *     augmentation_open(images, options, &a, error);
 *     augmentation_score(&a, augmentors, 68, scores, error);                      all at once, in one decoding
 *     augmentation_evaluate(&a, op, false, 12.5, &score, &known, error);          one more; known ones cost nothing
 *     augmentation_close(&a);
 *
 * T is a deterministic function of (operator, magnitude): the images are fixed, and the sign and the noise of an image
 * are keyed by the seed and its row, the same for all augmentors.
 */
#ifndef VALUE_AUGMENTATION_H
#define VALUE_AUGMENTATION_H

#include <gbv/augment.h>

#include "base/plan.h"
#include "measure/row_draws.h"
#include "problem/problem.h"

/* Means over so many groups of images, to tell differences of scores from noise. */
enum { EVALUATION_GROUPS = 64 };

/* T of one augmentor and what else is known of it. */
typedef struct evaluation {
    gbv_augmentor augmentor; /* as it acts: op NULL leaves images as they are */
    bool done;
    double score;     /* by leep with intervals that of all images, as far as a subset tells; NaN: undefined */
    char reason[200]; /* why it is */
    double step;      /* of which a part leads from the subset's LEEP to the score; 0: none */
    double left_out;  /* LEEP with no image predicting itself; NaN: another measure, or not known */
    double means[EVALUATION_GROUPS]; /* of the score's row terms, image i in group i % EVALUATION_GROUPS; NaN: none */
    double *replicates;              /* draws.count; NULL: none */
} evaluation;

typedef struct augmentation {
    const gbv_augment_options *options;
    const gbv_dataset *images;
    const problem *problem; /* augmentation: which model, on what */
    problem_case given;
    gbv_model_options model_options; /* of `given` */
    gbv_model *model;                /* the universal one */
    char pretrained_sha256[65];
    const gbv_measure_info *measure;
    char variant[GBV_VARIANT_LENGTH];
    gbv_noise noise;       /* paper or code */
    size_t count;          /* images that are scored */
    size_t *rows;          /* count: of the dataset's features */
    size_t *numbers;       /* count: the same among usable rows, which key random numbers */
    int32_t *labels;       /* count */
    size_t *class_sizes;   /* images scored of each class */
    size_t classes_scored; /* that have any */
    sample_part part;
    sample target;     /* of all rows scored */
    row_draws draws;   /* for intervals; count 0: none */
    char key[65];      /* of all that T depends on but the augmentor */
    evaluation *known; /* every T that was asked for */
    size_t known_count, known_capacity;
    size_t found;       /* of these, in the cache */
    size_t done, total; /* image passes, for progress */
    const char *stage;
    double forward_seconds, seconds; /* of readouts, of all evaluations */
    plan plan;
} augmentation;

/* Checks options and images; reads the model. Fails with a sentence that says what to change. */
GBV_MUST_CHECK gbv_status augmentation_open(const gbv_dataset *images, const gbv_augment_options *options,
                                            augmentation *a, gbv_error *error);
void augmentation_close(augmentation *a);

/* Which images are scored: all, or a subset with classes in proportion. */
GBV_MUST_CHECK gbv_status augmentation_choose_rows(augmentation *a, gbv_error *error);

/* Takes note of what T is asked for, and of what the cache has of it. */
GBV_MUST_CHECK gbv_status augmentation_note(augmentation *a, const gbv_augmentor *augmentors, size_t count,
                                            gbv_error *error);
/* Finds T of all of these; each is then known. */
GBV_MUST_CHECK gbv_status augmentation_score(augmentation *a, const gbv_augmentor *augmentors, size_t count,
                                             gbv_error *error);
/* That of a known augmentor; NULL when it was never asked for. */
const evaluation *augmentation_find(const augmentation *a, const gbv_augmentor *augmentor);
/* A density_evaluate whose context is an augmentation; an undefined T is -INFINITY. */
gbv_status augmentation_evaluate(void *context, const gbv_operator *operation, bool coin, double magnitude,
                                 double *score, bool *known, gbv_error *error);

/* One block of readouts, for a forecast: seconds that `count` images take. */
GBV_MUST_CHECK gbv_status augmentation_pilot(augmentation *a, size_t count, double *seconds, gbv_error *error);

/* P of scored augmentors: prior and probability of the entries follow from their scores (prior 0 for what top_k leaves
 * out). *inverse_tau gets what scores were multiplied by. */
typedef struct augmentation_weighing {
    gbv_augment_prior prior;
    size_t top_k;
    gbv_posterior_options posterior;
} augmentation_weighing;

GBV_MUST_CHECK gbv_status augmentation_weigh(const augmentation_weighing *how, gbv_policy_entry *entries, size_t count,
                                             double *inverse_tau, gbv_error *error);

/* Intervals of scores and probabilities where a subset stands for all images, and a sentence that says what it costs.
 */
GBV_MUST_CHECK gbv_status augmentation_intervals(const augmentation *a, const augmentation_weighing *how,
                                                 gbv_policy *policy, gbv_error *error);
/* What a user should know of the scores. */
GBV_MUST_CHECK gbv_status augmentation_warn(const augmentation *a, gbv_policy *policy, gbv_error *error);
GBV_MUST_CHECK gbv_status policy_add_warning(gbv_policy *policy, gbv_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
