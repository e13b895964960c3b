/* npy.h - the golden .npy inputs: version 1.0, little-endian, C order, float64 or int64. */
#ifndef TESTS_MEASURE_NPY_H
#define TESTS_MEASURE_NPY_H

#include "test_support.h"

typedef struct npy {
    size_t rows, columns;
    double *values; /* int64 converted; free it */
} npy;

static inline npy npy_load(const char *name)
{
    char path[512], header[256];
    unsigned char start[10];
    npy array = {.columns = 1};
    snprintf(path, sizeof path, "%s/%s.npy", GOLDEN, name);
    FILE *stream = fopen(path, "rb");
    if (!stream || fread(start, 1, 10, stream) != 10)
        fail_msg("%s cannot be read", path);
    size_t length = (size_t)start[8] | (size_t)start[9] << 8;
    assert_true(length < sizeof header);
    assert_int_equal(fread(header, 1, length, stream), length);
    header[length] = 0;
    bool integers = strstr(header, "'<i8'") != NULL;
    assert_true(integers || strstr(header, "'<f8'"));
    int found = sscanf(strchr(header, '(') + 1, "%zu, %zu", &array.rows, &array.columns);
    assert_true(found >= 1);
    array.values = malloc(array.rows * array.columns * sizeof(double));
    assert_int_equal(fread(array.values, 8, array.rows * array.columns, stream), array.rows * array.columns);
    fclose(stream);
    for (size_t i = 0; integers && i < array.rows * array.columns; i++) {
        int64_t value;
        memcpy(&value, &array.values[i], 8);
        array.values[i] = (double)value;
    }
    return array;
}

static inline gbv_matrix npy_matrix(const npy *array)
{
    return gbv_matrix_f64(array->values, array->rows, array->columns);
}

static inline int32_t *npy_labels(const char *name)
{
    npy array = npy_load(name);
    int32_t *labels = malloc(array.rows * sizeof *labels);
    for (size_t i = 0; i < array.rows; i++)
        labels[i] = (int32_t)array.values[i];
    free(array.values);
    return labels;
}

/* The number in tests/golden/measure.tsv; its absence fails the test. */
static inline double golden(const char *key)
{
    double value = NAN;
    if (!golden_number("measure.tsv", key, &value))
        fail_msg("measure.tsv has no %s", key);
    return value;
}

/* A score that must come out. */
static inline double score_of(const char *name, const char *variant, const gbv_measure_input *input)
{
    double score = NAN;
    gbv_error error = {0};
    assert_ok(gbv_measure(name, variant, input, &score, NULL, &error), error);
    return score;
}

#endif
