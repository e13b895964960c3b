/* comparison_csv.c - a comparison for spreadsheets: a line for each source by each method, with what holds for the
 * whole method repeated, then a line for each baseline. */
#include <math.h>

#include "base/csv_text.h"
#include "base/number.h"
#include "report/print.h"
#include "report/result_words.h"

static void next_number(FILE *stream, double value)
{
    char text[NUMBER_TEXT];
    fprintf(stream, ",%s", isfinite(value) ? number_format(value, text) : "");
}

static void next_text(FILE *stream, const char *text)
{
    fputc(',', stream);
    if (*text)
        csv_text_write(stream, text);
}

static void write_trained(FILE *stream, const gbv_trained *trained)
{
    next_number(stream, trained->accuracy);
    next_number(stream, trained->standard_error);
}

static void write_line(FILE *stream, const gbv_comparison *c, size_t m, size_t i)
{
    const gbv_measure_result *by = &c->result->measures[m];
    const gbv_score *s = &by->scores[i];
    csv_text_write(stream, by->method);
    next_text(stream, by->measure);
    next_text(stream, by->variant);
    fprintf(stream, ",%s", tau_mode_words[by->tau_mode]);
    next_number(stream, by->tau);
    next_text(stream, c->result->sources[i].name);
    fprintf(stream, ",%zu", c->result->sources[i].rows);
    next_number(stream, c->source_accuracy ? c->source_accuracy[i] : NAN);
    next_number(stream, s->score);
    fprintf(stream, ",%s", score_status_words[s->score_status]);
    next_number(stream, s->posterior);
    next_number(stream, s->rank ? (double)s->rank : NAN);
    next_number(stream, by->effective_sources);
    next_number(stream, by->rank_agreement);
    write_trained(stream, &c->methods[m].trained);
    next_number(stream, c->methods[m].pearson);
    next_number(stream, c->methods[m].spearman);
    next_number(stream, c->methods[m].kendall);
    fputc('\n', stream);
}

void comparison_print_csv(const gbv_comparison *c, FILE *stream)
{
    fputs("method,measure,variant,tau_mode,tau,source,rows,test_accuracy,score,score_status,weight,rank,"
          "effective_sources,rank_agreement,accuracy,accuracy_standard_error,pearson,spearman,kendall\n",
          stream);
    for (size_t m = 0; m < c->method_count; m++)
        for (size_t i = 0; i < c->result->source_count; i++)
            write_line(stream, c, m, i);
    for (size_t b = 0; b < c->baseline_count; b++) {
        csv_text_write(stream, c->baselines[b].name);
        fputs(",,,,,,,,,,,,,", stream);
        write_trained(stream, &c->baselines[b].trained);
        fputs(",,,\n", stream);
    }
}
