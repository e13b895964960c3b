/* test_progress.c - the callback that keeps count for another thread. */
#include "test_support.h"

static void a_note_keeps_the_counts_and_passes_the_stop_on(void **state)
{
    (void)state;
    gbv_progress progress = {0};
    assert_false(gbv_progress_note(&progress, "fit", 3, 7));
    assert_int_equal(progress.done, 3);
    assert_int_equal(progress.total, 7);
    progress.stop = true;
    assert_true(gbv_progress_note(&progress, NULL, 4, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_note_keeps_the_counts_and_passes_the_stop_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
