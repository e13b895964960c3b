/* training.c - how a training went, as it is heard of and from the lines that gbv train --metrics leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gbv/report.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/json_fields.h"

/* The place of an epoch: after those before it, in place of one that was begun before. */
static gbv_training_epoch *place_of(gbv_training *t, size_t epoch)
{
    while (t->epoch_count && t->epochs[t->epoch_count - 1].epoch >= epoch)
        t->epoch_count--;
    if (!memory_grow(&t->epochs, &t->capacity, t->epoch_count + 1, sizeof *t->epochs))
        return NULL;
    return &t->epochs[t->epoch_count++];
}

bool gbv_training_add(gbv_training *training, const gbv_epoch *epoch, double test_accuracy)
{
    gbv_training_epoch *to = place_of(training, epoch->epoch);
    if (to)
        *to = (gbv_training_epoch){.epoch = epoch->epoch,
                                   .epochs = epoch->epochs,
                                   .rows = epoch->rows,
                                   .loss = epoch->loss,
                                   .held_out_loss = epoch->held_out_loss,
                                   .held_out_accuracy = epoch->held_out_accuracy,
                                   .test_accuracy = test_accuracy,
                                   .learning_rate = epoch->learning_rate,
                                   .seconds = epoch->seconds,
                                   .best = epoch->best};
    return to;
}

static void read_epoch(json_fields *f, const json_t *object, gbv_training *t)
{
    gbv_training_epoch one = {.epoch = field_count(f, object, "epoch"),
                              .epochs = field_count(f, object, "epochs"),
                              .rows = field_optional_count(f, object, "rows"),
                              .loss = field_number(f, object, "loss", NAN),
                              .held_out_loss = field_optional_number(f, object, "held_out_loss"),
                              .held_out_accuracy = field_optional_number(f, object, "held_out_accuracy"),
                              .test_accuracy = field_optional_number(f, object, "test_accuracy"),
                              .learning_rate = field_optional_number(f, object, "learning_rate"),
                              .seconds = field_optional_number(f, object, "seconds"),
                              .best = field_optional_number(f, object, "best") > 0};
    gbv_training_epoch *to = f->status == GBV_OK ? place_of(t, one.epoch) : NULL;
    if (to)
        *to = one;
    else if (f->status == GBV_OK)
        f->status = error_out_of_memory(f->error, "a training");
}

/* Lines of epochs, then the numbers of the run, which may be missing when the run was stopped. */
static void read_lines(json_fields *f, const char *text, size_t size, gbv_training *t)
{
    const char *end = text + size;
    char place[64];
    for (size_t line = 1; text < end && f->status == GBV_OK; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        json_error_t problem;
        snprintf(place, sizeof place, "line %zu", line);
        f->place = place;
        if (stop > text) {
            json_t *object = json_loadb(text, (size_t)(stop - text), 0, &problem);
            if (!object)
                f->status = error_set(f->error, GBV_BAD_INPUT,
                                      "%s: line %zu is not JSON (%s): expected the lines of gbv train --metrics",
                                      f->path, line, problem.text);
            else if (json_object_get(object, "epoch"))
                read_epoch(f, object, t);
            json_decref(object);
        }
        text = stop + 1;
    }
    if (f->status == GBV_OK && !t->epoch_count)
        f->status = error_set(f->error, GBV_BAD_INPUT,
                              "%s: has no line with an \"epoch\": expected the lines of gbv train --metrics", f->path);
}

gbv_status gbv_training_read(const char *path, gbv_training **training, gbv_error *error)
{
    mapped_file file;
    *training = NULL;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    json_fields f = {.path = path, .what = "training", .command = "train --metrics", .error = error};
    gbv_training *made = calloc(1, sizeof *made);
    if (made)
        read_lines(&f, (const char *)file.bytes, file.size, made);
    else
        f.status = error_out_of_memory(error, "a training");
    mapped_file_close(&file);
    if (f.status == GBV_OK)
        *training = made;
    else
        gbv_training_free(made);
    return f.status;
}

void gbv_training_free(gbv_training *training)
{
    if (!training)
        return;
    free(training->model);
    free(training->epochs);
    gbv_evaluation_free(training->test);
    free(training);
}
