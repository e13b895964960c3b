#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gbv/status.h>

int complain(const command *self, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "gbv %s: ", self->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

void text_list_free(text_list *list)
{
    free(list->items);
    *list = (text_list){0};
}

static bool text_list_push(text_list *list, const char *text)
{
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    list->items = grown;
    grown[list->count++] = text;
    return true;
}

/* Numbers still hold their defaults when help is asked for; zero stands for "not set". */
static void print_default(const option *o)
{
    if (o->kind == OPTION_NUMBER && *(double *)o->target != 0)
        printf(" (default: %g)", *(double *)o->target);
    if (o->kind == OPTION_COUNT && *(size_t *)o->target != 0)
        printf(" (default: %zu)", *(size_t *)o->target);
    if (o->kind == OPTION_SEED)
        printf(" (default: %llu)", (unsigned long long)*(uint64_t *)o->target);
    putchar('\n');
}

static void print_help(const command *self, const option *const *tables)
{
    printf("gbv %s %s\n\n%s\n\nexamples:\n%s\noptions:\n", self->name, self->usage, self->summary, self->examples);
    for (; *tables; tables++)
        for (const option *o = *tables; o->name; o++) {
            char left[64];
            snprintf(left, sizeof left, "%s--%s%s%s", o->letter ? (char[]){'-', o->letter, ' ', '\0'} : "   ", o->name,
                     o->argument ? " " : "", o->argument ? o->argument : "");
            printf("  %-34s %s", left, o->help);
            print_default(o);
        }
    printf("  %-34s %s\n", "-h --help", "this text");
}

static const option *find(const option *const *tables, const char *name, size_t length)
{
    for (; *tables; tables++)
        for (const option *o = *tables; o->name; o++)
            if (length == 1 ? o->letter == *name : strlen(o->name) == length && strncmp(o->name, name, length) == 0)
                return o;
    return NULL;
}

/* The option that shares the longest beginning with what was typed: mistakes are mostly at the end or a wrong guess of
 * the word. */
static const char *nearest(const option *const *tables, const char *name)
{
    const char *best = NULL;
    size_t longest = 2;
    for (; *tables; tables++)
        for (const option *o = *tables; o->name; o++) {
            size_t shared = 0;
            while (name[shared] && name[shared] == o->name[shared])
                shared++;
            if (shared > longest) {
                longest = shared;
                best = o->name;
            }
        }
    return best;
}

static int store(const command *self, const option *o, const char *value)
{
    char *end;
    double number;
    errno = 0;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->target = true;
        return PARSED;
    case OPTION_TEXT:
        *(const char **)o->target = value;
        return PARSED;
    case OPTION_LIST:
        return text_list_push(o->target, value) ? PARSED : complain(self, GBV_FAILED, "not enough memory");
    case OPTION_NUMBER:
        number = strtod(value, &end);
        if (*end || end == value || !isfinite(number))
            return complain(self, GBV_USAGE, "--%s is '%s'; expected a number", o->name, value);
        *(double *)o->target = number;
        return PARSED;
    case OPTION_COUNT:
    case OPTION_SEED:
        if (strspn(value, "0123456789") != strlen(value) || !*value)
            return complain(self, GBV_USAGE, "--%s is '%s'; expected a whole number", o->name, value);
        unsigned long long whole = strtoull(value, NULL, 10);
        if (errno || whole > INT64_MAX)
            return complain(self, GBV_USAGE, "--%s is %s; expected less than 2^63", o->name, value);
        if (o->kind == OPTION_COUNT)
            *(size_t *)o->target = (size_t)whole;
        else
            *(uint64_t *)o->target = whole;
        return PARSED;
    }
    return PARSED;
}

int options_parse(const command *self, const option *const *tables, int count, char **arguments, text_list *positional)
{
    for (int i = 0; i < count; i++) {
        char *text = arguments[i];
        if (text[0] != '-' || !text[1]) {
            if (!positional)
                return complain(self, GBV_USAGE, "'%s' is not expected here; see gbv %s --help", text, self->name);
            if (!text_list_push(positional, text))
                return complain(self, GBV_FAILED, "not enough memory");
            continue;
        }
        bool is_long = text[1] == '-';
        const char *name = text + (is_long ? 2 : 1), *equals = is_long ? strchr(name, '=') : NULL;
        size_t length = equals ? (size_t)(equals - name) : strlen(name);
        if ((is_long && strcmp(name, "help") == 0) || (!is_long && strcmp(name, "h") == 0)) {
            print_help(self, tables);
            return fflush(stdout) == 0 ? GBV_OK : GBV_FAILED;
        }
        const option *o = (is_long && length > 1) || (!is_long && length == 1) ? find(tables, name, length) : NULL;
        if (!o) {
            const char *meant = is_long ? nearest(tables, name) : NULL;
            return complain(self, GBV_USAGE, "there is no option %s%s%s%s; see gbv %s --help", text,
                            meant ? " (did you mean --" : "", meant ? meant : "", meant ? "?)" : "", self->name);
        }
        const char *value = equals ? equals + 1 : NULL;
        if (o->kind == OPTION_FLAG && value)
            return complain(self, GBV_USAGE, "--%s takes no value", o->name);
        if (o->kind != OPTION_FLAG && !value) {
            if (i + 1 >= count)
                return complain(self, GBV_USAGE, "--%s needs a value (%s)", o->name, o->argument);
            value = arguments[++i];
        }
        int code = store(self, o, value);
        if (code != PARSED)
            return code;
    }
    return PARSED;
}
