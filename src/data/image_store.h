/* image_store.h - the files behind the rows of an image folder: how each becomes a row of pixels, which rows are kept
 * in memory, and how the others are decoded again when they are asked for.
 *
 * All stores of a process share one cache: a count of bytes that each takes from as it is filled. A store keeps its
 * first rows, as many as there is room for. What the files hold must stay what it was: their hashes are compared.
 */
#ifndef DATA_IMAGE_STORE_H
#define DATA_IMAGE_STORE_H

#include <stdint.h>

#include <gbv/data.h>

/* What every picture of a folder is made into. */
typedef struct image_recipe {
    size_t height, width, channels; /* of a row */
    size_t resize, crop;            /* as image_resize takes them; both 0: pictures stay as they are */
} image_recipe;

typedef struct image_store {
    image_recipe recipe;
    struct image_source {
        char *path;
        char sha256[65];
    } * files; /* one a row */
    size_t rows;
    size_t kept;       /* rows in memory: the first */
    size_t taken;      /* bytes of the cache */
    size_t failed_row; /* the first row that image_store_read could not decode; SIZE_MAX: none */
    gbv_error failure; /* what was wrong with it */
} image_store;

/* A store for `rows` files, which the caller then names; NULL when memory is out. */
image_store *image_store_create(const image_recipe *recipe, size_t rows);
void image_store_free(image_store *store);
/* Decides how many rows are kept, by what is left of `budget` bytes (0: a quarter of the machine's memory), and gives
 * them zeroed memory, which the caller frees. */
GBV_MUST_CHECK gbv_status image_store_open(image_store *store, size_t budget, unsigned char **pixels, gbv_error *error);
/* Several stores of the same recipe as one, in their order; they are left empty. NULL when memory is out. */
image_store *image_store_join(image_store *const *stores, size_t count);

static inline size_t image_store_row_bytes(const image_store *store)
{
    return store->recipe.height * store->recipe.width * store->recipe.channels;
}

/* Without a store, all rows are in memory. */
static inline bool image_store_holds(const image_store *store, size_t row)
{
    return !store || row < store->kept;
}

static inline bool image_store_is_whole(const image_store *store)
{
    return !store || store->kept == store->rows;
}

/* A file's bytes as pixels by channel, row, column. Fails with a sentence that names the file. */
GBV_MUST_CHECK gbv_status image_store_decode(const image_store *store, size_t row, unsigned char *pixels,
                                             gbv_error *error);
/* The same for those who cannot fail: zeros, and image_store_check fails from then on. */
void image_store_read(image_store *store, size_t row, unsigned char *pixels);
GBV_MUST_CHECK gbv_status image_store_check(const image_store *store, gbv_error *error);

#endif
