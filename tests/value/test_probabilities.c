/* Sources given as what some model thinks of the reference's rows, alone and beside ordinary ones. */
#include "value/toy.h"

#include "data/array_writer.h"

static char *folder;

static int begin(void **state)
{
    folder = test_folder_create();
    return make_data(state);
}

static int end(void **state)
{
    test_folder_remove(folder);
    return free_data(state);
}

/* What the model that gbv_value would fit on a source thinks of the reference. */
static double *probabilities_of(const toy *t, int s)
{
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_model *model;
    gbv_error error;
    double *p = malloc(REFERENCE * CLASSES * sizeof *p);
    add_source(sources, t, s, SAMPLE);
    assert_ok(gbv_train(sources, NULL, NULL, &model, &error), error);
    assert_ok(gbv_predict(model, reference, p, &error), error);
    gbv_model_free(model);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return p;
}

static void a_model_of_ones_own_scores_as_the_one_fitted_here(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_value_options options = gbv_value_defaults();
    gbv_result *r;
    gbv_error error;
    double *p = probabilities_of(t, 1);
    static const char *const classes[] = {"0", "1", "2", "3"};
    options.measure = "leep,nce,accuracy,nll,cmmd,pactran-gamma,logme,mmd";
    add_source(sources, t, 1, SAMPLE);
    assert_ok(gbv_sources_add_probabilities(sources, "unnamed", gbv_matrix_f64(p, REFERENCE, CLASSES), NULL, &error),
              error);
    assert_ok(gbv_sources_add_probabilities(sources, "named", gbv_matrix_f64(p, REFERENCE, CLASSES), classes, &error),
              error);
    assert_ok(gbv_value(reference, sources, &options, &r, &error), error);
    for (size_t i = 1; i < 3; i++) {
        assert_close(r->sources[i].score, r->sources[0].score, 1e-12);
        assert_close(r->sources[i].agreement, r->sources[0].agreement, 1e-12);
        assert_true(r->sources[i].rows == 0 && isnan(r->sources[i].row_weight));
        for (size_t m = 0; m < 6; m++)
            assert_close(r->measures[m].scores[i].score, r->measures[m].scores[0].score, 1e-9);
        for (size_t m = 6; m < 8; m++) { /* they need what probabilities do not have */
            assert_int_equal(r->measures[m].scores[i].score_status, GBV_SCORE_UNDEFINED);
            assert_non_null(strstr(r->measures[m].scores[i].reason, "probabilities"));
            assert_int_equal(r->measures[m].scores[0].score_status, GBV_SCORE_OK);
        }
    }
    assert_true(isnan(r->effective_rows) && isfinite(r->effective_sources));
    gbv_result_free(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    free(p);
}

/* The columns in another order, by their names; and as a model's own classes, which leep needs no names for. */
static void columns_are_matched_by_name(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_value_options options = gbv_value_defaults();
    gbv_result *r;
    gbv_error error;
    double *p = probabilities_of(t, 1), *turned = malloc(REFERENCE * 5 * sizeof *turned);
    static const char *const classes[] = {"3", "cow", "0", "1", "2"}, *const own[] = {"a", "b", "c", "d"};
    for (int i = 0; i < REFERENCE; i++) {
        const double *row = p + i * CLASSES;
        memcpy(turned + 5 * i, (double[]){row[3], 0, row[0], row[1], row[2]}, 5 * sizeof *turned);
    }
    add_source(sources, t, 1, SAMPLE);
    assert_ok(gbv_sources_add_probabilities(sources, "turned", gbv_matrix_f64(turned, REFERENCE, 5), classes, &error),
              error);
    assert_ok(gbv_sources_add_probabilities(sources, "own", gbv_matrix_f64(p, REFERENCE, CLASSES), own, &error), error);
    assert_ok(gbv_sources_add_probabilities(sources, "wide", gbv_matrix_f64(turned, REFERENCE, 5), NULL, &error),
              error);
    assert_ok(gbv_value(reference, sources, NULL, &r, &error), error);
    assert_close(r->sources[1].agreement, r->sources[0].agreement, 1e-12);
    for (size_t i = 1; i < 4; i++)
        assert_close(r->sources[i].score, r->sources[0].score, 1e-12);
    for (size_t i = 2; i < 4; i++) {
        assert_true(isnan(r->sources[i].agreement) && r->sources[i].flag_count == 0);
        assert_true(r->sources[i].warning_count == 1 && strstr(r->sources[i].warnings[0], "not defined"));
    }
    gbv_result_free(r);
    options.measure = "accuracy";
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "'own'"));
    assert_non_null(strstr(error.message, "leep or nce"));
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    free(p);
    free(turned);
}

static void what_probabilities_cannot_serve_is_refused_before_fitting(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_model *model;
    gbv_result *r;
    gbv_error error;
    double *p = probabilities_of(t, 1);
    add_source(sources, t, 0, SAMPLE);
    assert_ok(gbv_sources_add_probabilities(sources, "mine", gbv_matrix_f64(p, REFERENCE, CLASSES), NULL, &error),
              error);
    assert_int_equal(gbv_sources_rows(sources, 1), 0);
    static const char *const refused[] = {"logme", "mmd", "etran", "lfc"};
    for (size_t i = 0; i < 4; i++) {
        gbv_value_options options = gbv_value_defaults();
        options.measure = refused[i];
        assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
        assert_true(strstr(error.message, "'mine'") && strstr(error.message, refused[i]) &&
                    strstr(error.message, "leep, nce, accuracy or nll"));
    }
    gbv_value_options options = gbv_value_defaults();
    options.measure = "etran-energy"; /* its code form looks at probabilities, which are there */
    options.variant = "code";
    assert_ok(gbv_value(reference, sources, &options, &r, &error), error);
    gbv_result_free(r);
    options = gbv_value_defaults();
    options.prior_mode = GBV_PRIOR_ROWS;
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "'mine'"));
    assert_int_equal(gbv_train(sources, NULL, NULL, &model, &error), GBV_BAD_INPUT);
    assert_true(strstr(error.message, "'mine'") && strstr(error.message, "train"));
    assert_ok(gbv_value(reference, sources, NULL, &r, &error), error);
    r->sources[0].rows = r->sources[1].rows; /* so that it is the first that weights meets */
    assert_int_equal(gbv_weights_write(r, "/dev/null", &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "probabilities"));
    gbv_result_free(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    free(p);
}

/* The sentence about probabilities in memory that do not fit. */
static void expect_problem(const toy *t, const double *p, size_t rows, const char *words)
{
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    assert_ok(gbv_sources_add_probabilities(sources, "mine", gbv_matrix_f64(p, rows, CLASSES), NULL, &error), error);
    assert_int_equal(gbv_value(reference, sources, NULL, &r, &error), GBV_BAD_INPUT);
    if (!strstr(error.message, words) || !strstr(error.message, "'mine'"))
        fail_msg("'%s' does not say '%s'", error.message, words);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void rows_that_are_no_probabilities_are_named(void **state)
{
    const toy *t = *state;
    double *p = probabilities_of(t, 1), kept = p[17 * CLASSES + 2];
    expect_problem(t, p, REFERENCE - 1, "399 rows and the reference (reference) has 400");
    p[17 * CLASSES + 2] = -.25;
    expect_problem(t, p, REFERENCE, "row 18, column 3 of the probabilities holds -0.25");
    p[17 * CLASSES + 2] = kept + .01;
    expect_problem(t, p, REFERENCE, "row 18 of the probabilities adds up to 1.01");
    p[17 * CLASSES + 2] = kept + .0005; /* rounding of decimals */
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_error error;
    assert_ok(gbv_sources_add_probabilities(sources, "mine", gbv_matrix_f64(p, REFERENCE, CLASSES), NULL, &error),
              error);
    assert_int_equal(gbv_check(reference, sources, NULL, NULL), 0);
    /* Names: twice the same, the same source again, not UTF-8, none for a column. */
    static const char *const twice[] = {"0", "1", "1", "2"}, *const broken[] = {"0", "\xff", "2", "3"},
                             *const missing[] = {"0", NULL, "2", "3"};
    gbv_matrix view = gbv_matrix_f64(p, REFERENCE, CLASSES);
    assert_int_equal(gbv_sources_add_probabilities(sources, "b", view, twice, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "columns 2 and 3"));
    assert_int_equal(gbv_sources_add_probabilities(sources, "b", view, broken, &error), GBV_BAD_INPUT);
    assert_int_equal(gbv_sources_add_probabilities(sources, "b", view, missing, &error), GBV_BAD_INPUT);
    assert_int_equal(gbv_sources_add_probabilities(sources, "mine", view, NULL, &error), GBV_BAD_INPUT);
    p[0] = NAN;
    assert_int_equal(gbv_sources_add_probabilities(sources, "b", view, NULL, &error), GBV_BAD_INPUT);
    assert_int_equal(gbv_sources_count(sources), 1);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    free(p);
}

static const char *write_csv(const char *name, const char *header, const double *p, size_t bad_row)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    fprintf(stream, "%s\n", header);
    for (size_t i = 0; i < REFERENCE; i++)
        for (size_t z = 0; z < CLASSES; z++) {
            fprintf(stream, "%.17g", i == bad_row ? NAN : p[i * CLASSES + z]);
            fputc(z + 1 < CLASSES ? ',' : '\n', stream);
        }
    fclose(stream);
    return path;
}

static void files_give_the_scores_that_memory_gives(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    double *p = probabilities_of(t, 3);
    char npy[600];
    snprintf(npy, sizeof npy, "%s/p.npy", folder);
    assert_ok(npy_write_file(npy, array_matrix(gbv_matrix_f64(p, REFERENCE, CLASSES)), &error), error);
    assert_ok(gbv_sources_add_probabilities(sources, "memory", gbv_matrix_f64(p, REFERENCE, CLASSES), NULL, &error),
              error);
    assert_ok(gbv_sources_add_probabilities_file(sources, "npy", npy, NULL, &error), error);
    const char *csv = write_csv("p.csv", "0,1,2,3", p, SIZE_MAX);
    assert_ok(gbv_sources_add_probabilities_file(sources, "csv", csv, NULL, &error), error);
    assert_ok(gbv_value(reference, sources, NULL, &r, &error), error);
    for (size_t i = 1; i < 3; i++) {
        assert_true(r->sources[i].score == r->sources[0].score && r->sources[i].agreement == r->sources[0].agreement);
        assert_int_equal(strlen(r->inputs[r->sources[i].input].sha256), 64);
        assert_int_equal(r->inputs[r->sources[i].input].rows, REFERENCE);
    }
    assert_string_equal(r->inputs[r->sources[1].input].path, npy);
    gbv_result_free(r);
    /* A class called as a label column is, a header of no class, one misspelt, cells that are no numbers. */
    csv = write_csv("label.csv", "label,y,class,target", p, SIZE_MAX);
    assert_ok(gbv_sources_add_probabilities_file(sources, "label", csv, NULL, &error), error);
    csv = write_csv("decimal.csv", "0.1,0.2,0.3,0.4", p, SIZE_MAX);
    assert_int_equal(gbv_sources_add_probabilities_file(sources, "x", csv, NULL, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "cat,dog"));
    csv = write_csv("nan.csv", "0,1,2,3", p, 5);
    assert_int_equal(gbv_sources_add_probabilities_file(sources, "x", csv, NULL, &error), GBV_BAD_INPUT);
    assert_true(strstr(error.message, "line 7") && strstr(error.message, "probabilities must be"));
    assert_int_equal(gbv_sources_add_probabilities_file(sources, "x", "/nowhere.csv", NULL, &error), GBV_BAD_INPUT);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    free(p);
}

/* Row 6 of the reference's file cannot be used: the sixth row of probabilities is passed over, whatever it holds. */
static void rows_that_the_reference_skips_are_skipped(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference, *whole;
    gbv_sources *sources = gbv_sources_create();
    gbv_read_options skip = {.skip_bad_rows = true};
    gbv_result *r;
    gbv_error error;
    double *p = probabilities_of(t, 3), *left = malloc(REFERENCE * CLASSES * sizeof *left), without;
    char path[600];
    snprintf(path, sizeof path, "%s/reference.csv", folder);
    FILE *stream = fopen(path, "w");
    fputs("x,label\n", stream);
    for (int i = 0; i < REFERENCE; i++)
        fprintf(stream, "%s,%d\n", i == 5 ? "nan" : "1", t->reference_labels[i]);
    fclose(stream);
    int32_t labels[REFERENCE];
    for (int i = 0, n = 0; i < REFERENCE; i++)
        if (i != 5) {
            labels[n] = t->reference_labels[i];
            memcpy(left + CLASSES * n++, p + CLASSES * i, CLASSES * sizeof *left);
        }
    assert_ok(gbv_dataset_create("whole", gbv_matrix_f32(&t->reference[0][0], REFERENCE - 1, 1), labels, NULL, 0,
                                 &whole, &error),
              error);
    assert_ok(gbv_sources_add_probabilities(sources, "p", gbv_matrix_f64(left, REFERENCE - 1, CLASSES), NULL, &error),
              error);
    assert_ok(gbv_value(whole, sources, NULL, &r, &error), error);
    without = r->sources[0].score;
    gbv_result_free(r);
    gbv_sources_free(sources);

    assert_ok(gbv_dataset_read(path, &skip, &reference, &error), error);
    for (size_t bad = 5; bad < 7; bad++) {
        sources = gbv_sources_create();
        const char *csv = write_csv("skip.csv", "0,1,2,3", p, bad);
        assert_ok(gbv_sources_add_probabilities_file(sources, "p", csv, &skip, &error), error);
        gbv_status status = gbv_value(reference, sources, NULL, &r, &error);
        if (bad == 5) {
            assert_ok(status, error);
            assert_true(r->sources[0].score == without);
            gbv_result_free(r);
        } else {
            assert_int_equal(status, GBV_BAD_INPUT);
            assert_non_null(strstr(error.message, "row 7 of the probabilities cannot be used"));
        }
        gbv_sources_free(sources);
    }
    gbv_dataset_free(reference);
    gbv_dataset_free(whole);
    free(p);
    free(left);
}

static void a_misspelt_column_is_never_guessed(void **state)
{
    (void)state;
    float x[4] = {1, 2, 3, 4};
    double p[8] = {.9, .1, .8, .2, .3, .7, .1, .9};
    int32_t labels[4] = {0, 0, 1, 1};
    static const char *const classes[] = {"cat", "dog"}, *const slip[] = {"Cat ", "dog"};
    gbv_dataset *reference;
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    assert_ok(gbv_dataset_create("reference", gbv_matrix_f32(x, 4, 1), labels, classes, 2, &reference, &error), error);
    assert_ok(gbv_sources_add_probabilities(sources, "mine", gbv_matrix_f64(p, 4, 2), slip, &error), error);
    assert_int_equal(gbv_value(reference, sources, NULL, &r, &error), GBV_BAD_INPUT);
    assert_true(strstr(error.message, "'Cat '") && strstr(error.message, "nearest: 'cat'"));
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_of_ones_own_scores_as_the_one_fitted_here),
        cmocka_unit_test(columns_are_matched_by_name),
        cmocka_unit_test(what_probabilities_cannot_serve_is_refused_before_fitting),
        cmocka_unit_test(rows_that_are_no_probabilities_are_named),
        cmocka_unit_test(files_give_the_scores_that_memory_gives),
        cmocka_unit_test(rows_that_the_reference_skips_are_skipped),
        cmocka_unit_test(a_misspelt_column_is_never_guessed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
