#include "nn/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/output.h"
#include "nn/fingerprint.h"
#include "nn/safetensors.h"

gbv_status checkpoint_identify(checkpoint *c, const loop_task *task, gbv_error *error)
{
    const fit_task *fit = task->fit;
    gbv_model_options options = *task->options;
    options.threads_per_model = 0; /* those of the file count */
    options.backend = backend_find(options.backend)->name;
    hash_stream hash = hash_open();
    fingerprint_text(&hash, "version", gbv_version());
    fingerprint_training(&hash, &options, fit->subject, fit->how->draw);
    fingerprint_number(&hash, "use", fit->how->use);
    fingerprint_number(&hash, "decay", task->decay);
    if (task->policy) { /* a file counts by what it holds */
        bool file = *task->policy->sha256;
        fingerprint_text(&hash, "policy", file ? task->policy->sha256 : task->policy->name);
        fingerprint_text(&hash, "policy variant", task->policy->variant);
        fingerprint_number(&hash, "policy noise", task->policy->noise);
    }
    /* What it begins with says which net it is, and whose weights. */
    hash_add(&hash, task->values->parameters, c->net->parameter_count * sizeof(float));
    hash_add(&hash, task->values->statistics, c->net->statistic_count * sizeof(float));
    gbv_status status =
        fingerprint_rows(&hash, fit->data, fit->outputs, task->rows.threads ? task->rows.threads : 1, error);
    bool closed = hash_close(&hash, c->identity);
    return status == GBV_OK && !closed ? error_set(error, GBV_FAILED, "the SHA-256 of a training could not be computed")
                                       : status;
}

/* Everything but the arrays, as one tensor: counts stay below 2^53. */
enum {
    STATE_EPOCH,
    STATE_BATCH,
    STATE_STEP,
    STATE_LOSS,
    STATE_BEST_EPOCH,
    STATE_BEST_LOSS,
    STATE_THREADS,
    STATE_COUNT
};
enum { CURVE_COLUMNS = 3, MOST_TENSORS = 8 };

/* The arrays of floats by name, for writing and reading alike. */
typedef struct named_floats {
    const char *name;
    float *values;
    size_t count;
} named_floats;

static size_t list_arrays(const checkpoint *c, named_floats arrays[MOST_TENSORS])
{
    const net *n = c->net;
    size_t count = 0;
    arrays[count++] = (named_floats){"parameters", c->values->parameters, n->parameter_count};
    arrays[count++] = (named_floats){"first_moments", c->first, n->parameter_count};
    arrays[count++] = (named_floats){"second_moments", c->second, n->parameter_count};
    if (n->statistic_count)
        arrays[count++] = (named_floats){"statistics", c->values->statistics, n->statistic_count};
    if (c->best)
        arrays[count++] = (named_floats){"best_parameters", c->best->parameters, n->parameter_count};
    if (c->best && n->statistic_count)
        arrays[count++] = (named_floats){"best_statistics", c->best->statistics, n->statistic_count};
    if (c->policy_scores)
        arrays[count++] = (named_floats){"policy_scores", c->policy_scores, c->policy_score_count};
    return count;
}

gbv_status checkpoint_write(const checkpoint *c, gbv_error *error)
{
    named_floats arrays[MOST_TENSORS] = {{0}};
    tensor tensors[MOST_TENSORS + 2];
    size_t count = list_arrays(c, arrays), epochs = c->state->epoch;
    const loop_state *s = c->state;
    const double state[STATE_COUNT] = {[STATE_EPOCH] = (double)s->epoch,
                                       [STATE_BATCH] = (double)s->batch,
                                       [STATE_STEP] = (double)s->step,
                                       [STATE_LOSS] = s->loss,
                                       [STATE_BEST_EPOCH] = (double)s->best_epoch,
                                       [STATE_BEST_LOSS] = s->best_loss,
                                       [STATE_THREADS] = (double)s->threads};
    double *curve = memory_zeroed(epochs + 1, CURVE_COLUMNS * sizeof *curve);
    output_file output;
    gbv_status status = curve ? output_open(c->path, &output, error) : error_out_of_memory(error, "a checkpoint");
    if (status != GBV_OK)
        goto done;
    for (size_t e = 0; e < epochs; e++) {
        const epoch_record *made = *c->curve + e;
        curve[e * CURVE_COLUMNS] = made->loss;
        if (c->best) {
            curve[e * CURVE_COLUMNS + 1] = made->held_out_loss;
            curve[e * CURVE_COLUMNS + 2] = made->held_out_accuracy;
        }
    }
    for (size_t i = 0; i < count; i++)
        tensors[i] =
            (tensor){.name = arrays[i].name, .floats = arrays[i].values, .axes = 1, .shape = {arrays[i].count}};
    tensors[count++] = (tensor){.name = "state", .doubles = state, .axes = 1, .shape = {STATE_COUNT}};
    if (epochs)
        tensors[count++] = (tensor){.name = "curve", .doubles = curve, .axes = 2, .shape = {epochs, CURVE_COLUMNS}};
    const metadata texts[] = {{"format", "gbv-checkpoint"}, {"gbv", gbv_version()}, {"identity", c->identity}};
    if (safetensors_write(output.stream, tensors, count, texts, sizeof texts / sizeof *texts)) {
        status = output_commit(&output, error);
        if (status != GBV_OK) /* of the epoch that has just ended, or of the one that is under way */
            status =
                error_prefix(error, status,
                             "the checkpoint of epoch %zu was lost, the one before is kept: ", epochs + (s->batch > 0));
    } else {
        output_abandon(&output);
        status = error_out_of_memory(error, "a checkpoint");
    }
done:
    free(curve);
    return status;
}

static gbv_status read_state(checkpoint *c, const safetensors *file, gbv_error *error)
{
    double s[STATE_COUNT];
    gbv_status status = safetensors_doubles(file, "state", 1, (size_t[]){STATE_COUNT}, "a checkpoint", s, error);
    if (status != GBV_OK)
        return status;
    for (int i = 0; i < STATE_COUNT; i++)
        if (i != STATE_LOSS && i != STATE_BEST_LOSS && !(s[i] >= 0 && s[i] < 0x1p53 && s[i] == floor(s[i])))
            return error_set(error, GBV_BAD_INPUT, "%s: number %d of its state is %g: remove it and begin anew",
                             c->path, i + 1, s[i]);
    *c->state = (loop_state){.epoch = (size_t)s[STATE_EPOCH],
                             .batch = (size_t)s[STATE_BATCH],
                             .step = (uint64_t)s[STATE_STEP],
                             .loss = s[STATE_LOSS],
                             .best_epoch = (size_t)s[STATE_BEST_EPOCH],
                             .best_loss = s[STATE_BEST_LOSS],
                             .threads = (size_t)s[STATE_THREADS]};
    return GBV_OK;
}

static gbv_status read_arrays(checkpoint *c, const safetensors *file, size_t most_epochs, gbv_error *error)
{
    named_floats arrays[MOST_TENSORS] = {{0}};
    size_t count = list_arrays(c, arrays), epochs = c->state->epoch;
    gbv_status status = GBV_OK;
    if (epochs > most_epochs || c->state->best_epoch > epochs)
        return error_set(error, GBV_BAD_INPUT, "%s: says that epoch %zu of %zu is done: remove it and begin anew",
                         c->path, epochs, most_epochs);
    if (c->state->threads == 0 || c->state->threads > MOST_THREADS)
        return error_set(error, GBV_BAD_INPUT, "%s: says that it was trained by %zu threads: remove it and begin anew",
                         c->path, c->state->threads);
    for (size_t i = 0; i < count && status == GBV_OK; i++)
        status = safetensors_floats(file, arrays[i].name, 1, &arrays[i].count, "a checkpoint", arrays[i].values, error);
    for (size_t i = 0; c->policy_scores && i < c->policy_score_count && status == GBV_OK; i++)
        if (!(c->policy_scores[i] >= 0 && c->policy_scores[i] <= 1))
            status = error_set(error, GBV_BAD_INPUT,
                               "%s: its policy's score of row %zu is %g, not from 0 to 1: remove it and begin anew",
                               c->path, i + 1, (double)c->policy_scores[i]);
    double *curve = memory_array(epochs + 1, CURVE_COLUMNS * sizeof *curve);
    if (!curve || !memory_grow(c->curve, c->curve_capacity, epochs, sizeof **c->curve)) {
        free(curve);
        return error_out_of_memory(error, "a checkpoint");
    }
    if (status == GBV_OK && epochs)
        status = safetensors_doubles(file, "curve", 2, (size_t[]){epochs, CURVE_COLUMNS}, "a checkpoint", curve, error);
    for (size_t e = 0; e < epochs && status == GBV_OK; e++)
        (*c->curve)[e] = (epoch_record){.loss = curve[e * CURVE_COLUMNS],
                                        .held_out_loss = c->best ? curve[e * CURVE_COLUMNS + 1] : NAN,
                                        .held_out_accuracy = c->best ? curve[e * CURVE_COLUMNS + 2] : NAN};
    free(curve);
    return status;
}

gbv_status checkpoint_read(checkpoint *c, size_t most_epochs, gbv_error *error)
{
    mapped_file bytes;
    safetensors file;
    if (access(c->path, F_OK) != 0) { /* that it can be written is found out now, not after an epoch */
        output_file trial;
        gbv_status possible = output_open(c->path, &trial, error);
        if (possible == GBV_OK)
            output_abandon(&trial);
        return possible;
    }
    if (!c->resume)
        return error_set(error, GBV_USAGE, "%s: is there already: go on from it with --resume, or remove it", c->path);
    gbv_status status = mapped_file_open(c->path, &bytes, error);
    if (status != GBV_OK)
        return status;
    if ((status = safetensors_parse(bytes.bytes, bytes.size, c->path, &file, error)) == GBV_OK) {
        const char *format = safetensors_metadata(&file, "format"), *identity = safetensors_metadata(&file, "identity");
        if (!format || strcmp(format, "gbv-checkpoint") != 0 || !identity)
            status = error_set(error, GBV_BAD_INPUT, "%s: is no checkpoint of a training: name another file", c->path);
        else if (strcmp(identity, c->identity) != 0)
            status =
                error_set(error, GBV_BAD_INPUT,
                          "%s: belongs to another training: the options, the policy, the sources, their weights or "
                          "their rows differ: train as before, or name another file",
                          c->path);
        else
            status = read_state(c, &file, error);
        if (status == GBV_OK)
            status = read_arrays(c, &file, most_epochs, error);
        safetensors_free(&file);
    }
    mapped_file_close(&bytes);
    return status;
}
