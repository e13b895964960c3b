/* cells.h - text in the columns of a screen: how many it takes, padded, shortened, with a style. */
#ifndef REPORT_CELLS_H
#define REPORT_CELLS_H

#include <gbv/report.h>

/* Columns on the screen: two for wide characters (CJK, emoji), none for marks that combine. */
size_t cells_of(const char *text);
size_t cells_among(const char *text, size_t bytes);
/* The bytes of the longest beginning that takes at most so many columns, with the marks that combine with its end. */
size_t cells_fit(const char *text, size_t bytes, size_t cells);
/* A copy that is safe to show: ? for control characters, and with `ascii` +- for ±, ... for … and the like; what else
 * is beyond ASCII stays, because it is somebody's name. NULL when memory is out. */
char *cells_shown(const char *text, bool ascii);
/* A copy of at most `cells` columns: a long name loses its middle, because what tells names apart is mostly at their
 * ends. NULL when memory is out. */
char *cells_shortened(const char *text, size_t cells, bool ascii);

void print_blanks(FILE *stream, size_t count);
/* Where the terminal (NULL: a file) has colours: what follows is in this style, up to its end. */
void print_style(FILE *stream, const gbv_terminal *terminal, gbv_style style);
void print_style_end(FILE *stream, const gbv_terminal *terminal, gbv_style style);
void print_styled(FILE *stream, const gbv_terminal *terminal, gbv_style style, const char *text);
/* gbv_terminal_line of a text that is made up here; it goes on a little to the right of where its head begins. */
enum { GOES_ON = 2 };
void print_sentence(FILE *stream, const gbv_terminal *terminal, gbv_style style, const char *head, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

#endif
