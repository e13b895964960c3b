/* export.c - the list of exports, and what all of them have in common. */
#include "report/export/export.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/sentence.h"

#define EXPORT(name) extern const export_target export_##name;
#include "report/export/exports.def"
#undef EXPORT

static const export_target *const targets[] = {
#define EXPORT(name) &export_##name,
#include "report/export/exports.def"
#undef EXPORT
};

enum { TARGETS = sizeof targets / sizeof *targets };

const gbv_export *gbv_export_at(size_t index)
{
    return index < TARGETS ? &targets[index]->info : NULL;
}

static const char *name_at(size_t index)
{
    return index < TARGETS ? targets[index]->info.name : NULL;
}

static gbv_status find(const char *name, const export_target **found, gbv_error *error)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (strcmp(targets[i]->info.name, name) == 0)
            return *found = targets[i], GBV_OK;
    const char *nearest = nearest_name(name, name_at);
    sentence s = {0};
    sentence_add(&s, "there is no export for ");
    sentence_quote(&s, name);
    return error_set(error, GBV_USAGE, "%s%s%s: `gbv list exports` names them all", s.text,
                     nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

gbv_status gbv_export_find(const char *name, const gbv_export **found, gbv_error *error)
{
    const export_target *target = NULL;
    gbv_status status = find(name, &target, error);
    *found = target ? &target->info : NULL;
    return status;
}

/* Those that take the other kind, as a list of words. */
static gbv_status takes_other(const export_target *target, gbv_error *error)
{
    sentence s = {0};
    for (size_t i = 0; i < TARGETS; i++)
        if (targets[i]->info.of_policy != target->info.of_policy)
            sentence_add(&s, "%s%s", s.length ? ", " : "", targets[i]->info.name);
    return error_set(error, GBV_USAGE, "%s takes %s; for %s there %s %s", target->info.name,
                     target->info.of_policy ? "a policy of gbv augment" : "a result of gbv value",
                     target->info.of_policy ? "the weights of a result" : "a policy", "are", s.text);
}

void export_head(json_writer *json, const char *library, const char *const *about, size_t about_count)
{
    json_text(json, "gbv", GBV_VERSION);
    json_text(json, "kind", "export");
    json_text(json, "for", library);
    json_begin_array(json, "about");
    for (size_t i = 0; i < about_count; i++)
        json_text(json, NULL, about[i]);
    json_end(json);
}

static gbv_status write(const export_target *target, const gbv_policy *policy, const gbv_result *result,
                        const char *path, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    if (policy)
        target->policy(policy, output.stream);
    else
        target->result(result, output.stream);
    return output_commit(&output, error);
}

/* Draws need something to draw. */
static gbv_status check_sum(double sum, const char *of, gbv_error *error)
{
    if (fabs(sum - 1) <= 1e-6)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT, "the %s add up to %g, not to 1: there is nothing to export", of, sum);
}

gbv_status gbv_policy_export(const gbv_policy *policy, const char *library, const char *path, gbv_error *error)
{
    const export_target *target;
    gbv_status status = find(library, &target, error);
    double sum = 0;
    for (size_t i = 0; i < policy->density_count; i++)
        sum += policy->densities[i].probability;
    for (size_t i = 0; policy->density_count == 0 && i < policy->count; i++)
        sum += policy->entries[i].probability;
    if (status == GBV_OK && !target->info.of_policy)
        status = takes_other(target, error);
    if (status == GBV_OK)
        status = check_sum(sum, "probabilities of the policy", error);
    return status == GBV_OK ? write(target, policy, NULL, path, error) : status;
}

gbv_status gbv_result_export(const gbv_result *result, const char *library, const char *path, gbv_error *error)
{
    const export_target *target;
    gbv_status status = find(library, &target, error);
    double sum = 0;
    if (status == GBV_OK && target->info.of_policy)
        status = takes_other(target, error);
    for (size_t i = 0; i < result->source_count && status == GBV_OK; i++) {
        sum += result->sources[i].posterior;
        if (target->needs_rows && result->sources[i].rows == 0) {
            sentence s = {0};
            sentence_quote(&s, result->sources[i].name);
            status = error_set(error, GBV_USAGE,
                               "source %s was given as probabilities and has no rows to weigh: value the other sources "
                               "without it",
                               s.text);
        }
    }
    if (status == GBV_OK)
        status = check_sum(sum, "weights of the sources", error);
    return status == GBV_OK ? write(target, NULL, result, path, error) : status;
}

const char *gbv_policy_export_note(const gbv_policy *policy, const char *library, size_t index)
{
    const export_target *target = NULL;
    if (find(library, &target, NULL) != GBV_OK || !target->note)
        return NULL;
    return target->note(policy, index);
}
