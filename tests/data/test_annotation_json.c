/* test_annotation_json.c - annotations from JSON exports: Label Studio's two forms and Argilla's three. */
#include "data/annotation_support.h"

#define RESULT(value)                                                                                                  \
    "\"result\": [{\"from_name\": \"choice\", \"to_name\": \"image\", \"type\": \"choices\", \"value\": " value "}]"
#define CHOICE(label) RESULT("{\"choices\": [\"" label "\"]}")
#define ONE_TASK(annotations) "[{\"id\": 7, \"data\": {\"image\": \"a.jpg\"}, \"annotations\": [" annotations "]}]"

static void label_studios_annotators_are_ids_texts_or_objects(void **state)
{
    (void)state;
    const char *text = ONE_TASK("{\"completed_by\": 3, " CHOICE(
        "cat") "}, "
               "{\"completed_by\": \"anna\", " CHOICE(
                   "dog") "}, "
                          "{\"completed_by\": \"ben@x.org\", " CHOICE(
                              "owl") "}, "
                                     "{\"completed_by\": {\"id\": 9, \"email\": \"z@x.org\", \"first_name\": "
                                     "\"Z\"}, " CHOICE("fox") "}, "
                                                              "{\"completed_by\": {\"id\": \"ben@x.org\"}, " CHOICE(
                                                                  "emu") "}");
    assert_annotations(
        text, NULL, "7:annotator-3=cat 7:anna=dog 7:annotator-2c685e7f=owl 7:annotator-9=fox 7:annotator-2c685e7f=emu");
    assert_annotations(text, &(gbv_annotation_options){.show_emails = true},
                       "7:annotator-3=cat 7:anna=dog 7:ben@x.org=owl 7:z@x.org=fox 7:ben@x.org=emu");
}

static void what_label_studio_left_unfinished_is_counted(void **state)
{
    (void)state;
    gbv_annotations *a = read_annotations(
        "[{\"id\": 1, \"data\": {\"image\": \"http://host/x/a%20b.jpg?sig=1\"}, \"drafts\": [{}, {}], \"predictions\": "
        "[{" CHOICE("wrong") "}], \"annotations\": ["
                             "{\"completed_by\": 1, \"was_cancelled\": true, " CHOICE(
                                 "cat") "}, {\"completed_by\": 1, \"result\": []}, "
                                        "{\"completed_by\": 1, " RESULT(
                                            "{\"choices\": []}") "}, {\"completed_by\": "
                                                                 "null, " CHOICE("cat") "}, "
                                                                                        "{\"completed_by\": 2, "
                                                                                        "\"ground_truth\": "
                                                                                        "true, \"updated_at\": "
                                                                                        "\"2021-03-09T22:16:08."
                                                                                        "5+01:00\", " CHOICE(
                                                                                            "dog") "}]}, "
                                                                                                   "{\"id\": "
                                                                                                   "2, "
                                                                                                   "\"data\": "
                                                                                                   "{\"text\": "
                                                                                                   "\"some\\nli"
                                                                                                   "nes\"}, "
                                                                                                   "\"annotatio"
                                                                                                   "ns\": []}]",
        NULL);
    assert_string_equal(list_annotations(a), "1:annotator-2=dog*");
    assert_string_equal(a->files[0], "a b.jpg");
    assert_int_equal(a->cancelled, 1);
    assert_int_equal(a->empty, 2);
    assert_int_equal(a->nobody, 1);
    assert_int_equal(a->drafts, 2);
    assert_int_equal(gbv_annotations_gold_count(a), 1);
    assert_true(a->marks_gold);
    assert_int_equal(a->list[0].time, 1615324568500000);
    gbv_annotations_free(a);
}

static void single_values_of_other_controls_are_labels(void **state)
{
    (void)state;
    assert_annotations(ONE_TASK("{\"completed_by\": 1, " RESULT(
                           "{\"rating\": 4}") "}, "
                                              "{\"completed_by\": 2, " RESULT(
                                                  "{\"number\": 3.0}") "}, "
                                                                       "{\"completed_by\": 3, " RESULT(
                                                                           "{\"selected\": \"left\"}") "}"),
                       NULL, "7:annotator-1=4 7:annotator-2=3 7:annotator-3=left");
}

#define TWO                                                                                                            \
    "[{\"id\": 1, \"completions\": [{\"completed_by\": 1, \"result\": ["                                               \
    "{\"from_name\": \"mood\", \"type\": \"choices\", \"value\": {\"choices\": [\"good\"]}}, "                         \
    "{\"from_name\": \"note\", \"type\": \"textarea\", \"value\": {\"text\": [\"x\"]}}, "                              \
    "{\"type\": \"relation\"}, "                                                                                       \
    "{\"from_name\": \"size\", \"type\": \"choices\", \"value\": {\"choices\": [\"big\"]}}]}]}]"

static void a_control_is_chosen_among_several(void **state)
{
    (void)state;
    assert_annotations(TWO, &(gbv_annotation_options){.control = "mood"}, "1:annotator-1=good");
    assert_annotations(TWO, &(gbv_annotation_options){.control = "size"}, "1:annotator-1=big");
    assert_annotations_refused(TWO, NULL, "several controls", "--control", "'mood', 'size'", NULL);
    assert_annotations_refused(TWO, &(gbv_annotation_options){.control = "note"}, "task 1", "'note'", "'textarea'",
                               "choices, rating", NULL);
    assert_annotations_refused(TWO, &(gbv_annotation_options){.control = "mode"}, "no answers to --control 'mode'",
                               "'mood', 'size'", NULL);
    /* the only one that gives a label is taken */
    assert_annotations(ONE_TASK("{\"completed_by\": 1, \"result\": [{\"from_name\": \"box\", \"type\": "
                                "\"rectanglelabels\", \"value\": {\"x\": 1}}, {\"from_name\": \"c\", \"type\": "
                                "\"choices\", \"value\": {\"choices\": [\"x\"]}}]}"),
                       NULL, "7:annotator-1=x");
}

static void what_is_no_single_label_is_refused(void **state)
{
    (void)state;
    assert_annotations_refused(ONE_TASK("{\"completed_by\": 1, " RESULT("{\"choices\": [\"a\", \"b\"]}") "}"), NULL,
                               "task 1 (byte 1)", "'choice'", "several labels", "single choice", NULL);
    assert_annotations_refused(
        ONE_TASK("{\"completed_by\": 1, \"result\": [{\"from_name\": \"t\", \"type\": \"taxonomy\", \"value\": "
                 "{\"taxonomy\": [[\"a\", \"b\"]]}}]}"),
        NULL, "task 1", "'t'", "'taxonomy'", "--control", NULL);
    assert_annotations_refused(
        ONE_TASK("{\"completed_by\": 1, \"result\": ["
                 "{\"from_name\": \"c\", \"type\": \"choices\", \"value\": {\"choices\": [\"a\"]}}, "
                 "{\"from_name\": \"c\", \"type\": \"choices\", \"value\": {\"choices\": [\"b\"]}}]}"),
        NULL, "several labels", NULL);
    assert_annotations_refused(ONE_TASK("5"), NULL, "task 1", "no JSON object", NULL);
    assert_annotations_refused("[{\"annotations\": [{\"completed_by\": 1, " CHOICE("a") "}]}]", NULL, "task 1",
                               "neither an id nor a file name", NULL);
}

static void broken_json_is_refused_with_its_place(void **state)
{
    (void)state;
    const char *good = "{\"id\": 1, \"annotations\": [{\"completed_by\": 1, " CHOICE("a") "}]}";
    char text[1000];
    snprintf(text, sizeof text, "[%s,\n{\"id\": 2, \"annotations\": [{\"completed_by\": \"anna@x.org\" oops]}]", good);
    assert_annotations_refused(text, NULL, "task 2 is not valid JSON at byte", "export it again", NULL);
    snprintf(text, sizeof text, "[%s", good);
    assert_annotations_refused(text, NULL, "ends behind task 1", "cut off", NULL);
    snprintf(text, sizeof text, "[%s,", good);
    assert_annotations_refused(text, NULL, "ends behind task 1", NULL);
    snprintf(text, sizeof text, "[%s,]", good);
    assert_annotations_refused(text, NULL, "task 2", "no JSON object", NULL);
    snprintf(text, sizeof text, "[%s %s]", good, good);
    assert_annotations_refused(text, NULL, "expected a comma behind task 1", NULL);
    snprintf(text, sizeof text, "[%s] x", good);
    assert_annotations_refused(text, NULL, "something behind its end", NULL);
    assert_annotations_refused("[]", NULL, "holds no tasks", NULL);
    assert_annotations_refused("[{\"id\":", NULL, "task 1 is not valid JSON", NULL);
    assert_annotations_refused(
        "[{\"id\": 1, \"annotations\": []}, {\"id\": 99999999999999999999, \"annotations\": []}]", NULL,
        "task 2 holds a number", "too large", "as text", NULL);
    assert_annotations_refused(ONE_TASK("{\"completed_by\": null, " CHOICE("cat") "}"), NULL, "no annotation",
                               "1 without an annotator", NULL);
    assert_annotations_refused("{\"a\": 1}", NULL, "is JSON, but", "annotations", "annotator", "responses", NULL);
    assert_annotations_refused("[1, 2]", NULL, "JSON", NULL);
}

static void objects_may_stand_one_a_line(void **state)
{
    (void)state;
    const char *line = "{\"id\": %d, \"annotations\": [{\"completed_by\": 1, " CHOICE("a") "}]}\n";
    char text[1000], *end = text;
    end += sprintf(end, line, 1);
    sprintf(end, line, 2);
    assert_annotations(text, NULL, "1:annotator-1=a 2:annotator-1=a");
}

#define MIN(before, after)                                                                                             \
    "[{\"image\": \"/data/upload/1/0a1b2c3d-a.jpg\", \"id\": 4, " before "\"annotator\": 1, \"annotation_id\": 5, "    \
    "\"created_at\": \"2021-03-09T22:16:08Z\", \"lead_time\": 3.5" after "}"

static void json_min_has_its_answers_between_id_and_annotator(void **state)
{
    (void)state;
    gbv_annotations *a =
        read_annotations(MIN("\"sentiment\": \"good\", ",
                             "") ", {\"image\": \"b.jpg\", \"id\": 5, \"annotator\": 1, \"annotation_id\": 6}]",
                         NULL);
    assert_string_equal(list_annotations(a), "4:annotator-1=good");
    assert_int_equal(a->empty, 1);
    assert_string_equal(a->files[0], "0a1b2c3d-a.jpg");
    assert_true(a->list[0].time != ANNOTATION_NO_TIME);
    gbv_annotations_free(a);
    assert_annotations(MIN("\"mood\": \"good\", \"size\": \"big\", ", "") "]",
                       &(gbv_annotation_options){.control = "size"}, "4:annotator-1=big");
    assert_annotations(MIN("", ", \"choice\": \"cat\"") "]", NULL, "4:annotator-1=cat");
    assert_annotations_refused(MIN("\"mood\": \"good\", \"size\": \"big\", ", "") "]", NULL, "several controls",
                               "'mood', 'size'", NULL);
    assert_annotations_refused(MIN("\"mood\": {\"choices\": [\"a\", \"b\"]}, ", "") "]", NULL, "task 1",
                               "several labels", NULL);
    assert_annotations_refused(MIN("\"box\": [{\"x\": 1}], ", "") "]", NULL, "task 1", "'box'", NULL);
    assert_annotations_refused(
        "[{\"annotation_id\": 1, \"annotator\": 2, \"id\": 3, \"mood\": \"x\", \"text\": \"y\"}]", NULL, "--control",
        "'mood', 'text'", NULL);
}

#define ANSWER(value, user, status) "{\"value\": " value ", \"user_id\": \"" user "\", \"status\": \"" status "\"}"

static void argillas_records_are_read_in_every_form(void **state)
{
    (void)state;
    assert_annotations("[{\"id\": \"s\", \"external_id\": \"r1\", \"fields\": {\"text\": \"t\"}, \"responses\": "
                       "[{\"values\": {\"label\": "
                       "{\"value\": \"cat\"}}, \"user_id\": \"u1\", \"status\": \"submitted\"}, {\"values\": null, "
                       "\"user_id\": \"u2\", \"status\": \"discarded\"}]}]",
                       NULL, "r1:u1=cat");
    gbv_annotations *a = read_annotations(
        "[{\"id\": \"r1\", \"fields\": {\"image\": \"x/a.jpg\"}, \"responses\": {\"label\": "
        "[" ANSWER("\"cat\"", "u1", "submitted") ", " ANSWER("\"dog\"", "u2", "draft") ", " ANSWER(
            "\"dog\"", "u3", "discarded") ", " ANSWER("null", "u4",
                                                      "submitted") ", {\"value\": [\"owl\"], \"user_id\": \"u5\"}, "
                                                                   "{\"value\": 3}]}}]",
        NULL);
    assert_string_equal(list_annotations(a), "r1:u1=cat r1:u5=owl");
    assert_string_equal(a->files[0], "a.jpg");
    assert_int_equal(a->drafts, 1);
    assert_int_equal(a->cancelled, 1);
    assert_int_equal(a->empty, 1);
    assert_int_equal(a->nobody, 1);
    gbv_annotations_free(a);
    assert_annotations(
        "{\"id\": \"r1\", \"label.responses\": [\"cat\", \"dog\"], \"label.responses.users\": [\"u1\", \"u2\"], "
        "\"label.responses.status\": [\"submitted\", \"draft\"]}\n{\"id\": \"r2\", \"label.responses\": null}\n",
        NULL, "r1:u1=cat");
}

static void argillas_records_are_refused_where_they_are_unclear(void **state)
{
    (void)state;
    const char *two = "[{\"id\": 1, \"responses\": {\"label\": [" ANSWER(
        "\"a\"", "u", "submitted") "], \"tone\": [" ANSWER("\"b\"", "u", "submitted") "]}}]";
    assert_annotations_refused(two, NULL, "--control", "'label', 'tone'", NULL);
    assert_annotations(two, &(gbv_annotation_options){.control = "tone"}, "1:u=b");
    assert_annotations_refused(
        "[{\"id\": 1, \"responses\": {\"l\": [" ANSWER("[\"a\", \"b\"]", "u", "submitted") "]}}]", NULL, "task 1",
        "several labels", NULL);
    assert_annotations_refused(
        "[{\"id\": 1, \"responses\": {\"l\": [" ANSWER("{\"start\": 1}", "u", "submitted") "]}}]", NULL, "task 1",
        "'l'", NULL);
    assert_annotations_refused("[{\"id\": 1, \"l.responses\": [\"a\"], \"l.responses.users\": []}]", NULL, "task 1",
                               "1 responses of 0 users", NULL);
}

static void times_are_compared_as_times(void **state)
{
    (void)state;
    assert_int_equal(annotation_time("1970-01-01T00:00:00Z"), 0);
    assert_int_equal(annotation_time("2000-02-29 12:00:01.25"), 951825601250000);
    assert_int_equal(annotation_time("2000-02-29T14:30:01.25+02:30"), 951825601250000);
    assert_int_equal(annotation_time("2000-02-29T10:00:01.25-0200"), 951825601250000);
    assert_true(annotation_time("1969-12-31T23:59:59Z") == -1000000);
    static const char *const none[] = {"",           "yesterday",          "2000-13-01T00:00:00",
                                       "2000-01-01", "2000-01-01T1:00:00", "20"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(annotation_time(none[i]) == ANNOTATION_NO_TIME);
}

static void files_are_found_in_paths_and_addresses(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a.jpg", "a.jpg"},
        {"x/y/a.jpg", "a.jpg"},
        {"C:\\x\\a.jpg", "a.jpg"},
        {"https://h/x/a%20b.jpg?sig=1&b=/c", "a b.jpg"},
        {"/data/local-files/?d=x/a.jpg&t=1", "a.jpg"},
        {"what?.jpg", "what?.jpg"},
        {"100%25.jpg", "100%25.jpg"},
    };
    char name[FILE_NAME_TEXT], lengthy[600];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(annotation_file_name(cases[i][0], name));
        assert_string_equal(name, cases[i][1]);
    }
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_false(annotation_file_name(lengthy, name));
    assert_false(annotation_file_name("", name));
    assert_false(annotation_file_name("folder/", name));
    assert_false(annotation_file_name("two\nlines", name));
    assert_false(annotation_file_name("https://h/%00", name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_studios_annotators_are_ids_texts_or_objects),
        cmocka_unit_test(what_label_studio_left_unfinished_is_counted),
        cmocka_unit_test(single_values_of_other_controls_are_labels),
        cmocka_unit_test(a_control_is_chosen_among_several),
        cmocka_unit_test(what_is_no_single_label_is_refused),
        cmocka_unit_test(broken_json_is_refused_with_its_place),
        cmocka_unit_test(objects_may_stand_one_a_line),
        cmocka_unit_test(json_min_has_its_answers_between_id_and_annotator),
        cmocka_unit_test(argillas_records_are_read_in_every_form),
        cmocka_unit_test(argillas_records_are_refused_where_they_are_unclear),
        cmocka_unit_test(times_are_compared_as_times),
        cmocka_unit_test(files_are_found_in_paths_and_addresses),
    };
    return RUN_WITH_FOLDER(tests);
}
