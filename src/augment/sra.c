/* sra.c - Sample-aware RandAugment: two operators, half of the images at random strengths, the other half the stronger
 * the better the network does on the image as it is (Xiao et al., 2025). In the program of gbv's authors the two are
 * different and the network is asked about pixels that are not normalised; in the paper's any two of 14 operators are
 * drawn, strengths have no steps, and the network sees what it is used to. */
#include <math.h>

#include "augment/training_policy.h"

static const double least_often = 0.2, most_often = 0.8;

static void open(policy_space *space, bool paper)
{
    if (paper)
        policy_space_common(
            space, &(space_ranges){
                       .shear = 0.3, .translate = 0.45, .degrees = 30, .factor = 0.9, .bits = 4, .threshold = 256});
}

static double strength_of(const training_policy *p, size_t row, random_stream *stream)
{
    double score = p->judged ? (double)p->scores[row] : 0;
    if (p->paper)
        return p->judged ? score : random_uniform(stream);
    if (!p->judged)
        return policy_space_strength(&p->space, stream);
    size_t most = p->space.strengths - 1, level = (size_t)((double)most * score) + 1;
    return (double)(level < most ? level : most) / (double)most;
}

static void choose(const training_policy *p, size_t row, random_stream *stream, augment_draw *draw)
{
    size_t items[2];
    policy_space_pair(&p->space, !p->paper, stream, items);
    for (size_t i = 0; i < 2; i++) {
        double often = least_often + (most_often - least_often) * random_uniform(stream);
        double strength = strength_of(p, row, stream);
        if (random_uniform(stream) < often)
            policy_space_step(&p->space, items[i], strength, stream, draw);
    }
    policy_space_noise_last(draw);
}

/* (p_y / |p|)^(2 / ln C): how much the probabilities point at the class. */
static double judge(const float *logits, size_t outputs, size_t target)
{
    double largest = -INFINITY, squares = 0;
    for (size_t k = 0; k < outputs; k++)
        largest = fmax(largest, (double)logits[k]);
    for (size_t k = 0; k < outputs; k++)
        squares += exp(2 * ((double)logits[k] - largest));
    double cosine = exp((double)logits[target] - largest) / sqrt(squares);
    return outputs > 1 ? pow(cosine, 2 / log((double)outputs)) : 1;
}

extern const policy_kind policy_sra;
const policy_kind policy_sra = {
    .info = {.name = "sra",
             .summary = "two operators, in every second half batch the stronger the better the network does on the "
                        "image; a step for each half",
             .variants = "code|paper"},
    .open = open,
    .choose = choose,
    .judge = judge,
    .in_halves = true,
};
