/* comparison_table.c - a comparison as a person reads it: the verdict first, then a line for each method and baseline.
 */
#include <math.h>
#include <string.h>

#include "report/cells.h"
#include "report/grid.h"
#include "report/print.h"

enum {
    METHOD_CELLS = 22,
    SOURCE_CELLS = 11,
    WEIGHT_CELLS = 11,   /* 0.1234 (12) */
    ACCURACY_CELLS = 15, /* 0.1234 ± 0.1234 */
    USUAL_WIDTH = 120,
    MOST_SOURCES = 12,
};

static void add_trained(grid *g, const gbv_trained *trained)
{
    if (trained->accuracies)
        grid_cell(g, GBV_STYLE_PLAIN, "%.4f ± %.4f", trained->accuracy, trained->standard_error);
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%*s", ACCURACY_CELLS, "-");
}

static size_t best_source(const gbv_measure_result *by, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (by->scores[i].posterior > by->scores[best].posterior)
            best = i;
    return best;
}

/* Several sources may share the first rank. */
static void add_best(grid *g, const gbv_result *r, const gbv_measure_result *by)
{
    size_t equal = 0, best = best_source(by, r->source_count);
    for (size_t i = 0; i < r->source_count; i++)
        equal += by->scores[i].rank == by->scores[best].rank;
    if (equal > 1)
        grid_cell(g, GBV_STYLE_PLAIN, "%zu alike", equal);
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%s", r->sources[best].name);
}

static const char *reason_of(const gbv_measure_result *by, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (by->scores[i].reason)
            return by->scores[i].reason;
    return "no source has a score";
}

static void add_method(grid *g, const gbv_comparison *c, size_t m)
{
    const gbv_measure_result *by = &c->result->measures[m];
    const gbv_method_comparison *method = &c->methods[m];
    size_t undefined = 0;
    grid_row(g);
    grid_cell(g, GBV_STYLE_PLAIN, "%s", method->label);
    if (isnan(by->effective_sources)) {
        grid_behind(g, GBV_STYLE_ALARM, "cannot be used: %s", reason_of(by, c->result->source_count));
        return;
    }
    grid_number(g, "%.4f", by->tau);
    add_best(g, c->result, by);
    grid_number(g, "%.2f", by->effective_sources);
    grid_number(g, "%.2f", by->rank_agreement);
    if (c->seeds) {
        add_trained(g, &method->trained);
        grid_number(g, "%.2f", method->pearson);
        grid_number(g, "%.2f", method->spearman);
        grid_number(g, "%.2f", method->kendall);
    }
    grid_number(g, "%.2f", by->seconds);
    for (size_t i = 0; i < c->result->source_count; i++)
        undefined += by->scores[i].score_status == GBV_SCORE_UNDEFINED;
    if (undefined)
        grid_behind(g, GBV_STYLE_CAUTION, "undefined for %zu: %s", undefined, reason_of(by, c->result->source_count));
}

static const grid_column METHOD = {.head = "method", .usual = METHOD_CELLS, .most = METHOD_CELLS, .least = 10};

/* A narrow terminal loses, in this order: seconds, tau, kendall, pearson, effective, like first, spearman and the best
 * source. Method and final accuracy stay. */
static bool print_methods(FILE *stream, const gbv_terminal *terminal, const gbv_comparison *c)
{
    grid_column columns[] = {
        METHOD,
        {.head = "tau", .gap = 2, .usual = 6, .right = true, .leaves = 2},
        {.head = "best source", .gap = 2, .usual = SOURCE_CELLS, .most = SOURCE_CELLS, .least = 8, .leaves = 8},
        {.head = "effective", .gap = 2, .usual = 9, .right = true, .leaves = 5},
        {.head = "like first", .gap = 2, .usual = 10, .right = true, .leaves = 6},
        {.head = "final accuracy", .gap = 2, .usual = ACCURACY_CELLS},
        {.head = "pearson", .gap = 2, .usual = 7, .right = true, .leaves = 4},
        {.head = "spearman", .gap = 2, .usual = 8, .right = true, .leaves = 7},
        {.head = "kendall", .gap = 2, .usual = 7, .right = true, .leaves = 3},
        {.head = "seconds", .gap = 2, .usual = 7, .right = true, .leaves = 1},
    };
    enum { ALL = sizeof columns / sizeof *columns, OF_TRAINING = 4 };
    if (!c->seeds)
        columns[ALL - 1 - OF_TRAINING] = columns[ALL - 1];
    grid g = grid_open(columns, c->seeds ? ALL : ALL - OF_TRAINING, terminal);
    for (size_t m = 0; m < c->method_count; m++)
        add_method(&g, c, m);
    return grid_print(&g, stream);
}

static bool print_baselines(FILE *stream, const gbv_terminal *terminal, const gbv_comparison *c)
{
    static const grid_column columns[] = {
        {.head = "instead of a valuation", .usual = METHOD_CELLS, .most = METHOD_CELLS, .least = 10},
        {.head = "final accuracy", .gap = 2, .usual = ACCURACY_CELLS},
    };
    grid g = grid_open(columns, sizeof columns / sizeof *columns, terminal);
    for (size_t b = 0; b < c->baseline_count; b++) {
        const gbv_baseline *baseline = &c->baselines[b];
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", baseline->name);
        add_trained(&g, &baseline->trained);
        grid_behind(&g, GBV_STYLE_DIM, "%s%s%s%s", baseline->summary, baseline->detail ? " (" : "",
                    baseline->detail ? baseline->detail : "", baseline->detail ? ")" : "");
    }
    fputc('\n', stream);
    return grid_print(&g, stream);
}

/* Adds one cell for each source by every method that has weights. */
typedef void add_cells(grid *g, const gbv_score *score);

static void add_score(grid *g, const gbv_score *score)
{
    if (score->score_status != GBV_SCORE_OK)
        grid_cell(g, GBV_STYLE_CAUTION, "%s", score->score_status == GBV_SCORE_UNDEFINED ? "-" : "-inf");
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%.4g", score->score);
}

static void add_weight(grid *g, const gbv_score *score)
{
    grid_cell(g, GBV_STYLE_PLAIN, "%.4f (%zu)", score->posterior, score->rank);
}

/* What each method gives each source; `accuracy` (may be NULL) goes below. Columns that do not fit come further down.
 */
static bool print_cells(FILE *stream, const gbv_terminal *terminal, const gbv_comparison *c, const char *head,
                        add_cells *add, const double *accuracy)
{
    const gbv_result *r = c->result;
    grid_column columns[1 + MOST_SOURCES] = {METHOD};
    columns[0].head = head;
    for (size_t i = 0; i < r->source_count; i++)
        columns[1 + i] =
            (grid_column){.head = r->sources[i].name, .gap = 2, .usual = WEIGHT_CELLS, .most = WEIGHT_CELLS};
    grid g = grid_open(columns, 1 + r->source_count, terminal);
    g.folds = true;
    for (size_t m = 0; m < c->method_count; m++) {
        if (isnan(r->measures[m].effective_sources))
            continue;
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", c->methods[m].label);
        for (size_t i = 0; i < r->source_count; i++)
            add(&g, &r->measures[m].scores[i]);
    }
    if (accuracy) {
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "accuracy of its model");
        for (size_t i = 0; i < r->source_count; i++)
            grid_number(&g, "%.4f", accuracy[i]);
    }
    fputc('\n', stream);
    return grid_print(&g, stream);
}

/* What each method gives each source, where that fits. */
static bool print_weights(FILE *stream, const gbv_terminal *terminal, const gbv_comparison *c)
{
    const gbv_result *r = c->result;
    size_t width = METHOD_CELLS + r->source_count * (WEIGHT_CELLS + 2);
    if (r->source_count > MOST_SOURCES || (!(terminal && terminal->width) && width > USUAL_WIDTH)) {
        fputc('\n', stream);
        print_sentence(stream, terminal, GBV_STYLE_PLAIN, "",
                       "the weights of the %zu sources by every method: --format csv or json", r->source_count);
        return true;
    }
    return print_cells(stream, terminal, c, "score", add_score, NULL) &&
           print_cells(stream, terminal, c, "weight (rank)", add_weight, c->source_accuracy);
}

bool comparison_print_table(const gbv_comparison *c, FILE *stream, const gbv_terminal *terminal)
{
    const gbv_result *r = c->result;
    char trained[128] = "";
    if (c->seeds)
        snprintf(trained, sizeof trained, "; final models trained %zu times, judged on %zu test rows", c->seeds,
                 c->test_rows);
    print_sentence(stream, terminal, GBV_STYLE_BOLD, "", "%s", c->sentence);
    fputc('\n', stream);
    print_sentence(stream, terminal, GBV_STYLE_PLAIN, "", "%zu source%s by %s models on %zu %s; seed %llu%s",
                   r->source_count, r->source_count == 1 ? "" : "s", r->model, r->reference_rows,
                   r->reference_use_count ? "reference rows" : "rows of the sources themselves",
                   (unsigned long long)r->seed, trained);
    fputc('\n', stream);
    bool whole = print_methods(stream, terminal, c);
    if (c->baseline_count)
        whole &= print_baselines(stream, terminal, c);
    whole &= print_weights(stream, terminal, c);
    fputc('\n', stream);
    print_sentence(stream, terminal, GBV_STYLE_DIM, "",
                   "effective: sources that the weights amount to; like first: how far it ranks them as %s does "
                   "(Kendall's tau-b);\n%sseconds: of scoring, without fitting the models that all share",
                   c->methods[0].label,
                   c->seeds ? "pearson, spearman, kendall: of its weights with the test accuracy of each source's own "
                              "model;\n±: the standard error over the seeds;\n"
                            : "");
    result_print_warnings(r, NULL, true, "--format json lists all", stream, terminal);
    return whole;
}
