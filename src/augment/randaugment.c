/* randaugment.c - two operators after each other (Cubuk et al., 2020). As the paper has it, both at strength 9 of 0 to
 * 30, and perhaps the same one twice; in the program of gbv's authors two different ones, each at a magnitude of its
 * own. */
#include "augment/training_policy.h"

enum { MAGNITUDE = 9, MAGNITUDES = 31 };

static void open(policy_space *space, bool paper)
{
    if (paper)
        policy_space_common(
            space,
            &(space_ranges){
                .shear = 0.3, .translate = 150.0 / 331, .degrees = 30, .factor = 0.9, .bits = 4, .threshold = 255});
}

static void choose(const training_policy *p, size_t row, random_stream *stream, augment_draw *draw)
{
    size_t items[2];
    (void)row;
    policy_space_pair(&p->space, !p->paper, stream, items);
    for (size_t i = 0; i < 2; i++) {
        double strength = p->paper ? (double)MAGNITUDE / (MAGNITUDES - 1) : policy_space_strength(&p->space, stream);
        policy_space_step(&p->space, items[i], strength, stream, draw);
    }
    policy_space_noise_last(draw);
}

extern const policy_kind policy_randaugment;
const policy_kind policy_randaugment = {
    .info = {.name = "randaugment",
             .summary = "two operators after each other; code: two different ones, each at a magnitude of its own; "
                        "paper: any two at strength 9 of 30",
             .variants = "code|paper"},
    .open = open,
    .choose = choose,
};
