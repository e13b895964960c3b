/* image_write.c - an image as a PNG or JPEG file, which appears whole or not at all. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <jpeglib.h>
#include <png.h>

#include "base/error.h"
#include "base/output.h"
#include "data/format/image.h"

enum { JPEG_QUALITY = 95 };

/* What was said when libpng or libjpeg gave up. */
typedef struct writing {
    const image *picture;
    FILE *stream;
    jmp_buf jump;
    char why[JMSG_LENGTH_MAX];
} writing;

static void on_png_error(png_structp png, png_const_charp message)
{
    writing *w = png_get_error_ptr(png);
    snprintf(w->why, sizeof w->why, "%s", message);
    longjmp(w->jump, 1);
}

static void on_png_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static bool write_png(writing *w)
{
    const image *picture = w->picture;
    png_structp volatile png = png_create_write_struct(PNG_LIBPNG_VER_STRING, w, on_png_error, on_png_warning);
    png_infop volatile info = png ? png_create_info_struct(png) : NULL;
    png_structp png_made = png;
    png_infop info_made = info;
    bool written = false;
    if (!info) {
        snprintf(w->why, sizeof w->why, "there is not enough memory");
    } else if (!setjmp(w->jump)) {
        png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
        png_init_io(png, w->stream);
        png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
                     picture->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        for (size_t y = 0; y < picture->height; y++)
            png_write_row(png, picture->pixels + y * picture->width * picture->channels);
        png_write_end(png, NULL);
        written = true;
    }
    png_destroy_write_struct(&png_made, &info_made);
    return written;
}

typedef struct jpeg_writing {
    struct jpeg_compress_struct encoder; /* first: libjpeg hands back a pointer to it */
    struct jpeg_error_mgr errors;
    writing *w;
} jpeg_writing;

static void on_jpeg_error(j_common_ptr encoder)
{
    jpeg_writing *j = (jpeg_writing *)encoder;
    encoder->err->format_message(encoder, j->w->why);
    longjmp(j->w->jump, 1);
}

static bool write_jpeg(writing *w)
{
    const image *picture = w->picture;
    jpeg_writing j = {.w = w};
    j.encoder.err = jpeg_std_error(&j.errors);
    j.errors.error_exit = on_jpeg_error;
    if (setjmp(w->jump)) {
        jpeg_destroy_compress(&j.encoder);
        return false;
    }
    jpeg_create_compress(&j.encoder);
    jpeg_stdio_dest(&j.encoder, w->stream);
    j.encoder.image_width = (JDIMENSION)picture->width;
    j.encoder.image_height = (JDIMENSION)picture->height;
    j.encoder.input_components = (int)picture->channels;
    j.encoder.in_color_space = picture->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&j.encoder);
    jpeg_set_quality(&j.encoder, JPEG_QUALITY, TRUE);
    jpeg_start_compress(&j.encoder, TRUE);
    while (j.encoder.next_scanline < j.encoder.image_height) {
        JSAMPROW row = picture->pixels + j.encoder.next_scanline * picture->width * picture->channels;
        jpeg_write_scanlines(&j.encoder, &row, 1);
    }
    jpeg_finish_compress(&j.encoder);
    jpeg_destroy_compress(&j.encoder);
    return true;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length > end && strcasecmp(path + length - end, ending) == 0;
}

gbv_status image_check_path(const char *path, gbv_error *error)
{
    if (ends_with(path, ".png") || ends_with(path, ".jpg") || ends_with(path, ".jpeg"))
        return GBV_OK;
    return error_set(error, GBV_USAGE, "%s: is to be an image of what kind? Let its name end in .png or .jpg", path);
}

gbv_status image_write(const image *picture, const char *path, gbv_error *error)
{
    output_file output;
    writing w = {.picture = picture};
    gbv_status status = image_check_path(path, error);
    if (status == GBV_OK)
        status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    w.stream = output.stream;
    bool written = ends_with(path, ".png") ? write_png(&w) : write_jpeg(&w);
    if (written)
        return output_commit(&output, error);
    status = output_check(output.stream, path, error); /* says why when the disk is full */
    if (status == GBV_OK)
        status = error_set(error, GBV_FAILED, "%s: could not be written as an image of %zu x %zu pixels (%s)", path,
                           picture->width, picture->height, w.why);
    output_abandon(&output);
    return status;
}
