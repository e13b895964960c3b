/* shard.c - one shard of a run. Its part carries what its sources contribute to every draw of every score, so that
 * merging (merge.c) weighs exactly what one run would have. */
#include "value/shard.h"

#include <gbv/shard.h>

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"

gbv_status shard_check(const valuation *v, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    if (o->shard < 1 || o->shard > o->shards)
        return error_set(error, GBV_USAGE, "there is no shard %zu of %zu: count them from 1 to %zu", o->shard,
                         o->shards, o->shards);
    for (size_t m = 0; m < v->scoring_count; m++) {
        const scoring *by = &v->scorings[m];
        if (by->info && gbv_measure_is_joint(by->info->name, scoring_variant(by)))
            return error_set(error, GBV_USAGE,
                             "the measure %s in its form %s brings all sources to one scale, which a shard does not "
                             "see: leave out the shard, or choose another form",
                             by->info->name, by->variant);
        if (by->method->joint)
            return error_set(
                error, GBV_USAGE,
                "the method %s looks at the data of all sources at once, which a shard does not see: leave "
                "out the shard, or the method",
                by->method->name);
        if (by->tau_mode == GBV_TAU_AUTO)
            return error_set(error, GBV_USAGE,
                             "tau auto trains on all sources at once, which a shard does not see: "
                             "leave out the shard, or use quick or a value");
    }
    if (o->tau_curve)
        return error_set(error, GBV_USAGE,
                         "the curve over tau trains on all sources at once, which a shard does not "
                         "see: leave out the shard or the curve");
    return GBV_OK;
}

part_values shard_values(const valuation *v, const scoring *by, size_t source_index)
{
    return by->info ? (part_values){scoring_parts(v, by, source_index, 0), by->draws.count * by->part_count}
                    : (part_values){by->scores + source_index * by->draws.count, by->draws.count};
}

static gbv_status write_part(const valuation *v, gbv_result *run, const char *path, gbv_error *error)
{
    run_part part = {.shard = v->options->shard,
                     .shards = v->options->shards,
                     .replicates = v->options->replicates,
                     .refits = draws_refits_asked(v->options),
                     .undefined_as_zero = v->options->undefined_as_zero,
                     .prior = v->prior,
                     .run = run,
                     .scoring_count = v->scoring_count};
    part.source_count = part_source_count(v->source_count, part.shard, part.shards);
    part.sources = memory_zeroed(part.source_count, sizeof *part.sources);
    part_values *values = memory_array(part.source_count, v->scoring_count * sizeof *values);
    gbv_status status = part.sources && values ? GBV_OK : error_out_of_memory(error, "a part of a run");
    for (size_t i = 0; i < v->source_count; i++)
        if (!run->sources[i].rows)
            run->sources[i].row_weight = NAN;
    for (size_t m = 0; m < v->scoring_count; m++) {
        run->measures[m].tau_mode = v->scorings[m].tau_mode;
        run->measures[m].tau = v->scorings[m].tau;
    }
    for (size_t k = 0; k < part.source_count && status == GBV_OK; k++) {
        size_t s = part_source_index(&part, k);
        part.sources[k] = (part_source){.values = values + k * v->scoring_count,
                                        .row_hashes = v->row_hashes[s].rows,
                                        .row_count = v->row_hashes[s].count};
        for (size_t m = 0; m < v->scoring_count; m++)
            part.sources[k].values[m] = shard_values(v, &v->scorings[m], s);
    }
    if (status == GBV_OK)
        status = run_part_write(&part, path, error);
    free(part.sources);
    free(values);
    return status;
}

gbv_status gbv_value_part(const gbv_dataset *reference, const gbv_sources *sources, const gbv_value_options *options,
                          const char *path, gbv_error *error)
{
    valuation v = {.reference = reference, .sources = sources, .source_count = sources->count, .options = options};
    gbv_result *run = NULL;
    if (!options || !options->shards)
        return error_set(error, GBV_USAGE, "say which shard of how many this is");
    if (!reference)
        return error_set(error, GBV_USAGE,
                         "without a reference the sources are judged by each other, which a shard does "
                         "not see: leave out the shard, or give a reference");
    plan p = plan_begin(options->model.threads);
    v.threads = p.threads;
    gbv_status status = valuation_open(&v, &run, error);
    if (status == GBV_OK)
        status = valuation_score(&v, run, error);
    if (status == GBV_OK)
        status = write_part(&v, run, path, error);
    plan_end(p);
    valuation_close(&v);
    gbv_result_free(run);
    return status;
}
