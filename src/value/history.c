/* history.c - the history of a ledger as a plain struct, wherever it was made. */
#include <gbv/ledger.h>

#include <stdlib.h>

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

void gbv_history_free(gbv_history *history)
{
    if (!history)
        return;
    for (size_t t = 0; history->batches && t < history->batch_count; t++) {
        gbv_history_batch *b = &history->batches[t];
        char *const texts[] = {b->name, b->version, b->method, b->measure, b->variant, b->model};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            free(texts[i]);
        free_texts(b->changes, b->change_count);
        free_texts(b->warnings, b->warning_count);
    }
    for (size_t i = 0; history->strategies && i < history->strategy_count; i++)
        free(history->strategies[i].posterior);
    free(history->strategies);
    free(history->batches);
    free(history->points);
    free_texts(history->names, history->source_count);
    free(history->path);
    free(history);
}
