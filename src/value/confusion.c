#include "value/confusion.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/likeliest.h"
#include "measure/measure.h"
#include "value/flags.h"
#include "value/result.h"

static bool has_room(size_t source_count, size_t class_count)
{
    size_t cells;
    return !__builtin_mul_overflow(class_count, class_count + 1, &cells) &&
           !__builtin_mul_overflow(cells, source_count, &cells) && cells <= MOST_CONFUSION;
}

static gbv_status count_confusion(gbv_source_result *judged, const gbv_measure_input *input, gbv_error *error)
{
    size_t width = input->class_count + 1, *said = memory_array(input->rows, sizeof *said);
    judged->confusion = memory_zeroed(input->class_count, width * sizeof *judged->confusion);
    gbv_status status = said && judged->confusion ? likeliest_columns(&input->probabilities, said, error)
                                                  : error_out_of_memory(error, "the confusion of a source");
    for (size_t i = 0; i < input->rows && status == GBV_OK; i++) {
        int32_t class_index = measure_column_class(input, said[i]);
        judged->confusion[(size_t)input->labels[i] * width + (class_index < 0 ? width - 1 : (size_t)class_index)]++;
    }
    free(said);
    return status;
}

gbv_status confusion_judge(gbv_source_result *judged, const gbv_measure_input *input, size_t source_count,
                           gbv_error *error)
{
    bool knows_one = false;
    for (size_t z = 0; z < input->probabilities.columns; z++)
        knows_one |= input->column_class[z] >= 0;
    if (!knows_one)
        return GBV_OK;
    gbv_status status = gbv_measure("accuracy", NULL, input, &judged->agreement, NULL, error);
    if (status == GBV_OK && has_room(source_count, input->class_count))
        status = count_confusion(judged, input, error);
    return status == GBV_OK ? flag_chance(judged, input, error) : status;
}

bool confusion_name_classes(gbv_result *result, const valuation *v)
{
    for (size_t c = 0; c < v->class_count; c++)
        if (!text_list_add(&result->classes, &result->class_count, v->classes.names[c]))
            return false;
    return true;
}
