/* table.c - the ranking as a person reads it in a terminal: best source first, weights as bars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/print.h"
#include "report/result_words.h"

enum { BAR_CELLS = 16, PAIRS_SHOWN = 4, SHOWN_WHOLE = 60, SHOWN_BEST = 40, SHOWN_WORST = 10, WARNINGS_SHOWN = 12 };

static const double SMALL_SCORE = 0.02;

/* `small`: all scores are, and take an exponent. */
static void add_score(grid *g, const gbv_source_result *s, bool small)
{
    if (s->score_status == GBV_SCORE_UNDEFINED)
        grid_cell(g, GBV_STYLE_ALARM, "undefined");
    else if (s->score_status != GBV_SCORE_OK)
        grid_cell(g, GBV_STYLE_CAUTION, "-inf");
    else
        grid_cell(g, GBV_STYLE_PLAIN, small ? "%.2e" : "%.4f", s->score);
    if (s->score_status == GBV_SCORE_OK && isfinite(s->standard_error))
        grid_cell(g, GBV_STYLE_PLAIN, small ? "±%.1e" : "±%.4f", s->standard_error);
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%s", "");
}

/* Whether the score may have another rank than the weight has; 0: nothing is known of it. */
static bool shows_ranks(const gbv_source_result *s)
{
    return s->rank_interval[0] != s->rank_interval[1] || (s->rank_interval[0] && s->rank_interval[0] != s->rank);
}

/* The rank, which is that of the weight, and where others are possible the ranks that the score may have. */
static void add_rank(grid *g, const gbv_source_result *s)
{
    if (!shows_ranks(s))
        grid_cell(g, GBV_STYLE_PLAIN, "%zu", s->rank);
    else if (s->rank_interval[0] == s->rank_interval[1]) /* prior or tau put it elsewhere than its score */
        grid_cell(g, GBV_STYLE_PLAIN, "%zu (%zu)", s->rank, s->rank_interval[0]);
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%zu (%zu-%zu)", s->rank, s->rank_interval[0], s->rank_interval[1]);
}

static void add_source(grid *g, const gbv_source_result *s, double largest, bool small)
{
    grid_row(g);
    add_rank(g, s);
    grid_cell(g, GBV_STYLE_PLAIN, "%s", s->name);
    grid_number(g, "%.0f", s->rows ? (double)s->rows : NAN);
    grid_number(g, "%.4f", s->agreement);
    add_score(g, s, small);
    grid_cell(g, GBV_STYLE_PLAIN, "%.4f", s->posterior);
    grid_bar(g, largest > 0 ? s->posterior / largest : 0, BAR_CELLS);
    grid_number(g, "%.3g", s->row_weight);
    grid_number(g, "%.2f", s->p_best); /* no column of the grid where nothing is resampled */
    for (size_t i = 0; i < s->flag_count; i++)
        grid_behind(g, GBV_STYLE_CAUTION, "%s%s", i ? " " : "", s->flags[i].kind);
}

static int by_rank(const void *left, const void *right)
{
    const gbv_source_result *a = *(gbv_source_result *const *)left, *b = *(gbv_source_result *const *)right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a > b) - (a < b); /* the order given */
}

void result_print_warnings(const gbv_result *r, gbv_source_result *const *order, bool flags, const char *all,
                           FILE *stream, const gbv_terminal *terminal)
{
    size_t shown = 0, total = 0;
    for (size_t i = 0; i < r->note_count; i++)
        gbv_terminal_line(stream, terminal, GBV_STYLE_DIM, "note:", GOES_ON, r->notes[i]);
    for (size_t i = 0; i < r->warning_count; i++)
        gbv_terminal_line(stream, terminal, GBV_STYLE_CAUTION, "warning:", GOES_ON, r->warnings[i]);
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = order ? order[i] : &r->sources[i];
        size_t flag_count = flags ? s->flag_count : 0;
        total += flag_count + s->warning_count;
        for (size_t f = 0; f < flag_count && shown < WARNINGS_SHOWN; f++, shown++) {
            char kind[64];
            snprintf(kind, sizeof kind, "%s:", s->flags[f].kind);
            gbv_terminal_line(stream, terminal, GBV_STYLE_CAUTION, kind, GOES_ON, s->flags[f].detail);
        }
        for (size_t w = 0; w < s->warning_count && shown < WARNINGS_SHOWN; w++, shown++)
            gbv_terminal_line(stream, terminal, GBV_STYLE_CAUTION, "warning:", GOES_ON, s->warnings[w]);
    }
    if (shown < total)
        print_sentence(stream, terminal, GBV_STYLE_CAUTION, "warning:", "and %zu more about single sources; %s",
                       total - shown, all);
}

static const char *rows_words(const gbv_result *r)
{
    bool one = r->reference_rows == 1;
    if (r->reference_use_count)
        return one ? "reference row" : "reference rows";
    return "rows of the sources themselves";
}

static void print_pair(FILE *stream, const gbv_terminal *terminal, const gbv_result *r, const gbv_pair *p)
{
    char more[128] = "";
    if (isfinite(p->rows_needed) && p->rows_needed > (double)r->reference_rows)
        snprintf(more, sizeof more, "; about %.0f reference rows would", ceil(p->rows_needed));
    else if (isinf(p->rows_needed))
        snprintf(more, sizeof more, "; %smore rows of the two might",
                 r->reference_use_count ? "no number of reference rows would, " : "");
    print_sentence(stream, terminal, GBV_STYLE_PLAIN, "cannot be told apart:", "%s and %s%s", r->sources[p->first].name,
                   r->sources[p->second].name, more);
}

/* What the numbers behind ± and the ranks in brackets are. */
static void print_basis(FILE *stream, const gbv_terminal *terminal, const gbv_result *r, bool by_labels)
{
    const gbv_certainty *c = &r->certainty;
    bool with_error = false, open_rank = false;
    char redraws[64] = "", errors[256] = "";
    for (size_t i = 0; i < r->source_count; i++) {
        with_error |= isfinite(r->sources[i].standard_error);
        open_rank |= shows_ranks(&r->sources[i]);
    }
    if (c->refits)
        snprintf(redraws, sizeof redraws, " and %zu redraws of each source's rows", c->refits);
    if (with_error && by_labels)
        snprintf(errors, sizeof errors, "± is the standard error over the items that a source was judged by");
    else if (with_error)
        snprintf(errors, sizeof errors, "± is the standard error over %zu resamplings of the %s%s", c->replicates,
                 rows_words(r), redraws);
    if (with_error || open_rank)
        print_sentence(stream, terminal, GBV_STYLE_DIM, "", "%s%s%s", errors, with_error && open_rank ? ";\n" : "",
                       open_rank ? "ranks in brackets go by score and hold for all sources at once at 90 %" : "");
}

/* What the intervals leave open: first of all among neighbours in rank. */
static void print_pairs(FILE *stream, const gbv_terminal *terminal, const gbv_result *r, gbv_source_result **order)
{
    const gbv_certainty *c = &r->certainty;
    size_t shown = 0;
    for (size_t i = 0; i + 1 < r->source_count && shown < PAIRS_SHOWN; i++)
        for (size_t k = 0; k < c->pair_count; k++) {
            const gbv_source_result *first = &r->sources[c->pairs[k].first], *second = &r->sources[c->pairs[k].second];
            if ((first == order[i] && second == order[i + 1]) || (second == order[i] && first == order[i + 1])) {
                print_pair(stream, terminal, r, &c->pairs[k]);
                shown++;
                break;
            }
        }
    if (c->pair_count > shown)
        print_sentence(stream, terminal, GBV_STYLE_PLAIN,
                       "cannot be told apart:", "%zu %spair%s of %zu; --format json lists all", c->pair_count - shown,
                       shown ? "more " : "", c->pair_count - shown == 1 ? "" : "s",
                       r->source_count * (r->source_count - 1) / 2);
    if (c->group)
        print_sentence(stream, terminal, GBV_STYLE_PLAIN, "",
                       "the sources fall into %zu group%s whose members cannot be told from their best; --format json "
                       "lists them",
                       c->group_count, c->group_count == 1 ? "" : "s");
}

static void print_certainty(FILE *stream, const gbv_terminal *terminal, const gbv_result *r, gbv_source_result **order)
{
    const gbv_certainty *c = &r->certainty;
    bool by_labels = strcmp(r->feature_space, SPACE_OF_LABELS) == 0;
    print_basis(stream, terminal, r, by_labels);
    /* Alike on purpose; or nothing was refitted, so that no pair was tested, of which a warning tells. */
    if (strcmp(r->method, "uniform") != 0 && (c->refits || !c->replicates || by_labels))
        print_pairs(stream, terminal, r, order);
}

static void print_title(FILE *stream, const gbv_terminal *terminal, const gbv_result *r, bool fitted)
{
    char of[64] = "";
    if (*r->measure)
        snprintf(of, sizeof of, " of %s%s", fitted ? r->model : "given probabilities", fitted ? " models" : "");
    print_sentence(stream, terminal, GBV_STYLE_PLAIN, "", "%s%s%s%s on %zu %s; tau %.4g (%s), seed %llu",
                   *r->measure ? r->measure : r->method, *r->variant ? " " : "", r->variant, of, r->reference_rows,
                   rows_words(r), r->tau, tau_mode_words[r->tau_mode], (unsigned long long)r->seed);
    fputc('\n', stream);
}

/* What a narrow terminal loses, in this order: weight per row, p best, bar, agreement, rows, standard error, rank and
 * score. Source, weight and flags stay. */
static bool print_sources(FILE *stream, const gbv_terminal *terminal, const gbv_result *r, gbv_source_result **order,
                          size_t name_width)
{
    const grid_column columns[] = {
        {.head = "rank", .usual = 10, .right = true, .leaves = 7},
        {.head = "source", .gap = 2, .usual = name_width, .least = 8},
        {.head = "rows", .gap = 2, .usual = 7, .right = true, .leaves = 5},
        {.head = "agreement", .gap = 2, .usual = 9, .right = true, .leaves = 4},
        {.head = "score", .gap = 2, .usual = 9, .right = true, .leaves = 8},
        {.head = "±", .gap = 1, .usual = 8, .leaves = 6},
        {.head = "weight", .gap = 2, .usual = 6, .right = true},
        {.head = "", .gap = 1, .usual = BAR_CELLS, .leaves = 3},
        {.head = "weight per row", .gap = 1, .usual = 14, .right = true, .leaves = 1},
        {.head = "p best", .gap = 2, .usual = 6, .right = true, .leaves = 2},
    };
    size_t count = r->source_count;
    double largest = 0, largest_score = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, r->sources[i].posterior);
        if (isfinite(r->sources[i].score))
            largest_score = fmax(largest_score, fabs(r->sources[i].score));
    }
    grid g = grid_open(columns, sizeof columns / sizeof *columns - !r->certainty.replicates, terminal);
    g.behind_head = "flags";
    for (size_t i = 0; i < count; i++) {
        if (count > SHOWN_WHOLE && i == SHOWN_BEST) {
            grid_note(&g, "    ...  %zu more; --format csv lists all", count - SHOWN_BEST - SHOWN_WORST);
            i = count - SHOWN_WORST;
        }
        add_source(&g, order[i], largest, largest_score > 0 && largest_score < SMALL_SCORE);
    }
    return grid_print(&g, stream);
}

static void print_amount(FILE *stream, const gbv_terminal *terminal, const gbv_result *r)
{
    char rows[64] = "";
    if (isfinite(r->effective_rows))
        snprintf(rows, sizeof rows, " and %.0f rows", r->effective_rows);
    fputc('\n', stream);
    print_sentence(stream, terminal, GBV_STYLE_PLAIN, "", "the weights amount to %.2f of %zu source%s%s",
                   r->effective_sources, r->source_count, r->source_count == 1 ? "" : "s", rows);
}

bool result_print_table(const gbv_result *r, FILE *stream, const gbv_terminal *terminal)
{
    size_t count = r->source_count, name_width = strlen("effective sources");
    gbv_source_result **order = calloc(count ? count : 1, sizeof *order);
    if (!order)
        return false;
    bool fitted = false;
    for (size_t i = 0; i < count; i++) {
        order[i] = &r->sources[i];
        fitted |= r->sources[i].rows > 0; /* none of ours where all are given as probabilities */
        size_t width = cells_of(r->sources[i].name);
        name_width = width > name_width ? width : name_width;
    }
    qsort(order, count, sizeof *order, by_rank);
    print_title(stream, terminal, r, fitted);
    bool whole = print_sources(stream, terminal, r, order, name_width);
    print_amount(stream, terminal, r);
    if (r->certainty.replicates)
        print_certainty(stream, terminal, r, order);
    if (r->measures)
        whole &= measures_print(r, stream, terminal);
    if (r->tau_curve)
        whole &= tau_curve_print(r, order, count < SHOWN_WHOLE ? count : SHOWN_WHOLE, name_width, stream, terminal);
    result_print_warnings(r, order, true, "--format json lists all", stream, terminal);
    free(order);
    return whole;
}
