#include "data/image_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "data/format/image.h"

static size_t cache_taken; /* by all stores together */

image_store *image_store_create(const image_recipe *recipe, size_t rows)
{
    image_store *store = memory_zeroed(1, sizeof *store);
    if (!store || !(store->files = memory_zeroed(rows, sizeof *store->files))) {
        free(store);
        return NULL;
    }
    store->recipe = *recipe;
    store->rows = rows;
    store->failed_row = SIZE_MAX;
    return store;
}

void image_store_free(image_store *store)
{
    if (!store)
        return;
    __atomic_fetch_sub(&cache_taken, store->taken, __ATOMIC_RELAXED);
    for (size_t i = 0; i < store->rows; i++)
        free(store->files[i].path);
    free(store->files);
    free(store);
}

gbv_status image_store_open(image_store *store, size_t budget, unsigned char **pixels, gbv_error *error)
{
    size_t row_bytes = image_store_row_bytes(store), taken = __atomic_load_n(&cache_taken, __ATOMIC_RELAXED), kept;
    if (!budget)
        budget = memory_of_machine() / 4;
    do {
        kept = budget > taken ? (budget - taken) / row_bytes : 0;
        kept = kept < store->rows ? kept : store->rows;
    } while (!__atomic_compare_exchange_n(&cache_taken, &taken, taken + kept * row_bytes, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    store->kept = kept;
    store->taken = kept * row_bytes;
    if (!(*pixels = memory_zeroed(kept, row_bytes)))
        return error_out_of_memory(error, "the pixels of a folder of images; a smaller --image-cache needs less");
    return GBV_OK;
}

image_store *image_store_join(image_store *const *stores, size_t count)
{
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += stores[i]->rows;
    image_store *joined = image_store_create(&stores[0]->recipe, rows);
    if (!joined)
        return NULL;
    rows = 0;
    for (size_t i = 0; i < count; i++) {
        joined->taken += stores[i]->taken;
        stores[i]->taken = 0;
        memcpy(joined->files + rows, stores[i]->files, stores[i]->rows * sizeof *joined->files);
        memset(stores[i]->files, 0, stores[i]->rows * sizeof *joined->files);
        if (joined->kept == rows) /* rows behind one that is missing cannot be kept */
            joined->kept += stores[i]->kept;
        rows += stores[i]->rows;
    }
    size_t unused = joined->taken - joined->kept * image_store_row_bytes(joined);
    __atomic_fetch_sub(&cache_taken, unused, __ATOMIC_RELAXED);
    joined->taken -= unused;
    return joined;
}

static gbv_status prepare(const image_recipe *recipe, const mapped_file *file, unsigned char *pixels, gbv_error *error)
{
    image picture = {0};
    gbv_status status = image_decode(file->bytes, file->size, IMAGE_PIXELS, &picture, error);
    if (status == GBV_OK)
        status = image_convert(&picture, recipe->channels, error);
    if (status == GBV_OK)
        status = image_resize(&picture, recipe->resize, recipe->crop, error);
    if (status == GBV_OK && (picture.height != recipe->height || picture.width != recipe->width))
        status = error_set(error, GBV_BAD_INPUT, "is %zu x %zu pixels; expected %zu x %zu", picture.width,
                           picture.height, recipe->width, recipe->height);
    if (status == GBV_OK)
        image_store_planes(&picture, pixels);
    image_free(&picture);
    return status;
}

gbv_status image_store_decode(const image_store *store, size_t row, unsigned char *pixels, gbv_error *error)
{
    const struct image_source *from = &store->files[row];
    char sha256[65];
    mapped_file file;
    gbv_status status = mapped_file_open(from->path, &file, error);
    if (status != GBV_OK)
        return status;
    if (!hash_sha256(file.bytes, file.size, sha256))
        status = error_set(error, GBV_FAILED, "its SHA-256 could not be computed");
    else if (strcmp(sha256, from->sha256) != 0)
        status = error_set(error, GBV_BAD_INPUT,
                           "was changed while it was in use: leave the files alone until the run has ended");
    else
        status = prepare(&store->recipe, &file, pixels, error);
    mapped_file_close(&file);
    return status == GBV_OK ? status : error_prefix(error, status, "%s: ", from->path);
}

void image_store_read(image_store *store, size_t row, unsigned char *pixels)
{
    gbv_error error = {0};
    gbv_status status = image_store_decode(store, row, pixels, &error);
    if (status == GBV_OK)
        return;
    memset(pixels, 0, image_store_row_bytes(store));
#pragma omp critical(image_store_failure)
    if (row < store->failed_row) {
        store->failed_row = row;
        store->failure = error;
    }
}

gbv_status image_store_check(const image_store *store, gbv_error *error)
{
    gbv_status status = GBV_OK;
    if (!store)
        return GBV_OK;
#pragma omp critical(image_store_failure)
    if (store->failed_row != SIZE_MAX)
        status = error_set(error, store->failure.status, "%s", store->failure.message);
    return status;
}
