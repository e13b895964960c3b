/* fuzz_model.c - any bytes at all, read as a trained model; a model that is read can be used. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "nn/model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gbv_model *model;
    gbv_error error;
    if (model_from_bytes(bytes, size, "fuzz", &model, &error) != GBV_OK)
        return 0;
    /* A network takes images of any size; a small one is enough. */
    gbv_image_shape image = {.height = 8, .width = 8, .channels = model->net ? model->net->channels : 0};
    size_t inputs = model->net ? 64 * image.channels : model->inputs;
    double *row = calloc(inputs, sizeof *row), *probabilities = calloc(model->outputs, sizeof *row);
    gbv_dataset *dataset = NULL;
    if (row && probabilities &&
        gbv_dataset_create("row", gbv_matrix_f64(row, 1, inputs), NULL, NULL, 0, &dataset, &error) == GBV_OK &&
        (!model->net || (dataset->shape = image).height) &&
        gbv_predict(model, dataset, probabilities, &error) == GBV_OK && !gbv_model_class_name(model, 0))
        abort();
    gbv_dataset_free(dataset);
    free(row);
    free(probabilities);
    gbv_model_free(model);
    return 0;
}
