/* history_table.c - a ledger as a person reads it: the last batch beside the accumulated weights, best source first,
 * with a small line of the past; of one source a line for each batch.
 *
 * A narrow terminal loses, in this order: the bar, the errors, the rows, the interval, the score, what this batch alone
 * says, the line of the past, the change; source and weight stay. */
#include <stdlib.h>
#include <string.h>

#include "report/cells.h"
#include "report/grid.h"
#include "report/history.h"
#include "report/print.h"

enum {
    BAR_CELLS = 12,
    LINE_CELLS = 24, /* batches that the line of the past shows */
    SHOWN_WHOLE = 60,
    SHOWN_BEST = 40,
    SHOWN_WORST = 10,
    ALARMS_SHOWN = 12,
    RECENT = 3, /* batches that an alarm is not forgotten, as in the rules of advice */
    MOST_COLUMNS = 16,
};

static const double SMALL_SCORE = 0.02;

/* What the table is made of, and which of its columns have anything in them. */
typedef struct table {
    const gbv_history *history;
    FILE *stream;
    const gbv_terminal *terminal;
    size_t last;    /* the batch shown */
    double largest; /* weight of all that are shown */
    bool small;     /* all scores are, and take an exponent */
    bool errors, intervals, changes;
    grid_column columns[MOST_COLUMNS];
    size_t column_count;
} table;

static void add_column(table *t, grid_column column)
{
    t->columns[t->column_count++] = column;
}

/* The columns that both kinds of tables have, after those that name a line. */
static void add_common_columns(table *t)
{
    add_column(t, (grid_column){.head = "rows", .gap = 2, .right = true, .leaves = 3});
    add_column(t, (grid_column){.head = "score", .gap = 2, .right = true, .leaves = 5});
    if (t->errors)
        add_column(t, (grid_column){.head = "±", .gap = 1, .leaves = 2});
    add_column(t, (grid_column){.head = "this batch", .gap = 2, .right = true, .leaves = 6});
    add_column(t, (grid_column){.head = "weight", .gap = 2, .right = true});
    add_column(t, (grid_column){.head = "", .gap = 1, .usual = BAR_CELLS, .leaves = 1});
    if (t->intervals)
        add_column(t, (grid_column){.head = "at 90 %", .gap = 2, .leaves = 4});
    if (t->changes)
        add_column(t, (grid_column){.head = "change", .gap = 2, .right = true, .leaves = 8});
}

static double change_of(const gbv_history *h, size_t source, size_t batch)
{
    return batch ? history_point(h, source, batch)->posterior - history_point(h, source, batch - 1)->posterior : NAN;
}

static void add_common_cells(const table *t, grid *g, size_t source, size_t batch)
{
    const gbv_history_point *p = history_point(t->history, source, batch);
    double change = change_of(t->history, source, batch);
    grid_number(g, "%.0f", p->present && p->rows ? (double)p->rows : NAN);
    if (!p->present)
        grid_cell(g, GBV_STYLE_PLAIN, "-");
    else if (isnan(p->score))
        grid_cell(g, GBV_STYLE_ALARM, "undefined");
    else if (isinf(p->score))
        grid_cell(g, GBV_STYLE_CAUTION, p->score < 0 ? "-inf" : "inf");
    else
        grid_cell(g, GBV_STYLE_PLAIN, t->small ? "%.2e" : "%.4f", p->score);
    if (t->errors && isfinite(p->deviation))
        grid_cell(g, GBV_STYLE_PLAIN, t->small ? "±%.1e" : "±%.4f", p->deviation);
    else if (t->errors)
        grid_cell(g, GBV_STYLE_PLAIN, "%s", "");
    grid_number(g, "%.4f", p->batch_posterior);
    grid_number(g, "%.4f", p->posterior);
    grid_bar(g, t->largest > 0 && p->posterior > 0 ? p->posterior / t->largest : 0, BAR_CELLS);
    if (t->intervals && isfinite(p->posterior_interval[0]))
        grid_cell(g, GBV_STYLE_PLAIN, "%.3f to %.3f", p->posterior_interval[0], p->posterior_interval[1]);
    else if (t->intervals)
        grid_cell(g, GBV_STYLE_PLAIN, "%s", "");
    if (t->changes && isfinite(change))
        grid_cell(g, GBV_STYLE_PLAIN, "%+.4f", change);
    else if (t->changes)
        grid_cell(g, GBV_STYLE_PLAIN, "%s", "");
}

/* What is to be said of a source in a batch besides the numbers. */
static void add_words(const table *t, grid *g, size_t source, size_t batch)
{
    const gbv_history_point *p = history_point(t->history, source, batch);
    bool was_in = batch && !isnan(history_point(t->history, source, batch - 1)->posterior);
    bool is_in = !isnan(p->posterior);
    if (p->alarm)
        grid_behind(g, GBV_STYLE_ALARM, "got %s", history_alarm_word(p->alarm));
    else if (p->flag)
        grid_behind(g, GBV_STYLE_CAUTION, "%s", p->flag);
    else if (was_in && !is_in)
        grid_behind(g, GBV_STYLE_DIM, "left");
    else if (batch && is_in && !was_in)
        grid_behind(g, GBV_STYLE_DIM, "new");
    else if (is_in && !p->present)
        grid_behind(g, GBV_STYLE_DIM, "absent");
    else if (!is_in && p->present)
        grid_behind(g, GBV_STYLE_CAUTION, "not in");
}

/* The weight over the batches, from nothing to the largest there is; blank where it was absent or not in. */
static void add_line_of_past(const table *t, grid *g, size_t source)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, *const ascii[] = {"_", ".", ":", "-",
                                                                                                    "=", "+", "*", "#"};
    const gbv_history *h = t->history;
    char line[LINE_CELLS * 3 + 1] = "", *to = line, *end = line;
    for (size_t b = h->batch_count > LINE_CELLS ? h->batch_count - LINE_CELLS : 0; b < h->batch_count; b++) {
        const gbv_history_point *p = history_point(h, source, b);
        bool gap = !p->present || isnan(p->posterior);
        double share = t->largest > 0 ? p->posterior / t->largest : 0;
        to = stpcpy(to, gap ? " " : (t->terminal && t->terminal->ascii ? ascii : blocks)[(int)fmin(share * 8, 7)]);
        end = gap ? end : to;
    }
    *end = 0;
    grid_cell(g, GBV_STYLE_ACCENT, "%s", line);
}

static table open_table(const gbv_history *h, FILE *stream, const gbv_terminal *terminal, bool all_batches)
{
    table t = {.history = h, .stream = stream, .terminal = terminal, .last = h->batch_count - 1};
    double largest_score = 0;
    for (size_t s = 0; s < h->source_count; s++)
        for (size_t b = 0; b < h->batch_count; b++) {
            const gbv_history_point *p = history_point(h, s, b);
            t.largest = fmax(t.largest, p->posterior); /* not NaN, whatever the other is */
            if (b < t.last && !all_batches)
                continue;
            largest_score = isfinite(p->score) ? fmax(largest_score, fabs(p->score)) : largest_score;
            t.errors |= isfinite(p->deviation);
            t.intervals |= isfinite(p->posterior_interval[0]);
            t.changes |= isfinite(change_of(h, s, b));
        }
    t.small = largest_score > 0 && largest_score < SMALL_SCORE;
    return t;
}

/* What the sources were judged by. */
static const char *rows_words(const gbv_history_batch *b)
{
    if (strncmp(b->reference_kind, "none", strlen("none")) == 0)
        return "rows of the sources themselves, each judged by the others";
    return b->reference_rows == 1 ? "reference row" : "reference rows";
}

static void print_head(const table *t)
{
    const gbv_history *h = t->history;
    const gbv_history_batch *b = &h->batches[t->last];
    char time[TIME_TEXT], memory[64] = "";
    bool own = strcmp(b->method, "gbv") == 0; /* named by its measure */
    print_sentence(t->stream, t->terminal, GBV_STYLE_PLAIN, "", "batch %s, number %zu of %s, %s", b->name,
                   h->first_batch + h->batch_count, h->path, history_time(b->time, "%Y-%m-%d %H:%M UTC", time));
    if (b->forgetting < 1)
        snprintf(memory, sizeof memory, " (a memory of %.3g batches)", 1 / (1 - b->forgetting));
    print_sentence(t->stream, t->terminal, GBV_STYLE_PLAIN, "",
                   "%s%s%s of %s models on %zu %s; tau %.4g, forgetting %g%s, seed %llu", own ? b->measure : b->method,
                   *b->variant ? " " : "", b->variant, b->model, b->reference_rows, rows_words(b), b->tau,
                   b->forgetting, memory, (unsigned long long)b->seed);
    fputc('\n', t->stream);
}

static void print_alarm(const table *t, size_t source, size_t batch)
{
    const gbv_history_batch *b = &t->history->batches[batch];
    const gbv_history_point *p = history_point(t->history, source, batch);
    print_sentence(
        t->stream, t->terminal, GBV_STYLE_ALARM, "alarm:",
        "%s got %s: %.1f standard errors %s its past, less what all moved by; they sum up to %.1f, the limit "
        "is %.1f%s%s",
        t->history->names[source], history_alarm_word(p->alarm), fabs(p->z), p->z < 0 ? "below" : "above",
        fabs(p->cusum), b->alarm_threshold, batch < t->last ? ", in batch " : "", batch < t->last ? b->name : "");
}

static void print_alarms(const table *t, size_t first_batch)
{
    const gbv_history *h = t->history;
    size_t found = 0;
    for (size_t b = first_batch; b < h->batch_count; b++)
        for (size_t s = 0; s < h->source_count; s++)
            if (history_point(h, s, b)->alarm && found++ < ALARMS_SHOWN)
                print_alarm(t, s, b);
    if (found > ALARMS_SHOWN)
        print_sentence(t->stream, t->terminal, GBV_STYLE_ALARM, "alarm:", "and %zu more; --format csv lists all",
                       found - ALARMS_SHOWN);
    if (found)
        print_sentence(t->stream, t->terminal, GBV_STYLE_DIM, "",
                       "where nothing changed there is one alarm in %g batches, over all sources",
                       h->batches[t->last].alarm_batches);
}

static bool is_flagged(const gbv_history_point *p, const char *kind)
{
    return p->flag && strcmp(p->flag, kind) == 0;
}

static void print_flags(const table *t)
{
    const gbv_history *h = t->history;
    const char *kind, *summary;
    size_t found = 0;
    for (size_t k = 0; gbv_list("flags", k, &kind, &summary); k++)
        for (size_t s = 0; s < h->source_count; s++)
            if (is_flagged(history_point(h, s, t->last), kind) && found++ < ALARMS_SHOWN)
                print_sentence(t->stream, t->terminal, GBV_STYLE_CAUTION, "flag:", "%s: %s", h->names[s], summary);
    if (found > ALARMS_SHOWN)
        print_sentence(t->stream, t->terminal, GBV_STYLE_CAUTION, "flag:", "and %zu more; --format csv lists all",
                       found - ALARMS_SHOWN);
}

/* Of the batches from the first on: what was let through, and what to beware of. */
static void print_notes(const table *t, size_t first_batch)
{
    const gbv_history *h = t->history;
    size_t recent = t->last < RECENT ? 0 : t->last - RECENT + 1;
    print_alarms(t, first_batch < recent ? first_batch : recent);
    print_flags(t);
    for (size_t b = first_batch; b < h->batch_count; b++)
        for (size_t i = 0; i < h->batches[b].change_count; i++)
            print_sentence(t->stream, t->terminal, GBV_STYLE_CAUTION, "changed:", "%s%s%s", h->batches[b].changes[i],
                           first_batch < t->last ? ", in batch " : "", first_batch < t->last ? h->batches[b].name : "");
    for (size_t i = 0; i < h->batches[t->last].warning_count; i++)
        gbv_terminal_line(t->stream, t->terminal, GBV_STYLE_CAUTION, "warning:", GOES_ON,
                          h->batches[t->last].warnings[i]);
}

static void print_legend(const table *t, bool past)
{
    const gbv_history *h = t->history;
    const gbv_history_batch *b = &h->batches[t->last];
    size_t in = 0;
    for (size_t s = 0; s < h->source_count; s++)
        in += !isnan(history_point(h, s, t->last)->posterior);
    fputc('\n', t->stream);
    if (past)
        print_sentence(t->stream, t->terminal, GBV_STYLE_PLAIN, "",
                       "the weights amount to %.2f of %zu source%s; %zu delivered", b->effective_sources, in,
                       in == 1 ? "" : "s", b->present);
    print_sentence(t->stream, t->terminal, GBV_STYLE_DIM, "",
                   "this batch: the weight by its scores alone; weight: by all batches%s%s",
                   t->errors ? "; ± is the standard error of the score" : "",
                   past && h->batch_count > 1 ? ";\npast: the weight over the last batches, blank where absent" : "");
}

/* Sources by their last weight; those that are not in come last. */
typedef struct place {
    double weight;
    size_t source;
} place;

static int by_weight(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->source > b->source) - (a->source < b->source);
}

/* Those that have something to do with the last batch: not the ones that left before. */
static size_t order_sources(const gbv_history *h, place *order)
{
    size_t count = 0, last = h->batch_count - 1;
    for (size_t s = 0; s < h->source_count; s++) {
        const gbv_history_point *p = history_point(h, s, last);
        bool leaves = last && !isnan(history_point(h, s, last - 1)->posterior);
        if (!isnan(p->posterior) || p->present || leaves)
            order[count++] = (place){isnan(p->posterior) ? -1 : p->posterior, s};
    }
    qsort(order, count, sizeof *order, by_weight);
    return count;
}

static bool print_sources(table *t, const place *order, size_t count)
{
    bool past = t->history->batch_count > 1;
    add_column(t, (grid_column){.head = "source", .least = 8});
    add_common_columns(t);
    if (past)
        add_column(t, (grid_column){.head = "past", .gap = 2, .leaves = 7});
    grid g = grid_open(t->columns, t->column_count, t->terminal);
    for (size_t i = 0; i < count; i++) {
        if (count > SHOWN_WHOLE && i == SHOWN_BEST) {
            grid_note(&g, "...  %zu more; --format csv lists all", count - SHOWN_BEST - SHOWN_WORST);
            i = count - SHOWN_WORST;
        }
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", t->history->names[order[i].source]);
        add_common_cells(t, &g, order[i].source, t->last);
        if (past)
            add_line_of_past(t, &g, order[i].source);
        add_words(t, &g, order[i].source, t->last);
    }
    return grid_print(&g, t->stream);
}

/* What every strategy makes of the last batch. */
static bool print_strategies(const table *t, const place *order, size_t count)
{
    const gbv_history *h = t->history;
    grid_column columns[MOST_COLUMNS] = {{.head = "source", .least = 8}};
    size_t shown = h->strategy_count < MOST_COLUMNS - 1 ? h->strategy_count : MOST_COLUMNS - 1;
    for (size_t i = 0; i < shown; i++)
        columns[1 + i] = (grid_column){.head = h->strategies[i].name, .gap = 2, .right = true};
    fputs("\n", t->stream);
    print_sentence(t->stream, t->terminal, GBV_STYLE_PLAIN, "", "weights by other strategies over the same scores");
    grid g = grid_open(columns, 1 + shown, t->terminal);
    g.folds = true;
    for (size_t i = 0; i < count && i < SHOWN_WHOLE; i++) {
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", h->names[order[i].source]);
        for (size_t k = 0; k < shown; k++)
            grid_number(&g, "%.4f", h->strategies[k].posterior[t->last * h->source_count + order[i].source]);
    }
    return grid_print(&g, t->stream);
}

static bool print_last_batch(const gbv_history *h, FILE *stream, const gbv_terminal *terminal)
{
    table t = open_table(h, stream, terminal, false);
    place *order = calloc(h->source_count ? h->source_count : 1, sizeof *order);
    if (!order)
        return false;
    size_t count = order_sources(h, order);
    print_head(&t);
    bool printed = print_sources(&t, order, count) && (!h->strategy_count || print_strategies(&t, order, count));
    print_legend(&t, true);
    print_notes(&t, t.last);
    free(order);
    return printed;
}

/* A line for each batch. */
static bool print_one_source(const gbv_history *h, FILE *stream, const gbv_terminal *terminal)
{
    table t = open_table(h, stream, terminal, true);
    char time[TIME_TEXT];
    add_column(&t, (grid_column){.head = "batch", .least = 8});
    add_column(&t, (grid_column){.head = "time", .gap = 2, .leaves = 2});
    add_common_columns(&t);
    add_column(&t, (grid_column){.head = "z", .gap = 2, .right = true, .leaves = 7});
    add_column(&t, (grid_column){.head = "cusum", .gap = 2, .right = true, .leaves = 7});
    for (size_t k = 0; k < h->strategy_count && t.column_count < MOST_COLUMNS; k++)
        add_column(&t, (grid_column){.head = h->strategies[k].name, .gap = 2, .right = true, .leaves = 1});
    print_head(&t);
    print_sentence(stream, terminal, GBV_STYLE_PLAIN, "", "source %s", h->names[0]);
    grid g = grid_open(t.columns, t.column_count, terminal);
    for (size_t b = 0; b < h->batch_count; b++) {
        const gbv_history_point *p = history_point(h, 0, b);
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", h->batches[b].name);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", history_time(h->batches[b].time, "%Y-%m-%d", time));
        add_common_cells(&t, &g, 0, b);
        grid_number(&g, "%+.2f", p->z);
        grid_number(&g, "%+.2f", p->cusum);
        for (size_t k = 0; k < h->strategy_count; k++)
            grid_number(&g, "%.4f", h->strategies[k].posterior[b]);
        add_words(&t, &g, 0, b);
    }
    bool printed = grid_print(&g, stream);
    print_legend(&t, false);
    print_notes(&t, 0);
    return printed;
}

bool history_print_table(const gbv_history *h, FILE *stream, const gbv_terminal *terminal)
{
    if (!h->batch_count) {
        print_sentence(stream, terminal, GBV_STYLE_PLAIN, "", "%s: no batch stands", h->path);
        return true;
    }
    if (!h->source_count)
        return true;
    return (h->source_count == 1 ? print_one_source : print_last_batch)(h, stream, terminal);
}
