/* comparison_table.c - a comparison as a person reads it: the verdict first, then a line for each method and baseline.
 */
#include <math.h>
#include <string.h>

#include "report/cells.h"
#include "report/print.h"

enum {
    METHOD_CELLS = 22,
    SOURCE_CELLS = 11,
    WEIGHT_CELLS = 11, /* 0.1234 (12) */
    USUAL_WIDTH = 120,
    MOST_SOURCES = 12,
};

static void print_number(FILE *stream, int cells, int digits, double value)
{
    if (isfinite(value))
        fprintf(stream, "  %*.*f", cells, digits, value);
    else
        fprintf(stream, "  %*s", cells, "-");
}

static void print_trained(FILE *stream, const gbv_trained *trained)
{
    if (trained->accuracies)
        fprintf(stream, "  %.4f ± %.4f", trained->accuracy, trained->standard_error);
    else
        fprintf(stream, "  %15s", "-");
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
static void print_best(FILE *stream, const gbv_result *r, const gbv_measure_result *by)
{
    size_t equal = 0, best = best_source(by, r->source_count);
    for (size_t i = 0; i < r->source_count; i++)
        equal += by->scores[i].rank == by->scores[best].rank;
    char several[48];
    snprintf(several, sizeof several, "%zu alike", equal);
    print_short(stream, equal > 1 ? several : r->sources[best].name, SOURCE_CELLS);
}

static const char *reason_of(const gbv_measure_result *by, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (by->scores[i].reason)
            return by->scores[i].reason;
    return "no source has a score";
}

static void print_method(FILE *stream, const gbv_comparison *c, size_t m)
{
    const gbv_measure_result *by = &c->result->measures[m];
    const gbv_method_comparison *method = &c->methods[m];
    size_t undefined = 0;
    print_short(stream, method->label, METHOD_CELLS);
    if (isnan(by->effective_sources)) {
        fprintf(stream, "  cannot be used: %s\n", reason_of(by, c->result->source_count));
        return;
    }
    print_number(stream, 6, 4, by->tau);
    fputs("  ", stream);
    print_best(stream, c->result, by);
    print_number(stream, 9, 2, by->effective_sources);
    print_number(stream, 10, 2, by->rank_agreement);
    if (c->seeds) {
        print_trained(stream, &method->trained);
        print_number(stream, 7, 2, method->pearson);
        print_number(stream, 8, 2, method->spearman);
        print_number(stream, 7, 2, method->kendall);
    }
    print_number(stream, 7, 2, by->seconds);
    for (size_t i = 0; i < c->result->source_count; i++)
        undefined += by->scores[i].score_status == GBV_SCORE_UNDEFINED;
    if (undefined)
        fprintf(stream, "  undefined for %zu: %s", undefined, reason_of(by, c->result->source_count));
    fputc('\n', stream);
}

static void print_methods(FILE *stream, const gbv_comparison *c)
{
    fprintf(stream, "%-*s  %6s  %-*s  %9s  %10s", METHOD_CELLS, "method", "tau", SOURCE_CELLS, "best source",
            "effective", "like first");
    if (c->seeds)
        fprintf(stream, "  %-15s  %7s  %8s  %7s", "final accuracy", "pearson", "spearman", "kendall");
    fprintf(stream, "  %7s\n", "seconds");
    for (size_t m = 0; m < c->method_count; m++)
        print_method(stream, c, m);
}

static void print_baselines(FILE *stream, const gbv_comparison *c)
{
    fprintf(stream, "\n%-*s  final accuracy\n", METHOD_CELLS, "instead of a valuation");
    for (size_t b = 0; b < c->baseline_count; b++) {
        const gbv_baseline *baseline = &c->baselines[b];
        print_short(stream, baseline->name, METHOD_CELLS);
        print_trained(stream, &baseline->trained);
        fprintf(stream, "  %s%s%s%s\n", baseline->summary, baseline->detail ? " (" : "",
                baseline->detail ? baseline->detail : "", baseline->detail ? ")" : "");
    }
}

/* One cell for each source by every method that has weights. */
static void print_cells(FILE *stream, const gbv_comparison *c, const char *head,
                        void (*format)(char *cell, size_t size, const gbv_score *score))
{
    const gbv_result *r = c->result;
    fprintf(stream, "\n%-*s", METHOD_CELLS, head);
    for (size_t i = 0; i < r->source_count; i++) {
        size_t cells = cells_of(r->sources[i].name);
        fputs("  ", stream);
        print_short(stream, r->sources[i].name,
                    i + 1 == r->source_count && cells < WEIGHT_CELLS ? cells : WEIGHT_CELLS);
    }
    fputc('\n', stream);
    for (size_t m = 0; m < c->method_count; m++) {
        if (isnan(r->measures[m].effective_sources))
            continue;
        print_short(stream, c->methods[m].label, METHOD_CELLS);
        for (size_t i = 0; i < r->source_count; i++) {
            char cell[64];
            format(cell, sizeof cell, &r->measures[m].scores[i]);
            fputs("  ", stream);
            print_padded(stream, cell, i + 1 < r->source_count ? WEIGHT_CELLS : 0);
        }
        fputc('\n', stream);
    }
}

static void format_score(char *cell, size_t size, const gbv_score *score)
{
    if (score->score_status != GBV_SCORE_OK)
        snprintf(cell, size, "%s", score->score_status == GBV_SCORE_UNDEFINED ? "-" : "-inf");
    else
        snprintf(cell, size, "%.4g", score->score);
}

static void format_weight(char *cell, size_t size, const gbv_score *score)
{
    snprintf(cell, size, "%.4f (%zu)", score->posterior, score->rank);
}

/* What each method gives each source, where that fits. */
static void print_weights(FILE *stream, const gbv_comparison *c, size_t width)
{
    const gbv_result *r = c->result;
    if (r->source_count > MOST_SOURCES || METHOD_CELLS + r->source_count * (WEIGHT_CELLS + 2) > width) {
        fprintf(stream, "\nthe weights of the %zu sources by every method: --format csv or json\n", r->source_count);
        return;
    }
    print_cells(stream, c, "score", format_score);
    print_cells(stream, c, "weight (rank)", format_weight);
    if (!c->source_accuracy)
        return;
    print_padded(stream, "accuracy of its model", METHOD_CELLS);
    for (size_t i = 0; i < r->source_count; i++)
        fprintf(stream, "  %-*.4f", i + 1 < r->source_count ? WEIGHT_CELLS : 0, c->source_accuracy[i]);
    fputc('\n', stream);
}

void comparison_print_table(const gbv_comparison *c, FILE *stream, size_t width)
{
    const gbv_result *r = c->result;
    fprintf(stream, "%s\n\n%zu source%s by %s models on %zu %s; seed %llu", c->sentence, r->source_count,
            r->source_count == 1 ? "" : "s", r->model, r->reference_rows,
            r->reference_use_count ? "reference rows" : "rows of the sources themselves", (unsigned long long)r->seed);
    if (c->seeds)
        fprintf(stream, "; final models trained %zu times, judged on %zu test rows", c->seeds, c->test_rows);
    fputs("\n\n", stream);
    print_methods(stream, c);
    if (c->baseline_count)
        print_baselines(stream, c);
    print_weights(stream, c, width ? width : USUAL_WIDTH);
    fprintf(stream,
            "\neffective: sources that the weights amount to; like first: how far it ranks them as %s does (Kendall's "
            "tau-b);\n",
            c->methods[0].label);
    if (c->seeds)
        fputs("pearson, spearman, kendall: of its weights with the test accuracy of each source's own model;\n"
              "±: the standard error over the seeds;\n",
              stream);
    fputs("seconds: of scoring, without fitting the models that all share\n", stream);
    result_print_warnings(r, NULL, stream);
}
