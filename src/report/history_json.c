/* history_json.c - the history of a ledger as one JSON document: all that is known of every batch and every source. */
#include "report/history.h"
#include "report/json_pieces.h"
#include "report/print.h"
#include "report/result_words.h"

static void write_batch(json_writer *json, const gbv_history_batch *b)
{
    char time[TIME_TEXT];
    json_begin_object(json, NULL);
    json_text(json, "name", b->name);
    json_text(json, "time", history_time(b->time, HISTORY_TIME_FORM, time));
    json_text(json, "gbv", b->version);
    json_text(json, "method", b->method);
    json_text(json, "measure", b->measure);
    json_text(json, "variant", b->variant);
    json_text(json, "model", b->model);
    json_number(json, "tau", b->tau);
    json_number(json, "forgetting", b->forgetting);
    json_number(json, "memory", b->forgetting < 1 ? 1 / (1 - b->forgetting) : NAN);
    json_begin_object(json, "alarms");
    json_number(json, "batches", b->alarm_batches);
    json_number(json, "threshold", b->alarm_threshold);
    json_end(json);
    json_count(json, "seed", b->seed);
    json_count(json, "replicates", b->replicates);
    json_count(json, "refits", b->refits);
    json_begin_object(json, "reference");
    json_text(json, "kind", b->reference_kind);
    json_count(json, "rows", b->reference_rows);
    json_text(json, "sha256", b->reference_sha256);
    json_count(json, "batches", b->reference_batches);
    json_end(json);
    json_number(json, "effective_sources", b->effective_sources);
    json_count(json, "present", b->present);
    json_count(json, "newcomers", b->newcomers);
    json_count(json, "leavers", b->leavers);
    result_json_texts(json, "changes", b->changes, b->change_count);
    result_json_texts(json, "warnings", b->warnings, b->warning_count);
    json_text(json, "hash", b->hash);
    json_end(json);
}

static void write_point(json_writer *json, const char *batch, const gbv_history_point *p)
{
    json_begin_object(json, NULL);
    json_text(json, "batch", batch);
    json_bool(json, "present", p->present);
    json_count(json, "rows", p->rows);
    json_number(json, "score", p->score);
    json_text(json, "score_status", history_score_status(p));
    json_number(json, "standard_error", p->deviation);
    json_number(json, "batch_posterior", p->batch_posterior);
    json_number(json, "prior", p->prior);
    json_number(json, "posterior", p->posterior);
    result_json_interval(json, "posterior_interval", p->posterior_interval);
    json_number(json, "z", p->z);
    json_number(json, "cusum", p->cusum);
    json_text(json, "alarm", history_alarm_word(p->alarm));
    json_text(json, "flag", p->flag);
    json_text(json, "sha256", p->sha256);
    json_end(json);
}

static void write_strategy(json_writer *json, const gbv_history *h, const gbv_strategy *strategy)
{
    json_begin_object(json, NULL);
    json_text(json, "name", strategy->name);
    json_text(json, "summary", strategy->summary);
    json_begin_array(json, "posterior");
    for (size_t t = 0; t < h->batch_count; t++) {
        json_begin_array(json, NULL);
        for (size_t s = 0; s < h->source_count; s++)
            json_number(json, NULL, strategy->posterior[t * h->source_count + s]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void history_print_json(const gbv_history *h, FILE *stream)
{
    json_writer json = json_open(stream);
    json_begin_object(&json, NULL);
    json_text(&json, "gbv", gbv_version());
    json_count(&json, "schema", RESULT_SCHEMA);
    json_text(&json, "command", "history");
    json_text(&json, "ledger", h->path);
    json_count(&json, "first_batch", h->first_batch);
    json_begin_array(&json, "batches");
    for (size_t t = 0; t < h->batch_count; t++)
        write_batch(&json, &h->batches[t]);
    json_end(&json);
    json_begin_array(&json, "sources");
    for (size_t s = 0; s < h->source_count; s++) {
        json_begin_object(&json, NULL);
        json_text(&json, "name", h->names[s]);
        json_begin_array(&json, "points");
        for (size_t t = 0; t < h->batch_count; t++)
            write_point(&json, h->batches[t].name, history_point(h, s, t));
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    if (h->strategy_count) {
        json_begin_array(&json, "strategies");
        for (size_t i = 0; i < h->strategy_count; i++)
            write_strategy(&json, h, &h->strategies[i]);
        json_end(&json);
    }
    json_end(&json);
}
