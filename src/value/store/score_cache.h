/* score_cache.h - what an augmentor scored, kept so that an interrupted valuation goes on and an equal one costs
 * nothing. A file holds the numbers of one augmentor; a damaged one is passed over.
 *
 *     score_cache_key(run, &augmentor, key);
 *     if (!score_cache_find(folder, key, numbers, count)) ... compute ..., score_cache_keep(folder, most, &record);
 */
#ifndef VALUE_STORE_SCORE_CACHE_H
#define VALUE_STORE_SCORE_CACHE_H

#include <stdbool.h>

#include <gbv/augment.h>

/* `run` is a hash of everything else that the numbers depend on; op NULL: images as they are. */
bool score_cache_key(const char *run, const gbv_augmentor *augmentor, char key[65]);

typedef struct score_record {
    const char *key, *model, *subject; /* the latter two for people */
    size_t rows;
    const double *numbers;
    size_t count;
    const char *reason; /* why the first number is not there; "" when it is */
} score_record;

/* The numbers kept under the key, when there are just as many; `reason` gets theirs. */
bool score_cache_find(const char *folder, const char *key, double *numbers, size_t count, char *reason,
                      size_t reason_size);
/* False when they could not be kept, which stops nothing. `most` as in model_cache_keep. */
bool score_cache_keep(const char *folder, size_t most, const score_record *record);

#endif
