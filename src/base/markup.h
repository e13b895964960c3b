/* markup.h - text of people within HTML, XML and SVG: nothing in it is taken for markup. */
#ifndef BASE_MARKUP_H
#define BASE_MARKUP_H

#include <stdio.h>

/* Escaped so that it may stand between tags and in quoted attributes. What is no UTF-8, and control characters that XML
 * does not allow, become the replacement character. NULL: nothing. */
void markup_write(FILE *stream, const char *text);

#endif
