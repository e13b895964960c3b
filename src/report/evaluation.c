/* evaluation.c - how a model did on a test set, in each of the formats. */
#include "report/evaluation.h"

#include <math.h>

#include "base/csv_text.h"
#include "base/json.h"
#include "base/number.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/print.h"

class_summary evaluation_summarise(const gbv_evaluation *e, size_t class_index)
{
    class_summary s = {.correct = e->confusion[class_index * e->class_count + class_index],
                       .confused_with = e->class_count};
    size_t most = 0;
    for (size_t j = 0; j < e->class_count; j++) {
        size_t said = e->confusion[class_index * e->class_count + j];
        s.rows += said;
        s.predicted += e->confusion[j * e->class_count + class_index];
        if (j != class_index && said > most) {
            most = said;
            s.confused_with = j;
        }
    }
    s.recall = s.rows ? (double)s.correct / (double)s.rows : NAN;
    s.precision = s.predicted ? (double)s.correct / (double)s.predicted : NAN;
    return s;
}

void evaluation_print_json(const gbv_evaluation *e, FILE *stream)
{
    json_writer json = json_open(stream);
    json_begin_object(&json, NULL);
    json_text(&json, "gbv", gbv_version());
    json_text(&json, "command", "evaluate");
    json_count(&json, "rows", e->rows);
    json_number(&json, "accuracy", e->accuracy);
    json_number(&json, "mean_log_likelihood", e->mean_log_likelihood);
    json_begin_array(&json, "classes");
    for (size_t c = 0; c < e->class_count; c++) {
        class_summary s = evaluation_summarise(e, c);
        json_begin_object(&json, NULL);
        json_text(&json, "name", e->class_names[c]);
        json_count(&json, "rows", s.rows);
        json_number(&json, "recall", s.recall);
        json_number(&json, "precision", s.precision);
        json_begin_array(&json, "predicted_as");
        for (size_t j = 0; j < e->class_count; j++)
            json_count(&json, NULL, e->confusion[c * e->class_count + j]);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void print_share(FILE *stream, double share)
{
    char text[NUMBER_TEXT];
    fprintf(stream, ",%s", isfinite(share) ? number_format(share, text) : "");
}

void evaluation_print_csv(const gbv_evaluation *e, FILE *stream)
{
    fputs("class,rows,recall,precision", stream);
    for (size_t j = 0; j < e->class_count; j++) {
        fputc(',', stream);
        csv_text_write_after(stream, "as ", e->class_names[j]);
    }
    fputc('\n', stream);
    for (size_t c = 0; c < e->class_count; c++) {
        class_summary s = evaluation_summarise(e, c);
        csv_text_write(stream, e->class_names[c]);
        fprintf(stream, ",%zu", s.rows);
        print_share(stream, s.recall);
        print_share(stream, s.precision);
        for (size_t j = 0; j < e->class_count; j++)
            fprintf(stream, ",%zu", e->confusion[c * e->class_count + j]);
        fputc('\n', stream);
    }
}

/* A narrow terminal loses precision, then rows; what a class is confused with goes below it. */
bool evaluation_print_table(const gbv_evaluation *e, FILE *stream, const gbv_terminal *terminal)
{
    static const grid_column columns[] = {
        {.head = "rows", .usual = 8, .right = true, .leaves = 2},
        {.head = "recall", .gap = 2, .usual = 7, .right = true},
        {.head = "precision", .gap = 2, .usual = 9, .right = true, .leaves = 1},
        {.head = "class", .gap = 2, .usual = 5, .least = 8},
    };
    print_sentence(stream, terminal, GBV_STYLE_PLAIN, "", "accuracy %.4f on %zu rows, mean log-likelihood %.4f",
                   e->accuracy, e->rows, e->mean_log_likelihood);
    fputc('\n', stream);
    grid g = grid_open(columns, sizeof columns / sizeof *columns, terminal);
    g.behind_head = "(most often confused with)";
    for (size_t c = 0; c < e->class_count; c++) {
        class_summary s = evaluation_summarise(e, c);
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%zu", s.rows);
        grid_number(&g, "%.4f", s.recall);
        grid_number(&g, "%.4f", s.precision);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", e->class_names[c]);
        if (s.confused_with < e->class_count)
            grid_behind(&g, GBV_STYLE_DIM, "(%s)", e->class_names[s.confused_with]);
    }
    return grid_print(&g, stream);
}
