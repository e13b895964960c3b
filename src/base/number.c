/* number.c - most numbers take one exact operation; the rest are left to strtod, which is slow and right. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static locale_t plain_locale;
static pthread_once_t plain_locale_once = PTHREAD_ONCE_INIT;

static void open_plain_locale(void)
{
    plain_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

locale_t number_locale(void)
{
    pthread_once(&plain_locale_once, open_plain_locale);
    return plain_locale;
}

static double read_plain(const char *text, char **end)
{
    return number_locale() ? strtod_l(text, end, plain_locale) : strtod(text, end);
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

/* [begin, end) holds only a sign, digits, a point and an exponent: strtod reads exactly that. */
static bool parse_slowly(const char *begin, const char *end, double *value)
{
    char copy[1024];
    size_t length = (size_t)(end - begin);
    if (length >= sizeof copy)
        return false;
    memcpy(copy, begin, length);
    copy[length] = '\0';
    *value = read_plain(copy, NULL);
    return true;
}

/* Up to 10^22 a power of ten is exact as a double, so that one division or multiplication is the only rounding. */
static const double double_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if LDBL_MANT_DIG == 64
/* 10^27 is the largest power of ten that 64 bits of mantissa hold exactly (5^27 < 2^63). */
static const long double long_powers[28] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                            1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                            1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* Both operands are exact in 64 bits, so the quotient or product is rounded once. Rounding it again to 53 bits is right
 * unless the 11 bits dropped look like a tie, which the first rounding may have made. */
static bool scale_long(uint64_t digits, int exponent, double *value)
{
    if (exponent < -27 || exponent > 27)
        return false;
    long double exact = digits;
    exact = exponent < 0 ? exact / long_powers[-exponent] : exact * long_powers[exponent];
    uint64_t mantissa;
    memcpy(&mantissa, &exact, sizeof mantissa);
    if ((mantissa & 0x7FF) == 0x400)
        return false;
    *value = (double)exact;
    return true;
}
#else
static bool scale_long(uint64_t digits, int exponent, double *value)
{
    (void)digits, (void)exponent, (void)value;
    return false;
}
#endif

/* digits * 10^exponent, correctly rounded; false when that takes more than one operation. */
static bool scale(uint64_t digits, int exponent, double *value)
{
    if (digits == 0)
        return *value = 0, true;
    if (FLT_EVAL_METHOD == 0 && digits <= 1ull << 53 && exponent >= -22 && exponent <= 22) {
        *value = exponent < 0 ? (double)digits / double_powers[-exponent] : (double)digits * double_powers[exponent];
        return true;
    }
    return scale_long(digits, exponent, value);
}

static inline bool is_digit(char c)
{
    return (unsigned)(c - '0') <= 9;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Up to eight digits without a branch that depends on how many: their number varies from cell to cell and cannot be
 * predicted. Returns how many there are and appends them to *digits. At least eight bytes can be read. */
static inline int append_digits(const char *text, uint64_t *digits)
{
    static const uint32_t powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t word;
    memcpy(&word, text, sizeof word);
    /* The upper bit of a byte that is no digit; carries only reach bytes behind the first such one. */
    uint64_t others = ((word + 0x4646464646464646u) | (word - 0x3030303030303030u)) & 0x8080808080808080u;
    int count = others ? __builtin_ctzll(others) / 8 : 8;
    if (count == 0)
        return 0;
    /* The digits move to the end, zeros come before them; then pairs, fours and all eight are joined. */
    word = (word - 0x3030303030303030u) << (8 - count) * 8;
    word = word * 10 + (word >> 8);
    word = ((word & 0x000000FF000000FFu) * 0x000F424000000064u +
            (word >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >>
           32;
    *digits = *digits * powers[count] + (uint32_t)word;
    return count;
}
#endif

static inline const char *scan_digits(const char *c, const char *end, uint64_t *digits)
{
    uint64_t sum = *digits;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (int count = 8; count == 8 && end - c >= 8; c += count)
        count = append_digits(c, &sum);
    if (end - c >= 8) {
        *digits = sum;
        return c;
    }
#endif
    for (; c < end && is_digit(*c); c++)
        sum = sum * 10 + (unsigned)(*c - '0');
    *digits = sum;
    return c;
}

/* More than 19 digits do not fit 64 bits, unless they begin with zeros. */
static bool too_many_digits(const char *c, const char *end)
{
    while (c < end && (*c == '0' || *c == '.'))
        c++;
    size_t significant = 0;
    for (; c < end; c++)
        significant += *c != '.';
    return significant > 19;
}

/* The exponent after an 'e' at `c`; NULL when no digits follow. Exponents beyond any double are cut, not summed up. */
static const char *scan_exponent(const char *c, const char *end, int *exponent)
{
    bool down = false;
    c++;
    if (c < end && (*c == '-' || *c == '+'))
        down = *c++ == '-';
    if (c == end || !is_digit(*c))
        return NULL;
    int power = 0;
    for (; c < end && is_digit(*c); c++)
        if (power < 100000)
            power = power * 10 + (*c - '0');
    *exponent += down ? -power : power;
    return c;
}

const char *number_scan(const char *begin, const char *end, double *value)
{
    const char *c = begin;
    bool negative = false;
    if (c < end && (*c == '-' || *c == '+'))
        negative = *c++ == '-';
    uint64_t digits = 0;
    int exponent = 0;
    const char *first = c;
    c = scan_digits(c, end, &digits);
    size_t digit_count = (size_t)(c - first);
    if (c < end && *c == '.') {
        const char *point = ++c;
        c = scan_digits(c, end, &digits);
        size_t decimals = (size_t)(c - point);
        digit_count += decimals;
        exponent = decimals < 100000 ? -(int)decimals : -100000;
    }
    if (digit_count == 0)
        return NULL;
    const char *last = c;
    if (c < end && (*c == 'e' || *c == 'E') && !(c = scan_exponent(c, end, &exponent)))
        return NULL;
    double magnitude;
    if ((digit_count > 19 && too_many_digits(first, last)) || !scale(digits, exponent, &magnitude))
        return parse_slowly(begin, c, value) ? c : NULL;
    *value = negative ? -magnitude : magnitude;
    return c;
}

static bool parse_word(const char *begin, const char *end, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"inf", INFINITY}, {"infinity", INFINITY}, {"nan", NAN}};
    bool negative = false;
    if (begin < end && (*begin == '-' || *begin == '+'))
        negative = *begin++ == '-';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == (size_t)(end - begin) &&
            strncasecmp(words[i].word, begin, (size_t)(end - begin)) == 0) {
            *value = negative ? -words[i].value : words[i].value;
            return true;
        }
    return false;
}

bool number_parse(const char *begin, const char *end, double *value)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (begin < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const char *stop = number_scan(begin, end, value);
    return stop ? stop == end : parse_word(begin, end, value);
}
