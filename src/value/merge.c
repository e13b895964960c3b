/* merge.c - the result of all parts of a run in shards: that they belong together, then the weighing of one run. */
#include <gbv/shard.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "value/posterior.h"
#include "value/result.h"
#include "value/shard.h"

/* Two parts of the same run say the same of it. `what` receives what they differ in. */
typedef struct comparison {
    const char *what;
    char ours[NUMBER_TEXT], theirs[NUMBER_TEXT];
    const char *our_text, *their_text;
} comparison;

static bool differ_in_text(comparison *c, const char *what, const char *ours, const char *theirs)
{
    if (strcmp(ours ? ours : "", theirs ? theirs : "") == 0)
        return false;
    *c = (comparison){.what = what, .our_text = ours ? ours : "nothing", .their_text = theirs ? theirs : "nothing"};
    return true;
}

static bool differ_in_count(comparison *c, const char *what, size_t ours, size_t theirs)
{
    if (ours == theirs)
        return false;
    *c = (comparison){.what = what};
    snprintf(c->ours, sizeof c->ours, "%zu", ours);
    snprintf(c->theirs, sizeof c->theirs, "%zu", theirs);
    return true;
}

static bool options_differ(comparison *c, const gbv_result *a, const gbv_result *b)
{
    if (differ_in_count(c, "the number of options", a->option_count, b->option_count))
        return true;
    for (size_t i = 0; i < a->option_count; i++)
        if (differ_in_text(c, "an option", a->options[i].name, b->options[i].name) ||
            differ_in_text(c, a->options[i].name, a->options[i].value, b->options[i].value))
            return true;
    return false;
}

static bool inputs_differ(comparison *c, const gbv_result *a, const gbv_result *b)
{
    if (differ_in_count(c, "the number of inputs", a->input_count, b->input_count))
        return true;
    for (size_t i = 0; i < a->input_count; i++)
        if (differ_in_text(c, a->inputs[i].path, a->inputs[i].sha256, b->inputs[i].sha256) ||
            differ_in_count(c, a->inputs[i].path, a->inputs[i].rows, b->inputs[i].rows))
            return true;
    return false;
}

static bool sources_differ(comparison *c, const run_part *a, const run_part *b)
{
    if (differ_in_count(c, "the number of sources", a->run->source_count, b->run->source_count))
        return true;
    for (size_t i = 0; i < a->run->source_count; i++) {
        const gbv_source_result *s = &a->run->sources[i], *t = &b->run->sources[i];
        if (differ_in_text(c, "the name of a source", s->name, t->name) ||
            differ_in_count(c, s->name, s->rows, t->rows))
            return true;
        if (a->prior[i] != b->prior[i]) {
            *c = (comparison){.what = "the prior"};
            number_format(a->prior[i], c->ours);
            number_format(b->prior[i], c->theirs);
            return true;
        }
    }
    return false;
}

static bool scorings_differ(comparison *c, const gbv_result *a, const gbv_result *b)
{
    if (differ_in_count(c, "the number of methods", a->measure_count, b->measure_count))
        return true;
    for (size_t m = 0; m < a->measure_count; m++) {
        const gbv_measure_result *s = &a->measures[m], *t = &b->measures[m];
        if (differ_in_text(c, "the method", s->method, t->method) ||
            differ_in_text(c, "the measure", s->measure, t->measure) ||
            differ_in_text(c, "the variant", s->variant, t->variant))
            return true;
    }
    return false;
}

/* What the confusion of every source counts. */
static bool classes_differ(comparison *c, const gbv_result *a, const gbv_result *b)
{
    if (differ_in_count(c, "the number of classes", a->class_count, b->class_count))
        return true;
    for (size_t i = 0; i < a->class_count; i++)
        if (differ_in_text(c, "the name of a class", a->classes[i], b->classes[i]))
            return true;
    return false;
}

static bool runs_differ(comparison *c, const run_part *a, const run_part *b)
{
    const gbv_result *s = a->run, *t = b->run;
    return differ_in_text(c, "the version of gbv", s->version, t->version) ||
           differ_in_count(c, "the number of shards", a->shards, b->shards) || scorings_differ(c, s, t) ||
           differ_in_text(c, "the model", s->model, t->model) || differ_in_count(c, "the seed", s->seed, t->seed) ||
           options_differ(c, s, t) || inputs_differ(c, s, t) || sources_differ(c, a, b) || classes_differ(c, s, t) ||
           differ_in_count(c, "the number of reference rows", s->reference_rows, t->reference_rows) ||
           differ_in_count(c, "the number of replicates", a->replicates, b->replicates) ||
           differ_in_count(c, "the number of refits", a->refits, b->refits) ||
           differ_in_count(c, "undefined", a->undefined_as_zero, b->undefined_as_zero);
}

/* Every shard once: the parts in the order of their shards. */
static gbv_status put_in_order(const char *const *paths, run_part *parts, size_t count, gbv_error *error)
{
    size_t shards = parts[0].shards;
    comparison c;
    for (size_t i = 1; i < count; i++)
        if (runs_differ(&c, &parts[0], &parts[i]))
            return error_set(
                error, GBV_BAD_INPUT,
                "%s and %s are of different runs: %.200s is %.80s in the first and %.80s in the second; run "
                "all shards with the same options and inputs",
                paths[0], paths[i], c.what, c.our_text ? c.our_text : c.ours, c.their_text ? c.their_text : c.theirs);
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (parts[j].shard == parts[i].shard)
                return error_set(error, GBV_BAD_INPUT, "shard %zu of %zu is given twice: %s and %s", parts[i].shard,
                                 shards, paths[j], paths[i]);
    for (size_t s = 1, i; s <= count + 1 && s <= shards; s++) {
        for (i = 0; i < count && parts[i].shard != s;)
            i++;
        if (i == count)
            return error_set(error, GBV_BAD_INPUT, "shard %zu of %zu is missing: give the parts of all shards", s,
                             shards);
    }
    for (size_t s = 0; s < count; s++)
        while (parts[s].shard != s + 1) {
            size_t home = parts[s].shard - 1;
            run_part moved = parts[home];
            parts[home] = parts[s];
            parts[s] = moved;
        }
    return GBV_OK;
}

/* Each source's line as its own shard has it, in the first part's run; what it says of a source is not needed any
 * more. */
static void gather_lines(run_part *parts, size_t count)
{
    gbv_result *run = parts[0].run;
    for (size_t p = 1; p < count; p++)
        for (size_t k = 0; k < parts[p].source_count; k++) {
            size_t s = part_source_index(&parts[p], k);
            gbv_source_result line = run->sources[s];
            run->sources[s] = parts[p].run->sources[s];
            parts[p].run->sources[s] = line;
            for (size_t m = 0; m < run->measure_count; m++) {
                gbv_score score = run->measures[m].scores[s];
                run->measures[m].scores[s] = parts[p].run->measures[m].scores[s];
                parts[p].run->measures[m].scores[s] = score;
            }
        }
}

/* As many values as the draws of the run make, before room is taken for them. */
static gbv_status check_values(const valuation *v, const run_part *parts, size_t count, gbv_error *error)
{
    for (size_t p = 0; p < count; p++)
        for (size_t k = 0; k < parts[p].source_count; k++)
            for (size_t m = 0; m < v->scoring_count; m++) {
                if (parts[p].sources[k].values[m].count != scoring_draws(v, m).count * v->scorings[m].part_count)
                    return error_set(error, GBV_BAD_INPUT,
                                     "shard %zu: source '%s' has %zu values by %s, which is not what the run's draws "
                                     "make: run that shard again",
                                     parts[p].shard, parts[0].run->sources[part_source_index(&parts[p], k)].name,
                                     parts[p].sources[k].values[m].count, v->scorings[m].method->name);
            }
    return GBV_OK;
}

static void take_values(valuation *v, run_part *parts, size_t count)
{
    for (size_t p = 0; p < count; p++)
        for (size_t k = 0; k < parts[p].source_count; k++) {
            part_source *from = &parts[p].sources[k];
            size_t s = part_source_index(&parts[p], k);
            for (size_t m = 0; m < v->scoring_count; m++)
                memcpy(shard_values(v, &v->scorings[m], s).numbers, from->values[m].numbers,
                       from->values[m].count * sizeof(double));
            v->row_hashes[s] = (row_hashes){from->row_hashes, from->row_count};
            from->row_hashes = NULL;
        }
}

static gbv_status warn_of_machines(const run_part *parts, size_t count, gbv_result *result, gbv_error *error)
{
    for (size_t p = 1; p < count; p++)
        if (strcmp(parts[p].run->instruction_set, result->instruction_set) != 0)
            return result_warn(
                       result,
                       "the shards ran on machines with different instruction sets (%s and %s), so that the last "
                       "digits may differ from those of one run",
                       result->instruction_set, parts[p].run->instruction_set)
                       ? GBV_OK
                       : error_out_of_memory(error, "the result");
    return GBV_OK;
}

static gbv_status weigh_parts(run_part *parts, size_t count, gbv_error *error)
{
    gbv_result *run = parts[0].run;
    gbv_value_options options = gbv_value_defaults();
    options.model.seed = run->seed;
    options.replicates = parts[0].replicates;
    options.refits = parts[0].refits;
    options.undefined_as_zero = parts[0].undefined_as_zero;
    valuation v = {.source_count = run->source_count, .options = &options, .prior = parts[0].prior, .target_count = 1};
    parts[0].prior = NULL;
    gather_lines(parts, count);
    gbv_status status = valuation_choose_recorded(&v, run, error);
    if (status == GBV_OK)
        status = posterior_check_prior(v.prior, v.source_count, error);
    if (status == GBV_OK)
        status = draws_check(&options, error);
    if (status == GBV_OK)
        status = check_values(&v, parts, count, error);
    if (status == GBV_USAGE) /* what an option may not be, a file may not say */
        status = error_prefix(error, GBV_BAD_INPUT, "the parts: ");
    if (status == GBV_OK && (status = valuation_make_room(&v, error)) == GBV_OK) {
        take_values(&v, parts, count);
        status = valuation_weigh(&v, run, error);
    }
    valuation_close(&v);
    return status == GBV_OK ? warn_of_machines(parts, count, run, error) : status;
}

gbv_status gbv_merge(const char *const *paths, size_t count, gbv_result **result, gbv_error *error)
{
    *result = NULL;
    if (count == 0)
        return error_set(error, GBV_USAGE, "there are no parts to merge");
    run_part *parts = memory_zeroed(count, sizeof *parts);
    gbv_status status = parts ? GBV_OK : error_out_of_memory(error, "the parts");
    for (size_t i = 0; i < count && status == GBV_OK; i++)
        status = run_part_read(paths[i], &parts[i], error);
    if (status == GBV_OK)
        status = put_in_order(paths, parts, count, error);
    if (status == GBV_OK)
        status = weigh_parts(parts, count, error);
    if (status == GBV_OK) {
        *result = parts[0].run;
        parts[0].run = NULL;
    }
    for (size_t i = 0; parts && i < count; i++)
        run_part_free(&parts[i]);
    free(parts);
    return status;
}
