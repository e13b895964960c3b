#include "help.h"

#include <stdio.h>
#include <string.h>

#include <gbv/report.h>

enum { WIDEST = 100, OPTION_INDENT = 37, EXAMPLE_INDENT = 2, MOST_HEADINGS = 16 };

/* Also in a file: docs/cli.md is made of it. */
static gbv_terminal page(void)
{
    gbv_terminal terminal = gbv_terminal_of(stdout);
    if (!terminal.width || terminal.width > WIDEST)
        terminal.width = WIDEST;
    return terminal;
}

void help_heading(const char *word)
{
    gbv_terminal terminal = page();
    char head[64];
    snprintf(head, sizeof head, "%s:", word);
    gbv_terminal_line(stdout, &terminal, GBV_STYLE_BOLD, head, 0, "");
}

void help_item(const char *name, size_t indent, const char *text)
{
    gbv_terminal terminal = page();
    gbv_terminal_line(stdout, &terminal, GBV_STYLE_PLAIN, name, indent, text);
}

void help_text(const char *text)
{
    help_item("", 0, text);
}

/* One command line that can be copied as it stands. Words in it are short. */
static void print_example(const char *line, size_t length, size_t width)
{
    size_t used = EXAMPLE_INDENT, indent = EXAMPLE_INDENT;
    printf("%*s", EXAMPLE_INDENT, "");
    for (const char *end = line + length; line < end;) {
        size_t word = strcspn(line, " \n"), blank = indent == EXAMPLE_INDENT && used == indent ? 0 : 1;
        /* An option and its value stay together. */
        if (line[0] == '-' && line[word] == ' ' && line[word + 1] != '-')
            word += 1 + strcspn(line + word + 1, " \n");
        if (blank && used + 1 + word + 2 > width) { /* with its " \" */
            indent = 2 * EXAMPLE_INDENT + 2;
            printf(" \\\n%*s", (int)indent, "");
            used = indent;
            blank = 0;
        }
        printf("%*s%.*s", (int)blank, "", (int)word, line);
        used += blank + word;
        line += word;
        line += strspn(line, " ");
    }
    putchar('\n');
}

void help_examples(const char *lines)
{
    size_t width = page().width;
    while (*(lines += strspn(lines, " \n"))) {
        size_t length = strcspn(lines, "\n");
        print_example(lines, length, width);
        lines += length;
    }
}

/* Numbers still hold their defaults when help is asked for; what is not above zero stands for "not set". */
static void print_option(const option *o)
{
    char left[80], text[512];
    int length = snprintf(text, sizeof text, "%s", o->help);
    size_t room = sizeof text - (size_t)length;
    snprintf(left, sizeof left, "  %s--%s%s%s", o->letter ? (char[]){'-', o->letter, ' ', '\0'} : "   ", o->name,
             o->argument ? " " : "", o->argument ? o->argument : "");
    if (o->kind == OPTION_NUMBER && *(double *)o->target > 0)
        snprintf(text + length, room, " (default: %g)", *(double *)o->target);
    if (o->kind == OPTION_COUNT && *(size_t *)o->target != 0 && *(size_t *)o->target != SIZE_MAX)
        snprintf(text + length, room, " (default: %zu)", *(size_t *)o->target);
    if (o->kind == OPTION_SEED)
        snprintf(text + length, room, " (default: %llu)", (unsigned long long)*(uint64_t *)o->target);
    help_item(left, OPTION_INDENT, text);
}

/* The options of one heading, from whatever table they are. */
static void print_group(const option *const *tables, const char *heading)
{
    putchar('\n');
    help_heading(heading);
    for (; *tables; tables++) {
        const char *current = HEADING_OTHERS;
        for (const option *o = *tables; o->name; o++)
            if (o->kind == OPTION_HEADING)
                current = o->name;
            else if (o->help && strcmp(current, heading) == 0)
                print_option(o);
    }
    if (strcmp(heading, HEADING_RUN) == 0)
        help_item("  -h --help", OPTION_INDENT, "this text");
}

/* Headings in the order in which the tables have them, those that all commands share last. */
void help_print(const command *self, const option *const *tables)
{
    static const char *const last[] = {HEADING_OUTPUT, HEADING_RUN};
    const char *headings[MOST_HEADINGS];
    size_t count = 0, at_end = 0;
    bool found[2] = {false, false};
    for (const option *const *table = tables; *table; table++) {
        const char *current = HEADING_OTHERS;
        for (const option *o = *table; o->name; o++) {
            if (o->kind == OPTION_HEADING) {
                current = o->name;
                continue;
            }
            size_t known = 0;
            for (at_end = 0; at_end < 2 && strcmp(current, last[at_end]) != 0;)
                at_end++;
            while (known < count && strcmp(headings[known], current) != 0)
                known++;
            if (at_end < 2)
                found[at_end] = true;
            else if (known == count && count < MOST_HEADINGS)
                headings[count++] = current;
        }
    }
    char usage[64];
    snprintf(usage, sizeof usage, "gbv %s", self->name);
    gbv_terminal terminal = page();
    gbv_terminal_line(stdout, &terminal, GBV_STYLE_BOLD, usage, 4, self->usage);
    putchar('\n');
    help_text(self->summary);
    putchar('\n');
    help_heading("examples");
    help_examples(self->examples);
    for (size_t i = 0; i < count; i++)
        print_group(tables, headings[i]);
    for (size_t i = 0; i < 2; i++)
        if (found[i])
            print_group(tables, last[i]);
}
