/* gbv export - policies and weights as other libraries read them. */
#include <stdio.h>
#include <sys/stat.h>

#include "page.h"
#include "say.h"

typedef struct export_choices {
    const char *file, *output;
    const gbv_export *to;
} export_choices;

static gbv_status export_policy(const export_choices *chosen, gbv_error *error)
{
    gbv_policy *policy = NULL;
    const char *note;
    gbv_status status = gbv_policy_read(chosen->file, &policy, error);
    if (status == GBV_OK)
        status = gbv_policy_export(policy, chosen->to->name, chosen->output, error);
    for (size_t i = 0; status == GBV_OK && (note = gbv_policy_export_note(policy, chosen->to->name, i)); i++)
        say(stderr, GBV_STYLE_CAUTION, "note:", "%s", note);
    gbv_policy_free(policy);
    return status;
}

static gbv_status export_result(const export_choices *chosen, gbv_error *error)
{
    gbv_result *result = NULL;
    gbv_status status = gbv_result_read(chosen->file, &result, error);
    if (status == GBV_OK)
        status = gbv_result_export(result, chosen->to->name, chosen->output, error);
    gbv_result_free(result);
    return status;
}

/* Whether the file is sound but of the kind that the other exports take. */
static bool is_other_kind(const export_choices *chosen)
{
    gbv_policy *policy = NULL;
    gbv_result *result = NULL;
    bool is = chosen->to->of_policy ? gbv_result_read(chosen->file, &result, NULL) == GBV_OK
                                    : gbv_policy_read(chosen->file, &policy, NULL) == GBV_OK;
    gbv_policy_free(policy);
    gbv_result_free(result);
    return is;
}

static int refuse_kind(const command *self, const export_choices *chosen)
{
    bool policy = !chosen->to->of_policy; /* is what the file holds */
    char names[256] = "";
    size_t length = 0;
    const gbv_export *e;
    for (size_t i = 0; (e = gbv_export_at(i)); i++)
        if (e->of_policy == policy && length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", e->name);
    return complain(self, GBV_USAGE, "%s: is a %s, which --for %s does not take; of a %s there is --for %s",
                    chosen->file, policy ? "policy of gbv augment" : "result of gbv value", chosen->to->name,
                    policy ? "policy" : "result", names);
}

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    return b && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int run(const command *self, int count, char **arguments)
{
    export_choices chosen = {0};
    const char *library = NULL;
    text_list names = {0};
    gbv_error error;
    const option own[] = {
        {"for", OPTION_TEXT, &library, "NAME", "who is to read it: one of gbv list exports", 0},
        UNDER(HEADING_OUTPUT),
        {"output", OPTION_TEXT, &chosen.output, "FILE", "where it goes (default: standard output)", 'o'},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, NULL}, count, arguments, &names);
    if (code == PARSED && names.count != 1)
        code = complain(self, GBV_USAGE, "expected one FILE: a policy of gbv augment or a result of gbv value");
    if (code == PARSED && !library)
        code = complain(self, GBV_USAGE, "--for NAME is needed; gbv list exports says what there is");
    if (code == PARSED && gbv_export_find(library, &chosen.to, &error) != GBV_OK)
        code = complain(self, GBV_USAGE, "%s", error.message);
    if (code == PARSED && same_file(chosen.file = names.items[0], chosen.output))
        code =
            complain(self, GBV_USAGE, "%s would be replaced by its own export: name another file with -o", chosen.file);
    if (code == PARSED) {
        gbv_status status = chosen.to->of_policy ? export_policy(&chosen, &error) : export_result(&chosen, &error);
        if (status == GBV_BAD_INPUT && is_other_kind(&chosen))
            code = refuse_kind(self, &chosen);
        else
            code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    text_list_free(&names);
    return code;
}

extern const command command_export;
const command command_export = {
    .name = "export",
    .usage = "FILE --for NAME [-o FILE]",
    .summary = "a policy or the weights of a result as other libraries read them",
    .examples = "  gbv export policy.json --for torchvision -o policy.py\n"
                "  gbv export policy.json --for albumentations -o policy_albumentations.json\n"
                "  gbv export result.json --for hf -o mixture.json\n",
    .run = run,
    .computes_nothing = true,
};
