#include "report/json_read_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/result_words.h"
#include "report/unsure.h"

const char *const separation_words[3] = {"ok", "no_number_will_do", "unknown"};
const char *const color_words[3] = {"auto", "gray", "rgb"};

static void read_flags(json_fields *f, const json_t *object, gbv_source_result *s)
{
    if (!json_object_get(object, "flags"))
        return;
    const json_t *array = field_array(f, object, "flags");
    if (!(s->flags = field_room(f, json_array_size(array), sizeof *s->flags)))
        return;
    for (size_t i = 0; i < json_array_size(array) && f->status == GBV_OK; i++) {
        s->flag_count = i + 1;
        s->flags[i].kind = field_text(f, json_array_get(array, i), "kind");
        s->flags[i].detail = field_text(f, json_array_get(array, i), "detail");
    }
}

static void read_sureness(json_fields *f, const json_t *object, gbv_source_result *s)
{
    double ranks[2];
    s->score_corrected = field_number(f, object, "score_corrected", NAN);
    field_interval(f, object, "score_interval", s->score_interval);
    field_interval(f, object, "score_interval_model", s->score_interval_model);
    field_interval(f, object, "posterior_interval", s->posterior_interval);
    field_interval(f, object, "rank_interval", ranks);
    for (int i = 0; i < 2; i++) {
        if (!(ranks[i] >= 0 && ranks[i] <= 1e15))
            field_fail(f, "rank_interval", "two ranks");
        s->rank_interval[i] = f->status == GBV_OK ? (size_t)ranks[i] : 0;
    }
    s->p_best = field_number(f, object, "p_best", NAN);
}

/* class_count x (class_count + 1) counts. */
static void read_confusion(json_fields *f, const json_t *object, size_t class_count, gbv_source_result *s)
{
    const json_t *lines = field_array(f, object, "confusion");
    bool whole = class_count && json_array_size(lines) == class_count;
    for (size_t c = 0; c < class_count && whole; c++)
        whole = json_array_size(json_array_get(lines, c)) == class_count + 1;
    if (!whole)
        field_fail(f, "confusion", "a line for each of \"classes\", with a number for each of them and one for others");
    if (!(s->confusion = field_room(f, class_count * (class_count + 1), sizeof *s->confusion)))
        return;
    for (size_t i = 0; i < class_count * (class_count + 1); i++) {
        const json_t *count = json_array_get(json_array_get(lines, i / (class_count + 1)), i % (class_count + 1));
        if (!json_is_integer(count) || json_integer_value(count) < 0)
            field_fail(f, "confusion", "whole numbers");
        s->confusion[i] = (size_t)json_integer_value(count);
    }
}

static void read_source(json_fields *f, const json_t *object, size_t class_count, gbv_source_result *s)
{
    s->name = field_text(f, object, "name");
    s->rows = field_count(f, object, "rows");
    s->agreement = field_number(f, object, "agreement", NAN);
    s->prior = field_number(f, object, "prior", 0);
    s->input = field_count(f, object, "input");
    source_result_unsure(s);
    if (json_object_get(object, "score_interval"))
        read_sureness(f, object, s);
    if (json_object_get(object, "confusion"))
        read_confusion(f, object, class_count, s);
    read_flags(f, object, s);
    s->warnings = field_texts(f, object, "warnings", &s->warning_count);
}

static void read_score(json_fields *f, const json_t *object, const gbv_source_result *source, gbv_score *s)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    if (!name || strcmp(name, source->name) != 0)
        field_fail(f, "name", "the sources in their order");
    s->score_status = (gbv_score_status)field_word(f, object, "score_status", score_status_words, 3);
    s->score = field_number(f, object, "score", s->score_status == GBV_SCORE_MINUS_INFINITY ? -INFINITY : NAN);
    s->standard_error = field_number(f, object, "standard_error", NAN);
    s->posterior = field_number(f, object, "posterior", NAN);
    s->rank = field_count(f, object, "rank");
    s->reason = field_optional_text(f, object, "reason");
    if (s->posterior < 0 || s->posterior > 1)
        field_fail(f, "posterior", "a number from 0 to 1");
}

void result_read_measure(json_fields *f, const json_t *object, const gbv_result *result, gbv_measure_result *by)
{
    const json_t *scores = field_array(f, object, "sources"), *tau = json_object_get(object, "tau");
    by->method = json_object_get(object, "method") ? field_text(f, object, "method") : strdup("gbv");
    by->measure = field_text(f, object, "measure");
    by->beside = field_optional_bool(f, object, "beside");
    if (tau) {
        by->tau_mode = (gbv_tau_mode)field_word(f, tau, "mode", tau_mode_words, TAU_MODES);
        by->tau = field_number(f, tau, "value", INFINITY);
    }
    by->variant = field_text(f, object, "variant");
    by->feature_space = field_text(f, object, "feature_space");
    by->effective_sources = field_number(f, object, "effective_sources", NAN);
    by->rank_agreement = field_number(f, object, "rank_agreement", NAN);
    if (json_array_size(scores) != result->source_count)
        field_fail(f, "sources", "one entry per source");
    if ((by->scores = field_room(f, result->source_count, sizeof *by->scores)))
        for (size_t i = 0; i < result->source_count && f->status == GBV_OK; i++)
            read_score(f, json_array_get(scores, i), &result->sources[i], &by->scores[i]);
}

static size_t find_source(json_fields *f, const gbv_result *result, const json_t *object, const char *key)
{
    const char *name = json_string_value(json_object_get(object, key));
    for (size_t i = 0; name && i < result->source_count; i++)
        if (strcmp(result->sources[i].name, name) == 0)
            return i;
    field_fail(f, key, "the name of a source");
    return 0;
}

static void read_pairs(json_fields *f, const json_t *array, gbv_result *result)
{
    gbv_certainty *c = &result->certainty;
    if (!(c->pairs = field_room(f, json_array_size(array), sizeof *c->pairs)))
        return;
    for (size_t i = 0; i < json_array_size(array) && f->status == GBV_OK; i++) {
        const json_t *object = json_array_get(array, i);
        int known = field_word(f, object, "rows_needed_status", separation_words, 3);
        c->pairs[i] = (gbv_pair){.first = find_source(f, result, object, "better"),
                                 .second = find_source(f, result, object, "worse"),
                                 .difference = field_number(f, object, "difference", NAN),
                                 .standard_error = field_number(f, object, "standard_error", NAN),
                                 .rows_needed = field_number(f, object, "rows_needed", known == 1 ? INFINITY : NAN)};
        c->pair_count = i + 1;
    }
}

static void read_groups(json_fields *f, const json_t *array, gbv_result *result)
{
    gbv_certainty *c = &result->certainty;
    size_t place = 0; /* groups list their sources in the order given, mostly: found without a search */
    if (!(c->group = field_room(f, result->source_count, sizeof *c->group)))
        return;
    c->group_count = json_array_size(array);
    for (size_t g = 0; g < c->group_count && f->status == GBV_OK; g++)
        for (size_t i = 0; i < json_array_size(json_array_get(array, g)) && f->status == GBV_OK; i++) {
            const char *name = json_string_value(json_array_get(json_array_get(array, g), i));
            size_t tried = 0;
            for (; name && tried < result->source_count && strcmp(result->sources[place].name, name) != 0; tried++)
                place = (place + 1) % result->source_count;
            if (!name || tried == result->source_count)
                field_fail(f, "groups", "names of sources");
            else
                c->group[place] = g + 1;
        }
}

static void read_certainty(json_fields *f, const json_t *root, gbv_result *result)
{
    const json_t *object = json_object_get(root, "certainty");
    if (!object)
        return;
    result->certainty.level = field_number(f, object, "level", 0);
    result->certainty.replicates = field_count(f, object, "replicates");
    result->certainty.refits = field_count(f, object, "refits");
    if (f->status == GBV_OK)
        read_pairs(f, field_array(f, root, "separation"), result);
    if (f->status == GBV_OK && json_object_get(root, "groups"))
        read_groups(f, field_array(f, root, "groups"), result);
}

static void read_run(json_fields *f, const json_t *root, gbv_result *result)
{
    const json_t *run = json_object_get(root, "run"), *options = json_object_get(run, "options"), *value;
    const char *key;
    result->instruction_set = field_text(f, run, "instruction_set");
    if (!(result->options = field_room(f, json_object_size(options), sizeof *result->options)))
        return;
    json_object_foreach((json_t *)options, key, value)
    {
        gbv_option_record *option = &result->options[result->option_count++];
        option->name = strdup(key);
        option->value = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
        if (!option->name || !option->value)
            field_fail(f, "options", "texts");
    }
}

static void read_inputs(json_fields *f, const json_t *root, gbv_result *result)
{
    const json_t *inputs = field_array(f, root, "inputs");
    if (!(result->inputs = field_room(f, json_array_size(inputs), sizeof *result->inputs)))
        return;
    for (size_t i = 0; i < json_array_size(inputs) && f->status == GBV_OK; i++) {
        const json_t *object = json_array_get(inputs, i);
        gbv_input_record *input = &result->inputs[i];
        const char *sha256 = json_string_value(json_object_get(object, "sha256"));
        result->input_count = i + 1;
        input->path = field_text(f, object, "path");
        input->rows = field_count(f, object, "rows");
        input->dataset = field_optional_text(f, object, "dataset");
        input->label_column = field_optional_text(f, object, "label_column");
        input->source_column = field_optional_text(f, object, "source_column");
        input->item_column = field_optional_text(f, object, "item_column");
        input->wants_items = json_is_true(json_object_get(object, "items"));
        input->resize = field_optional_count(f, object, "resize");
        input->crop = field_optional_count(f, object, "crop");
        if (json_object_get(object, "color"))
            input->color = (gbv_color)field_word(f, object, "color", color_words, 3);
        input->role = field_optional_text(f, object, "role");
        input->skip_bad_rows = json_is_true(json_object_get(object, "skip_bad_rows"));
        if (!sha256 || strlen(sha256) >= sizeof input->sha256)
            field_fail(f, "sha256", "64 hexadecimal digits");
        else
            strcpy(input->sha256, sha256);
    }
}

void result_read_head(json_fields *f, const json_t *root, gbv_result *result)
{
    result->version = field_text(f, root, "gbv");
    if (f->status == GBV_OK && field_count(f, root, "schema") != RESULT_SCHEMA && f->status == GBV_OK)
        f->status =
            error_set(f->error, GBV_BAD_INPUT, "%s: was written by gbv %s in a form this version (%s) does not read",
                      f->path, result->version, GBV_VERSION);
    result->problem = field_text(f, root, "problem");
    result->model = field_text(f, root, "model");
    result->seed = field_count(f, root, "seed");
    result->reference_rows = field_count(f, root, "reference_rows");
    result->ambiguous = field_optional_bool(f, root, "ambiguous");
    if (json_object_get(root, "classes"))
        result->classes = field_texts(f, root, "classes", &result->class_count);
    result->warnings = field_texts(f, root, "warnings", &result->warning_count);
    if (json_object_get(root, "notes"))
        result->notes = field_texts(f, root, "notes", &result->note_count);
    if (json_object_get(root, "reference_uses"))
        result->reference_uses = field_texts(f, root, "reference_uses", &result->reference_use_count);
    read_run(f, root, result);
    read_inputs(f, root, result);
}

void result_read_sources(json_fields *f, const json_t *root, gbv_result *result, read_source_rest *rest)
{
    const json_t *sources = field_array(f, root, "sources");
    if (!(result->sources = field_room(f, json_array_size(sources), sizeof *result->sources)))
        return;
    for (size_t i = 0; i < json_array_size(sources) && f->status == GBV_OK; i++) {
        const json_t *object = json_array_get(sources, i);
        gbv_source_result *s = &result->sources[i];
        char place[64];
        snprintf(place, sizeof place, "sources[%zu]", i);
        f->place = place;
        result->source_count = i + 1;
        read_source(f, object, result->class_count, s);
        rest(f, object, s);
        if (f->status == GBV_OK && s->input >= result->input_count)
            field_fail(f, "input", "a place in \"inputs\"");
        f->place = "the document";
    }
    if (f->status == GBV_OK && result->source_count == 0)
        field_fail(f, "sources", "at least one source");
    if (f->status == GBV_OK)
        read_certainty(f, root, result);
}
