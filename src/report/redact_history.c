/* redact_history.c - a ledger's history without the names of other vendors. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/redact.h"

/* Copies a text; NULL stays NULL. */
static bool copy_text(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

/* Its name and what changed, unless they name somebody; warnings are left out, because they may name sources in part.
 */
static bool copy_batch(const gbv_history_batch *from, size_t number, const redaction *r, gbv_history_batch *to)
{
    char numbered[32];
    snprintf(numbered, sizeof numbered, "batch %zu", number);
    *to = *from;
    to->changes = NULL;
    to->warnings = NULL;
    to->change_count = to->warning_count = 0;
    bool copied = copy_text(&to->name, redaction_betrays(r, from->name) ? numbered : from->name) &
                  copy_text(&to->version, from->version) & copy_text(&to->method, from->method) &
                  copy_text(&to->measure, from->measure) & copy_text(&to->variant, from->variant) &
                  copy_text(&to->model, from->model);
    if (!(to->changes = memory_zeroed(from->change_count, sizeof *to->changes)))
        return false;
    for (size_t i = 0; i < from->change_count && copied; i++)
        if (!redaction_betrays(r, from->changes[i]))
            copied = copy_text(&to->changes[to->change_count++], from->changes[i]);
    return copied;
}

static bool copy_sources(const gbv_history *from, const redaction *r, gbv_history *to)
{
    size_t batches = from->batch_count, row = batches * sizeof *to->points;
    to->names = memory_zeroed(from->source_count, sizeof *to->names);
    to->points = memory_zeroed(from->source_count, row);
    if (!to->names || !to->points)
        return false;
    to->source_count = from->source_count;
    for (size_t k = 0; k < r->count; k++) {
        if (row)
            memcpy(to->points + k * batches, from->points + r->order[k] * batches, row);
        for (size_t t = 0; k >= r->kept && t < batches; t++)
            memset(to->points[k * batches + t].sha256, 0, sizeof to->points->sha256);
        if (!copy_text(&to->names[k], r->shown[k]))
            return false;
    }
    return true;
}

static bool copy_strategies(const gbv_history *from, const redaction *r, gbv_history *to)
{
    if (!(to->strategies = memory_zeroed(from->strategy_count, sizeof *to->strategies)))
        return false;
    for (size_t i = 0; i < from->strategy_count; i++) {
        gbv_strategy *one = &to->strategies[i];
        *one = (gbv_strategy){.name = from->strategies[i].name, .summary = from->strategies[i].summary};
        to->strategy_count = i + 1;
        if (!(one->posterior = memory_zeroed(from->batch_count, from->source_count * sizeof *one->posterior)))
            return false;
        for (size_t t = 0; t < from->batch_count; t++)
            for (size_t k = 0; k < r->count; k++)
                one->posterior[t * r->count + k] = from->strategies[i].posterior[t * r->count + r->order[k]];
    }
    return true;
}

static bool copy_history(const gbv_history *from, const redaction *r, gbv_history *to)
{
    to->first_batch = from->first_batch;
    if (!copy_text(&to->path, redaction_betrays(r, from->path) ? "not shown" : from->path) ||
        !(to->batches = memory_zeroed(from->batch_count, sizeof *to->batches)))
        return false;
    for (size_t t = 0; t < from->batch_count; t++) {
        to->batch_count = t + 1;
        if (!copy_batch(&from->batches[t], from->first_batch + t + 1, r, &to->batches[t]))
            return false;
    }
    return copy_sources(from, r, to) && copy_strategies(from, r, to);
}

/* Names and hashes of files, which the copy does not have. */
static char *make_secret(const gbv_history *h)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    for (size_t s = 0; s < h->source_count; s++) {
        fprintf(stream, "%s\n", h->names[s]);
        for (size_t t = 0; t < h->batch_count; t++)
            fprintf(stream, "%s %.17g\n", h->points[s * h->batch_count + t].sha256,
                    h->points[s * h->batch_count + t].score);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static gbv_status hide_last(const gbv_result *last, const redaction *all, gbv_result **copy, gbv_error *error)
{
    redaction r = {0};
    const char **names = memory_array(last->source_count, sizeof *names);
    if (!names)
        return error_out_of_memory(error, "a copy of the history");
    for (size_t i = 0; i < last->source_count; i++)
        names[i] = last->sources[i].name;
    gbv_status status = redaction_within(&r, all, names, last->source_count, error);
    if (status == GBV_OK)
        status = redact_result_as(last, &r, copy, error);
    redaction_close(&r);
    free(names);
    return status;
}

gbv_status redact_history(const gbv_history *history, const gbv_result *last, const gbv_page_options *options,
                          gbv_history **copy, gbv_result **last_copy, gbv_error *error)
{
    redaction r = {0};
    char *secret = make_secret(history);
    *copy = NULL;
    *last_copy = NULL;
    gbv_status status =
        secret ? redaction_open(&r, (const char *const *)history->names, history->source_count, secret, options, error)
               : error_out_of_memory(error, "a copy of the history");
    if (status == GBV_OK && (!(*copy = calloc(1, sizeof **copy)) || !copy_history(history, &r, *copy)))
        status = error_out_of_memory(error, "a copy of the history");
    if (status == GBV_OK && last)
        status = hide_last(last, &r, last_copy, error);
    if (status != GBV_OK) {
        gbv_history_free(*copy);
        *copy = NULL;
    }
    free(secret);
    redaction_close(&r);
    return status;
}
