/* Characters as UTF-8: every one survives, and what is not UTF-8 is told apart. */
#include "test_support.h"

#include "base/text.h"

static void every_character_survives(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x110010; c++) {
        char bytes[4];
        uint32_t back;
        size_t length = text_encode(c, bytes);
        bool is_character = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
        if ((length != 0) != is_character)
            fail_msg("U+%04X takes %zu bytes", c, length);
        if (length && (text_decode(bytes, bytes + length, &back) != length || back != c))
            fail_msg("U+%04X became U+%04X", c, back);
        if (length > 1 && text_decode(bytes, bytes + length - 1, &back) != 0)
            fail_msg("U+%04X was read from fewer bytes", c);
    }
}

static void what_is_not_utf8_is_told_apart(void **state)
{
    (void)state;
    static const char *const bad[] = {"\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xE0\x80\x80",
                                      "\xED\xA0\x80",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF8\x88\x80\x80\x80",
                                      "\xFF",
                                      "a\xC3",
                                      "\xC3(",
                                      "\xE2\x82"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (text_is_utf8(bad[i], strlen(bad[i])))
            fail_msg("case %zu is taken as UTF-8", i);
    assert_true(text_is_utf8("", 0));
    assert_true(text_is_utf8("né 猫 🐈", strlen("né 猫 🐈")));
    assert_false(text_is_utf8("a\0b", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_survives),
        cmocka_unit_test(what_is_not_utf8_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
