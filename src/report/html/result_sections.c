#include "report/html/result_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sentence.h"
#include "base/words.h"
#include "report/html/result_limits.h"
#include "report/plain.h"
#include "report/svg/bars.h"
#include "report/svg/dots.h"

result_view result_view_of(const gbv_result *r, const gbv_advice *advice, const char *command)
{
    result_view v = {.result = r, .advice = advice, .command = command};
    size_t ranks = r->source_count + 2, *place = memory_zeroed(ranks, sizeof *place);
    v.order = memory_array(r->source_count, sizeof *v.order);
    if (!place || !v.order) {
        result_view_free(&v);
        free(place);
        return v;
    }
    /* Counting by rank keeps the order given among equals. */
    for (size_t i = 0; i < r->source_count; i++)
        place[r->sources[i].rank < ranks - 1 ? r->sources[i].rank + 1 : ranks - 1]++;
    for (size_t k = 1; k < ranks; k++)
        place[k] += place[k - 1];
    for (size_t i = 0; i < r->source_count; i++)
        v.order[place[r->sources[i].rank < ranks - 1 ? r->sources[i].rank : ranks - 2]++] = i;
    free(place);
    return v;
}

void result_view_free(result_view *view)
{
    free(view->order);
    view->order = NULL;
}

advised *advised_of_result(const result_view *v)
{
    advised *sources = memory_array(v->result->source_count, sizeof *sources);
    for (size_t i = 0; sources && i < v->result->source_count; i++) {
        const gbv_source_result *s = &v->result->sources[v->order[i]];
        sources[i] = (advised){s->name, s->posterior, s->posterior_interval[0], s->posterior_interval[1],
                               &v->advice[v->order[i]]};
    }
    return sources;
}

void result_sections(page *p, const result_view *v)
{
    result_section_weights(p, v);
    result_section_scores(p, v);
    result_section_sources(p, v);
    result_section_flags(p, v);
    result_section_pairs(p, v);
    result_section_confusion(p, v);
    result_section_methods(p, v);
    result_section_tau(p, v);
    result_section_reference(p, v);
    result_section_record(p, v);
}

static size_t shown_of(const gbv_result *r)
{
    return r->source_count < PAGE_FIGURE_ROWS ? r->source_count : PAGE_FIGURE_ROWS;
}

/* How to read a figure, and what it leaves out. */
static const char *caption_of(const gbv_result *r, const char *words, const char *more, sentence *s)
{
    char all[PLAIN_TEXT];
    *s = (sentence){0};
    sentence_add(s, "%s%s%s", words ? words : "", words && more ? " " : "", more ? more : "");
    if (r->source_count > PAGE_FIGURE_ROWS)
        sentence_add(s, "%sThe best %d of %s sources; the table below has all.", s->length ? " " : "", PAGE_FIGURE_ROWS,
                     plain_count(r->source_count, all));
    return s->length ? s->text : NULL;
}

void result_section_weights(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    bar bars[PAGE_FIGURE_ROWS];
    char notes[PAGE_FIGURE_ROWS][PLAIN_TEXT], tips[PAGE_FIGURE_ROWS][400], value[PLAIN_TEXT], label[200];
    sentence caption;
    size_t count = shown_of(r);
    bool sure = r->certainty.replicates, equal = r->source_count > 1;
    for (size_t i = 0; i < count; i++) {
        const gbv_source_result *s = &r->sources[v->order[i]];
        char low[PLAIN_TEXT], high[PLAIN_TEXT];
        bars[i] = (bar){s->name, s->posterior, s->posterior_interval[0], s->posterior_interval[1], NULL, tips[i]};
        int used = snprintf(tips[i], sizeof tips[i], "%.200s: weight %s", s->name, plain_share(s->posterior, value));
        if (isfinite(s->posterior_interval[0]))
            used += snprintf(tips[i] + used, sizeof tips[i] - (size_t)used, " (%s to %s)",
                             plain_share(s->posterior_interval[0], low), plain_share(s->posterior_interval[1], high));
        if (sure && isfinite(s->p_best)) {
            bars[i].note = plain_share(s->p_best, notes[i]);
            snprintf(tips[i] + used, sizeof tips[i] - (size_t)used, "; the best with probability %s", notes[i]);
        }
    }
    for (size_t i = 1; i < r->source_count; i++)
        equal &= fabs(r->sources[i].prior - r->sources[0].prior) < 1e-12;
    page_section(p, "weights", "Weights", "The weight P(s) of a source is its share in the training loss.");
    snprintf(label, sizeof label, "Bars: weights of the best %zu sources, %s first", count,
             count ? r->sources[v->order[0]].name : "");
    page_figure(p,
                &(page_chart){.id = "figure-weights",
                              .draw = bars_draw,
                              .chart = &(bars_chart){.label = label,
                                                     .axis = "weight P(s)",
                                                     .bars = bars,
                                                     .count = count,
                                                     .share = true,
                                                     .note_name = sure ? "p best" : NULL,
                                                     .mark = equal ? r->sources[0].prior : NAN,
                                                     .mark_name = "equal weights"},
                              .caption = caption_of(r,
                                                    sure ? "Lines are intervals at 90 %. At the right the probability "
                                                           "that a source is the best, which its weight is not."
                                                         : NULL,
                                                    NULL, &caption),
                              .table_id = "sources"});
    if (r->ambiguous)
        page_warning(p, "The scores differ no more than chance explains.");
}

static void draw_scores(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    dot dots[PAGE_FIGURE_ROWS];
    char label[200], axis[200], floor_name[80], ceiling_name[80], number[PLAIN_TEXT];
    size_t count = shown_of(r);
    result_limits limits = result_limits_of(r);
    sentence caption;
    const char *lines = NULL;
    if (r->certainty.replicates)
        lines =
            r->certainty.refits
                ? "Dots are scores without the bias of few reference rows, hollow ones with it. Thick lines: this "
                  "model on other reference rows; thin lines: other rows of the source, too; at 90 %."
                : "Dots are scores without the bias of few reference rows, hollow ones with it. Lines are intervals "
                  "over reference rows, at 90 %.";
    for (size_t i = 0; i < count; i++) {
        const gbv_source_result *s = &r->sources[v->order[i]];
        bool corrected = isfinite(s->score_corrected);
        dots[i] = (dot){.label = s->name,
                        .value = s->score_status == GBV_SCORE_UNDEFINED ? NAN
                                 : corrected                            ? s->score_corrected
                                                                        : s->score,
                        .corrected = corrected,
                        .before = s->score,
                        .low = s->score_interval[0],
                        .high = s->score_interval[1],
                        .inner_low = s->score_interval_model[0],
                        .inner_high = s->score_interval_model[1]};
    }
    snprintf(axis, sizeof axis, "%s%s%s", *r->measure ? r->measure : r->method, *r->variant ? " " : "", r->variant);
    snprintf(label, sizeof label, "Dots with intervals: scores of the best %zu sources by %.100s", count, axis);
    snprintf(floor_name, sizeof floor_name, "floor %s", plain_number(limits.floor, number));
    snprintf(ceiling_name, sizeof ceiling_name, "ceiling %s", plain_number(limits.ceiling, number));
    page_figure(p, &(page_chart){.id = "figure-scores",
                                 .title = "Scores",
                                 .draw = dots_draw,
                                 .chart = &(dots_chart){.label = label,
                                                        .axis = axis,
                                                        .dots = dots,
                                                        .count = count,
                                                        .floor = limits.floor,
                                                        .ceiling = limits.ceiling,
                                                        .floor_name = floor_name,
                                                        .ceiling_name = ceiling_name},
                                 .caption = caption_of(r, lines, limits.meaning, &caption),
                                 .table_id = "sources"});
}

static void draw_agreement(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    dot dots[PAGE_FIGURE_ROWS];
    char label[200], floor_name[80], number[PLAIN_TEXT];
    size_t count = shown_of(r), known = 0;
    double commonest = result_commonest_class(r);
    sentence caption;
    for (size_t i = 0; i < count; i++) {
        const gbv_source_result *s = &r->sources[v->order[i]];
        known += isfinite(s->agreement);
        dots[i] = (dot){
            .label = s->name, .value = s->agreement, .low = NAN, .high = NAN, .inner_low = NAN, .inner_high = NAN};
    }
    if (!known)
        return;
    snprintf(label, sizeof label, "Dots: agreement of %zu sources with the reference", count);
    snprintf(floor_name, sizeof floor_name, "commonest class %s", plain_share(commonest, number));
    page_figure(p, &(page_chart){.id = "figure-agreement",
                                 .title = "Agreement",
                                 .draw = dots_draw,
                                 .chart = &(dots_chart){.label = label,
                                                        .axis = "reference rows labelled as the reference does",
                                                        .dots = dots,
                                                        .count = count,
                                                        .share = true,
                                                        .floor = commonest,
                                                        .ceiling = 1,
                                                        .floor_name = floor_name,
                                                        .ceiling_name = "all"},
                                 .caption = caption_of(r,
                                                       "How often the model of a source names the class that the "
                                                       "reference does. Always naming the commonest class would do as "
                                                       "well as the line at the left; a source far below what its "
                                                       "score promises may have swapped classes.",
                                                       NULL, &caption),
                                 .table_id = "sources"});
}

void result_section_scores(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    page_section(p, "scores", "Scores",
                 strcmp(r->feature_space, SPACE_OF_LABELS) == 0
                     ? "How well the labels of each source serve the task."
                     : "How well a model of each source alone serves the reference.");
    draw_scores(p, v);
    draw_agreement(p, v);
}

enum {
    NAME,
    VERDICT,
    WEIGHT,
    BEST,
    RANK,
    SCORE,
    CORRECTED,
    AGREEMENT,
    ROWS,
    PRIOR,
    ROW_WEIGHT,
    FLAGS,
    WHY,
    SETTLES,
    SOURCE_COLUMNS
};

static void fill_source(const void *context, size_t row, size_t column, page_cell *cell)
{
    const result_view *v = context;
    size_t index = v->order[row];
    const gbv_source_result *s = &v->result->sources[index];
    size_t used = 0;
    switch (column) {
    case NAME:
        cell->text = s->name;
        break;
    case VERDICT:
        cell->value = (double)v->advice[index].action;
        break;
    case WEIGHT:
        cell->value = s->posterior;
        cell->low = s->posterior_interval[0];
        cell->high = s->posterior_interval[1];
        break;
    case BEST:
        cell->value = s->p_best;
        break;
    case RANK:
        cell->value = (double)s->rank;
        cell->low = s->rank_interval[0] ? (double)s->rank_interval[0] : NAN;
        cell->high = s->rank_interval[1] ? (double)s->rank_interval[1] : NAN;
        break;
    case SCORE:
        cell->value = s->score_status == GBV_SCORE_UNDEFINED ? NAN : s->score;
        cell->text = s->score_status == GBV_SCORE_UNDEFINED ? "undefined" : NULL;
        break;
    case CORRECTED:
        cell->value = s->score_corrected;
        cell->low = s->score_interval[0];
        cell->high = s->score_interval[1];
        break;
    case AGREEMENT:
        cell->value = s->agreement;
        break;
    case ROWS:
        cell->value = s->rows ? (double)s->rows : NAN;
        break;
    case PRIOR:
        cell->value = s->prior;
        break;
    case ROW_WEIGHT:
        cell->value = s->row_weight;
        break;
    case WHY:
        cell->text = v->advice[index].reason;
        break;
    case SETTLES:
        cell->text = v->advice[index].settles;
        break;
    default:
        for (size_t i = 0; i < s->flag_count && used < sizeof cell->scratch; i++)
            used += (size_t)snprintf(cell->scratch + used, sizeof cell->scratch - used, "%s%s", i ? ", " : "",
                                     s->flags[i].kind);
        cell->text = plain_words(cell->scratch);
    }
}

/* The same without verdicts. */
static void fill_without_verdict(const void *context, size_t row, size_t column, page_cell *cell)
{
    fill_source(context, row, column ? column + 1 : NAME, cell);
}

void result_section_sources(page *p, const result_view *v)
{
    static const page_column columns[SOURCE_COLUMNS] = {
        [NAME] = {.name = "Source"},
        [VERDICT] = {.name = "Verdict", .kind = PAGE_BADGE, .badges = advice_badges, .badge_count = ADVICE_BADGES},
        [WEIGHT] = {.name = "Weight",
                    .kind = PAGE_SHARE,
                    .interval = true,
                    .help = "P(s), its share in the training loss, with its interval at 90 %"},
        [BEST] = {.name = "p best", .kind = PAGE_PERCENT, .help = "the probability that no other source is better"},
        [RANK] = {.name = "Rank",
                  .kind = PAGE_COUNT,
                  .interval = true,
                  .help = "by weight; the interval is of its score's rank and holds for all sources at once at 90 %"},
        [SCORE] = {.name = "Score", .kind = PAGE_NUMBER, .help = "by the measure or method"},
        [CORRECTED] = {.name = "Corrected",
                       .kind = PAGE_NUMBER,
                       .interval = true,
                       .help =
                           "the score without the bias of scoring on few reference rows, with its interval at 90 %"},
        [AGREEMENT] = {.name = "Agreement",
                       .kind = PAGE_PERCENT,
                       .help = "reference rows that its model labels as the reference does"},
        [ROWS] = {.name = "Rows", .kind = PAGE_COUNT, .help = "that its model was fitted on"},
        [PRIOR] = {.name = "Prior", .kind = PAGE_PERCENT, .help = "its weight before anything was scored"},
        [ROW_WEIGHT] = {.name = "Weight a row", .kind = PAGE_NUMBER, .help = "weight divided by rows"},
        [FLAGS] = {.name = "Flags", .help = "what is wrong with it"},
        [WHY] = {.name = "Why", .help = "the reason of the verdict"},
        [SETTLES] = {.name = "What would settle it"},
    };
    /* The first screen has the reasons of few sources. */
    bool reasons = v->advice && v->result->source_count > ADVICE_ON_ONE_PAGE;
    size_t count = reasons ? SOURCE_COLUMNS : WHY;
    page_column shown[SOURCE_COLUMNS];
    memcpy(shown, columns, sizeof shown);
    if (!v->advice) /* the name takes its place */
        shown[VERDICT] = shown[NAME];
    page_section(p, "all-sources", "All sources", NULL);
    page_table_add(p, &(page_table){.id = "sources",
                                    .caption = "All sources, best first",
                                    .columns = v->advice ? shown : shown + VERDICT,
                                    .column_count = v->advice ? count : count - VERDICT,
                                    .row_count = v->result->source_count,
                                    .cell = v->advice ? fill_source : fill_without_verdict,
                                    .context = v});
}
