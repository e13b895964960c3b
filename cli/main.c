/* main.c - the table of commands, and help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gbv/gbv.h>

#include "help.h"
#include "options.h"
#include "page.h"
#include "say.h"

#define COMMAND(name) extern const command command_##name;
#include "commands.def"
#undef COMMAND

static const command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands, COMMAND_INDENT = 13 };

static const command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int print_overview(void)
{
    char line[128];
    snprintf(line, sizeof line, "gbv %s: what each data source is worth for the task you care about", gbv_version());
    help_text(line);
    putchar('\n');
    help_heading("examples");
    help_examples("gbv value --reference trusted.npz --source anna=anna.npz --source ben=ben.npz\n"
                  "gbv value --reference trusted.csv --sources labels.csv --source-column annotator -o result.json\n"
                  "gbv train --result result.json --source anna=anna.npz --source ben=ben.npz -o model.safetensors\n");
    putchar('\n');
    help_heading("commands");
    for (size_t i = 0; i < COMMANDS; i++) {
        snprintf(line, sizeof line, "  %s", commands[i]->name);
        help_item(line, COMMAND_INDENT, commands[i]->summary);
    }
    help_item("  help", COMMAND_INDENT, "this text, or gbv help COMMAND");
    putchar('\n');
    help_text("gbv COMMAND --help shows a command's examples and options.");
    help_text("exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 no score defined, 5 a --fail-if condition "
              "holds, 130 interrupted");
    return fflush(stdout) == 0 ? GBV_OK : GBV_FAILED;
}

/* Starts over with the kernels that suit the processor: several times faster on machines newer than their OpenBLAS. A
 * value that is set already, by the user or by this, is left alone. */
static void choose_blas_kernels(char **arguments)
{
    const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : gbv_blas_core();
    if (core && setenv("OPENBLAS_CORETYPE", core, 1) == 0)
        execv("/proc/self/exe", arguments);
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("gbv %s\n", gbv_version());
        return fflush(stdout) == 0 ? GBV_OK : GBV_FAILED;
    }
    bool help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (help && count < 3)
        return print_overview();
    if (help)
        name = arguments[2];
    const command *chosen = find(name);
    if (!chosen) {
        say(stderr, GBV_STYLE_ALARM, "gbv:", "there is no command '%s'; gbv help lists them", name);
        return GBV_USAGE;
    }
    if (!help && !chosen->computes_nothing)
        choose_blas_kernels(arguments);
    char *ask[] = {"--help"};
    int code = help ? chosen->run(chosen, 1, ask) : chosen->run(chosen, count - 2, arguments + 2);
    return page_end(chosen, code);
}
