/* test_annotation_tables.c - annotations from tables: long, wide, and Label Studio's CSV export. */
#include "data/annotation_support.h"

static void a_long_table_has_a_line_per_annotation(void **state)
{
    (void)state;
    assert_annotations("task,worker,label\nt1,w1,cat\nt1,w2,dog\nt2,w1,cat\n", NULL, "t1:w1=cat t1:w2=dog t2:w1=cat");
    assert_annotations("label\tperformer\tTask_ID\n0\tp\t7\n1\tq\t7\n", NULL, "7:p=0 7:q=1");
    assert_annotations("item;annotator_id;answer;note\n\"a;b\";x;\"say \"\"yes\"\"\";n\n", NULL, "a;b:x=say \"yes\"");
    assert_annotations("\xEF\xBB\xBFunit,user,class\r\n1,u,x\r\n\r\n2,u,y", NULL, "1:u=x 2:u=y");
}

static void lines_without_label_or_annotator_are_counted(void **state)
{
    (void)state;
    gbv_annotations *a = read_annotations("task,worker,label\n1,w,\n1,w,NaN\n2,,cat\n3,w,cat\n", NULL);
    assert_string_equal(list_annotations(a), "3:w=cat");
    assert_int_equal(a->empty, 2);
    assert_int_equal(a->nobody, 1);
    assert_int_equal(gbv_annotations_count(a), 1);
    assert_int_equal(gbv_annotations_gold_count(a), 0);
    gbv_annotations_free(a);
}

static void a_table_without_annotators_is_one_of_gold_labels(void **state)
{
    (void)state;
    gbv_annotations *a = read_annotations("id,label\n1,cat\n2,dog\n", NULL);
    assert_string_equal(list_annotations(a), "1:-=cat 2:-=dog");
    assert_true(a->without_annotators);
    assert_false(a->marks_gold);
    gbv_annotations_free(a);
}

static void a_wide_table_has_a_column_per_annotator(void **state)
{
    (void)state;
    assert_annotations("task,anna,ben\nt1,cat,\nt2,,dog\nt3,nan,cat\n", NULL, "t1:anna=cat t2:ben=dog t3:ben=cat");
    /* as pandas writes a DataFrame with its index, and without it */
    assert_annotations(",0,1\n0,1.0,\n1,,2.0\n", NULL, "0:0=1.0 1:1=2.0");
    gbv_annotations *a = read_annotations("anna,ben\n1,2\n,0\n", NULL);
    assert_string_equal(list_annotations(a), "0:anna=1 0:ben=2 1:ben=0");
    assert_true(a->tasks_are_rows);
    assert_int_equal(a->table_rows, 2);
    gbv_annotations_free(a);
}

static void a_long_table_is_not_taken_for_a_wide_one(void **state)
{
    (void)state;
    assert_annotations_refused("task,worker,verdict\nt1,anna,cat\n", NULL, "\"worker\"", "none of labels",
                               "task, worker and label", NULL);
    assert_annotations_refused("question,worker,verdict\nt1,anna,cat\n", NULL, "none of tasks", NULL);
    assert_annotations_refused("task,rater,verdict\nt1,anna,cat\nt1,ben,cat\n", NULL, "line 3", "second of one task",
                               NULL);
    assert_annotations_refused("0.000e+00,nan\n1.000e+00,nan\n", NULL, "first line holds labels", NULL);
    static const char array[] = "\x93NUMPY\x01";
    assert_annotations_refused(array, NULL, "NPY array", "to_csv(", NULL);
}

static void e_mail_addresses_are_told_only_when_asked(void **state)
{
    (void)state;
    const char *text = "task,worker,label\n1,anna@example.org,cat\n2,Ben <ben@x.de>,cat\n3,at @ home,cat\n";
    /* the first digits of the SHA-256 of the text */
    assert_annotations(text, NULL, "1:annotator-a3bf8623=cat 2:annotator-3ef90e87=cat 3:at @ home=cat");
    assert_annotations(text, &(gbv_annotation_options){.show_emails = true},
                       "1:anna@example.org=cat 2:Ben <ben@x.de>=cat 3:at @ home=cat");
    assert_annotations("anna@example.org,ben\n1,2\n", NULL, "0:annotator-a3bf8623=1 0:ben=2");
}

static void broken_tables_are_refused_with_the_line(void **state)
{
    (void)state;
    assert_annotations_refused("", NULL, "annotations: is empty", NULL);
    assert_annotations_refused("task,worker,label\n1,w\n", NULL, "line 2 has 2 cells", "3 columns", NULL);
    assert_annotations_refused("task,worker,label\n\n,w,cat\n", NULL, "line 3 has no task in column \"task\"", NULL);
    assert_annotations_refused("task,worker,label\n1,\"w\n", NULL, "line 2 opens a quote", NULL);
    assert_annotations_refused("task,worker,label\n1,\"w\"x,cat\n", NULL, "line 2, cell 2 has text behind", NULL);
    assert_annotations_refused("task,worker,label\n1,\xff,cat\n", NULL, "line 2, cell 2 is not valid UTF-8", NULL);
    assert_annotations_refused("task,worker,label\n", NULL, "holds no annotation that can be used", NULL);
    assert_annotations_refused("task\n1\n", NULL, "has no column for an annotator", NULL);
    assert_annotations_refused("task,a,\n1,x,y\n", NULL, "column 3", "has no name", NULL);
    assert_annotations_refused("task,a@b.c,a@b.c\n1,x,y\n", NULL, "columns 2 and 3 have the same name", NULL);
    assert_annotations_refused("task,a,b\n,x,y\n", NULL, "line 2 has no task in its first column", NULL);
    assert_annotations_refused("PAR1\x15\x04", NULL, "Parquet", "read_parquet", "to_csv", NULL);
    assert_annotations_refused("\x80\x04\x95", NULL, "pickle", NULL);
    assert_annotations_refused("\x01\x02", NULL, "is no text", NULL);
}

static void two_people_never_become_one(void **state)
{
    (void)state;
    assert_annotations_refused("task,worker,label\n1,annotator-a3bf8623,cat\n1,anna@example.org,dog\n", NULL, "line 3",
                               "both be named 'annotator-a3bf8623'", "--show-emails", NULL);
}

static const char csv_export[] =
    "annotation_id,annotator,choice,created_at,id,image,lead_time,updated_at,was_cancelled\n"
    "1,5,cat,2021-03-09T22:16:08Z,11,/data/upload/1/0a1b2c3d-a.jpg,4.2,2021-03-09T22:17:08Z,False\n"
    "2,anna@example.org,dog,,12,s3://bucket/b.jpg?x=1,4.2,,False\n"
    "3,5,\"{\"\"choices\"\": [\"\"cat\"\"]}\",,13,c.jpg,4.2,,False\n"
    "4,5,\"[{\"\"rating\"\": 4}]\",,14,d.jpg,4.2,,False\n"
    "5,5,,,15,e.jpg,4.2,,False\n"
    "6,5,cat,,16,e.jpg,4.2,,True\n"
    "7,None,cat,,17,e.jpg,4.2,,False\n";

static void label_studios_csv_is_read(void **state)
{
    (void)state;
    gbv_annotations *a = read_annotations(csv_export, NULL);
    assert_string_equal(list_annotations(a), "11:annotator-5=cat 12:annotator-a3bf8623=dog 13:annotator-5=cat "
                                             "14:annotator-5=4");
    assert_string_equal(a->files[0], "0a1b2c3d-a.jpg");
    assert_string_equal(a->files[1], "b.jpg");
    assert_int_equal(a->list[0].time, annotation_time("2021-03-09T22:17:08Z"));
    assert_true(a->list[2].time == ANNOTATION_NO_TIME);
    assert_int_equal(a->empty, 1);
    assert_int_equal(a->cancelled, 1);
    assert_int_equal(a->nobody, 1);
    gbv_annotations_free(a);
    a = read_annotations("annotation_id,annotator,id,sentiment,text\n1,5,9,good,I liked it\n",
                         &(gbv_annotation_options){.control = "sentiment"});
    assert_string_equal(list_annotations(a), "9:annotator-5=good");
    gbv_annotations_free(a);
    /* older versions do not sort the columns; the file is the one text that looks like a path */
    a = read_annotations("text,score,url,id,mood,annotator,annotation_id\nI liked it.,1.5,s3://b/x/c.jpg,9,good,5,1\n",
                         NULL);
    assert_string_equal(list_annotations(a), "9:annotator-5=good");
    assert_string_equal(a->files[0], "c.jpg");
    gbv_annotations_free(a);
}

static void label_studios_csv_is_refused_where_it_is_unclear(void **state)
{
    (void)state;
    assert_annotations_refused("text,id,mood,size,annotator,annotation_id\nx,9,good,big,5,1\n", NULL, "--control",
                               "'text', 'mood', 'size'", NULL);
    const char *text = "annotation_id,annotator,id,mood,text\n1,5,9,good,I liked it\n";
    assert_annotations_refused(text, NULL, "--control", "'mood', 'text'", NULL);
    assert_annotations_refused(text, &(gbv_annotation_options){.control = "choice"}, "'mood', 'text'", NULL);
    assert_annotations_refused(
        "annotation_id,annotator,choice,id\n1,5,\"{\"\"choices\"\": [\"\"a\"\", \"\"b\"\"]}\",9\n", NULL, "line 2",
        "several labels", "single choice", NULL);
    assert_annotations_refused("annotation_id,annotator,choice,id\n1,5,\"[{\"\"text\"\": 1}]\",9\n", NULL, "line 2",
                               "no label", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_table_has_a_line_per_annotation),
        cmocka_unit_test(lines_without_label_or_annotator_are_counted),
        cmocka_unit_test(a_table_without_annotators_is_one_of_gold_labels),
        cmocka_unit_test(a_wide_table_has_a_column_per_annotator),
        cmocka_unit_test(a_long_table_is_not_taken_for_a_wide_one),
        cmocka_unit_test(e_mail_addresses_are_told_only_when_asked),
        cmocka_unit_test(broken_tables_are_refused_with_the_line),
        cmocka_unit_test(two_people_never_become_one),
        cmocka_unit_test(label_studios_csv_is_read),
        cmocka_unit_test(label_studios_csv_is_refused_where_it_is_unclear),
    };
    return RUN_WITH_FOLDER(tests);
}
