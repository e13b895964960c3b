/* run_part.h - what one shard of a run leaves for the merging, as a JSON document: the record of the run, which all
 * shards have alike, and the raw components of the shard's own sources.
 *
 *     run_part part;
 *     run_part_read("part-1.json", &part, error);
 *     run_part_free(&part);
 */
#ifndef REPORT_RUN_PART_H
#define REPORT_RUN_PART_H

#include <stdint.h>

#include <gbv/value.h>

typedef struct part_values {
    double *numbers; /* draw after draw, NaN where undefined; what a draw holds is the scoring's business */
    size_t count;
} part_values;

/* A source of the shard. */
typedef struct part_source {
    part_values *values; /* of each way of scoring */
    uint64_t *row_hashes;
    size_t row_count; /* as many as the source has rows */
} part_source;

typedef struct run_part {
    size_t shard, shards; /* from 1 */
    size_t replicates, refits;
    bool undefined_as_zero;
    double *prior; /* of each source of the run */
    /* The run before weighing: scores and weights in it mean nothing, and what was found out about a source (agreement,
     * flags, reasons) counts in its own shard only. Each of its measures has the tau asked for. */
    gbv_result *run;
    size_t scoring_count;
    part_source *sources; /* those of the shard, in order */
    size_t source_count;
} run_part;

/* The k-th source of a shard, and how many there are. */
static inline size_t part_source_index(const run_part *part, size_t k)
{
    return part->shard - 1 + k * part->shards;
}

static inline size_t part_source_count(size_t all, size_t shard, size_t shards)
{
    return all / shards + (all % shards >= shard);
}

GBV_MUST_CHECK gbv_status run_part_write(const run_part *part, const char *path, gbv_error *error);
/* Every key and size is checked: there are as many sources as the shard has, each with values for every way of scoring
 * and hashes for every row. How many values there must be is for the caller to check. */
GBV_MUST_CHECK gbv_status run_part_read(const char *path, run_part *part, gbv_error *error);
void run_part_free(run_part *part); /* what run_part_read put there; a zeroed one is legal */

#endif
