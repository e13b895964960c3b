/* train.h - models: fit them on weighted sources, write, read, use and evaluate them.
 * Paper: section 3, Eq. 1 (the weighted loss).
 *
 *     gbv_model *model;
 *     gbv_train(sources, weights, NULL, &model, &error);
 *     gbv_model_write(model, "model.safetensors", &error);
 *     gbv_evaluation *evaluation;
 *     gbv_evaluate(model, test, &evaluation, &error);
 */
#ifndef GBV_TRAIN_H
#define GBV_TRAIN_H

#include <gbv/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which model to fit and how. A zeroed struct is not a default: start from gbv_model_defaults(). */
typedef struct gbv_model_options {
    const char *model;               /* "linear" (multinomial logistic regression) or "mlp" (one hidden layer) */
    double l2;                       /* the mean loss has l2/2 times the squared norm of the weights added to it, for
                                        features scaled to unit variance; 0.1 serves 100 to 10,000 rows, noisy or not */
    size_t hidden;                   /* mlp: width of the hidden layer */
    size_t epochs;                   /* mlp: passes over the rows; 0: 20, and more for few rows (600 steps) */
    size_t batch;                    /* mlp: rows a step */
    double learning_rate;            /* mlp: Adam's step */
    uint64_t seed;                   /* mlp: first weights and order of rows */
    size_t threads;                  /* 0: every core; the result does not depend on it */
    gbv_progress_callback *progress; /* may be NULL */
    void *context;
} gbv_model_options;

GBV_API gbv_model_options gbv_model_defaults(void);

typedef struct gbv_model gbv_model;

/* Minimises sum_s weight[s] * mean over the rows of s of the cross-entropy (Eq. 1). weights NULL: every row alike
 * ("pooled"). Weights are >= 0 and not all zero. The classes of the model are those of all its sources. */
GBV_API GBV_MUST_CHECK gbv_status gbv_train(const gbv_sources *sources, const double *weights,
                                            const gbv_model_options *options, gbv_model **model, gbv_error *error);
GBV_API void gbv_model_free(gbv_model *model);

/* A safetensors file with the classes and the options in its metadata. Nothing is left behind on failure. */
GBV_API GBV_MUST_CHECK gbv_status gbv_model_write(const gbv_model *model, const char *path, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_model_read(const char *path, gbv_model **model, gbv_error *error);

GBV_API const char *gbv_model_kind(const gbv_model *model); /* "linear" or "mlp" */
GBV_API size_t gbv_model_inputs(const gbv_model *model);
GBV_API size_t gbv_model_class_count(const gbv_model *model);
GBV_API const char *gbv_model_class_name(const gbv_model *model, size_t class_index);

/* Probabilities of each usable row of the dataset: rows x class_count doubles, row-major, into the caller's array. */
GBV_API GBV_MUST_CHECK gbv_status gbv_predict(const gbv_model *model, const gbv_dataset *dataset, double *probabilities,
                                              gbv_error *error);

/* The most probable class of each usable row as CSV (row,class,probability), with every class's probability as further
 * columns when `all`; `path` NULL is standard output. */
GBV_API GBV_MUST_CHECK gbv_status gbv_predictions_write(const gbv_model *model, const gbv_dataset *dataset, bool all,
                                                        const char *path, gbv_error *error);

typedef struct gbv_evaluation {
    size_t rows;
    size_t class_count;         /* classes of the model and of the dataset together */
    char **class_names;         /* class_count */
    double accuracy;            /* correct / rows */
    double mean_log_likelihood; /* of the true class; a class the model does not know counts as 1e-12 */
    size_t *confusion;          /* class_count x class_count, row: true class, column: predicted */
} gbv_evaluation;

GBV_API GBV_MUST_CHECK gbv_status gbv_evaluate(const gbv_model *model, const gbv_dataset *dataset,
                                               gbv_evaluation **evaluation, gbv_error *error);
GBV_API void gbv_evaluation_free(gbv_evaluation *evaluation);

#ifdef __cplusplus
}
#endif
#endif
