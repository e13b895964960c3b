/* table_parts.c - what follows the ranking where it was asked for: the same sources by other methods, and over tau. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/print.h"

/* Tables that stand below another are set in where there is room. */
enum { SET_IN = 7, SET_IN_NARROW = 2, ROOM = 100, METHOD_CELLS = 26, SOURCE_CELLS = 16 };

static size_t set_in(const gbv_terminal *terminal)
{
    return terminal && terminal->width && terminal->width < ROOM ? SET_IN_NARROW : SET_IN;
}

static void add_curve(grid *g, const gbv_result *r, const char *head, size_t source)
{
    grid_row(g);
    grid_cell(g, GBV_STYLE_PLAIN, "%s", head);
    for (size_t t = 0; t < r->tau_count; t++)
        grid_cell(g, GBV_STYLE_PLAIN, "%.4f",
                  source < r->source_count ? r->tau_curve[t].posterior[source] : r->tau_curve[t].log_likelihood);
}

bool tau_curve_print(const gbv_result *r, gbv_source_result *const *order, size_t shown, size_t name_width,
                     FILE *stream, const gbv_terminal *terminal)
{
    typedef char tau_text[24];
    grid_column *columns = memory_zeroed(r->tau_count + 1, sizeof *columns);
    tau_text *heads = memory_zeroed(r->tau_count, sizeof *heads);
    bool whole = columns && heads, judged = r->tau_count && !isnan(r->tau_curve[0].log_likelihood);
    if (whole) {
        columns[0] = (grid_column){.head = "source", .usual = name_width, .least = 8};
        for (size_t t = 0; t < r->tau_count; t++) {
            snprintf(heads[t], sizeof heads[t], isfinite(r->tau_curve[t].tau) ? "%g" : "prior", r->tau_curve[t].tau);
            columns[t + 1] = (grid_column){.head = heads[t], .gap = 1, .usual = 7, .right = true};
        }
        grid g = grid_open(columns, r->tau_count + 1, terminal);
        g.indent = set_in(terminal);
        g.folds = true;
        for (size_t i = 0; i < shown; i++)
            add_curve(&g, r, order[i]->name, (size_t)(order[i] - r->sources));
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "effective sources");
        for (size_t t = 0; t < r->tau_count; t++)
            grid_cell(&g, GBV_STYLE_PLAIN, "%.2f", r->tau_curve[t].effective_sources);
        if (judged)
            add_curve(&g, r, "log-likelihood", r->source_count);
        fputc('\n', stream);
        print_sentence(stream, terminal, GBV_STYLE_BOLD, "", "weights over tau");
        whole = grid_print(&g, stream);
    }
    if (judged)
        gbv_terminal_line(stream, terminal, GBV_STYLE_DIM, "", set_in(terminal),
                          "log-likelihood: of held-out reference rows under the final model");
    free(columns);
    free(heads);
    return whole;
}

/* One line per measure, however many sources: who is best and worst by it, and does it see what the first one sees? */
static void add_measure(grid *g, const gbv_result *r, const gbv_measure_result *by)
{
    size_t best = r->source_count, worst = r->source_count, undefined = 0, infinite = 0;
    const char *reason = NULL;
    double lowest = INFINITY, highest = -INFINITY;
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_score *s = &by->scores[i];
        if (s->score_status == GBV_SCORE_UNDEFINED) {
            undefined++;
            reason = reason ? reason : s->reason;
            continue;
        }
        infinite += s->score_status == GBV_SCORE_MINUS_INFINITY;
        if (best == r->source_count || s->score > by->scores[best].score)
            best = i;
        if (worst == r->source_count || s->score < by->scores[worst].score)
            worst = i;
        if (isfinite(s->score)) {
            lowest = fmin(lowest, s->score);
            highest = fmax(highest, s->score);
        }
    }
    bool own = strcmp(by->method, "gbv") == 0; /* named by its measure */
    grid_row(g);
    grid_cell(g, GBV_STYLE_PLAIN, "%s%s%s", own ? by->measure : by->method, *by->variant ? " " : "", by->variant);
    if (best == r->source_count) {
        grid_behind(g, GBV_STYLE_ALARM, "undefined: %s", reason ? reason : "no source has a score");
        return;
    }
    grid_cell(g, GBV_STYLE_PLAIN, "%s", r->sources[best].name);
    grid_cell(g, GBV_STYLE_PLAIN, "%s", r->sources[worst].name);
    grid_number(g, "%.3g", highest >= lowest ? highest - lowest : NAN);
    grid_number(g, "%.2f", by->effective_sources);
    grid_number(g, "%.2f", by->rank_agreement);
    if (infinite)
        grid_behind(g, GBV_STYLE_CAUTION, "-inf for %zu", infinite);
    if (undefined)
        grid_behind(g, GBV_STYLE_CAUTION, "%sundefined for %zu%s%s", infinite ? "  " : "", undefined,
                    reason ? ": " : "", reason ? reason : "");
}

/* A narrow terminal loses, in this order: effective, spread, the worst source, like first. */
bool measures_print(const gbv_result *r, FILE *stream, const gbv_terminal *terminal)
{
    static const grid_column columns[] = {
        {.head = "method", .usual = METHOD_CELLS, .most = METHOD_CELLS, .least = 10},
        {.head = "best source", .gap = 2, .usual = SOURCE_CELLS, .most = SOURCE_CELLS, .least = 8},
        {.head = "worst source", .gap = 2, .usual = SOURCE_CELLS, .most = SOURCE_CELLS, .least = 8, .leaves = 3},
        {.head = "spread", .gap = 2, .usual = 9, .right = true, .leaves = 2},
        {.head = "effective", .gap = 2, .usual = 9, .right = true, .leaves = 1},
        {.head = "like first", .gap = 2, .usual = 10, .right = true, .leaves = 4},
    };
    const char *first = *r->measure ? r->measure : r->method;
    grid g = grid_open(columns, sizeof columns / sizeof *columns, terminal);
    g.indent = set_in(terminal);
    for (size_t m = 0; m < r->measure_count; m++)
        add_measure(&g, r, &r->measures[m]);
    fputc('\n', stream);
    print_sentence(stream, terminal, GBV_STYLE_BOLD, "", "the same sources by every method; the weights above are %s's",
                   first);
    bool whole = grid_print(&g, stream);
    char meaning[512];
    snprintf(meaning, sizeof meaning,
             "spread: best score minus worst; effective: sources that its weights would amount to;\n       like first: "
             "how far it ranks the sources as %s does (Kendall's tau-b), 1 the same, -1 reversed",
             first);
    gbv_terminal_line(stream, terminal, GBV_STYLE_DIM, "", set_in(terminal), meaning);
    return whole;
}
