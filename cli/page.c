#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *path;
    char *command;
    FILE *printed;       /* what a command without a page of its own prints; NULL: nothing is held back */
    int output;          /* the real standard output meanwhile */
    const char *written; /* the file or folder of --output; NULL: none */
} wanted;

bool path_can_be_written(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!path || !*path || strcmp(path, "-") == 0)
        return true;
    char *folder = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    bool writable = !folder || access(folder, W_OK | X_OK) == 0;
    free(folder);
    return writable;
}

/* Lets standard output go to a file of ours. */
static bool hold_back(void)
{
    fflush(stdout);
    wanted.printed = tmpfile();
    wanted.output = wanted.printed ? dup(STDOUT_FILENO) : -1;
    return wanted.output >= 0 && dup2(fileno(wanted.printed), STDOUT_FILENO) >= 0;
}

/* Of an option that has a value, the last one given; NULL: none. */
static const char *output_of(int count, char **arguments)
{
    static const char name[] = "--output";
    const char *path = NULL;
    for (int i = 0; i < count; i++)
        if (i + 1 < count && (strcmp(arguments[i], "-o") == 0 || strcmp(arguments[i], name) == 0))
            path = arguments[++i];
        else if (strncmp(arguments[i], name, strlen(name)) == 0 && arguments[i][strlen(name)] == '=')
            path = arguments[i] + strlen(name) + 1;
    return path;
}

int page_begin(const command *self, const char *path, int count, char **arguments)
{
    if (!*path || strcmp(path, "-") == 0)
        return complain(self, GBV_USAGE, "--report needs the name of a file, such as report.html");
    if (!path_can_be_written(path))
        return complain(self, GBV_FAILED, "%s: cannot be written (%s): check the folder", path, strerror(errno));
    char **words = calloc((size_t)count + 2, sizeof *words);
    if (words) {
        words[0] = (char *)"gbv";
        words[1] = (char *)self->name;
        for (int i = 0; i < count; i++)
            words[i + 2] = arguments[i];
        wanted.command = gbv_command_line((const char *const *)words, (size_t)count + 2);
        free(words);
    }
    if (!wanted.command)
        return complain(self, GBV_FAILED, "not enough memory");
    wanted.path = path;
    wanted.written = output_of(count, arguments);
    if (!self->own_page && !hold_back())
        return complain(self, GBV_FAILED, "what is printed cannot be kept for the page (%s)", strerror(errno));
    return PARSED;
}

const char *page_path(void)
{
    return wanted.path;
}

gbv_page_options page_options(void)
{
    return (gbv_page_options){.command = wanted.command};
}

int page_refuse(const command *self, const char *why)
{
    return wanted.path ? complain(self, GBV_USAGE, "--report: %s", why) : PARSED;
}

int page_done(const command *self, gbv_status status, const gbv_error *error)
{
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error->message);
}

int page_of_result(const command *self, const gbv_result *result)
{
    gbv_error error;
    gbv_page_options options = page_options();
    return wanted.path ? page_done(self, gbv_result_page(result, &options, wanted.path, &error), &error) : GBV_OK;
}

int page_of_listing(const command *self, const gbv_listing *listing)
{
    gbv_error error;
    gbv_page_options options = page_options();
    return wanted.path ? page_done(self, gbv_listing_page(listing, &options, wanted.path, &error), &error) : GBV_OK;
}

/* All that was printed, which goes on to where it was meant for. NULL when memory is out. */
static char *show_printed(size_t *length)
{
    char *text = NULL, block[1 << 16];
    FILE *copy = open_memstream(&text, length);
    fflush(stdout);
    dup2(wanted.output, STDOUT_FILENO);
    close(wanted.output);
    rewind(wanted.printed);
    for (size_t count; (count = fread(block, 1, sizeof block, wanted.printed)) > 0;) {
        fwrite(block, 1, count, stdout);
        if (copy)
            fwrite(block, 1, count, copy);
    }
    fclose(wanted.printed);
    wanted.printed = NULL;
    if (copy && fclose(copy) == 0)
        return text;
    free(text);
    return NULL;
}

enum { FEW_LINES = 3 };

static int page_of_text(const command *self, const char *text, size_t length)
{
    char headline[200];
    if (memchr(text, '\0', length))
        return complain(self, GBV_USAGE, "--report: what was printed is no text, and cannot stand on a page");
    size_t first = strcspn(text, "\n"), lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    if (length && lines <= FEW_LINES && first < sizeof headline) /* then the first of them is what it comes to */
        snprintf(headline, sizeof headline, "%.*s", (int)first, text);
    else if (!length && wanted.written)
        snprintf(headline, sizeof headline, "gbv %s wrote %s.", self->name, wanted.written);
    else
        snprintf(headline, sizeof headline, length ? "What gbv %s printed." : "gbv %s printed nothing.", self->name);
    return page_of_listing(self, &(gbv_listing){.kind = self->name, .headline = headline, .text = text});
}

int page_end(const command *self, int code)
{
    size_t length = 0;
    if (wanted.printed) {
        char *text = show_printed(&length);
        if (fflush(stdout) != 0 && code == GBV_OK)
            code = complain(self, GBV_FAILED, "standard output could not be written");
        if (code == GBV_OK)
            code = text ? page_of_text(self, text, length) : complain(self, GBV_FAILED, "not enough memory");
        free(text);
    }
    free(wanted.command);
    wanted.command = NULL;
    return code;
}
