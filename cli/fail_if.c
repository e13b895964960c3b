#include "fail_if.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITION_LENGTH = 200 };

typedef struct condition {
    char text[CONDITION_LENGTH]; /* as given, without blanks around it */
    enum { ANY_FLAG, FLAG_OF_KIND, AMBIGUOUS, COMPARISON } what;
    const char *kind;   /* of the flag; in `text` */
    const char *number; /* its name */
    size_t offset;      /* of the number in gbv_result */
    bool less, or_equal;
    double bound;
} condition;

static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
    {"effective_sources", offsetof(gbv_result, effective_sources)},
    {"effective_rows", offsetof(gbv_result, effective_rows)},
    {"entropy", offsetof(gbv_result, entropy)},
};

#define BLANKS " \t\n"

/* Takes the next condition off *rest, which is NULL after the last; false when it is too long. */
static bool next_text(const char **rest, condition *c)
{
    const char *begin = *rest + strspn(*rest, BLANKS);
    size_t length = strcspn(begin, "|");
    *rest = begin[length] ? begin + length + 1 : NULL;
    while (length && strchr(BLANKS, begin[length - 1]))
        length--;
    *c = (condition){0};
    if (length >= CONDITION_LENGTH)
        return false;
    memcpy(c->text, begin, length);
    return true;
}

static bool parse_comparison(condition *c)
{
    size_t length = strcspn(c->text, "<>" BLANKS);
    const char *sign = c->text + length + strspn(c->text + length, BLANKS), *value = sign + 1;
    if (*sign != '<' && *sign != '>')
        return false;
    c->what = COMPARISON;
    c->less = *sign == '<';
    c->or_equal = *value == '=';
    value += c->or_equal;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == length && memcmp(numbers[i].name, c->text, length) == 0) {
            c->number = numbers[i].name;
            c->offset = numbers[i].offset;
        }
    char *end;
    c->bound = strtod(value, &end);
    return c->number && end != value && !*end && isfinite(c->bound);
}

static bool parse(condition *c)
{
    static const char prefix[] = "flag=";
    const char *kind, *summary;
    if (strcmp(c->text, "flag") == 0)
        return c->what = ANY_FLAG, true;
    if (strcmp(c->text, "ambiguous") == 0)
        return c->what = AMBIGUOUS, true;
    if (strncmp(c->text, prefix, strlen(prefix)) != 0)
        return parse_comparison(c);
    c->what = FLAG_OF_KIND;
    c->kind = c->text + strlen(prefix);
    for (size_t i = 0; gbv_list("flags", i, &kind, &summary); i++)
        if (strcmp(kind, c->kind) == 0)
            return true;
    return false;
}

int fail_if_check(const command *self, const text_list *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        const char *rest = texts->items[i];
        do {
            condition c;
            if (next_text(&rest, &c) && parse(&c))
                continue;
            char kinds[CONDITION_LENGTH] = "";
            const char *kind, *summary;
            for (size_t k = 0, used = 0; gbv_list("flags", k, &kind, &summary) && used < sizeof kinds; k++)
                used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s", k ? ", " : "", kind);
            return complain(self, GBV_USAGE,
                            "--fail-if does not know the condition '%s' in '%.200s'; expected flag, flag=KIND (%s), "
                            "ambiguous, or effective_sources, effective_rows or entropy with < <= > or >= and a number",
                            c.text, texts->items[i], kinds);
        } while (rest);
    }
    return PARSED;
}

/* The first source with such a flag; NULL when there is none. */
static const gbv_source_result *find_flag(const gbv_result *result, const char *kind, const char **found)
{
    for (size_t i = 0; i < result->source_count; i++)
        for (size_t f = 0; f < result->sources[i].flag_count; f++) {
            *found = result->sources[i].flags[f].kind;
            if (!kind || strcmp(*found, kind) == 0)
                return &result->sources[i];
        }
    return NULL;
}

static int judge(const command *self, const condition *c, const gbv_result *result)
{
    if (c->what == AMBIGUOUS)
        return !result->ambiguous
                   ? GBV_OK
                   : complain(self, GBV_CONDITION,
                              "--fail-if ambiguous holds: the scores differ no more than chance explains");
    if (c->what != COMPARISON) {
        const char *kind;
        const gbv_source_result *flagged = find_flag(result, c->kind, &kind);
        return !flagged ? GBV_OK
                        : complain(self, GBV_CONDITION, "--fail-if %s holds: source '%s' is flagged %s", c->text,
                                   flagged->name, kind);
    }
    double value = *(const double *)((const char *)result + c->offset);
    if (isnan(value))
        return complain(self, GBV_CONDITION, "--fail-if %s cannot be ruled out: %s is not defined for this result",
                        c->text, c->number);
    bool holds = (c->less ? value < c->bound : value > c->bound) || (c->or_equal && value == c->bound);
    return holds ? complain(self, GBV_CONDITION, "--fail-if %s holds: %s is %.6g", c->text, c->number, value) : GBV_OK;
}

int fail_if_judge(const command *self, const text_list *texts, const gbv_result *result)
{
    int code = GBV_OK;
    for (size_t i = 0; i < texts->count; i++) {
        const char *rest = texts->items[i];
        do {
            condition c;
            if (next_text(&rest, &c) && parse(&c))
                code = judge(self, &c, result);
        } while (rest && code == GBV_OK);
        if (code != GBV_OK)
            return code;
    }
    return code;
}
