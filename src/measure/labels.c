/* labels.c - small pieces that several measures share: which classes occur, the largest of a row, a mean. */
#include "measure/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

gbv_status present_classes_create(const gbv_measure_input *input, present_classes *classes, gbv_error *error)
{
    size_t class_count = input->class_count, rows = input->rows, count = 0;
    *classes = (present_classes){.number = memory_array(class_count, sizeof *classes->number),
                                 .ranks = memory_array(rows, sizeof *classes->ranks)};
    if (!classes->number || !classes->ranks)
        goto fail;
    memset(classes->number, 0, class_count * sizeof *classes->number);
    for (size_t i = 0; i < rows; i++)
        classes->number[input->labels[i]] = 1;
    for (size_t c = 0; c < class_count; c++) {
        if (classes->number[c])
            classes->largest = c;
        classes->number[c] = classes->number[c] ? (int32_t)count++ : -1;
    }
    classes->count = count;
    if (!(classes->sizes = memory_zeroed(count, sizeof *classes->sizes)))
        goto fail;
    for (size_t i = 0; i < rows; i++) {
        classes->ranks[i] = classes->number[input->labels[i]];
        classes->sizes[classes->ranks[i]]++;
    }
    return GBV_OK;
fail:
    present_classes_free(classes);
    return error_out_of_memory(error, "the classes of the labels");
}

void present_classes_free(present_classes *classes)
{
    free(classes->sizes);
    free(classes->ranks);
    free(classes->number);
    *classes = (present_classes){0};
}

size_t measure_argmax(const double *values, size_t count)
{
    size_t best = 0;
    for (size_t j = 1; j < count; j++)
        if (values[j] > values[best])
            best = j;
    return best;
}

double measure_mean(const double *terms, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += terms[i];
    return sum / (double)count;
}
