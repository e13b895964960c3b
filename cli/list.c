/* gbv list - the names that options take. */
#include <stdio.h>
#include <string.h>

#include <gbv/gbv.h>

#include "options.h"

static void print_measures(void)
{
    const gbv_measure_info *m;
    for (size_t i = 0; (m = gbv_measure_at(i)); i++) {
        printf("%-18s %s\n", m->name, m->summary);
        printf("%-18s needs%s%s%s%s\n", "", m->needs & GBV_NEEDS_LABELS ? " labels" : "",
               m->needs & GBV_NEEDS_PROBABILITIES ? " probabilities" : "",
               m->needs & GBV_NEEDS_FEATURES ? " features" : "",
               m->needs & GBV_NEEDS_SOURCE_FEATURES ? " source-features" : "");
        if (*m->variants)
            printf("%-18s variants: %s\n", "", m->variants);
        printf("%-18s blind to: %s\n", "", m->blind_to);
    }
}

static int run(const command *self, int count, char **arguments)
{
    text_list names = {0};
    const option none[] = {{0}};
    static const char *const lists[] = {"measures", "models", "problems", "formats"};
    int code = options_parse(self, (const option *const[]){none, NULL}, count, arguments, &names);
    const char *wanted = names.count ? names.items[0] : NULL, *name, *summary;
    if (code == PARSED && names.count > 1)
        code = complain(self, GBV_USAGE, "one list at a time; '%s' is one too many", names.items[1]);
    if (code == PARSED && (wanted && !gbv_list(wanted, 0, &name, &summary)))
        code =
            complain(self, GBV_USAGE, "there is no list '%s'; expected measures, models, problems or formats", wanted);
    for (size_t l = 0; code == PARSED && l < sizeof lists / sizeof *lists; l++) {
        if (wanted && strcmp(wanted, lists[l]) != 0)
            continue;
        if (!wanted)
            printf("%s%s\n", l ? "\n" : "", lists[l]);
        if (strcmp(lists[l], "measures") == 0)
            print_measures();
        else
            for (size_t i = 0; gbv_list(lists[l], i, &name, &summary); i++)
                printf("%-18s %s\n", name, summary);
    }
    if (code == PARSED)
        code = fflush(stdout) == 0 ? GBV_OK : complain(self, GBV_FAILED, "standard output could not be written");
    text_list_free(&names);
    return code;
}

extern const command command_list;
const command command_list = {
    .name = "list",
    .usage = "[measures|models|problems|formats]",
    .summary = "the measures, models, problems and file formats there are",
    .examples = "  gbv list\n  gbv list measures\n  gbv list formats\n",
    .run = run,
};
