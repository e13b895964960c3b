/* shard.h - one valuation spread over several machines: each scores its share of the sources, and the parts are merged.
 *
 *     options.shard = 2, options.shards = 3;
 *     gbv_value_part(reference, sources, &options, "part-2.json", &error);         on the second of three machines
 *
 *     const char *parts[] = {"part-1.json", "part-2.json", "part-3.json"};
 *     gbv_merge(parts, 3, &result, &error);                                        the bytes that one run would give
 */
#ifndef GBV_SHARD_H
#define GBV_SHARD_H

#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fits and scores every source s (from 0) with s mod options->shards = options->shard - 1, and writes what the result
 * needs of them: the raw components of every score, replicates and refits included, and a hash of each row. `path` NULL
 * is standard output. All shards must be given the same inputs and options; one without a source of its own is an empty
 * part. Fails with GBV_USAGE, before anything is fitted, for what looks at all sources at once: joint methods and
 * measures, tau auto, the curve over tau, and runs without a reference. */
GBV_API GBV_MUST_CHECK gbv_status gbv_value_part(const gbv_dataset *reference, const gbv_sources *sources,
                                                 const gbv_value_options *options, const char *path, gbv_error *error);

/* The result of all parts of a run, in any order; the caller frees it. Fails with GBV_BAD_INPUT when a part is missing,
 * given twice, of another run (the sentence says what differs) or malformed. */
GBV_API GBV_MUST_CHECK gbv_status gbv_merge(const char *const *paths, size_t count, gbv_result **result,
                                            gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
