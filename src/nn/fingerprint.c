#include "nn/fingerprint.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/plan.h"

enum { BLOCK_ROWS = 64 };

void fingerprint_text(hash_stream *hash, const char *name, const char *value)
{
    hash_add(hash, name, strlen(name) + 1);
    hash_add(hash, value ? value : "", value ? strlen(value) + 1 : 1);
}

void fingerprint_number(hash_stream *hash, const char *name, double value)
{
    char text[NUMBER_TEXT];
    fingerprint_text(hash, name, number_format(value, text));
}

void fingerprint_training(hash_stream *hash, const gbv_model_options *o, const char *subject, uint32_t draw)
{
    fingerprint_text(hash, "model", o->model);
    fingerprint_text(hash, "optimizer", o->optimizer);
    fingerprint_text(hash, "schedule", o->schedule);
    fingerprint_text(hash, "normalise", o->normalise);
    fingerprint_text(hash, "backend", backend_find(o->backend)->name); /* the one that "auto" stands for */
    fingerprint_number(hash, "level", backend_find(o->backend)->level());
    fingerprint_text(hash, "subject", subject);
    fingerprint_text(hash, "instruction set", plan_instruction_set());
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"epochs", (double)o->epochs},
                   {"batch", (double)o->batch},
                   {"learning_rate", o->learning_rate},
                   {"momentum", o->momentum},
                   {"nesterov", o->nesterov},
                   {"weight_decay", o->weight_decay},
                   {"label_smoothing", o->label_smoothing},
                   {"dropout", o->dropout},
                   {"held_out", o->held_out},
                   {"patience", (double)o->patience},
                   {"threads", (double)o->threads_per_model},
                   {"seed high", (double)(o->seed >> 32)},
                   {"seed low", (double)(o->seed & UINT32_MAX)},
                   {"draw", draw}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fingerprint_number(hash, numbers[i].name, numbers[i].value);
}

gbv_status fingerprint_rows(hash_stream *hash, const sample *rows, size_t class_count, size_t threads, gbv_error *error)
{
    arena scratch = {0};
    gbv_image_shape shape = sample_shape(rows);
    bool images = shape.height > 0, bytes = images && sample_is_bytes(rows);
    size_t size = bytes ? 1 : images ? sizeof(float) : sizeof(double), numbers[BLOCK_ROWS];
    size_t width = rows->columns * size;
    void *buffer = arena_array(&scratch, rows->columns, BLOCK_ROWS * size);
    int32_t *classes = arena_array(&scratch, rows->rows, sizeof *classes);
    double *weights = arena_array(&scratch, rows->rows, sizeof *weights);
    gbv_status status = buffer && classes && weights ? GBV_OK : error_out_of_memory(error, "the hash of a source");
    fingerprint_number(hash, "rows", (double)rows->rows);
    fingerprint_number(hash, "classes", (double)class_count);
    fingerprint_number(hash, "height", (double)shape.height);
    fingerprint_number(hash, "width", (double)shape.width);
    fingerprint_number(hash, "channels", (double)shape.channels);
    for (size_t first = 0; first < rows->rows && status == GBV_OK; first += BLOCK_ROWS) {
        size_t count = rows->rows - first < BLOCK_ROWS ? rows->rows - first : BLOCK_ROWS;
        const void *block = buffer;
        for (size_t i = 0; i < count; i++)
            numbers[i] = first + i;
        if (images)
            status = sample_images(rows, numbers, count, threads, bytes ? buffer : NULL, bytes ? NULL : buffer, error);
        else
            block = sample_block_f64(rows, first, count, buffer);
        if (status == GBV_OK)
            hash_add(hash, block, width * count);
    }
    if (status == GBV_OK) {
        sample_labels(rows, classes, weights);
        hash_add(hash, classes, rows->rows * sizeof *classes);
        hash_add(hash, weights, rows->rows * sizeof *weights);
    }
    arena_free(&scratch);
    return status;
}
