/* image.h - one picture on its way from a file to a row of pixels. JPEG and PNG are decoded from memory; what goes
 * wrong is a phrase that the caller puts behind the file's name ("is a broken PNG image (...)").
 *
 *     image picture = {0};
 *     status = image_decode(bytes, size, IMAGE_PIXELS, &picture, error);
 *     status = image_convert(&picture, 3, error);
 *     status = image_resize(&picture, 256, 224, error);
 *     image_store_planes(&picture, row);
 *     image_free(&picture);
 */
#ifndef DATA_FORMAT_IMAGE_H
#define DATA_FORMAT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <gbv/status.h>

/* The most pixels an image may claim to have, checked before memory is asked for. */
#define IMAGE_MOST_PIXELS ((size_t)1 << 28)
enum { IMAGE_MOST_SIDE = 1 << 14 }; /* of a resized one */

typedef struct image {
    size_t height, width, channels; /* channels: 1 is gray, 3 is red, green, blue */
    unsigned char *pixels;          /* by row, column, channel; NULL when only the header was read */
} image;

typedef enum image_extent { IMAGE_HEADER, IMAGE_PIXELS } image_extent;

/* True for the first bytes of a JPEG or PNG file. */
bool image_recognise(const unsigned char *bytes, size_t size);

/* Fails with GBV_BAD_INPUT for what is no image, damaged (also by what decoders only warn of) or too large. */
GBV_MUST_CHECK gbv_status image_decode(const unsigned char *bytes, size_t size, image_extent extent, image *out,
                                       gbv_error *error);
GBV_MUST_CHECK gbv_status image_decode_png(const unsigned char *bytes, size_t size, image_extent extent, image *out,
                                           gbv_error *error);
GBV_MUST_CHECK gbv_status image_decode_jpeg(const unsigned char *bytes, size_t size, image_extent extent, image *out,
                                            gbv_error *error);

/* For the decoders: refuses a size out of bounds; else sets it and, for IMAGE_PIXELS, gives the image memory. */
GBV_MUST_CHECK gbv_status image_make(image *out, size_t height, size_t width, size_t channels, image_extent extent,
                                     gbv_error *error);
void image_free(image *picture);

/* Gray from colour by ITU-R 601-2 luma, colour from gray by repetition. */
GBV_MUST_CHECK gbv_status image_convert(image *picture, size_t channels, gbv_error *error);
/* The shorter side becomes `side` (0: as it is), the longer one in proportion, rounded down; bilinear, averaging when
 * it shrinks. Then the middle crop x crop are kept, with zeros around an image that is smaller; 0: as many as `side`.
 * To the bit what torchvision's Resize and CenterCrop make of a Pillow image. */
GBV_MUST_CHECK gbv_status image_resize(image *picture, size_t side, size_t crop, gbv_error *error);
/* Writes height * width * channels bytes by channel, row, column. */
void image_store_planes(const image *picture, unsigned char *out);
/* The way back. */
void image_take_planes(image *picture, const unsigned char *planes);

/* GBV_USAGE where image_write would not know from its ending what to write; for callers with much to do before. */
GBV_MUST_CHECK gbv_status image_check_path(const char *path, gbv_error *error);

/* As PNG (.png) or JPEG (.jpg, .jpeg; quality 95), by the ending of the path: GBV_USAGE for any other. The file appears
 * whole or not at all. */
GBV_MUST_CHECK gbv_status image_write(const image *picture, const char *path, gbv_error *error);

#endif
