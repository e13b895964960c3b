/* density_chain.c - Metropolis-Hastings over (operator, magnitude). A step proposes either another operator and
 * magnitude, both from the prior, or another magnitude near by, turned back at the ends of the range: both ways are as
 * likely back as forth under the prior, so that exp(T / tau) alone decides. T is remembered for the cells that a range
 * is cut into. While the chain settles it has T evaluated in the middle of every cell that it enters, as long as new
 * evaluations are allowed; thereafter T is what is known, linear in between, so that what is counted is a chain with
 * one target. */
#include <math.h>
#include <stdlib.h>

#include "augment/density.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "value/density_known.h"

enum { CELLS = 256, BATCHES = 100, STEPS = 400000 };
static const double jumps = 0.3;       /* how often the operator is drawn anew */
static const double step_share = 0.15; /* standard deviation of a step, of the range */

typedef struct chain {
    density_known *known;
    double *remembered; /* operators x CELLS; NaN: not asked for */
    double *sums;       /* of the priors, to draw operators by */
    bool settling;
    random_stream random;
} chain;

typedef struct place {
    size_t index; /* of the operator */
    double magnitude, score;
} place;

static gbv_status score_of(chain *c, place *at, gbv_error *error)
{
    const gbv_density *d = &c->known->densities[at->index];
    at->score = d->scores[0];
    if (d->count == 1)
        return GBV_OK;
    double low = d->magnitudes[0], range = d->magnitudes[d->count - 1] - low;
    double share = (at->magnitude - low) / range * CELLS;
    size_t cell = share < CELLS ? (size_t)fmax(share, 0) : CELLS - 1;
    double *remembered = &c->remembered[at->index * CELLS + cell], middle = low + ((double)cell + 0.5) / CELLS * range;
    if (isnan(*remembered)) {
        bool evaluated = c->settling && c->known->evaluations < c->known->allowed;
        if (evaluated) {
            gbv_status status = known_evaluate(c->known, at->index, middle, remembered, error);
            if (status != GBV_OK)
                return status;
        } else {
            *remembered = density_score(d, middle);
        }
    }
    at->score = *remembered;
    return GBV_OK;
}

/* What was interpolated while the chain settled has new neighbours. */
static void forget(chain *c)
{
    for (size_t i = 0; i < c->known->count * CELLS; i++)
        c->remembered[i] = NAN;
    c->settling = false;
}

static double turned_back(double value, double low, double high)
{
    double range = high - low, t = fmod(fabs(value - low), 2 * range);
    return low + (t > range ? 2 * range - t : t);
}

static place propose(chain *c, const place *from)
{
    const gbv_density *densities = c->known->densities;
    place to = *from;
    bool jump = random_uniform(&c->random) < jumps;
    if (jump) {
        double u = random_uniform(&c->random) * c->sums[c->known->count - 1];
        for (to.index = 0; to.index + 1 < c->known->count && u >= c->sums[to.index];)
            to.index++;
    }
    const gbv_density *d = &densities[to.index];
    double low = d->magnitudes[0], high = d->magnitudes[d->count - 1];
    if (jump)
        to.magnitude = low + random_uniform(&c->random) * (high - low);
    else if (d->count > 1)
        to.magnitude = turned_back(to.magnitude + step_share * (high - low) * random_normal(&c->random), low, high);
    return to;
}

/* One step; *moved where the proposal was another place, *accepted where it was taken. */
static gbv_status step(chain *c, place *at, bool *moved, bool *accepted, gbv_error *error)
{
    place to = propose(c, at);
    *moved = to.index != at->index || to.magnitude != at->magnitude;
    gbv_status status = score_of(c, &to, error);
    *accepted = log1p(-random_uniform(&c->random)) < c->known->inverse_tau * (to.score - at->score);
    if (status == GBV_OK && *accepted)
        *at = to;
    *accepted &= *moved;
    return status;
}

static gbv_status settle(chain *c, place *at, size_t steps, gbv_error *error)
{
    gbv_status status = GBV_OK;
    bool moved, accepted;
    for (size_t i = 0; i < c->known->count; i++)
        if (c->known->densities[i].probability > c->known->densities[at->index].probability)
            at->index = i;
    at->magnitude = density_draw(&c->known->densities[at->index], c->known->inverse_tau, 0.5);
    c->settling = true;
    if (status == GBV_OK)
        status = score_of(c, at, error);
    for (size_t i = 0; status == GBV_OK && i < steps; i++)
        status = step(c, at, &moved, &accepted, error);
    forget(c);
    return status == GBV_OK ? score_of(c, at, error) : status;
}

/* Means of batches, each much longer than the chain remembers, differ by chance alone: their spread is the error, and
 * how much larger it is than that of as many independent draws the autocorrelation time. An operator that was hardly
 * seen has no less error than independent draws of the denser density would have. */
static void judge(const chain *c, const double *batches, size_t batch, gbv_density_check *check)
{
    double steps = (double)batch * BATCHES;
    check->autocorrelation = 1;
    for (size_t i = 0; i < c->known->count; i++) {
        double mean = 0, squares = 0, p = c->known->densities[i].probability;
        for (size_t b = 0; b < BATCHES; b++)
            mean += batches[b * c->known->count + i] / BATCHES;
        for (size_t b = 0; b < BATCHES; b++) {
            double apart = batches[b * c->known->count + i] - mean;
            squares += apart * apart;
        }
        double error = sqrt(squares / (BATCHES - 1.0) / BATCHES), independent = sqrt(mean * (1 - mean) / steps);
        if (independent > 0)
            check->autocorrelation = fmax(check->autocorrelation, error * error / (independent * independent));
        check->operator_probabilities[i] = mean;
        check->errors[i] = fmax(error, sqrt(p * (1 - p) / steps));
        if (check->errors[i] > 0)
            check->worst = fmax(check->worst, fabs(mean - p) / check->errors[i]);
    }
}

static gbv_status walk(chain *c, gbv_density_check *check, double *batches, gbv_error *error)
{
    size_t wanted = c->known->checking->steps ? c->known->checking->steps : STEPS;
    size_t batch = (wanted + BATCHES - 1) / BATCHES, tried = 0, taken = 0;
    place at = {0};
    gbv_status status = settle(c, &at, wanted / 10, error);
    for (size_t b = 0; b < BATCHES; b++)
        for (size_t i = 0; status == GBV_OK && i < batch; i++) {
            bool moved, accepted;
            status = step(c, &at, &moved, &accepted, error);
            tried += moved;
            taken += accepted;
            batches[b * c->known->count + at.index] += 1 / (double)batch;
        }
    if (status != GBV_OK)
        return status;
    known_weigh(c->known);
    judge(c, batches, batch, check);
    check->acceptance = tried ? (double)taken / (double)tried : NAN;
    check->divergence = NAN;
    check->steps = batch * BATCHES;
    return GBV_OK;
}

gbv_status density_chain(density_known *known, gbv_density_check *check, gbv_error *error)
{
    gbv_status status;
    size_t count = known->count, before = known->evaluations;
    chain c = {.known = known};
    double *batches = memory_zeroed(count, BATCHES * sizeof *batches);
    c.random = random_stream_open(known->checking->seed, "density", RANDOM_DRAW);
    c.remembered = memory_array(count, CELLS * sizeof *c.remembered);
    c.sums = memory_array(count, sizeof *c.sums);
    check->operator_probabilities = memory_array(count, sizeof *check->operator_probabilities);
    check->errors = memory_array(count, sizeof *check->errors);
    if (!batches || !c.remembered || !c.sums || !check->operator_probabilities || !check->errors) {
        status = error_out_of_memory(error, "the check of a density");
        goto done;
    }
    for (size_t i = 0; i < count; i++)
        c.sums[i] = known->densities[i].prior + (i ? c.sums[i - 1] : 0);
    forget(&c);
    known_weigh(known);
    status = walk(&c, check, batches, error);
    check->evaluations = known->evaluations - before;
done:
    free(batches);
    free(c.remembered);
    free(c.sums);
    return status;
}
