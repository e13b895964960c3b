/* comparison_page.c - the page of a comparison: the verdict and what to do about each source, then how every way of
 * buying does, then the sources as on the page of a valuation. */
#include <gbv/report.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/command.h"
#include "report/html/advice_table.h"
#include "report/html/result_sections.h"
#include "report/plain.h"
#include "report/redact.h"
#include "report/svg/dots.h"
#include "report/svg/heatmap.h"

/* A final model by some way of buying: by the weights of a method, or what one could do instead. */
typedef struct way {
    const char *label, *summary, *detail;
    bool baseline;
    const gbv_trained *trained;
} way;

typedef struct comparison_view {
    const gbv_comparison *comparison;
    way *ways; /* the most accurate first, those that were not trained last */
    size_t way_count;
} comparison_view;

/* Equals in the order of their names, so that every machine writes the same page. */
static int by_accuracy(const void *left, const void *right)
{
    const way *one = left, *other = right;
    double a = one->trained->accuracy, b = other->trained->accuracy;
    if (isnan(a) != isnan(b))
        return isnan(a) - isnan(b);
    return a < b || a > b ? (a < b) - (a > b) : strcmp(one->label, other->label);
}

static const char *first_reason(const gbv_comparison *c, size_t m)
{
    for (size_t i = 0; i < c->result->source_count; i++)
        if (c->result->measures[m].scores[i].reason)
            return c->result->measures[m].scores[i].reason;
    return "no source has a score";
}

static bool view_open(comparison_view *v, const gbv_comparison *c)
{
    *v =
        (comparison_view){.comparison = c, .ways = memory_zeroed(c->method_count + c->baseline_count, sizeof *v->ways)};
    if (!v->ways)
        return false;
    for (size_t m = 0; m < c->method_count; m++)
        v->ways[v->way_count++] =
            (way){.label = c->methods[m].label,
                  .summary = "the weights of this method",
                  .detail = isnan(c->result->measures[m].effective_sources) ? first_reason(c, m) : NULL,
                  .trained = &c->methods[m].trained};
    for (size_t b = 0; b < c->baseline_count; b++)
        v->ways[v->way_count++] = (way){.label = c->baselines[b].name,
                                        .summary = c->baselines[b].summary,
                                        .detail = c->baselines[b].detail,
                                        .baseline = true,
                                        .trained = &c->baselines[b].trained};
    qsort(v->ways, v->way_count, sizeof *v->ways, by_accuracy);
    return true;
}

static const page_badge way_badges[] = {{"valuation", TONE_FINE}, {"instead", TONE_OPEN}};

static void fill_way(const void *context, size_t row, size_t column, page_cell *cell)
{
    const comparison_view *v = context;
    const gbv_comparison *c = v->comparison;
    const way *w = &v->ways[row];
    if (column == 0)
        cell->text = w->label;
    else if (column == 1)
        cell->value = w->baseline;
    else if (column == 2) {
        cell->value = w->trained->accuracy;
        cell->low = cell->value - 2 * w->trained->standard_error;
        cell->high = cell->value + 2 * w->trained->standard_error;
    } else if (column == 3)
        cell->value = 100 * (w->trained->accuracy - c->baselines[c->to_beat].trained.accuracy);
    else {
        cell->text = w->summary;
        cell->detail = w->detail;
    }
}

static void add_ways(page *p, const comparison_view *v)
{
    static const page_column columns[] = {{.name = "Bought by"},
                                          {.name = "Kind", .kind = PAGE_BADGE, .badges = way_badges, .badge_count = 2},
                                          {.name = "Accuracy of the final model",
                                           .kind = PAGE_SHARE,
                                           .interval = true,
                                           .help = "mean over the seeds, and two standard errors either way"},
                                          {.name = "Points more",
                                           .kind = PAGE_NUMBER,
                                           .help = "percentage points beyond the better of reference-only and pooled"},
                                          {.name = "What it is", .detail = true}};
    const gbv_comparison *c = v->comparison;
    dot dots[PAGE_FIGURE_ROWS];
    size_t count = 0;
    char label[100], floor_name[80];
    for (size_t i = 0; i < v->way_count && count < PAGE_FIGURE_ROWS; i++) {
        const gbv_trained *t = v->ways[i].trained;
        if (isfinite(t->accuracy))
            dots[count++] = (dot){.label = v->ways[i].label,
                                  .value = t->accuracy,
                                  .low = t->accuracy - 2 * t->standard_error,
                                  .high = t->accuracy + 2 * t->standard_error,
                                  .before = NAN,
                                  .inner_low = NAN,
                                  .inner_high = NAN,
                                  .note = v->ways[i].baseline ? "instead" : NULL};
    }
    snprintf(label, sizeof label, "Dots with intervals: test accuracy of final models, %zu ways", count);
    snprintf(floor_name, sizeof floor_name, "to beat: %.60s", c->baselines[c->to_beat].name);
    page_table table = {.id = "ways",
                        .caption = "Final models by every way of buying",
                        .columns = columns,
                        .column_count = sizeof columns / sizeof *columns,
                        .row_count = v->way_count,
                        .cell = fill_way,
                        .context = v};
    page_figure(p, &(page_chart){.id = "figure-ways",
                                 .caption =
                                     "Means over the seeds, with two standard errors either way; \"instead\" is what "
                                     "one could do without a valuation.",
                                 .draw = dots_draw,
                                 .chart = &(dots_chart){.label = label,
                                                        .axis = "accuracy on the test set",
                                                        .dots = dots,
                                                        .count = count,
                                                        .share = true,
                                                        .floor = c->baselines[c->to_beat].trained.accuracy,
                                                        .ceiling = NAN,
                                                        .floor_name = floor_name},
                                 .table = &table});
}

static void fill_correlation(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_method_comparison *m = &((const gbv_comparison *)context)->methods[row];
    const double numbers[] = {m->pearson, m->spearman, m->kendall};
    if (column == 0)
        cell->text = m->label;
    else
        cell->value = numbers[column - 1];
}

static void fill_accuracy(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_comparison *c = context;
    if (column == 0)
        cell->text = c->result->sources[row].name;
    else
        cell->value = column == 1 ? c->source_accuracy[row] : c->result->sources[row].agreement;
}

static void add_correlations(page *p, const gbv_comparison *c)
{
    static const page_column columns[] = {
        {.name = "Method"},
        {.name = "Pearson", .kind = PAGE_NUMBER, .help = "of weights and accuracies"},
        {.name = "Spearman", .kind = PAGE_NUMBER, .help = "of their ranks"},
        {.name = "Kendall", .kind = PAGE_NUMBER, .help = "pairs in the same order, less those in the opposite one"}};
    static const page_column accuracies[] = {
        {.name = "Source"},
        {.name = "Test accuracy", .kind = PAGE_SHARE, .help = "of a model of this source alone"},
        {.name = "Agreement", .kind = PAGE_PERCENT, .help = "of the same model with the reference"}};
    if (!c->source_accuracy)
        return;
    page_section(
        p, "correlations", "Do weights follow what sources can do?",
        "How far the weights of each method go with the test accuracy of each source's own model: 1 is all the "
        "way, 0 not at all.");
    page_table_add(p, &(page_table){.id = "correlation",
                                    .caption = "Correlation of weights with test accuracy",
                                    .columns = columns,
                                    .column_count = 4,
                                    .row_count = c->method_count,
                                    .cell = fill_correlation,
                                    .context = c});
    page_table_add(p, &(page_table){.id = "test-accuracy",
                                    .caption = "What a model of each source alone can do",
                                    .columns = accuracies,
                                    .column_count = 3,
                                    .row_count = c->result->source_count,
                                    .cell = fill_accuracy,
                                    .context = c});
}

enum { MAP_METHODS = 24, MAP_SOURCES = 16 };

/* Weights of the best sources by every method, as tints; the numbers are in the table of methods. */
static void add_weight_map(page *p, const gbv_comparison *c, const result_view *v)
{
    double values[MAP_METHODS * MAP_SOURCES];
    const char *methods[MAP_METHODS], *sources[MAP_SOURCES];
    size_t columns = c->result->source_count < MAP_SOURCES ? c->result->source_count : MAP_SOURCES, rows = 0;
    for (size_t k = 0; k < columns; k++)
        sources[k] = c->result->sources[v->order[k]].name;
    for (size_t m = 0; m < c->method_count && rows < MAP_METHODS; m++) {
        if (isnan(c->result->measures[m].effective_sources))
            continue;
        methods[rows] = c->methods[m].label;
        for (size_t k = 0; k < columns; k++)
            values[rows * columns + k] = round(100 * c->result->measures[m].scores[v->order[k]].posterior);
        rows++;
    }
    if (rows < 2)
        return;
    page_section(
        p, "weight-map", "Weights by method",
        "What share of the training each method gives each source, in percent. Where the lines differ, the choice "
        "of the method matters.");
    page_figure(p, &(page_chart){.id = "figure-weight-map",
                                 .draw = heatmap_draw,
                                 .chart = &(heatmap_chart){.label = "Tinted cells: weights of sources by each method",
                                                           .row_axis = "method",
                                                           .column_axis = "source",
                                                           .row_names = methods,
                                                           .column_names = sources,
                                                           .rows = rows,
                                                           .columns = columns,
                                                           .values = values},
                                 .table_id = "method-weights"});
    if (columns < c->result->source_count)
        page_note(p, "The %d best of %zu sources.", MAP_SOURCES, c->result->source_count);
}

/* Whose verdicts they are, and whether its weights are worth following: another method may be the one that pays. */
static void add_first_method(page *p, const gbv_comparison *c)
{
    const gbv_method_comparison *first = &c->methods[0];
    char accuracy[PLAIN_TEXT], other[PLAIN_TEXT];
    page_heading(p, "What to do about each source");
    if (!c->seeds || isnan(first->trained.accuracy)) {
        page_note(p, "By the first method, %s.", first->label);
        return;
    }
    const gbv_baseline *baseline = &c->baselines[c->to_beat];
    bool better = first->trained.accuracy > baseline->trained.accuracy;
    page_note(
        p, "By the first method, %s: training by its weights gets %s of the test rows right, %s %s.%s", first->label,
        plain_share(first->trained.accuracy, accuracy), baseline->name, plain_share(baseline->trained.accuracy, other),
        better && c->verdict == GBV_VERDICT_PAYS ? ""
        : better ? " Sources that differ in worth are told apart, but weighing them makes no model that is surely "
                   "better."
                 : " Sources that differ in worth are told apart, but weighing them by it did not pay.");
}

static void fill_page(page *p, const comparison_view *v, const result_view *view, const advised *sources)
{
    const gbv_comparison *c = v->comparison;
    add_first_method(p, c);
    page_advice(p, sources, c->result->source_count, "sources");
    if (!c->seeds)
        page_warning(p,
                     "Nothing was trained: with a test set (--test) it is judged whether buying by any method pays.");
    page_advice_rules(p);
    if (c->seeds) {
        page_section(p, "final-models", "How good the final model gets",
                     "By every way of buying, and by what one could do instead.");
        add_ways(p, v);
    }
    add_weight_map(p, c, view);
    add_correlations(p, c);
    result_sections(p, view);
}

static void write_head(const gbv_comparison *c, char *subject, size_t subject_size, char *lead, size_t lead_size)
{
    char sources[PLAIN_TEXT], rows[PLAIN_TEXT], test[PLAIN_TEXT];
    snprintf(subject, subject_size, "%s source%s by %zu method%s with %s models on %s rows",
             plain_count(c->result->source_count, sources), c->result->source_count == 1 ? "" : "s", c->method_count,
             c->method_count == 1 ? "" : "s", c->result->model, plain_count(c->result->reference_rows, rows));
    if (c->seeds)
        snprintf(lead, lead_size,
                 "Every way of buying was tried with %zu final models on rows drawn anew, judged on %s test rows.",
                 c->seeds, plain_count(c->test_rows, test));
    else
        snprintf(lead, lead_size, "All methods see the same models of the sources.");
}

static gbv_status write_page(const gbv_comparison *c, const char *command, const char *path, gbv_error *error)
{
    gbv_advice *advice;
    char subject[240], lead[240];
    comparison_view v = {0};
    gbv_status status = gbv_result_advise(c->result, &advice, error);
    if (status != GBV_OK)
        return status;
    result_view view = result_view_of(c->result, advice, command);
    advised *sources = view.order ? advised_of_result(&view) : NULL;
    if (!sources || !view_open(&v, c)) {
        status = error_out_of_memory(error, "a page");
        goto done;
    }
    write_head(c, subject, sizeof subject, lead, sizeof lead);
    page *p = page_open(&(page_head){.title = "gbv: does buying pay, and by which valuation",
                                     .kind = "Comparison",
                                     .subject = subject,
                                     .headline = c->sentence,
                                     .lead = lead});
    fill_page(p, &v, &view, sources);
    status = page_close(p, path, error);
done:
    free(v.ways);
    free(sources);
    result_view_free(&view);
    gbv_advice_free(advice, c->result->source_count);
    return status;
}

gbv_status gbv_comparison_page(const gbv_comparison *comparison, const gbv_page_options *options, const char *path,
                               gbv_error *error)
{
    gbv_comparison *shown = NULL;
    char *made = NULL;
    const char *command = options ? options->command : NULL;
    gbv_status status = GBV_OK;
    if (options && options->redact) {
        status = redact_comparison(comparison, options, &shown, error);
        command = "";
    } else if (!command && !(command = made = command_of_result(comparison->result, comparison)))
        status = error_out_of_memory(error, "a page");
    if (status == GBV_OK)
        status = write_page(shown ? shown : comparison, command, path, error);
    gbv_comparison_free(shown);
    free(made);
    return status;
}
