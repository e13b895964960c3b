/* albumentations_operators.c - each operator as a transform of albumentations. */
#include "report/export/albumentations.h"

#include <math.h>
#include <string.h>

typedef void write_transform(json_writer *json, const albumentations_augmentor *a);

static void begin(json_writer *json, const char *transform, double probability)
{
    json_begin_object(json, NULL);
    json->compact = true; /* an augmentor is a line */
    json_text(json, "__class_fullname__", transform);
    json_number(json, "p", probability);
}

/* A range that holds one value: nothing is left to draw. */
static void fixed(json_writer *json, const char *key, double value)
{
    json_begin_array(json, key);
    json_number(json, NULL, value);
    json_number(json, NULL, value);
    json_end(json);
}

static void fixed_pair(json_writer *json, const char *key, double x, double y)
{
    json_begin_object(json, key);
    fixed(json, "x", x);
    fixed(json, "y", y);
    json_end(json);
}

/* OpenCV's nearest neighbour with a black border; the caller ends it. */
static void begin_affine(json_writer *json, const albumentations_augmentor *a)
{
    begin(json, "Affine", a->probability);
    json_count(json, "interpolation", 0);
    json_count(json, "border_mode", 0);
    json_count(json, "fill", 0);
}

/* gbv shears about the upper left corner, Affine about the middle and moves the image by whole pixels: back by half of
 * what the far side was moved. Without a size the image is taken for a square. */
static void write_shear(json_writer *json, const albumentations_augmentor *a)
{
    bool along_x = strcmp(a->op, "shear_x") == 0;
    double degrees = atan(a->magnitude) * 180 / M_PI, side = (double)(along_x ? a->height : a->width);
    double back = side > 0 ? 0 - nearbyint(a->magnitude * side / 2) : 0 - a->magnitude / 2;
    begin_affine(json, a);
    fixed_pair(json, "shear", along_x ? degrees : 0, along_x ? 0 : degrees);
    fixed_pair(json, side > 0 ? "translate_px" : "translate_percent", along_x ? back : 0, along_x ? 0 : back);
    json_end(json);
}

static void write_translate(json_writer *json, const albumentations_augmentor *a)
{
    bool along_x = strcmp(a->op, "translate_x") == 0;
    begin_affine(json, a);
    fixed_pair(json, "translate_px", along_x ? trunc(a->magnitude) : 0, along_x ? 0 : trunc(a->magnitude));
    json_end(json);
}

static void write_rotate(json_writer *json, const albumentations_augmentor *a)
{
    begin_affine(json, a);
    fixed(json, "rotate", a->magnitude);
    json_end(json);
}

static void write_jitter(json_writer *json, double p, double brightness, double contrast, double saturation, double hue)
{
    begin(json, "ColorJitter", p);
    fixed(json, "brightness", brightness);
    fixed(json, "contrast", contrast);
    fixed(json, "saturation", saturation);
    fixed(json, "hue", hue);
    json_end(json);
}

static void write_brightness(json_writer *json, const albumentations_augmentor *a)
{
    write_jitter(json, a->probability, fmax(a->magnitude, 0), 1, 1, 0); /* below zero all is black, too */
}

static void begin_sequence(json_writer *json, const albumentations_augmentor *a)
{
    begin(json, "Sequential", a->probability);
    json_begin_array(json, "transforms");
}

static void end_sequence(json_writer *json)
{
    json_end(json);
    json_end(json);
}

static void write_color(json_writer *json, const albumentations_augmentor *a)
{
    if (a->magnitude >= 0) {
        write_jitter(json, a->probability, 1, 1, a->magnitude, 0);
        return;
    }
    begin_sequence(json, a);
    write_jitter(json, 1, 1, 1, 1, 0.5); /* the opposite hue */
    write_jitter(json, 1, 1, 1, -a->magnitude, 0);
    end_sequence(json);
}

/* factor * pixel + shift * mean of the image, or * white. */
static void write_linear(json_writer *json, double p, double factor, double shift, bool of_white)
{
    begin(json, "RandomBrightnessContrast", p);
    fixed(json, "brightness_limit", shift);
    fixed(json, "contrast_limit", factor - 1);
    json_bool(json, "brightness_by_max", of_white);
    json_bool(json, "ensure_safe_range", false);
    json_end(json);
}

static void write_contrast(json_writer *json, const albumentations_augmentor *a)
{
    if (a->magnitude >= 0)
        write_jitter(json, a->probability, 1, a->magnitude, 1, 0);
    else
        write_linear(json, a->probability, a->magnitude, 1 - a->magnitude, false);
}

/* The image less its 3 x 3 smoothing [1 1 1; 1 5 1; 1 1 1] / 13 has weights below zero around the middle, as Sharpen
 * has, when the factor is above 1; below 1 it is a blur, whose middle pixel weighs the same here. */
static void write_sharpness(json_writer *json, const albumentations_augmentor *a)
{
    double factor = a->magnitude;
    if (factor >= 1) {
        begin(json, "Sharpen", a->probability);
        fixed(json, "alpha", (factor - 1) / 13);
        fixed(json, "lightness", 1);
        json_text(json, "method", "kernel");
    } else if (factor < 0) {
        begin(json, "Blur", a->probability);
        fixed(json, "blur_limit", 3);
    } else {
        double middle = sqrt(factor + (1 - factor) * 5 / 13), beside = (1 / middle - 1) / 2;
        begin(json, "GaussianBlur", a->probability);
        fixed(json, "blur_limit", 3);
        fixed(json, "sigma_limit", sqrt(-1 / (2 * log(beside))));
    }
    json_end(json);
}

static void write_nothing(json_writer *json, const albumentations_augmentor *a)
{
    begin(json, "NoOp", a->probability);
    json_end(json);
}

static void write_posterize(json_writer *json, const albumentations_augmentor *a)
{
    if (a->magnitude >= 8) { /* which Posterize refuses */
        write_nothing(json, a);
        return;
    }
    begin(json, "Posterize", a->probability);
    fixed(json, "num_bits", trunc(a->magnitude));
    json_end(json);
}

static void write_solarize(json_writer *json, const albumentations_augmentor *a)
{
    if (a->magnitude > 255) {
        write_nothing(json, a);
        return;
    }
    begin(json, "Solarize", a->probability);
    fixed(json, "threshold_range", a->magnitude / 255);
    json_end(json);
}

static void write_blur(json_writer *json, const albumentations_augmentor *a)
{
    begin(json, "GaussianBlur", a->probability);
    fixed(json, "blur_limit", 11);
    fixed(json, "sigma_limit", a->magnitude);
    json_end(json);
}

/* (pixel - mean) / deviation, in floats and not cut. One number serves any number of channels. */
static void write_normalise(json_writer *json, const double *mean, const double *deviation, size_t channels,
                            double white)
{
    begin(json, "Normalize", 1);
    for (int of = 0; of < 2; of++) {
        const double *numbers = of ? deviation : mean;
        const char *key = of ? "std" : "mean";
        if (channels == 1) {
            json_number(json, key, numbers[0]);
            continue;
        }
        json_begin_array(json, key);
        for (size_t c = 0; c < channels; c++)
            json_number(json, NULL, numbers[c]);
        json_end(json);
    }
    json_number(json, "max_pixel_value", white);
    json_text(json, "normalization", "standard");
    json_end(json);
}

/* GaussNoise takes deviations up to 1 and cuts to 0..1. So pixels (normalised ones, by the noise of the code) are first
 * drawn together about 1/2 by the deviation where it is above 1, and apart again after it, then cut: what was cut
 * before lies outside of 0..1 then. */
static void write_noise(json_writer *json, const albumentations_augmentor *a)
{
    static const double means[] = {0.485, 0.456, 0.406}, deviations[] = {0.229, 0.224, 0.225};
    bool code = a->noise == GBV_NOISE_CODE;
    size_t channels = code ? 3 : 1;
    double closer = fmax(a->magnitude, 1), mean[3], deviation[3], mean_back[3], deviation_back[3];
    for (size_t c = 0; c < channels; c++) {
        double m = code ? means[c] : 0, d = code ? deviations[c] : 1;
        mean[c] = m + d * (1 - closer) / 2;
        deviation[c] = d * closer;
        mean_back[c] = -m / d;
        deviation_back[c] = 1 / d;
    }
    begin_sequence(json, a);
    write_normalise(json, mean, deviation, channels, 255);
    begin(json, "GaussNoise", 1);
    fixed(json, "std_range", a->magnitude / closer);
    fixed(json, "mean_range", 0);
    json_bool(json, "per_channel", true);
    json_number(json, "noise_scale_factor", 1);
    json_end(json);
    if (closer > 1)
        write_linear(json, 1, closer, (1 - closer) / 2, true);
    if (code)
        write_normalise(json, mean_back, deviation_back, channels, 1);
    begin(json, "FromFloat", 1);
    json_text(json, "dtype", "uint8");
    json_number(json, "max_value", 255);
    json_end(json);
    end_sequence(json);
}

static void write_auto_contrast(json_writer *json, const albumentations_augmentor *a)
{
    begin(json, "AutoContrast", a->probability);
    json_count(json, "cutoff", 0);
    json_text(json, "method", "pil");
    json_end(json);
}

static void write_equalize(json_writer *json, const albumentations_augmentor *a)
{
    begin(json, "Equalize", a->probability);
    json_text(json, "mode", "pil");
    json_bool(json, "by_channels", true);
    json_end(json);
}

static void write_invert(json_writer *json, const albumentations_augmentor *a)
{
    begin(json, "InvertImg", a->probability);
    json_end(json);
}

static const struct {
    const char *op;
    write_transform *write;
    albumentations_note note; /* whatever the magnitude */
} operators[] = {
    {"shear_x", write_shear, ALBUMENTATIONS_SHEAR},
    {"shear_y", write_shear, ALBUMENTATIONS_SHEAR},
    {"translate_x", write_translate, ALBUMENTATIONS_EXACT},
    {"translate_y", write_translate, ALBUMENTATIONS_EXACT},
    {"rotate", write_rotate, ALBUMENTATIONS_ROTATE},
    {"brightness", write_brightness, ALBUMENTATIONS_EXACT},
    {"color", write_color, ALBUMENTATIONS_EXACT},
    {"contrast", write_contrast, ALBUMENTATIONS_EXACT},
    {"sharpness", write_sharpness, ALBUMENTATIONS_EXACT},
    {"posterize", write_posterize, ALBUMENTATIONS_EXACT},
    {"solarize", write_solarize, ALBUMENTATIONS_EXACT},
    {"gaussian_blur", write_blur, ALBUMENTATIONS_EXACT},
    {"gaussian_noise", write_noise, ALBUMENTATIONS_EXACT},
    {"auto_contrast", write_auto_contrast, ALBUMENTATIONS_EXACT},
    {"equalize", write_equalize, ALBUMENTATIONS_EQUALIZE},
    {"invert", write_invert, ALBUMENTATIONS_EXACT},
    {NULL, write_nothing, ALBUMENTATIONS_UNKNOWN},
};

static size_t find(const char *op)
{
    size_t i = 0;
    while (operators[i].op && strcmp(operators[i].op, op) != 0)
        i++;
    return i;
}

albumentations_note albumentations_note_of(const albumentations_augmentor *a)
{
    size_t i = find(a->op);
    double m = a->magnitude;
    if (operators[i].write == write_sharpness && m != 1)
        return m > 1 ? ALBUMENTATIONS_SHARPER : m < 0 ? ALBUMENTATIONS_BLURRED : ALBUMENTATIONS_SMOOTHER;
    if (operators[i].write == write_color && m < 0)
        return ALBUMENTATIONS_COLOR;
    if (operators[i].write == write_contrast && m < 0)
        return ALBUMENTATIONS_CONTRAST;
    if (operators[i].write == write_noise && a->noise == GBV_NOISE_CODE)
        return ALBUMENTATIONS_NOISE;
    return (operators[i].write == write_shear || operators[i].write == write_rotate) && m == 0 ? ALBUMENTATIONS_EXACT
                                                                                               : operators[i].note;
}

void albumentations_write(json_writer *json, const albumentations_augmentor *a)
{
    operators[find(a->op)].write(json, a);
}
