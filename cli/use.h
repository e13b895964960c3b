/* use.h - a model from a file and a dataset for it: what predict, evaluate and features begin with. */
#ifndef CLI_USE_H
#define CLI_USE_H

#include "inputs.h"

typedef struct use {
    const char *preprocess, *backend;
    size_t threads;
    gbv_read_options read;
    gbv_model *model;
    gbv_dataset *dataset;
} use;

enum { USE_OPTIONS = DATASET_OPTIONS + 2 };

/* Fills `table` with the options that say how the dataset is read and the model run, but for --threads. */
void use_options(use *u, option table[USE_OPTIONS]);

/* Takes the model, which a call of gbv_model_read or the like gave with this status, and reads the dataset as it wants
 * it. PARSED or an exit code after saying what is wrong; either way use_close follows. */
int use_open(const command *self, use *u, gbv_status status, const gbv_error *error, const char *dataset);
void use_close(use *u);

#endif
