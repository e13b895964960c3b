/* image_png.c - PNG through libpng: palettes, 1 to 16 bits, interlaced; transparency is dropped. A checksum that is
 * wrong, or anything libpng would only warn of, counts as damage. */
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/image.h"
#include "data/format/inflate.h"

/* All that changes lives here, so that no local variable is lost when libpng jumps out. */
typedef struct png_reading {
    png_structp png;
    png_infop info;
    const unsigned char *bytes;
    size_t size, at;
    image *out;
    png_bytep *rows;
    char why[128];
} png_reading;

static void on_error(png_structp png, png_const_charp message)
{
    png_reading *r = png_get_error_ptr(png);
    snprintf(r->why, sizeof r->why, "%s", message);
    png_longjmp(png, 1);
}

static void read_bytes(png_structp png, png_bytep out, size_t count)
{
    png_reading *r = png_get_io_ptr(png);
    if (count > r->size - r->at)
        png_error(png, "it ends too early");
    memcpy(out, r->bytes + r->at, count);
    r->at += count;
}

/* Only what makes the pixels is looked at: colour profiles and texts of real files are often faulty. */
static void open_reader(png_reading *r)
{
    png_set_read_fn(r->png, r, read_bytes);
    png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(r->png, 0);
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, (png_const_bytep) "tRNS", 1);
}

static void ask_for_bytes(png_reading *r)
{
    int color = png_get_color_type(r->png, r->info), depth = png_get_bit_depth(r->png, r->info);
    if (color == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(r->png);
    if (color == PNG_COLOR_TYPE_GRAY && depth < 8)
        png_set_expand_gray_1_2_4_to_8(r->png);
    if (depth == 16)
        png_set_scale_16(r->png);
    if (color & PNG_COLOR_MASK_ALPHA)
        png_set_strip_alpha(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
}

static gbv_status read_pixels(png_reading *r, gbv_error *error)
{
    image *out = r->out;
    size_t stride = out->width * out->channels;
    ask_for_bytes(r);
    if (png_get_rowbytes(r->png, r->info) != stride)
        png_error(r->png, "its rows have an unexpected length");
    if (!(r->rows = memory_array(out->height, sizeof *r->rows)))
        return error_out_of_memory(error, "an image");
    for (size_t y = 0; y < out->height; y++)
        r->rows[y] = out->pixels + y * stride;
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
    return GBV_OK;
}

static gbv_status read_png(png_reading *r, image_extent extent, gbv_error *error)
{
    if (setjmp(png_jmpbuf(r->png)))
        return error_set(error, GBV_BAD_INPUT, "is a broken PNG image (%s)", r->why);
    open_reader(r);
    png_read_info(r->png, r->info);
    size_t height = png_get_image_height(r->png, r->info), width = png_get_image_width(r->png, r->info);
    bool gray = !(png_get_color_type(r->png, r->info) & PNG_COLOR_MASK_COLOR);
    if (width && height <= IMAGE_MOST_PIXELS / width &&
        png_get_rowbytes(r->png, r->info) * height / INFLATE_RATIO > r->size)
        png_error(r->png, "it is too short for its size in pixels");
    gbv_status status = image_make(r->out, height, width, gray ? 1 : 3, extent, error);
    return status == GBV_OK && extent == IMAGE_PIXELS ? read_pixels(r, error) : status;
}

gbv_status image_decode_png(const unsigned char *bytes, size_t size, image_extent extent, image *out, gbv_error *error)
{
    *out = (image){0};
    png_reading r = {.bytes = bytes, .size = size, .out = out};
    gbv_status status;
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_error);
    if (r.png)
        r.info = png_create_info_struct(r.png);
    status = r.info ? read_png(&r, extent, error) : error_out_of_memory(error, "an image");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    free(r.rows);
    if (status != GBV_OK)
        image_free(out);
    return status;
}
