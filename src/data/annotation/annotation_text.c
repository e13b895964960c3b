/* annotation_text.c - what three kinds of text in exports mean: times, whole numbers and the names of files. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/annotation/annotation.h"

/* Days from 1970-01-01 in the Gregorian calendar; years begin in March, so that a leap day comes last. */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400, year_of_era = year % 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/* `digits` decimal digits as a number; -1 when they are not there. Moves behind them. */
static int64_t take_digits(const char **text, int digits)
{
    int64_t value = 0;
    for (int i = 0; i < digits; i++, (*text)++) {
        if (!isdigit((unsigned char)**text))
            return -1;
        value = 10 * value + (**text - '0');
    }
    return value;
}

static bool take(const char **text, const char *any_of)
{
    if (!**text || !strchr(any_of, **text))
        return false;
    (*text)++;
    return true;
}

int64_t annotation_time(const char *text)
{
    const int64_t second = 1000000;
    int64_t year = take_digits(&text, 4), month, day, hour, minute, seconds, fraction = 0;
    if (year < 0 || !take(&text, "-") || (month = take_digits(&text, 2)) < 1 || month > 12 || !take(&text, "-") ||
        (day = take_digits(&text, 2)) < 1 || day > 31 || !take(&text, "T ") || (hour = take_digits(&text, 2)) < 0 ||
        !take(&text, ":") || (minute = take_digits(&text, 2)) < 0 || !take(&text, ":") ||
        (seconds = take_digits(&text, 2)) < 0)
        return ANNOTATION_NO_TIME;
    if (take(&text, ".,"))
        for (int64_t unit = second / 10; isdigit((unsigned char)*text); unit /= 10, text++)
            fraction += unit * (*text - '0');
    int64_t zone = 0;
    if (*text == '+' || *text == '-') {
        int64_t sign = *text++ == '-' ? -1 : 1, hours = take_digits(&text, 2);
        take(&text, ":");
        int64_t minutes = take_digits(&text, 2);
        if (hours < 0)
            return ANNOTATION_NO_TIME;
        zone = sign * (hours * 60 + (minutes < 0 ? 0 : minutes));
    }
    return ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute - zone) * 60 * second + seconds * second +
           fraction;
}

size_t annotation_whole_number(const char *text)
{
    size_t sign = *text == '-' || *text == '+', digits = strspn(text + sign, "0123456789"), length = sign + digits;
    errno = 0;
    (void)strtoll(text, NULL, 10);
    if (!digits || errno)
        return 0;
    const char *rest = text + length;
    return !*rest || (*rest == '.' && !rest[1 + strspn(rest + 1, "0")]) ? length : 0;
}

static int hexadecimal(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (tolower((unsigned char)c) - 'a') + 10
                                        : -1;
}

bool annotation_file_name(const char *text, char name[FILE_NAME_TEXT])
{
    /* Only an address has a query and bytes written as %20; the name of a file may hold any of these characters. */
    bool address = strstr(text, "://") || *text == '/';
    const char *local = strstr(text, "?d="); /* Label Studio's local storage: /data/local-files/?d=folder/name.jpg */
    size_t length = 0;
    if (address && local)
        text = local + 3;
    size_t end = strcspn(text, !address ? "" : local ? "&" : "?"), begin = end;
    while (begin > 0 && text[begin - 1] != '/' && text[begin - 1] != '\\')
        begin--;
    for (size_t i = begin; i < end; i++) {
        char c = text[i];
        if (address && c == '%' && end - i > 2 && hexadecimal(text[i + 1]) >= 0 && hexadecimal(text[i + 2]) >= 0) {
            c = (char)(16 * hexadecimal(text[i + 1]) + hexadecimal(text[i + 2]));
            i += 2;
        }
        if ((unsigned char)c < ' ' || c == 0x7F || length + 1 >= FILE_NAME_TEXT)
            return false; /* no name of a file: the text of a task */
        name[length++] = c;
    }
    name[length] = '\0';
    return length > 0 && text_is_utf8(name, length); /* %FF may be any byte */
}
