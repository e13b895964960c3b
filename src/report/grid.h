/* grid.h - a table of texts whose columns are as wide as what stands in them, laid out for a terminal or a file.
 *
 *     static const grid_column columns[] = {{.head = "source", .least = 8},
 *                                           {.head = "rows", .gap = 2, .right = true, .leaves = 1},
 *                                           {.head = "weight", .gap = 2, .right = true}};
 *     grid g = grid_open(columns, 3, terminal);
 *     grid_row(&g);
 *     grid_cell(&g, GBV_STYLE_PLAIN, "%s", name);
 *     grid_cell(&g, GBV_STYLE_PLAIN, "%zu", rows);
 *     ...
 *     bool whole = grid_print(&g, stream);   false when memory is out
 *
 * In a terminal that is too narrow, names are shortened to a comfortable length, then columns are left out in the order
 * that they say, then names are shortened as far as they may be. What stands behind a row goes below it. */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include <gbv/report.h>

typedef struct grid_column {
    const char *head;
    size_t gap;    /* blanks before it */
    size_t usual;  /* columns that it takes in a file at least, so that tables of a kind look alike */
    size_t most;   /* longer texts are shortened, everywhere; 0: no limit */
    bool right;    /* aligned */
    size_t least;  /* its texts may be shortened to so many columns; 0: not at all */
    size_t leaves; /* the lower, the earlier it is left out of a narrow terminal; 0: never */
} grid_column;

typedef struct grid {
    const grid_column *columns;
    size_t column_count;
    const gbv_terminal *terminal; /* NULL: a file */
    size_t indent;
    const char *behind_head; /* above what stands behind the rows; NULL: nothing */
    bool folds; /* columns after the first that do not fit are shown below, in as many pieces as it takes */
    struct grid_line *lines;
    size_t line_count, line_capacity;
    bool failed; /* memory is out */
} grid;

grid grid_open(const grid_column *columns, size_t column_count, const gbv_terminal *terminal);
/* Begins a row; cells that are not given stay empty. */
void grid_row(grid *g);
/* The next cell of the row. */
void grid_cell(grid *g, gbv_style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A cell with a number; - for one that is not finite. */
void grid_number(grid *g, const char *format, double value) __attribute__((format(printf, 2, 0)));
/* A cell with a bar of at most `cells` columns for a share in [0, 1], in eighths of one where there are characters for
 * that, so that small shares are still told apart. */
void grid_bar(grid *g, double share, size_t cells);
/* Adds to what stands behind the row. */
void grid_behind(grid *g, gbv_style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A line without columns. */
void grid_note(grid *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the head and the rows and frees the grid; false when memory was out. */
bool grid_print(grid *g, FILE *stream);

#endif
