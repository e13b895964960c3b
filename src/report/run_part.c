#include "report/run_part.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/json_fields.h"
#include "report/result_json.h"

enum { PART_SCHEMA = 1, HASH_DIGITS = 16 };

/* Numbers as one text with blanks between, because JSON knows neither NaN nor infinities and readers of it lose the
 * sign of zero. */
static bool write_numbers(json_writer *json, const char *key, const double *numbers, size_t count)
{
    char *text = memory_array(count + 1, NUMBER_TEXT), *end = text;
    if (!text)
        return false;
    *end = '\0';
    for (size_t i = 0; i < count; i++) {
        char number[NUMBER_TEXT];
        const char *written = isnan(numbers[i])       ? "nan"
                              : !isfinite(numbers[i]) ? (numbers[i] > 0 ? "inf" : "-inf")
                                                      : number_format(numbers[i], number);
        end += sprintf(end, "%s%s", i ? " " : "", written);
    }
    json_text(json, key, text);
    free(text);
    return true;
}

static bool write_hashes(json_writer *json, const char *key, const uint64_t *hashes, size_t count)
{
    char *text = memory_array(count + 1, HASH_DIGITS), *end = text;
    if (!text)
        return false;
    *end = '\0';
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, "%016" PRIx64, hashes[i]);
    json_text(json, key, text);
    free(text);
    return true;
}

static bool write_document(json_writer *json, const run_part *part)
{
    bool ok = true;
    json_begin_object(json, NULL);
    json_text(json, "gbv", part->run->version);
    json_count(json, "schema", PART_SCHEMA);
    json_text(json, "command", "value");
    json_count(json, "shard", part->shard);
    json_count(json, "shards", part->shards);
    json_count(json, "replicates", part->replicates);
    json_count(json, "refits", part->refits);
    json_bool(json, "undefined_as_zero", part->undefined_as_zero);
    ok &= write_numbers(json, "prior", part->prior, part->run->source_count);
    json_begin_array(json, "components");
    for (size_t k = 0; k < part->source_count; k++) {
        const part_source *s = &part->sources[k];
        json_begin_object(json, NULL);
        json_text(json, "name", part->run->sources[part_source_index(part, k)].name);
        json_begin_array(json, "values");
        for (size_t m = 0; m < part->scoring_count; m++)
            ok &= write_numbers(json, NULL, s->values[m].numbers, s->values[m].count);
        json_end(json);
        ok &= write_hashes(json, "row_hashes", s->row_hashes, s->row_count);
        json_end(json);
    }
    json_end(json);
    result_write_json(json, "run", part->run);
    json_end(json);
    return ok;
}

gbv_status run_part_write(const run_part *part, const char *path, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    json_writer json = json_open(output.stream);
    if (!write_document(&json, part)) {
        output_abandon(&output);
        return error_out_of_memory(error, "a part of a run");
    }
    return output_commit(&output, error);
}

static gbv_status unusable(const char *path, const char *what, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "%s: %s: expected a part as gbv value --shard writes it; run that shard again", path, what);
}

/* Room is taken for what the text can hold, never for what someone says it holds. */
static gbv_status read_numbers(const char *text, part_values *values, const char *path, gbv_error *error)
{
    size_t length = strlen(text);
    const char *c = text, *end = text + length;
    if (!(values->numbers = memory_array(length / 2 + 1, sizeof *values->numbers)))
        return error_out_of_memory(error, "a part of a run");
    while (c < end) {
        const char *stop = memchr(c, ' ', (size_t)(end - c));
        stop = stop ? stop : end;
        if (stop == c || !number_parse(c, stop, &values->numbers[values->count]))
            return unusable(path, "a number cannot be read", error);
        values->count++;
        c = stop + (stop < end);
    }
    return GBV_OK;
}

static gbv_status read_hashes(const char *text, size_t count, part_source *s, const char *path, gbv_error *error)
{
    size_t length = strlen(text);
    if (length % HASH_DIGITS || length / HASH_DIGITS != count || strspn(text, "0123456789abcdef") != length)
        return unusable(path, "a source has not one hash of 16 digits for each row", error);
    if (!(s->row_hashes = memory_array(count, sizeof *s->row_hashes)))
        return error_out_of_memory(error, "a part of a run");
    for (s->row_count = 0; s->row_count < count; s->row_count++) {
        char digits[HASH_DIGITS + 1] = {0};
        memcpy(digits, text + s->row_count * HASH_DIGITS, HASH_DIGITS);
        s->row_hashes[s->row_count] = strtoull(digits, NULL, 16);
    }
    return GBV_OK;
}

static gbv_status read_source(const json_t *object, run_part *part, size_t k, const char *path, gbv_error *error)
{
    const gbv_source_result *own = &part->run->sources[part_source_index(part, k)];
    part_source *s = &part->sources[k];
    const char *name = json_string_value(json_object_get(object, "name")),
               *hashes = json_string_value(json_object_get(object, "row_hashes"));
    const json_t *values = json_object_get(object, "values");
    if (!name || strcmp(name, own->name) != 0)
        return unusable(path, "\"components\" are not those of the shard's sources, in their order", error);
    if (!hashes || json_array_size(values) != part->scoring_count)
        return unusable(path, "a source lacks \"row_hashes\", or \"values\" for every way of scoring", error);
    if (!(s->values = memory_zeroed(part->scoring_count, sizeof *s->values)))
        return error_out_of_memory(error, "a part of a run");
    gbv_status status = read_hashes(hashes, own->rows, s, path, error);
    for (size_t m = 0; m < part->scoring_count && status == GBV_OK; m++) {
        const char *text = json_string_value(json_array_get(values, m));
        status = text ? read_numbers(text, &s->values[m], path, error)
                      : unusable(path, "the values of a source are no text", error);
    }
    return status;
}

static bool get_count(const json_t *root, const char *key, size_t *count)
{
    const json_t *value = json_object_get(root, key);
    *count = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static gbv_status read_document(const json_t *root, const char *path, run_part *part, gbv_error *error)
{
    size_t schema;
    const json_t *zero = json_object_get(root, "undefined_as_zero"), *components = json_object_get(root, "components");
    const char *prior = json_string_value(json_object_get(root, "prior"));
    if (!json_object_get(root, "shards"))
        return unusable(path, "holds no shard of a run", error);
    if (!get_count(root, "schema", &schema) || schema != PART_SCHEMA)
        return unusable(path, "was written in a form that this version does not read", error);
    if (!get_count(root, "shard", &part->shard) || !get_count(root, "shards", &part->shards) || part->shard < 1 ||
        part->shard > part->shards)
        return unusable(path, "\"shard\" is no number from 1 to \"shards\"", error);
    if (!get_count(root, "replicates", &part->replicates) || !get_count(root, "refits", &part->refits))
        return unusable(path, "\"replicates\" or \"refits\" is no whole number", error);
    if (!json_is_boolean(zero) || !prior || !json_is_array(components))
        return unusable(path, "lacks \"undefined_as_zero\", \"prior\" or \"components\"", error);
    part->undefined_as_zero = json_is_true(zero);
    gbv_status status = result_from_json(json_object_get(root, "run"), path, &part->run, error);
    part_values numbers = {0};
    if (status == GBV_OK)
        status = read_numbers(prior, &numbers, path, error);
    part->prior = numbers.numbers;
    if (status != GBV_OK)
        return status;
    if (!part->run->measures || numbers.count != part->run->source_count)
        return unusable(path, "\"prior\" has not one number for each source, or the run no \"measures\"", error);
    part->scoring_count = part->run->measure_count;
    size_t own = part_source_count(part->run->source_count, part->shard, part->shards);
    if (json_array_size(components) != own)
        return unusable(path, "\"components\" has not one entry for each source of the shard", error);
    if (!(part->sources = memory_zeroed(own, sizeof *part->sources)))
        return error_out_of_memory(error, "a part of a run");
    part->source_count = own;
    for (size_t k = 0; k < own && status == GBV_OK; k++)
        status = read_source(json_array_get(components, k), part, k, path, error);
    return status;
}

gbv_status run_part_read(const char *path, run_part *part, gbv_error *error)
{
    json_t *root;
    *part = (run_part){0};
    gbv_status status = json_file_read(path, "a part of gbv value --shard", &root, error);
    if (status != GBV_OK)
        return status;
    status = read_document(root, path, part, error);
    json_decref(root);
    if (status != GBV_OK)
        run_part_free(part);
    return status;
}

void run_part_free(run_part *part)
{
    for (size_t k = 0; k < part->source_count; k++) {
        for (size_t m = 0; part->sources[k].values && m < part->scoring_count; m++)
            free(part->sources[k].values[m].numbers);
        free(part->sources[k].values);
        free(part->sources[k].row_hashes);
    }
    free(part->sources);
    free(part->prior);
    gbv_result_free(part->run);
    *part = (run_part){0};
}
