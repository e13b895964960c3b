/* csv.c - a result as a table for spreadsheets: one line per source in the order given, and again for each further
 * measure. */
#include <math.h>
#include <string.h>

#include "base/csv_text.h"
#include "base/number.h"
#include "base/sentence.h"
#include "report/print.h"
#include "report/result_words.h"

static void write_number(FILE *stream, double value)
{
    char text[NUMBER_TEXT];
    fprintf(stream, ",%s", isfinite(value) ? number_format(value, text) : "");
}

/* One source by one measure. */
static void write_line(FILE *stream, const gbv_source_result *s, const gbv_score *by, const char *method,
                       const char *measure, const char *variant, bool sureness)
{
    csv_text_write(stream, s->name);
    fprintf(stream, ",%zu", s->rows);
    write_number(stream, s->agreement);
    write_number(stream, by->score);
    fprintf(stream, ",%s", score_status_words[by->score_status]);
    write_number(stream, by->standard_error);
    write_number(stream, s->prior);
    write_number(stream, by->posterior);
    write_number(stream, s->rows ? by->posterior / (double)s->rows : NAN);
    fprintf(stream, ",%zu,", by->rank);
    sentence flags = {0};
    for (size_t i = 0; i < s->flag_count; i++)
        sentence_add(&flags, "%s%s", i ? " " : "", s->flags[i].kind);
    if (flags.length)
        csv_text_write(stream, flags.text);
    fputc(',', stream);
    csv_text_write(stream, measure);
    fputc(',', stream);
    if (*variant)
        csv_text_write(stream, variant);
    fputc(',', stream);
    csv_text_write(stream, method);
    const double known[] = {
        s->score_corrected,       s->score_interval[0],        s->score_interval[1],        s->posterior_interval[0],
        s->posterior_interval[1], (double)s->rank_interval[0], (double)s->rank_interval[1], s->p_best};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        write_number(stream, sureness ? known[i] : NAN);
    fputc('\n', stream);
}

void result_print_csv(const gbv_result *r, FILE *stream)
{
    fputs("source,rows,agreement,score,score_status,standard_error,prior,weight,weight_per_row,rank,flags,measure,"
          "variant,method,score_corrected,score_low,score_high,weight_low,weight_high,rank_best,rank_worst,p_best\n",
          stream);
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = &r->sources[i];
        gbv_score own = {.score = s->score,
                         .score_status = s->score_status,
                         .standard_error = s->standard_error,
                         .posterior = s->posterior,
                         .rank = s->rank};
        write_line(stream, s, &own, r->method, r->measure, r->variant, r->certainty.replicates);
    }
    for (size_t m = 1; m < r->measure_count; m++)
        if (!r->measures[m].beside)
            for (size_t i = 0; i < r->source_count; i++)
                write_line(stream, &r->sources[i], &r->measures[m].scores[i], r->measures[m].method,
                           r->measures[m].measure, r->measures[m].variant, false);
}
