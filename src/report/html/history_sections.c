/* history_sections.c - figures over batches: weights and drift. */
#include "report/html/history_sections.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/plain.h"
#include "report/svg/lines.h"

enum { LINES = 8, FAINT = 24, BATCHES_SHOWN = 200 };

/* The last batches of the sources that matter, side by side: numbers of one kind for each. */
typedef struct paths {
    size_t points, first; /* batches shown, and the first of them */
    size_t count;         /* sources, in the order of the view */
    double *values, *low, *high;
    signed char *alarms;
    const char **names; /* of the batches */
    series *lines;
} paths;

static void paths_close(paths *s)
{
    free(s->values);
    free(s->low);
    free(s->high);
    free(s->alarms);
    free(s->names);
    free(s->lines);
    *s = (paths){0};
}

/* Room for `most` lines; `extra` further ones without numbers. */
static bool paths_open(paths *s, const history_view *v, size_t most, size_t extra)
{
    const gbv_history *h = v->history;
    *s = (paths){.points = h->batch_count < BATCHES_SHOWN ? h->batch_count : BATCHES_SHOWN,
                 .count = h->source_count < most ? h->source_count : most};
    s->first = h->batch_count - s->points;
    size_t cells = s->count * s->points;
    s->values = memory_array(cells, sizeof *s->values);
    s->low = memory_array(cells, sizeof *s->low);
    s->high = memory_array(cells, sizeof *s->high);
    s->alarms = memory_zeroed(cells, sizeof *s->alarms);
    s->names = memory_array(s->points, sizeof *s->names);
    s->lines = memory_zeroed(s->count + extra, sizeof *s->lines);
    if (!s->values || !s->low || !s->high || !s->alarms || !s->names || !s->lines) {
        paths_close(s);
        return false;
    }
    for (size_t t = 0; t < s->points; t++)
        s->names[t] = h->batches[s->first + t].name;
    return true;
}

static const gbv_history_point *path_point(const paths *s, const history_view *v, size_t line, size_t t)
{
    return history_point(v->history, v->order[line], s->first + t);
}

static void fill_batch_weight(const void *context, size_t row, size_t column, page_cell *cell)
{
    const history_view *v = context;
    const gbv_history *h = v->history;
    size_t batch = h->batch_count - 1 - row;
    if (column == 0)
        cell->text = h->batches[batch].name;
    else {
        const gbv_history_point *point = history_point(h, v->order[column - 1], batch);
        cell->value = point->posterior;
        cell->low = point->posterior_interval[0];
        cell->high = point->posterior_interval[1];
    }
}

static void note_shown(page *p, const paths *s, const history_view *v)
{
    if (s->points < v->history->batch_count + v->history->first_batch)
        page_note(p, "The last %zu of %zu batches.", s->points, v->history->batch_count + v->history->first_batch);
}

void history_section_trajectories(page *p, const history_view *v)
{
    const gbv_history *h = v->history;
    page_column columns[LINES + 1] = {{.name = "Batch"}};
    paths s;
    if (!h->batch_count || !h->source_count)
        return;
    if (!paths_open(&s, v, LINES + FAINT, 0)) {
        page_fail(p);
        return;
    }
    size_t named = s.count < LINES ? s.count : LINES;
    for (size_t i = 0; i < s.count; i++) {
        double *values = s.values + i * s.points;
        for (size_t t = 0; t < s.points; t++) {
            const gbv_history_point *point = path_point(&s, v, i, t);
            values[t] = point->posterior;
            s.low[i * s.points + t] = point->posterior_interval[0];
            s.high[i * s.points + t] = point->posterior_interval[1];
            s.alarms[i * s.points + t] = (signed char)point->alarm;
        }
        s.lines[i] = (series){.label = h->names[v->order[i]],
                              .values = values,
                              .low = i < named ? s.low + i * s.points : NULL,
                              .high = i < named ? s.high + i * s.points : NULL,
                              .alarms = s.alarms + i * s.points,
                              .faint = i >= named};
    }
    for (size_t i = 0; i < named; i++)
        columns[i + 1] = (page_column){.name = s.lines[i].label, .kind = PAGE_PERCENT, .interval = true};
    page_section(p, "trajectories", "Weights over time",
                 "How much each source should count after each batch, all batches taken together.");
    page_table table = {.id = "trajectory",
                        .caption = "Accumulated weight after each batch, the last one first",
                        .columns = columns,
                        .column_count = named + 1,
                        .row_count = h->batch_count,
                        .cell = fill_batch_weight,
                        .context = v};
    page_figure(p,
                &(page_chart){.id = "figure-trajectories",
                              .draw = lines_draw,
                              .chart = &(lines_chart){.label = "Lines: accumulated weights of sources over batches",
                                                      .x_name = "batch",
                                                      .y_name = "accumulated weight",
                                                      .x_labels = s.names,
                                                      .points = s.points,
                                                      .series = s.lines,
                                                      .count = s.count,
                                                      .share = true,
                                                      .from_zero = true,
                                                      .mark = NAN},
                              .caption = "Bands are intervals at 90 %. Marks are alarms: the source's score got worse "
                                         "(pointing down) or better (pointing up) than its past explains.",
                              .table = &table});
    if (s.count < h->source_count)
        page_note(p, "The %zu largest weights of %zu sources; the %zu largest are named.", s.count, h->source_count,
                  named);
    note_shown(p, &s, v);
    paths_close(&s);
}

static void fill_drift(const void *context, size_t row, size_t column, page_cell *cell)
{
    const history_view *v = context;
    const gbv_history *h = v->history;
    const gbv_history_point *point = history_last_point(h, v->order[row]);
    size_t alarms = 0;
    if (column == 0)
        cell->text = h->names[v->order[row]];
    else if (column == 1)
        cell->value = point->z;
    else if (column == 2)
        cell->value = point->cusum;
    else {
        for (size_t t = h->batch_count; t-- > 0;)
            if (history_point(h, v->order[row], t)->alarm) {
                alarms++;
                if (!cell->text)
                    cell->text = h->batches[t].name;
            }
        if (column == 3) {
            cell->value = (double)alarms;
            cell->text = NULL;
        }
    }
}

/* The sources whose sums are furthest from zero come first. */
static void choose_drifting(const history_view *v, size_t *order, size_t most)
{
    const gbv_history *h = v->history;
    for (size_t k = 0; k < most; k++) {
        size_t found = k;
        for (size_t i = k; i < h->source_count; i++) {
            double a = fabs(history_last_point(h, order[i])->cusum),
                   b = fabs(history_last_point(h, order[found])->cusum);
            if ((isnan(b) && !isnan(a)) || a > b)
                found = i;
        }
        size_t moved = order[k];
        order[k] = order[found];
        order[found] = moved;
    }
}

static size_t place_in(const history_view *v, size_t source)
{
    size_t place = 0;
    while (v->order[place] != source)
        place++;
    return place;
}

static void add_drift_table(page *p, const history_view *v)
{
    static const page_column columns[] = {
        {.name = "Source"},
        {.name = "This batch", .kind = PAGE_NUMBER, .help = "how far its score is from its past, in standard errors"},
        {.name = "Adds up to",
         .kind = PAGE_NUMBER,
         .help = "the cumulative sum (CUSUM), with the sign of its direction"},
        {.name = "Alarms", .kind = PAGE_COUNT, .help = "in all batches shown"},
        {.name = "Last alarm"}};
    page_table_add(p, &(page_table){.id = "drift-table",
                                    .caption = "Change of every source, as of the last batch",
                                    .columns = columns,
                                    .column_count = 5,
                                    .row_count = v->history->source_count,
                                    .cell = fill_drift,
                                    .context = v});
}

void history_section_drift(page *p, const history_view *v)
{
    const gbv_history *h = v->history;
    bool judged = false;
    paths s = {0};
    for (size_t i = 0; h->batch_count && i < h->source_count * h->batch_count && !judged; i++)
        judged = !isnan(h->points[i].cusum);
    if (!judged)
        return;
    history_view drifting = {.history = h, .order = memory_array(h->source_count, sizeof *drifting.order)};
    double *limit = memory_array(2, BATCHES_SHOWN * sizeof *limit);
    for (size_t i = 0; drifting.order && i < h->source_count; i++)
        drifting.order[i] = v->order[i];
    if (drifting.order)
        choose_drifting(v, drifting.order, h->source_count < LINES ? h->source_count : LINES);
    if (!drifting.order || !limit || !paths_open(&s, &drifting, LINES, 2)) {
        page_fail(p);
        goto done;
    }
    for (size_t i = 0; i < s.count; i++) {
        for (size_t t = 0; t < s.points; t++) {
            s.values[i * s.points + t] = path_point(&s, &drifting, i, t)->cusum;
            s.alarms[i * s.points + t] = (signed char)path_point(&s, &drifting, i, t)->alarm;
        }
        s.lines[i] = (series){.label = h->names[drifting.order[i]],
                              .values = s.values + i * s.points,
                              .alarms = s.alarms + i * s.points,
                              .color = 1 + place_in(v, drifting.order[i])};
    }
    for (size_t t = 0; t < s.points; t++) {
        limit[t] = h->batches[s.first + t].alarm_threshold;
        limit[BATCHES_SHOWN + t] = -limit[t];
    }
    s.lines[s.count] = (series){.label = "alarm: better", .values = limit, .faint = true};
    s.lines[s.count + 1] = (series){.label = "alarm: worse", .values = limit + BATCHES_SHOWN, .faint = true};
    page_section(
        p, "drift", "Has a source changed?",
        "Each score beside those of the source's own past, less what all sources moved by. What is left is added "
        "up; beyond the faint lines it is an alarm, and the past begins anew.");
    page_figure(p,
                &(page_chart){.id = "figure-drift",
                              .draw = lines_draw,
                              .chart = &(lines_chart){.label = "Lines: cumulative sums of score changes over batches",
                                                      .x_name = "batch",
                                                      .y_name = "cumulative sum (CUSUM)",
                                                      .x_labels = s.names,
                                                      .points = s.points,
                                                      .series = s.lines,
                                                      .count = s.count + 2,
                                                      .mark = NAN},
                              .caption = "Colours are those of the weights above; marks are alarms.",
                              .table_id = "drift-table"});
    page_note(p, "Without any change there is one alarm in about %.3g batches over all sources.",
              h->batches[h->batch_count - 1].alarm_batches);
    note_shown(p, &s, v);
    add_drift_table(p, v);
done:
    paths_close(&s);
    free(limit);
    free(drifting.order);
}
