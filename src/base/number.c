#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t plain_locale;
static pthread_once_t plain_locale_once = PTHREAD_ONCE_INIT;

static void open_plain_locale(void)
{
    plain_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

static double read_plain(const char *text, char **end)
{
    pthread_once(&plain_locale_once, open_plain_locale);
    return plain_locale ? strtod_l(text, end, plain_locale) : strtod(text, end);
}

const char *number_format(double value, char text[NUMBER_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        for (char *c = text; *c; c++)
            if (*c == ',')
                *c = '.';
        if (read_plain(text, NULL) == value)
            break;
    }
    return text;
}

static bool parse_slowly(const char *begin, const char *end, double *value)
{
    char copy[512], *stop;
    size_t length = (size_t)(end - begin);
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, begin, length);
    copy[length] = '\0';
    if (strpbrk(copy, "xXpP(")) /* hexadecimal floats and nan(...) are not data */
        return false;
    *value = read_plain(copy, &stop);
    return stop == copy + length;
}

#if LDBL_MANT_DIG == 64
/* 10^27 is the largest power of ten that 64 bits of mantissa hold exactly (5^27 < 2^63). */
static const long double powers_of_ten[28] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                              1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                              1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* Both operands are exact in 64 bits, so the quotient or product is rounded once. Rounding it again to 53 bits is right
 * unless the 11 bits dropped look like a tie, which the first rounding may have made. */
static bool scale_exactly(uint64_t digits, int exponent, double *value)
{
    if (exponent < -27 || exponent > 27)
        return false;
    long double exact = digits;
    exact = exponent < 0 ? exact / powers_of_ten[-exponent] : exact * powers_of_ten[exponent];
    uint64_t mantissa;
    memcpy(&mantissa, &exact, sizeof mantissa);
    if ((mantissa & 0x7FF) == 0x400)
        return false;
    *value = (double)exact;
    return true;
}
#else
static bool scale_exactly(uint64_t digits, int exponent, double *value)
{
    (void)digits, (void)exponent, (void)value;
    return false;
}
#endif

bool number_parse(const char *begin, const char *end, double *value)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (begin < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const char *c = begin;
    bool negative = false;
    if (c < end && (*c == '-' || *c == '+'))
        negative = *c++ == '-';
    uint64_t digits = 0;
    int significant = 0, exponent = 0;
    const char *first = c;
    for (; c < end && (unsigned)(*c - '0') <= 9; c++) {
        digits = digits * 10 + (unsigned)(*c - '0');
        significant += digits != 0;
    }
    size_t digit_count = (size_t)(c - first);
    if (c < end && *c == '.') {
        const char *point = ++c;
        for (; c < end && (unsigned)(*c - '0') <= 9; c++) {
            digits = digits * 10 + (unsigned)(*c - '0');
            significant += digits != 0;
        }
        if (c - point > 1000)
            return parse_slowly(begin, end, value);
        exponent = -(int)(c - point);
        digit_count += (size_t)(c - point);
    }
    if (digit_count == 0 || significant > 19)
        return parse_slowly(begin, end, value);
    if (c < end && (*c == 'e' || *c == 'E')) {
        c++;
        bool down = false;
        if (c < end && (*c == '-' || *c == '+'))
            down = *c++ == '-';
        int power = 0;
        const char *first_power = c;
        for (; c < end && (unsigned)(*c - '0') <= 9 && power < 10000; c++)
            power = power * 10 + (*c - '0');
        if (c == first_power)
            return false;
        exponent += down ? -power : power;
    }
    if (c != end)
        return false;
    double magnitude;
    if (digits == 0)
        magnitude = 0;
    else if (!scale_exactly(digits, exponent, &magnitude))
        return parse_slowly(begin, end, value);
    *value = negative ? -magnitude : magnitude;
    return true;
}
