/* kind.h - what a kind of model must be able to do. A new kind is one file here and one line in models.def. */
#ifndef NN_KIND_H
#define NN_KIND_H

#include "nn/model.h"

/* The rows a model is fitted on, with their classes already turned into columns of the model. Borrowed. */
typedef struct fit_task {
    const sample *data;
    size_t outputs;
    const int32_t *targets; /* the column of each row's class */
    const double *weights;  /* of each row; they sum to one */
    const gbv_model_options *options;
    const char *subject;
    const refit *how; /* never NULL */
    arena *scratch;
} fit_task;

/* How a kind is trained where the options do not say. */
typedef struct training_defaults {
    size_t epochs, steps; /* at least so many of both */
    size_t batch;
    double learning_rate, pretrained_rate; /* the second from a file of weights */
    const char *optimizer, *schedule;
    double held_out; /* share; only where that makes FEWEST_HELD_OUT rows */
    const char *normalise;
} training_defaults;

enum { FEWEST_HELD_OUT = 20, MOST_THREADS = 4096 /* of one model */ };

typedef struct model_kind {
    const char *name;
    const char *summary;       /* one line for gbv list */
    const char *feature_space; /* what model_read_out calls features, in words */
    bool has_hidden_layer;
    bool of_images;        /* a net over images, whose numbers are model->values */
    size_t image_channels; /* that it takes; 0: any number */
    training_defaults defaults;
    /* Sets the parameters that a fit to standardised features begins with, where they are not all zero; else NULL. */
    void (*start)(gbv_model *model, uint64_t seed, const char *subject, uint32_t draw);
    /* Fills the parameters of `model`, whose sizes are set and whose parameters are zero. */
    gbv_status (*fit)(const fit_task *task, gbv_model *model, gbv_error *error);
} model_kind;

const model_kind *model_kind_at(size_t index); /* NULL past the last */
const model_kind *model_kind_find(const char *name);
const char *model_kind_names(void); /* "linear, mlp, ..." */

/* A model of these sizes with all parameters zero, classes 0..outputs-1 and no names; NULL when memory is out. */
gbv_model *model_create(const model_kind *kind, size_t inputs, size_t hidden, size_t outputs);

/* A network for images of this size; of the options the channels are filled in. Its values are zero. GBV_BAD_INPUT when
 * it has no use for such images. */
GBV_MUST_CHECK gbv_status model_create_network(const model_kind *kind, net_options options, gbv_image_shape images,
                                               const char *normalise, gbv_model **model, gbv_error *error);

/* The parts of model.h's functions that concern networks of images. */
GBV_MUST_CHECK gbv_status network_create(const sample *data, const gbv_model_options *options, size_t outputs,
                                         gbv_model **model, gbv_error *error);
GBV_MUST_CHECK gbv_status network_read_out(const gbv_model *model, const sample *data, const readout *out,
                                           arena *scratch, gbv_error *error);
void network_free(gbv_model *model);

#endif
