/* csv_text.h - one field of a CSV line as RFC 4180 wants it written. */
#ifndef BASE_CSV_TEXT_H
#define BASE_CSV_TEXT_H

#include <stdio.h>

/* Quoted only when the text holds a separator, a quote, a line break or blanks at its ends. */
void csv_text_write(FILE *stream, const char *text);
/* The same with a plain word before the text, in one field. */
void csv_text_write_after(FILE *stream, const char *word, const char *text);

#endif
