#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gbv/settings.h>

#include "page.h"

#include "help.h"
#include "say.h"

int complain(const command *self, int code, const char *format, ...)
{
    char head[64];
    va_list arguments;
    char *text;
    snprintf(head, sizeof head, "gbv %s:", self->name);
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    say(stderr, GBV_STYLE_ALARM, head, "%s", length < 0 ? "not enough memory" : text);
    if (length >= 0)
        free(text);
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

static const option *find(const option *const *tables, const char *name, size_t length)
{
    for (; *tables; tables++)
        for (const option *o = *tables; o->name; o++)
            if (o->kind == OPTION_HEADING)
                continue;
            else if (length == 1 ? o->letter == *name
                                 : strlen(o->name) == length && strncmp(o->name, name, length) == 0)
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
            while (o->kind != OPTION_HEADING && name[shared] && name[shared] == o->name[shared])
                shared++;
            if (shared > longest) {
                longest = shared;
                best = o->name;
            }
        }
    return best;
}

/* The place of the value among the words of "auto|gray|rgb"; -1: it is none of them. */
static int find_word(const char *words, const char *value)
{
    for (int place = 0; *words; place++) {
        size_t length = strcspn(words, "|");
        if (length == strlen(value) && strncmp(words, value, length) == 0)
            return place;
        words += length + (words[length] == '|');
    }
    return -1;
}

/* Bytes from a text such as 500M or 1.5G; 0 when it is none. */
static size_t read_size(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    double size = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        size *= 1024;
    end += unit != NULL;
    return *end || end == text || !(size >= 1 && size < 1e18) ? 0 : (size_t)size;
}

static int store(const command *self, const option *o, const char *value)
{
    char *end;
    double number;
    int place;
    errno = 0;
    switch (o->kind) {
    case OPTION_HEADING:
        return PARSED;
    case OPTION_FLAG:
        *(bool *)o->target = true;
        return PARSED;
    case OPTION_TEXT:
        *(const char **)o->target = value;
        return PARSED;
    case OPTION_LIST:
        return text_list_push(o->target, value) ? PARSED : complain(self, GBV_FAILED, "not enough memory");
    case OPTION_WORD:
        if ((place = find_word(o->argument, value)) < 0)
            return complain(self, GBV_USAGE, "--%s is '%s'; expected one of %s", o->name, value, o->argument);
        *(int *)o->target = place;
        return PARSED;
    case OPTION_NUMBER:
        number = strtod(value, &end);
        if (*end || end == value || !isfinite(number))
            return complain(self, GBV_USAGE, "--%s is '%s'; expected a number", o->name, value);
        *(double *)o->target = number;
        return PARSED;
    case OPTION_SIZE:
        if (!(*(size_t *)o->target = read_size(value)))
            return complain(self, GBV_USAGE, "--%s is '%s'; expected a size such as 500M or 4G", o->name, value);
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

/* One option or argument that was asked for, on the command line or in a file of settings. */
typedef struct request {
    const option *option; /* NULL: an argument that belongs to no option */
    const char *value;
} request;

typedef struct requests {
    request *items;
    size_t count;
} requests;

static int ask(const command *self, requests *asked, const option *o, const char *value)
{
    request *grown = realloc(asked->items, (asked->count + 1) * sizeof *grown);
    if (!grown)
        return complain(self, GBV_FAILED, "not enough memory");
    asked->items = grown;
    grown[asked->count++] = (request){o, value};
    return PARSED;
}

static bool was_asked(const requests *asked, size_t count, const option *o)
{
    for (size_t i = 0; i < count; i++)
        if (asked->items[i].option == o)
            return true;
    return false;
}

static int read_arguments(const command *self, const option *const *tables, int count, char **arguments,
                          requests *asked)
{
    for (int i = 0; i < count; i++) {
        char *text = arguments[i];
        if (text[0] != '-' || !text[1]) {
            if (ask(self, asked, NULL, text) != PARSED)
                return GBV_FAILED;
            continue;
        }
        bool is_long = text[1] == '-';
        const char *name = text + (is_long ? 2 : 1), *equals = is_long ? strchr(name, '=') : NULL;
        size_t length = equals ? (size_t)(equals - name) : strlen(name);
        if ((is_long && strcmp(name, "help") == 0) || (!is_long && strcmp(name, "h") == 0)) {
            help_print(self, tables);
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
        if (ask(self, asked, o, value) != PARSED)
            return GBV_FAILED;
    }
    return PARSED;
}

/* What the file says and the command line does not. The texts are used as long as the command runs, so the settings
 * are kept to the end of the program, as the command line itself is. */
static int read_config(const command *self, const option *const *tables, const char *path, requests *asked)
{
    static gbv_settings *config;
    gbv_error error;
    size_t given = asked->count;
    gbv_settings_free(config);
    gbv_status status = gbv_settings_read(path, &config, &error);
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    if (strcmp(config->command, self->name) != 0)
        return complain(self, GBV_USAGE, "%s: holds the options of gbv %s: use it with that command", path,
                        config->command);
    for (size_t i = 0; i < config->count; i++) {
        const gbv_setting *item = &config->items[i];
        const option *o = item->name ? find(tables, item->name, strlen(item->name)) : NULL;
        if (item->name && (!o || !item->name[1]))
            return complain(self, GBV_USAGE, "%s: gbv %s has no option \"%s\": mend or remove it", path, self->name,
                            item->name);
        if (o && (o->kind == OPTION_FLAG) == (item->value != NULL))
            return complain(self, GBV_USAGE, "%s: \"%s\" takes %s", path, item->name,
                            item->value ? "no value: expected true or false" : "a value, not true");
        if (!was_asked(asked, given, o) && ask(self, asked, o, item->value) != PARSED)
            return GBV_FAILED;
    }
    return PARSED;
}

/* What this run does, whether it was said on the command line or in a file, but for --config and --save-config. Of an
 * option that can hold one value, the last counts. */
static int save_config(const command *self, const option *const *tables, const char *path, const requests *asked)
{
    gbv_settings settings = {.command = (char *)self->name};
    gbv_error error;
    if (!(settings.items = calloc(asked->count ? asked->count : 1, sizeof *settings.items)))
        return complain(self, GBV_FAILED, "not enough memory");
    for (size_t i = 0; i < asked->count; i++) {
        const request *r = &asked->items[i];
        bool passed_over = r->option && find(tables, r->option->name, strlen(r->option->name)) != r->option;
        for (size_t j = i + 1; j < asked->count && r->option && r->option->kind != OPTION_LIST; j++)
            passed_over |= asked->items[j].option == r->option;
        if (!passed_over)
            settings.items[settings.count++] =
                (gbv_setting){.name = r->option ? (char *)r->option->name : NULL, .value = (char *)r->value};
    }
    gbv_status status = gbv_settings_write(&settings, path, &error);
    free(settings.items);
    return status == GBV_OK ? PARSED : complain(self, (int)status, "%s", error.message);
}

enum { MOST_TABLES = 8 };

int options_parse(const command *self, const option *const *tables, int count, char **arguments, text_list *positional)
{
    const char *config = NULL, *save = NULL, *report = NULL;
    const option common[] = {
        UNDER(HEADING_RUN),
        {"config", OPTION_TEXT, &config, "FILE", "options that are not given here, from --save-config", 0},
        {"save-config", OPTION_TEXT, &save, "FILE", "write the options of this run, to repeat it with --config", 0},
        {"report", OPTION_TEXT, &report, "FILE", "also write a page (HTML) of what this run found", 0},
        {0},
    };
    const option *all[MOST_TABLES] = {0};
    requests asked = {0};
    size_t table_count = 0;
    for (; tables[table_count]; table_count++)
        all[table_count] = tables[table_count];
    all[table_count] = common;
    int code = read_arguments(self, all, count, arguments, &asked);
    for (size_t i = 0; i < asked.count && code == PARSED; i++)
        if (asked.items[i].option == &common[1] || asked.items[i].option == &common[2])
            code = store(self, asked.items[i].option, asked.items[i].value);
    if (code == PARSED && config)
        code = read_config(self, tables, config, &asked);
    for (size_t i = 0; i < asked.count && code == PARSED; i++) {
        const request *r = &asked.items[i];
        if (r->option)
            code = store(self, r->option, r->value);
        else if (!positional)
            code = complain(self, GBV_USAGE, "'%s' is not expected here; see gbv %s --help", r->value, self->name);
        else if (!text_list_push(positional, r->value))
            code = complain(self, GBV_FAILED, "not enough memory");
    }
    if (code == PARSED && report)
        code = page_begin(self, report, count, arguments);
    if (code == PARSED && save)
        code = save_config(self, tables, save, &asked);
    free(asked.items);
    return code;
}
