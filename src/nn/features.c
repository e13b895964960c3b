/* features.c - what a model sees in each row, for measures and other models: rows go through it a block at a time, so
 * that a file of any length can be made. */
#include <stdlib.h>

#include "base/error.h"
#include "base/plan.h"
#include "data/array_writer.h"
#include "data/dataset.h"
#include "nn/model.h"

enum { BLOCK_ROWS = 512 };

/* Where features go: into the caller's array or after each other into a file. */
typedef struct destination {
    float *array;
    FILE *stream;
    gbv_progress_callback *progress; /* may be NULL */
    void *context;
} destination;

size_t gbv_model_feature_count(const gbv_model *model)
{
    return model_feature_count(model);
}

/* One block of usable rows from `first` on, as floats. */
static gbv_status read_block(const gbv_model *model, const gbv_dataset *dataset, size_t first, size_t count,
                             size_t threads, arena *scratch, float *features, gbv_error *error)
{
    size_t width = model_feature_count(model);
    size_t *rows = arena_array(scratch, count, sizeof *rows);
    double *wide = arena_array(scratch, count, width * sizeof *wide);
    if (!rows || !wide)
        return error_out_of_memory(error, "the features");
    for (size_t i = 0; i < count; i++)
        rows[i] = dataset->row_index ? dataset->row_index[first + i] : first + i;
    sample_part part = sample_part_of(dataset, rows, count, NULL, NULL);
    sample block = sample_of(&part);
    readout out = {.features = wide, .threads = threads, .before = first};
    gbv_status status = model_read_out(model, &block, &out, scratch, error);
    for (size_t i = 0; i < count * width && status == GBV_OK; i++)
        features[i] = (float)wide[i];
    return status == GBV_OK ? status : error_prefix(error, status, "%s: ", dataset->name);
}

static gbv_status extract(const gbv_model *model, const gbv_dataset *dataset, const destination *to, gbv_error *error)
{
    size_t width = model_feature_count(model), total = dataset->row_count;
    arena scratch = {0};
    float *buffer = to->array ? NULL : memory_array(BLOCK_ROWS, width * sizeof *buffer);
    plan p = plan_begin(model->net ? model->threads : 1);
    gbv_status status = to->array || buffer ? GBV_OK : error_out_of_memory(error, "the features");
    for (size_t first = 0; first < total && status == GBV_OK; first += BLOCK_ROWS) {
        size_t count = total - first < BLOCK_ROWS ? total - first : BLOCK_ROWS;
        float *features = to->array ? to->array + first * width : buffer;
        arena_reset(&scratch);
        if (to->progress && to->progress(to->context, "features", first, total))
            status = error_set(error, GBV_INTERRUPTED, "interrupted");
        else
            status = read_block(model, dataset, first, count, p.threads, &scratch, features, error);
        if (status == GBV_OK && to->stream)
            npy_write_rows(to->stream, array_matrix(gbv_matrix_f32(features, count, width)));
    }
    if (status == GBV_OK && to->progress && to->progress(to->context, "features", total, total))
        status = error_set(error, GBV_INTERRUPTED, "interrupted");
    plan_end(p);
    arena_free(&scratch);
    free(buffer);
    return status;
}

gbv_status gbv_features(const gbv_model *model, const gbv_dataset *dataset, float *features,
                        gbv_progress_callback *progress, void *context, gbv_error *error)
{
    gbv_status status = model_check_dataset(model, dataset, error);
    destination to = {.array = features, .progress = progress, .context = context};
    return status == GBV_OK ? extract(model, dataset, &to, error) : status;
}

static gbv_status write_labels(const gbv_dataset *dataset, const char *path, gbv_error *error)
{
    int64_t *integers = memory_array(dataset->row_count, sizeof *integers);
    gbv_status status =
        integers ? npy_write_file(path, array_labels(dataset, dataset->labels, dataset->row_count, integers), error)
                 : error_out_of_memory(error, "the labels");
    free(integers);
    return status;
}

gbv_status gbv_features_write(const gbv_model *model, const gbv_dataset *dataset, const char *path,
                              const char *labels_path, gbv_progress_callback *progress, void *context, gbv_error *error)
{
    output_file output;
    gbv_status status = model_check_dataset(model, dataset, error);
    if (status == GBV_OK && labels_path && !dataset->labels)
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: has no labels to write: give them as FEATURES,LABELS, or leave "
                           "them out",
                           dataset->name);
    if (status == GBV_OK)
        status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    gbv_matrix whole = gbv_matrix_f32(NULL, dataset->row_count, model_feature_count(model));
    npy_write_header(output.stream, array_matrix(whole));
    status = extract(model, dataset, &(destination){.stream = output.stream, .progress = progress, .context = context},
                     error);
    if (status == GBV_OK && labels_path)
        status = write_labels(dataset, labels_path, error);
    if (status == GBV_OK)
        return output_commit(&output, error);
    output_abandon(&output);
    return status;
}
