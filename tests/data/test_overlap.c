/* test_overlap.c - which sources labelled the same items: annotated ones, gold ones that nothing is trained on, and
 * those that a table names. */
#include "data/overlap.h"

#include "data/annotation_support.h"
#include "data/data_support.h"

#define ITEMS "id,a\nt0,0\nt1,1\nt2,2\nt3,3\n"

/* A line per item that has a label or a gold label: "0: anna=cat ben=dog" and a gold class behind a *; " | " between.
 */
static const char *list_overlap(const overlap *o, const gbv_sources *sources, const class_table *classes)
{
    static char text[2000];
    size_t used = 0;
    text[0] = '\0';
    for (size_t item = 0; item < o->item_count; item++) {
        if (o->first[item] == o->first[item + 1] && o->gold[item] < 0)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu:", used ? " | " : "", item);
        for (size_t i = o->first[item]; i < o->first[item + 1]; i++) {
            size_t c = (size_t)o->classes[i];
            used += (size_t)snprintf(text + used, sizeof text - used, " %s=%s", sources->items[o->sources[i]].name,
                                     c < classes->count ? classes->names[c] : "?");
        }
        if (o->gold[item] >= 0)
            used += (size_t)snprintf(text + used, sizeof text - used, " *%s", classes->names[o->gold[item]]);
    }
    return text;
}

typedef struct found {
    gbv_dataset *items, *reference;
    gbv_sources *sources;
    class_table classes;
    overlap overlap;
} found;

static void look(found *f)
{
    gbv_error error;
    if (sources_fit(f->reference, f->sources, &f->classes, NULL, NULL, &error) > 0)
        fail_msg("%s", error.message);
    assert_ok(overlap_find(f->sources, f->reference, &f->classes, &f->overlap, &error), error);
}

/* `map` is a class map; NULL: none. */
static found find_annotated(const char *annotations, const char *gold, const char *map, bool allow_overlap)
{
    gbv_error error;
    gbv_annotation_options options = {.allow_overlap = allow_overlap};
    found f = {.items = read_dataset(write_text("items", ITEMS),
                                     &(gbv_read_options){.features_only = true, .wants_items = true}),
               .sources = gbv_sources_create()};
    gbv_annotations *a = read_annotations(annotations, NULL), *g = gold ? read_annotations(gold, NULL) : NULL;
    assert_ok(gbv_sources_add_annotations(f.sources, a, f.items, g, &options, &error), error);
    if (g)
        assert_ok(gbv_dataset_from_gold(f.items, g, a, NULL, &f.reference, &error), error);
    if (map)
        assert_ok(gbv_sources_map_classes(f.sources, write_text("map", map), &error), error);
    gbv_annotations_free(a);
    gbv_annotations_free(g);
    look(&f);
    return f;
}

static void part(found *f)
{
    overlap_free(&f->overlap);
    class_table_free(&f->classes);
    gbv_sources_free(f->sources);
    gbv_dataset_free(f->reference);
    gbv_dataset_free(f->items);
}

static void assert_found(found f, const char *expected)
{
    assert_string_equal(list_overlap(&f.overlap, f.sources, &f.classes), expected);
    part(&f);
}

#define CROWD                                                                                                          \
    "task,worker,label\nt0,anna,cat\nt1,anna,dog\nt2,anna,cat\nt0,ben,cat\nt2,ben,dog\nt3,ben,dog\nt2,carl,cat\n"

static void annotators_share_the_items_they_both_labelled(void **state)
{
    (void)state;
    found f = find_annotated(CROWD, NULL, NULL, false);
    assert_int_equal(f.overlap.shared_items, 2);
    assert_int_equal(f.overlap.shared_labels, 5);
    assert_int_equal(f.overlap.gold_items, 0);
    assert_int_equal(f.overlap.source_count, 3);
    assert_int_equal(f.overlap.class_count, 2);
    assert_int_equal(f.overlap.label_count, 7);
    assert_found(f, "0: anna=cat ben=cat | 1: anna=dog | 2: anna=cat ben=dog carl=cat | 3: ben=dog");
}

/* dora labelled a gold item only and is no source. */
static void what_was_said_of_gold_items_is_kept_though_not_trained_on(void **state)
{
    (void)state;
    const char *gold = "task,label\nt0,dog\nt3,cat\n", *crowd = CROWD "t0,dora,cat\n";
    found f = find_annotated(crowd, gold, NULL, false);
    assert_int_equal(f.sources->items[0].row_count, 2);
    assert_int_equal(f.sources->items[0].gold_count, 1);
    assert_int_equal(f.sources->items[1].row_count, 1);
    assert_int_equal(f.sources->items[1].gold_count, 2);
    assert_int_equal(f.sources->items[2].gold_count, 0);
    assert_int_equal(f.overlap.gold_items, 2);
    assert_int_equal(f.overlap.gold_labels, 3);
    const char *expected = "0: anna=cat ben=cat *dog | 1: anna=dog | 2: anna=cat ben=dog carl=cat | 3: ben=dog *cat";
    assert_found(f, expected);
    f = find_annotated(CROWD, gold, NULL, true);
    assert_int_equal(f.sources->items[0].row_count, 3);
    assert_int_equal(f.sources->items[0].gold_count, 0);
    assert_found(f, expected);
}

static void a_class_map_changes_answers_to_gold_items_too(void **state)
{
    (void)state;
    const char *crowd = "task,worker,label\nt0,anna,K\nt1,anna,cat\nt2,anna,dog\nt0,ben,-?-\nt1,ben,K\nt2,ben,dog\n";
    found f = find_annotated(crowd, "task,label\nt0,cat\nt3,dog\n", "label,class\nK,cat\n-?-,-\n", false);
    assert_int_equal(f.sources->items[1].row_count, 2);
    assert_int_equal(f.sources->items[1].gold_count, 0);
    assert_found(f, "0: anna=cat *cat | 1: anna=cat ben=cat | 2: anna=dog ben=dog | 3: *dog");
}

/* The reference has a class that only gold items were called, and one answer is no class at all. */
static void labels_of_gold_items_only_find_their_class_by_name(void **state)
{
    (void)state;
    const char *crowd = "task,worker,label\nt0,w,3.0\nt1,w,1\nt0,v,x\nt1,v,2\nt2,v,1\n";
    found f = find_annotated(crowd, "task,label\nt0,3\nt3,1\n", NULL, false);
    assert_int_equal(f.classes.count, 3);
    assert_int_equal(f.overlap.class_count, 4);
    assert_found(f, "0: w=3 v=? *3 | 1: w=1 v=2 | 2: v=1 | 3: *1");
}

#define CHOICE(who, gold, label)                                                                                       \
    "{\"completed_by\": " who ", \"ground_truth\": " gold ", \"result\": [{\"from_name\": \"c\", \"type\": "           \
    "\"choices\", \"value\": {\"choices\": [\"" label "\"]}}]}"
#define TASK(id, answers) "{\"id\": \"" id "\", \"annotations\": [" answers "]}"

static void who_gave_the_gold_label_is_not_judged_by_it(void **state)
{
    (void)state;
    const char *export = "[" TASK("t1", CHOICE("1", "true", "x") ", " CHOICE("2", "false", "y")) ", " TASK(
        "t2", CHOICE("1", "false", "x") ", " CHOICE("2", "false", "y")) ", " TASK("t3", CHOICE("3", "true", "y")) "]";
    assert_found(find_annotated(export, export, NULL, false),
                 "1: annotator-2=y *x | 2: annotator-1=x annotator-2=y | 3: *y");
}

static void a_table_names_its_items(void **state)
{
    (void)state;
    gbv_error error;
    gbv_read_options read = {.source_column = "who", .item_column = "item"};
    const char *path =
        write_text("table.csv", "item,who,x,label\np,anna,0,cat\nq,anna,1,dog\nq,ben,1,dog\np,ben,0,cat\n"
                                "p,ben,0,dog\nr,ben,5,cat\n");
    found f = {.sources = gbv_sources_create()};
    assert_ok(gbv_sources_add_table(f.sources, path, &read, &error), error);
    look(&f);
    assert_int_equal(f.overlap.shared_items, 2);
    assert_found(f, "0: anna=cat ben=dog | 1: anna=dog ben=dog | 2: ben=cat");
    /* without names nothing is known, however alike the features are */
    read.item_column = NULL;
    path = write_text("plain.csv", "who,x,label\nanna,0,cat\nanna,1,dog\nben,0,cat\nben,1,dog\n");
    f = (found){.sources = gbv_sources_create()};
    assert_ok(gbv_sources_add_table(f.sources, path, &read, &error), error);
    look(&f);
    assert_int_equal(f.overlap.shared_items, 0);
    assert_int_equal(f.overlap.source_count, 2);
    assert_found(f, "");
}

static void names_in_two_files_are_not_compared(void **state)
{
    (void)state;
    gbv_error error;
    gbv_read_options read = {.item_column = "id"};
    const char *text = "id,x,label\n1,0,cat\n2,1,dog\n";
    found f = {.sources = gbv_sources_create()};
    assert_ok(gbv_sources_add_file(f.sources, "a", write_text("a.csv", text), &read, &error), error);
    assert_ok(gbv_sources_add_file(f.sources, "b", write_text("b.csv", text), &read, &error), error);
    look(&f);
    assert_found(f, "");
}

/* Annotations and a table beside them keep their items apart. */
static void items_of_several_datasets_are_numbered_apart(void **state)
{
    (void)state;
    gbv_error error;
    found f = find_annotated(CROWD, "task,label\nt0,dog\nt3,cat\n", NULL, false);
    overlap_free(&f.overlap);
    class_table_free(&f.classes);
    gbv_read_options read = {.source_column = "who", .item_column = "item"};
    const char *path = write_text("table.csv", "item,who,a,label\nt0,emil,0,cat\nt0,fred,0,dog\n");
    assert_ok(gbv_sources_add_table(f.sources, path, &read, &error), error);
    look(&f);
    assert_found(f, "0: anna=cat ben=cat *dog | 1: anna=dog | 2: anna=cat ben=dog carl=cat | 3: ben=dog *cat | "
                    "4: emil=cat fred=dog");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(annotators_share_the_items_they_both_labelled),
        cmocka_unit_test(what_was_said_of_gold_items_is_kept_though_not_trained_on),
        cmocka_unit_test(a_class_map_changes_answers_to_gold_items_too),
        cmocka_unit_test(labels_of_gold_items_only_find_their_class_by_name),
        cmocka_unit_test(who_gave_the_gold_label_is_not_judged_by_it),
        cmocka_unit_test(a_table_names_its_items),
        cmocka_unit_test(names_in_two_files_are_not_compared),
        cmocka_unit_test(items_of_several_datasets_are_numbered_apart),
    };
    return RUN_WITH_FOLDER(tests);
}
