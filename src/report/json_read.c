/* json_read.c - a result back from its JSON document, which anyone may have edited: every key is checked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gbv/report.h>

#include "base/error.h"
#include "base/file.h"
#include "report/result_json.h"
#include "report/result_words.h"

const char *const tau_mode_words[TAU_MODES] = {"quick", "code", "fixed", "auto"};
const char *const separation_words[3] = {"ok", "no_number_will_do", "unknown"};
const char *const color_words[3] = {"auto", "gray", "rgb"};
const char *const score_status_words[3] = {"ok", "minus_infinity", "undefined"};

/* Where reading stands; after the first failure every further read does nothing. */
typedef struct reader {
    const char *path;
    const char *place; /* "sources[3]", "the document" */
    gbv_error *error;
    gbv_status status;
} reader;

static void fail(reader *r, const char *key, const char *expected)
{
    if (r->status == GBV_OK)
        r->status = error_set(r->error, GBV_BAD_INPUT,
                              "%s: %s has no usable \"%s\" (%s expected): write the result again with gbv value",
                              r->path, r->place, key, expected);
}

static char *get_text(reader *r, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    char *copy = text ? strdup(text) : NULL;
    if (!text)
        fail(r, key, "a text");
    else if (!copy && r->status == GBV_OK)
        r->status = error_out_of_memory(r->error, "a result");
    return copy;
}

/* null stands for a number that is not finite: `when_null` says which. */
static double get_number(reader *r, const json_t *object, const char *key, double when_null)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_null(value) && !isfinite(when_null))
        return when_null;
    if (!json_is_number(value))
        fail(r, key, "a number");
    return json_number_value(value);
}

static size_t get_count(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        fail(r, key, "a whole number");
    return (size_t)json_integer_value(value);
}

static const json_t *get_array(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_array(value))
        fail(r, key, "a list");
    return value;
}

static int get_word(reader *r, const json_t *object, const char *key, const char *const *words, int count)
{
    const char *text = json_string_value(json_object_get(object, key));
    for (int i = 0; text && i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    fail(r, key, "one of the known words");
    return 0;
}

/* calloc for `count` things that a JSON array really holds, so never more than the file's size allows. */
static void *room_for(reader *r, size_t count, size_t size)
{
    void *block = r->status == GBV_OK ? calloc(count ? count : 1, size) : NULL;
    if (!block && r->status == GBV_OK)
        r->status = error_out_of_memory(r->error, "a result");
    return block;
}

static char **get_texts(reader *r, const json_t *object, const char *key, size_t *count)
{
    const json_t *array = get_array(r, object, key);
    char **texts = room_for(r, json_array_size(array), sizeof *texts);
    for (size_t i = 0; texts && i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (!text || !(texts[i] = strdup(text))) {
            fail(r, key, "a list of texts");
            break;
        }
        *count = i + 1;
    }
    return texts;
}

/* A part that older results do not have; false when it is not there. */
static bool get_optional_bool(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_boolean(value))
        fail(r, key, "true or false");
    return json_is_true(value);
}

static double get_optional_number(reader *r, const json_t *object, const char *key)
{
    return json_object_get(object, key) ? get_number(r, object, key, NAN) : NAN;
}

static void read_flags(reader *r, const json_t *object, gbv_source_result *s)
{
    if (!json_object_get(object, "flags"))
        return;
    const json_t *array = get_array(r, object, "flags");
    if (!(s->flags = room_for(r, json_array_size(array), sizeof *s->flags)))
        return;
    for (size_t i = 0; i < json_array_size(array) && r->status == GBV_OK; i++) {
        s->flag_count = i + 1;
        s->flags[i].kind = get_text(r, json_array_get(array, i), "kind");
        s->flags[i].detail = get_text(r, json_array_get(array, i), "detail");
    }
}

static void get_interval(reader *r, const json_t *object, const char *key, double interval[2])
{
    const json_t *array = json_object_get(object, key);
    for (size_t i = 0; i < 2; i++) {
        const json_t *value = json_array_get(array, i);
        interval[i] = json_is_null(value) ? NAN : json_number_value(value);
        if (json_array_size(array) != 2 || (!json_is_null(value) && !json_is_number(value)))
            fail(r, key, "two numbers");
    }
}

static void read_sureness(reader *r, const json_t *object, gbv_source_result *s)
{
    double ranks[2];
    s->score_corrected = get_number(r, object, "score_corrected", NAN);
    get_interval(r, object, "score_interval", s->score_interval);
    get_interval(r, object, "score_interval_model", s->score_interval_model);
    get_interval(r, object, "posterior_interval", s->posterior_interval);
    get_interval(r, object, "rank_interval", ranks);
    for (int i = 0; i < 2; i++) {
        if (!(ranks[i] >= 0 && ranks[i] <= 1e15))
            fail(r, "rank_interval", "two ranks");
        s->rank_interval[i] = r->status == GBV_OK ? (size_t)ranks[i] : 0;
    }
    s->p_best = get_number(r, object, "p_best", NAN);
}

static void read_source(reader *r, const json_t *object, gbv_source_result *s)
{
    s->name = get_text(r, object, "name");
    s->rows = get_count(r, object, "rows");
    s->score_status = (gbv_score_status)get_word(r, object, "score_status", score_status_words, 3);
    s->score = get_number(r, object, "score", s->score_status == GBV_SCORE_MINUS_INFINITY ? -INFINITY : NAN);
    s->standard_error = get_number(r, object, "standard_error", NAN);
    s->agreement = get_number(r, object, "agreement", NAN);
    s->prior = get_number(r, object, "prior", 0);
    s->posterior = get_number(r, object, "posterior", 0);
    s->row_weight = get_number(r, object, "row_weight", s->rows ? 0 : NAN);
    s->rank = get_count(r, object, "rank");
    s->input = get_count(r, object, "input");
    if (json_object_get(object, "score_interval"))
        read_sureness(r, object, s);
    read_flags(r, object, s);
    s->warnings = get_texts(r, object, "warnings", &s->warning_count);
    if (r->status == GBV_OK && s->rows == 0 && !isnan(s->row_weight))
        fail(r, "rows", "at least 1 where there is a weight per row");
    if (r->status == GBV_OK && (s->posterior < 0 || s->posterior > 1))
        fail(r, "posterior", "a number from 0 to 1");
}

static void read_curve(reader *r, const json_t *array, gbv_result *result)
{
    if (!(result->tau_curve = room_for(r, json_array_size(array), sizeof *result->tau_curve)))
        return;
    for (size_t i = 0; i < json_array_size(array) && r->status == GBV_OK; i++) {
        const json_t *object = json_array_get(array, i), *values = get_array(r, object, "posterior");
        gbv_tau_point *point = &result->tau_curve[i];
        point->tau = get_number(r, object, "tau", INFINITY);
        point->effective_sources = get_number(r, object, "effective_sources", 0);
        point->log_likelihood = get_optional_number(r, object, "log_likelihood");
        point->deficit = get_optional_number(r, object, "deficit");
        point->deficit_error = get_optional_number(r, object, "deficit_error");
        if (json_array_size(values) != result->source_count)
            fail(r, "posterior", "one number per source");
        if (!(point->posterior = room_for(r, result->source_count, sizeof(double))))
            return;
        result->tau_count = i + 1;
        for (size_t s = 0; s < result->source_count; s++)
            point->posterior[s] = json_number_value(json_array_get(values, s));
    }
}

static void read_score(reader *r, const json_t *object, const gbv_source_result *source, gbv_score *s)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    if (!name || strcmp(name, source->name) != 0)
        fail(r, "name", "the sources in their order");
    s->score_status = (gbv_score_status)get_word(r, object, "score_status", score_status_words, 3);
    s->score = get_number(r, object, "score", s->score_status == GBV_SCORE_MINUS_INFINITY ? -INFINITY : NAN);
    s->standard_error = get_number(r, object, "standard_error", NAN);
    s->posterior = get_number(r, object, "posterior", NAN);
    s->rank = get_count(r, object, "rank");
    if (json_object_get(object, "reason"))
        s->reason = get_text(r, object, "reason");
    if (s->posterior < 0 || s->posterior > 1)
        fail(r, "posterior", "a number from 0 to 1");
}

static void read_measures(reader *r, const json_t *array, gbv_result *result)
{
    if (!(result->measures = room_for(r, json_array_size(array), sizeof *result->measures)))
        return;
    for (size_t m = 0; m < json_array_size(array) && r->status == GBV_OK; m++) {
        const json_t *object = json_array_get(array, m), *scores = get_array(r, object, "sources");
        gbv_measure_result *by = &result->measures[m];
        char place[64];
        snprintf(place, sizeof place, "measures[%zu]", m);
        r->place = place;
        result->measure_count = m + 1;
        by->method = json_object_get(object, "method") ? get_text(r, object, "method") : strdup("gbv");
        by->measure = get_text(r, object, "measure");
        by->beside = get_optional_bool(r, object, "beside");
        if (json_object_get(object, "tau")) {
            const json_t *tau = json_object_get(object, "tau");
            by->tau_mode = (gbv_tau_mode)get_word(r, tau, "mode", tau_mode_words, TAU_MODES);
            by->tau = get_number(r, tau, "value", INFINITY);
        }
        by->variant = get_text(r, object, "variant");
        by->feature_space = get_text(r, object, "feature_space");
        by->effective_sources = get_number(r, object, "effective_sources", NAN);
        by->rank_agreement = get_number(r, object, "rank_agreement", NAN);
        if (json_array_size(scores) != result->source_count)
            fail(r, "sources", "one entry per source");
        if ((by->scores = room_for(r, result->source_count, sizeof *by->scores)))
            for (size_t i = 0; i < result->source_count && r->status == GBV_OK; i++)
                read_score(r, json_array_get(scores, i), &result->sources[i], &by->scores[i]);
        r->place = "the document";
    }
    if (r->status == GBV_OK && result->measure_count == 0)
        fail(r, "measures", "at least one measure");
}

static size_t find_source(reader *r, const gbv_result *result, const json_t *object, const char *key)
{
    const char *name = json_string_value(json_object_get(object, key));
    for (size_t i = 0; name && i < result->source_count; i++)
        if (strcmp(result->sources[i].name, name) == 0)
            return i;
    fail(r, key, "the name of a source");
    return 0;
}

static void read_pairs(reader *r, const json_t *array, gbv_result *result)
{
    gbv_certainty *c = &result->certainty;
    if (!(c->pairs = room_for(r, json_array_size(array), sizeof *c->pairs)))
        return;
    for (size_t i = 0; i < json_array_size(array) && r->status == GBV_OK; i++) {
        const json_t *object = json_array_get(array, i);
        int known = get_word(r, object, "rows_needed_status", separation_words, 3);
        c->pairs[i] = (gbv_pair){.first = find_source(r, result, object, "better"),
                                 .second = find_source(r, result, object, "worse"),
                                 .difference = get_number(r, object, "difference", NAN),
                                 .standard_error = get_number(r, object, "standard_error", NAN),
                                 .rows_needed = get_number(r, object, "rows_needed", known == 1 ? INFINITY : NAN)};
        c->pair_count = i + 1;
    }
}

static void read_groups(reader *r, const json_t *array, gbv_result *result)
{
    gbv_certainty *c = &result->certainty;
    size_t place = 0; /* groups list their sources in the order given, mostly: found without a search */
    if (!(c->group = room_for(r, result->source_count, sizeof *c->group)))
        return;
    c->group_count = json_array_size(array);
    for (size_t g = 0; g < c->group_count && r->status == GBV_OK; g++)
        for (size_t i = 0; i < json_array_size(json_array_get(array, g)) && r->status == GBV_OK; i++) {
            const char *name = json_string_value(json_array_get(json_array_get(array, g), i));
            size_t tried = 0;
            for (; name && tried < result->source_count && strcmp(result->sources[place].name, name) != 0; tried++)
                place = (place + 1) % result->source_count;
            if (!name || tried == result->source_count)
                fail(r, "groups", "names of sources");
            else
                c->group[place] = g + 1;
        }
}

static void read_certainty(reader *r, const json_t *root, gbv_result *result)
{
    const json_t *object = json_object_get(root, "certainty");
    if (!object)
        return;
    result->certainty.level = get_number(r, object, "level", 0);
    result->certainty.replicates = get_count(r, object, "replicates");
    result->certainty.refits = get_count(r, object, "refits");
    if (r->status == GBV_OK)
        read_pairs(r, get_array(r, root, "separation"), result);
    if (r->status == GBV_OK && json_object_get(root, "groups"))
        read_groups(r, get_array(r, root, "groups"), result);
}

static void read_run(reader *r, const json_t *root, gbv_result *result)
{
    const json_t *run = json_object_get(root, "run"), *options = json_object_get(run, "options"), *value;
    const char *key;
    result->instruction_set = get_text(r, run, "instruction_set");
    if (!(result->options = room_for(r, json_object_size(options), sizeof *result->options)))
        return;
    json_object_foreach((json_t *)options, key, value)
    {
        gbv_option_record *option = &result->options[result->option_count++];
        option->name = strdup(key);
        option->value = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
        if (!option->name || !option->value)
            fail(r, "options", "texts");
    }
}

static void read_inputs(reader *r, const json_t *root, gbv_result *result)
{
    const json_t *inputs = get_array(r, root, "inputs");
    if (!(result->inputs = room_for(r, json_array_size(inputs), sizeof *result->inputs)))
        return;
    for (size_t i = 0; i < json_array_size(inputs) && r->status == GBV_OK; i++) {
        const json_t *object = json_array_get(inputs, i);
        gbv_input_record *input = &result->inputs[i];
        const char *sha256 = json_string_value(json_object_get(object, "sha256"));
        result->input_count = i + 1;
        input->path = get_text(r, object, "path");
        input->rows = get_count(r, object, "rows");
        if (json_object_get(object, "dataset"))
            input->dataset = get_text(r, object, "dataset");
        if (json_object_get(object, "label_column"))
            input->label_column = get_text(r, object, "label_column");
        if (json_object_get(object, "source_column"))
            input->source_column = get_text(r, object, "source_column");
        if (json_object_get(object, "item_column"))
            input->item_column = get_text(r, object, "item_column");
        input->wants_items = json_is_true(json_object_get(object, "items"));
        if (json_object_get(object, "resize"))
            input->resize = get_count(r, object, "resize");
        if (json_object_get(object, "crop"))
            input->crop = get_count(r, object, "crop");
        if (json_object_get(object, "color"))
            input->color = (gbv_color)get_word(r, object, "color", color_words, 3);
        if (json_object_get(object, "role"))
            input->role = get_text(r, object, "role");
        input->skip_bad_rows = json_is_true(json_object_get(object, "skip_bad_rows"));
        if (!sha256 || strlen(sha256) >= sizeof input->sha256)
            fail(r, "sha256", "64 hexadecimal digits");
        else
            strcpy(input->sha256, sha256);
    }
}

static void read_document(reader *r, const json_t *root, gbv_result *result)
{
    const json_t *tau = json_object_get(root, "tau"), *sources = get_array(r, root, "sources");
    result->version = get_text(r, root, "gbv");
    if (r->status == GBV_OK && get_count(r, root, "schema") != RESULT_SCHEMA)
        r->status =
            error_set(r->error, GBV_BAD_INPUT, "%s: was written by gbv %s in a form this version (%s) does not read",
                      r->path, result->version, GBV_VERSION);
    result->method = get_text(r, root, "method");
    result->problem = get_text(r, root, "problem");
    result->measure = get_text(r, root, "measure");
    result->variant = get_text(r, root, "variant");
    result->model = get_text(r, root, "model");
    result->feature_space = get_text(r, root, "feature_space");
    result->tau_mode = (gbv_tau_mode)get_word(r, tau, "mode", tau_mode_words, TAU_MODES);
    result->tau = get_number(r, tau, "value", INFINITY);
    result->tau_inverse = get_number(r, tau, "inverse", 0);
    result->seed = get_count(r, root, "seed");
    result->reference_rows = get_count(r, root, "reference_rows");
    result->entropy = get_number(r, root, "entropy", 0);
    result->effective_sources = get_number(r, root, "effective_sources", 0);
    result->effective_rows = get_number(r, root, "effective_rows", NAN);
    result->ambiguous = get_optional_bool(r, root, "ambiguous");
    result->warnings = get_texts(r, root, "warnings", &result->warning_count);
    if (json_object_get(root, "notes"))
        result->notes = get_texts(r, root, "notes", &result->note_count);
    if (json_object_get(root, "reference_uses"))
        result->reference_uses = get_texts(r, root, "reference_uses", &result->reference_use_count);
    read_run(r, root, result);
    read_inputs(r, root, result);
    if (!(result->sources = room_for(r, json_array_size(sources), sizeof *result->sources)))
        return;
    for (size_t i = 0; i < json_array_size(sources) && r->status == GBV_OK; i++) {
        char place[64];
        snprintf(place, sizeof place, "sources[%zu]", i);
        r->place = place;
        result->source_count = i + 1;
        read_source(r, json_array_get(sources, i), &result->sources[i]);
        if (r->status == GBV_OK && result->sources[i].input >= result->input_count)
            fail(r, "input", "a place in \"inputs\"");
        r->place = "the document";
    }
    if (r->status == GBV_OK && result->source_count == 0)
        fail(r, "sources", "at least one source");
    if (r->status == GBV_OK)
        read_certainty(r, root, result);
    if (r->status == GBV_OK && json_object_get(root, "measures"))
        read_measures(r, get_array(r, root, "measures"), result);
    if (r->status == GBV_OK && json_object_get(root, "tau_curve"))
        read_curve(r, get_array(r, root, "tau_curve"), result);
}

gbv_status result_from_json(const json_t *root, const char *path, gbv_result **result, gbv_error *error)
{
    reader r = {.path = path, .place = "the document", .error = error};
    *result = NULL;
    gbv_result *made = calloc(1, sizeof *made);
    if (!made)
        return error_out_of_memory(error, "a result");
    read_document(&r, root, made);
    if (r.status == GBV_OK)
        *result = made;
    else
        gbv_result_free(made);
    return r.status;
}

gbv_status gbv_result_read(const char *path, gbv_result **result, gbv_error *error)
{
    mapped_file file;
    *result = NULL;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    json_error_t problem;
    json_t *root = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        status = error_set(error, GBV_BAD_INPUT, "%s: line %d is not JSON (%s): expected a result of gbv value", path,
                           problem.line, problem.text);
    else if (json_object_get(root, "shards"))
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: is one shard of a run and has no weights: join all of them with gbv merge", path);
    else if (json_object_get(root, "verdict"))
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: is a comparison, with weights by each method: run gbv value with the method of your "
                           "choice (--method) and use its result",
                           path);
    else
        status = result_from_json(root, path, result, error);
    json_decref(root);
    mapped_file_close(&file);
    return status;
}
