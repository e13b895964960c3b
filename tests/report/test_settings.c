/* Settings: what is written reads back the same, and what people write by hand is understood or named. */
#include "report/folder.h"

static gbv_status read_text(const char *text, gbv_settings **settings, gbv_error *error)
{
    return gbv_settings_read(write_text_file(folder, "run.json", text), settings, error);
}

static void settings_read_back_as_they_were_written(void **state)
{
    (void)state;
    gbv_setting items[] = {{NULL, "leep"}, {"source", "a=\"1\".csv"}, {"paper", NULL}, {"source", "b=ü.csv"}};
    gbv_settings *back, given = {.command = "value", .items = items, .count = 4};
    gbv_error error;
    const char *path = write_text_file(folder, "run.json", "");
    assert_int_equal(gbv_settings_write(&given, path, &error), GBV_OK);
    assert_int_equal(gbv_settings_read(path, &back, &error), GBV_OK);
    assert_string_equal(back->command, "value");
    assert_int_equal(back->count, 4);
    assert_null(back->items[0].name);
    assert_string_equal(back->items[0].value, "leep");
    assert_string_equal(back->items[1].value, "a=\"1\".csv");
    assert_string_equal(back->items[2].value, "b=ü.csv");
    assert_string_equal(back->items[3].name, "paper");
    assert_null(back->items[3].value);
    gbv_settings_free(back);
}

static void a_value_that_json_cannot_hold_is_refused(void **state)
{
    (void)state;
    const char *path = write_text_file(folder, "run.json", "");
    gbv_setting items[] = {{"output", "r\xFF.json"}};
    gbv_error error;
    assert_int_equal(gbv_settings_write(&(gbv_settings){.command = "value", .items = items, .count = 1}, path, &error),
                     GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "\"output\", which is not valid UTF-8"));
}

static void numbers_and_booleans_written_by_hand_are_understood(void **state)
{
    (void)state;
    gbv_settings *settings;
    gbv_error error;
    assert_int_equal(read_text("{\"command\": \"value\", \"options\": {\"tau\": 0.1, \"seed\": 7, \"paper\": false, "
                               "\"fast\": true, \"list\": [1, \"b\"]}}",
                               &settings, &error),
                     GBV_OK);
    assert_int_equal(settings->count, 5);
    assert_string_equal(settings->items[0].value, "0.1");
    assert_string_equal(settings->items[1].value, "7");
    assert_string_equal(settings->items[2].name, "fast");
    assert_null(settings->items[2].value);
    assert_string_equal(settings->items[3].value, "1");
    assert_string_equal(settings->items[4].value, "b");
    gbv_settings_free(settings);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "not JSON"},
        {"{\"command\": 3}", "has no \"command\""},
        {"{\"command\": \"value\", \"options\": 3}", "\"options\" is not an object"},
        {"{\"command\": \"value\", \"options\": {\"tau\": null}}", "\"tau\" is neither"},
        {"{\"command\": \"value\", \"options\": {\"source\": [[]]}}", "\"source\" is neither"},
        {"{\"command\": \"value\", \"options\": {\"source\": [true]}}", "\"source\" is neither"},
        {"{\"command\": \"value\", \"arguments\": true}", "\"arguments\" is neither"},
        {"{\"command\": \"value\", \"command\": \"train\"}", "duplicate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gbv_settings *settings;
        gbv_error error;
        assert_int_equal(read_text(cases[i].text, &settings, &error), GBV_BAD_INPUT);
        assert_null(settings);
        assert_non_null(strstr(error.message, "run.json"));
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s' does not say '%s'", error.message, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_read_back_as_they_were_written),
        cmocka_unit_test(a_value_that_json_cannot_hold_is_refused),
        cmocka_unit_test(numbers_and_booleans_written_by_hand_are_understood),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
