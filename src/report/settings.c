/* settings.c - the options of a run, to and from a JSON file that people edit. */
#include <gbv/settings.h>

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/text.h"

typedef struct reader {
    const char *path;
    gbv_settings *settings;
    size_t capacity;
    gbv_error *error;
} reader;

static gbv_status add(reader *r, const char *name, const char *value)
{
    gbv_settings *s = r->settings;
    if (!memory_grow(&s->items, &r->capacity, s->count + 1, sizeof *s->items))
        return error_out_of_memory(r->error, "the settings");
    gbv_setting *item = &s->items[s->count++];
    *item = (gbv_setting){.name = name ? strdup(name) : NULL, .value = value ? strdup(value) : NULL};
    if ((name && !item->name) || (value && !item->value))
        return error_out_of_memory(r->error, "the settings");
    return GBV_OK;
}

/* One text or number, or `true` where `flags` are allowed. */
static gbv_status add_value(reader *r, const char *name, const json_t *value, bool flags)
{
    char number[NUMBER_TEXT];
    if (json_is_string(value))
        return add(r, name, json_string_value(value));
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return add(r, name, number);
    }
    if (json_is_real(value))
        return add(r, name, number_format(json_real_value(value), number));
    if (flags && json_is_boolean(value))
        return json_is_true(value) ? add(r, name, NULL) : GBV_OK;
    return error_set(r->error, GBV_BAD_INPUT,
                     "%s: \"%s\" is neither text, number, true, false nor a list of texts: mend it", r->path,
                     name ? name : "arguments");
}

static gbv_status add_values(reader *r, const char *name, const json_t *value)
{
    if (!json_is_array(value))
        return add_value(r, name, value, name != NULL);
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < json_array_size(value) && status == GBV_OK; i++)
        status = add_value(r, name, json_array_get(value, i), false);
    return status;
}

static gbv_status read_document(reader *r, const json_t *root)
{
    const char *command = json_string_value(json_object_get(root, "command")), *name;
    json_t *options = json_object_get(root, "options"), *value;
    const json_t *arguments = json_object_get(root, "arguments");
    if (!command)
        return error_set(r->error, GBV_BAD_INPUT,
                         "%s: has no \"command\": expected a file that --save-config wrote, such as {\"command\": "
                         "\"value\", \"options\": {...}}",
                         r->path);
    if (!(r->settings->command = strdup(command)))
        return error_out_of_memory(r->error, "the settings");
    if (options && !json_is_object(options))
        return error_set(r->error, GBV_BAD_INPUT, "%s: \"options\" is not an object: expected {\"tau\": \"0.1\", ...}",
                         r->path);
    gbv_status status = arguments ? add_values(r, NULL, arguments) : GBV_OK;
    json_object_foreach(options, name, value)
    {
        if (status == GBV_OK)
            status = add_values(r, name, value);
    }
    return status;
}

gbv_status gbv_settings_read(const char *path, gbv_settings **settings, gbv_error *error)
{
    mapped_file file;
    json_error_t problem;
    reader r = {.path = path, .error = error};
    *settings = NULL;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    json_t *root = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &problem);
    if (!(r.settings = calloc(1, sizeof *r.settings)))
        status = error_out_of_memory(error, "the settings");
    else if (!root)
        status = error_set(error, GBV_BAD_INPUT, "%s: line %d is not JSON (%s): expected what --save-config writes",
                           path, problem.line, problem.text);
    else
        status = read_document(&r, root);
    json_decref(root);
    mapped_file_close(&file);
    if (status == GBV_OK)
        *settings = r.settings;
    else
        gbv_settings_free(r.settings);
    return status;
}

void gbv_settings_free(gbv_settings *settings)
{
    if (!settings)
        return;
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->items[i].name);
        free(settings->items[i].value);
    }
    free(settings->items);
    free(settings->command);
    free(settings);
}

static bool same_name(const gbv_setting *a, const gbv_setting *b)
{
    return a->name && b->name ? strcmp(a->name, b->name) == 0 : a->name == b->name;
}

/* All items that share the name of item `first`, as one key; an earlier item has written them already when it has the
 * same name. */
static void write_item(json_writer *json, const gbv_settings *s, size_t first)
{
    const gbv_setting *item = &s->items[first];
    size_t same = 0;
    for (size_t i = 0; i < s->count; i++)
        if (same_name(&s->items[i], item)) {
            if (i < first)
                return;
            same++;
        }
    if (same == 1 && item->name) {
        if (item->value)
            json_text(json, item->name, item->value);
        else
            json_bool(json, item->name, true);
        return;
    }
    json_begin_array(json, item->name ? item->name : "arguments");
    for (size_t i = first; i < s->count; i++)
        if (same_name(&s->items[i], item))
            json_text(json, NULL, s->items[i].value);
    json_end(json);
}

gbv_status gbv_settings_write(const gbv_settings *settings, const char *path, gbv_error *error)
{
    output_file output;
    for (size_t i = 0; i < settings->count; i++) {
        const gbv_setting *item = &settings->items[i];
        if (item->value && !text_is_utf8(item->value, strlen(item->value)))
            return error_set(error, GBV_BAD_INPUT,
                             "%s: cannot hold the value of \"%s\", which is not valid UTF-8: rename the file it names",
                             path ? path : "-", item->name ? item->name : "arguments");
    }
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    json_writer json = json_open(output.stream);
    json_begin_object(&json, NULL);
    json_text(&json, "gbv", gbv_version());
    json_text(&json, "command", settings->command);
    for (size_t i = 0; i < settings->count; i++)
        if (!settings->items[i].name)
            write_item(&json, settings, i);
    json_begin_object(&json, "options");
    for (size_t i = 0; i < settings->count; i++)
        if (settings->items[i].name)
            write_item(&json, settings, i);
    json_end(&json);
    json_end(&json);
    return output_commit(&output, error);
}
