/* page.h - an HTML page that needs nothing else: headings, paragraphs, tables and figures, one after the other. Whoever
 * has a new kind of result writes one file over this.
 *
 *     page *p = page_open(&(page_head){.title = "Five annotators", .kind = "valuation", .headline = "Buy from anna."});
 *     page_section(p, "weights", "Weights", "What each source should count in training.");
 *     page_figure(p, &(page_chart){.title = "Weights", .draw = bars_draw, .chart = &bars, .table = &table});
 *     status = page_close(p, "report.html", error);
 *
 * All text is escaped. A page is kept in memory until page_close; until then failures are remembered, and p may be
 * NULL. The same calls give the same bytes. Style and script are page.css and page.js, part of the library.
 */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/svg/figure.h"

typedef struct page page;

typedef struct page_head {
    const char *title;    /* of the window */
    const char *kind;     /* a few words above the headline: "Valuation", "Ledger" */
    const char *subject;  /* what it is of, beside the kind: "leep of linear models on 1000 reference rows" */
    const char *headline; /* the one sentence */
    const char *lead;     /* what else must be known at once; NULL: nothing */
} page_head;

page *page_open(const page_head *head);

/* What follows belongs to this section, until the next. `id` is a word for links, once in a page; what comes before
 * the first section belongs to the first screen. `summary` NULL: none. */
void page_section(page *p, const char *id, const char *title, const char *summary);
void page_heading(page *p, const char *title); /* within a section */
void page_paragraph(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In smaller type, below a figure or table. */
void page_note(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A note that leads to a section, table or figure. */
void page_link(page *p, const char *id, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Something that must not be overlooked. */
void page_warning(page *p, const char *text);
void page_list(page *p, const char *const *items, size_t count);
void page_code(page *p, const char *text);
/* What is folded away until asked for: begin, anything, end. Print shows it open. */
void page_details_begin(page *p, const char *summary);
void page_details_end(page *p);

/* How a badge looks: a shape and a colour, beside its word. */
typedef enum page_tone { TONE_GOOD, TONE_FINE, TONE_ASK, TONE_BAD, TONE_OPEN } page_tone;

typedef struct page_badge {
    const char *word;
    page_tone tone;
} page_badge;

/* How often each badge occurs, as a strip: "1 buy, 3 keep". */
void page_tally(page *p, const page_badge *badges, const size_t *counts, size_t count);

typedef enum page_kind {
    PAGE_TEXT,    /* text, and under it `detail` */
    PAGE_CODE,    /* text in a fixed pitch, such as a hash */
    PAGE_NUMBER,  /* value, 3 significant digits; with `interval` also low and high */
    PAGE_COUNT,   /* a whole number, all digits */
    PAGE_PERCENT, /* value of 1 in percent */
    PAGE_SHARE,   /* the same with a bar, and the interval drawn on it where there is one */
    PAGE_BADGE,   /* value is the index of one of the column's badges; NaN: none */
} page_kind;

typedef struct page_column {
    const char *name;
    const char *help; /* what it means, as a tooltip of the heading; NULL: it goes without saying */
    page_kind kind;
    bool interval;           /* cells have low and high */
    bool detail;             /* cells have a detail, a column of its own in downloads */
    const char *detail_name; /* in downloads and before the detail; NULL: "detail", and nothing before it */
    const page_badge *badges;
    size_t badge_count;
} page_column;

typedef struct page_cell {
    const char *text;        /* of text and code; NULL: none. Of a number: what is written where value is NaN */
    const char *detail;      /* NULL: none */
    double value, low, high; /* NaN: none */
    char scratch[256];       /* room for text that is made up on the way */
} page_cell;

/* Fills a cell, which comes with NULL and NaN. Called more than once for each. */
typedef void page_cell_function(const void *context, size_t row, size_t column, page_cell *cell);

typedef struct page_table {
    const char *id;             /* a word for links and the name of downloads, once in a page */
    const char *caption;        /* what it shows, in a few words */
    const page_column *columns; /* the first names the row */
    size_t column_count, row_count;
    page_cell_function *cell;
    const void *context;
    bool cards; /* few rows with much text: on a narrow screen each is a block of its own */
} page_table;

/* Sortable, to be downloaded. Of more than 50 rows the first 50 are written out, and the others drawn as they are
 * scrolled to. */
void page_table_add(page *p, const page_table *table);

/* The table of what decides the numbers, name by name; of what is NULL or empty nothing is said. */
typedef struct page_setting {
    const char *name, *value;
} page_setting;
void page_settings(page *p, const page_setting *settings, size_t count);

enum { PAGE_FIGURE_ROWS = 40 }; /* that a figure of many sources shows: the best ones, and it says so */

typedef struct page_chart {
    const char *id;
    const char *title;
    const char *caption; /* how to read it; NULL: none */
    figure_draw *draw;
    const void *chart;
    const page_table *table; /* its numbers, folded away under it; NULL: */
    const char *table_id;    /* they are in this table of the page */
    bool one_width;          /* it is narrow enough for a telephone as it is */
} page_chart;

void page_figure(page *p, const page_chart *chart);

/* One matrix for each of several names, one shown at a time; all have the same rows and columns. */
typedef struct page_matrices {
    const char *id, *title, *caption;
    const char *select; /* what is chosen: "Source" */
    const char *const *names;
    size_t count;
    const char *row_axis, *column_axis;
    const char *const *row_names, *const *column_names;
    size_t rows, columns;
    const size_t *const *counts; /* count matrices of rows x columns; NULL: this one has none */
    bool diagonal;
} page_matrices;

void page_matrices_add(page *p, const page_matrices *matrices);

/* Memory was out for whoever builds the page: page_close will say so. */
void page_fail(page *p);

/* Writes the page as a file that appears whole or not at all (`path` NULL: standard output), and frees it in any case.
 * GBV_FAILED when memory ran out on the way or the file cannot be written. */
GBV_MUST_CHECK gbv_status page_close(page *p, const char *path, gbv_error *error);

#endif
