/* table.c - the ranking as a person reads it in a terminal: best source first, weights as bars. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "report/cells.h"
#include "report/print.h"
#include "report/result_words.h"

enum {
    RANK_CELLS = 10,
    BAR_CELLS = 16,
    PAIRS_SHOWN = 4,
    SHOWN_WHOLE = 60,
    SHOWN_BEST = 40,
    SHOWN_WORST = 10,
    ERROR_CELLS = 8,
    WARNINGS_SHOWN = 12
};

static const double SMALL_SCORE = 0.02;

/* A bar in eighths of a cell, so that small weights are still told apart. */
static void print_bar(FILE *stream, double share, bool color)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int length = (int)lround(share * BAR_CELLS * 8), cells = length / 8 + (length % 8 > 0);
    fputs(color ? "\033[36m" : "", stream);
    for (int i = 0; i < length / 8; i++)
        fputs("█", stream);
    fputs(eighths[length % 8], stream);
    fputs(color ? "\033[0m" : "", stream);
    fprintf(stream, "%*s", BAR_CELLS - cells, "");
}

/* `small`: all scores are, and take an exponent. */
static void print_score(FILE *stream, const gbv_source_result *s, bool small)
{
    char text[32], error[32] = "";
    if (s->score_status != GBV_SCORE_OK)
        snprintf(text, sizeof text, "%s", s->score_status == GBV_SCORE_UNDEFINED ? "undefined" : "-inf");
    else
        snprintf(text, sizeof text, small ? "%.2e" : "%.4f", s->score);
    if (s->score_status == GBV_SCORE_OK && isfinite(s->standard_error))
        snprintf(error, sizeof error, small ? "±%.1e" : "±%.4f", s->standard_error);
    fprintf(stream, "%9s ", text);
    print_padded(stream, error, ERROR_CELLS);
}

/* Whether the score may have another rank than the weight has; 0: nothing is known of it. */
static bool shows_ranks(const gbv_source_result *s)
{
    return s->rank_interval[0] != s->rank_interval[1] || (s->rank_interval[0] && s->rank_interval[0] != s->rank);
}

/* The rank, which is that of the weight, and where others are possible the ranks that the score may have. */
static void print_rank(FILE *stream, const gbv_source_result *s)
{
    char text[48];
    if (!shows_ranks(s))
        snprintf(text, sizeof text, "%zu", s->rank);
    else if (s->rank_interval[0] == s->rank_interval[1]) /* prior or tau put it elsewhere than its score */
        snprintf(text, sizeof text, "%zu (%zu)", s->rank, s->rank_interval[0]);
    else
        snprintf(text, sizeof text, "%zu (%zu-%zu)", s->rank, s->rank_interval[0], s->rank_interval[1]);
    fprintf(stream, "%*s  ", RANK_CELLS, text);
}

/* How the lines of the table are laid out. */
typedef struct layout {
    size_t name_width;
    double largest; /* weight */
    bool small;     /* scores */
    bool sureness, color;
} layout;

static void print_source(FILE *stream, const gbv_source_result *s, const layout *l)
{
    print_rank(stream, s);
    print_padded(stream, s->name, l->name_width);
    if (s->rows)
        fprintf(stream, " %8zu", s->rows);
    else
        fprintf(stream, " %8s", "-");
    if (isnan(s->agreement))
        fprintf(stream, "  %9s  ", "-");
    else
        fprintf(stream, "  %9.4f  ", s->agreement);
    print_score(stream, s, l->small);
    fprintf(stream, "  %6.4f ", s->posterior);
    print_bar(stream, l->largest > 0 ? s->posterior / l->largest : 0, l->color);
    if (isnan(s->row_weight))
        fprintf(stream, " %14s", "-");
    else
        fprintf(stream, " %14.3g", s->row_weight);
    if (l->sureness && isfinite(s->p_best))
        fprintf(stream, "  %6.2f", s->p_best);
    else if (l->sureness)
        fprintf(stream, "  %6s", "-");
    for (size_t i = 0; i < s->flag_count; i++)
        fprintf(stream, "%s%s", i ? " " : "  ", s->flags[i].kind);
    fputc('\n', stream);
}

static int by_rank(const void *left, const void *right)
{
    const gbv_source_result *a = *(gbv_source_result *const *)left, *b = *(gbv_source_result *const *)right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a > b) - (a < b); /* the order given */
}

void result_print_warnings(const gbv_result *r, gbv_source_result *const *order, FILE *stream)
{
    size_t shown = 0, total = 0;
    for (size_t i = 0; i < r->note_count; i++)
        fprintf(stream, "note: %s\n", r->notes[i]);
    for (size_t i = 0; i < r->warning_count; i++)
        fprintf(stream, "warning: %s\n", r->warnings[i]);
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = order ? order[i] : &r->sources[i];
        total += s->flag_count + s->warning_count;
        for (size_t f = 0; f < s->flag_count && shown < WARNINGS_SHOWN; f++, shown++)
            fprintf(stream, "%s: %s\n", s->flags[f].kind, s->flags[f].detail);
        for (size_t w = 0; w < s->warning_count && shown < WARNINGS_SHOWN; w++, shown++)
            fprintf(stream, "warning: %s\n", s->warnings[w]);
    }
    if (shown < total)
        fprintf(stream, "warning: and %zu more about single sources; --format json lists all\n", total - shown);
}

static const char *rows_words(const gbv_result *r)
{
    bool one = r->reference_rows == 1;
    if (r->reference_use_count)
        return one ? "reference row" : "reference rows";
    return "rows of the sources themselves";
}

static void print_pair(FILE *stream, const gbv_result *r, const gbv_pair *p)
{
    fprintf(stream, "cannot be told apart: %s and %s", r->sources[p->first].name, r->sources[p->second].name);
    if (isfinite(p->rows_needed) && p->rows_needed > (double)r->reference_rows)
        fprintf(stream, "; about %.0f reference rows would", ceil(p->rows_needed));
    else if (isinf(p->rows_needed))
        fprintf(stream, "; %smore rows of the two might",
                r->reference_use_count ? "no number of reference rows would, " : "");
    fputc('\n', stream);
}

/* What the intervals rest on, and what they leave open: first of all among neighbours in rank. */
static void print_certainty(FILE *stream, const gbv_result *r, gbv_source_result **order)
{
    const gbv_certainty *c = &r->certainty;
    size_t shown = 0;
    bool with_error = false, open_rank = false;
    for (size_t i = 0; i < r->source_count; i++) {
        with_error |= isfinite(r->sources[i].standard_error);
        open_rank |= shows_ranks(&r->sources[i]);
    }
    bool by_labels = strcmp(r->feature_space, SPACE_OF_LABELS) == 0;
    if (with_error && by_labels)
        fputs("± is the standard error over the items that a source was judged by", stream);
    else if (with_error)
        fprintf(stream, "± is the standard error over %zu resamplings of the %s", c->replicates, rows_words(r));
    if (with_error && !by_labels && c->refits)
        fprintf(stream, " and %zu redraws of each source's rows", c->refits);
    if (open_rank)
        fprintf(stream, "%sranks in brackets go by score and hold for all sources at once at 90 %%",
                with_error ? ";\n" : "");
    if (with_error || open_rank)
        fputc('\n', stream);
    /* Alike on purpose; or nothing was refitted, so that no pair was tested, of which a warning tells. */
    if (strcmp(r->method, "uniform") == 0 || (!c->refits && c->replicates && !by_labels))
        return;
    for (size_t i = 0; i + 1 < r->source_count && shown < PAIRS_SHOWN; i++)
        for (size_t k = 0; k < c->pair_count; k++) {
            const gbv_source_result *first = &r->sources[c->pairs[k].first], *second = &r->sources[c->pairs[k].second];
            if ((first == order[i] && second == order[i + 1]) || (second == order[i] && first == order[i + 1])) {
                print_pair(stream, r, &c->pairs[k]);
                shown++;
                break;
            }
        }
    if (c->pair_count > shown)
        fprintf(stream, "cannot be told apart: %zu %spair%s of %zu; --format json lists all\n", c->pair_count - shown,
                shown ? "more " : "", c->pair_count - shown == 1 ? "" : "s",
                r->source_count * (r->source_count - 1) / 2);
    if (c->group)
        fprintf(stream,
                "the sources fall into %zu group%s whose members cannot be told from their best; --format json lists "
                "them\n",
                c->group_count, c->group_count == 1 ? "" : "s");
}

static void print_curve(FILE *stream, const gbv_result *r, gbv_source_result **order, size_t name_width)
{
    fputs("\nweights over tau\n       ", stream);
    print_padded(stream, "source", name_width);
    for (size_t t = 0; t < r->tau_count; t++)
        fprintf(stream, isfinite(r->tau_curve[t].tau) ? " %7g" : "   prior", r->tau_curve[t].tau);
    fputc('\n', stream);
    for (size_t i = 0; i < r->source_count && i < SHOWN_WHOLE; i++) {
        fputs("       ", stream);
        print_padded(stream, order[i]->name, name_width);
        for (size_t t = 0; t < r->tau_count; t++)
            fprintf(stream, " %7.4f", r->tau_curve[t].posterior[order[i] - r->sources]);
        fputc('\n', stream);
    }
    fputs("       ", stream);
    print_padded(stream, "effective sources", name_width);
    for (size_t t = 0; t < r->tau_count; t++)
        fprintf(stream, " %7.2f", r->tau_curve[t].effective_sources);
    fputc('\n', stream);
    if (isnan(r->tau_curve[0].log_likelihood))
        return;
    fputs("       ", stream);
    print_padded(stream, "log-likelihood", name_width);
    for (size_t t = 0; t < r->tau_count; t++)
        fprintf(stream, " %7.4f", r->tau_curve[t].log_likelihood);
    fputs("\n       log-likelihood: of held-out reference rows under the final model\n", stream);
}

enum { MEASURE_CELLS = 26, SOURCE_CELLS = 16 };

/* One line per measure, however many sources: who is best and worst by it, and does it see what the first one sees? */
static void print_measure(FILE *stream, const gbv_result *r, const gbv_measure_result *by)
{
    size_t best = r->source_count, worst = r->source_count, undefined = 0, infinite = 0;
    const char *reason = NULL;
    double lowest = INFINITY, highest = -INFINITY;
    char name[128];
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
    snprintf(name, sizeof name, "%s%s%s", own ? by->measure : by->method, *by->variant ? " " : "", by->variant);
    fputs("       ", stream);
    print_short(stream, name, MEASURE_CELLS);
    if (best == r->source_count) {
        fprintf(stream, "  undefined: %s\n", reason ? reason : "no source has a score");
        return;
    }
    fputs("  ", stream);
    print_short(stream, r->sources[best].name, SOURCE_CELLS);
    fputs("  ", stream);
    print_short(stream, r->sources[worst].name, SOURCE_CELLS);
    fprintf(stream, "  %9.3g  %9.2f", highest >= lowest ? highest - lowest : NAN, by->effective_sources);
    fprintf(stream, isfinite(by->rank_agreement) ? "  %10.2f" : "           -", by->rank_agreement);
    if (infinite)
        fprintf(stream, "  -inf for %zu", infinite);
    if (undefined)
        fprintf(stream, "  undefined for %zu%s%s", undefined, reason ? ": " : "", reason ? reason : "");
    fputc('\n', stream);
}

static void print_measures(FILE *stream, const gbv_result *r)
{
    fprintf(stream,
            "\nthe same sources by every method; the weights above are %s's\n       %-*s  %-*s  %-*s  %9s  "
            "%9s  %10s\n",
            *r->measure ? r->measure : r->method, MEASURE_CELLS, "method", SOURCE_CELLS, "best source", SOURCE_CELLS,
            "worst source", "spread", "effective", "like first");
    for (size_t m = 0; m < r->measure_count; m++)
        print_measure(stream, r, &r->measures[m]);
    fprintf(stream,
            "       spread: best score minus worst; effective: sources that its weights would amount to;\n"
            "       like first: how far it ranks the sources as %s does (Kendall's tau-b), 1 the same, -1 reversed\n",
            *r->measure ? r->measure : r->method);
}

bool result_print_table(const gbv_result *r, FILE *stream, bool color)
{
    size_t count = r->source_count, name_width = strlen("effective sources");
    gbv_source_result **order = calloc(count ? count : 1, sizeof *order);
    if (!order)
        return false;
    double largest = 0, largest_score = 0;
    bool fitted = false;
    for (size_t i = 0; i < count; i++) {
        order[i] = &r->sources[i];
        largest = fmax(largest, r->sources[i].posterior);
        if (isfinite(r->sources[i].score))
            largest_score = fmax(largest_score, fabs(r->sources[i].score));
        fitted |= r->sources[i].rows > 0; /* none of ours where all are given as probabilities */
        size_t width = cells_of(r->sources[i].name);
        name_width = width > name_width ? width : name_width;
    }
    qsort(order, count, sizeof *order, by_rank);

    fprintf(stream, "%s%s%s", *r->measure ? r->measure : r->method, *r->variant ? " " : "", r->variant);
    if (*r->measure)
        fprintf(stream, " of %s%s", fitted ? r->model : "given probabilities", fitted ? " models" : "");
    fprintf(stream, " on %zu %s; tau %.4g (%s), seed %llu\n\n", r->reference_rows, rows_words(r), r->tau,
            tau_mode_words[r->tau_mode], (unsigned long long)r->seed);
    bool sureness = r->certainty.replicates;
    layout l = {.name_width = name_width,
                .largest = largest,
                .small = largest_score > 0 && largest_score < SMALL_SCORE,
                .sureness = sureness,
                .color = color};
    fprintf(stream, "%*s  ", RANK_CELLS, "rank");
    print_padded(stream, "source", name_width);
    fprintf(stream, "     rows  agreement  %9s ±         weight %*s weight per row%s  flags\n", "score", BAR_CELLS, "",
            sureness ? "  p best" : "");
    for (size_t i = 0; i < count; i++) {
        if (count > SHOWN_WHOLE && i == SHOWN_BEST) {
            fprintf(stream, "    ...  %zu more; --format csv lists all\n", count - SHOWN_BEST - SHOWN_WORST);
            i = count - SHOWN_WORST;
        }
        print_source(stream, order[i], &l);
    }
    fprintf(stream, "\nthe weights amount to %.2f of %zu source%s", r->effective_sources, count, count == 1 ? "" : "s");
    if (isfinite(r->effective_rows))
        fprintf(stream, " and %.0f rows", r->effective_rows);
    fputc('\n', stream);
    if (sureness)
        print_certainty(stream, r, order);
    if (r->measures)
        print_measures(stream, r);
    if (r->tau_curve)
        print_curve(stream, r, order, name_width);
    result_print_warnings(r, order, stream);
    free(order);
    return true;
}
