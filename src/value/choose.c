/* choose.c - which measures a run scores by, and whether they can. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/measure.h"
#include "value/valuation.h"

/* Which piece of the readout a measure is given as "features". Some compare outputs, as the authors' program does: mmd
 * those on reference and source rows, ETran in its `code` form. */
static bool measures_outputs(const scoring *m)
{
    return strcmp(m->info->name, "mmd") == 0 ||
           (strncmp(m->info->name, "etran", strlen("etran")) == 0 && strcmp(m->variant, "code") == 0);
}

/* Adds a measure unless it is there. `length` bytes of `name` are it; the error quotes the name as it was given. */
static gbv_status add(valuation *v, const char *name, size_t length, gbv_error *error)
{
    gbv_status status = GBV_OK;
    char *copy = strndup(name, length);
    scoring *m = &v->measures[v->measure_count];
    if (!copy)
        return error_out_of_memory(error, "the measures");
    *m = (scoring){.info = gbv_measure_find(copy)};
    for (size_t i = 0; m->info && i < v->measure_count; i++)
        if (v->measures[i].info == m->info)
            goto done;
    if ((status = gbv_measure_choose(copy, v->options->variant, m->variant, error)) != GBV_OK)
        goto done;
    m->reads_outputs = measures_outputs(m);
    m->feature_space = m->reads_outputs || !(m->info->needs & GBV_NEEDS_FEATURES)
                           ? "probabilities of m_s"
                           : model_feature_space(v->options->model.model);
    m->part_count = measure_part_count(m->info->name, scoring_variant(m));
    m->parts = memory_array(v->sources->count, m->part_count * sizeof *m->parts);
    v->measure_count++;
    if (!m->parts)
        status = error_out_of_memory(error, "the scores");
done:
    free(copy);
    return status;
}

gbv_status valuation_choose(valuation *v, gbv_error *error)
{
    const char *list = v->options->measure ? v->options->measure : "";
    size_t known = 0;
    gbv_status status = GBV_OK;
    while (gbv_measure_at(known))
        known++;
    /* One more than there are: a name is looked at in its place before it is known to be new. */
    if (!(v->measures = memory_zeroed(known + 1, sizeof *v->measures)))
        return error_out_of_memory(error, "the measures");
    if (v->options->variant && (strchr(list, ',') || strcmp(list, "all") == 0))
        return error_set(
            error, GBV_USAGE,
            "the variant \"%.64s\" goes with one measure, and several are asked for (%.200s): leave it out",
            v->options->variant, list);
    for (const char *name = list; status == GBV_OK;) {
        size_t length = strcspn(name, ",");
        if (length == strlen("all") && memcmp(name, "all", length) == 0)
            for (size_t i = 0; i < known && status == GBV_OK; i++)
                status = add(v, gbv_measure_at(i)->name, SIZE_MAX, error);
        else
            status = add(v, name, length, error);
        if (!name[length])
            break;
        name += length + 1;
    }
    return status;
}

void valuation_forget(valuation *v)
{
    for (size_t i = 0; i < v->measure_count; i++)
        free(v->measures[i].parts);
    free(v->measures);
}

gbv_status scoring_check(const valuation *v, const scoring *m, size_t source_index, gbv_error *error)
{
    const source *s = &v->sources->items[source_index];
    unsigned needs = m->info->needs;
    if (!s->probabilities)
        return GBV_OK;
    bool source_rows = needs & GBV_NEEDS_SOURCE_FEATURES;
    if (source_rows || (needs & GBV_NEEDS_FEATURES && !m->reads_outputs))
        return error_set(error, GBV_USAGE,
                         "source '%s' is given as probabilities, and the measure %s needs %s: use leep, nce, accuracy "
                         "or nll, or give the source's sample",
                         s->name, m->info->name, source_rows ? "the source's rows" : "the features of a model");
    bool known = !(needs & GBV_NEEDS_CLASS_COLUMNS);
    for (size_t z = 0; z < s->dataset->features.columns && !known; z++)
        known = source_column_class(s, &v->classes, z) >= 0;
    if (!known)
        return error_set(error, GBV_USAGE,
                         "none of the columns of source '%s' is a class of the reference, and the measure %s compares "
                         "them: use leep or nce, or name the columns after the classes",
                         s->name, m->info->name);
    return GBV_OK;
}
