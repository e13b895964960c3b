/* json_read.c - a result back from its JSON document, which anyone may have edited: every key is checked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gbv/report.h>

#include "base/error.h"
#include "report/json_read_pieces.h"
#include "report/result_json.h"
#include "report/result_words.h"

static void read_weight(json_fields *f, const json_t *object, gbv_source_result *s)
{
    s->score_status = (gbv_score_status)field_word(f, object, "score_status", score_status_words, 3);
    s->score = field_number(f, object, "score", s->score_status == GBV_SCORE_MINUS_INFINITY ? -INFINITY : NAN);
    s->standard_error = field_number(f, object, "standard_error", NAN);
    s->posterior = field_number(f, object, "posterior", 0);
    s->row_weight = field_number(f, object, "row_weight", s->rows ? 0 : NAN);
    s->rank = field_count(f, object, "rank");
    if (f->status == GBV_OK && s->rows == 0 && !isnan(s->row_weight))
        field_fail(f, "rows", "at least 1 where there is a weight per row");
    if (f->status == GBV_OK && (s->posterior < 0 || s->posterior > 1))
        field_fail(f, "posterior", "a number from 0 to 1");
}

static void read_curve(json_fields *f, const json_t *array, gbv_result *result)
{
    if (!(result->tau_curve = field_room(f, json_array_size(array), sizeof *result->tau_curve)))
        return;
    for (size_t i = 0; i < json_array_size(array) && f->status == GBV_OK; i++) {
        const json_t *object = json_array_get(array, i), *values = field_array(f, object, "posterior");
        gbv_tau_point *point = &result->tau_curve[i];
        point->tau = field_number(f, object, "tau", INFINITY);
        point->effective_sources = field_number(f, object, "effective_sources", 0);
        point->log_likelihood = field_optional_number(f, object, "log_likelihood");
        point->deficit = field_optional_number(f, object, "deficit");
        point->deficit_error = field_optional_number(f, object, "deficit_error");
        if (json_array_size(values) != result->source_count)
            field_fail(f, "posterior", "one number per source");
        if (!(point->posterior = field_room(f, result->source_count, sizeof(double))))
            return;
        result->tau_count = i + 1;
        for (size_t s = 0; s < result->source_count; s++)
            point->posterior[s] = json_number_value(json_array_get(values, s));
    }
}

static void read_measures(json_fields *f, const json_t *array, gbv_result *result)
{
    if (!(result->measures = field_room(f, json_array_size(array), sizeof *result->measures)))
        return;
    for (size_t m = 0; m < json_array_size(array) && f->status == GBV_OK; m++) {
        char place[64];
        snprintf(place, sizeof place, "measures[%zu]", m);
        f->place = place;
        result->measure_count = m + 1;
        result_read_measure(f, json_array_get(array, m), result, &result->measures[m]);
        f->place = "the document";
    }
    if (f->status == GBV_OK && result->measure_count == 0)
        field_fail(f, "measures", "at least one measure");
}

static void read_document(json_fields *f, const json_t *root, gbv_result *result)
{
    const json_t *tau = json_object_get(root, "tau");
    result_read_head(f, root, result);
    result->method = field_text(f, root, "method");
    result->measure = field_text(f, root, "measure");
    result->variant = field_text(f, root, "variant");
    result->feature_space = field_text(f, root, "feature_space");
    result->tau_mode = (gbv_tau_mode)field_word(f, tau, "mode", tau_mode_words, TAU_MODES);
    result->tau = field_number(f, tau, "value", INFINITY);
    result->tau_inverse = field_number(f, tau, "inverse", 0);
    result->entropy = field_number(f, root, "entropy", 0);
    result->effective_sources = field_number(f, root, "effective_sources", 0);
    result->effective_rows = field_number(f, root, "effective_rows", NAN);
    result_read_sources(f, root, result, read_weight);
    if (f->status == GBV_OK && json_object_get(root, "measures"))
        read_measures(f, field_array(f, root, "measures"), result);
    if (f->status == GBV_OK && json_object_get(root, "tau_curve"))
        read_curve(f, field_array(f, root, "tau_curve"), result);
}

gbv_status result_from_json(const json_t *root, const char *path, gbv_result **result, gbv_error *error)
{
    json_fields f = {.path = path, .place = "the document", .what = "result", .command = "value", .error = error};
    *result = NULL;
    gbv_result *made = calloc(1, sizeof *made);
    if (!made)
        return error_out_of_memory(error, "a result");
    read_document(&f, root, made);
    if (f.status == GBV_OK)
        *result = made;
    else
        gbv_result_free(made);
    return f.status;
}

gbv_status gbv_result_read(const char *path, gbv_result **result, gbv_error *error)
{
    json_t *root;
    *result = NULL;
    gbv_status status = json_file_read(path, "a result of gbv value", &root, error);
    if (status != GBV_OK)
        return status;
    if (json_object_get(root, "shards"))
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
    return status;
}
