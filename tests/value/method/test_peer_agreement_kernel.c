/* test_peer_agreement_kernel.c - agreement with the others, by hand and beside the definition. */
#include "value/method/peer_agreement_kernel.h"

#include "value/method/crowd.h"

static void an_item_counts_by_the_share_of_others_that_agree(void **state)
{
    (void)state;
    /* three others of which two agree; one other who disagrees; nobody else */
    overlap o = crowd_of("0001. 0..1. 2....", 5, 3);
    annotator_score scores[5];
    double corrected[5];
    gbv_error error;
    assert_ok(peer_agreement_kernel(&o, scores, corrected, &error), error);
    assert_near(scores[0].score, (2. / 3 + 0) / 2, 1e-15);
    assert_int_equal(scores[0].items, 2);
    assert_near(scores[1].score, 2. / 3, 1e-15);
    assert_near(scores[3].score, 0, 0);
    assert_true(isnan(scores[4].score) && isnan(corrected[4]));
    assert_int_equal(scores[4].items, 0);
    /* the first always says 0; on its items the others say 0 with 2/3 and 0 */
    assert_near(corrected[0], 0, 1e-15);
    assert_ok(peer_agreement_kernel(&o, scores, NULL, &error), error);
    assert_near(scores[0].score, 1. / 3, 1e-15);
    overlap_free(&o);
}

static void chance_is_taken_off(void **state)
{
    (void)state;
    /* both say 0 and 1 equally often: chance agrees on half of the items, they do on three of four */
    overlap o = crowd_of("00 00 11 01 10 11 00 11", 2, 2);
    annotator_score scores[2];
    double corrected[2];
    gbv_error error;
    assert_ok(peer_agreement_kernel(&o, scores, corrected, &error), error);
    for (size_t s = 0; s < 2; s++) {
        assert_near(scores[s].score, .75, 1e-15);
        assert_near(corrected[s], .5, 1e-14);
    }
    overlap_free(&o);
    o = crowd_of("00 00 00", 2, 2);
    assert_ok(peer_agreement_kernel(&o, scores, corrected, &error), error);
    assert_near(scores[0].score, 1, 0);
    assert_true(isnan(corrected[0]));
    overlap_free(&o);
}

/* Pair by pair, for a crowd in which everybody labels a part. */
static void agreement_is_that_of_the_definition(void **state)
{
    (void)state;
    enum { SOURCES = 6, CLASSES = 4, ITEMS = 80 };
    static const double accuracy[SOURCES] = {1, .9, .7, .5, .3, .25};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        overlap o = crowd_draw(ITEMS, SOURCES, CLASSES, accuracy, .5, seed);
        annotator_score scores[SOURCES];
        double corrected[SOURCES];
        gbv_error error;
        assert_ok(peer_agreement_kernel(&o, scores, corrected, &error), error);
        for (int32_t s = 0; s < SOURCES; s++) {
            double sum = 0, items = 0, said[CLASSES] = {0}, heard[CLASSES] = {0}, chance = 0;
            for (size_t item = 0; item < ITEMS; item++)
                for (size_t i = o.first[item]; i < o.first[item + 1]; i++) {
                    double others = (double)(o.first[item + 1] - o.first[item] - 1), same = 0;
                    if (o.sources[i] != s || others == 0)
                        continue;
                    for (size_t j = o.first[item]; j < o.first[item + 1]; j++)
                        if (j != i) {
                            same += o.classes[j] == o.classes[i];
                            heard[o.classes[j]] += 1 / others;
                        }
                    sum += same / others;
                    items++;
                    said[o.classes[i]]++;
                }
            for (size_t c = 0; c < CLASSES; c++)
                chance += said[c] * heard[c] / (items * items);
            if (fabs(scores[s].score - sum / items) > 1e-13 || (double)scores[s].items != items ||
                fabs(corrected[s] - (sum / items - chance) / (1 - chance)) > 1e-12)
                fail_msg("seed %d, source %d: %.17g of %zu items, corrected %.17g", (int)seed, s, scores[s].score,
                         scores[s].items, corrected[s]);
        }
        overlap_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_counts_by_the_share_of_others_that_agree),
        cmocka_unit_test(chance_is_taken_off),
        cmocka_unit_test(agreement_is_that_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
