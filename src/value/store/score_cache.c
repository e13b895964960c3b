#include "value/store/score_cache.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "nn/fingerprint.h"
#include "value/store/cache_folder.h"

bool score_cache_key(const char *run, const gbv_augmentor *augmentor, char key[65])
{
    hash_stream hash = hash_open();
    fingerprint_text(&hash, "run", run);
    fingerprint_text(&hash, "op", augmentor->op ? augmentor->op->name : "");
    fingerprint_number(&hash, "magnitude", augmentor->magnitude);
    fingerprint_number(&hash, "coin", augmentor->coin);
    return hash_close(&hash, key);
}

/* Numbers that are not finite are null in JSON; all of them are NaN here. */
static void hash_all(const double *numbers, size_t count, char sha256[65])
{
    hash_stream hash = hash_open();
    for (size_t i = 0; i < count; i++)
        fingerprint_number(&hash, "", isfinite(numbers[i]) ? numbers[i] : 0);
    if (!hash_close(&hash, sha256))
        *sha256 = '\0';
}

bool score_cache_find(const char *folder, const char *key, double *numbers, size_t count, char *reason,
                      size_t reason_size)
{
    char *path = cache_path(folder, key, CACHE_SCORE), sha256[65];
    json_t *root = path && access(path, R_OK) == 0 ? json_load_file(path, 0, NULL) : NULL;
    const json_t *array = json_object_get(root, "numbers");
    const char *own = json_string_value(json_object_get(root, "key")),
               *check = json_string_value(json_object_get(root, "sha256")),
               *why = json_string_value(json_object_get(root, "reason"));
    bool sound = own && strcmp(own, key) == 0 && check && json_array_size(array) == count;
    for (size_t i = 0; i < count && sound; i++) {
        const json_t *number = json_array_get(array, i);
        sound = json_is_number(number) || json_is_null(number);
        numbers[i] = json_is_null(number) ? NAN : json_number_value(number);
    }
    if (sound) {
        hash_all(numbers, count, sha256);
        sound = strcmp(sha256, check) == 0;
    }
    if (sound) {
        snprintf(reason, reason_size, "%s", why ? why : "");
        cache_used(path);
    }
    json_decref(root);
    free(path);
    return sound;
}

static void write_record(FILE *stream, const score_record *record)
{
    char sha256[65];
    json_writer json = json_open(stream);
    json.compact = true;
    hash_all(record->numbers, record->count, sha256);
    json_begin_object(&json, NULL);
    json_text(&json, "key", record->key);
    json_text(&json, "model", record->model);
    json_text(&json, "subject", record->subject);
    json_count(&json, "rows", record->rows);
    json_text(&json, "reason", record->reason);
    json_text(&json, "sha256", sha256);
    json_begin_array(&json, "numbers");
    for (size_t i = 0; i < record->count; i++)
        json_number(&json, NULL, record->numbers[i]);
    json_end(&json);
    json_end(&json);
}

bool score_cache_keep(const char *folder, size_t most, const score_record *record)
{
    char *path = cache_path(folder, record->key, CACHE_SCORE);
    output_file output;
    bool kept = path && cache_make_folder(folder) && output_open(path, &output, NULL) == GBV_OK;
    if (kept) {
        write_record(output.stream, record);
        kept = output_commit(&output, NULL) == GBV_OK;
    }
    free(path);
    return kept && cache_keep_within(folder, most);
}
