/* inputs.h - the options by which every command names its reference and sources, and the reading of them. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include <gbv/gbv.h>

#include "options.h"

typedef struct inputs {
    const char *reference_path;
    const char *unlabelled_path; /* a reference whose labels are not looked at */
    bool no_reference;
    text_list source_arguments; /* NAME=DATASET */
    text_list probabilities;    /* NAME=FILE; only commands that score take them */
    const char *sources_path;   /* a folder, or a table with a source column */
    const char *class_map;
    const char *annotations_path, *items_path, *gold_path; /* who labelled which items */
    gbv_annotation_options annotation;
    const char *item_column; /* of the items */
    bool verbose;
    const char *preprocess; /* of images, in words */
    const char *model;      /* that the images are for, which decides when there are no words; NULL: none */
    gbv_read_options read;
    gbv_dataset *reference;
    gbv_sources *sources;
} inputs;

enum { DATASET_OPTIONS = 9, INPUT_OPTIONS = 15 + DATASET_OPTIONS };

/* Fills `table` with the options that say how any dataset is read; `preprocess` is what inputs_prepare_images takes. */
void inputs_dataset_options(gbv_read_options *read, const char **preprocess, option table[DATASET_OPTIONS]);
/* How images are prepared: as `preprocess` says (none, imagenet, RESIZE/CROP); without it as --resize says; without
 * both as a pretrained `model` wants them (resnet18, ...), others as they are. PARSED or an exit code. */
int inputs_prepare_images(const command *self, gbv_read_options *read, const char *preprocess, const char *model);

/* Fills `table` with the options of this group; `with_reference` leaves --reference out when false. */
void inputs_options(inputs *in, bool with_reference, option table[INPUT_OPTIONS]);

/* What will be done with the inputs: they are read with its threads, and images prepared for its model. */
void inputs_serve(inputs *in, const gbv_model_options *model);

/* Reads what was named: the reference (when asked for), then the sources, then the class map. Returns PARSED or an exit
 * code after saying what is wrong. */
int inputs_read(const command *self, inputs *in, bool with_reference);
/* The pieces of that: whether enough was named, and how images are prepared; one --source NAME=DATASET or
 * --probabilities NAME=FILE;
 * --sources PATH; with -v what was read. */
int inputs_check(const command *self, inputs *in, bool with_reference);
gbv_status inputs_add_source(inputs *in, const char *argument, gbv_error *error);
gbv_status inputs_add_probabilities(inputs *in, const char *argument, gbv_error *error);
gbv_status inputs_add_path(inputs *in, gbv_error *error);
void inputs_tell(const inputs *in);

/* --annotations and what belongs to it (annotation_inputs.c): whether the options go together, and the reading, which
 * makes the reference of --gold when it is wanted. */
int annotation_inputs_check(const command *self, const inputs *in, bool with_reference);
gbv_status annotation_inputs_read(inputs *in, bool with_reference, gbv_error *error);

/* One dataset of its own (a reference, a test set), with its skipped rows told. PARSED or an exit code. */
int inputs_read_dataset(const command *self, const char *argument, const gbv_read_options *read, gbv_dataset **dataset);
void inputs_free(inputs *in);

#endif
