/* comparison_json.c - a comparison as one JSON document: equal runs give equal bytes. */
#include "report/json_pieces.h"
#include "report/print.h"
#include "report/result_words.h"

const char *const verdict_words[3] = {"not judged", "no valuation pays", "a valuation pays"};

static void write_trained(json_writer *json, const gbv_trained *trained, size_t seeds)
{
    json_number(json, "accuracy", trained->accuracy);
    json_number(json, "accuracy_standard_error", trained->standard_error);
    json_begin_array(json, "accuracies");
    for (size_t r = 0; trained->accuracies && r < seeds; r++)
        json_number(json, NULL, trained->accuracies[r]);
    json_end(json);
}

static void write_verdict(json_writer *json, const gbv_comparison *c)
{
    json_begin_object(json, "verdict");
    json_text(json, "kind", verdict_words[c->verdict]);
    json_text(json, "sentence", c->sentence);
    if (c->verdict != GBV_VERDICT_NONE) {
        json_text(json, "best", c->best < c->method_count ? c->methods[c->best].label : NULL);
        json_text(json, "to_beat", c->baselines[c->to_beat].name);
        json_number(json, "gain", c->gain);
        json_number(json, "gain_standard_error", c->gain_error);
    }
    json_end(json);
}

static void write_methods(json_writer *json, const gbv_comparison *c)
{
    json_begin_array(json, "methods");
    for (size_t m = 0; m < c->method_count; m++) {
        const gbv_method_comparison *method = &c->methods[m];
        json_begin_object(json, NULL);
        json_text(json, "label", method->label);
        if (c->seeds) {
            write_trained(json, &method->trained, c->seeds);
            json_number(json, "pearson", method->pearson);
            json_number(json, "spearman", method->spearman);
            json_number(json, "kendall", method->kendall);
        }
        result_json_measure(json, c->result, &c->result->measures[m]);
        json_end(json);
    }
    json_end(json);
}

static void write_baselines(json_writer *json, const gbv_comparison *c)
{
    json_begin_array(json, "baselines");
    for (size_t b = 0; b < c->baseline_count; b++) {
        json_begin_object(json, NULL);
        json_text(json, "name", c->baselines[b].name);
        json_text(json, "summary", c->baselines[b].summary);
        if (c->baselines[b].detail)
            json_text(json, "detail", c->baselines[b].detail);
        write_trained(json, &c->baselines[b].trained, c->seeds);
        json_end(json);
    }
    json_end(json);
}

static void write_sources(json_writer *json, const gbv_comparison *c)
{
    const gbv_result *r = c->result;
    json_begin_array(json, "sources");
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = &r->sources[i];
        json_begin_object(json, NULL);
        json_text(json, "name", s->name);
        json_count(json, "rows", s->rows);
        if (c->source_accuracy)
            json_number(json, "test_accuracy", c->source_accuracy[i]);
        json_number(json, "agreement", s->agreement);
        json_number(json, "prior", s->prior);
        if (r->certainty.replicates)
            result_json_sureness(json, s);
        if (s->confusion)
            result_json_confusion(json, s, r->class_count);
        json_count(json, "input", s->input);
        result_json_flags(json, s);
        result_json_texts(json, "warnings", s->warnings, s->warning_count);
        json_end(json);
    }
    json_end(json);
}

void comparison_print_json(const gbv_comparison *c, FILE *stream)
{
    const gbv_result *r = c->result;
    json_writer json = json_open(stream);
    json_begin_object(&json, NULL);
    json_text(&json, "gbv", r->version);
    json_count(&json, "schema", RESULT_SCHEMA);
    json_text(&json, "command", "compare");
    write_verdict(&json, c);
    json_text(&json, "problem", r->problem);
    json_text(&json, "model", r->model);
    json_count(&json, "seed", r->seed);
    json_count(&json, "reference_rows", r->reference_rows);
    if (c->seeds) {
        json_count(&json, "test_rows", c->test_rows);
        json_count(&json, "seeds", c->seeds);
    }
    json_bool(&json, "ambiguous", r->ambiguous);
    if (r->class_count)
        result_json_texts(&json, "classes", r->classes, r->class_count);
    result_json_texts(&json, "warnings", r->warnings, r->warning_count);
    if (r->note_count)
        result_json_texts(&json, "notes", r->notes, r->note_count);
    result_json_texts(&json, "reference_uses", r->reference_uses, r->reference_use_count);
    result_json_run(&json, r);
    result_json_inputs(&json, r);
    write_methods(&json, c);
    write_baselines(&json, c);
    write_sources(&json, c);
    if (r->certainty.replicates)
        result_json_certainty(&json, r);
    json_end(&json);
}
