/* evaluation_page.c - the page of an evaluation: accuracy, by class, and what is taken for what. */
#include <gbv/report.h>

#include <math.h>

#include "report/evaluation.h"
#include "report/html/confusion.h"
#include "report/html/evaluation_sections.h"
#include "report/plain.h"
#include "report/svg/bars.h"

static void fill_class(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_evaluation *e = context;
    class_summary s = evaluation_summarise(e, row);
    if (column == 0)
        cell->text = e->class_names[row];
    else if (column == 1)
        cell->value = (double)s.rows;
    else if (column == 2)
        cell->value = s.recall;
    else if (column == 3)
        cell->value = s.precision;
    else
        cell->text = s.confused_with < e->class_count ? e->class_names[s.confused_with] : NULL;
}

/* Wilson's interval of a share at 90 %. */
static void share_interval(size_t hits, size_t rows, double *low, double *high)
{
    double z = 1.645, n = (double)rows, share = rows ? (double)hits / n : NAN, middle = share + z * z / (2 * n);
    double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)), scale = 1 + z * z / n;
    *low = (middle - half) / scale;
    *high = (middle + half) / scale;
}

void evaluation_sections(page *p, const gbv_evaluation *e)
{
    static const page_column columns[] = {
        {.name = "Class"},
        {.name = "Rows", .kind = PAGE_COUNT},
        {.name = "Recall", .kind = PAGE_SHARE, .help = "of its rows, those that the model gives this class"},
        {.name = "Precision",
         .kind = PAGE_PERCENT,
         .help = "of the rows that the model gives this class, those that are"},
        {.name = "Mostly confused with"}};
    bar bars[PAGE_FIGURE_ROWS];
    size_t count = e->class_count < PAGE_FIGURE_ROWS ? e->class_count : PAGE_FIGURE_ROWS;
    char rows[PAGE_FIGURE_ROWS][PLAIN_TEXT];
    for (size_t c = 0; c < count; c++) {
        class_summary s = evaluation_summarise(e, c);
        bars[c] = (bar){.label = e->class_names[c], .value = s.recall, .note = plain_count(s.rows, rows[c])};
        share_interval(s.correct, s.rows, &bars[c].low, &bars[c].high);
    }
    page_section(p, "classes", "By class", "The share of each class's rows that the model gets right.");
    page_figure(p, &(page_chart){.id = "figure-classes",
                                 .draw = bars_draw,
                                 .chart = &(bars_chart){.label = "Bars: recall of each class",
                                                        .axis = "rows of the class that are right",
                                                        .bars = bars,
                                                        .count = count,
                                                        .share = true,
                                                        .note_name = "rows",
                                                        .mark = e->accuracy,
                                                        .mark_name = "all classes"},
                                 .caption = "Lines are intervals at 90 % over test rows.",
                                 .table_id = "class-table"});
    if (count < e->class_count)
        page_note(p, "The first %zu of %zu classes; the table has all of them.", count, e->class_count);
    page_table_add(p, &(page_table){.id = "class-table",
                                    .caption = "Every class",
                                    .columns = columns,
                                    .column_count = 5,
                                    .row_count = e->class_count,
                                    .cell = fill_class,
                                    .context = e});
    page_section(
        p, "confusion", "Confusion",
        "Test rows by their class and by the class that the model gives them. The tint is the share of the row; "
        "outlined cells are right.");
    page_confusions(p, &(confusions){.select = "Model",
                                     .names = (const char *const[]){"the model"},
                                     .matrices = (const size_t *const[]){e->confusion},
                                     .count = 1,
                                     .classes = (const char *const *)e->class_names,
                                     .class_count = e->class_count,
                                     .columns = e->class_count,
                                     .row_axis = "test set",
                                     .column_axis = "model"});
}

void evaluation_headline(const gbv_evaluation *e, char *text, size_t size)
{
    char accuracy[PLAIN_TEXT], low[PLAIN_TEXT], high[PLAIN_TEXT], rows[PLAIN_TEXT];
    double ends[2];
    share_interval((size_t)llround(e->accuracy * (double)e->rows), e->rows, &ends[0], &ends[1]);
    snprintf(text, size, "The model is right on %s of %s test rows (90 %%: %s to %s).",
             plain_share(e->accuracy, accuracy), plain_count(e->rows, rows), plain_share(ends[0], low),
             plain_share(ends[1], high));
}

void page_add_command(page *p, const gbv_page_options *options)
{
    if (!options || !options->command || !*options->command)
        return;
    page_section(p, "record", "Where this comes from", NULL);
    page_code(p, options->command);
}

gbv_status gbv_evaluation_page(const gbv_evaluation *evaluation, const gbv_page_options *options, const char *path,
                               gbv_error *error)
{
    char headline[300], lead[200], number[PLAIN_TEXT];
    evaluation_headline(evaluation, headline, sizeof headline);
    snprintf(lead, sizeof lead, "The mean log-likelihood of the true class is %s.",
             plain_number(evaluation->mean_log_likelihood, number));
    page *p = page_open(
        &(page_head){.title = "gbv: how good the model is", .kind = "Evaluation", .headline = headline, .lead = lead});
    evaluation_sections(p, evaluation);
    page_add_command(p, options);
    return page_close(p, path, error);
}
