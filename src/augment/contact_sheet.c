/* contact_sheet.c - a picture of a policy: every augmentor on a few images, with how often it is drawn. An operator is
 * a row of cells, a cell an augmentor: the images side by side, under them a bar as long as the probability with a mark
 * at the prior, then magnitude and probability in figures. The more often it is drawn, the bluer the cell. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/augment.h"
#include "augment/canvas.h"
#include "augment/font.h"
#include "augment/gaussian_noise.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"
#include "data/format/image.h"
#include "data/sample.h"

enum {
    MOST_IMAGES = 8,
    COLUMNS = 5, /* cells beside each other; an operator with more takes more lines */
    MARGIN = 28,
    LABEL = 172, /* width of the operators' names */
    PADDING = 7, /* inside a cell */
    GAP = 10,    /* between cells */
    BAR = 5,
    TEXT = 2 * FONT_ROWS,
    HEAD = 96, /* height of the title and what is below it */
};

static const canvas_color paper = 0xfbfbf9, ink = 0x1f2933, faint = 0x7b8794, track = 0xdfe3e8, blue = 0x1c64a8,
                          light_blue = 0xbcd9f2, card = 0xf2f3f1;

typedef struct sheet {
    const gbv_policy *policy;
    size_t height, width, channels; /* of the images */
    size_t image_count, side;       /* of a thumbnail */
    size_t cell_width, cell_height;
    unsigned char *images; /* image_count, by channel, row, column */
    unsigned char *changed;
    float *floats; /* one image */
    image thumbnail;
    double most; /* the largest probability */
    canvas c;
} sheet;

/* How a network's pixels are normalised before GBV_NOISE_CODE is added to them. */
static const float imagenet_mean[] = {0.485f, 0.456f, 0.406f}, imagenet_deviation[] = {0.229f, 0.224f, 0.225f};

static void add_noise_of_code(sheet *s, const unsigned char *in, double magnitude, uint64_t key)
{
    size_t plane = s->height * s->width, size = plane * s->channels;
    for (size_t i = 0; i < size; i++)
        s->floats[i] = (float)in[i] / 255;
    gaussian_noise_normalised(s->floats, s->channels, plane, magnitude, key, imagenet_mean, imagenet_deviation);
    for (size_t i = 0; i < size; i++)
        s->changed[i] = (unsigned char)lrintf(fminf(fmaxf(s->floats[i], 0), 1) * 255);
}

/* The image, or what an augmentor makes of it, as a square of s->side. Small images show their pixels. */
static gbv_status make_thumbnail(sheet *s, const unsigned char *planes, gbv_error *error)
{
    size_t side = s->side, least = s->height < s->width ? s->height : s->width;
    image_free(&s->thumbnail);
    image whole = {0};
    gbv_status status = image_make(&whole, s->height, s->width, s->channels, IMAGE_PIXELS, error);
    if (status != GBV_OK)
        return status;
    image_take_planes(&whole, planes);
    if (least >= side) {
        status = image_resize(&whole, side, 0, error);
        s->thumbnail = whole;
        return status;
    }
    status = image_make(&s->thumbnail, side, side, s->channels, IMAGE_PIXELS, error);
    size_t top = (s->height - least) / 2, left = (s->width - least) / 2;
    for (size_t y = 0; status == GBV_OK && y < side; y++)
        for (size_t x = 0; x < side; x++) {
            size_t from = (top + y * least / side) * s->width + left + x * least / side;
            memcpy(s->thumbnail.pixels + (y * side + x) * s->channels, whole.pixels + from * s->channels, s->channels);
        }
    image_free(&whole);
    return status;
}

/* Signs that a coin decides are those of the image's place: both are seen. */
static gbv_status change_image(sheet *s, const gbv_augmentor *augmentor, size_t index, gbv_error *error)
{
    const unsigned char *in = s->images + index * s->height * s->width * s->channels;
    double magnitude = augmentor->coin && index % 2 ? -augmentor->magnitude : augmentor->magnitude;
    if (s->policy->noise == GBV_NOISE_CODE && augment_operator_of(augmentor->op) == &augment_gaussian_noise) {
        add_noise_of_code(s, in, magnitude, index);
        return GBV_OK;
    }
    return gbv_augment_apply(augmentor->op->name, magnitude, index, s->channels, s->height, s->width, in, s->changed,
                             error);
}

static gbv_status draw_images(sheet *s, size_t x, size_t y, const gbv_augmentor *augmentor, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; status == GBV_OK && i < s->image_count; i++, x += s->side + 2) {
        const unsigned char *shown = s->images + i * s->height * s->width * s->channels;
        if (augmentor) {
            if (augment_check(augmentor->op, augmentor->magnitude, s->height, s->width, NULL) != GBV_OK) {
                canvas_fill(&s->c, (canvas_box){x, y, s->side, s->side}, track);
                continue; /* the images are too small for it */
            }
            status = change_image(s, augmentor, i, error);
            shown = s->changed;
        }
        if (status == GBV_OK)
            status = make_thumbnail(s, shown, error);
        if (status == GBV_OK)
            canvas_put(&s->c, x, y, &s->thumbnail);
    }
    return status;
}

static void percent(char text[32], double share)
{
    double p = 100 * share;
    if (p > 0 && p < 0.01)
        snprintf(text, 32, "<0.01%%");
    else
        snprintf(text, 32, p >= 9.95 ? "%.0f%%" : p >= 0.095 || p == 0 ? "%.1f%%" : "%.2f%%", p);
}

static void draw_bar(sheet *s, size_t x, size_t y, size_t width, double share, double prior, double most)
{
    double room = (double)width / most;
    canvas_fill(&s->c, (canvas_box){x, y, width, BAR}, track);
    canvas_fill(&s->c, (canvas_box){x, y, (size_t)lround(fmin(share, most) * room), BAR}, blue);
    if (prior > 0 && prior <= most)
        canvas_fill(&s->c, (canvas_box){x + (size_t)lround(prior * room) - (prior == most), y - 2, 2, BAR + 4}, ink);
}

static gbv_status draw_cell(sheet *s, size_t x, size_t y, const gbv_policy_entry *entry, gbv_error *error)
{
    double p = entry->probability;
    char magnitude[64], share[32];
    canvas_box box = {x, y, s->cell_width, s->cell_height};
    size_t inner = box.width - 2 * PADDING, under = y + PADDING + s->side + 7;
    canvas_fill(&s->c, box, canvas_mix(card, light_blue, s->most > 0 ? p / s->most : 0));
    if (p == s->most)
        canvas_frame(&s->c, box, 2, blue);
    gbv_status status = draw_images(s, x + PADDING, y + PADDING, &entry->augmentor, error);
    draw_bar(s, x + PADDING, under, inner, p, entry->prior, s->most);
    snprintf(magnitude, sizeof magnitude, "%s%.4g",
             entry->augmentor.coin && entry->augmentor.magnitude != 0 ? FONT_PLUS_MINUS : "",
             entry->augmentor.magnitude);
    percent(share, p);
    if (entry->augmentor.op->has_magnitude)
        canvas_text(&s->c, x + PADDING, under + BAR + 7, 2, p > 0 ? ink : faint, magnitude);
    canvas_text(&s->c, x + PADDING + inner - canvas_text_width(2, share), under + BAR + 7, 2, p > 0 ? ink : faint,
                share);
    return status;
}

/* True for the first entry of its operator. */
static bool begins_row(const gbv_policy *policy, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (policy->entries[i].augmentor.op == policy->entries[index].augmentor.op)
            return false;
    return true;
}

/* Lines of cells of an operator, and its probability and prior. */
static size_t row_lines(const gbv_policy *policy, const gbv_operator *op, double *probability, double *prior)
{
    size_t cells = 0;
    *probability = *prior = 0;
    for (size_t i = 0; i < policy->count; i++)
        if (policy->entries[i].augmentor.op == op) {
            cells++;
            *probability += policy->entries[i].probability;
            *prior += policy->entries[i].prior;
        }
    return (cells + COLUMNS - 1) / COLUMNS;
}

static gbv_status draw_row(sheet *s, size_t y, const gbv_operator *op, double probability, double prior,
                           double most_of_rows, gbv_error *error)
{
    gbv_status status = GBV_OK;
    char share[32];
    size_t cell = 0;
    percent(share, probability);
    canvas_text(&s->c, MARGIN, y + PADDING, 2, ink, op->name);
    canvas_text(&s->c, MARGIN, y + PADDING + TEXT + 4, 2, faint, share);
    draw_bar(s, MARGIN, y + PADDING + 2 * TEXT + 12, LABEL - 40, probability, prior, most_of_rows);
    for (size_t i = 0; status == GBV_OK && i < s->policy->count; i++)
        if (s->policy->entries[i].augmentor.op == op) {
            status = draw_cell(s, MARGIN + LABEL + cell % COLUMNS * (s->cell_width + GAP),
                               y + cell / COLUMNS * (s->cell_height + GAP), &s->policy->entries[i], error);
            cell++;
        }
    return status;
}

static gbv_status draw_head(sheet *s, gbv_error *error)
{
    const gbv_policy *policy = s->policy;
    char line[512];
    size_t y = MARGIN + HEAD, right = MARGIN + LABEL + s->cell_width + 2 * GAP;
    canvas_text(&s->c, MARGIN, MARGIN, 4, ink, "What training does to an image");
    snprintf(line, sizeof line, "%zu augmentors, as many as %.1f equally likely ones%s%s%s%s%s", policy->count,
             policy->effective_augmentors, policy->measure ? "; by " : "", policy->measure ? policy->measure : "",
             policy->model ? " of " : "", policy->model ? policy->model : "",
             policy->images_scored ? " on these images" : "");
    canvas_text(&s->c, MARGIN, MARGIN + 52, 2, faint, line);
    canvas_text(&s->c, MARGIN, y + PADDING, 2, ink, "as they are");
    static const char *const legend[] = {"Every augmentor on the same images; the bluer, the more often it is drawn.",
                                         "Under each: magnitude, and its probability in percent and as a bar.",
                                         "The mark on a bar is the prior. The likeliest have a frame."};
    for (size_t i = 0; i < 3; i++)
        canvas_text(&s->c, right, y + PADDING + i * (TEXT + 8), 2, faint, legend[i]);
    return draw_images(s, MARGIN + LABEL + PADDING, y + PADDING, NULL, error);
}

static gbv_status draw_sheet(sheet *s, gbv_error *error)
{
    const gbv_policy *policy = s->policy;
    double probability, prior, most_of_rows = 0;
    size_t lines = 0, images = s->image_count;
    s->cell_width = images * s->side + (images - 1) * 2 + 2 * PADDING;
    s->cell_height = s->side + 2 * PADDING + 7 + BAR + 7 + TEXT;
    for (size_t i = 0; i < policy->count; i++) {
        s->most = fmax(s->most, policy->entries[i].probability);
        if (begins_row(policy, i)) {
            lines += row_lines(policy, policy->entries[i].augmentor.op, &probability, &prior);
            most_of_rows = fmax(most_of_rows, probability);
        }
    }
    size_t top = MARGIN + HEAD + s->side + 2 * PADDING + GAP;
    gbv_status status = canvas_create(top + lines * (s->cell_height + GAP) - GAP + MARGIN,
                                      2 * MARGIN + LABEL + COLUMNS * (s->cell_width + GAP) - GAP, paper, &s->c, error);
    if (status == GBV_OK)
        status = draw_head(s, error);
    for (size_t i = 0; status == GBV_OK && i < policy->count; i++)
        if (begins_row(policy, i)) {
            const gbv_operator *op = policy->entries[i].augmentor.op;
            lines = row_lines(policy, op, &probability, &prior);
            status = draw_row(s, top, op, probability, prior, most_of_rows, error);
            top += lines * (s->cell_height + GAP);
        }
    return status;
}

/* Images from all over the dataset, so that they are not all of its first class. */
static gbv_status read_images(sheet *s, const gbv_dataset *dataset, gbv_error *error)
{
    size_t rows[MOST_IMAGES] = {0};
    for (size_t i = 0; i < s->image_count; i++) {
        rows[i] = (2 * i + 1) * dataset->row_count / (2 * s->image_count);
        if (dataset->row_index)
            rows[i] = dataset->row_index[rows[i]];
    }
    sample_part part = sample_part_of(dataset, rows, s->image_count, NULL, NULL);
    sample images = sample_of(&part);
    gbv_image_shape shape = sample_shape(&images);
    if (!shape.height || !shape.width || !sample_is_bytes(&images) || (shape.channels != 1 && shape.channels != 3))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: the rows are no images of bytes, gray or in colour, so that there is nothing to look at: "
                         "give a folder of images",
                         dataset->name);
    s->height = shape.height;
    s->width = shape.width;
    s->channels = shape.channels;
    size_t size = s->height * s->width * s->channels;
    s->images = memory_array(size, s->image_count);
    s->changed = memory_array(size, 1);
    s->floats = memory_array(size, sizeof *s->floats);
    if (!s->images || !s->changed || !s->floats)
        return error_out_of_memory(error, "the images of a contact sheet");
    static const size_t order[MOST_IMAGES] = {0, 1, 2, 3, 4, 5, 6, 7};
    return sample_images(&images, order, s->image_count, 1, s->images, NULL, error);
}

gbv_status gbv_contact_sheet_check(size_t image_count, const char *path, gbv_error *error)
{
    if (image_count == 0 || image_count > MOST_IMAGES)
        return error_set(error, GBV_USAGE, "a contact sheet of %zu images: give 1 to %d", image_count, MOST_IMAGES);
    return image_check_path(path, error);
}

gbv_status gbv_contact_sheet_write(const gbv_policy *policy, const gbv_dataset *images, size_t image_count,
                                   const char *path, gbv_error *error)
{
    gbv_status status = gbv_contact_sheet_check(image_count, path, error);
    if (status != GBV_OK)
        return status;
    if (policy->count == 0 || images->row_count == 0)
        return error_set(error, GBV_BAD_INPUT, "%s: a contact sheet needs an augmentor and an image; there is none",
                         images->name);
    sheet s = {.policy = policy, .image_count = image_count < images->row_count ? image_count : images->row_count};
    s.side = s.image_count == 1 ? 144 : s.image_count < 4 ? 96 : 288 / s.image_count;
    locale_t callers = uselocale(number_locale());
    status = read_images(&s, images, error);
    if (status == GBV_OK)
        status = draw_sheet(&s, error);
    uselocale(callers);
    if (status == GBV_OK)
        status = image_write(&s.c.picture, path, error);
    image_free(&s.thumbnail);
    canvas_free(&s.c);
    free(s.images);
    free(s.changed);
    free(s.floats);
    return status;
}
