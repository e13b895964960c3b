/* font.h - letters for pictures that explain themselves: ASCII and the sign of plus-minus, drawn for this project on a
 * grid of five by nine. */
#ifndef AUGMENT_FONT_H
#define AUGMENT_FONT_H

#include <stddef.h>

enum {
    FONT_ROWS = 9, /* seven from the top of a capital to the line, two below it */
    FONT_LINE = 7,
    FONT_COLUMNS = 5,
};
#define FONT_PLUS_MINUS "\x7f"

typedef struct font_letter {
    unsigned char rows[FONT_ROWS]; /* from the top, five bits each, the leftmost the most significant */
} font_letter;

/* Any other character is a question mark. */
const font_letter *font_letter_of(char character);
/* Columns that it takes, without the one between two letters. Digits are equally wide, so that numbers line up. */
size_t font_letter_width(char character);

#endif
