/* redact_result.c - results and comparisons without the names of other vendors. The copy is made by writing and reading
 * the document, so that it has what a document has and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/redact.h"
#include "report/result_json.h"

static void forget(char **text)
{
    free(*text);
    *text = NULL;
}

static void forget_texts(char **texts, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        free(texts[i]);
    *count = 0;
}

/* An input is shown when it belongs to no source (reference, items, gold, test) or to kept ones alone. `begins` and
 * `shown` have a place for each input, false at first. */
static void choose_inputs(const gbv_result *result, const redaction *r, bool *begins, bool *shown)
{
    bool of_source = true; /* whether the dataset that the file is a part of is shown */
    for (size_t i = 0; i < result->source_count; i++)
        begins[result->sources[i].input] = shown[result->sources[i].input] = true;
    for (size_t k = r->kept; k < r->count; k++)
        shown[result->sources[r->order[k]].input] = false;
    for (size_t j = 0; j < result->input_count; j++) {
        const gbv_input_record *input = &result->inputs[j];
        if (begins[j])
            of_source = shown[j];
        else /* a further file of the same dataset, or of nobody's */
            shown[j] = (input->role && strcmp(input->role, "annotations") != 0) || of_source;
        shown[j] = shown[j] && !redaction_betrays(r, input->path) && !redaction_betrays(r, input->dataset);
    }
}

static bool hide_inputs(gbv_result *copy, const redaction *r)
{
    bool *begins = memory_zeroed(copy->input_count, 2 * sizeof *begins), *shown = begins + copy->input_count;
    if (!begins)
        return false;
    choose_inputs(copy, r, begins, shown);
    for (size_t j = 0; j < copy->input_count; j++) {
        gbv_input_record *input = &copy->inputs[j];
        if (shown[j])
            continue;
        free(input->path);
        forget(&input->dataset);
        forget(&input->label_column);
        forget(&input->source_column);
        forget(&input->item_column);
        strcpy(input->sha256, "not shown");
        input->rows = 0;
        if (!(input->path = strdup("not shown"))) {
            free(begins);
            return false;
        }
    }
    free(begins);
    return true;
}

/* Options that are files, or that name somebody. */
static void hide_options(gbv_result *copy, const redaction *r)
{
    static const char *const files[] = {"class_map", "class_map_sha256", "pretrained", "control"};
    size_t left = 0;
    for (size_t i = 0; i < copy->option_count; i++) {
        gbv_option_record *option = &copy->options[i];
        bool hidden = redaction_betrays(r, option->value);
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            hidden |= strcmp(option->name, files[k]) == 0;
        if (hidden) {
            free(option->name);
            free(option->value);
        } else
            copy->options[left++] = *option;
    }
    copy->option_count = left;
}

/* What is said of a source in words: of others nothing, of those kept what names no other. */
static void hide_words(gbv_source_result *s, const redaction *r, bool kept)
{
    size_t left = 0;
    for (size_t i = 0; i < s->flag_count; i++)
        if (!kept || redaction_betrays(r, s->flags[i].detail))
            *s->flags[i].detail = '\0';
    for (size_t i = 0; i < s->warning_count; i++)
        if (!kept || redaction_betrays(r, s->warnings[i]))
            free(s->warnings[i]);
        else
            s->warnings[left++] = s->warnings[i];
    s->warning_count = left;
}

/* Everything that is by source moves to its new place. */
static bool move_sources(gbv_result *copy, const redaction *r)
{
    gbv_certainty *c = &copy->certainty;
    size_t *place = memory_array(r->count, sizeof *place);
    bool moved = place && redaction_move(r, copy->sources, sizeof *copy->sources) &&
                 redaction_move(r, c->group, sizeof *c->group);
    for (size_t m = 0; m < copy->measure_count && moved; m++)
        moved = redaction_move(r, copy->measures[m].scores, sizeof *copy->measures[m].scores);
    for (size_t t = 0; t < copy->tau_count && moved; t++)
        moved = redaction_move(r, copy->tau_curve[t].posterior, sizeof(double));
    for (size_t k = 0; k < r->count && moved; k++)
        place[r->order[k]] = k;
    for (size_t p = 0; p < c->pair_count && moved; p++) {
        c->pairs[p].first = place[c->pairs[p].first];
        c->pairs[p].second = place[c->pairs[p].second];
    }
    free(place);
    return moved;
}

static bool rename_sources(gbv_result *copy, const redaction *r)
{
    for (size_t k = 0; k < r->count; k++) {
        gbv_source_result *s = &copy->sources[k];
        free(s->name);
        if (!(s->name = strdup(r->shown[k])))
            return false;
        hide_words(s, r, k < r->kept);
        for (size_t m = 0; m < copy->measure_count; m++) {
            char **reason = &copy->measures[m].scores[k].reason;
            if (*reason && (k >= r->kept || redaction_betrays(r, *reason)))
                forget(reason);
        }
    }
    return true;
}

/* Pairs come in the order of the sources, which must not show: by their new places instead. */
static int by_place(const void *left, const void *right)
{
    const gbv_pair *a = left, *b = right;
    return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
                                : (a->second > b->second) - (a->second < b->second);
}

static bool hide(gbv_result *copy, const redaction *r)
{
    forget_texts(copy->warnings, &copy->warning_count);
    forget_texts(copy->notes, &copy->note_count);
    hide_options(copy, r);
    bool hidden = hide_inputs(copy, r) && move_sources(copy, r) && rename_sources(copy, r);
    if (hidden && copy->certainty.pair_count)
        qsort(copy->certainty.pairs, copy->certainty.pair_count, sizeof *copy->certainty.pairs, by_place);
    return hidden;
}

/* A document read back, for the copy, and its text for a secret. */
static gbv_status open_copy(const char *text, json_t **root, gbv_error *error)
{
    json_error_t problem;
    *root = text ? json_loads(text, 0, &problem) : NULL;
    return *root ? GBV_OK : error_out_of_memory(error, "a copy of the result");
}

static gbv_status open_names(redaction *r, const gbv_result *result, const char ***names, const char *secret,
                             const gbv_page_options *options, gbv_error *error)
{
    if (!(*names = memory_array(result->source_count, sizeof **names)))
        return error_out_of_memory(error, "the names to show");
    for (size_t i = 0; i < result->source_count; i++)
        (*names)[i] = result->sources[i].name;
    return redaction_open(r, *names, result->source_count, secret, options, error);
}

static gbv_status copy_hidden(const char *text, const redaction *r, gbv_result **copy, gbv_error *error)
{
    json_t *root = NULL;
    *copy = NULL;
    gbv_status status = open_copy(text, &root, error);
    if (status == GBV_OK)
        status = result_from_json(root, "a copy", copy, error);
    if (status == GBV_OK && !hide(*copy, r)) {
        gbv_result_free(*copy);
        *copy = NULL;
        status = error_out_of_memory(error, "a copy of the result");
    }
    json_decref(root);
    return status;
}

gbv_status redact_result_as(const gbv_result *result, const redaction *r, gbv_result **copy, gbv_error *error)
{
    char *text = NULL;
    *copy = NULL;
    gbv_status status = gbv_result_text(result, GBV_FORMAT_JSON, &text, error);
    if (status == GBV_OK)
        status = copy_hidden(text, r, copy, error);
    gbv_text_free(text);
    return status;
}

gbv_status redact_result(const gbv_result *result, const gbv_page_options *options, gbv_result **copy, gbv_error *error)
{
    redaction r = {0};
    const char **names = NULL;
    char *text = NULL;
    *copy = NULL;
    gbv_status status = gbv_result_text(result, GBV_FORMAT_JSON, &text, error);
    if (status == GBV_OK)
        status = open_names(&r, result, &names, text, options, error);
    if (status == GBV_OK)
        status = copy_hidden(text, &r, copy, error);
    gbv_text_free(text);
    redaction_close(&r);
    free(names);
    return status;
}

/* The baseline that is made with one source names it. */
static bool hide_baselines(gbv_comparison *copy, const redaction *r)
{
    for (size_t b = 0; b < copy->baseline_count; b++)
        for (size_t k = 0; k < r->count; k++)
            if (copy->baselines[b].detail && strcmp(copy->baselines[b].detail, r->names[r->order[k]]) == 0) {
                free(copy->baselines[b].detail);
                if (!(copy->baselines[b].detail = strdup(r->shown[k])))
                    return false;
                break;
            }
    return true;
}

gbv_status redact_comparison(const gbv_comparison *comparison, const gbv_page_options *options, gbv_comparison **copy,
                             gbv_error *error)
{
    redaction r = {0};
    const char **names = NULL;
    char *text = NULL;
    json_t *root = NULL;
    *copy = NULL;
    gbv_status status = gbv_comparison_text(comparison, GBV_FORMAT_JSON, &text, error);
    if (status == GBV_OK)
        status = open_names(&r, comparison->result, &names, text, options, error);
    if (status == GBV_OK)
        status = open_copy(text, &root, error);
    if (status == GBV_OK)
        status = comparison_from_json(root, "a copy", copy, error);
    if (status == GBV_OK && !(hide((*copy)->result, &r) && hide_baselines(*copy, &r) &&
                              redaction_move(&r, (*copy)->source_accuracy, sizeof(double))))
        status = error_out_of_memory(error, "a copy of the comparison");
    if (status != GBV_OK) {
        gbv_comparison_free(*copy);
        *copy = NULL;
    }
    json_decref(root);
    gbv_text_free(text);
    redaction_close(&r);
    free(names);
    return status;
}
