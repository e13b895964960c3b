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

typedef struct model_kind {
    const char *name;
    const char *summary;       /* one line for gbv list */
    const char *feature_space; /* what model_read_out calls features, in words */
    bool has_hidden_layer;
    /* Sets the parameters that a fit to standardised features begins with, where they are not all zero; else NULL. */
    void (*start)(gbv_model *model, uint64_t seed, const char *subject, uint32_t draw);
    /* Fills the parameters of `model`, whose sizes are set and whose parameters are zero. */
    gbv_status (*fit)(const fit_task *task, gbv_model *model, gbv_error *error);
} model_kind;

const model_kind *model_kind_at(size_t index); /* NULL past the last */
const model_kind *model_kind_find(const char *name);

/* A model of these sizes with all parameters zero, classes 0..outputs-1 and no names; NULL when memory is out. */
gbv_model *model_create(const model_kind *kind, size_t inputs, size_t hidden, size_t outputs);

#endif
