/* history_csv.c - the history of a ledger for spreadsheets, and its last weights for training. */
#include "base/csv_text.h"
#include "base/number.h"
#include "report/history.h"
#include "report/print.h"

static void next_number(FILE *stream, double value)
{
    char text[NUMBER_TEXT];
    fprintf(stream, ",%s", isfinite(value) ? number_format(value, text) : "");
}

static void write_line(FILE *stream, const gbv_history *h, size_t batch, size_t source)
{
    char time[TIME_TEXT];
    const gbv_history_point *p = history_point(h, source, batch);
    csv_text_write(stream, h->batches[batch].name);
    fprintf(stream, ",%s,", history_time(h->batches[batch].time, HISTORY_TIME_FORM, time));
    csv_text_write(stream, h->names[source]);
    fprintf(stream, ",%zu", p->rows);
    next_number(stream, p->score);
    fprintf(stream, ",%s", history_score_status(p));
    next_number(stream, p->deviation);
    next_number(stream, p->batch_posterior);
    next_number(stream, p->prior);
    next_number(stream, p->posterior);
    next_number(stream, p->posterior_interval[0]);
    next_number(stream, p->posterior_interval[1]);
    next_number(stream, p->z);
    next_number(stream, p->cusum);
    fprintf(stream, ",%s,%s", history_alarm_word(p->alarm), p->flag ? p->flag : "");
    for (size_t i = 0; i < h->strategy_count; i++)
        next_number(stream, h->strategies[i].posterior[batch * h->source_count + source]);
    fputc('\n', stream);
}

void history_print_csv(const gbv_history *h, FILE *stream)
{
    fputs("batch,time,source,rows,score,score_status,standard_error,batch_weight,prior,weight,weight_low,weight_high,z,"
          "cusum,alarm,flag",
          stream);
    for (size_t i = 0; i < h->strategy_count; i++)
        fprintf(stream, ",%s", h->strategies[i].name);
    fputc('\n', stream);
    for (size_t t = 0; t < h->batch_count; t++)
        for (size_t s = 0; s < h->source_count; s++)
            write_line(stream, h, t, s);
}

void history_print_weights(const gbv_history *h, FILE *stream)
{
    fputs("source,weight\n", stream);
    for (size_t s = 0; s < h->source_count && h->batch_count; s++) {
        double weight = history_point(h, s, h->batch_count - 1)->posterior;
        if (isnan(weight)) /* it left */
            continue;
        csv_text_write(stream, h->names[s]);
        next_number(stream, weight);
        fputc('\n', stream);
    }
}
