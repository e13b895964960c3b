#include "augment/policy.h"

#include <math.h>
#include <stdlib.h>

#include "augment/density.h"
#include "base/random.h"

const char *const policy_grid_words[2] = {"paper", "code"};
const char *const policy_noise_words[3] = {"own", "paper", "code"};
const char *const policy_prior_words[2] = {"uniform", "operator"};
const char *const policy_sign_words[2] = {"given", "coin"};

gbv_noise policy_noise(gbv_grid grid, gbv_noise noise)
{
    if (noise != GBV_NOISE_OWN)
        return noise;
    return grid == GBV_GRID_CODE ? GBV_NOISE_CODE : GBV_NOISE_PAPER;
}

gbv_policy *policy_create(void)
{
    gbv_policy *p = calloc(1, sizeof *p);
    if (p) {
        p->noise = GBV_NOISE_PAPER;
        p->tau = p->inverse_tau = p->entropy = p->effective_augmentors = NAN;
        p->chain.worst = p->chain.divergence = p->chain.acceptance = p->chain.autocorrelation = NAN;
        p->denser = p->variational = p->chain;
    }
    return p;
}

void gbv_policy_free(gbv_policy *policy)
{
    if (!policy)
        return;
    densities_free(policy->densities, policy->density_count);
    for (size_t i = 0; i < policy->warning_count; i++)
        free(policy->warnings[i]);
    density_check_free(&policy->denser);
    density_check_free(&policy->chain);
    density_check_free(&policy->variational);
    char *texts[] = {policy->measure,       policy->variant,           policy->model,
                     policy->pretrained,    policy->pretrained_sha256, policy->images,
                     policy->images_sha256, policy->backend,           policy->instruction_set};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(policy->warnings);
    free(policy->entries);
    free(policy);
}

void policy_weigh(gbv_policy *policy)
{
    double entropy = 0, squares = 0;
    for (size_t i = 0; i < policy->count; i++) {
        double p = policy->entries[i].probability;
        entropy -= p > 0 ? p * log(p) : 0;
        squares += p * p;
    }
    policy->entropy = entropy;
    policy->effective_augmentors = 1 / squares;
}

/* Which of `count` things with these probabilities, `stride` bytes apart, the number u from 0 to 1 falls on. */
static size_t pick(const double *first, size_t stride, size_t count, double u)
{
    double total = 0, below = 0;
    size_t last = 0;
    for (size_t i = 0; i < count; i++)
        total += *(const double *)((const char *)first + i * stride);
    for (size_t i = 0; i < count && u * total >= below; i++) {
        double p = *(const double *)((const char *)first + i * stride);
        below += p;
        last = p > 0 ? i : last;
    }
    return last;
}

gbv_augmentor gbv_policy_draw(const gbv_policy *policy, uint64_t seed, size_t row, uint64_t draw)
{
    random_stream stream = random_stream_open_step(seed, "policy", RANDOM_AUGMENT, 0, draw);
    random_stream_seek(&stream, (uint64_t)row * 2); /* a block is two numbers, and there are three */
    double which = random_uniform(&stream), sign = random_uniform(&stream), place = random_uniform(&stream);
    gbv_augmentor drawn;
    if (policy->density_count) {
        const gbv_density *d = policy->densities;
        d += pick(&d->probability, sizeof *d, policy->density_count, which);
        drawn = (gbv_augmentor){d->op, density_draw(d, policy->inverse_tau, place), d->coin};
    } else {
        const gbv_policy_entry *e = policy->entries;
        drawn = e[pick(&e->probability, sizeof *e, policy->count, which)].augmentor;
    }
    if (drawn.coin && sign < 0.5)
        drawn.magnitude = -drawn.magnitude;
    drawn.coin = false;
    return drawn;
}
