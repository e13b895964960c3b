/* json.c - a result as one JSON document. Whatever differs between two equal runs (times, threads) is not in it, so
 * that equal runs give equal bytes. */
#include <math.h>

#include "report/json_pieces.h"
#include "report/print.h"
#include "report/result_json.h"
#include "report/result_words.h"

void result_json_texts(json_writer *json, const char *key, char **texts, size_t count)
{
    json_begin_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_text(json, NULL, texts[i]);
    json_end(json);
}

void result_json_run(json_writer *json, const gbv_result *r)
{
    json_begin_object(json, "run");
    json_text(json, "backend", "cpu");
    json_text(json, "instruction_set", r->instruction_set);
    json_count(json, "threads", 1); /* of one model; the number of workers changes nothing */
    json_begin_object(json, "options");
    for (size_t i = 0; i < r->option_count; i++)
        json_text(json, r->options[i].name, r->options[i].value);
    json_end(json);
    json_end(json);
}

void result_json_inputs(json_writer *json, const gbv_result *r)
{
    json_begin_array(json, "inputs");
    for (size_t i = 0; i < r->input_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "path", r->inputs[i].path);
        json_text(json, "sha256", r->inputs[i].sha256);
        if (r->inputs[i].dataset)
            json_text(json, "dataset", r->inputs[i].dataset);
        json_count(json, "rows", r->inputs[i].rows);
        if (r->inputs[i].label_column)
            json_text(json, "label_column", r->inputs[i].label_column);
        if (r->inputs[i].source_column)
            json_text(json, "source_column", r->inputs[i].source_column);
        if (r->inputs[i].item_column)
            json_text(json, "item_column", r->inputs[i].item_column);
        if (r->inputs[i].wants_items)
            json_bool(json, "items", true);
        if (r->inputs[i].resize)
            json_count(json, "resize", r->inputs[i].resize);
        if (r->inputs[i].crop)
            json_count(json, "crop", r->inputs[i].crop);
        if (r->inputs[i].color != GBV_COLOR_AUTO)
            json_text(json, "color", color_words[r->inputs[i].color]);
        if (r->inputs[i].role)
            json_text(json, "role", r->inputs[i].role);
        if (r->inputs[i].skip_bad_rows)
            json_bool(json, "skip_bad_rows", true);
        json_end(json);
    }
    json_end(json);
}

void result_json_flags(json_writer *json, const gbv_source_result *s)
{
    json_begin_array(json, "flags");
    for (size_t i = 0; i < s->flag_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "kind", s->flags[i].kind);
        json_text(json, "detail", s->flags[i].detail);
        json_end(json);
    }
    json_end(json);
}

void result_json_interval(json_writer *json, const char *key, const double interval[2])
{
    json_begin_array(json, key);
    json_number(json, NULL, interval[0]);
    json_number(json, NULL, interval[1]);
    json_end(json);
}

void result_json_sureness(json_writer *json, const gbv_source_result *s)
{
    json_number(json, "score_corrected", s->score_corrected);
    result_json_interval(json, "score_interval", s->score_interval);
    result_json_interval(json, "score_interval_model", s->score_interval_model);
    result_json_interval(json, "posterior_interval", s->posterior_interval);
    json_begin_array(json, "rank_interval");
    json_count(json, NULL, s->rank_interval[0]);
    json_count(json, NULL, s->rank_interval[1]);
    json_end(json);
    json_number(json, "p_best", s->p_best);
}

/* What the intervals are of, and which sources they leave open. */
void result_json_certainty(json_writer *json, const gbv_result *r)
{
    const gbv_certainty *c = &r->certainty;
    json_begin_object(json, "certainty");
    json_number(json, "level", c->level);
    json_count(json, "replicates", c->replicates);
    json_count(json, "refits", c->refits);
    json_text(json, "score_interval_model", "this model of the source, on ever more reference rows");
    json_text(json, "score_interval",
              c->refits ? "the source at its number of rows: other rows of it, and ever more reference rows"
                        : "this model of the source, on ever more reference rows");
    json_end(json);
    json_begin_array(json, "indistinguishable");
    for (size_t i = 0; i < c->pair_count; i++) {
        json_begin_array(json, NULL);
        json_text(json, NULL, r->sources[c->pairs[i].first].name);
        json_text(json, NULL, r->sources[c->pairs[i].second].name);
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "separation");
    for (size_t i = 0; i < c->pair_count; i++) {
        const gbv_pair *p = &c->pairs[i];
        json_begin_object(json, NULL);
        json_text(json, "better", r->sources[p->first].name);
        json_text(json, "worse", r->sources[p->second].name);
        json_number(json, "difference", p->difference);
        json_number(json, "standard_error", p->standard_error);
        json_number(json, "rows_needed", p->rows_needed);
        json_text(json, "rows_needed_status", separation_words[isnan(p->rows_needed) ? 2 : !isfinite(p->rows_needed)]);
        json_end(json);
    }
    json_end(json);
    if (c->group) {
        json_begin_array(json, "groups");
        for (size_t g = 1; g <= c->group_count; g++) {
            json_begin_array(json, NULL);
            for (size_t i = 0; i < r->source_count; i++)
                if (c->group[i] == g)
                    json_text(json, NULL, r->sources[i].name);
            json_end(json);
        }
        json_end(json);
    }
}

/* A line of the document for each class. */
void result_json_confusion(json_writer *json, const gbv_source_result *s, size_t class_count)
{
    json_begin_array(json, "confusion");
    for (size_t c = 0; c < class_count; c++) {
        json_begin_array(json, NULL);
        json->compact = true;
        for (size_t k = 0; k <= class_count; k++)
            json_count(json, NULL, s->confusion[c * (class_count + 1) + k]);
        json_end(json);
        json->compact = false;
    }
    json_end(json);
}

static void write_source(json_writer *json, const gbv_result *r, const gbv_source_result *s)
{
    json_begin_object(json, NULL);
    json_text(json, "name", s->name);
    json_count(json, "rows", s->rows);
    json_number(json, "score", s->score);
    json_text(json, "score_status", score_status_words[s->score_status]);
    json_number(json, "standard_error", s->standard_error);
    json_number(json, "agreement", s->agreement);
    json_number(json, "prior", s->prior);
    json_number(json, "posterior", s->posterior);
    json_number(json, "row_weight", s->row_weight);
    json_count(json, "rank", s->rank);
    if (r->certainty.replicates)
        result_json_sureness(json, s);
    if (s->confusion)
        result_json_confusion(json, s, r->class_count);
    json_count(json, "input", s->input);
    result_json_flags(json, s);
    result_json_texts(json, "warnings", s->warnings, s->warning_count);
    json_end(json);
}

static void write_curve(json_writer *json, const gbv_result *r)
{
    json_begin_array(json, "tau_curve");
    for (size_t i = 0; i < r->tau_count; i++) {
        json_begin_object(json, NULL);
        json_number(json, "tau", r->tau_curve[i].tau);
        json_number(json, "effective_sources", r->tau_curve[i].effective_sources);
        json_number(json, "log_likelihood", r->tau_curve[i].log_likelihood);
        json_number(json, "deficit", r->tau_curve[i].deficit);
        json_number(json, "deficit_error", r->tau_curve[i].deficit_error);
        json_begin_array(json, "posterior");
        for (size_t s = 0; s < r->source_count; s++)
            json_number(json, NULL, r->tau_curve[i].posterior[s]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

void result_json_measure(json_writer *json, const gbv_result *r, const gbv_measure_result *by)
{
    json_text(json, "method", by->method);
    if (by->beside)
        json_bool(json, "beside", true);
    json_text(json, "measure", by->measure);
    json_text(json, "variant", by->variant);
    json_text(json, "feature_space", by->feature_space);
    json_begin_object(json, "tau");
    json_text(json, "mode", tau_mode_words[by->tau_mode]);
    json_number(json, "value", by->tau);
    json_end(json);
    json_number(json, "effective_sources", by->effective_sources);
    json_number(json, "rank_agreement", by->rank_agreement);
    json_begin_array(json, "sources");
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_score *s = &by->scores[i];
        json_begin_object(json, NULL);
        json_text(json, "name", r->sources[i].name);
        json_number(json, "score", s->score);
        json_text(json, "score_status", score_status_words[s->score_status]);
        json_number(json, "standard_error", s->standard_error);
        json_number(json, "posterior", s->posterior);
        json_count(json, "rank", s->rank);
        if (s->reason)
            json_text(json, "reason", s->reason);
        json_end(json);
    }
    json_end(json);
}

static void write_measures(json_writer *json, const gbv_result *r)
{
    json_begin_array(json, "measures");
    for (size_t m = 0; m < r->measure_count; m++) {
        json_begin_object(json, NULL);
        result_json_measure(json, r, &r->measures[m]);
        json_end(json);
    }
    json_end(json);
}

void result_write_json(json_writer *json, const char *key, const gbv_result *r)
{
    json_begin_object(json, key);
    json_text(json, "gbv", r->version);
    json_count(json, "schema", RESULT_SCHEMA);
    json_text(json, "command", "value");
    json_text(json, "method", r->method);
    json_text(json, "problem", r->problem);
    json_text(json, "measure", r->measure);
    json_text(json, "variant", r->variant);
    json_text(json, "model", r->model);
    json_text(json, "feature_space", r->feature_space);
    json_begin_object(json, "tau");
    json_text(json, "mode", tau_mode_words[r->tau_mode]);
    json_number(json, "value", r->tau);
    json_number(json, "inverse", r->tau_inverse);
    json_end(json);
    json_count(json, "seed", r->seed);
    json_count(json, "reference_rows", r->reference_rows);
    json_number(json, "entropy", r->entropy);
    json_number(json, "effective_sources", r->effective_sources);
    json_number(json, "effective_rows", r->effective_rows);
    json_bool(json, "ambiguous", r->ambiguous);
    if (r->class_count)
        result_json_texts(json, "classes", r->classes, r->class_count);
    result_json_texts(json, "warnings", r->warnings, r->warning_count);
    if (r->note_count)
        result_json_texts(json, "notes", r->notes, r->note_count);
    result_json_texts(json, "reference_uses", r->reference_uses, r->reference_use_count);
    result_json_run(json, r);
    result_json_inputs(json, r);
    json_begin_array(json, "sources");
    for (size_t i = 0; i < r->source_count; i++)
        write_source(json, r, &r->sources[i]);
    json_end(json);
    if (r->certainty.replicates)
        result_json_certainty(json, r);
    if (r->measures)
        write_measures(json, r);
    if (r->tau_curve)
        write_curve(json, r);
    json_end(json);
}

void result_print_json(const gbv_result *r, FILE *stream)
{
    json_writer json = json_open(stream);
    result_write_json(&json, NULL, r);
}
