/* compare.h - several ways of valuing the same sources side by side, and whether buying by any of them pays.
 * Paper: section 6 (the methods compared, the accuracy of the final model, its correlation with the weights).
 *
 *     gbv_compare_options options = gbv_compare_defaults();
 *     options.test = test;
 *     gbv_comparison *comparison;
 *     gbv_compare(reference, sources, &options, &comparison, &error);
 *     puts(comparison->sentence);
 *     gbv_comparison_free(comparison);
 */
#ifndef GBV_COMPARE_H
#define GBV_COMPARE_H

#include <gbv/plan.h>
#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from gbv_compare_defaults(). */
typedef struct gbv_compare_options {
    gbv_value_options value; /* as in gbv_value, but `method` and shards are not looked at; no intervals by default */
    const char *methods;     /* as gbv_value_options.method; NULL: every method that applies to these sources. The
                                first must be able to run; another that cannot is listed with its reason */
    const gbv_dataset *test; /* labelled rows that judge the final models; NULL: nothing is trained */
    size_t seeds;            /* final models by each method, each on rows drawn anew; at least 2, 5 by default */
} gbv_compare_options;

GBV_API gbv_compare_options gbv_compare_defaults(void);

/* How final models with the same weights do on the test set. */
typedef struct gbv_trained {
    double *accuracies;    /* one per seed, the same seeds for all; NULL: nothing was trained */
    double accuracy;       /* their mean; NaN: nothing was trained */
    double standard_error; /* of the mean, over the seeds */
} gbv_trained;

/* What a way of scoring is good for; beside the line of gbv_result.measures with the same index. */
typedef struct gbv_method_comparison {
    char *label; /* "gbv leep", "cmmd exact", "uniform" */
    gbv_trained trained;
    /* Of its weights P(s) with the test accuracy of each m_s; NaN where either does not differ, or without a test. */
    double pearson, spearman, kendall;
} gbv_method_comparison;

/* What one could do instead of weighing sources by a valuation. */
typedef struct gbv_baseline {
    char *name;    /* "reference-only", "pooled", "best-source-only", "reference+P(s)" */
    char *summary; /* in words */
    char *detail;  /* the source or method it is made with, or why it could not be tried; NULL: neither */
    gbv_trained trained;
} gbv_baseline;

typedef enum gbv_verdict {
    GBV_VERDICT_NONE, /* no test set: no purchase was judged */
    GBV_VERDICT_NO,   /* no valuation beats the better of reference-only and pooled by two standard errors */
    GBV_VERDICT_PAYS, /* one does */
} gbv_verdict;

typedef struct gbv_comparison {
    gbv_result *result;  /* of the valuation by all methods; `measures` is never NULL */
    size_t method_count; /* result->measure_count */
    gbv_method_comparison *methods;
    size_t seeds;            /* 0: there was no test set */
    size_t test_rows;        /* those of classes that nobody trains on included: they count as wrong */
    double *source_accuracy; /* of each m_s on the test set, NaN for a source given as probabilities; NULL: no test */
    gbv_baseline *baselines;
    size_t baseline_count; /* 0 without a test */
    gbv_verdict verdict;
    size_t best;       /* the valuation with the most accurate final models, of those that pay where one does;
                          method_count: there is none */
    size_t to_beat;    /* the better of the baselines reference-only and pooled */
    double gain;       /* accuracy of `best` minus that of `to_beat`; NaN without a verdict */
    double gain_error; /* standard error of the gain, paired over the seeds */
    char *sentence;    /* the verdict in plain words */
    double value_seconds, training_seconds; /* of wall clock; not part of what is written */
} gbv_comparison;

/* Values the sources by every method with the same models m_s. With a test set it also trains the final models by each
 * and by the baselines that decide a purchase, `seeds` times on rows of every source drawn anew, the same rows for all.
 * Fails as gbv_value does, and with GBV_USAGE or GBV_BAD_INPUT for a test set that cannot judge these sources. The
 * comparison does not depend on the number of threads. */
GBV_API GBV_MUST_CHECK gbv_status gbv_compare(const gbv_dataset *reference, const gbv_sources *sources,
                                              const gbv_compare_options *options, gbv_comparison **comparison,
                                              gbv_error *error);
GBV_API void gbv_comparison_free(gbv_comparison *comparison);

/* What that would take, as gbv_value_plan says it; the caller frees it with gbv_plan_free. */
GBV_API GBV_MUST_CHECK gbv_status gbv_compare_plan(const gbv_dataset *reference, const gbv_sources *sources,
                                                   const gbv_compare_options *options, gbv_plan **plan,
                                                   gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
