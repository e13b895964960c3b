/* test_plain.c - every operator against plain code, written the way Pillow and torchvision state it, on images of many
 * sizes: one pixel, one row, smaller than a kernel, grey and colour. */
#include "augment_support.h"

static int at(const planes *p, size_t c, long x, long y)
{
    bool inside = x >= 0 && y >= 0 && x < (long)p->width && y < (long)p->height;
    return inside ? p->bytes[(c * p->height + (size_t)y) * p->width + (size_t)x] : 0;
}

static int grey_at(const planes *p, long x, long y)
{
    if (p->channels == 1)
        return at(p, 0, x, y);
    return (19595 * at(p, 0, x, y) + 38470 * at(p, 1, x, y) + 7471 * at(p, 2, x, y) + 32768) >> 16;
}

/* Pillow's blend in float32: cut within 0..1, bounded beyond. The product must not be fused with the sum. */
static int blended(int poorer, int rich, double magnitude)
{
    float factor = (float)magnitude;
    volatile float product = factor * (float)(rich - poorer);
    float mixed = (float)poorer + product;
    if (factor >= 0 && factor <= 1)
        return (unsigned char)mixed;
    return mixed <= 0 ? 0 : mixed >= 255 ? 255 : (unsigned char)mixed;
}

static int mean_grey(const planes *p)
{
    double sum = 0;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            sum += grey_at(p, (long)x, (long)y);
    return (int)(sum / (double)(p->height * p->width) + 0.5);
}

/* In float32 and in Pillow's order: the row below, this one, the one above. */
static int smoothed(const planes *p, size_t c, long x, long y)
{
    if (x == 0 || y == 0 || x + 1 == (long)p->width || y + 1 == (long)p->height)
        return at(p, c, x, y);
    float sum = 0.5f;
    for (long row = 1; row >= -1; row--) {
        volatile float part = (float)at(p, c, x - 1, y + row) * (1.0f / 13);
        volatile float middle = (float)at(p, c, x, y + row) * ((row == 0 ? 5.0f : 1.0f) / 13);
        volatile float last = (float)at(p, c, x + 1, y + row) * (1.0f / 13);
        sum += part + middle + last;
    }
    return sum >= 255 ? 255 : (int)sum;
}

static long turned(double value)
{
    return (long)floor(value * 65536 + 0.5);
}

/* Where a pixel comes from, by 16.16 fixed point. */
static int seen_through(const planes *p, size_t c, long x, long y, const double map[6])
{
    long from_x = turned(map[2] + 0.5 * map[0] + 0.5 * map[1]) + x * turned(map[0]) + y * turned(map[1]);
    long from_y = turned(map[5] + 0.5 * map[3] + 0.5 * map[4]) + x * turned(map[3]) + y * turned(map[4]);
    return at(p, c, from_x >> 16, from_y >> 16);
}

static int rotated(const planes *p, size_t c, long x, long y, double degrees)
{
    double angle = -degrees * M_PI / 180, cx = (double)p->width / 2, cy = (double)p->height / 2;
    double cosine = round(cos(angle) * 1e15) / 1e15, sine = round(sin(angle) * 1e15) / 1e15;
    const double map[6] = {cosine, sine, -cosine * cx - sine * cy + cx, -sine, cosine, sine * cx - cosine * cy + cy};
    long w = (long)p->width, h = (long)p->height;
    if (degrees == 0)
        return at(p, c, x, y);
    if (fabs(degrees) == 180)
        return at(p, c, w - 1 - x, h - 1 - y);
    if (fabs(degrees) == 90 && w == h)
        return degrees > 0 ? at(p, c, w - 1 - y, x) : at(p, c, y, h - 1 - x);
    return seen_through(p, c, x, y, map);
}

static void histogram_of(const planes *p, size_t c, long histogram[256])
{
    memset(histogram, 0, 256 * sizeof *histogram);
    for (size_t i = 0; i < p->height * p->width; i++)
        histogram[p->bytes[c * p->height * p->width + i]]++;
}

static int stretched(const planes *p, size_t c, int value)
{
    long histogram[256];
    int low = 0, high = 255;
    histogram_of(p, c, histogram);
    while (!histogram[low])
        low++;
    while (!histogram[high])
        high--;
    if (high <= low)
        return value;
    double scale = 255.0 / (high - low), offset = -low * scale;
    int made = (int)(value * scale + offset);
    return made < 0 ? 0 : made > 255 ? 255 : made;
}

static int equalized(const planes *p, size_t c, int value)
{
    long histogram[256], bins = 0, last = 0, sum = 0;
    histogram_of(p, c, histogram);
    for (int v = 0; v < 256; v++)
        if (histogram[v]) {
            bins++;
            last = histogram[v];
            sum += histogram[v];
        }
    long step = (sum - last) / 255, n = step / 2;
    if (bins <= 1 || step == 0)
        return value;
    for (int v = 0; v < value; v++)
        n += histogram[v];
    return n / step > 255 ? 255 : (int)(n / step);
}

static long mirror(long place, long side)
{
    while (side > 1 && (place < 0 || place >= side))
        place = place < 0 ? -place : 2 * (side - 1) - place;
    return side > 1 ? place : 0;
}

static double blurred(const planes *p, size_t c, long x, long y, double deviation)
{
    static double made_for, weights[11][11];
    double sum = 0, total = 0;
    for (long dy = -5; dy <= 5 && made_for != deviation; dy++)
        for (long dx = -5; dx <= 5; dx++)
            weights[dy + 5][dx + 5] = exp(-(double)(dx * dx + dy * dy) / (2 * deviation * deviation));
    made_for = deviation;
    for (long dy = -5; dy <= 5; dy++)
        for (long dx = -5; dx <= 5; dx++) {
            double weight = weights[dy + 5][dx + 5];
            sum += weight * at(p, c, mirror(x + dx, (long)p->width), mirror(y + dy, (long)p->height));
            total += weight;
        }
    return sum / total;
}

/* What is found by looking at the whole image. */
typedef struct whole {
    int mean, table[3][256];
} whole;

static whole whole_of(const planes *p, const char *op)
{
    whole w = {0};
    if (strcmp(op, "contrast") == 0)
        w.mean = mean_grey(p);
    int (*map)(const planes *, size_t, int) = strcmp(op, "auto_contrast") == 0 ? stretched
                                              : strcmp(op, "equalize") == 0    ? equalized
                                                                               : NULL;
    for (size_t c = 0; map && c < p->channels; c++)
        for (int value = 0; value < 256; value++)
            w.table[c][value] = map(p, c, value);
    return w;
}

static int plain_pixel(const planes *p, const char *op, double m, size_t c, long x, long y, const whole *w)
{
    int value = at(p, c, x, y);
    if (strcmp(op, "shear_x") == 0)
        return seen_through(p, c, x, y, (const double[]){1, m, 0, 0, 1, 0});
    if (strcmp(op, "shear_y") == 0)
        return seen_through(p, c, x, y, (const double[]){1, 0, 0, m, 1, 0});
    if (strcmp(op, "translate_x") == 0)
        return at(p, c, x - (long)m, y);
    if (strcmp(op, "translate_y") == 0)
        return at(p, c, x, y - (long)m);
    if (strcmp(op, "rotate") == 0)
        return rotated(p, c, x, y, m);
    if (strcmp(op, "brightness") == 0)
        return blended(0, value, m);
    if (strcmp(op, "color") == 0)
        return blended(grey_at(p, x, y), value, m);
    if (strcmp(op, "contrast") == 0)
        return blended(w->mean, value, m);
    if (strcmp(op, "sharpness") == 0)
        return blended(smoothed(p, c, x, y), value, m);
    if (strcmp(op, "posterize") == 0)
        return value & ~((1 << (8 - (int)m)) - 1);
    if (strcmp(op, "solarize") == 0)
        return value < m ? value : 255 - value;
    if (strcmp(op, "invert") == 0)
        return 255 - value;
    return w->table[c][value];
}

static void compare(const planes *in, const char *op, double m)
{
    planes made = planes_apply(in, op, m, 3);
    whole w = whole_of(in, op);
    bool blur = strcmp(op, "gaussian_blur") == 0;
    for (size_t c = 0, i = 0; c < in->channels; c++)
        for (long y = 0; y < (long)in->height; y++)
            for (long x = 0; x < (long)in->width; x++, i++) {
                bool same = blur ? fabs(made.bytes[i] - blurred(in, c, x, y, m)) < 0.501
                                 : made.bytes[i] == plain_pixel(in, op, m, c, x, y, &w);
                if (!same)
                    fail_msg("%s at %g of %zu x %zu x %zu: %d at channel %zu, column %ld, row %ld", op, m, in->channels,
                             in->height, in->width, made.bytes[i], c, x, y);
            }
    free(made.bytes);
}

static const struct {
    const char *op;
    double magnitudes[8];
    size_t count;
} cases[] = {
    {"shear_x", {0, 0.3, -0.3, 1, -1, 0.5, 1e-6}, 7},
    {"shear_y", {0, 0.3, -0.3, 1, -1, 0.5, 1e-6}, 7},
    {"translate_x", {0, 0.9, -0.9, 1, -1, 0.4, 0.5}, 7}, /* shares of the side */
    {"translate_y", {0, 0.9, -0.9, 1, -1, 0.4, 0.5}, 7},
    {"rotate", {0, 90, -90, 180, -180, 45, -22.5, 135}, 8},
    {"brightness", {0, 0.3, 1, 1.25, 5, -0.5, -5, 0.999}, 8},
    {"color", {0, 0.3, 1, 1.25, 5, -0.5, -5, 0.999}, 8},
    {"contrast", {0, 0.3, 1, 1.25, 5, -0.5, -5, 0.999}, 8},
    {"sharpness", {0, 0.3, 1, 1.25, 5, -0.5, -5, 0.999}, 8},
    {"posterize", {1, 2, 3.5, 4, 5, 6.5, 7, 8}, 8},
    {"solarize", {0, 0.5, 63.75, 128, 191.25, 255, 255.5, 256}, 8},
    {"gaussian_blur", {0.1, 0.25, 0.3, 1.325, 2.55, 5}, 6},
    {"auto_contrast", {0}, 1},
    {"equalize", {0}, 1},
    {"invert", {0}, 1},
};

static void compare_all(const planes *in, bool costly)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool to_the_side = strncmp(cases[i].op, "translate", 9) == 0, blur = strcmp(cases[i].op, "gaussian_blur") == 0;
        double side = !to_the_side ? 1 : (double)(strchr(cases[i].op, 'x') ? in->width : in->height);
        for (size_t m = 0; m < cases[i].count; m++)
            if (costly || !blur || m == 3)
                compare(in, cases[i].op, cases[i].magnitudes[m] * side);
    }
}

static void images_of_every_shape_come_out_as_plain_code_says(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {1, 2}, {2, 1},  {1, 40},  {40, 1},  {2, 2},  {3, 3},
                                      {5, 7}, {6, 6}, {9, 70}, {70, 65}, {33, 64}, {17, 17}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t channels = 1; channels <= 3; channels += 2) {
            planes in = planes_make(channels, sizes[s][0], sizes[s][1], s);
            compare_all(&in, sizes[s][0] * sizes[s][1] < 1000);
            free(in.bytes);
        }
}

static void a_whole_image_comes_out_as_plain_code_says(void **state)
{
    (void)state;
    planes in = planes_make(3, 224, 224, 5);
    static const struct {
        const char *op;
        double magnitude;
    } some[] = {{"shear_x", -0.225}, {"shear_y", 0.15}, {"rotate", 45},      {"rotate", 67.5}, {"rotate", -90},
                {"rotate", 90},      {"color", -2.5},   {"sharpness", 3.75}, {"contrast", 2}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        compare(&in, some[i].op, some[i].magnitude);
    free(in.bytes);
}

/* Even images, images of two values, and values that meet every bound. */
static void extreme_images_come_out_as_plain_code_says(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        planes in = planes_create(3, 20, 37);
        for (size_t i = 0; i < planes_size(&in); i++)
            in.bytes[i] = (unsigned char)(kind == 0   ? 0
                                          : kind == 1 ? 255
                                          : kind == 2 ? (i % 3 ? 255 : 0)
                                          : kind == 3 ? 7 * i
                                                      : 90 + i % 31);
        compare_all(&in, true);
        free(in.bytes);
    }
}

/* Beyond 2^15 pixels Pillow leaves fixed point. */
static void a_very_long_image_is_sheared(void **state)
{
    (void)state;
    enum { LONG = 40000 };
    planes in = planes_make(3, 2, LONG, 8), made = planes_apply(&in, "shear_x", 0.5, 0);
    for (size_t c = 0; c < 3; c++)
        for (long x = 0; x < LONG; x++) {
            assert_true(at(&made, c, x, 0) == at(&in, c, x, 0));
            assert_true(at(&made, c, x, 1) == at(&in, c, x + 1, 1));
        }
    free(made.bytes);
    made = planes_apply(&in, "shear_y", 1, 0);
    for (long x = 0; x < LONG; x++)
        assert_true(at(&made, 2, x, 0) == at(&in, 2, x, x + 1));
    free(made.bytes);
    free(in.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_of_every_shape_come_out_as_plain_code_says),
        cmocka_unit_test(a_whole_image_comes_out_as_plain_code_says),
        cmocka_unit_test(extreme_images_come_out_as_plain_code_says),
        cmocka_unit_test(a_very_long_image_is_sheared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
