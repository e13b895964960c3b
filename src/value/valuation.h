/* valuation.h - what one run of gbv_value works with, and its stages. */
#ifndef VALUE_VALUATION_H
#define VALUE_VALUATION_H

#include <gbv/value.h>

#include "data/overlap.h"
#include "measure/replicate.h"
#include "problem/problem.h"
#include "value/draws.h"
#include "value/method/method.h"
#include "value/tau_auto.h"

/* What a measure is given as features. */
typedef enum feature_origin {
    FEATURES_OF_MODEL,    /* what m_s makes of the rows before its last layer */
    FEATURES_ARE_OUTPUTS, /* the probabilities of m_s */
    FEATURES_OF_BACKBONE, /* what the pretrained network makes of the rows */
} feature_origin;

/* One way in which the run scores its sources. */
typedef struct scoring {
    const method *method;
    const gbv_measure_info *info;     /* of the measure that scores m_s; NULL: the method looks at the data */
    char variant[GBV_VARIANT_LENGTH]; /* of the measure or else of the method; "" for one with one form */
    const char *feature_space;
    bool beside; /* not asked for, but told */
    feature_origin features;
    gbv_tau_mode tau_mode;
    double tau;
    draws draws;
    size_t part_count;
    double *parts;  /* source x target x draw x part: what each source contributes; NaN where undefined */
    double *scores; /* source x draw */
    double seconds; /* of work, without fitting the models */
} scoring;

/* A set of rows that models are scored on: the reference, or without one the rows of a source. */
typedef struct target {
    sample rows;
    sample_part *parts;
    double *features;    /* of the reference: its rows as doubles once, because every model reads them */
    int32_t *own_labels; /* of a source's rows, as classes */
    const int32_t *labels;
    size_t source; /* whose rows these are, which its own model is not scored on; SIZE_MAX: nobody's */
    row_draws resampled;
    unsigned char *fold; /* of each row: which of the halves that choose tau; NULL: there are none */
    size_t *fold_rows[2], fold_count[2];
} target;

/* A hash of each row of a source, by its features and class. */
typedef struct row_hashes {
    uint64_t *rows;
    size_t count;
} row_hashes;

typedef struct valuation {
    const gbv_dataset *reference; /* NULL: there is none */
    const gbv_sources *sources;
    size_t source_count;
    const gbv_value_options *options;
    double *prior;     /* of each source, not necessarily summing to one */
    scoring *scorings; /* the first decides the weights */
    size_t scoring_count;
    const problem *problem;
    size_t threads;
    class_table classes;
    size_t class_count; /* classes that the targets' labels may have */
    problem_case given;
    overlap shared; /* items that several sources labelled */
    struct backbone
        *backbone;     /* the rows as the pretrained network sees them; NULL: nobody needs that, or there is none */
    struct pool *pool; /* the rows of all sources for methods that look at them; NULL: none needs them yet */
    target *targets;
    size_t target_count;
    row_hashes *row_hashes;                           /* of each source that this run scores */
    double model_seconds;                             /* of fitting */
    size_t models_trained, models_found, models_lost; /* found in the cache; trained, but not kept there */
    size_t worker_bytes;                              /* the most memory that one worker needed */
    bool tau_can_be_judged;                           /* by final models on a labelled reference */
    tau_choice tau_judged;                            /* of the first scoring, when it has folds */
    gbv_model **models; /* where each m_s is to be kept; NULL: nobody needs it after its scores */
    /* Hears of the run as it will be recorded, and may stop it before anything is fitted; NULL: nobody asks. */
    gbv_status (*before_scoring)(void *context, const gbv_result *run, gbv_error *error);
    void *context;
} valuation;

/* value.c: the stages in their order. From options to checked options, with the prior and the names; to all that
 * scoring needs (valuation_score begins with that itself); to scored sources and the record of the run; to its weights,
 * which needs no data any more unless tau is judged. The result may be there when a stage fails. */
GBV_MUST_CHECK gbv_status valuation_open(valuation *v, gbv_result **result, gbv_error *error);
GBV_MUST_CHECK gbv_status valuation_prepare(valuation *v, gbv_result *result, gbv_error *error);
GBV_MUST_CHECK gbv_status valuation_score(valuation *v, gbv_result *result, gbv_error *error);
GBV_MUST_CHECK gbv_status valuation_weigh(valuation *v, gbv_result *result, gbv_error *error);
void valuation_close(valuation *v); /* what the stages left in it */

/* value.c: all stages of a valuation of which `reference`, `sources` and `options` are given, and what else the caller
 * wants of it: `models`, `before_scoring`. */
GBV_MUST_CHECK gbv_status valuation_run(valuation *v, gbv_result **result, gbv_error *error);

/* value.c: gbv_value for those who go on with the models: every m_s goes to `models` (one per source, NULL before; of a
 * source given as probabilities it stays so), for the caller to free, also when this fails. The result lists every way
 * of scoring, even a single one. */
GBV_MUST_CHECK gbv_status value_keeping_models(const gbv_dataset *reference, const gbv_sources *sources,
                                               const gbv_value_options *options, gbv_model **models,
                                               gbv_result **result, gbv_error *error);

/* choose.c: the scorings that the options name, in that order, each once; then room for their scores. */
GBV_MUST_CHECK gbv_status valuation_choose(valuation *v, gbv_error *error);
/* Where nothing but gbv is asked for and sources labelled the same items: what their labels alone say, beside it. */
GBV_MUST_CHECK gbv_status valuation_add_beside(valuation *v, gbv_error *error);
/* Those that the measures of a recorded run name, with their temperatures. */
GBV_MUST_CHECK gbv_status valuation_choose_recorded(valuation *v, const gbv_result *run, gbv_error *error);
/* What is drawn of one of them; the second refuses numbers of draws that nobody can mean. */
draws scoring_draws(const valuation *v, size_t scoring_index);
size_t draws_refits_asked(const gbv_value_options *options); /* with the default filled in */
GBV_MUST_CHECK gbv_status draws_check(const gbv_value_options *options, gbv_error *error);
GBV_MUST_CHECK gbv_status valuation_make_room(valuation *v, gbv_error *error);
void valuation_forget(valuation *v);
/* Why sources cannot be scored so at all, before anything is fitted; GBV_OK when they can. The second asks about one
 * source. */
gbv_status scoring_check(const valuation *v, const scoring *by, gbv_error *error);
gbv_status scoring_check_source(const valuation *v, const scoring *by, size_t source_index, gbv_error *error);

/* targets.c: the sets of rows to score on, with their resampled rows. */
GBV_MUST_CHECK gbv_status targets_create(valuation *v, gbv_error *error);
GBV_MUST_CHECK gbv_status targets_resample(valuation *v, gbv_error *error);
void targets_free(valuation *v);

/* score.c: fits each m_s, reads it out once and scores it in every way; fills agreement, flags that need the readout,
 * and `result->measures`. */
/* Its halves: by the models, which must find the backbone where a measure needs it, and by the methods that look at the
 * data. */
GBV_MUST_CHECK gbv_status score_models(valuation *v, gbv_result *result, gbv_error *error);
GBV_MUST_CHECK gbv_status score_methods(valuation *v, gbv_result *result, gbv_error *error);
GBV_MUST_CHECK gbv_status score_sources(valuation *v, gbv_result *result, gbv_error *error);

/* combine.c: the parts of the sources become scores; without a reference their models are judged by each other. */
GBV_MUST_CHECK gbv_status combine_scores(const valuation *v, scoring *by, gbv_error *error);

/* temperature.c: judges the temperatures of every scoring that has folds, and takes the chosen one where tau is auto.
 */
/* Sets tau_can_be_judged; fails where tau is auto and it cannot. */
GBV_MUST_CHECK gbv_status temperature_check(valuation *v, gbv_error *error);
GBV_MUST_CHECK gbv_status choose_temperatures(valuation *v, gbv_result *result, gbv_error *error);

/* weigh.c: the posterior in every way of scoring; that of the first becomes the result's. */
GBV_MUST_CHECK gbv_status weigh_sources(const valuation *v, gbv_result *result, gbv_error *error);

static inline const char *scoring_variant(const scoring *by)
{
    return *by->variant ? by->variant : NULL;
}

/* Whether this run scores the source, which may be another shard's business. */
static inline bool valuation_owns(const valuation *v, size_t source_index)
{
    size_t shards = v->options->shards;
    return shards <= 1 || source_index % shards == v->options->shard - 1;
}

static inline bool valuation_is_crowd(const valuation *v)
{
    return v->target_count > 1;
}

/* The parts of one source on one target: draw after draw. */
static inline double *scoring_parts(const valuation *v, const scoring *by, size_t source_index, size_t target_index)
{
    return by->parts + (source_index * v->target_count + target_index) * by->draws.count * by->part_count;
}

#endif
