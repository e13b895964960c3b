/* trivialaugment.c - one operator at one strength, both drawn without preference (Mueller and Hutter, 2021). Of the
 * paper is the wide space. */
#include "augment/training_policy.h"

static void open(policy_space *space, bool paper)
{
    if (paper)
        policy_space_common(
            space, &(space_ranges){
                       .shear = 0.99, .translate = 32, .degrees = 135, .factor = 0.99, .bits = 2, .threshold = 255});
}

static void choose(const training_policy *p, size_t row, random_stream *stream, augment_draw *draw)
{
    (void)row;
    size_t item = random_below(stream, p->space.count);
    policy_space_step(&p->space, item, policy_space_strength(&p->space, stream), stream, draw);
}

extern const policy_kind policy_trivialaugment;
const policy_kind policy_trivialaugment = {
    .info = {.name = "trivialaugment",
             .summary = "one operator at one magnitude, every operator and every magnitude alike",
             .variants = "code|paper"},
    .open = open,
    .choose = choose,
};
