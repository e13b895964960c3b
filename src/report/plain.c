#include "report/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THIN_SPACE "\xE2\x80\xAF" /* narrow, and no line is broken at it */
#define MINUS "\xE2\x88\x92"

/* Digits with a space before every third from the end. */
static const char *grouped(const char *sign, const char *digits, char text[PLAIN_TEXT])
{
    size_t length = strlen(digits), used = (size_t)snprintf(text, PLAIN_TEXT, "%s", sign);
    for (size_t i = 0; i < length && used + 5 < PLAIN_TEXT; i++)
        used += (size_t)snprintf(text + used, PLAIN_TEXT - used, "%s%c",
                                 i && (length - i) % 3 == 0 && length > 4 ? THIN_SPACE : "", digits[i]);
    return text;
}

const char *plain_number(double value, char text[PLAIN_TEXT])
{
    const char *sign = value < 0 ? MINUS : "";
    char digits[40];
    double size = fabs(value);
    if (isnan(value))
        snprintf(text, PLAIN_TEXT, "\xE2\x80\x93");
    else if (isinf(value))
        snprintf(text, PLAIN_TEXT, "%s\xE2\x88\x9E", sign);
    else if (size == 0)
        snprintf(text, PLAIN_TEXT, "0");
    else {
        snprintf(digits, sizeof digits, "%.2e", size); /* rounding may bring a digit more */
        int exponent = atoi(strchr(digits, 'e') + 1);
        if (exponent < -4 || exponent > 8)
            snprintf(text, PLAIN_TEXT, "%s%.4se%s%d", sign, digits, exponent < 0 ? MINUS : "", abs(exponent));
        else if (exponent > 2) {
            snprintf(digits, sizeof digits, "%.0f", size);
            grouped(sign, digits, text);
        } else
            snprintf(text, PLAIN_TEXT, "%s%.*f", sign, 2 - exponent, size);
    }
    return text;
}

const char *plain_set(double value, char text[PLAIN_TEXT])
{
    if (!isfinite(value))
        return plain_number(value, text);
    snprintf(text, PLAIN_TEXT, "%s%.4g", value < 0 ? MINUS : "", fabs(value));
    return text;
}

const char *plain_share(double value, char text[PLAIN_TEXT])
{
    const char *number = text;
    if (value > 0 && value < 0.00001)
        snprintf(text, PLAIN_TEXT, "<0.001");
    else if (value < 1 && value > 0.9995)
        snprintf(text, PLAIN_TEXT, ">99.9");
    else if (value == 1)
        snprintf(text, PLAIN_TEXT, "100");
    else if (value > 0 && value < 0.0995)
        snprintf(text, PLAIN_TEXT, "%.*f", value < 0.000995 ? 3 : 2, 100 * value);
    else if (value >= 0.0995 && value < 1)
        snprintf(text, PLAIN_TEXT, "%.1f", 100 * value);
    else
        number = plain_number(100 * value, text);
    if (isfinite(value)) {
        size_t used = strlen(number);
        snprintf(text + used, PLAIN_TEXT - used, THIN_SPACE "%%");
    }
    return text;
}

const char *plain_value(bool share, double value, char text[PLAIN_TEXT])
{
    return (share ? plain_share : plain_number)(value, text);
}

const char *plain_ratio(double value, char text[PLAIN_TEXT])
{
    static const double limits[] = {.5, 1};
    for (size_t i = 0; i < 2; i++)
        if (value != limits[i] && fabs(value - limits[i]) < .005) {
            snprintf(text, PLAIN_TEXT, "just %s %g", value < limits[i] ? "below" : "above", limits[i]);
            return text;
        }
    if (value > 0 && value < .005)
        snprintf(text, PLAIN_TEXT, "less than 0.01");
    else if (value < 10)
        snprintf(text, PLAIN_TEXT, "%.2f", value);
    else
        plain_number(value, text);
    return text;
}

const char *plain_words(char *text)
{
    for (char *at = text; (at = strchr(at, '_'));)
        *at = ' ';
    return text;
}

const char *plain_count(size_t value, char text[PLAIN_TEXT])
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", value);
    return grouped("", digits, text);
}
