/* The learning rate over a training, epoch by epoch and step by step. */
#include "test_support.h"

#include "nn/schedule.h"

static double at_epoch(const char *name, size_t epoch, size_t epochs)
{
    schedule_kind kind;
    assert_true(schedule_find(name, &kind));
    return schedule_factor(kind,
                           &(schedule_place){.epoch = epoch, .epochs = epochs, .step = 7 * epoch, .steps = 7 * epochs});
}

static void a_tenth_comes_where_paper_and_step_say(void **state)
{
    (void)state;
    assert_near(at_epoch("paper", 0, 40), 1, 0);
    assert_near(at_epoch("paper", 19, 40), 1, 0);
    assert_near(at_epoch("paper", 20, 40), 0.1, 1e-15);
    assert_near(at_epoch("paper", 29, 40), 0.1, 1e-15);
    assert_near(at_epoch("paper", 30, 40), 0.01, 1e-15);
    assert_near(at_epoch("paper-late", 29, 60), 1, 0);
    assert_near(at_epoch("paper-late", 30, 60), 0.1, 1e-15);
    assert_near(at_epoch("paper-late", 39, 60), 0.1, 1e-15);
    assert_near(at_epoch("paper-late", 40, 60), 0.01, 1e-15);
    assert_near(at_epoch("step", 9, 40), 1, 0);
    assert_near(at_epoch("step", 10, 40), 0.1, 1e-15);
    assert_near(at_epoch("step", 39, 40), 1e-3, 1e-15);
}

static void the_smooth_ones_begin_at_one_and_fall(void **state)
{
    (void)state;
    assert_near(at_epoch("constant", 17, 40), 1, 0);
    for (size_t e = 1; e < 40; e++) {
        assert_true(at_epoch("linear", e, 40) < at_epoch("linear", e - 1, 40));
        assert_true(at_epoch("cosine", e, 40) < at_epoch("cosine", e - 1, 40));
    }
    assert_near(at_epoch("linear", 0, 40), 1, 0);
    assert_near(at_epoch("linear", 10, 40), 0.75, 1e-15);
    assert_near(at_epoch("cosine", 0, 40), 1, 0);
    assert_near(at_epoch("cosine", 20, 40), 0.5, 1e-15);
    schedule_place inside = {.epoch = 0, .epochs = 2, .step = 5, .steps = 20};
    assert_near(schedule_factor(SCHEDULE_LINEAR, &inside), 0.75, 1e-15);
    assert_near(schedule_factor(SCHEDULE_COSINE, &inside), 1, 0);
}

static void names_that_are_none_are_not_found(void **state)
{
    (void)state;
    schedule_kind schedule;
    optimizer_kind optimizer;
    assert_false(schedule_find("code", &schedule));
    assert_false(schedule_find("", &schedule));
    assert_false(optimizer_find("lbfgs", &optimizer));
    assert_true(optimizer_find("adamw", &optimizer));
    assert_int_equal(optimizer, OPTIMIZER_ADAMW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tenth_comes_where_paper_and_step_say),
        cmocka_unit_test(the_smooth_ones_begin_at_one_and_fall),
        cmocka_unit_test(names_that_are_none_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
