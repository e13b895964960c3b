#include "value/flags.h"

#include <gbv/advice.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "measure/measure.h"

static const struct {
    const char *kind, *summary, *remedy;
} kinds[FLAG_KINDS] = {
    {FLAG_CHANCE, "its model agrees with the reference no more often than chance would",
     "see what its model takes for what: classes that were swapped or renamed are mended with --class-map; otherwise "
     "ask "
     "how its rows were labelled"},
    {FLAG_ONE_CLASS, "all its labels are one class, so that its model cannot tell rows apart",
     "see that the right labels were read; if they were, ask for rows of the other classes"},
    {FLAG_RANK_DISAGREEMENT, "a method that compares labels of the same items ranks it far from where gbv does",
     "look at the items that it and others labelled differently"},
    {FLAG_UNDEFINED, "the measure is not defined for it, and it gets no weight",
     "see the reason; another measure or more rows may give it a score"},
};

bool flag_kind_at(size_t index, const char **kind, const char **summary)
{
    if (index >= FLAG_KINDS)
        return false;
    *kind = kinds[index].kind;
    *summary = kinds[index].summary;
    return true;
}

const char *gbv_flag_remedy(const char *kind)
{
    for (size_t i = 0; i < FLAG_KINDS; i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].remedy;
    return "find out what the flag means here before relying on it";
}

bool flag_add(gbv_source_result *source, const char *kind, const char *format, ...)
{
    va_list arguments;
    gbv_flag flag = {.kind = strdup(kind)};
    va_start(arguments, format);
    if (vasprintf(&flag.detail, format, arguments) < 0)
        flag.detail = NULL;
    va_end(arguments);
    gbv_flag *grown = NULL;
    if (flag.kind && flag.detail)
        grown = realloc(source->flags, (source->flag_count + 1) * sizeof *grown);
    if (!grown) {
        free(flag.kind);
        free(flag.detail);
        return false;
    }
    source->flags = grown;
    grown[source->flag_count++] = flag;
    return true;
}

/* sum_c p*(c) q(c): how often two labellers agree who use the classes as often as the reference and the model do. */
static gbv_status chance_agreement(const gbv_measure_input *input, double *chance, gbv_error *error)
{
    const gbv_matrix *matrix = &input->probabilities;
    double rows = (double)input->rows, *buffer = memory_array(matrix->columns, sizeof *buffer);
    size_t *said = memory_zeroed(input->class_count, sizeof *said),
           *meant = memory_zeroed(input->class_count, sizeof *meant);
    gbv_status status = GBV_OK;
    *chance = 0;
    if (!buffer || !said || !meant) {
        status = error_out_of_memory(error, "the classes that a model says");
        goto done;
    }
    for (size_t i = 0; i < input->rows; i++) {
        int32_t class_index =
            measure_column_class(input, measure_argmax(matrix_row(matrix, i, buffer), matrix->columns));
        if (class_index >= 0)
            said[class_index]++;
        meant[input->labels[i]]++;
    }
    for (size_t c = 0; c < input->class_count; c++)
        *chance += (double)meant[c] / rows * ((double)said[c] / rows);
done:
    free(buffer);
    free(said);
    free(meant);
    return status;
}

gbv_status flag_chance(gbv_source_result *source, const gbv_measure_input *input, gbv_error *error)
{
    double chance;
    if (isnan(source->agreement))
        return GBV_OK;
    gbv_status status = chance_agreement(input, &chance, error);
    if (status != GBV_OK)
        return status;
    double margin = 2 * sqrt(fmax(0, chance * (1 - chance)) / (double)input->rows);
    if (source->agreement > chance + margin || chance + margin >= 1)
        return GBV_OK;
    if (!flag_add(source, FLAG_CHANCE,
                  "source '%s' is inconsistent with the reference: its model agrees on %.4f of %zu rows, and chance "
                  "alone on %.4f (two standard errors: %.4f)",
                  source->name, source->agreement, input->rows, chance, margin))
        return error_out_of_memory(error, "the result");
    return GBV_OK;
}
