/* entaugment.c - one operator, the stronger the surer the network was of the image at its last visit (Yang et al.,
 * 2024). Of the paper are its 14 operators and 30 strengths; flips, crops, erased squares and a first phase of
 * TrivialAugment, which its authors' program has beside it, are not. */
#include <math.h>

#include "augment/training_policy.h"

static void open(policy_space *space, bool paper)
{
    if (!paper)
        return;
    policy_space_common(space, &(space_ranges){.shear = 0.3, .translate = 10, .degrees = 30, .threshold = 256});
    for (size_t i = 0; i < space->count; i++) {
        space_item *item = &space->items[i];
        if (item->around_one) /* factors from 0.1 to 1.9, not away from 1 */
            *item = (space_item){.op = item->op, .first = 0.1, .last = 1.9};
        else if (item->first == 8)
            *item = (space_item){.op = item->op, .first = 4, .last = 0, .rounded_up = true};
    }
}

static void choose(const training_policy *p, size_t row, random_stream *stream, augment_draw *draw)
{
    size_t item = random_below(stream, p->space.count), most = p->space.strengths - 1;
    size_t level = (size_t)((double)most * (double)p->scores[row]) + 1;
    policy_space_step(&p->space, item, (double)(level < most ? level : most) / (double)most, stream, draw);
}

/* 1 - H(p) / ln C: 0 where every class is as likely, 1 where there is no doubt. */
static double judge(const float *logits, size_t outputs, size_t target)
{
    (void)target;
    double largest = -INFINITY, sum = 0, entropy = 0;
    for (size_t k = 0; k < outputs; k++)
        largest = fmax(largest, (double)logits[k]);
    for (size_t k = 0; k < outputs; k++)
        sum += exp((double)logits[k] - largest);
    for (size_t k = 0; k < outputs; k++) {
        double p = exp((double)logits[k] - largest) / sum;
        entropy -= p * log(p + 1e-8);
    }
    return outputs > 1 ? 1 - entropy / log((double)outputs) : 1;
}

extern const policy_kind policy_entaugment;
const policy_kind policy_entaugment = {
    .info = {.name = "entaugment",
             .summary = "one operator, the stronger the surer the network was of the image when it saw it last",
             .variants = "code|paper"},
    .open = open,
    .choose = choose,
    .judge = judge,
};
