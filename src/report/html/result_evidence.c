/* result_evidence.c - what a valuation rests on: flags, pairs, confusion, other methods, tau. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html/result_sections.h"
#include "report/plain.h"
#include "report/result_words.h"
#include "report/svg/lines.h"

/* One flag or warning of a source, for a table that has a row for each. */
typedef struct remark {
    const gbv_source_result *source;
    const gbv_flag *flag;
    const char *warning;
} remark;

static void fill_remark(const void *context, size_t row, size_t column, page_cell *cell)
{
    const remark *m = (const remark *)context + row;
    const char *const texts[] = {m->source->name, m->flag ? m->flag->kind : "warning",
                                 m->flag ? m->flag->detail : m->warning,
                                 m->flag ? gbv_flag_remedy(m->flag->kind) : NULL};
    cell->text = texts[column];
    if (column == 1) {
        snprintf(cell->scratch, sizeof cell->scratch, "%s", texts[column]);
        cell->text = plain_words(cell->scratch);
    }
}

void result_section_flags(page *p, const result_view *v)
{
    static const page_column columns[] = {
        {.name = "Source"}, {.name = "Flag"}, {.name = "What was found"}, {.name = "What to do"}};
    const gbv_result *r = v->result;
    size_t count = 0;
    for (size_t i = 0; i < r->source_count; i++)
        count += r->sources[i].flag_count + r->sources[i].warning_count;
    if (!count && !r->warning_count && !r->note_count)
        return;
    page_section(p, "flags", "Flags", NULL);
    for (size_t i = 0; i < r->warning_count; i++)
        page_warning(p, r->warnings[i]);
    page_list(p, (const char *const *)r->notes, r->note_count);
    remark *remarks = memory_array(count, sizeof *remarks);
    if (!remarks) {
        page_fail(p);
        return;
    }
    count = 0;
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = &r->sources[v->order[i]];
        for (size_t k = 0; k < s->flag_count; k++)
            remarks[count++] = (remark){s, &s->flags[k], NULL};
        for (size_t k = 0; k < s->warning_count; k++)
            remarks[count++] = (remark){s, NULL, s->warnings[k]};
    }
    if (count)
        page_table_add(p, &(page_table){.id = "flag-list",
                                        .caption = "What is wrong with single sources, and what to do",
                                        .columns = columns,
                                        .column_count = 4,
                                        .row_count = count,
                                        .cell = fill_remark,
                                        .context = remarks,
                                        .cards = true});
    free(remarks);
}

static void fill_pair(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_result *r = context;
    const gbv_pair *pair = &r->certainty.pairs[row];
    if (column < 2)
        cell->text = r->sources[column ? pair->second : pair->first].name;
    else if (column == 2) {
        cell->value = pair->difference;
        cell->low = pair->difference - 1.645 * pair->standard_error;
        cell->high = pair->difference + 1.645 * pair->standard_error;
    } else {
        cell->value = isinf(pair->rows_needed) ? NAN : ceil(pair->rows_needed);
        cell->text = isinf(pair->rows_needed) ? "no number would; more rows of the two might" : "not known";
    }
}

static void fill_group(const void *context, size_t row, size_t column, page_cell *cell)
{
    const result_view *v = context;
    size_t index = v->order[row];
    if (column == 0)
        cell->text = v->result->sources[index].name;
    else
        cell->value = (double)v->result->certainty.group[index];
}

void result_section_pairs(page *p, const result_view *v)
{
    static const page_column columns[] = {
        {.name = "Better"},
        {.name = "Worse"},
        {.name = "Difference",
         .kind = PAGE_NUMBER,
         .interval = true,
         .help = "of their scores, with an interval at 90 %"},
        {.name = "Reference rows needed", .kind = PAGE_COUNT, .help = "that would tell them apart, about"}};
    static const page_column group_columns[] = {{.name = "Source"}, {.name = "Group", .kind = PAGE_COUNT}};
    const gbv_result *r = v->result;
    const gbv_certainty *c = &r->certainty;
    char pairs[PLAIN_TEXT], all[PLAIN_TEXT];
    if (!c->replicates || strcmp(r->method, "uniform") == 0)
        return;
    page_section(p, "pairs", "Ties", NULL);
    if (!c->pair_count && !c->group)
        page_paragraph(p, "Every source can be told from every other.");
    if (c->pair_count) {
        page_paragraph(
            p, "%s of %s pairs cannot be told apart: prefer the one over the other for its price, not its rank.",
            plain_count(c->pair_count, pairs), plain_count(r->source_count * (r->source_count - 1) / 2, all));
        page_table_add(p, &(page_table){.id = "pair-list",
                                        .caption = "Pairs that cannot be told apart",
                                        .columns = columns,
                                        .column_count = 4,
                                        .row_count = c->pair_count,
                                        .cell = fill_pair,
                                        .context = r});
    }
    if (c->group) {
        page_paragraph(p, "The sources fall into %s group%s; those of one group cannot be told from its best.",
                       plain_count(c->group_count, pairs), c->group_count == 1 ? "" : "s");
        page_table_add(p, &(page_table){.id = "group-list",
                                        .caption = "Groups of sources",
                                        .columns = group_columns,
                                        .column_count = 2,
                                        .row_count = r->source_count,
                                        .cell = fill_group,
                                        .context = v});
    }
}

/* What one way of scoring makes of the sources. */
static void fill_method(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_result *r = context;
    const gbv_measure_result *by = &r->measures[row];
    size_t best = r->source_count, worst = r->source_count;
    const char *reason = NULL;
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_score *s = &by->scores[i];
        reason = reason ? reason : s->reason;
        if (s->score_status == GBV_SCORE_UNDEFINED)
            continue;
        if (best == r->source_count || s->score > by->scores[best].score)
            best = i;
        if (worst == r->source_count || s->score < by->scores[worst].score)
            worst = i;
    }
    bool scored = best < r->source_count;
    if (column == 0) {
        bool own = strcmp(by->method, "gbv") == 0;
        snprintf(cell->scratch, sizeof cell->scratch, "%s%s%s", own ? by->measure : by->method, *by->variant ? " " : "",
                 by->variant);
        cell->text = cell->scratch;
    } else if (column == 1)
        cell->text = scored ? r->sources[best].name : reason;
    else if (column == 2)
        cell->text = scored ? r->sources[worst].name : NULL;
    else if (column == 3)
        cell->value = by->effective_sources;
    else if (column == 4)
        cell->value = by->tau;
    else
        cell->value = by->rank_agreement;
}

/* The weight of a source by each of the methods. */
static void fill_method_weight(const void *context, size_t row, size_t column, page_cell *cell)
{
    const result_view *v = context;
    size_t index = v->order[row];
    if (column == 0)
        cell->text = v->result->sources[index].name;
    else {
        cell->value = v->result->measures[column - 1].scores[index].posterior;
        cell->text =
            v->result->measures[column - 1].scores[index].score_status == GBV_SCORE_UNDEFINED ? "undefined" : NULL;
    }
}

enum { METHODS_SHOWN = 24, WITH_BARS = 6 }; /* more columns with bars are wider than a screen */

void result_section_methods(page *p, const result_view *v)
{
    static const page_column columns[] = {
        {.name = "Method"},
        {.name = "Best source"},
        {.name = "Worst source"},
        {.name = "Effective sources", .kind = PAGE_NUMBER, .help = "that its weights amount to"},
        {.name = "Tau", .kind = PAGE_NUMBER, .help = "the temperature of its weights"},
        {.name = "Like the first",
         .kind = PAGE_NUMBER,
         .help = "how far it ranks the sources as the first method does (Kendall's tau-b): 1 the same, -1 reversed"}};
    const gbv_result *r = v->result;
    page_column weights[METHODS_SHOWN + 1] = {{.name = "Source"}};
    char names[METHODS_SHOWN][128];
    if (!r->measures)
        return;
    size_t shown = r->measure_count < METHODS_SHOWN ? r->measure_count : METHODS_SHOWN;
    for (size_t m = 0; m < shown; m++) {
        const gbv_measure_result *by = &r->measures[m];
        snprintf(names[m], sizeof names[m], "%s%s%s", strcmp(by->method, "gbv") == 0 ? by->measure : by->method,
                 *by->variant ? " " : "", by->variant);
        weights[m + 1] = (page_column){.name = names[m], .kind = shown > WITH_BARS ? PAGE_PERCENT : PAGE_SHARE};
    }
    page_section(p, "methods", "Methods",
                 "The same sources by every method that was asked for. The first one gives the weights above.");
    page_table_add(p, &(page_table){.id = "method-list",
                                    .caption = "Methods",
                                    .columns = columns,
                                    .column_count = 6,
                                    .row_count = r->measure_count,
                                    .cell = fill_method,
                                    .context = r});
    page_table_add(p, &(page_table){.id = "method-weights",
                                    .caption = "Weight of each source by each method",
                                    .columns = weights,
                                    .column_count = shown + 1,
                                    .row_count = r->source_count,
                                    .cell = fill_method_weight,
                                    .context = v});
}

static void fill_tau(const void *context, size_t row, size_t column, page_cell *cell)
{
    const result_view *v = context;
    const gbv_tau_point *point = &v->result->tau_curve[row];
    if (column == 0) {
        snprintf(cell->scratch, sizeof cell->scratch, isfinite(point->tau) ? "%g" : "infinite: the prior", point->tau);
        cell->text = cell->scratch;
    } else if (column == 1)
        cell->value = point->effective_sources;
    else if (column == 2)
        cell->value = point->log_likelihood;
    else
        cell->value = point->posterior[v->order[column - 3]];
}

enum { TAU_SERIES = 8, TAU_POINTS = 64 };

void result_section_tau(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    size_t sources = r->source_count < TAU_SERIES ? r->source_count : TAU_SERIES;
    double x[TAU_POINTS], weights[TAU_SERIES][TAU_POINTS], likelihood[TAU_POINTS];
    series lines[TAU_SERIES];
    page_column columns[3 + TAU_SERIES] = {
        {.name = "Tau"},
        {.name = "Effective sources", .kind = PAGE_NUMBER},
        {.name = "Log-likelihood", .kind = PAGE_NUMBER, .help = "of held-out reference rows under the final model"}};
    char mark[80];
    if (!r->tau_curve || !r->tau_count)
        return;
    size_t points = 0;
    bool judged = false;
    for (size_t t = 0; t < r->tau_count && points < TAU_POINTS; t++) {
        if (!isfinite(r->tau_curve[t].tau))
            continue; /* the prior: in the table */
        x[points] = r->tau_curve[t].tau;
        likelihood[points] = r->tau_curve[t].log_likelihood;
        judged |= isfinite(likelihood[points]);
        for (size_t i = 0; i < sources; i++)
            weights[i][points] = r->tau_curve[t].posterior[v->order[i]];
        points++;
    }
    for (size_t i = 0; i < sources; i++) {
        lines[i] = (series){.label = r->sources[v->order[i]].name, .values = weights[i]};
        columns[3 + i] = (page_column){.name = lines[i].label, .kind = PAGE_PERCENT};
    }
    page_table table = {.id = "tau-curve",
                        .caption = "Weights over tau",
                        .columns = columns,
                        .column_count = 3 + sources,
                        .row_count = r->tau_count,
                        .cell = fill_tau,
                        .context = v};
    page_section(p, "tau", "Temperature",
                 "The smaller tau, the more the weights go to the best scores. A ranking that only holds at one tau is "
                 "not a ranking to rely on.");
    snprintf(mark, sizeof mark, "tau %.3g (%s)", r->tau, tau_mode_words[r->tau_mode]);
    lines_chart chart = {.label = "Lines: weights of the best sources over tau",
                         .x_name = "tau",
                         .y_name = "weight P(s)",
                         .x = x,
                         .points = points,
                         .series = lines,
                         .count = sources,
                         .logarithmic = true,
                         .share = true,
                         .from_zero = true,
                         .mark = r->tau,
                         .mark_name = mark};
    page_figure(p, &(page_chart){.id = "figure-tau", .draw = lines_draw, .chart = &chart, .table = &table});
    if (!judged)
        return;
    series one = {.label = "log-likelihood", .values = likelihood};
    chart.label = "Line: log-likelihood of held-out reference rows over tau";
    chart.y_name = "log-likelihood of a held-out reference row under the final model";
    chart.series = &one;
    chart.count = 1;
    chart.share = chart.from_zero = false;
    chart.height = 140;
    page_figure(p, &(page_chart){.id = "figure-likelihood",
                                 .title = "What the final model makes of it",
                                 .draw = lines_draw,
                                 .chart = &chart,
                                 .table_id = "tau-curve"});
}
