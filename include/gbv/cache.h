/* cache.h - trained networks of sources, kept so that another measure, temperature or report trains nothing again, and
 * scores of augmentors, by which an interrupted gbv_augment goes on.
 * A model is found by what made it: the rows, labels and weights of its source, the model, every option that matters,
 * the seed, the pretrained file and the version. A folder holds one file per model (safetensors) or score; it may be
 * shared by several runs at once, and anything in it may be deleted at any time.
 *
 *     options.model.cache = gbv_cache_folder();
 *     gbv_value(reference, sources, &options, &result, &error);
 */
#ifndef GBV_CACHE_H
#define GBV_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <gbv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The usual folder: $GBV_CACHE, else gbv/models below $XDG_CACHE_HOME or ~/.cache; NULL when there is neither, or
 * $GBV_CACHE is empty. It belongs to the library. */
GBV_API const char *gbv_cache_folder(void);

typedef struct gbv_cache_entry {
    const char *file;    /* its name in the folder */
    const char *model;   /* "resnet18", ...; "" for a file that cannot be read */
    const char *subject; /* the source it was trained on, or the augmentor it scored */
    size_t rows;         /* of the source, or images scored */
    size_t bytes;
    int64_t used; /* when it was last written or read, in seconds since 1970 */
} gbv_cache_entry;

typedef void gbv_cache_callback(void *context, const gbv_cache_entry *entry);

/* Every file of the cache, the last used first. A folder that does not exist is empty. */
GBV_API GBV_MUST_CHECK gbv_status gbv_cache_each(const char *folder, gbv_cache_callback *callback, void *context,
                                                 gbv_error *error);

/* Deletes what was not used for longest until at most `bytes` are left; `removed` (may be NULL) counts the files. */
GBV_API GBV_MUST_CHECK gbv_status gbv_cache_trim(const char *folder, size_t bytes, size_t *removed, gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
