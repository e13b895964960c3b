/* image_jpeg.c - JPEG through libjpeg: baseline and progressive, gray, colour, CMYK and YCCK. Where libjpeg would warn
 * of damage and make something up, the image counts as broken. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/image.h"

enum {
    PIXELS_PER_BYTE = 512, /* at least one bit goes with 64 pixels */
    MOST_SCANS = 500       /* of a progressive image; a small file may ask for endless work */
};

/* All that changes lives here, so that no local variable is lost when libjpeg jumps out. */
typedef struct jpeg_reading {
    struct jpeg_decompress_struct decoder; /* first: libjpeg hands back a pointer to it */
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    image *out;
    unsigned char *line; /* of CMYK */
    char why[JMSG_LENGTH_MAX];
} jpeg_reading;

static void on_error(j_common_ptr decoder)
{
    jpeg_reading *r = (jpeg_reading *)decoder;
    decoder->err->format_message(decoder, r->why);
    longjmp(r->jump, 1);
}

/* Level -1 is damage, but for what says nothing about the pixels: odd versions, and padding between markers. */
static void on_message(j_common_ptr decoder, int level)
{
    int code = decoder->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM)
        on_error(decoder);
}

static void on_progress(j_common_ptr decoder)
{
    jpeg_reading *r = (jpeg_reading *)decoder;
    if (r->decoder.input_scan_number <= MOST_SCANS)
        return;
    snprintf(r->why, sizeof r->why, "it has more than %d scans", MOST_SCANS);
    longjmp(r->jump, 1);
}

/* Product of two shares of 255, rounded. */
static unsigned multiply(unsigned a, unsigned b)
{
    unsigned product = a * b + 128;
    return ((product >> 8) + product) >> 8;
}

/* Programs that write Adobe's marker store the inks inverted. */
static void store_cmyk(const jpeg_reading *r, unsigned char *out)
{
    unsigned flip = r->decoder.saw_Adobe_marker ? 255 : 0;
    for (size_t x = 0; x < r->out->width; x++) {
        const unsigned char *inks = r->line + 4 * x;
        unsigned white = 255 - (inks[3] ^ flip);
        for (size_t c = 0; c < 3; c++)
            out[3 * x + c] = (unsigned char)(white - multiply(inks[c] ^ flip, white));
    }
}

static gbv_status read_pixels(jpeg_reading *r, bool cmyk, gbv_error *error)
{
    struct jpeg_decompress_struct *decoder = &r->decoder;
    image *out = r->out;
    decoder->out_color_space = out->channels == 1 ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_RGB;
    if (cmyk && !(r->line = memory_array(out->width, 4)))
        return error_out_of_memory(error, "an image");
    jpeg_start_decompress(decoder);
    while (decoder->output_scanline < decoder->output_height) {
        unsigned char *row = out->pixels + decoder->output_scanline * out->width * out->channels;
        jpeg_read_scanlines(decoder, cmyk ? &r->line : &row, 1);
        if (cmyk)
            store_cmyk(r, row);
    }
    jpeg_finish_decompress(decoder);
    return GBV_OK;
}

static gbv_status read_jpeg(jpeg_reading *r, const unsigned char *bytes, size_t size, image_extent extent,
                            gbv_error *error)
{
    struct jpeg_decompress_struct *decoder = &r->decoder;
    if (setjmp(r->jump))
        return error_set(error, GBV_BAD_INPUT, "is a broken JPEG image (%s)", r->why);
    jpeg_create_decompress(decoder);
    decoder->progress = &r->progress;
    jpeg_mem_src(decoder, bytes, size);
    jpeg_read_header(decoder, TRUE);
    int components = decoder->num_components;
    if (components != 1 && components != 3 && components != 4)
        return error_set(error, GBV_BAD_INPUT, "is a JPEG image of %d colours; expected gray, colour or CMYK",
                         components);
    if ((size_t)decoder->image_height * decoder->image_width / PIXELS_PER_BYTE > size)
        return error_set(error, GBV_BAD_INPUT, "is a broken JPEG image (%u x %u pixels cannot be in %zu bytes)",
                         decoder->image_width, decoder->image_height, size);
    gbv_status status =
        image_make(r->out, decoder->image_height, decoder->image_width, components == 1 ? 1 : 3, extent, error);
    return status == GBV_OK && extent == IMAGE_PIXELS ? read_pixels(r, components == 4, error) : status;
}

gbv_status image_decode_jpeg(const unsigned char *bytes, size_t size, image_extent extent, image *out, gbv_error *error)
{
    *out = (image){0};
    jpeg_reading r = {.out = out, .progress.progress_monitor = on_progress};
    r.decoder.err = jpeg_std_error(&r.errors);
    r.errors.error_exit = on_error;
    r.errors.emit_message = on_message;
    gbv_status status = read_jpeg(&r, bytes, size, extent, error);
    jpeg_destroy_decompress(&r.decoder);
    free(r.line);
    if (status != GBV_OK)
        image_free(out);
    return status;
}
