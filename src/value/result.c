#include "value/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/unsure.h"

gbv_result *result_create(size_t source_count)
{
    gbv_result *result = calloc(1, sizeof *result);
    if (!result)
        return NULL;
    result->source_count = source_count;
    result->sources = calloc(source_count ? source_count : 1, sizeof *result->sources);
    if (!result->sources) {
        free(result);
        return NULL;
    }
    for (size_t i = 0; i < source_count; i++)
        source_result_unsure(&result->sources[i]);
    return result;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

bool result_make_measures(gbv_result *result, size_t count)
{
    if (!(result->measures = calloc(count ? count : 1, sizeof *result->measures)))
        return false;
    result->measure_count = count;
    for (size_t m = 0; m < count; m++)
        if (!(result->measures[m].scores =
                  calloc(result->source_count ? result->source_count : 1, sizeof *result->measures[m].scores)))
            return false;
    return true;
}

void result_forget_measures(gbv_result *result)
{
    for (size_t m = 0; m < result->measure_count; m++) {
        gbv_measure_result *by = &result->measures[m];
        free(by->method);
        free(by->measure);
        free(by->variant);
        free(by->feature_space);
        for (size_t i = 0; by->scores && i < result->source_count; i++)
            free(by->scores[i].reason);
        free(by->scores);
    }
    free(result->measures);
    result->measures = NULL;
    result->measure_count = 0;
}

void gbv_result_free(gbv_result *result)
{
    if (!result)
        return;
    char *texts[] = {result->version, result->method, result->problem,       result->measure,
                     result->variant, result->model,  result->feature_space, result->instruction_set};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free_texts(result->warnings, result->warning_count);
    free_texts(result->classes, result->class_count);
    free_texts(result->notes, result->note_count);
    free_texts(result->reference_uses, result->reference_use_count);
    free(result->certainty.pairs);
    free(result->certainty.group);
    free(result->certainty.resamples);
    for (size_t i = 0; i < result->option_count; i++) {
        free(result->options[i].name);
        free(result->options[i].value);
    }
    free(result->options);
    for (size_t i = 0; i < result->input_count; i++) {
        free(result->inputs[i].path);
        free(result->inputs[i].dataset);
        free(result->inputs[i].item_column);
        free(result->inputs[i].label_column);
        free(result->inputs[i].source_column);
        free(result->inputs[i].role);
    }
    free(result->inputs);
    result_forget_measures(result);
    for (size_t i = 0; i < result->source_count; i++) {
        gbv_source_result *s = &result->sources[i];
        free(s->name);
        free(s->confusion);
        free_texts(s->warnings, s->warning_count);
        for (size_t j = 0; j < s->flag_count; j++) {
            free(s->flags[j].kind);
            free(s->flags[j].detail);
        }
        free(s->flags);
    }
    free(result->sources);
    for (size_t i = 0; i < result->tau_count; i++)
        free(result->tau_curve[i].posterior);
    free(result->tau_curve);
    free(result);
}

/* Takes `text`, which may be NULL when its own allocation failed. */
static bool append_text(char ***texts, size_t *count, char *text)
{
    char **grown = text ? realloc(*texts, (*count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(text);
        return false;
    }
    *texts = grown;
    grown[(*count)++] = text;
    return true;
}

bool text_list_add(char ***texts, size_t *count, const char *text)
{
    return append_text(texts, count, strdup(text));
}

static char *format_text(const char *format, va_list arguments)
{
    char *text;
    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

bool result_warn(gbv_result *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    return append_text(&result->warnings, &result->warning_count, text);
}

bool result_add_option(gbv_result *result, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    gbv_option_record record = {.name = strdup(name), .value = format_text(format, arguments)};
    va_end(arguments);
    gbv_option_record *grown = NULL;
    if (record.name && record.value)
        grown = realloc(result->options, (result->option_count + 1) * sizeof *grown);
    if (!grown) {
        free(record.name);
        free(record.value);
        return false;
    }
    result->options = grown;
    grown[result->option_count++] = record;
    return true;
}
