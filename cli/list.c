/* gbv list - the names that options take. */
#include <stdio.h>
#include <string.h>

#include <gbv/gbv.h>

#include "options.h"
#include "say.h"

enum { ABOUT_INDENT = 14, NAME_INDENT = 23 };

static void print_about(const char *what, const char *text)
{
    char head[32];
    snprintf(head, sizeof head, "    %s", what);
    gbv_terminal terminal = gbv_terminal_of(stdout);
    gbv_terminal_line(stdout, &terminal, GBV_STYLE_DIM, head, ABOUT_INDENT, text);
}

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
    char text[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (needs & all[i].need) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                       all[i].need == GBV_NEEDS_CLASS_COLUMNS ? " " : separator, all[i].words);
            separator = ", ";
        }
    print_about("needs", text);
}

static void print_measures(void)
{
    const gbv_measure_info *m;
    for (size_t i = 0; (m = gbv_measure_at(i)); i++) {
        say_item(m->name, 0, "");
        print_about("what", m->summary);
        print_needs(m->needs);
        print_about("costs", m->cost);
        print_about("blind to", m->blind_to);
        print_about("resampled", m->resampled);
        if (*m->variants)
            print_about("variants", m->variants);
        if (m->joint) {
            char text[256];
            snprintf(text, sizeof text, "%s: a source's score depends on the sources it is compared with", m->joint);
            print_about("joint", text);
        }
    }
    say_item(
        "", 2,
        "costs are the leading terms for N reference rows, D features, C classes, Z outputs of the model,\n"
        "  n source rows and m = min(N, D); the first variant is the default; resampled says how intervals redraw the\n"
        "  reference: each row counts more or less, or half of the rows are taken");
}

static void print_operators(void)
{
    const gbv_operator *o;
    for (size_t i = 0; (o = gbv_operator_at(i)); i++) {
        say_item(o->name, 0, "");
        print_about("what", o->summary);
        if (!o->has_magnitude)
            continue;
        char text[128];
        snprintf(text, sizeof text, "from %g to %g%s", o->least, o->most,
                 o->of_side ? " times that side of the image" : "");
        print_about("magnitude", text);
    }
}

static void print_policies(void)
{
    const gbv_named_policy *p;
    for (size_t i = 0; (p = gbv_named_policy_at(i)); i++) {
        say_item(p->name, 0, "");
        print_about("what", p->summary);
        if (*p->variants)
            print_about("variants", p->variants);
    }
}

static int run(const command *self, int count, char **arguments)
{
    text_list names = {0};
    const option none[] = {{0}};
    static const char *const lists[] = {"methods", "measures",   "models",    "problems", "formats", "importers",
                                        "flags",   "strategies", "operators", "policies", "exports"};
    int code = options_parse(self, (const option *const[]){none, NULL}, count, arguments, &names);
    const char *wanted = names.count ? names.items[0] : NULL, *name, *summary;
    if (code == PARSED && names.count > 1)
        code = complain(self, GBV_USAGE, "one list at a time; '%s' is one too many", names.items[1]);
    if (code == PARSED && (wanted && !gbv_list(wanted, 0, &name, &summary)))
        code = complain(self, GBV_USAGE,
                        "there is no list '%s'; expected methods, measures, models, problems, formats, importers, "
                        "flags, strategies, operators, policies or exports",
                        wanted);
    for (size_t l = 0; code == PARSED && l < sizeof lists / sizeof *lists; l++) {
        if (wanted && strcmp(wanted, lists[l]) != 0)
            continue;
        if (!wanted)
            printf("%s", l ? "\n" : ""), say_item(lists[l], 0, "");
        if (strcmp(lists[l], "measures") == 0)
            print_measures();
        else if (strcmp(lists[l], "operators") == 0)
            print_operators();
        else if (strcmp(lists[l], "policies") == 0)
            print_policies();
        else
            for (size_t i = 0; gbv_list(lists[l], i, &name, &summary); i++)
                say_item(name, NAME_INDENT, summary);
    }
    if (code == PARSED)
        code = fflush(stdout) == 0 ? GBV_OK : complain(self, GBV_FAILED, "standard output could not be written");
    text_list_free(&names);
    return code;
}

extern const command command_list;
const command command_list = {
    .name = "list",
    .usage = "[methods|measures|models|problems|formats|importers|flags|strategies|operators|policies|exports]",
    .summary = "what there is: methods, measures, models, problems, formats, importers, flags, strategies, operators, "
               "policies, exports",
    .examples = "  gbv list\n  gbv list measures\n  gbv list formats\n",
    .run = run,
    .computes_nothing = true,
};
