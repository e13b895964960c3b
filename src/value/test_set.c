#include "value/test_set.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sentence.h"
#include "data/feature_names.h"
#include "data/judged_classes.h"
#include "value/result.h"

enum { CLASSES_NAMED = 5 };

static gbv_status check_features(const gbv_dataset *dataset, const source *first, gbv_error *error)
{
    size_t columns = first->dataset->features.columns;
    if (dataset->features.columns != columns)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has %zu features, the sources have %zu: give the same features in the same order",
                         dataset->name, dataset->features.columns, columns);
    feature_difference difference;
    char *const *names = dataset_feature_names(dataset), *const *wanted = dataset_feature_names(first->dataset);
    gbv_status status = feature_names_compare(names, wanted, columns, &difference, error);
    if (status == GBV_OK && difference.moved)
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: has the column \"%.100s\" as feature %zu, source '%s' has \"%.100s\" there: bring the "
                           "columns into the same order",
                           dataset->name, names[difference.first], difference.first + 1, first->name,
                           wanted[difference.first]);
    return status;
}

gbv_status test_set_open(const gbv_dataset *dataset, const gbv_sources *sources, const class_table *classes,
                         test_set *test, gbv_error *error)
{
    *test = (test_set){.dataset = dataset};
    if (!dataset->labels)
        return error_set(error, GBV_BAD_INPUT, "%s: has no labels to judge by: give them as FEATURES,LABELS",
                         dataset->name);
    if (dataset->row_count == 0)
        return error_set(error, GBV_BAD_INPUT, "%s: has no rows to judge by: give a test set with some", dataset->name);
    gbv_status status = check_features(dataset, &sources->items[0], error);
    if (status != GBV_OK)
        return status;
    if (!(test->class_of_label = memory_array(dataset->class_count, sizeof *test->class_of_label)))
        return error_out_of_memory(error, "the test set");
    status = judged_classes(dataset, classes->names, classes->count, "the sources and the reference",
                            test->class_of_label, error);
    if (status != GBV_OK)
        return status;
    for (size_t i = 0; i < dataset->row_count; i++)
        test->unknown_rows += test->class_of_label[dataset->labels[i]] < 0;
    if (test->unknown_rows == dataset->row_count) {
        sentence first = {0};
        sentence_quote(&first, dataset->class_names[dataset->labels[0]]);
        return error_set(error, GBV_BAD_INPUT,
                         "%s: none of its rows is of a class that the sources or the reference have (the first row "
                         "is of %s): give a test set of the same classes",
                         dataset->name, first.text);
    }
    test->part = sample_part_of(dataset, dataset->row_index, dataset->row_count, NULL, NULL);
    test->rows = sample_of(&test->part);
    return GBV_OK;
}

void test_set_close(test_set *test)
{
    free(test->class_of_label);
}

static bool warn_about_classes(const test_set *test, gbv_result *result)
{
    sentence names = {0};
    size_t count = 0;
    for (size_t c = 0; c < test->dataset->class_count; c++)
        if (test->class_of_label[c] < 0 && count++ < CLASSES_NAMED) {
            sentence_add(&names, count > 1 ? ", " : "");
            sentence_quote(&names, test->dataset->class_names[c]);
        }
    if (count > CLASSES_NAMED)
        sentence_add(&names, " and %zu more", count - CLASSES_NAMED);
    return count == 0 ||
           result_warn(result,
                       "%zu of %zu rows of the test set are of %zu class%s that neither sources nor reference have "
                       "(%s): they count as wrong for every method",
                       test->unknown_rows, test->rows.rows, count, count > 1 ? "es" : "", names.text);
}

bool test_set_warn(const test_set *test, const gbv_dataset *reference, const gbv_sources *sources, gbv_result *result)
{
    if (!warn_about_classes(test, result))
        return false;
    if (reference && (reference == test->dataset || dataset_share_a_file(reference, test->dataset)) &&
        !result_warn(result,
                     "the test set (%s) holds the very rows of the reference, by which the sources were valued and "
                     "baselines are trained: its accuracies flatter them; give rows of its own",
                     test->dataset->name))
        return false;
    for (size_t d = 0; d < sources->dataset_count; d++)
        if (!sources->datasets[d]->base && dataset_share_a_file(sources->datasets[d], test->dataset))
            return result_warn(result,
                               "the test set (%s) holds rows of the sources (%s), which final models are trained on: "
                               "give rows of its own",
                               test->dataset->name, sources->datasets[d]->name);
    return true;
}

gbv_status test_set_judge(const test_set *test, const gbv_model *model, arena *scratch, double *accuracy,
                          gbv_error *error)
{
    size_t rows = test->rows.rows, outputs = model->outputs, correct = 0;
    double *logits = arena_array(scratch, rows, outputs * sizeof *logits);
    if (!logits)
        return error_out_of_memory(error, "the predictions");
    readout out = {.logits = logits};
    gbv_status status = model_read_out(model, &test->rows, &out, scratch, error);
    if (status != GBV_OK)
        return status;
    for (size_t i = 0; i < rows; i++) {
        const double *row = logits + i * outputs;
        size_t best = 0;
        for (size_t z = 1; z < outputs; z++)
            if (row[z] > row[best])
                best = z;
        correct += model->classes[best] == test->class_of_label[test->dataset->labels[i]];
    }
    *accuracy = (double)correct / (double)rows;
    return GBV_OK;
}
