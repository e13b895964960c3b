/* certain.h - what the tests of certainty share: random numbers of their own, and inputs made of them. */
#ifndef TEST_CERTAIN_H
#define TEST_CERTAIN_H

#include "test_support.h"

#include "value/certainty.h"

enum { MOST_SOURCES = 300, MOST_REPLICATES = 400, MOST_REFITS = 40 };

/* splitmix64: a generator of the test's own, printed with its seed. */
static uint64_t state_of_test;
static inline double draw(void)
{
    uint64_t z = state_of_test += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static inline double draw_normal(void)
{
    double radius = sqrt(-2 * log(1 - draw()));
    return radius * cos(2 * M_PI * draw());
}

/* Room for the arrays of an input, filled by name_all and the tests. */
typedef struct numbers {
    char text[MOST_SOURCES][16];
    const char *names[MOST_SOURCES];
    double scores[MOST_SOURCES], replicates[MOST_SOURCES * MOST_REPLICATES], refits[MOST_SOURCES * MOST_REFITS];
} numbers;

static inline numbers *numbers_create(void)
{
    numbers *n = calloc(1, sizeof *n);
    assert_non_null(n);
    for (size_t s = 0; s < MOST_SOURCES; s++) {
        snprintf(n->text[s], sizeof n->text[s], "source-%03zu", s);
        n->names[s] = n->text[s];
    }
    return n;
}

static inline certainty_input input_of(const numbers *n, size_t sources, size_t replicates, size_t refits)
{
    return (certainty_input){.source_count = sources,
                             .names = n->names,
                             .scores = n->scores,
                             .replicates = n->replicates,
                             .replicate_count = replicates,
                             .step = 1,
                             .refits = n->refits,
                             .refit_count = refits,
                             .posterior = {.tau_mode = GBV_TAU_QUICK},
                             .reference_rows = 400,
                             .level = .9,
                             .seed = 1};
}

static inline certainty compute(const certainty_input *in)
{
    certainty c;
    gbv_error error;
    assert_ok(certainty_compute(in, &c, &error), error);
    return c;
}

/* Source s scores `score` and is seen with normal noise of the reference, one way and the other, and of its rows. */
static inline void make_source(numbers *n, const certainty_input *in, size_t s, double score, double noise,
                               double refit_noise)
{
    n->scores[s] = score;
    double odd = 0;
    for (size_t r = 0; r < in->replicate_count; r++) {
        odd = r % 2 ? -odd : noise * draw_normal();
        n->replicates[s * in->replicate_count + r] = score + odd;
    }
    for (size_t j = 0; j < in->refit_count; j++)
        n->refits[s * in->refit_count + j] = score + refit_noise * draw_normal();
}

static inline void seed_test(uint64_t seed)
{
    state_of_test = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
}

#endif
