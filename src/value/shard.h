/* shard.h - what a run in shards has in common with the merging of its parts. */
#ifndef VALUE_SHARD_H
#define VALUE_SHARD_H

#include "report/run_part.h"
#include "value/valuation.h"

/* Whether the run can be one of several shards. */
GBV_MUST_CHECK gbv_status shard_check(const valuation *v, gbv_error *error);

/* What a part says of a source and a way of scoring, in the valuation's own memory. */
part_values shard_values(const valuation *v, const scoring *by, size_t source_index);

#endif
