/* model.h - the inside of gbv_model: the models of phi and the final one, their fit and their readout on other rows. */
#ifndef NN_MODEL_H
#define NN_MODEL_H

#include <gbv/train.h>

#include "augment/augment.h"
#include "base/memory.h"
#include "data/sample.h"
#include "nn/net.h"

/* What the values of pixels become before a net sees them: (value - mean) / deviation, bytes divided by 255 first. */
typedef struct normalisation {
    const char *name;            /* imagenet, half, none */
    float mean[3], deviation[3]; /* channel c takes number c % 3 */
} normalisation;

const normalisation *normalisation_find(const char *name); /* NULL: not known */

/* What an epoch of training came to. */
typedef struct epoch_record {
    double loss;
    double held_out_loss, held_out_accuracy; /* NaN without held-out rows */
} epoch_record;

/* Of a linear model or mlp all parameters live in one block; the named pointers are carved from it. Inputs are used as
 * given: the fit folds its standardisation into the weights, so that a model is just what these numbers say. linear:
 * logits = x W + b with W inputs x outputs.  mlp: h = relu(x V + a), logits = h W + b. */
struct gbv_model {
    char kind[12];
    size_t inputs, hidden, outputs; /* hidden is 0 but for mlp */
    double *parameters;             /* NULL for a network of images */
    size_t parameter_count;
    double *hidden_weights; /* inputs x hidden */
    double *hidden_bias;
    double *weights; /* (hidden or inputs) x outputs */
    double *bias;
    /* A network of images has these instead. */
    net *net; /* NULL: it is none */
    net_values values;
    bool settled; /* the values do not change any more: a program that has them need not load them again */
    extent input; /* as the net takes images. They have inputs / (height * width) channels: as many, or one that is
                     repeated */
    const normalisation *normalise;
    size_t resize, crop;            /* by which images of folders were brought to that size; 0: they were not */
    const backend *backend;         /* it was trained with; NULL: the fastest there is reads it out */
    size_t threads;                 /* that the public readouts may use; 0: every core */
    struct network_reader *reader;  /* kept from one readout for the next; network.c's */
    size_t trained_threads;         /* by which it was trained: its last bits depend on it */
    epoch_record *curve;            /* of its training; NULL: not known */
    size_t curve_count, best_epoch; /* best_epoch, from 1, is the one whose values these are */
    char policy_variant[8], policy_sha256[65]; /* of the policy that it was trained with, of its file; "" */
    char *note;                                /* what a user should know of how its training began; NULL: nothing */
    int32_t *classes;     /* outputs: the class each column stands for, as the caller numbers classes */
    char **class_names;   /* outputs, only for models that are written or read; else NULL */
    char **feature_names; /* inputs, where the files it was trained on name them; else NULL */
    char *history;        /* how it was made, as JSON text; NULL: not recorded */
};

/* Fits a model on the rows of `data`, whose labels are classes in 0..class_count-1. Columns are made for the classes
 * that occur. `subject` keys the random numbers (a source's name). Scratch memory comes from `scratch`. */
GBV_MUST_CHECK gbv_status model_fit(const sample *data, size_t class_count, const gbv_model_options *options,
                                    const char *subject, arena *scratch, gbv_model **model, gbv_error *error);

/* How the loss of a linear model is curved, as one fit leaves it for others on rows of the same kind. Zeroed: not known
 * yet. */
typedef struct fit_shape {
    double *inverse; /* width x width; NULL: not known */
    size_t width;
} fit_shape;

void fit_shape_free(fit_shape *shape);

/* How a fit follows on another one. Zeroed it is a fit of its own. None of this moves the minimum of a linear model. */
typedef struct refit {
    const gbv_model *start; /* a linear fit begins at this model instead of at zero, when it has all the classes */
    fit_shape *shape; /* filled by the first linear fit that is given it, used by later ones; one user at a time */
    bool rough;       /* a linear fit that has a start stops where a score is good enough for its spread over
                         draws of the rows */
    uint32_t draw;    /* the draw-th of several alike: networks start from other random numbers */
    gbv_use use;      /* of the rows' weights, where they are sources' */
} refit;

/* model_fit, following on another fit. */
GBV_MUST_CHECK gbv_status model_refit(const sample *data, size_t class_count, const gbv_model_options *options,
                                      const char *subject, const refit *how, arena *scratch, gbv_model **model,
                                      gbv_error *error);

/* A model of the kind, hidden width and seed of `options` as its fit begins, before it has seen a row. It is meant for
 * standardised features; its columns are the classes 0..outputs-1. */
GBV_MUST_CHECK gbv_status model_start(const gbv_model_options *options, size_t inputs, size_t outputs,
                                      const char *subject, gbv_model **model, gbv_error *error);

/* What the model makes of each row; pieces that are NULL are not computed. `data` labels are ignored. */
typedef struct readout {
    double *logits;        /* rows x outputs */
    double *probabilities; /* rows x outputs */
    double *features;      /* rows x model_feature_count: hidden activations (mlp), centred logits (linear), pooled
                              features (networks of images) */
    size_t threads;        /* networks of images: that may be used; 0: one */
    size_t before;         /* rows of the same dataset before these: what errors count from, and `choose` */
    /* Networks of images: what is done to each image first. The visit of a row is its number. */
    augment_chooser *choose; /* NULL: nothing */
    const void *choosing;    /* its context */
    gbv_noise noise;         /* paper or code */
    /* Networks of images: asked before each batch, with the rows done; true ends it with GBV_INTERRUPTED. NULL: goes on
     * to the end. */
    bool (*ask)(void *context, size_t done);
    void *asking;            /* its context */
    double *forward_seconds; /* what the network itself took is added here, for who looks at speed; NULL: nobody */
} readout;

/* Images that a network reads out at once: of that size, when there are enough of them. */
size_t model_readout_batch(const gbv_model *model, gbv_image_shape shape);
size_t model_feature_count(const gbv_model *model);
const char *model_feature_space(const char *kind); /* in words, for the result */
GBV_MUST_CHECK gbv_status model_read_out(const gbv_model *model, const sample *data, const readout *out, arena *scratch,
                                         gbv_error *error);

/* GBV_BAD_INPUT when a dataset's rows are not of the features that the model was fitted on. Whether images suit a
 * network is seen when they are read. */
GBV_MUST_CHECK gbv_status model_check_dataset(const gbv_model *model, const gbv_dataset *dataset, gbv_error *error);

gbv_status model_options_check(const gbv_model_options *options, gbv_error *error);
/* Hears one choice that counts in the training of a model, as text or as a number. */
typedef void model_option_callback(void *context, const char *name, const char *text, double number);
/* What the options come to for a model of so many rows; rows 0: models of several sizes, where a number that depends on
 * it is "auto". */
void model_options_tell(const gbv_model_options *options, size_t rows, model_option_callback *hear, void *context);

#endif
