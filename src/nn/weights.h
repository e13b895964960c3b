/* weights.h - the numbers of a network from a safetensors file of others: torchvision's and timm's names, those of
 * Hugging Face's ResNets, with whatever stands before them (module., backbone., resnet., ...).
 *
 *     weights_description d;
 *     status = weights_describe(path, &d, error);
 *     net_create(kind, &(net_options){.stride_in_first = d.stride_in_first, ...}, &n, error);
 *     net_initialise(n, ...);                       the head stays so where the file's has another size
 *     weights_report report;
 *     status = weights_load(n, path, &values, &report, error);
 *     weights_report_free(&report);
 */
#ifndef NN_WEIGHTS_H
#define NN_WEIGHTS_H

#include "base/sentence.h"
#include "nn/net.h"
#include "nn/safetensors.h"

/* What kind of net a file is for, before any of its numbers is looked at. */
typedef struct weights_description {
    char kind[12];        /* resnet18, resnet34, resnet50, or what the metadata of a model of ours say; "": not known */
    size_t channels;      /* of its input; 0: not known */
    size_t outputs;       /* of its head; 0: it has none */
    size_t features;      /* that its head takes */
    bool stride_in_first; /* the metadata say stride_in = "1x1": see net_options */
} weights_description;

GBV_MUST_CHECK gbv_status weights_describe(const char *path, weights_description *description, gbv_error *error);

/* GBV_BAD_INPUT when the file is known to be for another kind of net. */
GBV_MUST_CHECK gbv_status weights_check_kind(const weights_description *description, const char *kind, const char *path,
                                             gbv_error *error);

/* What became of a file. */
typedef struct weights_report {
    bool head_replaced; /* the last layer was left as it was */
    size_t head_found;  /* outputs of the file's own; 0: it has none */
    bool colours_added; /* the net takes gray images, the file colour: the three planes of the first weights were added,
                           which is what the file makes of a gray image, but for what differs in the normalisation */
    char **skipped;     /* tensors that the net has no use for, such as bn1.num_batches_tracked */
    size_t skipped_count;
} weights_report;

/* Fills the values of `n` with the file's; those of its head stay as they are where the file's has another size or is
 * missing. GBV_BAD_INPUT with a sentence that names the tensor when one is missing, has another shape or type or holds
 * what is not finite, and when the file is for another kind of net. The report may be NULL; else it is freed, also
 * after a failure. */
GBV_MUST_CHECK gbv_status weights_load(const net *n, const char *path, net_values *values, weights_report *report,
                                       gbv_error *error);
void weights_report_free(weights_report *report);

/* What a user should know of it: "W.safetensors: its head has 1000 classes; a new one for 10 was begun with random
 * numbers". Empty when all is as expected. */
void weights_report_tell(const weights_report *report, const net *n, const char *path, sentence *s);

/* The same of a file that is open already. */
GBV_MUST_CHECK gbv_status weights_describe_file(const safetensors *file, weights_description *description,
                                                gbv_error *error);
GBV_MUST_CHECK gbv_status weights_load_file(const net *n, const safetensors *file, net_values *values,
                                            weights_report *report, gbv_error *error);

#endif
