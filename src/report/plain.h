/* plain.h - numbers as people read them: three significant digits, shares in percent. The full number belongs into a
 * tooltip or a download.
 *
 *     char text[PLAIN_TEXT];
 *     fputs(plain_share(0.4321, text), stream);      43.2 %
 */
#ifndef REPORT_PLAIN_H
#define REPORT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

enum { PLAIN_TEXT = 64 };

/* "0.0432", "−1.23", "12 300", "1.23e−7"; NaN is a dash, infinities are signs. src/report/html/page.js does the same.
 */
const char *plain_number(double value, char text[PLAIN_TEXT]);
/* A number that people have set, such as a magnitude: "8", "0.075", four digits at most. */
const char *plain_set(double value, char text[PLAIN_TEXT]);
/* Of 1: "43.2 %", "<0.001 %". */
const char *plain_share(double value, char text[PLAIN_TEXT]);
/* One or the other. */
const char *plain_value(bool share, double value, char text[PLAIN_TEXT]);
/* Of a weight beside its share: "1.55", and "just above 1" where two digits would not tell on which side of 1, or of
 * the half that verdicts are chosen by, it is. */
const char *plain_ratio(double value, char text[PLAIN_TEXT]);
/* A word of programs in words of people: "no_better_than_chance" becomes "no better than chance", in place. */
const char *plain_words(char *text);
/* With spaces between thousands. */
const char *plain_count(size_t value, char text[PLAIN_TEXT]);

#endif
