/* network_file.h - a network of images as a safetensors file: torchvision's names, so that PyTorch loads it, and how
 * images reach it in the metadata. */
#ifndef NN_NETWORK_FILE_H
#define NN_NETWORK_FILE_H

#include "nn/model.h"
#include "nn/safetensors.h"

/* The arrays of a network, net->tensor_count of them, to be freed; NULL when memory is out. */
tensor *network_tensors(const gbv_model *model);

/* How images become what the net takes, as a JSON text to be freed; NULL when memory is out. */
char *network_preprocessing(const gbv_model *model);

/* The stride of its blocks is in their first convolution (net_options). */
bool network_stride_in_first(const net *n);

/* A model with the file's values; its classes are numbers where the metadata name none. A file that others wrote is
 * taken to be for ImageNet's images. `kind` NULL: whatever it is. Without a head in the file the model has one output
 * that is always zero and no class names; that is GBV_BAD_INPUT when it `needs_head`. */
GBV_MUST_CHECK gbv_status network_from_file(const safetensors *file, const char *kind, bool needs_head,
                                            gbv_model **model, gbv_error *error);

#endif
