/* gbv cache - the trained networks of sources and the scores of augmentors that are kept: what is there, and less of
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gbv/gbv.h>

#include "options.h"
#include "say.h"

enum { SOURCE_INDENT = 46, LEAST_WIDTH = 72 };

typedef struct listing {
    size_t count, bytes;
} listing;

static void print_entry(void *context, const gbv_cache_entry *entry)
{
    listing *all = context;
    char when[32] = "", line[128];
    time_t used = (time_t)entry->used;
    struct tm local;
    gbv_terminal terminal = gbv_terminal_of(stdout);
    bool narrow = terminal.width && terminal.width < LEAST_WIDTH; /* then a paragraph for each */
    if (localtime_r(&used, &local))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    if (all->count++ == 0 && !narrow)
        say_item("last used        model         rows       MB  source or augmentor", 0, "");
    all->bytes += entry->bytes;
    snprintf(line, sizeof line, narrow ? "last used %s: %s of %zu rows, %.1f MB" : "%-16s %-9s %8zu %8.1f", when,
             *entry->model ? entry->model : "damaged", entry->rows, (double)entry->bytes / 1e6);
    if (narrow)
        gbv_terminal_line(stdout, &terminal, GBV_STYLE_BOLD, entry->subject, 4, line);
    else
        gbv_terminal_line(stdout, &terminal, GBV_STYLE_PLAIN, line, SOURCE_INDENT, entry->subject);
}

static int list(const command *self, const char *folder)
{
    listing all = {0};
    gbv_error error;
    if (gbv_cache_each(folder, print_entry, &all, &error) != GBV_OK)
        return complain(self, GBV_FAILED, "%s", error.message);
    say(stdout, GBV_STYLE_PLAIN, "", "%zu %s, %.1f MB in %s", all.count, all.count == 1 ? "file" : "files",
        (double)all.bytes / 1e6, folder);
    return GBV_OK;
}

static int trim(const command *self, const char *folder, size_t bytes)
{
    size_t removed;
    gbv_error error;
    if (gbv_cache_trim(folder, bytes, &removed, &error) != GBV_OK)
        return complain(self, GBV_FAILED, "%s", error.message);
    say(stdout, GBV_STYLE_PLAIN, "", "%zu %s deleted from %s", removed, removed == 1 ? "file" : "files", folder);
    return GBV_OK;
}

static int run(const command *self, int count, char **arguments)
{
    const char *folder = NULL;
    size_t bytes = 0;
    text_list names = {0};
    const option own[] = {
        {"cache", OPTION_TEXT, &folder, "DIR", "the folder (default: $GBV_CACHE, else ~/.cache/gbv/models)", 0},
        {"size", OPTION_SIZE, &bytes, "SIZE", "trim: what may be left, such as 500M or 4G", 0},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, NULL}, count, arguments, &names);
    const char *what = names.count ? names.items[0] : "list";
    bool trims = strcmp(what, "trim") == 0;
    if (code == PARSED && (names.count > 1 || (strcmp(what, "list") != 0 && strcmp(what, "clear") != 0 && !trims)))
        code = complain(self, GBV_USAGE, "expected one of list, trim and clear; see gbv cache --help");
    if (code == PARSED && trims != (bytes > 0))
        code = complain(self, GBV_USAGE, "%s", trims ? "trim needs --size SIZE" : "--size goes with trim");
    if (code == PARSED && !folder && !(folder = gbv_cache_folder()))
        code = complain(self, GBV_USAGE, "there is no cache: $GBV_CACHE is empty, or there is no home folder");
    if (code == PARSED)
        code = strcmp(what, "list") == 0 ? list(self, folder) : trim(self, folder, bytes);
    text_list_free(&names);
    return code;
}

extern const command command_cache;
const command command_cache = {
    .name = "cache",
    .usage = "[list|trim --size SIZE|clear] [--cache DIR]",
    .summary = "the trained networks and the scores of augmentors that are kept for later runs",
    .examples = "  gbv cache\n"
                "  gbv cache trim --size 1G\n"
                "  gbv cache clear --cache /tmp/models\n",
    .run = run,
    .computes_nothing = true,
};
