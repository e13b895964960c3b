/* model_file.h - reading a model from bytes, wherever they come from. */
#ifndef NN_MODEL_FILE_H
#define NN_MODEL_FILE_H

#include "nn/model.h"

/* `path` is for messages. The caller frees the model. */
GBV_MUST_CHECK gbv_status model_from_bytes(const unsigned char *bytes, size_t size, const char *path, gbv_model **model,
                                           gbv_error *error);

#endif
