/* autoaugment.c - one of 25 pairs of operators that were found for ImageNet, each applied with a probability of its own
 * (Cubuk et al., 2019). */
#include "augment/training_policy.h"

enum { STRENGTHS = 10, PAIRS = 25 };

/* Items of the space, in its order. */
enum item {
    SHEAR_X = 1,
    ROTATE = 5,
    COLOR = 7,
    CONTRAST,
    SHARPNESS,
    POSTERIZE,
    SOLARIZE,
    AUTO_CONTRAST,
    EQUALIZE,
    INVERT
};

typedef struct applied {
    unsigned char item, percent, strength; /* strength of 0 to 9 */
} applied;

static const applied pairs[PAIRS][2] = {
    {{POSTERIZE, 40, 8}, {ROTATE, 60, 9}},  {{SOLARIZE, 60, 5}, {AUTO_CONTRAST, 60, 0}},
    {{EQUALIZE, 80, 0}, {EQUALIZE, 60, 0}}, {{POSTERIZE, 60, 7}, {POSTERIZE, 60, 6}},
    {{EQUALIZE, 40, 0}, {SOLARIZE, 20, 4}}, {{EQUALIZE, 40, 0}, {ROTATE, 80, 8}},
    {{SOLARIZE, 60, 3}, {EQUALIZE, 60, 0}}, {{POSTERIZE, 80, 5}, {EQUALIZE, 100, 0}},
    {{ROTATE, 20, 3}, {SOLARIZE, 60, 8}},   {{EQUALIZE, 60, 0}, {POSTERIZE, 40, 6}},
    {{ROTATE, 80, 8}, {COLOR, 40, 0}},      {{ROTATE, 40, 9}, {EQUALIZE, 60, 0}},
    {{EQUALIZE, 0, 0}, {EQUALIZE, 80, 0}},  {{INVERT, 60, 0}, {EQUALIZE, 100, 0}},
    {{COLOR, 60, 4}, {CONTRAST, 100, 8}},   {{ROTATE, 80, 8}, {COLOR, 100, 2}},
    {{COLOR, 80, 8}, {SOLARIZE, 80, 7}},    {{SHARPNESS, 40, 7}, {INVERT, 60, 0}},
    {{SHEAR_X, 60, 5}, {EQUALIZE, 100, 0}}, {{COLOR, 40, 0}, {EQUALIZE, 60, 0}},
    {{EQUALIZE, 40, 0}, {SOLARIZE, 20, 4}}, {{SOLARIZE, 60, 5}, {AUTO_CONTRAST, 60, 0}},
    {{INVERT, 60, 0}, {EQUALIZE, 100, 0}},  {{COLOR, 60, 4}, {CONTRAST, 100, 8}},
    {{EQUALIZE, 80, 0}, {EQUALIZE, 60, 0}},
};

static void open(policy_space *space, bool paper)
{
    (void)paper;
    policy_space_common(
        space, &(space_ranges){
                   .shear = 0.3, .translate = 150.0 / 331, .degrees = 30, .factor = 0.9, .bits = 4, .threshold = 255});
    space->items[space->count++] = (space_item){.op = gbv_operator_find("invert")};
    space->strengths = STRENGTHS;
}

static void choose(const training_policy *p, size_t row, random_stream *stream, augment_draw *draw)
{
    const applied *pair = pairs[random_below(stream, PAIRS)];
    (void)row;
    for (size_t i = 0; i < 2; i++)
        if (random_below(stream, 100) < pair[i].percent)
            policy_space_step(&p->space, pair[i].item, (double)pair[i].strength / (STRENGTHS - 1), stream, draw);
}

extern const policy_kind policy_autoaugment;
const policy_kind policy_autoaugment = {
    .info = {.name = "autoaugment",
             .summary = "one of the 25 pairs of operators that AutoAugment found for ImageNet, in both forms",
             .variants = "code|paper"},
    .open = open,
    .choose = choose,
};
