/* comparison_read.c - a comparison back from its JSON document, which anyone may have edited: every key is checked.
 * What the document says once, by the first method, stands in the result twice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gbv/report.h>

#include "base/error.h"
#include "report/json_read_pieces.h"
#include "report/result_json.h"
#include "report/result_words.h"

static void read_trained(json_fields *f, const json_t *object, size_t seeds, gbv_trained *trained)
{
    const json_t *list = field_array(f, object, "accuracies");
    size_t count = json_array_size(list);
    trained->accuracy = field_number(f, object, "accuracy", NAN);
    trained->standard_error = field_number(f, object, "accuracy_standard_error", NAN);
    if (count != 0 && count != seeds)
        field_fail(f, "accuracies", "none, or one for each of the seeds");
    if (count == 0 || !(trained->accuracies = field_room(f, count, sizeof *trained->accuracies)))
        return;
    for (size_t r = 0; r < count; r++) {
        if (!json_is_number(json_array_get(list, r)))
            field_fail(f, "accuracies", "numbers");
        trained->accuracies[r] = json_number_value(json_array_get(list, r));
    }
}

static void read_nothing(json_fields *f, const json_t *object, gbv_source_result *source)
{
    (void)f;
    (void)object;
    (void)source;
}

static void read_methods(json_fields *f, const json_t *root, gbv_comparison *c)
{
    const json_t *array = field_array(f, root, "methods");
    size_t count = json_array_size(array);
    if (count == 0)
        field_fail(f, "methods", "at least one method");
    c->result->measures = field_room(f, count, sizeof *c->result->measures);
    c->methods = field_room(f, count, sizeof *c->methods);
    for (size_t m = 0; c->methods && m < count && f->status == GBV_OK; m++) {
        const json_t *object = json_array_get(array, m);
        gbv_method_comparison *method = &c->methods[m];
        char place[64];
        snprintf(place, sizeof place, "methods[%zu]", m);
        f->place = place;
        c->method_count = c->result->measure_count = m + 1;
        *method = (gbv_method_comparison){.label = field_text(f, object, "label"),
                                          .trained = {.accuracy = NAN, .standard_error = NAN},
                                          .pearson = field_optional_number(f, object, "pearson"),
                                          .spearman = field_optional_number(f, object, "spearman"),
                                          .kendall = field_optional_number(f, object, "kendall")};
        if (c->seeds)
            read_trained(f, object, c->seeds, &method->trained);
        result_read_measure(f, object, c->result, &c->result->measures[m]);
        f->place = "the document";
    }
}

static void read_baselines(json_fields *f, const json_t *root, gbv_comparison *c)
{
    const json_t *array = field_array(f, root, "baselines");
    c->baselines = field_room(f, json_array_size(array), sizeof *c->baselines);
    for (size_t b = 0; c->baselines && b < json_array_size(array) && f->status == GBV_OK; b++) {
        const json_t *object = json_array_get(array, b);
        char place[64];
        snprintf(place, sizeof place, "baselines[%zu]", b);
        f->place = place;
        c->baseline_count = b + 1;
        c->baselines[b].name = field_text(f, object, "name");
        c->baselines[b].summary = field_text(f, object, "summary");
        c->baselines[b].detail = field_optional_text(f, object, "detail");
        read_trained(f, object, c->seeds, &c->baselines[b].trained);
        f->place = "the document";
    }
}

static void read_accuracies(json_fields *f, const json_t *root, gbv_comparison *c)
{
    const json_t *sources = json_object_get(root, "sources");
    if (!(c->source_accuracy = field_room(f, c->result->source_count, sizeof *c->source_accuracy)))
        return;
    for (size_t i = 0; i < c->result->source_count; i++)
        c->source_accuracy[i] = field_number(f, json_array_get(sources, i), "test_accuracy", NAN);
}

static void read_verdict(json_fields *f, const json_t *root, gbv_comparison *c)
{
    const json_t *verdict = json_object_get(root, "verdict");
    f->place = "verdict";
    c->verdict = (gbv_verdict)field_word(f, verdict, "kind", verdict_words, 3);
    c->sentence = field_text(f, verdict, "sentence");
    c->gain = c->gain_error = NAN;
    c->best = c->method_count;
    if (c->verdict != GBV_VERDICT_NONE) {
        const char *best = json_string_value(json_object_get(verdict, "best")),
                   *beaten = json_string_value(json_object_get(verdict, "to_beat"));
        for (size_t m = 0; best && m < c->method_count && c->best == c->method_count; m++)
            c->best = strcmp(c->methods[m].label, best) == 0 ? m : c->best;
        if (!json_object_get(verdict, "best") || (best && c->best == c->method_count))
            field_fail(f, "best", "the label of a method, or null");
        for (c->to_beat = 0; beaten && c->to_beat < c->baseline_count; c->to_beat++)
            if (strcmp(c->baselines[c->to_beat].name, beaten) == 0)
                break;
        if (!beaten || c->to_beat == c->baseline_count)
            field_fail(f, "to_beat", "the name of a baseline");
        c->gain = field_number(f, verdict, "gain", NAN);
        c->gain_error = field_number(f, verdict, "gain_standard_error", NAN);
    }
    f->place = "the document";
}

/* Scores and weights of the result are those of its first method. */
static void take_first_method(json_fields *f, gbv_result *r)
{
    const gbv_measure_result *by = &r->measures[0];
    double squares = 0, per_row = 0;
    char **texts[] = {&r->method, &r->measure, &r->variant, &r->feature_space};
    const char *const from[] = {by->method, by->measure, by->variant, by->feature_space};
    for (size_t i = 0; i < 4; i++)
        if (!(*texts[i] = strdup(from[i])))
            f->status = error_out_of_memory(f->error, "a comparison");
    r->tau_mode = by->tau_mode;
    r->tau = by->tau;
    r->tau_inverse = 1 / by->tau;
    r->effective_sources = by->effective_sources;
    for (size_t i = 0; i < r->source_count; i++) {
        gbv_source_result *s = &r->sources[i];
        const gbv_score *score = &by->scores[i];
        double p = isnan(score->posterior) ? 0 : score->posterior;
        s->score = score->score;
        s->score_status = score->score_status;
        s->standard_error = score->standard_error;
        s->posterior = p;
        s->row_weight = s->rows ? p / (double)s->rows : NAN;
        s->rank = score->rank;
        r->entropy -= p > 0 ? p * log(p) : 0;
        squares += p * p;
        if (p > 0)
            per_row += s->rows ? p * p / (double)s->rows : NAN;
    }
    r->effective_rows = squares > 0 ? 1 / per_row : NAN;
}

static void read_document(json_fields *f, const json_t *root, gbv_comparison *c)
{
    result_read_head(f, root, c->result);
    c->seeds = field_optional_count(f, root, "seeds");
    c->test_rows = field_optional_count(f, root, "test_rows");
    result_read_sources(f, root, c->result, read_nothing);
    if (f->status == GBV_OK)
        read_methods(f, root, c);
    if (f->status == GBV_OK)
        read_baselines(f, root, c);
    if (f->status == GBV_OK && c->seeds)
        read_accuracies(f, root, c);
    if (f->status == GBV_OK)
        read_verdict(f, root, c);
    if (f->status == GBV_OK)
        take_first_method(f, c->result);
}

gbv_status comparison_from_json(const json_t *root, const char *path, gbv_comparison **comparison, gbv_error *error)
{
    json_fields f = {.path = path, .place = "the document", .what = "comparison", .command = "compare", .error = error};
    *comparison = NULL;
    gbv_comparison *made = calloc(1, sizeof *made);
    if (!made || !(made->result = calloc(1, sizeof *made->result))) {
        free(made);
        return error_out_of_memory(error, "a comparison");
    }
    read_document(&f, root, made);
    if (f.status == GBV_OK)
        *comparison = made;
    else
        gbv_comparison_free(made);
    return f.status;
}

gbv_status gbv_comparison_read(const char *path, gbv_comparison **comparison, gbv_error *error)
{
    json_t *root;
    *comparison = NULL;
    gbv_status status = json_file_read(path, "a comparison of gbv compare", &root, error);
    if (status != GBV_OK)
        return status;
    status =
        json_object_get(root, "verdict")
            ? comparison_from_json(root, path, comparison, error)
            : error_set(error, GBV_BAD_INPUT, "%s: has no \"verdict\": expected a comparison of gbv compare", path);
    json_decref(root);
    return status;
}
