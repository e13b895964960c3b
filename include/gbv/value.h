/* value.h - what each source is worth: P(s) proportional to p(s) exp(T_s / tau).
 * Paper: section 4 (Eq. 3 to 5), Property 1.
 *
 *     gbv_result *result;
 *     gbv_value_files("reference.npz", names, paths, 2, NULL, &result, &error);
 *     printf("%s gets %.3f of the weight\n", result->sources[0].name, result->sources[0].posterior);
 *     gbv_result_free(result);
 */
#ifndef GBV_VALUE_H
#define GBV_VALUE_H

#include <gbv/data.h>
#include <gbv/measure.h>
#include <gbv/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gbv_tau_mode {
    GBV_TAU_QUICK, /* 1 / log2 of the number of sources: the paper's */
    GBV_TAU_CODE,  /* standardised scores divided by log2 of the number of sources: the authors' program */
    GBV_TAU_FIXED, /* the value given */
    GBV_TAU_AUTO,  /* chosen by the likelihood of held-out reference rows under the final model */
    GBV_TAU_OWN,   /* the method's own: quick for gbv, 1 for the others */
} gbv_tau_mode;

typedef enum gbv_prior_mode {
    GBV_PRIOR_UNIFORM,
    GBV_PRIOR_ROWS,   /* proportional to the rows of each source; each must have some */
    GBV_PRIOR_GIVEN,  /* the caller's numbers, not necessarily summing to one */
    GBV_PRIOR_LEDGER, /* the same, from gbv_ledger_prior(): a ledger that the result goes into does not count it again
                       */
} gbv_prior_mode;

/* Start from gbv_value_defaults(). */
typedef struct gbv_value_options {
    /* "gbv" or another of gbv_list("methods", ...). Several, separated by commas, share the models: the first decides
     * the weights, the others are listed in the result's `measures`. NAME:FORM chooses the variant of a method, and of
     * gbv the measure. */
    const char *method;
    /* By which gbv scores m_s; NULL: "leep", or "etran-energy" where the reference has no labels, or "logme" in the
     * paper's form of a run without a reference. Several, separated by commas, as for the methods. "all" stands for
     * every measure not named before it, leep first. */
    const char *measure;
    /* Of the method or measure when there is one of them; NULL: its default. Without a reference: "crowd" (default),
     * or "paper" (every model scored on the union of all sources). */
    const char *variant;
    bool unlabelled;         /* the labels of the reference are not looked at */
    gbv_model_options model; /* how each m_s is fitted; seed, threads and progress serve the whole run */
    gbv_tau_mode tau_mode;
    double tau; /* for GBV_TAU_FIXED, > 0 */
    gbv_prior_mode prior_mode;
    const double *prior;    /* for GBV_PRIOR_GIVEN and GBV_PRIOR_LEDGER: one entry per source */
    bool tau_curve;         /* also the posterior at a range of tau */
    bool undefined_as_zero; /* a source whose score is undefined gets no weight instead of failing the run */
    bool fast;              /* single precision where a measure offers it */
    size_t replicates;      /* of the reference rows, for intervals; 200 by default, 0: no intervals */
    /* Of each model on resampled rows of its source, for intervals; GBV_OWN_REFITS: 20, and none of networks of images,
     * whose training takes long. */
    size_t refits;
    bool keep_resamples;  /* in the result's certainty, for a ledger */
    size_t memory;        /* bytes that a cost matrix may take; 0: a quarter of the machine's */
    size_t shard, shards; /* for gbv_value_part: which of how many, from 1 */
} gbv_value_options;

#define GBV_OWN_REFITS SIZE_MAX

GBV_API gbv_value_options gbv_value_defaults(void);

typedef enum gbv_score_status { GBV_SCORE_OK, GBV_SCORE_MINUS_INFINITY, GBV_SCORE_UNDEFINED } gbv_score_status;

/* What is wrong with a source, so that programs can act on it: `kind` is one of gbv_list("flags", ...). */
typedef struct gbv_flag {
    char *kind;
    char *detail; /* a sentence with the numbers */
} gbv_flag;

/* One source's line of the result. Strings belong to the result. */
typedef struct gbv_source_result {
    char *name;
    size_t rows;  /* n_s, rows the model was fitted on; 0 for a source given as probabilities */
    double score; /* T_s; -INFINITY or NaN according to the status */
    gbv_score_status score_status;
    double standard_error; /* of the score over the reference rows; NaN where the measure has no row terms */
    double agreement;      /* share of reference rows that m_s labels as the reference does; NaN where none of its
                              classes is the reference's */
    double prior;          /* p(s), normalised */
    double posterior;      /* P(s): a training weight */
    double row_weight;     /* P(s) / n_s; NaN without rows */
    size_t rank;           /* 1 is best; equal posteriors share a rank */
    /* How sure that is, at the level of the result's certainty; NaN, and 0 for ranks, where it is not known. */
    double score_corrected;         /* without the bias of scoring on few reference rows */
    double score_interval_model[2]; /* of this m_s on ever more reference rows */
    double score_interval[2];       /* of the source: m_s fitted on other rows of it, too */
    double posterior_interval[2];
    size_t rank_interval[2]; /* holds for all sources at once (up to 200 of them) */
    double p_best;           /* the probability of being the best source, which P(s) is not */
    size_t input;            /* which of the result's inputs holds its rows */
    /* Reference rows by their class and by the class that m_s gives them: class_count x (class_count + 1) of the
     * result's classes, the last column for classes that the reference does not have. NULL where m_s labels nothing or
     * all of them together would be more than a million numbers. */
    size_t *confusion;
    gbv_flag *flags;
    size_t flag_count;
    char **warnings;
    size_t warning_count;
} gbv_source_result;

/* What one measure makes of one source. */
typedef struct gbv_score {
    double score; /* T_s; -INFINITY or NaN according to the status */
    gbv_score_status score_status;
    double standard_error;
    double posterior; /* P(s) were this measure the first, with the same prior and tau rule; NaN when no source has a
                         score */
    size_t rank;      /* by that posterior; 0 when no source has a score */
    char *reason;     /* why the score is undefined; NULL when it is not */
} gbv_score;

/* One of the ways in which the sources were scored. */
typedef struct gbv_measure_result {
    bool beside; /* not asked for: what the labels of shared items say by themselves (CSV leaves it out) */
    char *method;
    char *measure;            /* "" for a method that looks at the data itself */
    char *variant;            /* "" for a measure or method with one form */
    char *feature_space;      /* what it looked at, in words */
    double effective_sources; /* 1 / sum P^2; NaN when no source has a score */
    double rank_agreement; /* Kendall's tau-b of its scores with the first measure's, over the sources that have both;
                              NaN when either does not order them */
    gbv_tau_mode tau_mode;
    double tau;        /* INFINITY: the weights are the prior */
    double seconds;    /* of work on it, without fitting the models; not part of what is written */
    gbv_score *scores; /* one per source, in the order given */
} gbv_measure_result;

typedef struct gbv_input_record {
    char *path;          /* of the file, or of a folder of images */
    char *dataset;       /* the argument that named it, where that is not the path; NULL: the path itself */
    char sha256[65];     /* of the file's bytes, or of a folder's list of hashes; "" for data from memory */
    size_t rows;         /* rows in the file, skipped ones included; 0 for a file of labels only */
    char *label_column;  /* as asked for; NULL: the usual names */
    char *source_column; /* NULL: the file is one source */
    char *item_column;   /* as asked for; NULL: none was */
    bool wants_items;
    size_t resize; /* of images: the shorter side; 0: as it was */
    size_t crop;   /* of images: the middle that was kept; 0: as much as resize says */
    gbv_color color;
    char *role; /* "items", "annotations" or "gold" of annotated items, "test"; NULL: a dataset of its own */
    bool skip_bad_rows;
} gbv_input_record;

/* Two sources that cannot be told apart. */
typedef struct gbv_pair {
    size_t first, second;  /* of the sources, the better one first */
    double difference;     /* of their corrected scores */
    double standard_error; /* of that */
    double rows_needed;    /* reference rows that would tell them apart; INFINITY: no number will; NaN: not known */
} gbv_pair;

/* How sure the result is. Replicates are scores on resampled reference rows, the same for all sources; refits are
 * models fitted again on resampled rows of a source. */
typedef struct gbv_certainty {
    size_t replicates; /* 0: nothing is known */
    size_t refits;     /* 0: intervals cover the choice of reference rows only, and no pair is called distinguishable */
    double level;      /* of every interval: 0.9 */
    gbv_pair *pairs;   /* that cannot be told apart (Holm, 5 %); of at most 200 sources */
    size_t pair_count;
    size_t *group; /* of more than 200 sources: which group each belongs to, 1 the best; sources of one group cannot be
                      told from its best. NULL otherwise */
    size_t group_count;
    /* What else the scores might have been, source_count x resample_count; NULL unless
     * gbv_value_options.keep_resamples. Not part of what is written. */
    double *resamples;
    size_t resample_count;
} gbv_certainty;

/* The posterior at one temperature of the curve. */
typedef struct gbv_tau_point {
    double tau; /* INFINITY: the prior */
    double effective_sources;
    double log_likelihood; /* of a held-out reference row under the final model, calibrated; NaN where not judged */
    double deficit;        /* of that to the best tau's; NaN where not judged */
    double deficit_error;  /* standard error of the deficit */
    double *posterior;     /* one per source */
} gbv_tau_point;

typedef struct gbv_option_record {
    char *name, *value;
} gbv_option_record;

typedef struct gbv_result {
    char *version; /* of the library that computed it */
    char *method;  /* "gbv", ... */
    char *problem; /* "annotator" or "vendor" */
    char *measure; /* "" for a method that looks at the data itself */
    char *variant; /* "" for a measure or method with one form */
    char *model;
    char *feature_space; /* what the measure or method looked at, in words */
    gbv_tau_mode tau_mode;
    double tau; /* INFINITY with one source */
    double tau_inverse;
    uint64_t seed;
    double entropy;           /* -sum P ln P, nats */
    double effective_sources; /* 1 / sum P^2 */
    double effective_rows;    /* 1 / sum P^2/n_s; NaN when a source without rows has weight */
    bool ambiguous;           /* the scores differ no more than chance explains */
    char *instruction_set;    /* the widest this machine offered */
    size_t reference_rows;
    char **classes; /* of the reference, or of all sources where it has no labels; what `confusion` counts */
    size_t class_count;
    char **warnings;
    size_t warning_count;
    char **notes; /* how annotations became sources (gbv_sources_note) */
    size_t note_count;
    gbv_option_record *options; /* what the run was asked to do, without what cannot change it (threads, progress) */
    size_t option_count;
    gbv_input_record *inputs; /* the reference first, then the sources' files */
    size_t input_count;
    gbv_source_result *sources; /* in the order given */
    size_t source_count;
    gbv_certainty certainty;
    char **reference_uses; /* every use that was made of the reference, in words */
    size_t reference_use_count;
    gbv_tau_point *tau_curve; /* NULL unless asked for */
    size_t tau_count;
    gbv_measure_result *measures; /* NULL when there is one way of scoring; the first is the one the weights are of */
    size_t measure_count;
    /* What scoring took; not part of what is written. */
    size_t models_trained; /* of sources, refits included */
    size_t models_found;   /* in the cache instead */
    size_t models_lost;    /* trained, but the cache could not keep them */
} gbv_result;

/* The whole job in one call: reads the reference and one file per source, fits, scores, weighs. */
GBV_API GBV_MUST_CHECK gbv_status gbv_value_files(const char *reference, const char *const *names,
                                                  const char *const *paths, size_t source_count,
                                                  const gbv_value_options *options, gbv_result **result,
                                                  gbv_error *error);

/* The same over data already read. The result does not depend on the number of threads.
 * Fails with GBV_UNDEFINED when no source has a score, GBV_BAD_INPUT when the sources do not fit the reference. */
GBV_API GBV_MUST_CHECK gbv_status gbv_value(const gbv_dataset *reference, const gbv_sources *sources,
                                            const gbv_value_options *options, gbv_result **result, gbv_error *error);
GBV_API void gbv_result_free(gbv_result *result);

/* P(s) of finite or infinite scores (Eq. 5) in log space. `prior` NULL is uniform; NaN scores fail with
 * GBV_UNDEFINED unless `undefined_as_zero`. When every score is -INFINITY the normalised prior is returned and
 * *only_prior set. +INFINITY shares the mass over the sources that have it. */
typedef struct gbv_posterior_options {
    gbv_tau_mode tau_mode;
    double tau;
    bool undefined_as_zero;
} gbv_posterior_options;

GBV_API GBV_MUST_CHECK gbv_status gbv_posterior(const double *scores, const double *prior, size_t count,
                                                const gbv_posterior_options *options, double *posterior,
                                                bool *only_prior, gbv_error *error);

/* The names that options take: `what` is "methods", "measures", "models", "problems", "formats", "importers",
 * "flags", "strategies", "operators", "policies" or "exports". False past the last, or when there is no such
 * list. */
GBV_API bool gbv_list(const char *what, size_t index, const char **name, const char **summary);

/* A weight for each row of the sources' files, in input order, for other people's trainers: CSV (source,row,weight)
 * or NPY (float64) by the name of `path`; NULL writes CSV to stdout. Rows that were not used weigh zero. Of annotated
 * items there is a line for each annotation that was used. */
GBV_API GBV_MUST_CHECK gbv_status gbv_weights_write(const gbv_result *result, const char *path, gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
