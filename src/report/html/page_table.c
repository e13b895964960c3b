/* page_table.c - tables of a page: the first rows as HTML, all of them as data for the script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/markup.h"
#include "base/memory.h"
#include "report/html/body.h"
#include "report/plain.h"

enum { WRITTEN_OUT = 50 };

static const char *const kind_words[] = {"text", "code", "number", "count", "percent", "share", "badge"};

static void get_cell(const page_table *t, size_t row, size_t column, page_cell *cell)
{
    cell->text = cell->detail = NULL;
    cell->value = cell->low = cell->high = NAN;
    cell->scratch[0] = '\0';
    t->cell(t->context, row, column, cell);
}

/* What the bars of a column are drawn against. */
static double largest_of(const page_table *t, size_t column)
{
    page_cell cell;
    double largest = 0;
    if (t->columns[column].kind != PAGE_SHARE)
        return 0;
    for (size_t i = 0; i < t->row_count; i++) {
        get_cell(t, i, column, &cell);
        largest = isfinite(cell.value) ? fmax(largest, cell.value) : largest;
        largest = isfinite(cell.high) ? fmax(largest, cell.high) : largest;
    }
    return fmin(largest, 1e300);
}

static void write_title(FILE *body, const page_column *c, const page_cell *cell)
{
    char value[32], low[32], high[32];
    if (isnan(cell->value) || c->kind == PAGE_BADGE)
        return;
    fprintf(body, " title=\"%s", page_full_number(cell->value, value));
    if (c->interval && !isnan(cell->low) && !isnan(cell->high))
        fprintf(body, " (%s to %s)", page_full_number(cell->low, low), page_full_number(cell->high, high));
    fputc('"', body);
}

static const char *plain_text(page_kind kind, double value, char text[PLAIN_TEXT])
{
    if (kind == PAGE_COUNT && value >= 0 && value < 1e15)
        return plain_count((size_t)value, text);
    return plain_value(kind == PAGE_SHARE || kind == PAGE_PERCENT, value, text);
}

static void write_interval(FILE *body, const page_column *c, const page_cell *cell)
{
    char low[PLAIN_TEXT], high[PLAIN_TEXT];
    if (!c->interval || isnan(cell->low) || isnan(cell->high) ||
        (cell->low == cell->value && cell->high == cell->value))
        return;
    fputs(" <small>", body);
    markup_write(body, plain_text(c->kind, cell->low, low)); /* "<0.001" is one */
    fputs(" to ", body);
    markup_write(body, plain_text(c->kind, cell->high, high));
    fputs("</small>", body);
}

static void write_share(FILE *body, const page_cell *cell, double largest)
{
    char text[PLAIN_TEXT];
    if (isfinite(cell->value)) {
        double scale = largest > 0 ? 100 / largest : 0;
        fprintf(body,
                "<svg class=\"spark\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                "<rect class=\"bar\" width=\"%.2f\" height=\"10\"/>",
                fmax(0, cell->value) * scale);
        if (isfinite(cell->low) && isfinite(cell->high))
            fprintf(body, "<path class=\"interval\" d=\"M%.2f 5H%.2f\"/>", cell->low * scale, cell->high * scale);
        fputs("</svg>", body);
    }
    fputs("<span>", body);
    markup_write(body, plain_share(cell->value, text));
    fputs("</span>", body);
}

static void write_content(FILE *body, const page_column *c, const page_cell *cell, double largest)
{
    char text[PLAIN_TEXT];
    if (c->kind == PAGE_BADGE) {
        if (!isnan(cell->value) && cell->value >= 0 && cell->value < (double)c->badge_count) {
            const page_badge *badge = &c->badges[(size_t)cell->value];
            fprintf(body, "<span class=\"badge %s\">", page_tone_words[badge->tone]);
            markup_write(body, badge->word);
            fputs("</span>", body);
        }
    } else if (c->kind == PAGE_TEXT || c->kind == PAGE_CODE || (isnan(cell->value) && cell->text))
        markup_write(body, cell->text);
    else if (c->kind == PAGE_SHARE)
        write_share(body, cell, largest);
    else
        markup_write(body, plain_text(c->kind, cell->value, text));
    write_interval(body, c, cell);
    if (c->detail && cell->detail) {
        fputs(" <span class=\"detail\">", body);
        if (c->detail_name) {
            fputs("<i>", body);
            markup_write(body, c->detail_name);
            fputs(":</i> ", body);
        }
        markup_write(body, cell->detail);
        fputs("</span>", body);
    }
}

static void write_row(FILE *body, const page_table *t, size_t row, const double *largest)
{
    page_cell cell;
    fputs("<tr>", body);
    for (size_t k = 0; k < t->column_count; k++) {
        const page_column *c = &t->columns[k];
        get_cell(t, row, k, &cell);
        fprintf(body, "<%s class=\"%s\"", k ? "td" : "th scope=\"row\"", kind_words[c->kind]);
        page_attribute(body, "data-name", c->name);
        write_title(body, c, &cell);
        fputc('>', body);
        write_content(body, c, &cell, largest[k]);
        fputs(k ? "</td>" : "</th>", body);
    }
    fputs("</tr>\n", body);
}

static void data_number(json_writer *json, double value, const char *otherwise)
{
    if (isfinite(value))
        json_number(json, NULL, value);
    else
        json_text(json, NULL, isinf(value) ? (value < 0 ? "-inf" : "inf") : otherwise);
}

static void data_cell(json_writer *json, const page_column *c, const page_cell *cell)
{
    if (c->kind == PAGE_TEXT || c->kind == PAGE_CODE)
        json_text(json, NULL, cell->text);
    else
        data_number(json, cell->value, cell->text);
    if (c->interval) {
        data_number(json, cell->low, NULL);
        data_number(json, cell->high, NULL);
    }
    if (c->detail)
        json_text(json, NULL, cell->detail);
}

static void data_column(json_writer *json, const page_column *c, double largest)
{
    json_begin_object(json, NULL);
    json_text(json, "name", c->name);
    json_text(json, "kind", kind_words[c->kind]);
    if (c->kind == PAGE_SHARE)
        json_number(json, "largest", largest);
    if (c->interval)
        json_bool(json, "interval", true);
    if (c->detail)
        json_text(json, "detail", c->detail_name ? c->detail_name : "");
    if (c->badge_count) {
        json_begin_array(json, "badges");
        for (size_t i = 0; i < c->badge_count; i++) {
            json_begin_array(json, NULL);
            json_text(json, NULL, c->badges[i].word);
            json_text(json, NULL, page_tone_words[c->badges[i].tone]);
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

static void write_data(FILE *body, const page_table *t, const double *largest)
{
    page_cell cell;
    json_writer json = json_open(body);
    json.compact = json.in_markup = true;
    fputs("<script type=\"application/json\">", body);
    json_begin_object(&json, NULL);
    json_text(&json, "caption", t->caption);
    json_begin_array(&json, "columns");
    for (size_t k = 0; k < t->column_count; k++)
        data_column(&json, &t->columns[k], largest[k]);
    json_end(&json);
    json_begin_array(&json, "rows");
    for (size_t i = 0; i < t->row_count; i++) {
        json_begin_array(&json, NULL);
        for (size_t k = 0; k < t->column_count; k++) {
            get_cell(t, i, k, &cell);
            data_cell(&json, &t->columns[k], &cell);
        }
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    fputs("</script>\n", body);
}

enum { COLUMNS = 64 };

void page_table_add(page *p, const page_table *t)
{
    FILE *body = page_body(p);
    double largest[COLUMNS];
    char rows[PLAIN_TEXT];
    if (!body || t->column_count > COLUMNS)
        return;
    for (size_t k = 0; k < t->column_count; k++)
        largest[k] = largest_of(t, k);
    bool is_long = t->row_count > WRITTEN_OUT;
    fprintf(body, "<div class=\"table%s%s\"", is_long ? " long" : "", t->cards ? " cards" : "");
    page_attribute(body, "id", t->id);
    fputs(">\n<div class=\"scroll\" role=\"region\" tabindex=\"0\"", body);
    page_attribute(body, "aria-label", t->caption);
    fprintf(body, "><table aria-rowcount=\"%zu\"><caption>", t->row_count + 1);
    markup_write(body, t->caption);
    fputs("</caption>\n<thead><tr>", body);
    for (size_t k = 0; k < t->column_count; k++) {
        fprintf(body, "<th scope=\"col\" class=\"%s\"", kind_words[t->columns[k].kind]);
        if (t->columns[k].help)
            page_attribute(body, "title", t->columns[k].help);
        fputc('>', body);
        markup_write(body, t->columns[k].name);
        fputs("</th>", body);
    }
    fputs("</tr></thead>\n<tbody>\n", body);
    for (size_t i = 0; i < t->row_count && i < WRITTEN_OUT; i++)
        write_row(body, t, i, largest);
    fputs("</tbody></table></div>\n", body);
    if (is_long)
        fprintf(body, "<p class=\"note first-rows\">The first %d of %s rows.</p>\n", WRITTEN_OUT,
                plain_count(t->row_count, rows));
    write_data(body, t, largest);
    fputs("</div>\n", body);
}

static void fill_setting(const void *context, size_t row, size_t column, page_cell *cell)
{
    const page_setting *settings = context;
    cell->text = column ? settings[row].value : settings[row].name;
}

void page_settings(page *p, const page_setting *settings, size_t count)
{
    static const page_column columns[] = {{.name = "Setting"}, {.name = "Value", .kind = PAGE_CODE}};
    page_setting *said = memory_array(count, sizeof *said);
    size_t rows = 0;
    if (!said) {
        page_fail(p);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (settings[i].value && *settings[i].value)
            said[rows++] = settings[i];
    page_table_add(p, &(page_table){.id = "settings",
                                    .caption = "Options",
                                    .columns = columns,
                                    .column_count = 2,
                                    .row_count = rows,
                                    .cell = fill_setting,
                                    .context = said});
    free(said);
}
