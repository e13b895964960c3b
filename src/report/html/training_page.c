/* training_page.c - the page of a training: loss and accuracy over epochs, and how good the model got. */
#include <gbv/report.h>

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/html/evaluation_sections.h"
#include "report/plain.h"
#include "report/svg/lines.h"

enum { EPOCH, LOSS, HELD_OUT_LOSS, HELD_OUT_ACCURACY, TEST_ACCURACY, RATE, ROWS, SECONDS, KEPT, COLUMNS };

/* The epoch that is kept: the last that was the best so far, or the last one where none was held out. */
static size_t kept_epoch(const gbv_training *t)
{
    for (size_t i = t->epoch_count; i-- > 0;)
        if (t->epochs[i].best && isfinite(t->epochs[i].held_out_loss))
            return i;
    return t->epoch_count - 1;
}

typedef struct epoch_rows {
    const gbv_training *training;
    size_t kept;
} epoch_rows;

static void fill_epoch(const void *context, size_t row, size_t column, page_cell *cell)
{
    const epoch_rows *rows = context;
    const gbv_training_epoch *e = &rows->training->epochs[row];
    const double numbers[COLUMNS] = {(double)e->epoch,     e->loss,          e->held_out_loss,
                                     e->held_out_accuracy, e->test_accuracy, e->learning_rate,
                                     (double)e->rows,      e->seconds,       row == rows->kept ? 0 : NAN};
    cell->value = numbers[column];
}

typedef double number_of(const gbv_training_epoch *e);

static double loss_of(const gbv_training_epoch *e)
{
    return e->loss;
}

static double held_out_loss_of(const gbv_training_epoch *e)
{
    return e->held_out_loss;
}

static double held_out_accuracy_of(const gbv_training_epoch *e)
{
    return e->held_out_accuracy;
}

static double test_accuracy_of(const gbv_training_epoch *e)
{
    return e->test_accuracy;
}

/* A figure of one or two curves; `values` has room for two. */
static void add_curves(page *p, const gbv_training *t, lines_chart chart, const char *id, const char *title,
                       number_of *const of[2], const char *const names[2], double *values, const char *table_id,
                       const page_table *table)
{
    series lines[2];
    size_t count = 0;
    for (size_t k = 0; k < 2; k++) {
        double *own = values + count * t->epoch_count;
        bool known = false;
        for (size_t i = 0; i < t->epoch_count; i++) {
            own[i] = of[k](&t->epochs[i]);
            known |= isfinite(own[i]);
        }
        if (known)
            lines[count++] = (series){.label = names[k], .values = own};
    }
    chart.series = lines;
    chart.count = count;
    if (count)
        page_figure(
            p,
            &(page_chart){
                .id = id, .title = title, .draw = lines_draw, .chart = &chart, .table = table, .table_id = table_id});
}

static void add_epochs(page *p, const gbv_training *t)
{
    static const page_badge kept[] = {{"kept", TONE_GOOD}};
    static const page_column columns[COLUMNS] = {
        [EPOCH] = {.name = "Epoch", .kind = PAGE_COUNT},
        [LOSS] = {.name = "Loss", .kind = PAGE_NUMBER, .help = "weighted mean over the rows visited"},
        [HELD_OUT_LOSS] = {.name = "Held-out loss",
                           .kind = PAGE_NUMBER,
                           .help = "of training rows kept out of training"},
        [HELD_OUT_ACCURACY] = {.name = "Held-out accuracy", .kind = PAGE_PERCENT},
        [TEST_ACCURACY] = {.name = "Test accuracy", .kind = PAGE_PERCENT},
        [RATE] = {.name = "Learning rate", .kind = PAGE_NUMBER, .help = "of its first step"},
        [ROWS] = {.name = "Rows", .kind = PAGE_COUNT, .help = "visited"},
        [SECONDS] = {.name = "Seconds", .kind = PAGE_NUMBER},
        [KEPT] = {.name = "Kept", .kind = PAGE_BADGE, .badges = kept, .badge_count = 1}};
    double *x = memory_array(t->epoch_count, sizeof *x), *values = memory_array(t->epoch_count, 2 * sizeof *values);
    epoch_rows rows = {t, kept_epoch(t)};
    page_table table = {.id = "epochs",
                        .caption = "Every epoch",
                        .columns = columns,
                        .column_count = COLUMNS,
                        .row_count = t->epoch_count,
                        .cell = fill_epoch,
                        .context = &rows};
    if (!x || !values) {
        page_fail(p);
        goto done;
    }
    for (size_t i = 0; i < t->epoch_count; i++)
        x[i] = (double)t->epochs[i].epoch;
    bool held_out = isfinite(t->epochs[rows.kept].held_out_loss);
    lines_chart chart = {.label = "Lines: loss over epochs",
                         .x_name = "epoch",
                         .y_name = "loss",
                         .x = x,
                         .points = t->epoch_count,
                         .mark = held_out ? x[rows.kept] : NAN,
                         .mark_name = "kept"};
    page_section(p, "curves", "Over the epochs",
                 held_out ? "Held-out rows are a share of the training rows; the epoch with their lowest loss is kept."
                          : "No rows were held out: the last epoch is kept.");
    add_curves(p, t, chart, "figure-loss", "Loss", (number_of *const[]){loss_of, held_out_loss_of},
               (const char *const[]){"training", "held out"}, values, NULL, &table);
    chart.label = "Lines: accuracy over epochs";
    chart.y_name = "accuracy";
    chart.share = true;
    add_curves(p, t, chart, "figure-accuracy", "Accuracy", (number_of *const[]){held_out_accuracy_of, test_accuracy_of},
               (const char *const[]){"held out", "test"}, values, "epochs", NULL);
done:
    free(x);
    free(values);
}

static void write_head(const gbv_training *t, char *headline, size_t size, char *subject, size_t subject_size,
                       char *lead, size_t lead_size)
{
    char number[PLAIN_TEXT], rows[PLAIN_TEXT];
    const gbv_training_epoch *kept = t->epoch_count ? &t->epochs[kept_epoch(t)] : NULL;
    *lead = '\0';
    if (t->rows)
        snprintf(subject, subject_size, "%s on %s rows", t->model ? t->model : "a model", plain_count(t->rows, rows));
    else
        snprintf(subject, subject_size, "%s", t->model ? t->model : "");
    if (kept)
        snprintf(lead, lead_size, "%zu of %zu epochs were trained, and epoch %zu is kept.",
                 t->epochs[t->epoch_count - 1].epoch, t->epochs[t->epoch_count - 1].epochs, kept->epoch);
    if (t->test)
        evaluation_headline(t->test, headline, size);
    else if (kept && isfinite(kept->test_accuracy))
        snprintf(headline, size, "The model is right on %s of the test rows.",
                 plain_share(kept->test_accuracy, number));
    else if (kept && isfinite(kept->held_out_accuracy))
        snprintf(headline, size, "The model is right on %s of the rows that were held out.",
                 plain_share(kept->held_out_accuracy, number));
    else if (kept)
        snprintf(headline, size, "The training loss came to %s.", plain_number(kept->loss, number));
    else
        snprintf(headline, size, "The model was fitted to the minimum of its loss.");
}

gbv_status gbv_training_page(const gbv_training *training, const gbv_page_options *options, const char *path,
                             gbv_error *error)
{
    char headline[300], subject[200], lead[200];
    write_head(training, headline, sizeof headline, subject, sizeof subject, lead, sizeof lead);
    page *p = page_open(&(page_head){.title = "gbv: how the training went",
                                     .kind = "Training",
                                     .subject = subject,
                                     .headline = headline,
                                     .lead = lead});
    if (training->epoch_count)
        add_epochs(p, training);
    if (training->test)
        evaluation_sections(p, training->test);
    page_add_command(p, options);
    return page_close(p, path, error);
}
