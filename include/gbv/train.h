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

typedef struct gbv_model gbv_model;

/* How the weights of the sources enter the training of a network. */
typedef enum gbv_use {
    GBV_WEIGHTING, /* every row is visited once an epoch and its loss weighted: Eq. 1 */
    GBV_SAMPLING,  /* a source is drawn by its weight, then one of its rows: the same on average */
} gbv_use;

/* What one epoch of training came to. */
typedef struct gbv_epoch {
    const char *subject;                     /* the source whose model it is, or "final" */
    size_t epoch, epochs;                    /* from 1 */
    double loss;                             /* mean over the epoch's rows, weighted */
    double held_out_loss, held_out_accuracy; /* of the rows held out of training; NaN without any */
    bool best; /* the best so far by the held-out rows: what would be kept if training ended here */
    double learning_rate;
    double seconds;         /* that this epoch took */
    size_t rows;            /* visited */
    const gbv_model *model; /* as it is now; borrowed for the call. gbv_evaluate takes it in gbv_train; the models of
                               sources have no class names */
} gbv_epoch;

typedef void gbv_epoch_callback(void *context, const gbv_epoch *epoch);

/* Which model to fit and how. A zeroed struct is not a default: start from gbv_model_defaults(). A number that is 0 and
 * a name that is NULL stand for the model's own default. */
typedef struct gbv_model_options {
    const char *model; /* of rows: "linear" (multinomial logistic regression), "mlp" (one hidden layer); of images:
                          "cnn", "resnet18", "resnet34", "resnet50" */
    double l2;         /* linear, mlp: the mean loss has l2/2 times the squared norm of the weights added to it, for
                          features scaled to unit variance; 0.1 serves 100 to 10,000 rows, noisy or not */
    size_t hidden;     /* mlp: width of the hidden layer */
    /* Below: everything but linear, which is fitted to its minimum unless an optimizer is named. */
    size_t epochs;         /* passes over the rows */
    size_t batch;          /* rows a step */
    double learning_rate;  /* of the first step */
    const char *optimizer; /* "sgd", "adam", "adamw"; linear: NULL is "lbfgs" */
    const char *schedule; /* "constant", "linear" (to zero), "step" (a tenth every 10 epochs), "paper" (a tenth at epoch
                             20 and every 10 after), "paper-late" (from epoch 30: as the paper's SRA was trained),
                             "cosine" */
    double momentum;      /* sgd */
    bool nesterov;
    double weight_decay; /* networks: of every parameter */
    double label_smoothing;
    double dropout;  /* networks of images: after each stage */
    double held_out; /* share of the rows kept out of training to choose the epoch by; 0: none, the last epoch; below
                        zero: the model's own default */
    size_t patience; /* epochs without a better held-out loss after which training stops; 0: never */
    gbv_use use;     /* of the sources' weights in the final model */
    const char *pretrained; /* networks of images: a safetensors file to start from; NULL: random numbers */
    const char *normalise;  /* of pixels: "imagenet", "half", "none" */
    const char *policy;     /* gbv_train of a network of images: what is done to an image at every visit of training,
                               a file of gbv_policy_write or a name of gbv_named_policy_at; NULL or "none": nothing */
    const char *policy_variant; /* of a named one: "code" or "paper"; NULL: its first */
    const char *backend;        /* "cpu" or "reference"; NULL or "auto": the fastest there is */
    const char *cache;          /* a folder where trained networks of sources are kept and found again; NULL: none */
    size_t cache_bytes;         /* that the folder may hold; 0: 4 GiB */
    const char *checkpoint;     /* gbv_train of a network: a file written after each epoch; NULL: none */
    bool resume;                /* go on from that file where it is there */
    uint64_t seed;              /* first weights and order of rows */
    size_t threads;             /* 0: every core; results depend on it only where threads_per_model is taken from it */
    size_t threads_per_model; /* networks: that one model may use; its last bits depend on it. 0: one for the models of
                                 sources, which are trained side by side, and all for the final one */
    gbv_progress_callback *progress; /* may be NULL */
    gbv_epoch_callback *on_epoch;    /* networks: hears of each epoch, from one thread at a time; may be NULL */
    void *context;                   /* of both */
} gbv_model_options;

GBV_API gbv_model_options gbv_model_defaults(void);
/* The options with nothing left to choose, for a model of so many rows: what each default comes to. The model must be a
 * known one. */
GBV_API gbv_model_options gbv_model_resolve(const gbv_model_options *options, size_t rows);

/* Minimises sum_s weight[s] * mean over the rows of s of the cross-entropy (Eq. 1). weights NULL: every row alike
 * ("pooled"). Weights are >= 0 and not all zero. The classes of the model are those of all its sources. */
GBV_API GBV_MUST_CHECK gbv_status gbv_train(const gbv_sources *sources, const double *weights,
                                            const gbv_model_options *options, gbv_model **model, gbv_error *error);
GBV_API void gbv_model_free(gbv_model *model);

/* A safetensors file with the classes and the options in its metadata. Nothing is left behind on failure. */
GBV_API GBV_MUST_CHECK gbv_status gbv_model_write(const gbv_model *model, const char *path, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_model_read(const char *path, gbv_model **model, gbv_error *error);

/* A network of images from a file of weights, to be used as it is: of gbv, torchvision, timm or Hugging Face
 * (docs/formats.md). `kind` ("resnet18", ...) must be the file's; NULL: whatever it is. A file without a head is good
 * for features only. gbv_model_read takes such files, too, but demands a head; what the metadata do not say is taken to
 * be as for ImageNet, with the classes "0", "1", ... */
GBV_API GBV_MUST_CHECK gbv_status gbv_model_read_pretrained(const char *path, const char *kind, gbv_model **model,
                                                            gbv_error *error);

/* How a network is run from now on: "cpu" or "reference", NULL or "auto" for the fastest there is; 0 threads are every
 * core. GBV_USAGE when there is no such backend. */
GBV_API GBV_MUST_CHECK gbv_status gbv_model_run_with(gbv_model *model, const char *backend, size_t threads,
                                                     gbv_error *error);

/* Makes images of folders what a network was trained on: sets resize, crop and color where they are not set. */
GBV_API void gbv_model_prepare_images(const gbv_model *model, gbv_read_options *options);

/* What a user should know of how its training began, such as that the head of the pretrained weights was replaced;
 * NULL: nothing. */
GBV_API const char *gbv_model_note(const gbv_model *model);
GBV_API const char *gbv_model_kind(const gbv_model *model);     /* as gbv_model_options has it */
GBV_API size_t gbv_model_inputs(const gbv_model *model);        /* networks: numbers of an image it was trained on */
GBV_API size_t gbv_model_feature_count(const gbv_model *model); /* of gbv_features */
GBV_API size_t gbv_model_class_count(const gbv_model *model);
GBV_API const char *gbv_model_class_name(const gbv_model *model, size_t class_index);

/* Probabilities of each usable row of the dataset: rows x class_count doubles, row-major, into the caller's array. */
GBV_API GBV_MUST_CHECK gbv_status gbv_predict(const gbv_model *model, const gbv_dataset *dataset, double *probabilities,
                                              gbv_error *error);

/* The most probable class of each usable row as CSV (row,class,probability), with every class's probability as further
 * columns when `all`, and last the file of an image of a folder; `path` NULL is standard output. */
GBV_API GBV_MUST_CHECK gbv_status gbv_predictions_write(const gbv_model *model, const gbv_dataset *dataset, bool all,
                                                        const char *path, gbv_error *error);

/* What the model sees in each usable row before it decides (pooled features of a network, hidden layer of an mlp,
 * centred logits of linear): rows x feature_count floats, row-major, into the caller's array. `progress` may be
 * NULL. */
GBV_API GBV_MUST_CHECK gbv_status gbv_features(const gbv_model *model, const gbv_dataset *dataset, float *features,
                                               gbv_progress_callback *progress, void *context, gbv_error *error);
/* The same as an NPY file of any length; `labels_path`, unless NULL, gets the labels of the same rows. `path` NULL is
 * standard output. */
GBV_API GBV_MUST_CHECK gbv_status gbv_features_write(const gbv_model *model, const gbv_dataset *dataset,
                                                     const char *path, const char *labels_path,
                                                     gbv_progress_callback *progress, void *context, gbv_error *error);

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
