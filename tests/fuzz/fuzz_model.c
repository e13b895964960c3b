/* fuzz_model.c - any bytes at all, read as a trained model; a model that is read can be used. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "nn/model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gbv_model *model;
    gbv_error error;
    if (model_from_bytes(bytes, size, "fuzz", &model, &error) != GBV_OK)
        return 0;
    double *row = calloc(model->inputs, sizeof *row), *probabilities = calloc(model->outputs, sizeof *row);
    gbv_dataset *dataset = NULL;
    if (row && probabilities &&
        gbv_dataset_create("row", gbv_matrix_f64(row, 1, model->inputs), NULL, NULL, 0, &dataset, &error) == GBV_OK &&
        gbv_predict(model, dataset, probabilities, &error) == GBV_OK && !gbv_model_class_name(model, 0))
        abort();
    gbv_dataset_free(dataset);
    free(row);
    free(probabilities);
    gbv_model_free(model);
    return 0;
}
