/* test_annotation_sources.c - annotations joined to items: sources, the gold reference, and what is told about both. */
#include "data/annotation_support.h"
#include "data/data_support.h"
#include "data/sources.h"

#define ITEMS "id,a,b\nt0,0,0\nt1,1,0\nt2,2,0\nt3,3,0\n"
#define FILES_OF_ITEMS "file,a\nx/i0.jpg,0\nx/i1.jpg,1\ny/i2.png,2\n"

static gbv_dataset *read_items(const char *text)
{
    return read_dataset(write_text("items", text), &(gbv_read_options){.features_only = true, .wants_items = true});
}

/* name: row=label ... for each source, as "anna: 0=cat 2=dog | ben: 1=cat". */
static const char *list_sources(const gbv_sources *sources)
{
    static char text[2000];
    size_t used = 0;
    text[0] = '\0';
    for (size_t s = 0; s < sources->count; s++) {
        const source *item = &sources->items[s];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:", s ? " | " : "", item->name);
        for (size_t i = 0; i < item->row_count; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, " %zu=%s", item->rows[i],
                                     sources->labels[item->labels[i]].text);
    }
    return text;
}

typedef struct joined {
    gbv_dataset *items;
    gbv_sources *sources;
    gbv_status status;
    gbv_error error;
} joined;

static joined join(const char *items, const char *annotations, const char *gold, const gbv_annotation_options *options)
{
    joined j = {.items = read_items(items), .sources = gbv_sources_create()};
    gbv_annotations *a = read_annotations(annotations, options), *g = gold ? read_annotations(gold, options) : NULL;
    j.status = gbv_sources_add_annotations(j.sources, a, j.items, g, options, &j.error);
    gbv_annotations_free(a);
    gbv_annotations_free(g);
    return j;
}

static void part(joined *j)
{
    gbv_sources_free(j->sources);
    gbv_dataset_free(j->items);
}

static void assert_joined(const char *items, const char *annotations, const char *gold,
                          const gbv_annotation_options *options, const char *expected)
{
    joined j = join(items, annotations, gold, options);
    if (j.status != GBV_OK)
        fail_msg("%s", j.error.message);
    assert_string_equal(list_sources(j.sources), expected);
    assert_true(j.sources->from_table);
    part(&j);
}

static void assert_not_joined(gbv_status status, const char *items, const char *annotations, const char *gold,
                              const gbv_annotation_options *options, ...)
{
    joined j = join(items, annotations, gold, options);
    assert_int_equal(j.status, status);
    va_list parts;
    va_start(parts, options);
    for (const char *piece; (piece = va_arg(parts, const char *));)
        assert_holds(j.error.message, piece);
    va_end(parts);
    assert_int_equal(gbv_sources_count(j.sources), 0);
    assert_null(gbv_sources_note(j.sources, 0));
    part(&j);
}

static void assert_note(const joined *j, const char *piece)
{
    for (size_t i = 0; gbv_sources_note(j->sources, i); i++)
        if (strstr(gbv_sources_note(j->sources, i), piece))
            return;
    fail_msg("no note holds '%s'", piece);
}

static void each_annotator_is_a_source_with_rows_in_the_items_order(void **state)
{
    (void)state;
    joined j = join(ITEMS, "task,worker,label\nt2,anna,dog\nt0,anna,cat\nt1,ben,cat\n", NULL, NULL);
    assert_int_equal(j.status, GBV_OK);
    assert_string_equal(list_sources(j.sources), "anna: 0=cat 2=dog | ben: 1=cat");
    assert_ptr_equal(j.sources->items[0].dataset, j.sources->items[1].dataset);
    assert_note(&j, "3 of 3 tasks were joined to items by id");
    /* the sources keep what they need of the items */
    gbv_dataset_free(j.items);
    j.items = NULL;
    assert_true(gbv_matrix_get(&j.sources->items[0].dataset->features, 2, 0) == 2);
    part(&j);
}

static void labels_are_numbers_when_all_are_whole(void **state)
{
    (void)state;
    joined j = join("a\n5\n6\n", "anna,ben\n1.0,\n-2.0,+3\n", NULL, NULL);
    assert_string_equal(list_sources(j.sources), "anna: 0=1 1=-2 | ben: 1=3");
    assert_int_equal(j.sources->labels[0].kind, LABELS_INTEGER);
    part(&j);
    j = join("a\n5\n6\n", "anna,ben\n1.0,\n2.5,3\n", NULL, NULL);
    assert_string_equal(list_sources(j.sources), "anna: 0=1.0 1=2.5 | ben: 1=3");
    assert_int_equal(j.sources->labels[0].kind, LABELS_TEXT);
    part(&j);
}

static void tasks_are_joined_by_id_file_or_row(void **state)
{
    (void)state;
    const char *rows = "task,worker,label\n2,w,x\n0,w,y\n";
    assert_joined("a\n5\n6\n7\n", rows, NULL, NULL, "w: 0=y 2=x");
    assert_joined(ITEMS, rows, NULL, &(gbv_annotation_options){.join = "row"}, "w: 0=y 2=x");
    const char *floats = "task,worker,label\n2.0,w,x\n0.0,w,y\n";
    assert_joined("a\n5\n6\n7\n", floats, NULL, NULL, "w: 0=y 2=x");
    assert_joined("id,a\n2,5\n1,6\n0,7\n", floats, NULL, NULL, "w: 0=x 2=y");
    assert_joined("id,a\n2.0,5\n3,6\n0.0,7\n", floats, NULL, NULL, "w: 0=x 2=y");
    assert_joined(FILES_OF_ITEMS, "task,worker,label\ni1.jpg,w,a\ny/i2.png,w,b\ni0,w,c\n", NULL, NULL,
                  "w: 0=c 1=a 2=b");
    /* Label Studio's prefix of uploads, with and without another extension */
    assert_joined(FILES_OF_ITEMS,
                  "[{\"id\": 5, \"data\": {\"image\": \"/data/upload/1/0a1B2c3d-i1.jpg\"}, \"annotations\": "
                  "[{\"completed_by\": 1, \"result\": [{\"from_name\": \"c\", \"type\": \"choices\", \"value\": "
                  "{\"choices\": [\"x\"]}}]}]}]",
                  NULL, NULL, "annotator-1: 1=x");
    assert_joined(ITEMS, "task,worker,label\nt1,w,a\n", NULL, &(gbv_annotation_options){.join = "file"}, "w: 1=a");
}

#define LABELLED(task, file)                                                                                           \
    "{\"id\": " task ", \"data\": {\"image\": \"" file "\"}, \"annotations\": [{\"completed_by\": 1, \"result\": "     \
    "[{\"from_name\": \"c\", \"type\": \"choices\", \"value\": {\"choices\": [\"x\"]}}]}]}"

/* Task 2 shows 1.jpg and is not the item 2.jpg. */
static void the_number_of_a_task_is_no_file_when_it_shows_one(void **state)
{
    (void)state;
    const char *items = "file,a\n1.jpg,0\n2.jpg,1\n";
    joined j = join(items, "[" LABELLED("1", "/x/0.jpg") ", " LABELLED("2", "/x/1.jpg") "]", NULL, NULL);
    assert_string_equal(list_sources(j.sources), "annotator-1: 0=x");
    assert_note(&j, "1 of 2 tasks were joined to items by file name; not among the items: '0.jpg'");
    part(&j);
    assert_joined(items, "[" LABELLED("\"b/2.jpg\"", "/x/other.jpg") "]", NULL, NULL, "annotator-1: 1=x");
}

static void a_file_name_that_is_no_utf8_is_not_told(void **state)
{
    (void)state;
    assert_joined(ITEMS, "[" LABELLED("\"t1\"", "http://h/%ff%fe.jpg") "]", NULL,
                  &(gbv_annotation_options){.join = "file"}, "annotator-1: 1=x");
}

static void tasks_that_are_no_items_are_told(void **state)
{
    (void)state;
    joined j = join(ITEMS, "task,worker,label\nt1,w,a\nq,w,a\nr,v,a\n", NULL, NULL);
    assert_string_equal(list_sources(j.sources), "w: 1=a");
    assert_note(&j, "1 of 3 tasks were joined to items by id; not among the items: 'q' and 1 more");
    assert_note(&j, "1 annotator is left with no item and is no source: 'v'");
    part(&j);
    assert_not_joined(GBV_BAD_INPUT, ITEMS, "task,worker,label\nq,w,a\nr,v,a\n", NULL, NULL, "none of its 2 tasks",
                      "'q', 'r'", "'t0', 't1', 't2', ...", "--join", NULL);
    assert_not_joined(GBV_BAD_INPUT, "a\n1\n2\n", "task,worker,label\nq,w,a\n2,w,a\n", NULL, NULL, "joined by row",
                      "from 0 to 1", NULL);
}

static void joins_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const char *one = "task,worker,label\nt1,w,a\n", *wide = "anna,ben\nx,y\n";
    assert_not_joined(GBV_USAGE, ITEMS, one, NULL, &(gbv_annotation_options){.join = "name"}, "--join is 'name'", NULL);
    assert_not_joined(GBV_BAD_INPUT, "a\n1\n", one, NULL, &(gbv_annotation_options){.join = "id"}, "no names",
                      "--item-column", NULL);
    assert_not_joined(GBV_BAD_INPUT, "id,a\nt1,0\nt2,0\nt1,1\n", one, NULL, NULL, "rows 1 and 3", "'t1'", NULL);
    assert_not_joined(GBV_BAD_INPUT, "file,a\nx/i.jpg,0\ny/i.jpg,0\n", "task,worker,label\ni.jpg,w,a\n", NULL, NULL,
                      "two items", "'i.jpg'", NULL);
    assert_joined("file,a\nx/i.jpg,0\ny/i.jpg,0\n", "task,worker,label\ny/i.jpg,w,a\n", NULL, NULL, "w: 1=a");
    assert_not_joined(GBV_BAD_INPUT, "a\n1\n2\n", wide, NULL, NULL, "has 1 line and", "2 rows",
                      "task, worker and label", NULL);
    assert_not_joined(GBV_USAGE, "id,a\nx,1\n", wide, NULL, &(gbv_annotation_options){.join = "id"}, "leave out --join",
                      NULL);
    assert_not_joined(GBV_BAD_INPUT, ITEMS, "task,label\nt1,a\n", NULL, NULL, "no column says who", "--gold", NULL);
}

static void ids_written_as_floating_point_numbers_are_the_same(void **state)
{
    (void)state;
    assert_joined("id,a\n7,1\n8,2\n", "task,worker,label\n8.0,w,x\n7.0,w,y\n", NULL, NULL, "w: 0=y 1=x");
    assert_joined("id,a\n7.0,1\n8.0,2\n", "task,worker,label\n8,w,x\n", NULL, NULL, "w: 1=x");
    assert_joined("a\n1\n2\n", "task,worker,label\n0.0,w,x\n", NULL, NULL, "w: 0=x");
}

static void ids_are_not_taken_for_rows(void **state)
{
    (void)state;
    const char *ids = "task,worker,label\n1,w,x\n2,w,y\n3,w,y\n";
    assert_not_joined(GBV_BAD_INPUT, "a\n5\n6\n7\n", ids, NULL, NULL, "'1', '2', '3'", "none is 0", "not guessed",
                      "--join row", NULL);
    assert_joined("a\n5\n6\n7\n", ids, NULL, &(gbv_annotation_options){.join = "row"}, "w: 1=x 2=y");
}

static void a_table_of_gold_labels_has_no_controls(void **state)
{
    (void)state;
    const gbv_annotation_options mood = {.control = "mood"};
    assert_joined(ITEMS,
                  "[{\"id\": \"t1\", \"annotations\": [{\"completed_by\": 1, \"result\": [{\"from_name\": \"mood\", "
                  "\"value\": {\"choices\": [\"x\"]}}]}]}]",
                  "task,label\nt0,x\n", &mood, "annotator-1: 1=x");
    assert_not_joined(GBV_USAGE, ITEMS, "task,worker,label\nt1,w,a\n", NULL, &mood, "no controls",
                      "leave out --control", NULL);
}

static void the_last_of_two_labels_counts(void **state)
{
    (void)state;
    joined j = join(ITEMS, "task,worker,label\nt1,w,a\nt1,w,b\nt0,w,c\nt1,v,a\n", NULL, NULL);
    assert_string_equal(list_sources(j.sources), "w: 0=c 1=b | v: 1=a");
    assert_note(&j, "1 annotation was replaced by a later one of the same annotator");
    part(&j);
    /* by time when both have one, whatever the zone */
    assert_joined(ITEMS,
                  "task,worker,label,updated_at\nt1,w,a,2021-03-09T22:16:08Z\nt1,w,b,2021-03-09T23:00:00+02:00\n"
                  "t2,w,a,2021-03-09T22:16:08Z\nt2,w,b,\n",
                  NULL, NULL, "w: 1=a 2=b");
}

static void gold_items_are_the_reference_and_kept_out(void **state)
{
    (void)state;
    const char *text = "task,worker,label\nt0,w,a\nt1,w,b\nt2,w,a\nt0,v,a\n", *gold = "task,label\nt0,a\nt3,b\nt9,a\n";
    gbv_error error;
    joined j = join(ITEMS, text, gold, NULL);
    assert_string_equal(list_sources(j.sources), "w: 1=b 2=a");
    assert_note(&j, "2 annotations of gold items are kept out");
    assert_note(&j, "2 items have a gold label, joined by id; not among the items: 't9'");
    assert_note(&j, "1 annotator is left with no item");
    gbv_annotations *g = read_annotations(gold, NULL);
    gbv_dataset *reference;
    assert_ok(gbv_dataset_from_gold(j.items, g, NULL, NULL, &reference, &error), error);
    gbv_annotations_free(g);
    part(&j); /* the reference needs neither */
    assert_int_equal(gbv_dataset_rows(reference), 2);
    assert_int_equal(reference->row_index[1], 3);
    assert_true(gbv_matrix_get(gbv_dataset_features(reference), reference->row_index[1], 0) == 3);
    assert_string_equal(gbv_dataset_class_name(reference, (size_t)gbv_dataset_labels(reference)[1]), "b");
    gbv_dataset_free(reference);
    assert_joined(ITEMS, text, gold, &(gbv_annotation_options){.allow_overlap = true}, "w: 0=a 1=b 2=a | v: 0=a");
}

#define MARKED(gold)                                                                                                   \
    "[{\"id\": \"t1\", \"annotations\": [{\"completed_by\": 1, \"ground_truth\": " gold                                \
    ", \"result\": [{\"from_name\": \"c\", \"type\": \"choices\", \"value\": {\"choices\": [\"x\"]}}]}, "              \
    "{\"completed_by\": 2, \"result\": [{\"from_name\": \"c\", \"type\": \"choices\", \"value\": "                     \
    "{\"choices\": [\"y\"]}}]}]}]"

static void only_ground_truth_of_an_export_is_gold(void **state)
{
    (void)state;
    gbv_error error;
    gbv_dataset *items = read_items(ITEMS), *reference;
    gbv_annotations *gold = read_annotations(MARKED("true"), NULL);
    assert_ok(gbv_dataset_from_gold(items, gold, NULL, NULL, &reference, &error), error);
    assert_int_equal(gbv_dataset_rows(reference), 1);
    assert_string_equal(gbv_dataset_class_name(reference, 0), "x");
    gbv_dataset_free(reference);
    gbv_annotations_free(gold);
    gold = read_annotations(MARKED("false"), NULL);
    assert_int_equal(gbv_dataset_from_gold(items, gold, NULL, NULL, &reference, &error), GBV_BAD_INPUT);
    assert_holds(error.message, "marks none of its annotations as ground truth");
    assert_null(reference);
    gbv_annotations_free(gold);
    gbv_dataset_free(items);
}

static void gold_that_cannot_be_used_is_refused(void **state)
{
    (void)state;
    const char *one = "task,worker,label\nt1,w,a\n";
    assert_not_joined(GBV_BAD_INPUT, ITEMS, one, "task,label\nt2,a\nt2,b\nt2,a\n", NULL, "the item 't2'", "'a' and 'b'",
                      NULL);
    assert_not_joined(GBV_BAD_INPUT, ITEMS, one, "task,label\nt1,a\n", NULL, "every annotated item has a gold label",
                      "--allow-overlap", NULL);
    assert_not_joined(GBV_BAD_INPUT, ITEMS, one, "task,label\nq,a\n", NULL, "none of its 1 tasks", NULL);
    assert_joined(ITEMS, one, "task,label\nt2,a\nt2,a\n", NULL, "w: 1=a");
}

static void annotations_of_bad_rows_are_counted(void **state)
{
    (void)state;
    gbv_error error;
    gbv_dataset *items =
        read_dataset(write_text("items", "id,a\nt0,1\nt1,nan\nt2,3\n"),
                     &(gbv_read_options){.features_only = true, .wants_items = true, .skip_bad_rows = true});
    gbv_annotations *a = read_annotations("task,worker,label\n0,w,x\n1,w,x\n2,w,y\n", NULL);
    gbv_sources *sources = gbv_sources_create();
    gbv_annotation_options options = {.join = "row"};
    assert_ok(gbv_sources_add_annotations(sources, a, items, NULL, &options, &error), error);
    assert_string_equal(list_sources(sources), "w: 0=x 2=y");
    assert_holds(gbv_sources_note(sources, 1), "1 of items whose row cannot be used");
    assert_int_equal(gbv_sources_add_annotations(sources, a, items, NULL, &options, &error), GBV_USAGE);
    assert_holds(error.message, "annotations already");
    assert_int_equal(gbv_sources_count(sources), 1);
    gbv_sources_free(sources);
    gbv_annotations_free(a);
    gbv_dataset_free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_annotator_is_a_source_with_rows_in_the_items_order),
        cmocka_unit_test(labels_are_numbers_when_all_are_whole),
        cmocka_unit_test(tasks_are_joined_by_id_file_or_row),
        cmocka_unit_test(the_number_of_a_task_is_no_file_when_it_shows_one),
        cmocka_unit_test(a_file_name_that_is_no_utf8_is_not_told),
        cmocka_unit_test(tasks_that_are_no_items_are_told),
        cmocka_unit_test(joins_that_cannot_be_are_refused),
        cmocka_unit_test(ids_written_as_floating_point_numbers_are_the_same),
        cmocka_unit_test(ids_are_not_taken_for_rows),
        cmocka_unit_test(a_table_of_gold_labels_has_no_controls),
        cmocka_unit_test(the_last_of_two_labels_counts),
        cmocka_unit_test(gold_items_are_the_reference_and_kept_out),
        cmocka_unit_test(only_ground_truth_of_an_export_is_gold),
        cmocka_unit_test(gold_that_cannot_be_used_is_refused),
        cmocka_unit_test(annotations_of_bad_rows_are_counted),
    };
    return RUN_WITH_FOLDER(tests);
}
