/* csv.c - a result as a table for spreadsheets: one line per source in the order given. */
#include <math.h>
#include <string.h>

#include "base/csv_text.h"
#include "base/number.h"
#include "report/print.h"
#include "report/result_words.h"

static void write_number(FILE *stream, double value)
{
    char text[NUMBER_TEXT];
    fprintf(stream, ",%s", isfinite(value) ? number_format(value, text) : "");
}

void result_print_csv(const gbv_result *r, FILE *stream)
{
    fputs("source,rows,agreement,score,score_status,standard_error,prior,weight,weight_per_row,rank\n", stream);
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = &r->sources[i];
        csv_text_write(stream, s->name);
        fprintf(stream, ",%zu", s->rows);
        write_number(stream, s->agreement);
        write_number(stream, s->score);
        fprintf(stream, ",%s", score_status_words[s->score_status]);
        write_number(stream, s->standard_error);
        write_number(stream, s->prior);
        write_number(stream, s->posterior);
        write_number(stream, s->row_weight);
        fprintf(stream, ",%zu\n", s->rank);
    }
}
