/* How wide text is on a screen, how it is shortened, and what is shown where there is only ASCII. */
#include "test_support.h"

#include "report/cells.h"

static void wide_characters_take_two_cells_and_marks_none(void **state)
{
    (void)state;
    assert_int_equal(cells_of(""), 0);
    assert_int_equal(cells_of("anna"), 4);
    assert_int_equal(cells_of("Zoë"), 3);
    assert_int_equal(cells_of("Zoe\u0308"), 3); /* the same with a mark that combines */
    assert_int_equal(cells_of("数据源"), 6);
    assert_int_equal(cells_of("데이터"), 6);
    assert_int_equal(cells_of("\U0001F600 x"), 4);
    assert_int_equal(cells_of("±…█"), 3);
    assert_int_equal(cells_of("\xff\xfe"), 2); /* no UTF-8: each byte for itself */
}

static void assert_short(const char *text, size_t cells, bool ascii, const char *expected)
{
    char *shortened = cells_shortened(text, cells, ascii);
    assert_non_null(shortened);
    assert_string_equal(shortened, expected);
    assert_true(cells_of(shortened) <= cells);
    free(shortened);
}

static void a_long_name_loses_its_middle(void **state)
{
    (void)state;
    assert_short("vendor-1", 8, false, "vendor-1");
    assert_short("vendor-of-the-north-1", 9, false, "vend…th-1");
    assert_short("vendor-of-the-north-1", 9, true, "ven...h-1");
    assert_short("数据源的名字", 7, false, "数…字"); /* half a character cannot be shown */
    assert_short("数据源的名字", 8, false, "数据…字");
    assert_short("e\u0301e\u0301e\u0301e\u0301e\u0301", 3, false, "e\u0301…e\u0301");
    assert_short("abc", 1, false, "a");
    assert_short("abcdef", 2, true, "ab");
    assert_short("abc", 0, false, "");
}

static void every_width_is_kept(void **state)
{
    (void)state;
    const char *names[] = {"plain-ascii-name-of-a-vendor", "数据源 no. 7 数据源",
                           "e\u0301e\u0301 x\u0308 数\u0301 \U0001F600\U0001F600"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t cells = 0; cells < 40; cells++)
            for (int ascii = 0; ascii < 2; ascii++) {
                char *shortened = cells_shortened(names[n], cells, ascii);
                assert_true(cells_of(shortened) <= cells);
                assert_true(cells_of(shortened) + 2 >= (cells < cells_of(names[n]) ? cells : cells_of(names[n])));
                free(shortened);
            }
}

static void assert_shown(const char *text, bool ascii, const char *expected)
{
    char *shown = cells_shown(text, ascii);
    assert_non_null(shown);
    assert_string_equal(shown, expected);
    free(shown);
}

static void nothing_shown_moves_the_cursor(void **state)
{
    (void)state;
    assert_shown("a\033[31mb\x7f\tc\r", false, "a?[31mb??c?");
    assert_shown("a\xc2\x9b"
                 "b",
                 false, "a?b"); /* the same command in one character */
    assert_shown("a\nb", false, "a\nb");
}

static void ascii_keeps_names_and_rewrites_our_signs(void **state)
{
    (void)state;
    assert_shown("0.1 ± 0.2 of Zoë…", true, "0.1 +- 0.2 of Zoë...");
    assert_shown("0.1 ± 0.2 of Zoë…", false, "0.1 ± 0.2 of Zoë…");
    assert_shown("(N + n)²·D", true, "(N + n)^2*D");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_characters_take_two_cells_and_marks_none),
        cmocka_unit_test(a_long_name_loses_its_middle),
        cmocka_unit_test(every_width_is_kept),
        cmocka_unit_test(nothing_shown_moves_the_cursor),
        cmocka_unit_test(ascii_keeps_names_and_rewrites_our_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
