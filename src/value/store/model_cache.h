/* model_cache.h - the cache of trained networks (gbv/cache.h) as the valuation uses it.
 *
 *     char key[65];
 *     model_cache_key(&rows, class_count, &options, "anna", 0, key, error);
 *     if (!(model = model_cache_find(folder, key)))
 *         ... fit it ..., model_cache_keep(folder, most, key, "anna", rows.rows, model);
 */
#ifndef VALUE_STORE_MODEL_CACHE_H
#define VALUE_STORE_MODEL_CACHE_H

#include <gbv/cache.h>

#include "nn/model.h"

/* What a model fitted on these rows is known by. `options` are resolved ones; only networks of images are kept. */
GBV_MUST_CHECK gbv_status model_cache_key(const sample *rows, size_t class_count, const gbv_model_options *options,
                                          const char *subject, uint32_t draw, char key[65], gbv_error *error);

/* The model kept under the key, for the caller to free; NULL when there is none or its file is damaged. */
gbv_model *model_cache_find(const char *folder, const char *key);

/* Whether there is a file under the key. */
bool model_cache_has(const char *folder, const char *key);

/* Keeps a model; the folder is made where it is missing, and trimmed to `most` bytes (0: 4 GiB). The cache is an aid:
 * false when it could not be kept, which stops nothing. */
bool model_cache_keep(const char *folder, size_t most, const char *key, const char *subject, size_t rows,
                      gbv_model *model);

#endif
