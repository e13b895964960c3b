#include "report/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/cells.h"

enum { COMFORTABLE = 20, BEHIND_GAP = 2, BELOW_INDENT = 4 };

typedef struct cell {
    char *text; /* NULL: empty */
    gbv_style style;
} cell;

typedef struct grid_line {
    cell *cells; /* of the columns; NULL: `behind` is a line of its own */
    size_t filled;
    cell behind;
} grid_line;

grid grid_open(const grid_column *columns, size_t column_count, const gbv_terminal *terminal)
{
    return (grid){.columns = columns, .column_count = column_count, .terminal = terminal};
}

static bool is_ascii(const grid *g)
{
    return g->terminal && g->terminal->ascii;
}

static size_t width_of(const grid *g)
{
    return g->terminal ? g->terminal->width : 0;
}

static grid_line *add_line(grid *g)
{
    if (!memory_grow(&g->lines, &g->line_capacity, g->line_count + 1, sizeof *g->lines)) {
        g->failed = true;
        return NULL;
    }
    g->lines[g->line_count] = (grid_line){0};
    return &g->lines[g->line_count++];
}

/* What is shown of a formatted text; NULL when memory is out. */
static char *make_text(grid *g, const char *format, va_list arguments)
{
    char *text, *shown = NULL;
    if (vasprintf(&text, format, arguments) >= 0) {
        shown = cells_shown(text, is_ascii(g));
        free(text);
    }
    g->failed |= !shown;
    return shown;
}

void grid_row(grid *g)
{
    grid_line *line = add_line(g);
    if (line && !(line->cells = memory_zeroed(g->column_count, sizeof *line->cells)))
        g->failed = true;
}

static void add_cell(grid *g, gbv_style style, char *text)
{
    grid_line *line = g->failed || !g->line_count ? NULL : &g->lines[g->line_count - 1];
    size_t most = line && line->filled < g->column_count ? g->columns[line->filled].most : 0;
    if (line && text && most) {
        char *shortened = cells_shortened(text, most, is_ascii(g));
        g->failed |= !shortened;
        free(text);
        text = shortened;
    }
    if (line && line->filled < g->column_count)
        line->cells[line->filled++] = (cell){text, style};
    else
        free(text);
}

void grid_cell(grid *g, gbv_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cell(g, style, make_text(g, format, arguments));
    va_end(arguments);
}

void grid_number(grid *g, const char *format, double value)
{
    char text[64] = "-";
    if (isfinite(value))
        snprintf(text, sizeof text, format, value);
    grid_cell(g, GBV_STYLE_PLAIN, "%s", text);
}

void grid_bar(grid *g, double share, size_t cells)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t parts = is_ascii(g) ? 1 : 8, length = (size_t)lround(fmin(fmax(share, 0), 1) * (double)(cells * parts));
    char *bar = malloc(3 * cells + 4), *to = bar; /* a block takes three bytes */
    g->failed |= !bar;
    for (size_t i = 0; bar && i < length / parts; i++)
        to = stpcpy(to, is_ascii(g) ? "#" : "█");
    if (bar)
        stpcpy(to, eighths[length % parts]);
    add_cell(g, GBV_STYLE_ACCENT, bar);
}

void grid_behind(grid *g, gbv_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = make_text(g, format, arguments), *joined = NULL;
    va_end(arguments);
    cell *behind = g->failed || !g->line_count ? NULL : &g->lines[g->line_count - 1].behind;
    if (behind && behind->text) {
        g->failed |= asprintf(&joined, "%s%s", behind->text, text) < 0;
        free(behind->text);
        behind->text = g->failed ? NULL : joined;
        free(text);
    } else if (behind)
        *behind = (cell){text, style};
    else
        free(text);
}

void grid_note(grid *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = make_text(g, format, arguments);
    va_end(arguments);
    grid_line *line = text ? add_line(g) : NULL;
    if (line)
        line->behind = (cell){text, GBV_STYLE_DIM};
    else
        free(text);
}

/* Which columns are shown, how wide. */
typedef struct layout {
    size_t *widths;
    bool *shown;
    grid_line head;
    bool below; /* what stands behind rows does not fit there */
} layout;

/* Blanks before a column: none before the first that is shown. */
static size_t gap_of(const grid *g, const layout *l, size_t column)
{
    for (size_t c = 0; c < column; c++)
        if (l->shown[c])
            return g->columns[column].gap;
    return 0;
}

static size_t line_width(const grid *g, const layout *l)
{
    size_t width = g->indent;
    for (size_t c = 0; c < g->column_count; c++)
        if (l->shown[c])
            width += gap_of(g, l, c) + l->widths[c];
    return width;
}

static bool make_head(const grid *g, layout *l)
{
    bool made = (l->head.cells = memory_zeroed(g->column_count, sizeof *l->head.cells));
    for (size_t c = 0; c < g->column_count && made; c++) {
        char *shown = cells_shown(g->columns[c].head, is_ascii(g));
        size_t most = g->columns[c].most ? g->columns[c].most : SIZE_MAX;
        made = shown && (l->head.cells[c].text = cells_shortened(shown, most, is_ascii(g)));
        l->head.cells[c].style = GBV_STYLE_BOLD;
        l->head.filled++;
        free(shown);
    }
    if (made && g->behind_head)
        l->head.behind = (cell){strdup(g->behind_head), GBV_STYLE_BOLD};
    return made && (!g->behind_head || l->head.behind.text);
}

static void measure(const grid *g, layout *l)
{
    for (size_t c = 0; c < g->column_count; c++) {
        const grid_column *column = &g->columns[c];
        size_t width = width_of(g) ? 0 : column->usual, head = cells_of(l->head.cells[c].text);
        width = head > width ? head : width;
        for (size_t i = 0; i < g->line_count; i++) {
            const cell *text = g->lines[i].cells ? &g->lines[i].cells[c] : NULL;
            size_t cells = text && text->text ? cells_of(text->text) : 0;
            width = cells > width ? cells : width;
        }
        l->widths[c] = width;
    }
}

/* Shortens the widest column that may be, one by one, but none below `floor`. */
static void shorten(const grid *g, layout *l, size_t floor)
{
    while (line_width(g, l) > width_of(g)) {
        size_t widest = g->column_count;
        for (size_t c = 0; c < g->column_count; c++) {
            size_t least = g->columns[c].least;
            if (l->shown[c] && least && l->widths[c] > (floor > least ? floor : least) &&
                (widest == g->column_count || l->widths[c] > l->widths[widest]))
                widest = c;
        }
        if (widest == g->column_count)
            return;
        l->widths[widest]--;
    }
}

static void leave_out(const grid *g, layout *l)
{
    while (line_width(g, l) > width_of(g)) {
        size_t first = g->column_count;
        for (size_t c = 0; c < g->column_count; c++)
            if (l->shown[c] && g->columns[c].leaves &&
                (first == g->column_count || g->columns[c].leaves < g->columns[first].leaves))
                first = c;
        if (first == g->column_count)
            return;
        l->shown[first] = false;
    }
}

static void lay_out(const grid *g, layout *l)
{
    size_t behind = g->behind_head ? cells_of(g->behind_head) : 0;
    if (!width_of(g))
        return;
    shorten(g, l, COMFORTABLE);
    leave_out(g, l);
    if (!g->folds) {
        measure(g, l); /* names take what room the columns left */
        shorten(g, l, 0);
    }
    for (size_t i = 0; i < g->line_count; i++)
        if (g->lines[i].cells && g->lines[i].filled == g->column_count && g->lines[i].behind.text) {
            size_t cells = cells_of(g->lines[i].behind.text);
            behind = cells > behind ? cells : behind;
        }
    l->below = behind && line_width(g, l) + BEHIND_GAP + behind > width_of(g);
}

static void print_cell(const grid *g, FILE *stream, const layout *l, size_t c, const cell *what, bool last)
{
    size_t width = l->widths[c];
    size_t cells = what->text ? cells_of(what->text) : 0;
    char *shortened = cells > width ? cells_shortened(what->text, width, is_ascii(g)) : NULL;
    const char *text = shortened ? shortened : what->text ? what->text : "";
    cells = shortened ? cells_of(shortened) : cells;
    print_blanks(stream, gap_of(g, l, c) + (g->columns[c].right && cells < width ? width - cells : 0));
    print_styled(stream, g->terminal, what->style, text);
    if (!g->columns[c].right && !last && cells < width)
        print_blanks(stream, width - cells);
    free(shortened);
}

/* The cells of a line, and how many columns they took; blanks at its end are left out. */
static size_t print_cells(const grid *g, FILE *stream, const layout *l, const grid_line *line, bool goes_on)
{
    size_t used = g->indent, count = line->filled;
    while (!goes_on && count && !(l->shown[count - 1] && line->cells[count - 1].text && *line->cells[count - 1].text))
        count--;
    print_blanks(stream, g->indent);
    for (size_t c = 0; c < count; c++)
        if (l->shown[c]) {
            print_cell(g, stream, l, c, &line->cells[c], c + 1 == count && !goes_on);
            used += gap_of(g, l, c) + l->widths[c];
        }
    return used;
}

static void print_below(const grid *g, FILE *stream, const cell *text)
{
    gbv_terminal_line(stream, g->terminal, text->style, "", g->indent + BELOW_INDENT, text->text);
}

static void print_line(const grid *g, FILE *stream, const layout *l, const grid_line *line)
{
    const cell *behind = &line->behind;
    size_t width = width_of(g);
    if (!line->cells) {
        if (width)
            print_below(g, stream, behind);
        else
            fprintf(stream, "%s\n", behind->text);
        return;
    }
    bool whole = line->filled == g->column_count;
    size_t used = print_cells(g, stream, l, line, behind->text && !(whole && l->below));
    bool here = behind->text && (!width || (whole ? !l->below : used + BEHIND_GAP + cells_of(behind->text) <= width));
    if (here) {
        print_blanks(stream, BEHIND_GAP);
        print_styled(stream, g->terminal, behind->style, behind->text);
    }
    fputc('\n', stream);
    if (behind->text && !here)
        print_below(g, stream, behind);
}

static void print_piece(const grid *g, FILE *stream, const layout *l)
{
    grid_line head = l->head;
    if (l->below)
        head.behind = (cell){0};
    print_line(g, stream, l, &head);
    for (size_t i = 0; i < g->line_count; i++)
        print_line(g, stream, l, &g->lines[i]);
}

/* The first column, and of the others as many as fit, at least one; the rest in pieces below. */
static void print_pieces(const grid *g, FILE *stream, layout *l)
{
    for (size_t next = 1; next < g->column_count;) {
        size_t first = next;
        for (size_t c = 1; c < g->column_count; c++)
            l->shown[c] = c == first;
        shorten(g, l, 0);
        while (++next < g->column_count && line_width(g, l) + g->columns[next].gap + l->widths[next] <= width_of(g))
            l->shown[next] = true;
        if (first > 1)
            fputc('\n', stream);
        print_piece(g, stream, l);
    }
}

static void free_line(grid_line *line)
{
    for (size_t c = 0; c < line->filled; c++)
        free(line->cells[c].text);
    free(line->cells);
    free(line->behind.text);
}

bool grid_print(grid *g, FILE *stream)
{
    layout l = {.widths = memory_zeroed(g->column_count, sizeof *l.widths),
                .shown = memory_zeroed(g->column_count, sizeof *l.shown)};
    bool printed = !g->failed && l.widths && l.shown && make_head(g, &l);
    if (printed) {
        for (size_t c = 0; c < g->column_count; c++)
            l.shown[c] = true;
        measure(g, &l);
        lay_out(g, &l);
        if (g->folds && width_of(g) && line_width(g, &l) > width_of(g))
            print_pieces(g, stream, &l);
        else
            print_piece(g, stream, &l);
    }
    free(l.widths);
    free(l.shown);
    free_line(&l.head);
    for (size_t i = 0; i < g->line_count; i++)
        free_line(&g->lines[i]);
    free(g->lines);
    *g = grid_open(g->columns, g->column_count, g->terminal);
    return printed;
}
