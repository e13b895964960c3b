/* fuzz_weights.c - any bytes at all, read as the weights of a small network with a ResNet's names. */
#include <stdint.h>
#include <stdlib.h>

#include "nn/weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static net *small_net(void)
{
    gbv_error error;
    net *n = net_empty("resnet18", 1);
    size_t t = net_add(
        n,
        (layer){.kind = LAYER_CONVOLUTION, .name = "conv1", .convolution = {.outputs = 2, .kernel = 1, .stride = 1}});
    t = net_add(n, (layer){.kind = LAYER_BATCH_NORM, .name = "bn1", .input = t});
    t = net_add(n, (layer){.kind = LAYER_CONVOLUTION,
                           .name = "layer1.0.conv1",
                           .input = t,
                           .convolution = {.outputs = 2, .kernel = 1, .stride = 1}});
    t = net_add(n, (layer){.kind = LAYER_MEAN_POOL, .input = t});
    net_add(n, (layer){.kind = LAYER_LINEAR, .name = "fc", .input = t, .linear = {.outputs = 3}});
    if (net_close(n, &error) != GBV_OK)
        abort();
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    safetensors file;
    gbv_error error;
    weights_description description;
    weights_report report;
    net_values values;
    if (safetensors_parse(bytes, size, "fuzz", &file, &error) != GBV_OK)
        return 0;
    net *n = small_net();
    if (net_values_create(n, &values, &error) != GBV_OK)
        abort();
    if (weights_describe_file(&file, &description, &error) != GBV_OK && !error.message[0])
        abort();
    if (weights_load_file(n, &file, &values, &report, &error) != GBV_OK && !error.message[0])
        abort();
    sentence said = {0};
    weights_report_tell(&report, n, "fuzz", &said);
    weights_report_free(&report);
    net_values_free(&values);
    net_free(n);
    safetensors_free(&file);
    return 0;
}
