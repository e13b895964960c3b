/* Memory: sizes that overflow, geometric growth, arenas that are used again. */
#include "test_support.h"

#include "base/memory.h"

static void sizes_that_overflow_give_no_memory(void **state)
{
    (void)state;
    volatile size_t huge = SIZE_MAX / 2;
    assert_null(memory_array(huge, 3));
    assert_null(memory_array(SIZE_MAX, 1));
    assert_null(memory_zeroed(huge, 8));
    arena a = {0};
    assert_null(arena_array(&a, huge, 3));
    assert_null(arena_array(&a, SIZE_MAX, 1));
    arena_free(&a);
    char *block = NULL;
    size_t capacity = 0;
    assert_false(memory_grow(&block, &capacity, huge, 8));
    assert_null(block);
    assert_int_equal(capacity, 0);
}

static void arrays_are_aligned_and_an_empty_one_is_valid(void **state)
{
    (void)state;
    for (size_t count = 0; count < 200; count += 7) {
        unsigned char *array = memory_zeroed(count, 1);
        assert_non_null(array);
        assert_int_equal((uintptr_t)array % 64, 0);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(array[i], 0);
        free(array);
    }
}

static void growth_keeps_what_was_there_and_is_geometric(void **state)
{
    (void)state;
    size_t *numbers = NULL, capacity = 0, growths = 0;
    for (size_t i = 0; i < 100000; i++) {
        size_t before = capacity;
        assert_true(memory_grow(&numbers, &capacity, i + 1, sizeof *numbers));
        assert_true(capacity > i);
        growths += capacity != before;
        numbers[i] = i;
    }
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(numbers[i], i);
    assert_true(growths < 40);
    free(numbers);
}

static void an_arena_gives_memory_that_does_not_overlap(void **state)
{
    (void)state;
    arena a = {0};
    unsigned char *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        blocks[i] = arena_array(&a, 10000 + i, 1);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], (int)(i % 251), 10000 + i);
    }
    for (size_t i = 0; i < 300; i++)
        assert_true(blocks[i][0] == i % 251 && blocks[i][9999 + i] == i % 251);
    arena_free(&a);
}

static void an_arena_that_is_reset_uses_the_same_memory(void **state)
{
    (void)state;
    arena a = {0};
    arena_array(&a, 1000, sizeof(double));
    arena_array(&a, 1 << 20, sizeof(double));
    arena_reset(&a); /* two blocks become one */
    double *first = arena_array(&a, 1000, sizeof *first), *large = arena_array(&a, 1 << 20, sizeof *large);
    large[0] = 1;
    arena_reset(&a);
    assert_ptr_equal(arena_array(&a, 1000, sizeof *first), first);
    assert_ptr_equal(arena_zeroed(&a, 1 << 20, sizeof *large), large);
    assert_true(large[0] == 0);
    arena_free(&a);
    assert_null(a.blocks);
}

static void uses_of_differing_size_do_not_add_up(void **state)
{
    (void)state;
    arena a = {0};
    size_t most = 4 << 20;
    for (size_t round = 0; round < 50; round++) {
        arena_reset(&a);
        for (size_t i = 0; i < 4; i++)
            assert_non_null(arena_array(&a, (1 << 20) - (50 - round) * 1000 * (i + 1), 1));
    }
    assert_true(arena_bytes(&a) <= most + most / 4);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow_give_no_memory),
        cmocka_unit_test(arrays_are_aligned_and_an_empty_one_is_valid),
        cmocka_unit_test(growth_keeps_what_was_there_and_is_geometric),
        cmocka_unit_test(an_arena_gives_memory_that_does_not_overlap),
        cmocka_unit_test(an_arena_that_is_reset_uses_the_same_memory),
        cmocka_unit_test(uses_of_differing_size_do_not_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
