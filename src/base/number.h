/* number.h - decimal text to double and back, correctly rounded, whatever the locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_TEXT = 32 };

/* The shortest of 15, 16 or 17 digits that reads back to the same double. Finite numbers only. */
const char *number_format(double value, char text[NUMBER_TEXT]);

/* For uselocale(): printf writes a point, whatever the program's locale. (locale_t)0, which changes nothing, when
 * memory is out. */
locale_t number_locale(void);

/* Reads the whole of [begin, end) as a number: decimal or exponent form, inf and nan in any case, blanks around it
 * allowed. False when it is anything else, or longer than a thousand characters. */
bool number_parse(const char *begin, const char *end, double *value);

/* Reads the decimal number that [begin, end) begins with and returns where it ends; NULL when there is none. This is
 * number_parse without the blanks and the words, for a reader that finds the end of a cell on the way. */
const char *number_scan(const char *begin, const char *end, double *value);

#endif
