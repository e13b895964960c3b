#include "data/feature_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text_table.h"

char *const *dataset_feature_names(const gbv_dataset *dataset)
{
    return dataset->base ? dataset->base->column_names : dataset->column_names;
}

gbv_status gbv_dataset_name_features(gbv_dataset *dataset, const char *const *names, gbv_error *error)
{
    size_t count = dataset->features.columns;
    char **copies = memory_zeroed(count, sizeof *copies);
    bool copied = copies;
    for (size_t i = 0; i < count && copied; i++)
        copied = (copies[i] = strdup(names[i]));
    char **old = copied ? dataset->column_names : copies;
    if (copied)
        dataset->column_names = copies;
    for (size_t i = 0; old && i < count; i++)
        free(old[i]);
    free(old);
    return copied ? GBV_OK : error_out_of_memory(error, "the names of the features");
}

gbv_status feature_names_compare(char *const *names, char *const *wanted, size_t count, feature_difference *difference,
                                 gbv_error *error)
{
    text_table known = {0};
    gbv_status status = GBV_OK;
    *difference = (feature_difference){0};
    if (!names || !wanted || names == wanted)
        return GBV_OK;
    size_t first = 0;
    while (first < count && strcmp(names[first], wanted[first]) == 0)
        first++;
    difference->first = first;
    difference->any = first < count;
    for (size_t i = first; i < count && status == GBV_OK; i++)
        if (text_table_add(&known, wanted[i], strlen(wanted[i])) == TEXT_NONE)
            status = error_out_of_memory(error, "the names of the features");
    for (size_t i = first; i < count && !difference->moved; i++)
        difference->moved =
            strcmp(names[i], wanted[i]) != 0 && text_table_find(&known, names[i], strlen(names[i])) != TEXT_NONE;
    text_table_free(&known);
    return status;
}
