/* test_set.h - labelled rows that judge models, with their labels as classes of the valuation. */
#ifndef VALUE_TEST_SET_H
#define VALUE_TEST_SET_H

#include <gbv/value.h>

#include "data/sources.h"
#include "nn/model.h"

typedef struct test_set {
    const gbv_dataset *dataset;
    sample_part part;
    sample rows;             /* points to `part`: do not move the struct */
    int32_t *class_of_label; /* of each class of the dataset: its class in the table, -1 for one nobody trains on */
    size_t unknown_rows;     /* of such classes */
} test_set;

/* Fails with GBV_BAD_INPUT when the set has no labels, is of another width or order than the sources, or its labels are
 * misspelt classes. */
GBV_MUST_CHECK gbv_status test_set_open(const gbv_dataset *dataset, const gbv_sources *sources,
                                        const class_table *classes, test_set *test, gbv_error *error);
void test_set_close(test_set *test);

/* Warnings about rows that nobody can get right, and about rows that were used otherwise. False when memory is out. */
bool test_set_warn(const test_set *test, const gbv_dataset *reference, const gbv_sources *sources, gbv_result *result);

/* The share of rows whose class the model finds most probable. */
GBV_MUST_CHECK gbv_status test_set_judge(const test_set *test, const gbv_model *model, arena *scratch, double *accuracy,
                                         gbv_error *error);

#endif
