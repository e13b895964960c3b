/* cells.h - text in the columns of a table. */
#ifndef REPORT_CELLS_H
#define REPORT_CELLS_H

#include <stddef.h>
#include <stdio.h>

/* Columns on the screen: bytes that do not continue a UTF-8 character. */
size_t cells_of(const char *text);
void print_padded(FILE *stream, const char *text, size_t width);
/* A long name loses its middle: what tells names apart is mostly at their ends. */
void print_short(FILE *stream, const char *text, size_t width);

#endif
