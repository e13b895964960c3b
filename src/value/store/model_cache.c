#include "value/store/model_cache.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "nn/fingerprint.h"
#include "value/store/cache_folder.h"

/* Changed whenever the same key would no longer give the same numbers. */
#define CACHE_FORMAT "gbv model cache 1"

const char *gbv_cache_folder(void)
{
    static __thread char path[4096];
    const char *own = getenv("GBV_CACHE"), *usual = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = own               ? snprintf(path, sizeof path, "%s", own)
                 : usual && *usual ? snprintf(path, sizeof path, "%s/gbv/models", usual)
                 : home && *home   ? snprintf(path, sizeof path, "%s/.cache/gbv/models", home)
                                   : 0;
    return length > 0 && (size_t)length < sizeof path ? path : NULL;
}

static gbv_status add_pretrained(hash_stream *hash, const char *path, gbv_error *error)
{
    mapped_file file;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    fingerprint_number(hash, "pretrained", (double)file.size);
    hash_add(hash, file.bytes, file.size);
    mapped_file_close(&file);
    return GBV_OK;
}

gbv_status model_cache_key(const sample *rows, size_t class_count, const gbv_model_options *options,
                           const char *subject, uint32_t draw, char key[65], gbv_error *error)
{
    hash_stream hash = hash_open();
    fingerprint_text(&hash, "format", CACHE_FORMAT);
    fingerprint_text(&hash, "version", GBV_VERSION);
    fingerprint_training(&hash, options, subject, draw);
    gbv_status status = options->pretrained ? add_pretrained(&hash, options->pretrained, error) : GBV_OK;
    if (status == GBV_OK)
        status = fingerprint_rows(&hash, rows, class_count, 1, error);
    bool closed = hash_close(&hash, key);
    return status == GBV_OK && !closed ? error_set(error, GBV_FAILED, "the SHA-256 of a source could not be computed")
                                       : status;
}

static bool hash_model(const gbv_model *model, char sha256[65])
{
    hash_stream hash = hash_open();
    hash_add(&hash, model->classes, model->outputs * sizeof *model->classes);
    hash_add(&hash, model->values.parameters, model->net->parameter_count * sizeof *model->values.parameters);
    hash_add(&hash, model->values.statistics, model->net->statistic_count * sizeof *model->values.statistics);
    return hash_close(&hash, sha256);
}

/* Whether classes and numbers are those that were written: a flipped bit would make a model of its own. */
static bool is_sound(const gbv_model *model)
{
    char sha256[65];
    json_t *about = model->history ? json_loads(model->history, 0, NULL) : NULL;
    const char *written = json_string_value(json_object_get(about, "sha256"));
    bool sound = written && hash_model(model, sha256) && strcmp(written, sha256) == 0;
    json_decref(about);
    return sound;
}

/* A file has names for classes; in the cache they are the numbers by which the run knows them. */
static bool number_classes(gbv_model *model)
{
    for (size_t z = 0; z < model->outputs; z++) {
        char *end;
        long class_index = strtol(model->class_names[z], &end, 10);
        if (*end || class_index < 0 || class_index > INT32_MAX)
            return false;
        model->classes[z] = (int32_t)class_index;
    }
    for (size_t z = 0; z < model->outputs; z++)
        free(model->class_names[z]);
    free(model->class_names);
    model->class_names = NULL;
    return true;
}

gbv_model *model_cache_find(const char *folder, const char *key)
{
    char *path = cache_path(folder, key, CACHE_MODEL);
    gbv_model *model = NULL;
    gbv_error error;
    if (path && access(path, R_OK) == 0) {
        if (gbv_model_read(path, &model, &error) != GBV_OK || !model->net || !model->class_names ||
            !number_classes(model) || !is_sound(model)) {
            gbv_model_free(model);
            model = NULL;
            unlink(path);
        } else {
            free(model->history);
            model->history = NULL; /* as after a fit */
            cache_used(path);
        }
    }
    free(path);
    return model;
}

bool model_cache_has(const char *folder, const char *key)
{
    char *path = cache_path(folder, key, CACHE_MODEL);
    bool has = path && access(path, R_OK) == 0;
    free(path);
    return has;
}

static char *describe(const char *subject, size_t rows, const gbv_model *model)
{
    char sha256[65];
    json_line line;
    if (!hash_model(model, sha256) || !json_line_open(&line))
        return NULL;
    json_begin_object(&line.json, NULL);
    json_text(&line.json, "source", subject);
    json_count(&line.json, "rows", rows);
    json_text(&line.json, "sha256", sha256);
    json_end(&line.json);
    return json_line_close(&line);
}

bool model_cache_keep(const char *folder, size_t most, const char *key, const char *subject, size_t rows,
                      gbv_model *model)
{
    char *path = cache_path(folder, key, CACHE_MODEL), *history = model->history, **names = model->class_names;
    char **numbers = memory_zeroed(model->outputs, sizeof *numbers);
    bool made = path && numbers && (model->history = describe(subject, rows, model)) && cache_make_folder(folder);
    for (size_t z = 0; z < model->outputs && made; z++)
        made = asprintf(&numbers[z], "%d", (int)model->classes[z]) >= 0;
    model->class_names = numbers;
    gbv_error error;
    made = made && gbv_model_write(model, path, &error) == GBV_OK;
    for (size_t z = 0; numbers && z < model->outputs; z++)
        free(numbers[z]);
    free(numbers);
    if (model->history != history)
        free(model->history);
    model->class_names = names;
    model->history = history;
    free(path);
    return made && cache_keep_within(folder, most);
}
