/* fuzz_image.c - any bytes at all, decoded as JPEG and as PNG; what is decoded can be converted and resized. */
#include <stdint.h>
#include <stdlib.h>

#include "data/format/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef gbv_status decoder(const unsigned char *bytes, size_t size, image_extent extent, image *out, gbv_error *error);

static void use(decoder *decode, const uint8_t *bytes, size_t size)
{
    image header, picture;
    gbv_error error;
    if (decode(bytes, size, IMAGE_PIXELS, &picture, &error) != GBV_OK)
        return;
    if (decode(bytes, size, IMAGE_HEADER, &header, &error) != GBV_OK || header.height != picture.height ||
        header.width != picture.width || header.channels != picture.channels)
        abort();
    static unsigned char planes[3 * 24 * 24];
    if (image_convert(&picture, picture.channels == 1 ? 3 : 1, &error) == GBV_OK &&
        image_resize(&picture, 1 + size % 24, 1 + size % 24, &error) == GBV_OK)
        image_store_planes(&picture, planes);
    image_free(&picture);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    use(image_decode_png, bytes, size);
    use(image_decode_jpeg, bytes, size);
    return 0;
}
