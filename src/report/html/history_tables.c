/* history_tables.c - what changed since the batch before, and the tables of a ledger: sources, strategies, batches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/sentence.h"
#include "report/command.h"
#include "report/html/advice_table.h"
#include "report/html/history_sections.h"
#include "report/plain.h"
#include "report/svg/bars.h"

enum { NAMES_SHOWN = 6, MOVES_SHOWN = 4, LINES_SHOWN = 12 };

/* Lines of a list, each in memory of its own. */
typedef struct lines {
    char *items[LINES_SHOWN];
    size_t count;
} lines;

static void add_line(lines *l, const char *text)
{
    if (l->count < LINES_SHOWN && (l->items[l->count] = strdup(text)))
        l->count++;
}

typedef bool source_is(const gbv_history_point *now, const gbv_history_point *before);

static bool has_entered(const gbv_history_point *now, const gbv_history_point *before)
{
    return !isnan(now->posterior) && isnan(before->posterior);
}

static bool has_left(const gbv_history_point *now, const gbv_history_point *before)
{
    return isnan(now->posterior) && !isnan(before->posterior);
}

static bool is_missing(const gbv_history_point *now, const gbv_history_point *before)
{
    return !now->present && before->present && !isnan(now->posterior);
}

static bool got_worse(const gbv_history_point *now, const gbv_history_point *before)
{
    (void)before;
    return now->alarm < 0;
}

static bool got_better(const gbv_history_point *now, const gbv_history_point *before)
{
    (void)before;
    return now->alarm > 0;
}

static void tell_sources(lines *l, const history_view *v, source_is *belongs, const char *what)
{
    const gbv_history *h = v->history;
    sentence s = {0};
    size_t found = 0, last = h->batch_count - 1;
    for (size_t k = 0; k < h->source_count; k++) {
        size_t i = v->order[k];
        if (!belongs(history_point(h, i, last), history_point(h, i, last - 1)))
            continue;
        if (found++ < NAMES_SHOWN)
            sentence_add(&s, "%s%s", found == 1 ? "" : ", ", h->names[i]);
    }
    if (found > NAMES_SHOWN)
        sentence_add(&s, " and %zu more", found - NAMES_SHOWN);
    sentence line = {0};
    sentence_add(&line, "%s: %s", what, s.text);
    if (found)
        add_line(l, line.text);
}

/* The largest moves of weights. */
static void tell_moves(lines *l, const history_view *v)
{
    const gbv_history *h = v->history;
    size_t last = h->batch_count - 1, moved[MOVES_SHOWN], count = 0;
    double size[MOVES_SHOWN];
    for (size_t i = 0; i < h->source_count; i++) {
        double move = history_point(h, i, last)->posterior - history_point(h, i, last - 1)->posterior;
        if (!(fabs(move) >= .01)) /* less than a point is no news */
            continue;
        size_t at = count < MOVES_SHOWN ? count++ : MOVES_SHOWN;
        for (; at > 0 && fabs(move) > fabs(size[at - 1]); at--)
            if (at < MOVES_SHOWN) {
                size[at] = size[at - 1];
                moved[at] = moved[at - 1];
            }
        if (at < MOVES_SHOWN) {
            size[at] = move;
            moved[at] = i;
        }
    }
    sentence s = {0};
    for (size_t k = 0; k < count; k++) {
        char from[PLAIN_TEXT], to[PLAIN_TEXT];
        sentence_add(&s, "%s%s from %s to %s", k ? ", " : "", h->names[moved[k]],
                     plain_share(history_point(h, moved[k], last - 1)->posterior, from),
                     plain_share(history_point(h, moved[k], last)->posterior, to));
    }
    sentence line = {0};
    sentence_add(&line, "Weights that moved most: %s", s.text);
    add_line(l, count ? line.text : "No weight moved by a percentage point or more.");
}

void history_changes(page *p, const history_view *v)
{
    const gbv_history *h = v->history;
    lines l = {0};
    if (!h->batch_count)
        return;
    const gbv_history_batch *last = &h->batches[h->batch_count - 1];
    if (h->batch_count > 1) {
        tell_sources(&l, v, got_worse, "Alarm, got worse");
        tell_sources(&l, v, got_better, "Alarm, got better");
        tell_sources(&l, v, has_entered, "New");
        tell_sources(&l, v, has_left, "Left");
        tell_sources(&l, v, is_missing, "Delivered before, but not this time");
        tell_moves(&l, v);
    }
    for (size_t i = 0; i < last->change_count; i++)
        add_line(&l, last->changes[i]);
    if (h->batch_count > 1)
        page_heading(p, "What changed since the last batch");
    else
        page_heading(p, "The first batch");
    if (l.count)
        page_list(p, (const char *const *)l.items, l.count);
    for (size_t i = 0; i < last->warning_count; i++)
        page_warning(p, last->warnings[i]);
    for (size_t i = 0; i < l.count; i++)
        free(l.items[i]);
}

static const page_badge alarm_badges[] = {{"worse", TONE_BAD}, {"", TONE_OPEN}, {"better", TONE_GOOD}};

enum { NAME, VERDICT, ACCUMULATED, THIS_BATCH, PRIOR, SCORE, ROWS, ALARM, DELIVERED, SOURCE_COLUMNS };

static void fill_source(const void *context, size_t row, size_t column, page_cell *cell)
{
    const history_view *v = context;
    const gbv_history *h = v->history;
    size_t s = v->order[row];
    const gbv_history_point *point = history_last_point(h, s);
    switch (column) {
    case NAME:
        cell->text = h->names[s];
        break;
    case VERDICT:
        cell->value = (double)v->advice[s].action;
        break;
    case ACCUMULATED:
        cell->value = point->posterior;
        cell->low = point->posterior_interval[0];
        cell->high = point->posterior_interval[1];
        break;
    case THIS_BATCH:
        cell->value = point->batch_posterior;
        break;
    case PRIOR:
        cell->value = point->prior;
        break;
    case SCORE:
        cell->value = point->score;
        cell->low = point->score - 1.645 * point->deviation;
        cell->high = point->score + 1.645 * point->deviation;
        break;
    case ROWS:
        cell->value = point->present ? (double)point->rows : NAN;
        break;
    case ALARM:
        cell->value = point->alarm ? point->alarm + 1 : NAN;
        break;
    default:
        for (size_t t = h->batch_count; t-- > 0 && !cell->text;)
            if (history_point(h, s, t)->present)
                cell->text = h->batches[t].name;
    }
}

void history_section_sources(page *p, const history_view *v)
{
    static const page_column columns[SOURCE_COLUMNS] = {
        [NAME] = {.name = "Source"},
        [VERDICT] = {.name = "Verdict", .kind = PAGE_BADGE, .badges = advice_badges, .badge_count = ADVICE_BADGES},
        [ACCUMULATED] = {.name = "Accumulated",
                         .kind = PAGE_SHARE,
                         .interval = true,
                         .help = "its weight by all batches together, with its interval at 90 %"},
        [THIS_BATCH] = {.name = "This batch", .kind = PAGE_SHARE, .help = "its weight by the last batch alone"},
        [PRIOR] = {.name = "Share", .kind = PAGE_PERCENT, .help = "the prior: its weight before anything was scored"},
        [SCORE] = {.name = "Score", .kind = PAGE_NUMBER, .interval = true, .help = "of the last batch, at 90 %"},
        [ROWS] = {.name = "Rows", .kind = PAGE_COUNT, .help = "that it delivered in the last batch"},
        [ALARM] = {.name = "Alarm", .kind = PAGE_BADGE, .badges = alarm_badges, .badge_count = 3},
        [DELIVERED] = {.name = "Last delivery"},
    };
    const gbv_history *h = v->history;
    bar bars[PAGE_FIGURE_ROWS];
    char notes[PAGE_FIGURE_ROWS][PLAIN_TEXT];
    size_t count = h->source_count < PAGE_FIGURE_ROWS ? h->source_count : PAGE_FIGURE_ROWS;
    if (!h->batch_count)
        return;
    for (size_t i = 0; i < count; i++) {
        const gbv_history_point *point = history_last_point(h, v->order[i]);
        bars[i] =
            (bar){.label = h->names[v->order[i]],
                  .value = point->posterior,
                  .low = point->posterior_interval[0],
                  .high = point->posterior_interval[1],
                  .note = isnan(point->batch_posterior) ? "absent" : plain_share(point->batch_posterior, notes[i])};
    }
    page_section(
        p, "accumulated", "This batch beside all batches",
        "What has come together, and at the right what the last batch says by itself. Where the two part, either "
        "the source changed or one batch is too few to tell.");
    page_figure(p,
                &(page_chart){.id = "figure-accumulated",
                              .draw = bars_draw,
                              .chart = &(bars_chart){.label = "Bars: accumulated weights, and this batch's beside them",
                                                     .axis = "accumulated weight",
                                                     .bars = bars,
                                                     .count = count,
                                                     .share = true,
                                                     .note_name = "this batch",
                                                     .mark = NAN},
                              .table_id = "ledger-sources"});
    page_table_add(p, &(page_table){.id = "ledger-sources",
                                    .caption = "All sources, the largest weight first",
                                    .columns = columns,
                                    .column_count = SOURCE_COLUMNS,
                                    .row_count = h->source_count,
                                    .cell = fill_source,
                                    .context = v});
}

enum { MOST = 12 };

typedef struct strategy_columns {
    const history_view *view;
    size_t which[MOST], count;
} strategy_columns;

static void fill_strategy(const void *context, size_t row, size_t column, page_cell *cell)
{
    const strategy_columns *shown = context;
    const history_view *v = shown->view;
    const gbv_history *h = v->history;
    size_t s = v->order[row];
    if (column == 0)
        cell->text = h->names[s];
    else if (column == 1)
        cell->value = history_last_point(h, s)->posterior;
    else
        cell->value = h->strategies[shown->which[column - 2]].posterior[(h->batch_count - 1) * h->source_count + s];
}

void history_section_strategies(page *p, const history_view *v)
{
    const gbv_history *h = v->history;
    page_column columns[MOST + 2] = {{.name = "Source"},
                                     {.name = "Ledger", .kind = PAGE_SHARE, .help = "the accumulated weight"}};
    strategy_columns shown = {.view = v};
    for (size_t i = 0; i < h->strategy_count && shown.count < MOST; i++)
        if (strcmp(h->strategies[i].name, "continual") != 0) { /* which the ledger itself is */
            columns[shown.count + 2] =
                (page_column){.name = h->strategies[i].name, .kind = PAGE_SHARE, .help = h->strategies[i].summary};
            shown.which[shown.count++] = i;
        }
    if (!shown.count || !h->batch_count)
        return;
    page_section(p, "strategies", "What else one could do",
                 "Weights after the last batch, had the same scores been used in other ways.");
    page_table_add(p, &(page_table){.id = "strategy-weights",
                                    .caption = "Weights by strategy",
                                    .columns = columns,
                                    .column_count = shown.count + 2,
                                    .row_count = h->source_count,
                                    .cell = fill_strategy,
                                    .context = &shown});
}

enum {
    BATCH,
    TIME,
    PRESENT,
    NEW,
    GONE,
    EFFECTIVE,
    REFERENCE_ROWS,
    USED,
    CHANGES,
    DELIVERY_COLUMNS, /* of the first table; the second begins with the batch again */
    BY = DELIVERY_COLUMNS,
    TAU,
    FORGETTING,
    VERSION,
    REFERENCE_HASH,
    RECORD_HASH,
    BATCH_COLUMNS,
    CHAIN_COLUMNS = BATCH_COLUMNS - DELIVERY_COLUMNS + 1
};

static void fill_batch(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_history *h = ((const history_view *)context)->history;
    const gbv_history_batch *b = &h->batches[h->batch_count - 1 - row];
    const double numbers[BATCH_COLUMNS] = {[PRESENT] = (double)b->present,
                                           [NEW] = (double)b->newcomers,
                                           [GONE] = (double)b->leavers,
                                           [EFFECTIVE] = b->effective_sources,
                                           [REFERENCE_ROWS] = (double)b->reference_rows,
                                           [USED] = (double)b->reference_batches,
                                           [TAU] = b->tau,
                                           [FORGETTING] = b->forgetting};
    time_t when = (time_t)b->time;
    struct tm day;
    size_t used = 0;
    switch (column) {
    case BATCH:
        cell->text = b->name;
        break;
    case TIME:
        if (gmtime_r(&when, &day) && strftime(cell->scratch, sizeof cell->scratch, "%Y-%m-%d %H:%M UTC", &day))
            cell->text = cell->scratch;
        break;
    case REFERENCE_HASH:
        cell->text = *b->reference_sha256 ? b->reference_sha256 : "from memory";
        break;
    case BY:
        snprintf(cell->scratch, sizeof cell->scratch, "%s%s%s%s%s of %s", b->method, *b->measure ? " " : "", b->measure,
                 *b->variant ? " " : "", b->variant, b->model);
        cell->text = cell->scratch;
        break;
    case CHANGES:
        for (size_t i = 0; i < b->change_count && used < sizeof cell->scratch; i++)
            used += (size_t)snprintf(cell->scratch + used, sizeof cell->scratch - used, "%s%s", i ? "; " : "",
                                     b->changes[i]);
        cell->text = b->change_count ? cell->scratch : NULL;
        break;
    case VERSION:
        cell->text = b->version;
        break;
    case RECORD_HASH:
        cell->text = b->hash;
        break;
    default:
        cell->value = numbers[column];
    }
}

static void fill_chain(const void *context, size_t row, size_t column, page_cell *cell)
{
    fill_batch(context, row, column ? DELIVERY_COLUMNS + column - 1 : BATCH, cell);
}

static void add_command(page *p, const gbv_history *h, const char *command)
{
    char *text = NULL;
    size_t length;
    if (command) {
        if (*command)
            page_code(p, command);
        return;
    }
    FILE *stream = open_memstream(&text, &length);
    if (!stream) {
        page_fail(p);
        return;
    }
    fputs("gbv history --ledger ", stream);
    command_write_word(stream, h->path);
    fputs("\ngbv ledger verify --ledger ", stream);
    command_write_word(stream, h->path);
    if (fclose(stream) != 0)
        page_fail(p);
    else
        page_code(p, text);
    free(text);
}

void history_section_batches(page *p, const history_view *v, const char *command)
{
    static const page_column columns[DELIVERY_COLUMNS] = {
        [BATCH] = {.name = "Batch"},
        [TIME] = {.name = "Added"},
        [PRESENT] = {.name = "Delivered", .kind = PAGE_COUNT, .help = "sources"},
        [NEW] = {.name = "New", .kind = PAGE_COUNT, .help = "sources that came with it"},
        [GONE] = {.name = "Left", .kind = PAGE_COUNT, .help = "sources that left with it"},
        [EFFECTIVE] = {.name = "Effective sources",
                       .kind = PAGE_NUMBER,
                       .help = "that the accumulated weights amount to"},
        [REFERENCE_ROWS] = {.name = "Reference rows", .kind = PAGE_COUNT},
        [USED] = {.name = "Uses of it",
                  .kind = PAGE_COUNT,
                  .help = "batches that this reference has scored, this one included"},
        [CHANGES] = {.name = "Changes that were allowed"},
    };
    static const page_column chain[CHAIN_COLUMNS] = {
        {.name = "Batch"},
        {.name = "Scored by"},
        {.name = "Tau", .kind = PAGE_NUMBER},
        {.name = "Forgetting", .kind = PAGE_NUMBER, .help = "1: every batch counts alike"},
        {.name = "gbv", .help = "its version"},
        {.name = "Reference SHA-256", .kind = PAGE_CODE},
        {.name = "Hash of the record",
         .kind = PAGE_CODE,
         .help = "covers this batch and all before: noted elsewhere, it proves that nothing was changed"},
    };
    const gbv_history *h = v->history;
    page_section(p, "batches", "Batches",
                 "What was added when, how it was scored, and the chain of hashes. The ledger holds no row, feature or "
                 "label.");
    page_table_add(p, &(page_table){.id = "batch-list",
                                    .caption = "Batches, the last one first",
                                    .columns = columns,
                                    .column_count = DELIVERY_COLUMNS,
                                    .row_count = h->batch_count,
                                    .cell = fill_batch,
                                    .context = v});
    page_table_add(p, &(page_table){.id = "batch-chain",
                                    .caption = "How each was scored, and the chain of hashes",
                                    .columns = chain,
                                    .column_count = CHAIN_COLUMNS,
                                    .row_count = h->batch_count,
                                    .cell = fill_chain,
                                    .context = v});
    add_command(p, h, command);
}
