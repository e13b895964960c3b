#include "augment/canvas.h"

#include <math.h>

#include "augment/font.h"

gbv_status canvas_create(size_t height, size_t width, canvas_color paper, canvas *c, gbv_error *error)
{
    *c = (canvas){0};
    gbv_status status = image_make(&c->picture, height, width, 3, IMAGE_PIXELS, error);
    if (status == GBV_OK)
        canvas_fill(c, (canvas_box){0, 0, width, height}, paper);
    return status;
}

void canvas_free(canvas *c)
{
    image_free(&c->picture);
}

canvas_color canvas_mix(canvas_color from, canvas_color to, double share)
{
    canvas_color mixed = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        double a = from >> shift & 255, b = to >> shift & 255;
        mixed |= (canvas_color)lround(a + (b - a) * share) << shift;
    }
    return mixed;
}

static unsigned char *pixel_at(canvas *c, size_t x, size_t y)
{
    bool inside = x < c->picture.width && y < c->picture.height;
    return inside ? c->picture.pixels + (y * c->picture.width + x) * 3 : NULL;
}

static void set(canvas *c, size_t x, size_t y, canvas_color color)
{
    unsigned char *pixel = pixel_at(c, x, y);
    for (unsigned i = 0; pixel && i < 3; i++)
        pixel[i] = (unsigned char)(color >> (16 - 8 * i));
}

void canvas_fill(canvas *c, canvas_box box, canvas_color color)
{
    for (size_t y = box.y; y < box.y + box.height; y++)
        for (size_t x = box.x; x < box.x + box.width; x++)
            set(c, x, y, color);
}

void canvas_frame(canvas *c, canvas_box box, size_t thickness, canvas_color color)
{
    canvas_fill(c, (canvas_box){box.x, box.y, box.width, thickness}, color);
    canvas_fill(c, (canvas_box){box.x, box.y + box.height - thickness, box.width, thickness}, color);
    canvas_fill(c, (canvas_box){box.x, box.y, thickness, box.height}, color);
    canvas_fill(c, (canvas_box){box.x + box.width - thickness, box.y, thickness, box.height}, color);
}

void canvas_put(canvas *c, size_t x, size_t y, const image *picture)
{
    for (size_t row = 0; row < picture->height; row++)
        for (size_t column = 0; column < picture->width; column++) {
            const unsigned char *from = picture->pixels + (row * picture->width + column) * picture->channels;
            size_t green = picture->channels > 1, blue = 2 * green;
            set(c, x + column, y + row, (canvas_color)from[0] << 16 | (canvas_color)from[green] << 8 | from[blue]);
        }
}

/* 1 for a letter's pixel, 0 beside it. */
static double ink(const font_letter *letter, ptrdiff_t column, ptrdiff_t row)
{
    if (column < 0 || column >= FONT_COLUMNS || row < 0 || row >= FONT_ROWS)
        return 0;
    return letter->rows[row] >> (FONT_COLUMNS - 1 - column) & 1;
}

/* The grid of a letter, linear in between and cut off half-way up: corners get round, strokes keep their width. */
static double coverage(const font_letter *letter, double column, double row, double scale)
{
    double left = floor(column), top = floor(row), x = column - left, y = row - top;
    ptrdiff_t i = (ptrdiff_t)left, j = (ptrdiff_t)top;
    double above = ink(letter, i, j) * (1 - x) + ink(letter, i + 1, j) * x;
    double below = ink(letter, i, j + 1) * (1 - x) + ink(letter, i + 1, j + 1) * x;
    double height = above * (1 - y) + below * y;
    return fmin(fmax((height - 0.5) * scale + 0.5, 0), 1);
}

static void draw_letter(canvas *c, size_t left, size_t top, size_t scale, canvas_color color, char character)
{
    const font_letter *letter = font_letter_of(character);
    for (size_t y = 0; y < FONT_ROWS * scale; y++)
        for (size_t x = 0; x < FONT_COLUMNS * scale; x++) {
            unsigned char *pixel = pixel_at(c, left + x, top + y);
            double column = ((double)x + 0.5) / (double)scale - 0.5, row = ((double)y + 0.5) / (double)scale - 0.5;
            double share = coverage(letter, column, row, (double)scale);
            if (pixel && share > 0)
                set(c, left + x, top + y,
                    canvas_mix((canvas_color)pixel[0] << 16 | (canvas_color)pixel[1] << 8 | pixel[2], color, share));
        }
}

void canvas_text(canvas *c, size_t x, size_t y, size_t scale, canvas_color color, const char *text)
{
    for (; *text; text++) {
        draw_letter(c, x, y, scale, color, *text);
        x += (font_letter_width(*text) + 1) * scale;
    }
}

size_t canvas_text_width(size_t scale, const char *text)
{
    size_t columns = 0;
    for (const char *t = text; *t; t++)
        columns += font_letter_width(*t) + (t > text);
    return columns * scale;
}
