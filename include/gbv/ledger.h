/* ledger.h - what sources are worth over time: each batch of samples is scored by itself and folded into the weights of
 * before, P_t(s) proportional to P_{t-1}(s) exp(T_{s,t} / tau), so that past samples need not be kept.
 * Paper: section 5 (Eq. 6).
 *
 * A ledger is one SQLite file. It holds scores, weights, options, hashes and times, never a row, feature or label; a
 * batch is in it whole or not at all, and each is chained to the one before by its hash.
 *
 *     gbv_ledger *ledger;
 *     gbv_ledger_open("vendors.db", GBV_LEDGER_UPDATE, &ledger, &error);
 *     gbv_update_options options = {.batch = "2026-11"};
 *     gbv_ledger_update(ledger, reference, sources, NULL, &options, &result, &error);
 *     gbv_ledger_close(ledger);
 */
#ifndef GBV_LEDGER_H
#define GBV_LEDGER_H

#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbv_ledger gbv_ledger;

typedef enum gbv_ledger_mode {
    GBV_LEDGER_READ,   /* the file must be there, and is not changed */
    GBV_LEDGER_UPDATE, /* a file that is not there is made with the first batch */
} gbv_ledger_mode;

/* Fails with GBV_BAD_INPUT for a file that is no ledger, is damaged or comes from a newer version; GBV_FAILED when it
 * is busy or may not be written. */
GBV_API GBV_MUST_CHECK gbv_status gbv_ledger_open(const char *path, gbv_ledger_mode mode, gbv_ledger **ledger,
                                                  gbv_error *error);
GBV_API void gbv_ledger_close(gbv_ledger *ledger);

/* Zeros are the defaults; `batch` must be given. What is fixed by the first batch (tau, forgetting, alarms, seed,
 * measure, model, reference) holds for all that follow, unless `allow` names it. */
typedef struct gbv_update_options {
    const char *batch; /* its name, once in a ledger: "2026-11" */
    double forgetting; /* lambda in (0, 1]: L_t = ln p + sum of lambda^(t-i) T_i / tau; 0: the ledger's, at first 1 */
    double alarm_batches;       /* one false alarm in so many batches, over all sources; 0: the ledger's, at first 12 */
    const char *const *leavers; /* sources that will not deliver again: their share goes to the others */
    size_t leaver_count;
    const char *allow; /* what may differ from the batch before, separated by commas: "reference", "measure", "model",
                          "tau", "forgetting", "alarms", "seed", "intervals"; it is recorded. NULL: nothing may */
    int64_t time;      /* of the record, in seconds since 1970; 0: now */
} gbv_update_options;

/* Scores the sources as gbv_value does (`value` NULL: its defaults) with the ledger's tau, and folds the scores in.
 * What will be refused is refused before anything is scored. `result` (may be NULL) is of this batch alone, with the
 * prior of the ledger; the caller frees it. Sources that are known but not given keep their share; new ones enter with
 * their prior. Fails as gbv_value does; with GBV_FAILED, changing nothing, when a setting differs that `allow` does not
 * name, the batch is there already, or another update came first. */
GBV_API GBV_MUST_CHECK gbv_status gbv_ledger_update(gbv_ledger *ledger, const gbv_dataset *reference,
                                                    const gbv_sources *sources, const gbv_value_options *value,
                                                    const gbv_update_options *options, gbv_result **result,
                                                    gbv_error *error);
/* The same with scores that are there already, such as a merged run's. Without its resamples (gbv_certainty.resamples)
 * the accumulated weights have no intervals from here on. */
GBV_API GBV_MUST_CHECK gbv_status gbv_ledger_add(gbv_ledger *ledger, const gbv_result *result,
                                                 const gbv_update_options *options, gbv_error *error);

/* P_t(s) of the named sources as a prior for gbv_value, newcomers included; `tau` (may be NULL) is the ledger's. Fails
 * with GBV_BAD_INPUT for a ledger without batches. */
GBV_API GBV_MUST_CHECK gbv_status gbv_ledger_prior(gbv_ledger *ledger, const char *const *names, size_t count,
                                                   double *prior, double *tau, gbv_error *error);

/* Takes the last batch back. Both the batch and that it was undone stay on record; its name may be used again.
 * `batch` (may be NULL) is its name, to be freed with gbv_text_free(). */
GBV_API GBV_MUST_CHECK gbv_status gbv_ledger_undo(gbv_ledger *ledger, int64_t time, char **batch, gbv_error *error);

/* What verifying found. */
typedef struct gbv_ledger_summary {
    size_t records; /* batches and undoings */
    size_t batches; /* that stand */
    size_t sources; /* that were ever there */
    char head[65];  /* hash of the last record: noted elsewhere, it proves that nothing was changed up to it */
    char last[128]; /* name of the last batch, cut to fit; "" when there is none */
} gbv_ledger_summary;

/* Checks the chain of hashes and computes every weight again from the recorded scores. `head` (may be NULL) is a hash
 * noted before, which must be one of the chain's. Fails with GBV_BAD_INPUT, naming the first batch that is changed,
 * missing or does not follow from the one before. */
GBV_API GBV_MUST_CHECK gbv_status gbv_ledger_verify(gbv_ledger *ledger, const char *head, gbv_ledger_summary *summary,
                                                    gbv_error *error);

/* One source in one batch. */
typedef struct gbv_history_point {
    bool present; /* it delivered and was scored */
    size_t rows;  /* that it delivered */
    double score; /* T_{s,t}; NaN when absent or undefined, -INFINITY possible */
    double
        deviation; /* standard error of the score, over reference rows and redrawn rows of the source; NaN: unknown */
    double batch_posterior;       /* its weight by this batch alone; NaN when absent */
    double prior;                 /* p(s) among all who are in; NaN before it entered and after it left */
    double posterior;             /* P_t(s), accumulated; NaN likewise */
    double posterior_interval[2]; /* at 90 %; NaN: unknown */
    double z; /* how far the score is from its past, in standard errors, beyond what all sources moved; NaN: no past */
    double cusum;     /* the larger of the two sums of z, with the sign of its direction; NaN: no past */
    int alarm;        /* -1: it got worse, 1: better, 0: nothing to tell */
    const char *flag; /* what is wrong with the delivery, by the kinds of gbv_flag; NULL: nothing. Never freed */
    char sha256[65];  /* of the sample's file; "" when absent or from memory */
} gbv_history_point;

typedef struct gbv_history_batch {
    char *name;
    int64_t time;  /* seconds since 1970 */
    char *version; /* of gbv that added it */
    char *method, *measure, *variant, *model;
    double tau, forgetting;
    double alarm_batches;   /* one false alarm in so many batches */
    double alarm_threshold; /* h, by which |cusum| is judged */
    uint64_t seed;
    size_t replicates, refits;
    char reference_kind[16]; /* "labelled", "unlabelled"; "none: crowd", "none: union": the sources were judged by each
                                other */
    size_t reference_rows;   /* of the sources themselves where there is none */
    char reference_sha256[65];
    size_t reference_batches;           /* how many batches this reference has scored, this one included */
    double effective_sources;           /* 1 / sum P_t^2 */
    size_t present, newcomers, leavers; /* sources */
    char **changes;                     /* what `allow` let through, in words */
    size_t change_count;
    char **warnings;
    size_t warning_count;
    char hash[65]; /* of its record, which covers those before */
} gbv_history_batch;

/* What else one could do with the same scores: weights of every batch, batch_count x source_count. */
typedef struct gbv_strategy {
    const char *name, *summary; /* one of gbv_list("strategies", ...) */
    double *posterior;
} gbv_strategy;

typedef struct gbv_history {
    char *path;
    size_t batch_count; /* of the batches that stand, oldest first */
    gbv_history_batch *batches;
    size_t first_batch; /* how many older ones were left out */
    size_t source_count;
    char **names;              /* in the order of entry */
    gbv_history_point *points; /* source_count x batch_count: points[s * batch_count + t] */
    gbv_strategy *strategies;
    size_t strategy_count;
} gbv_history;

/* Zeros ask for everything but strategies. */
typedef struct gbv_history_options {
    const char *source;     /* this one only */
    size_t last;            /* so many batches; 0: all */
    const char *strategies; /* names separated by commas, or "all" */
} gbv_history_options;

GBV_API GBV_MUST_CHECK gbv_status gbv_ledger_history(gbv_ledger *ledger, const gbv_history_options *options,
                                                     gbv_history **history, gbv_error *error);
GBV_API void gbv_history_free(gbv_history *history);

#ifdef __cplusplus
}
#endif
#endif
