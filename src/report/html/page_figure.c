/* page_figure.c - figures of a page, each at two widths and with its numbers. */
#include <stdlib.h>

#include "base/json.h"
#include "base/markup.h"
#include "base/memory.h"
#include "report/html/body.h"
#include "report/svg/heatmap.h"

static const double WIDE = 720, NARROW = 330;

static void open_figure(FILE *body, const char *id, const char *title, const char *class)
{
    fputs("<figure", body);
    if (id)
        page_attribute(body, "id", id);
    if (class)
        page_attribute(body, "class", class);
    fputs(">\n", body);
    if (title) {
        fputs("<h3>", body);
        markup_write(body, title);
        fputs("</h3>\n", body);
    }
}

/* How to read the figure; where its numbers are when they are not under it; and room for the script's download. */
static void write_caption(FILE *body, const char *caption, const page_table *table, const char *table_id)
{
    const char *id = table ? table->id : table_id;
    if (!caption && !id)
        return;
    fputs("<figcaption>", body);
    if (caption) {
        fputs("<p>", body);
        markup_write(body, caption);
        fputs("</p>\n", body);
    }
    if (id) {
        fputs("<p class=\"data\"", body);
        page_attribute(body, "data-table", id);
        fputs(">", body);
        if (!table) {
            fputs("<a href=\"#", body);
            markup_write(body, id);
            fputs("\">Numbers of this figure</a>", body);
        }
        fputs("</p>", body);
    }
    fputs("</figcaption>\n", body);
}

void page_figure(page *p, const page_chart *c)
{
    FILE *body = page_body(p);
    if (!body)
        return;
    open_figure(body, c->id, c->title, NULL);
    if (c->one_width) {
        fputs("<div>", body);
        c->draw(body, &(svg_form){.width = NARROW}, c->chart);
        fputs("</div>\n", body);
    } else {
        fputs("<div class=\"wide\">", body);
        c->draw(body, &(svg_form){.width = WIDE}, c->chart);
        fputs("</div><div class=\"narrow\">", body);
        c->draw(body, &(svg_form){.width = NARROW}, c->chart);
        fputs("</div>\n", body);
    }
    write_caption(body, c->caption, c->table, c->table_id);
    if (c->table) {
        page_details_begin(p, "Numbers of this figure");
        page_table_add(p, c->table);
        page_details_end(p);
    }
    fputs("</figure>\n", body);
}

static void write_matrix_data(FILE *body, const page_matrices *m)
{
    json_writer json = json_open(body);
    json.compact = json.in_markup = true;
    fputs("<script type=\"application/json\">", body);
    json_begin_object(&json, NULL);
    json_text(&json, "caption", m->title);
    json_text(&json, "select", m->select);
    json_text(&json, "row", m->row_axis);
    json_text(&json, "column", m->column_axis);
    const struct {
        const char *key;
        const char *const *items;
        size_t count;
    } lists[] = {
        {"names", m->names, m->count}, {"rows", m->row_names, m->rows}, {"columns", m->column_names, m->columns}};
    for (size_t k = 0; k < 3; k++) {
        json_begin_array(&json, lists[k].key);
        for (size_t i = 0; i < lists[k].count; i++)
            json_text(&json, NULL, lists[k].items[i]);
        json_end(&json);
    }
    json_begin_array(&json, "counts");
    for (size_t i = 0; i < m->count; i++) {
        json_begin_array(&json, NULL);
        for (size_t k = 0; m->counts[i] && k < m->rows * m->columns; k++)
            json_count(&json, NULL, m->counts[i][k]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    fputs("</script>\n", body);
}

static void write_matrix_table(FILE *body, const page_matrices *m, const size_t *counts)
{
    fputs("<details><summary>Numbers of this figure</summary><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"Numbers of this figure\"><table class=\"matrix\"><thead><tr><th scope=\"col\">",
          body);
    markup_write(body, m->row_axis);
    fputs("</th>", body);
    for (size_t k = 0; k < m->columns; k++) {
        fputs("<th scope=\"col\">", body);
        markup_write(body, m->column_names[k]);
        fputs("</th>", body);
    }
    fputs("</tr></thead><tbody>\n", body);
    for (size_t i = 0; i < m->rows; i++) {
        fputs("<tr><th scope=\"row\">", body);
        markup_write(body, m->row_names[i]);
        fputs("</th>", body);
        for (size_t k = 0; k < m->columns; k++)
            fprintf(body, "<td class=\"number\">%zu</td>", counts[i * m->columns + k]);
        fputs("</tr>\n", body);
    }
    fputs("</tbody></table></div></details>\n", body);
}

/* Counts, and how large a share of its row each is. */
static void fill_matrix(const page_matrices *m, const size_t *counts, double *values, double *tints)
{
    for (size_t i = 0; i < m->rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < m->columns; k++)
            sum += (double)counts[i * m->columns + k];
        for (size_t k = 0; k < m->columns; k++) {
            values[i * m->columns + k] = (double)counts[i * m->columns + k];
            tints[i * m->columns + k] = sum > 0 ? values[i * m->columns + k] / sum : 0;
        }
    }
}

void page_matrices_add(page *p, const page_matrices *m)
{
    FILE *body = page_body(p);
    size_t first = 0;
    while (first < m->count && !m->counts[first])
        first++;
    if (!body || first == m->count)
        return;
    double *values = memory_array(m->rows * m->columns, 2 * sizeof *values);
    if (!values) {
        p->failed = true;
        return;
    }
    double *tints = values + m->rows * m->columns;
    fill_matrix(m, m->counts[first], values, tints);
    heatmap_chart chart = {.label = m->title,
                           .row_axis = m->row_axis,
                           .column_axis = m->column_axis,
                           .row_names = m->row_names,
                           .column_names = m->column_names,
                           .rows = m->rows,
                           .columns = m->columns,
                           .values = values,
                           .tints = tints,
                           .diagonal = m->diagonal};
    open_figure(body, m->id, m->title, "matrices");
    fputs(m->count > 1 ? "<p class=\"choice\"><label>" : "<p class=\"choice\" hidden><label>", body);
    markup_write(body, m->select);
    fputs(" <select hidden></select> <b>", body);
    markup_write(body, m->names[first]);
    fputs("</b></label></p>\n<div class=\"wide\">", body);
    heatmap_draw(body, &(svg_form){.width = 620}, &chart);
    fputs("</div><div class=\"narrow\">", body);
    heatmap_draw(body, &(svg_form){.width = NARROW}, &chart);
    fputs("</div>\n", body);
    write_caption(body, m->caption, NULL, NULL);
    write_matrix_table(body, m, m->counts[first]);
    write_matrix_data(body, m);
    fputs("</figure>\n", body);
    free(values);
}
