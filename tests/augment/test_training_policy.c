/* What the named policies draw, against what their authors say: chi-square over many draws, with a fixed seed. */
#include "test_support.h"

#include <math.h>

#include "augment/training_policy.h"

enum { DRAWS = 20000, SEED = 7, SIDE = 224 };

static training_policy *open_policy(const char *name, const char *variant, size_t side)
{
    gbv_error error;
    training_policy *p;
    training_policy_options how = {.name = name,
                                   .variant = variant,
                                   .rows = DRAWS,
                                   .shape = {.channels = 3, .height = side, .width = side},
                                   .bytes = true,
                                   .seed = SEED,
                                   .subject = "final"};
    assert_ok(training_policy_open(&how, &p, &error), error);
    assert_non_null(p);
    return p;
}

/* Fails where counts differ from what is expected by more than one run in a million would. */
static void assert_like(const char *what, const size_t *counts, const double *shares, size_t count)
{
    double sum = 0, square = 0;
    size_t degrees = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)counts[i];
    for (size_t i = 0; i < count; i++) {
        double wanted = sum * (shares ? shares[i] : 1 / (double)count);
        if (wanted == 0) {
            assert_int_equal(counts[i], 0);
            continue;
        }
        square += ((double)counts[i] - wanted) * ((double)counts[i] - wanted) / wanted;
        degrees++;
    }
    double k = (double)(degrees - 1), limit = k + 4.75 * sqrt(2 * k) + 20; /* above the 1 - 1e-6 quantile */
    print_message("seed %d: %s: chi-square %.1f with %zu degrees of freedom\n", SEED, what, square, degrees - 1);
    assert_true(square < limit);
}

static size_t place_of(const gbv_operator *op)
{
    size_t i = 0;
    while (gbv_operator_at(i) != op)
        assert_non_null(gbv_operator_at(i++));
    return i;
}

static bool same(double a, double b)
{
    return fabs(a - b) < 1e-5 * (1 + fabs(b));
}

/* Which of the code's five magnitudes it is, sign aside. */
static size_t bin_of(gbv_augmentor a)
{
    static const double grid[][5] = {{0, .075, .15, .225, .3},
                                     {0, .075, .15, .225, .3},
                                     {0, 25.3776, 50.7553, 76.1329, 101.5106},
                                     {0, 25.3776, 50.7553, 76.1329, 101.5106},
                                     {0, 22.5, 45, 67.5, 90},
                                     {0, 1.25, 2.5, 3.75, 5},
                                     {0, 1.25, 2.5, 3.75, 5},
                                     {0, .225, .45, .675, .9},
                                     {0, 1.25, 2.5, 3.75, 5},
                                     {8, 7, 6, 5, 4},
                                     {255, 191.25, 127.5, 63.75, 0},
                                     {.1, 1.325, 2.55, 3.775, 5},
                                     {.1, .825, 1.55, 2.275, 3}};
    size_t op = place_of(a.op);
    if (op > 12) {
        assert_true(a.magnitude == 0);
        return 0;
    }
    for (size_t i = 0; i < 5; i++)
        if (same(fabs(a.magnitude), grid[op][i]))
            return i;
    print_message("%s %g is not on the grid\n", a.op->name, a.magnitude);
    fail();
    return 0;
}

typedef struct tally {
    size_t operators[16], bins[5], signs[2], lengths[3], pairs_alike, noise_first;
} tally;

static void count_step(tally *t, gbv_augmentor a)
{
    size_t op = place_of(a.op), bin = bin_of(a);
    assert_false(a.coin);
    t->operators[op]++;
    if (a.op->has_magnitude)
        t->bins[bin]++;
    if (a.op->is_signed && a.magnitude != 0)
        t->signs[a.magnitude < 0]++;
    else
        assert_true(a.magnitude >= 0);
}

static tally count_draws(const training_policy *p, size_t row, uint64_t first)
{
    tally t = {0};
    for (uint64_t visit = first; visit < first + DRAWS; visit++) {
        augment_draw draw;
        training_policy_choose(p, row, visit, &draw);
        assert_true(draw.count <= AUGMENT_STEPS);
        t.lengths[draw.count]++;
        for (size_t i = 0; i < draw.count; i++)
            count_step(&t, draw.steps[i]);
        if (draw.count == 2) {
            t.pairs_alike += draw.steps[0].op == draw.steps[1].op;
            t.noise_first += strcmp(draw.steps[0].op->name, "gaussian_noise") == 0;
        }
    }
    return t;
}

static void trivialaugment_draws_one_operator_and_one_magnitude_alike(void **state)
{
    (void)state;
    training_policy *p = open_policy("trivialaugment", NULL, SIDE);
    assert_string_equal(p->variant, "code");
    assert_int_equal(p->noise, GBV_NOISE_CODE);
    tally t = count_draws(p, 0, 0);
    assert_int_equal(t.lengths[1], DRAWS);
    assert_like("operators of trivialaugment", t.operators, NULL, 16);
    assert_like("magnitudes of trivialaugment", t.bins, NULL, 5);
    assert_like("signs of trivialaugment", t.signs, NULL, 2);
    training_policy_free(p);
}

static void randaugment_draws_two_different_operators_and_noise_comes_last(void **state)
{
    (void)state;
    training_policy *p = open_policy("randaugment", "code", SIDE);
    tally t = count_draws(p, 0, 0);
    assert_int_equal(t.lengths[2], DRAWS);
    assert_int_equal(t.pairs_alike, 0);
    assert_int_equal(t.noise_first, 0);
    assert_true(t.operators[12] > DRAWS / 16); /* noise is drawn all the same */
    assert_like("operators of randaugment", t.operators, NULL, 16);
    assert_like("magnitudes of randaugment", t.bins, NULL, 5);
    assert_like("signs of randaugment", t.signs, NULL, 2);
    training_policy_free(p);
}

static void paper_spaces_have_their_authors_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *name, *op;
        double least, most;
    } ranges[] = {{"trivialaugment", "shear_x", -.99, .99},
                  {"trivialaugment", "translate_y", -32, 32},
                  {"trivialaugment", "rotate", -135, 135},
                  {"trivialaugment", "contrast", .01, 1.99},
                  {"trivialaugment", "posterize", 2, 8},
                  {"trivialaugment", "solarize", 0, 255},
                  {"entaugment", "shear_y", -.01, .01},
                  {"entaugment", "translate_x", -1. / 3, 1. / 3},
                  {"entaugment", "brightness", .16, .16},
                  {"entaugment", "posterize", 4, 4},
                  {"randaugment", "rotate", -9, 9},
                  {"randaugment", "color", .73, 1.27},
                  {"randaugment", "translate_x", -30.4532, 30.4532},
                  {"randaugment", "posterize", 7, 7},
                  {"randaugment", "solarize", 178.5, 178.5}};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        training_policy *p = open_policy(ranges[r].name, "paper", SIDE);
        double least = INFINITY, most = -INFINITY;
        size_t idle = 0, steps = 0;
        for (uint64_t visit = 0; visit < DRAWS; visit++) {
            augment_draw draw;
            training_policy_choose(p, 3, visit, &draw);
            idle += draw.count == 0;
            steps += draw.count;
            for (size_t i = 0; i < draw.count; i++)
                if (strcmp(draw.steps[i].op->name, ranges[r].op) == 0) {
                    least = fmin(least, draw.steps[i].magnitude);
                    most = fmax(most, draw.steps[i].magnitude);
                }
        }
        print_message("%s, paper: %s from %g to %g; nothing is done to %zu of %d\n", p->name, ranges[r].op, least, most,
                      idle, DRAWS);
        assert_true(same(least, ranges[r].least) && same(most, ranges[r].most));
        bool pair = strcmp(p->name, "randaugment") == 0; /* identity is one of 14 */
        assert_true(fabs((double)steps / DRAWS - (pair ? 2 : 1) * 13. / 14) < 0.02);
        training_policy_free(p);
    }
}

static void autoaugment_draws_its_25_pairs(void **state)
{
    (void)state;
    /* Shares of each operator, from the table of pairs: sum of probabilities over 25. */
    static const struct {
        const char *op;
        double share; /* of 25 */
    } wanted[] = {{"posterize", .4 + .6 + .6 + .8 + .4},
                  {"rotate", .6 + .8 + .2 + .8 + .4 + .8},
                  {"invert", .6 + .6 + .6},
                  {"shear_x", .6},
                  {"sharpness", .4},
                  {"color", .4 + .6 + 1 + .8 + .4 + .6},
                  {"contrast", 2},
                  {"auto_contrast", 1.2},
                  {"solarize", .6 + .2 + .6 + .6 + .8 + .2 + .6},
                  {"equalize", .8 + .6 + .4 + .4 + .6 + 1 + .6 + .6 + 0 + .8 + 1 + 1 + .6 + .4 + 1 + .8 + .6}};
    enum { KINDS = sizeof wanted / sizeof *wanted };
    training_policy *p = open_policy("autoaugment", NULL, SIDE);
    assert_string_equal(p->variant, "code");
    size_t counts[KINDS] = {0}, signs[2] = {0}, after_posterize_8 = 0, posterize_8 = 0;
    double shares[KINDS], sum = 0;
    for (uint64_t visit = 0; visit < DRAWS; visit++) {
        augment_draw draw;
        training_policy_choose(p, 0, visit, &draw);
        for (size_t i = 0; i < draw.count; i++) {
            gbv_augmentor a = draw.steps[i];
            size_t k = 0;
            while (k < KINDS && strcmp(wanted[k].op, a.op->name) != 0)
                k++;
            assert_true(k < KINDS);
            counts[k]++;
            if (strcmp(a.op->name, "rotate") == 0) {
                assert_true(same(fabs(a.magnitude), 30) || same(fabs(a.magnitude), 80. / 3) ||
                            same(fabs(a.magnitude), 10));
                signs[a.magnitude < 0]++;
            }
            if (strcmp(a.op->name, "contrast") == 0)
                assert_true(same(a.magnitude, 1.8) || same(a.magnitude, .2));
            if (strcmp(a.op->name, "shear_x") == 0)
                assert_true(same(fabs(a.magnitude), 1. / 6));
            if (strcmp(a.op->name, "solarize") == 0)
                assert_true(same(a.magnitude, 255 * 4. / 9) || same(a.magnitude, 255 * 5. / 9) ||
                            same(a.magnitude, 255 * 6. / 9) || same(a.magnitude, 255 / 9.) ||
                            same(a.magnitude, 255 * 2. / 9));
            if (strcmp(a.op->name, "posterize") == 0)
                assert_true(a.magnitude == 4 || a.magnitude == 5 || a.magnitude == 6);
        }
        if (draw.count && strcmp(draw.steps[0].op->name, "posterize") == 0 && draw.steps[0].magnitude == 4) {
            posterize_8++; /* only of the first pair */
            after_posterize_8 += draw.count == 2 && strcmp(draw.steps[1].op->name, "rotate") == 0;
        }
    }
    for (size_t k = 0; k < KINDS; k++)
        sum += wanted[k].share;
    for (size_t k = 0; k < KINDS; k++)
        shares[k] = wanted[k].share / sum;
    assert_like("operators of autoaugment", counts, shares, KINDS);
    assert_like("signs of autoaugment's rotations", signs, NULL, 2);
    size_t total = 0;
    for (size_t k = 0; k < KINDS; k++)
        total += counts[k];
    print_message("%.3f operators a visit, %.3f wanted\n", (double)total / DRAWS, sum / 25);
    assert_true(fabs((double)total / DRAWS - sum / 25) < 0.02);
    assert_like("the first pair's second operator", (size_t[]){after_posterize_8, posterize_8 - after_posterize_8},
                (double[]){.6, .4}, 2);
    training_policy_free(p);
}

static void entaugment_is_the_stronger_the_surer_the_network_was(void **state)
{
    (void)state;
    static const struct {
        float logits[4];
        double score;
        size_t bin; /* min(int(4 a) + 1, 4) */
    } cases[] = {{{0, 0, 0, 0}, 0, 1},
                 {{100, 0, 0, 0}, 1, 4},
                 {{50, 50, 0, 0}, .5, 3},
                 {{3, 0, 0, 0}, .618363, 3},
                 {{2, 0, 0, 0}, .337598, 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        training_policy *p = open_policy("entaugment", NULL, SIDE);
        tally t = count_draws(p, 5, 0);
        assert_int_equal(t.bins[1], t.bins[0] + t.bins[1] + t.bins[2] + t.bins[3] + t.bins[4]); /* before any visit */
        training_policy_judge(p, 5, cases[c].logits, 4, 2);
        print_message("score %.5f, %.5f wanted\n", (double)p->scores[5], cases[c].score);
        assert_true(fabs((double)p->scores[5] - cases[c].score) < 2e-5);
        assert_true(p->scores[4] == 0 && p->scores[6] == 0);
        t = count_draws(p, 5, DRAWS);
        for (size_t bin = 0; bin < 5; bin++)
            assert_true((t.bins[bin] > 0) == (bin == cases[c].bin));
        assert_like("operators of entaugment", t.operators, NULL, 16);
        assert_like("signs of entaugment", t.signs, NULL, 2);
        assert_int_equal(t.lengths[1], DRAWS);
        training_policy_free(p);
    }
    training_policy *p = open_policy("entaugment", "paper", SIDE);
    training_policy_judge(p, 0, cases[1].logits, 4, 0);
    for (uint64_t visit = 0; visit < 1000; visit++) { /* at the last of 30 strengths */
        augment_draw draw;
        training_policy_choose(p, 0, visit, &draw);
        const char *op = draw.count ? draw.steps[0].op->name : "";
        double magnitude = draw.count ? draw.steps[0].magnitude : 0;
        assert_true(strcmp(op, "rotate") != 0 || fabs(magnitude) == 30);
        assert_true(strcmp(op, "color") != 0 || same(magnitude, 1.9));
        assert_true(strcmp(op, "posterize") != 0 || magnitude == 1);
        assert_true(strcmp(op, "solarize") != 0 || magnitude == 0);
    }
    training_policy_judge(p, 0, cases[2].logits, 4, 0);
    for (uint64_t visit = 0; visit < 1000; visit++) { /* half-way, of 4 bits to none */
        augment_draw draw;
        training_policy_choose(p, 0, visit, &draw);
        if (draw.count && strcmp(draw.steps[0].op->name, "posterize") == 0)
            assert_true(draw.steps[0].magnitude == 2);
    }
    training_policy_judge(p, 0, (float[]){NAN, 0, 0, 0}, 4, 2);
    assert_true(p->scores[0] == 0);
    training_policy_free(p);
}

static void sra_looks_at_every_second_half(void **state)
{
    (void)state;
    static const struct {
        float logits[4];
        size_t target;
        double score; /* (p_y / |p|)^(2 / ln 4) */
        size_t bin;
    } cases[] = {{{0, 0, 0, 0}, 1, .367879, 2}, /* (1/2)^(1/ln 2) = 1/e */
                 {{100, 0, 0, 0}, 0, 1, 4},
                 {{100, 0, 0, 0}, 3, 0, 1},
                 {{1, 0, 0, 0}, 0, .782078, 4}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        training_policy *p = open_policy("sra", NULL, SIDE);
        assert_true(training_policy_halves(p));
        training_policy_judge(p, 5, cases[c].logits, 4, cases[c].target);
        print_message("score %.6f, %.6f wanted\n", (double)p->scores[5], cases[c].score);
        assert_true(fabs((double)p->scores[5] - cases[c].score) < 2e-5);
        for (int half = 0; half < 2; half++) {
            p->judged = half;
            tally t = count_draws(p, 5, (uint64_t)half * DRAWS);
            assert_like("operators of sra", t.operators, NULL, 16);
            assert_like("operators a visit of sra", t.lengths, (double[]){.25, .5, .25}, 3);
            assert_int_equal(t.pairs_alike, 0);
            assert_int_equal(t.noise_first, 0);
            if (!half)
                assert_like("magnitudes of sra's first half", t.bins, NULL, 5);
            for (size_t bin = 0; half && bin < 5; bin++)
                assert_true((t.bins[bin] > 0) == (bin == cases[c].bin));
        }
        training_policy_free(p);
    }
}

static void a_draw_depends_on_seed_and_visit_alone(void **state)
{
    (void)state;
    training_policy *p = open_policy("randaugment", NULL, 64), *q = open_policy("randaugment", NULL, 64);
    augment_draw a, b;
    size_t differences = 0;
    training_policy_choose(p, 1, 99, &a);
    for (uint64_t visit = 500; visit-- > 0;) { /* in another order */
        training_policy_choose(p, 1, visit, &a);
        training_policy_choose(q, 2, visit, &b);
        assert_memory_equal(&a, &b, sizeof a);
        q->seed++;
        training_policy_choose(q, 2, visit, &b);
        differences += memcmp(&a, &b, sizeof a) != 0;
        q->seed--;
    }
    assert_true(differences > 490);
    training_policy_free(p);
    training_policy_free(q);
}

static void small_images_are_moved_no_further_than_their_side(void **state)
{
    (void)state;
    training_policy *p = open_policy("trivialaugment", "paper", 9);
    double most = 0;
    for (uint64_t visit = 0; visit < DRAWS; visit++) {
        augment_draw draw;
        training_policy_choose(p, 0, visit, &draw);
        if (draw.count && strncmp(draw.steps[0].op->name, "translate", 9) == 0)
            most = fmax(most, fabs(draw.steps[0].magnitude));
    }
    assert_true(most == 9);
    training_policy_free(p);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *variant;
        size_t channels;
        bool bytes;
        gbv_status status;
        const char *part;
    } cases[] = {
        {"trivialaugmnt", NULL, 3, true, GBV_USAGE, "the nearest is trivialaugment"},
        {"zzz", NULL, 3, true, GBV_USAGE, "there is no policy \"zzz\": `gbv list policies`"},
        {"sra", "new", 3, true, GBV_USAGE, "has no variant \"new\": choose one of code|paper"},
        {"none", "paper", 3, true, GBV_USAGE, "has one form only"},
        {"none", "paper", 3, true, GBV_USAGE, "has one form only"},
        {"./nowhere.json", "paper", 3, true, GBV_USAGE, "of a file has one form only"},
        {"./nowhere.json", NULL, 3, true, GBV_BAD_INPUT, "nowhere.json"},
        {"sra", NULL, 3, false, GBV_BAD_INPUT, "augmentations work on images of bytes"},
        {"sra", NULL, 4, true, GBV_BAD_INPUT, "1 or 3 channels; these have 4"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gbv_error error = {0};
        training_policy *p = NULL;
        training_policy_options how = {.name = cases[c].name,
                                       .variant = cases[c].variant,
                                       .rows = 10,
                                       .shape = {.channels = cases[c].channels, .height = 32, .width = 32},
                                       .bytes = cases[c].bytes,
                                       .subject = "final"};
        bool by_name = cases[c].bytes && cases[c].channels == 3;
        gbv_status status = by_name ? training_policy_check(cases[c].name, cases[c].variant, &error)
                                    : training_policy_open(&how, &p, &error);
        print_message("%s\n", error.message);
        assert_int_equal(status, cases[c].status);
        assert_non_null(strstr(error.message, cases[c].part));
        assert_null(p);
        if (by_name && strcmp(cases[c].name, "none") != 0)
            assert_int_equal(training_policy_open(&how, &p, &error), cases[c].status);
    }
}

static void the_list_has_them_all(void **state)
{
    (void)state;
    static const char *const names[] = {"none", "trivialaugment", "randaugment", "autoaugment", "entaugment", "sra"};
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(gbv_named_policy_at(i)->name, names[i]);
        assert_ok(training_policy_check(names[i], NULL, NULL), (gbv_error){0});
    }
    assert_null(gbv_named_policy_at(6));
    assert_true(training_policy_is_none(NULL) && training_policy_is_none("none") && !training_policy_is_none("sra"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trivialaugment_draws_one_operator_and_one_magnitude_alike),
        cmocka_unit_test(randaugment_draws_two_different_operators_and_noise_comes_last),
        cmocka_unit_test(paper_spaces_have_their_authors_ranges),
        cmocka_unit_test(autoaugment_draws_its_25_pairs),
        cmocka_unit_test(entaugment_is_the_stronger_the_surer_the_network_was),
        cmocka_unit_test(sra_looks_at_every_second_half),
        cmocka_unit_test(a_draw_depends_on_seed_and_visit_alone),
        cmocka_unit_test(small_images_are_moved_no_further_than_their_side),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(the_list_has_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
