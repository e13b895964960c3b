/* Buffers that are alive together never share a byte, and those that are not do. */
#include "nn/buffers.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static bool meet(const buffer *a, const buffer *b)
{
    bool in_time = a->begin <= b->end && b->begin <= a->end;
    return in_time && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static void random_lives_never_meet(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 50; seed++) {
        buffers b = {0};
        size_t alive[40] = {0}, most = 0;
        srand(seed);
        for (int i = 0; i < 60; i++) {
            size_t begin = (size_t)(rand() % 30), index = buffers_add(&b, (size_t)(rand() % 1000), begin, begin);
            buffers_use(&b, index, begin + (size_t)(rand() % 10));
        }
        assert_true(buffers_place(&b));
        for (size_t i = 0; i < b.count; i++) {
            assert_int_equal(b.items[i].offset % 64, 0);
            assert_true(b.items[i].offset + b.items[i].bytes <= b.bytes);
            for (size_t t = b.items[i].begin; t <= b.items[i].end; t++)
                alive[t] += b.items[i].bytes;
            for (size_t j = 0; j < i; j++)
                if (meet(&b.items[i], &b.items[j]))
                    fail_msg("seed %u: buffers %zu and %zu share bytes", seed, i, j);
        }
        for (size_t t = 0; t < 40; t++)
            most = alive[t] > most ? alive[t] : most;
        if (b.bytes > most * 3 / 2)
            fail_msg("seed %u: %zu bytes where %zu are alive at once", seed, b.bytes, most);
        buffers_free(&b);
    }
}

static void a_chain_needs_room_for_two(void **state)
{
    (void)state;
    buffers b = {0};
    for (size_t i = 0; i < 10; i++)
        buffers_add(&b, 640, i, i + 1);
    assert_true(buffers_place(&b));
    assert_int_equal(b.bytes, 2 * 640);
    buffers_free(&b);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    buffers b = {0};
    buffers_add(&b, 64, 0, 1);
    buffers_add(&b, SIZE_MAX - 5, 0, 1);
    assert_false(buffers_place(&b));
    buffers_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lives_never_meet),
        cmocka_unit_test(a_chain_needs_room_for_two),
        cmocka_unit_test(sizes_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
