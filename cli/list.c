/* gbv list - the names that options take. */
#include <stdio.h>
#include <string.h>

#include <gbv/gbv.h>

#include "options.h"

static void print_needs(unsigned needs)
{
    static const struct {
        unsigned need;
        const char *words;
    } all[] = {
        {GBV_NEEDS_LABELS, "labels"},
        {GBV_NEEDS_PROBABILITIES, "probabilities"},
        {GBV_NEEDS_CLASS_COLUMNS, "whose columns are classes of the labels"},
        {GBV_NEEDS_FEATURES, "features"},
        {GBV_NEEDS_SOURCE_FEATURES, "features of the source's rows"},
    };
    const char *separator = "";
    fputs("    needs     ", stdout);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (needs & all[i].need) {
            printf("%s%s", all[i].need == GBV_NEEDS_CLASS_COLUMNS ? " " : separator, all[i].words);
            separator = ", ";
        }
    putchar('\n');
}

static void print_measures(void)
{
    const gbv_measure_info *m;
    for (size_t i = 0; (m = gbv_measure_at(i)); i++) {
        printf("%s\n    what      %s\n", m->name, m->summary);
        print_needs(m->needs);
        printf("    costs     %s\n", m->cost);
        printf("    blind to  %s\n", m->blind_to);
        printf("    resampled %s\n", m->resampled);
        if (*m->variants)
            printf("    variants  %s\n", m->variants);
        if (m->joint)
            printf("    joint     %s: a source's score depends on the sources it is compared with\n", m->joint);
    }
    puts(
        "  costs are the leading terms for N reference rows, D features, C classes, Z outputs of the model,\n"
        "  n source rows and m = min(N, D); the first variant is the default; resampled says how intervals redraw the\n"
        "  reference: each row counts more or less, or half of the rows are taken");
}

static int run(const command *self, int count, char **arguments)
{
    text_list names = {0};
    const option none[] = {{0}};
    static const char *const lists[] = {"methods", "measures",  "models", "problems",
                                        "formats", "importers", "flags",  "strategies"};
    int code = options_parse(self, (const option *const[]){none, NULL}, count, arguments, &names);
    const char *wanted = names.count ? names.items[0] : NULL, *name, *summary;
    if (code == PARSED && names.count > 1)
        code = complain(self, GBV_USAGE, "one list at a time; '%s' is one too many", names.items[1]);
    if (code == PARSED && (wanted && !gbv_list(wanted, 0, &name, &summary)))
        code = complain(self, GBV_USAGE,
                        "there is no list '%s'; expected methods, measures, models, problems, formats, importers, "
                        "flags or strategies",
                        wanted);
    for (size_t l = 0; code == PARSED && l < sizeof lists / sizeof *lists; l++) {
        if (wanted && strcmp(wanted, lists[l]) != 0)
            continue;
        if (!wanted)
            printf("%s%s\n", l ? "\n" : "", lists[l]);
        if (strcmp(lists[l], "measures") == 0)
            print_measures();
        else
            for (size_t i = 0; gbv_list(lists[l], i, &name, &summary); i++)
                printf("%-22s %s\n", name, summary);
    }
    if (code == PARSED)
        code = fflush(stdout) == 0 ? GBV_OK : complain(self, GBV_FAILED, "standard output could not be written");
    text_list_free(&names);
    return code;
}

extern const command command_list;
const command command_list = {
    .name = "list",
    .usage = "[methods|measures|models|problems|formats|importers|flags|strategies]",
    .summary =
        "the methods, measures, models, problems, file formats, importers of annotations, flags and strategies of "
        "continual valuing there are",
    .examples = "  gbv list\n  gbv list measures\n  gbv list formats\n",
    .run = run,
};
