/* test_nearest.c - names compared as people mean them; distances against a naive version. */
#include "base/nearest.h"

#include "base/random.h"
#include "base/text_table.h"
#include "test_support.h"

static bool equal(const char *a, const char *b)
{
    plain_name x = nearest_plain(a), y = nearest_plain(b);
    return nearest_equal(&x, &y);
}

static bool slip(const char *a, const char *b)
{
    plain_name x = nearest_plain(a), y = nearest_plain(b);
    assert_true(nearest_is_slip(&x, &y) == nearest_is_slip(&y, &x));
    return nearest_is_slip(&x, &y);
}

static size_t distance(const char *a, const char *b, size_t limit)
{
    plain_name x = nearest_plain(a), y = nearest_plain(b);
    return nearest_distance(&x, &y, limit);
}

static void case_blanks_and_dashes_make_no_difference(void **state)
{
    (void)state;
    assert_true(equal("Cat", "cat"));
    assert_true(equal("cat ", "cat"));
    assert_true(equal("T-shirt_top", "t shirt\ttop"));
    assert_true(equal("\xC3\x84pfel", "\xC3\xA4pfel"));
    assert_true(equal("\xD0\x9A\xD0\xBE\xD1\x82", "\xD0\xBA\xD0\xBE\xD1\x82"));
    assert_false(equal("cat", "cats"));
    assert_false(equal("cat", "bat"));
    assert_false(equal("-", "_")); /* nothing is left of either */
    assert_true(equal("\xFF\xFE", "\xFF\xFE"));
}

static void a_slip_is_one_character_of_a_long_word(void **state)
{
    (void)state;
    assert_true(slip("sneaker", "sneakr"));
    assert_true(slip("sneaker", "sneakers"));
    assert_true(slip("Sneaker", "sneaket"));
    assert_true(slip("xsneaker", "sneaker"));
    assert_false(slip("sneaker", "sneaker"));
    assert_false(slip("sneaker", "sneakrs"));
    assert_false(slip("coat", "boat"));     /* short words are often near each other */
    assert_false(slip("goats", "goat"));    /* both must be long */
    assert_false(slip("class1", "class2")); /* digits tell things apart */
    assert_false(slip("class1", "class"));
    assert_false(slip("class1", "classl"));
}

static size_t naive(const char *a, const char *b)
{
    if (!*a || !*b)
        return strlen(a) + strlen(b);
    size_t best = naive(a + 1, b + 1) + (*a != *b), other = naive(a + 1, b) + 1;
    best = other < best ? other : best;
    other = naive(a, b + 1) + 1;
    return other < best ? other : best;
}

static void distances_are_the_naive_ones(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(1, "distances_are_the_naive_ones", RANDOM_SPLIT);
    for (int trial = 0; trial < 2000; trial++) {
        char words[2][7] = {{0}};
        for (int w = 0; w < 2; w++)
            for (size_t i = 0, length = random_below(&stream, 7); i < length; i++)
                words[w][i] = (char)('a' + random_below(&stream, 3));
        size_t expected = naive(words[0], words[1]);
        assert_int_equal(distance(words[0], words[1], 10), expected);
        for (size_t limit = 0; limit < 6; limit++)
            assert_int_equal(distance(words[0], words[1], limit), expected <= limit ? expected : limit + 1);
        if (strlen(words[0]) >= 5 && strlen(words[1]) >= 5)
            assert_true(slip(words[0], words[1]) == (expected == 1));
    }
}

static void the_nearest_come_first_and_strangers_not_at_all(void **state)
{
    (void)state;
    const char *const names[] = {"dog", "bat", "cat", "caterpillar", "cart", "rat", "unrelated"};
    plain_name plain[7], wanted = nearest_plain("Catt");
    for (size_t i = 0; i < 7; i++)
        plain[i] = nearest_plain(names[i]);
    size_t found[NEAREST_COUNT];
    assert_int_equal(nearest_find(&wanted, plain, 7, found), 3);
    assert_string_equal(names[found[0]], "cat");
    assert_string_equal(names[found[1]], "cart"); /* as near as 'cat', and behind it in the list */
    assert_string_equal(names[found[2]], "bat");
    wanted = nearest_plain("zzzzzzzz");
    assert_int_equal(nearest_find(&wanted, plain, 7, found), 0);
}

static void overlong_names_are_far_from_everything(void **state)
{
    (void)state;
    char text[301];
    memset(text, 'a', 300);
    text[300] = '\0';
    assert_false(equal(text, text));
    assert_int_equal(distance(text, text, 5), 6);
    text[128] = '\0';
    assert_true(equal(text, text));
    assert_int_equal(distance(text, text, 5), 0);
}

static void texts_are_numbered_once_in_the_order_met(void **state)
{
    (void)state;
    text_table table = {0};
    char text[16];
    assert_true(text_table_find(&table, "x", 1) == TEXT_NONE);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 5000; i++) {
            int length = snprintf(text, sizeof text, "t%zu", i);
            assert_int_equal(text_table_add(&table, text, (size_t)length), i);
        }
    assert_int_equal(text_table_add(&table, "", 0), 5000);
    text_table_truncate(&table, 100);
    assert_int_equal(text_table_find(&table, "t99", 3), 99);
    assert_true(text_table_find(&table, "t100", 4) == TEXT_NONE);
    assert_int_equal(text_table_add(&table, "t7000", 5), 100);
    assert_int_equal(text_table_find(&table, "t7000", 4), TEXT_NONE); /* "t700" */
    text_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_blanks_and_dashes_make_no_difference),
        cmocka_unit_test(a_slip_is_one_character_of_a_long_word),
        cmocka_unit_test(distances_are_the_naive_ones),
        cmocka_unit_test(the_nearest_come_first_and_strangers_not_at_all),
        cmocka_unit_test(overlong_names_are_far_from_everything),
        cmocka_unit_test(texts_are_numbered_once_in_the_order_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
