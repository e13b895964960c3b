/* choose.c - in which ways a run scores its sources, and whether they can be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/words.h"
#include "measure/measure.h"
#include "nn/kind.h"
#include "value/backbone.h"
#include "value/posterior.h"
#include "value/valuation.h"

enum { FEWEST_REPLICATES = 4, USUAL_REFITS = 20, MOST_DRAWS = 1000000 }; /* the last of either kind */

/* Some measures compare outputs, as the authors' program does: mmd those on reference and source rows where there is no
 * pretrained network to see them with, ETran in its `code` form. */
static feature_origin features_of(const scoring *by, const gbv_model_options *model)
{
    if (strcmp(by->info->name, "mmd") == 0)
        return backbone_is_there(model) ? FEATURES_OF_BACKBONE : FEATURES_ARE_OUTPUTS;
    bool as_released = strncmp(by->info->name, "etran", strlen("etran")) == 0 && strcmp(by->variant, "code") == 0;
    return as_released ? FEATURES_ARE_OUTPUTS : FEATURES_OF_MODEL;
}

static bool has_labels(const valuation *v)
{
    return !v->reference || (!v->options->unlabelled && v->reference->labels);
}

/* Without a reference `variant` says what takes its place. */
static bool is_union(const valuation *v)
{
    return !v->reference && v->options->variant && strcmp(v->options->variant, "paper") == 0;
}

static gbv_status choose_variant(const method *m, const char *asked, char chosen[GBV_VARIANT_LENGTH], gbv_error *error)
{
    const char *list = m->variants;
    size_t wanted = asked ? strlen(asked) : 0;
    while (*list) {
        size_t length = strcspn(list, "|");
        if (!asked || (wanted == length && memcmp(asked, list, length) == 0)) {
            memcpy(chosen, list, length);
            chosen[length] = '\0';
            return GBV_OK;
        }
        list += length + (list[length] == '|');
    }
    *chosen = '\0';
    if (!asked)
        return GBV_OK;
    return *m->variants ? error_set(error, GBV_USAGE, "the method %s has no variant \"%.64s\"; it has %s", m->name,
                                    asked, m->variants)
                        : error_set(error, GBV_USAGE, "the method %s has one form only, and no variant \"%.64s\"",
                                    m->name, asked);
}

/* Adds a scoring unless it is there; there is room for one more. `by_measure` NULL: the method looks at the data. */
static gbv_status add(valuation *v, const method *m, const char *by_measure, const char *variant, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    scoring *by = &v->scorings[v->scoring_count];
    *by = (scoring){.method = m, .tau_mode = o->tau_mode, .tau = o->tau, .part_count = 1};
    if (o->tau_mode == GBV_TAU_OWN || (o->tau_mode == GBV_TAU_AUTO && m->knows_interval)) {
        by->tau_mode = m->quick_tau ? GBV_TAU_QUICK : GBV_TAU_FIXED;
        by->tau = 1;
    }
    gbv_status status = by_measure ? gbv_measure_choose(by_measure, variant, by->variant, error)
                                   : choose_variant(m, variant, by->variant, error);
    if (status != GBV_OK)
        return status;
    by->info = by_measure ? gbv_measure_find(by_measure) : NULL;
    for (size_t i = 0; i < v->scoring_count; i++)
        if (v->scorings[i].method == m && v->scorings[i].info == by->info &&
            strcmp(v->scorings[i].variant, by->variant) == 0)
            return GBV_OK;
    by->feature_space = m->knows_interval              ? SPACE_OF_LABELS
                        : backbone_is_there(&o->model) ? BACKBONE_SPACE
                                                       : "the data";
    if (by->info) {
        by->features = features_of(by, &o->model);
        by->feature_space = by->features == FEATURES_OF_BACKBONE ? BACKBONE_SPACE
                            : by->features == FEATURES_ARE_OUTPUTS || !(by->info->needs & GBV_NEEDS_FEATURES)
                                ? "probabilities of m_s"
                                : model_feature_space(o->model.model);
        by->part_count = measure_part_count(by->info->name, scoring_variant(by));
    }
    v->scoring_count++;
    return GBV_OK;
}

static gbv_status grow(valuation *v, size_t more, size_t *capacity, gbv_error *error)
{
    return memory_grow(&v->scorings, capacity, v->scoring_count + more, sizeof *v->scorings)
               ? GBV_OK
               : error_out_of_memory(error, "the methods");
}

static const char *default_measure(const valuation *v)
{
    return is_union(v) ? "logme" : has_labels(v) ? "leep" : "etran-energy";
}

/* The measures of a list, each with the method gbv. */
static gbv_status add_measures(valuation *v, const method *m, const char *list, size_t *capacity, gbv_error *error)
{
    const char *variant = v->reference ? v->options->variant : NULL;
    gbv_status status = GBV_OK;
    if (variant && (strchr(list, ',') || strcmp(list, "all") == 0))
        return error_set(
            error, GBV_USAGE,
            "the variant \"%.64s\" goes with one measure, and several are asked for (%.200s): leave it out", variant,
            list);
    for (const char *name = list; status == GBV_OK;) {
        size_t length = strcspn(name, ","), known = 0;
        while (gbv_measure_at(known))
            known++;
        if ((status = grow(v, known + 1, capacity, error)) != GBV_OK)
            break;
        char *copy = strndup(name, length);
        if (!copy)
            status = error_out_of_memory(error, "the measures");
        else if (strcmp(copy, "all") == 0)
            for (size_t i = 0; i < known && status == GBV_OK; i++)
                status = add(v, m, gbv_measure_at(i)->name, NULL, error);
        else
            status = add(v, m, copy, variant, error);
        free(copy);
        if (!name[length])
            break;
        name += length + 1;
    }
    return status;
}

static const char *method_name_at(size_t index)
{
    return method_at(index) ? method_at(index)->name : NULL;
}

static gbv_status unknown_method(const char *name, gbv_error *error)
{
    const char *nearest = nearest_name(name, method_name_at);
    return error_set(error, GBV_USAGE, "there is no method \"%.64s\"%s%s: `gbv list methods` names them all", name,
                     nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

/* One entry of the list of methods: NAME or NAME:FORM. `text` may be written to. */
static gbv_status add_method(valuation *v, char *text, bool alone, size_t *capacity, bool *measured, gbv_error *error)
{
    char *form = strchr(text, ':');
    if (form)
        *form++ = '\0';
    const method *m = method_find(text);
    if (!m)
        return unknown_method(text, error);
    bool asks = m->measure && !*m->measure; /* gbv: the form is the measure */
    *measured |= asks && !form;
    if (asks)
        return add_measures(v, m,
                            form                  ? form
                            : v->options->measure ? v->options->measure
                                                  : default_measure(v),
                            capacity, error);
    const char *variant = form ? form : alone && v->reference ? v->options->variant : NULL;
    gbv_status status = grow(v, 1, capacity, error);
    return status == GBV_OK ? add(v, m, m->measure, variant, error) : status;
}

gbv_status valuation_choose(valuation *v, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    const char *list = o->method ? o->method : "gbv";
    bool alone = !strchr(list, ','), measured = false;
    size_t capacity = 0;
    gbv_status status = GBV_OK;
    if (!v->reference && o->variant && strcmp(o->variant, "paper") != 0 && strcmp(o->variant, "crowd") != 0)
        return error_set(error, GBV_USAGE, "without a reference the variant is crowd or paper, not \"%.64s\"",
                         o->variant);
    if (v->reference && o->variant && !alone)
        return error_set(error, GBV_USAGE,
                         "the variant \"%.64s\" goes with one method, and several are asked for (%.200s): write "
                         "NAME:VARIANT in the list",
                         o->variant, list);
    for (const char *name = list; status == GBV_OK;) {
        size_t length = strcspn(name, ",");
        char *copy = strndup(name, length);
        status =
            copy ? add_method(v, copy, alone, &capacity, &measured, error) : error_out_of_memory(error, "the methods");
        free(copy);
        if (!name[length])
            break;
        name += length + 1;
    }
    if (status == GBV_OK && o->measure && !measured)
        status =
            error_set(error, GBV_USAGE,
                      "the measure is what gbv scores by, and none of the methods asked for (%.200s) takes \"%.64s\": "
                      "leave it out, or add gbv",
                      list, o->measure);
    return status;
}

gbv_status valuation_add_beside(valuation *v, gbv_error *error)
{
    gbv_status status = GBV_OK;
    size_t capacity = v->scoring_count;
    for (size_t i = 0; i < v->scoring_count; i++)
        if (strcmp(v->scorings[i].method->name, "gbv") != 0)
            return GBV_OK;
    for (size_t i = 0; method_at(i) && status == GBV_OK; i++) {
        if (method_at(i)->needs & (METHOD_NEEDS_OVERLAP | METHOD_NEEDS_GOLD) &&
            method_has_items(method_at(i), v->shared.shared_items, v->shared.gold_items)) {
            status = grow(v, 1, &capacity, error);
            if (status == GBV_OK)
                status = add(v, method_at(i), NULL, NULL, error);
            if (status == GBV_OK)
                v->scorings[v->scoring_count - 1].beside = true;
        }
    }
    return status;
}

gbv_status valuation_choose_recorded(valuation *v, const gbv_result *run, gbv_error *error)
{
    size_t capacity = 0;
    gbv_status status = grow(v, run->measure_count, &capacity, error);
    for (size_t i = 0; i < run->measure_count && status == GBV_OK; i++) {
        const gbv_measure_result *by = &run->measures[i];
        const method *m = method_find(by->method);
        if (!m || !m->measure != !*by->measure)
            return error_set(error, GBV_BAD_INPUT, "there is no method \"%.64s\" with the measure \"%.64s\"",
                             by->method, by->measure);
        status = add(v, m, *by->measure ? by->measure : NULL, *by->variant ? by->variant : NULL, error);
        if (status == GBV_OK && v->scoring_count != i + 1)
            return error_set(error, GBV_BAD_INPUT, "the same way of scoring is there twice: %.64s", by->method);
        v->scorings[i].beside = by->beside;
        v->scorings[i].tau_mode = by->tau_mode;
        v->scorings[i].tau = by->tau;
        if (status == GBV_OK && by->tau_mode == GBV_TAU_AUTO)
            return error_set(error, GBV_BAD_INPUT, "tau is still to be chosen, which needs the data");
        if (status == GBV_OK)
            status = posterior_check_tau(by->tau_mode, by->tau, error);
    }
    return status;
}

draws scoring_draws(const valuation *v, size_t scoring_index)
{
    const gbv_value_options *o = v->options;
    bool decides = scoring_index == 0, ends = v->scorings[scoring_index].method->knows_interval,
         judged = v->tau_can_be_judged && !ends && (o->tau_mode == GBV_TAU_AUTO || (decides && o->tau_curve));
    return draws_of(judged ? 2 : 0, decides ? o->replicates : 0, decides && o->replicates ? draws_refits_asked(o) : 0,
                    ends ? 2 : 0);
}

size_t draws_refits_asked(const gbv_value_options *options)
{
    const model_kind *kind = model_kind_find(options->model.model);
    return options->refits != GBV_OWN_REFITS ? options->refits : kind && kind->of_images ? 0 : USUAL_REFITS;
}

gbv_status draws_check(const gbv_value_options *options, gbv_error *error)
{
    size_t refits = draws_refits_asked(options);
    if (options->replicates && options->replicates < FEWEST_REPLICATES)
        return error_set(error, GBV_USAGE,
                         "%zu replicate%s nothing about the spread, because they come in opposite pairs: ask for %d or "
                         "more (200 serve most uses), or for none",
                         options->replicates, options->replicates == 1 ? " says" : "s say", FEWEST_REPLICATES);
    if (options->replicates && refits == 1)
        return error_set(
            error, GBV_USAGE,
            "one refit says nothing about its spread: ask for 2 or more (20 serve most uses), or for none");
    if (options->replicates > MOST_DRAWS || refits > MOST_DRAWS)
        return error_set(error, GBV_USAGE,
                         "%zu replicates and %zu refits are too many: ask for %d at most (200 and 20 serve most uses)",
                         options->replicates, refits, MOST_DRAWS);
    return GBV_OK;
}

gbv_status valuation_make_room(valuation *v, gbv_error *error)
{
    if (!(v->row_hashes = memory_zeroed(v->source_count, sizeof *v->row_hashes)))
        return error_out_of_memory(error, "the scores");
    for (size_t i = 0; i < v->scoring_count; i++) {
        scoring *by = &v->scorings[i];
        by->draws = scoring_draws(v, i);
        size_t cells;
        if (__builtin_mul_overflow(v->source_count, v->target_count, &cells) ||
            __builtin_mul_overflow(cells, by->draws.count * by->part_count, &cells))
            return error_out_of_memory(error, "the scores");
        by->parts = by->info ? memory_array(cells, sizeof(double)) : NULL;
        by->scores = memory_array(v->source_count, by->draws.count * sizeof(double));
        if ((by->info && !by->parts) || !by->scores)
            return error_out_of_memory(error, "the scores");
        for (size_t k = 0; by->parts && k < cells; k++)
            by->parts[k] = NAN;
        for (size_t k = 0; k < v->source_count * by->draws.count; k++)
            by->scores[k] = NAN;
    }
    return GBV_OK;
}

void valuation_forget(valuation *v)
{
    for (size_t i = 0; i < v->scoring_count; i++) {
        free(v->scorings[i].parts);
        free(v->scorings[i].scores);
    }
    free(v->scorings);
    for (size_t i = 0; v->row_hashes && i < v->source_count; i++)
        free(v->row_hashes[i].rows);
    free(v->row_hashes);
}

gbv_status scoring_check(const valuation *v, const scoring *by, gbv_error *error)
{
    const char *kind = by->info ? "measure" : "method", *name = by->info ? by->info->name : by->method->name;
    bool items_known = v->scorings[0].scores; /* there is room for scores once the data were looked at */
    if (!by->info && by->method->needs & METHOD_NEEDS_GOLD && items_known && !v->shared.gold_items)
        return error_set(error, GBV_USAGE,
                         "no source labelled an item whose class is known: give gold labels of annotated items with "
                         "--gold");
    if (!by->info && by->method->needs & METHOD_NEEDS_OVERLAP && items_known && !v->shared.shared_items)
        return error_set(error, GBV_USAGE,
                         "the method %s compares what several sources say of the same items, and no item has two "
                         "labels: use it with --annotations, or a table with an item column",
                         name);
    bool needs_labels = by->info ? by->info->needs & GBV_NEEDS_LABELS : by->method->needs & METHOD_NEEDS_LABELS;
    if (!v->reference && !by->info && by->method->needs & METHOD_NEEDS_REFERENCE)
        return error_set(error, GBV_USAGE,
                         "the method %s compares the sources with a reference, and there is none: use gbv, or give a "
                         "reference",
                         name);
    if (!v->reference && !is_union(v) && by->info && gbv_measure_is_joint(by->info->name, scoring_variant(by)))
        return error_set(error, GBV_USAGE,
                         "the measure %s brings its parts to one scale over the sources, which has no meaning where "
                         "each is judged by the others: use leep",
                         name);
    if (needs_labels && !has_labels(v))
        return error_set(error, GBV_USAGE,
                         "the %s %s needs the labels of the reference, and %s has none that may be used: use the "
                         "measure etran-energy, or give a labelled reference",
                         kind, name, v->reference->name);
    return GBV_OK;
}

gbv_status scoring_check_source(const valuation *v, const scoring *by, size_t source_index, gbv_error *error)
{
    const source *s = &v->sources->items[source_index];
    if (!s->probabilities)
        return GBV_OK;
    if (!by->info)
        return by->method->needs & METHOD_NEEDS_ROWS
                   ? error_set(error, GBV_USAGE,
                               "source '%s' is given as probabilities, and the method %s looks at the source's rows: "
                               "use gbv, or give the source's sample",
                               s->name, by->method->name)
                   : GBV_OK;
    unsigned needs = by->info->needs;
    bool source_rows = needs & GBV_NEEDS_SOURCE_FEATURES;
    if (source_rows || (needs & GBV_NEEDS_FEATURES && by->features != FEATURES_ARE_OUTPUTS))
        return error_set(error, GBV_USAGE,
                         "source '%s' is given as probabilities, and the measure %s needs %s: use leep, nce, accuracy "
                         "or nll, or give the source's sample",
                         s->name, by->info->name, source_rows ? "the source's rows" : "the features of a model");
    bool known = !(needs & GBV_NEEDS_CLASS_COLUMNS);
    for (size_t z = 0; z < s->dataset->features.columns && !known; z++)
        known = source_column_class(s, &v->classes, z) >= 0;
    if (!known)
        return error_set(error, GBV_USAGE,
                         "none of the columns of source '%s' is a class of the reference, and the measure %s compares "
                         "them: use leep or nce, or name the columns after the classes",
                         s->name, by->info->name);
    return GBV_OK;
}
