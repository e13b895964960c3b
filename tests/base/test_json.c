/* test_json.c - what is written as JSON is JSON, whatever the text. */
#include "base/json.h"

#include <jansson.h>

#include "test_support.h"

static void assert_text_becomes(const char *text, const char *expected)
{
    char *document = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&document, &size);
    assert_non_null(stream);
    json_writer json = json_open(stream);
    json_begin_object(&json, NULL);
    json_text(&json, "t", text);
    json_end(&json);
    assert_int_equal(fclose(stream), 0);
    json_t *root = json_loadb(document, size, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "t")), expected);
    json_decref(root);
    free(document);
}

static void texts_read_back_as_they_were(void **state)
{
    (void)state;
    const char *text = "a \"b\" \\ \n\t\x01\x7F \xC3\xBC \xF0\x9F\x90\x88";
    assert_text_becomes(text, text);
    assert_text_becomes("", "");
}

/* A sentence may have been cut inside a character. */
static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    (void)state;
    assert_text_becomes("\xC3\xBC\xC3", "\xC3\xBC\xEF\xBF\xBD");
    assert_text_becomes("a\xFF\xC3z", "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_read_back_as_they_were),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
