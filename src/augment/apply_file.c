/* apply_file.c - one operator on one image file. */
#include <stdlib.h>

#include "augment/augment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/format/image.h"

static gbv_status read_image(const char *path, image *picture, gbv_error *error)
{
    mapped_file file;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    status = image_decode(file.bytes, file.size, IMAGE_PIXELS, picture, error);
    if (status != GBV_OK)
        error_prefix(error, status, "%s: ", path);
    mapped_file_close(&file);
    return status;
}

gbv_status gbv_augment_apply_file(const char *op, double magnitude, uint64_t seed, const char *in, const char *out,
                                  gbv_error *error)
{
    image picture = {0};
    unsigned char *planes = NULL;
    gbv_status status = read_image(in, &picture, error);
    if (status != GBV_OK)
        return status;
    size_t size = picture.height * picture.width * picture.channels;
    if (!(planes = memory_array(size, 2))) {
        status = error_out_of_memory(error, "an image");
        goto done;
    }
    image_store_planes(&picture, planes);
    status = gbv_augment_apply(op, magnitude, seed, picture.channels, picture.height, picture.width, planes,
                               planes + size, error);
    if (status == GBV_OK) {
        image_take_planes(&picture, planes + size);
        status = image_write(&picture, out, error);
    }
done:
    free(planes);
    image_free(&picture);
    return status;
}
