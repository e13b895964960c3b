/* cache_folder.h - the folder of the cache (gbv/cache.h) as those use it who keep something there: files named by a key
 * and an ending that says what they are. */
#ifndef VALUE_STORE_CACHE_FOLDER_H
#define VALUE_STORE_CACHE_FOLDER_H

#include <stdbool.h>

#include <gbv/cache.h>

#define CACHE_MODEL ".safetensors" /* a trained network: model_cache.h */
#define CACHE_SCORE ".score"       /* what an augmentor scored: score_cache.h */

char *cache_path(const char *folder, const char *key, const char *ending); /* to be freed; NULL: memory is out */
bool cache_make_folder(const char *folder);                                /* with every folder above it */
void cache_used(const char *path);                                         /* just now */
/* Deletes what was not used for longest above `most` bytes (0: 4 GiB); false when that failed. */
bool cache_keep_within(const char *folder, size_t most);

#endif
