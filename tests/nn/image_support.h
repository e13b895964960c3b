/* image_support.h - real images for the tests of networks: rows of Fashion-MNIST's test set, of a few classes. */
#ifndef IMAGE_SUPPORT_H
#define IMAGE_SUPPORT_H

#include "nn_support.h"

#include <unistd.h>

#include "data/dataset.h"
#include "nn/kind.h"

/* The folder of Debian's package, or what FASHION_MNIST names; the test is skipped where it is not there. */
static inline gbv_dataset *fashion_read(void)
{
    const char *folder = getenv("FASHION_MNIST");
    char argument[1000], images[400];
    gbv_dataset *dataset;
    gbv_error error;
    folder = folder ? folder : "/usr/share/datasets/fashion-mnist";
    snprintf(images, sizeof images, "%s/t10k-images-idx3-ubyte.gz", folder);
    if (access(images, R_OK) != 0) {
        print_message("skipped: %s is not there\n", images);
        skip();
    }
    snprintf(argument, sizeof argument, "%s,%s/t10k-labels-idx1-ubyte.gz", images, folder);
    assert_ok(gbv_dataset_read(argument, NULL, &dataset, &error), error);
    return dataset;
}

typedef struct images {
    gbv_dataset *dataset;
    size_t *rows, count;
    int32_t *labels;
    sample_part part;
    sample data;
} images;

/* The first `count` images of the first `classes` classes, after `skipped` of them. */
static inline images images_of(gbv_dataset *dataset, size_t skipped, size_t count, int32_t classes)
{
    images s = {.dataset = dataset, .rows = calloc(count, sizeof *s.rows), .labels = calloc(count, sizeof *s.labels)};
    assert_true(s.rows && s.labels);
    for (size_t i = 0; i < dataset->row_count && s.count < count; i++)
        if (dataset->labels[i] < classes) {
            if (skipped > 0) {
                skipped--;
                continue;
            }
            s.rows[s.count] = i;
            s.labels[s.count++] = dataset->labels[i];
        }
    assert_int_equal(s.count, count);
    return s;
}

static inline const sample *images_sample(images *s)
{
    s->part = sample_part_of(s->dataset, s->rows, s->count, s->labels, NULL);
    s->data = sample_of(&s->part);
    return &s->data;
}

static inline void images_free(images *s)
{
    free(s->rows);
    free(s->labels);
}

static inline void npy_write(const char *path, const char *type, const char *shape, const void *data, size_t bytes)
{
    char header[119];
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, stream);
    fprintf(stream, "%-117s\n", header);
    fwrite(data, 1, bytes, stream);
    assert_int_equal(fclose(stream), 0);
}

/* Writes images and labels as NPY files; returns the argument that names both. Poisoned, pixels are inverted and labels
 * those of the next class of three. */
static inline const char *images_write(const images *s, const char *folder, const char *name, bool poisoned)
{
    static char argument[1200];
    char pixels_path[500], labels_path[500], shape[60];
    unsigned char *pixels = malloc(s->count * 784);
    int32_t *labels = calloc(s->count, sizeof *labels);
    assert_true(pixels && labels);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t j = 0; j < 784; j++) {
            double value = gbv_matrix_get(&s->dataset->features, s->rows[i], j);
            pixels[784 * i + j] = (unsigned char)(poisoned ? 255 - value : value);
        }
        labels[i] = poisoned ? (s->labels[i] + 1) % 3 : s->labels[i];
    }
    snprintf(pixels_path, sizeof pixels_path, "%s/%s.npy", folder, name);
    snprintf(labels_path, sizeof labels_path, "%s/%s-labels.npy", folder, name);
    snprintf(shape, sizeof shape, "(%zu, 1, 28, 28)", s->count);
    npy_write(pixels_path, "|u1", shape, pixels, s->count * 784);
    snprintf(shape, sizeof shape, "(%zu,)", s->count);
    npy_write(labels_path, "<i4", shape, labels, s->count * sizeof *labels);
    snprintf(argument, sizeof argument, "%s,%s", pixels_path, labels_path);
    free(pixels);
    free(labels);
    return argument;
}

static inline gbv_model_options cnn_options(size_t epochs)
{
    gbv_model_options options = gbv_model_defaults();
    options.model = "cnn";
    options.epochs = epochs;
    options.batch = 16;
    options.threads = 1;
    return options;
}

static inline void assert_same_values(const gbv_model *a, const gbv_model *b)
{
    assert_int_equal(a->net->parameter_count, b->net->parameter_count);
    assert_memory_equal(a->values.parameters, b->values.parameters, a->net->parameter_count * sizeof(float));
    assert_memory_equal(a->values.statistics, b->values.statistics, a->net->statistic_count * sizeof(float));
}

static inline double accuracy_on(const gbv_model *model, images *s)
{
    double *p = model_probabilities(model, images_sample(s));
    size_t right = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t best = 0;
        for (size_t k = 1; k < model->outputs; k++)
            if (p[i * model->outputs + k] > p[i * model->outputs + best])
                best = k;
        right += model->classes[best] == s->labels[i];
    }
    free(p);
    return (double)right / (double)s->count;
}

#endif
