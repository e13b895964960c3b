/* The temperature by cross-fitting: what it chooses where that is known, and where there is nothing to choose by. */
#include "toy.h"

#include "base/plan.h"
#include "value/tau_auto.h"

/* Twenty thin sources of the toy's rows: source s has label noise noise_of[s]. */
enum { MOST_SOURCES = 20, THIN = 40 };

typedef struct stand {
    toy *data;
    int32_t labels[MOST_SOURCES][THIN];
    gbv_sources *sources;
    gbv_dataset *reference;
    class_table classes;
    sample_part part;
    sample rows;
    unsigned char fold[REFERENCE];
    double scores[2][MOST_SOURCES];
    gbv_model_options model;
} stand;

/* Sources over rows of the toy, each label wrong with its probability; scores fall with the noise. */
static stand *stand_create(size_t count, const double *noise_of, const size_t *rows, size_t reference_rows)
{
    stand *s = calloc(1, sizeof *s);
    gbv_error error;
    s->data = make_toy();
    s->sources = gbv_sources_create();
    for (size_t i = 0; i < count; i++) {
        char name[16];
        gbv_dataset *d;
        size_t first = i % 7 * THIN, n = rows ? rows[i] : THIN;
        snprintf(name, sizeof name, "s%zu", i);
        random_stream stream = random_stream_open(1, name, RANDOM_LABEL_NOISE);
        float(*features)[COLUMNS] = &s->data->rows[i / 7][first];
        for (size_t row = 0; row < n; row++) {
            /* the toy's rows anew, because their labels are noisy already */
            s->labels[i][row] = draw_row(&stream, features[row]);
            if (random_uniform(&stream) < noise_of[i])
                s->labels[i][row] = (int32_t)random_below(&stream, CLASSES);
        }
        assert_ok(
            gbv_dataset_create(name, gbv_matrix_f32(&features[0][0], n, COLUMNS), s->labels[i], NULL, 0, &d, &error),
            error);
        assert_ok(gbv_sources_add_dataset(s->sources, name, d, &error), error);
        s->scores[0][i] = s->scores[1][i] = -noise_of[i];
    }
    s->reference = reference_of(s->data);
    assert_int_equal(sources_fit(s->reference, s->sources, &s->classes, NULL, NULL, &error), 0);
    s->part = (sample_part){.features = gbv_matrix_f32(&s->data->reference[0][0], REFERENCE, COLUMNS),
                            .labels = s->data->reference_labels,
                            .count = reference_rows,
                            .row_weight = 1};
    s->rows = (sample){.parts = &s->part, .part_count = 1, .rows = reference_rows, .columns = COLUMNS};
    assert_ok(tau_folds(s->data->reference_labels, reference_rows, CLASSES, 1, s->fold, &error), error);
    s->model = gbv_model_defaults();
    s->model.threads = 1;
    return s;
}

static void stand_free(stand *s)
{
    class_table_free(&s->classes);
    gbv_sources_free(s->sources);
    gbv_dataset_free(s->reference);
    free(s->data);
    free(s);
}

static gbv_status ask(const stand *s, const double *prior, tau_choice *choice, gbv_error *error)
{
    tau_task task = {.data = {.sources = s->sources, .classes = &s->classes},
                     .reference = &s->rows,
                     .fold = s->fold,
                     .scores = {s->scores[0], s->scores[1]},
                     .prior = prior,
                     .model = &s->model};
    plan p = plan_begin(s->model.threads);
    gbv_status status = tau_auto(&task, choice, error);
    plan_end(p);
    return status;
}

/* What was chosen must be the largest tau whose deficit is at most one standard error. */
static tau_choice choose(const stand *s)
{
    gbv_error error;
    tau_choice choice;
    assert_ok(ask(s, NULL, &choice, &error), error);
    double best = -INFINITY;
    for (int i = 0; i < TAU_GRID_COUNT && !choice.doubt; i++)
        best = fmax(best, choice.curve[i].log_likelihood);
    for (int i = 0; i < TAU_GRID_COUNT && !choice.doubt; i++) {
        const tau_point *point = &choice.curve[i];
        assert_true(point->tau == tau_grid[i] && point->log_likelihood < 0);
        assert_near(point->deficit, best - point->log_likelihood, 1e-12);
        assert_true(point->deficit > 0 || point->standard_error == 0);
        if (point->tau > choice.tau)
            assert_true(point->deficit > point->standard_error);
        if (point->tau == choice.tau)
            assert_true(point->deficit <= point->standard_error);
    }
    return choice;
}

static void folds_halve_every_class(void **state)
{
    (void)state;
    enum { ROWS = 101 };
    int32_t labels[ROWS];
    unsigned char fold[ROWS], other[ROWS];
    size_t counts[2][5] = {{0}}, total[2] = {0}, same = 0;
    gbv_error error;
    for (int i = 0; i < ROWS; i++) /* classes of 25, 25, 25, 25 and 1 rows */
        labels[i] = i == 100 ? 4 : i % 4;
    assert_ok(tau_folds(labels, ROWS, 6, 1, fold, &error), error);
    assert_ok(tau_folds(labels, ROWS, 6, 2, other, &error), error);
    for (int i = 0; i < ROWS; i++) {
        assert_true(fold[i] < 2);
        counts[fold[i]][labels[i]]++;
        total[fold[i]]++;
        same += fold[i] == other[i];
    }
    for (int c = 0; c < 4; c++)
        assert_int_equal(counts[0][c] > counts[1][c] ? counts[0][c] - counts[1][c] : counts[1][c] - counts[0][c], 1);
    assert_int_equal(total[0] > total[1] ? total[0] - total[1] : total[1] - total[0], 1);
    assert_true(same > 20 && same < 80);
}

static void one_good_source_of_twenty_is_worth_a_small_tau(void **state)
{
    (void)state;
    double noise_of[MOST_SOURCES];
    for (int i = 0; i < MOST_SOURCES; i++)
        noise_of[i] = i == 3 ? 0 : 1;
    stand *s = stand_create(MOST_SOURCES, noise_of, NULL, REFERENCE);
    tau_choice choice = choose(s);
    assert_null(choice.doubt);
    assert_true(choice.tau <= 0.5);
    assert_true(choice.curve[0].deficit > 3 * choice.curve[0].standard_error);
    stand_free(s);
}

/* The scores of equal sources differ by chance only. Following them may pay by chance, too, but not often. */
static void equal_sources_are_mostly_left_equal(void **state)
{
    (void)state;
    double noise_of[MOST_SOURCES];
    size_t left_equal = 0;
    for (int i = 0; i < MOST_SOURCES; i++)
        noise_of[i] = .3;
    stand *s = stand_create(MOST_SOURCES, noise_of, NULL, REFERENCE);
    for (uint64_t seed = 3; seed < 9; seed++) {
        random_stream stream = random_stream_open(seed, "scores", RANDOM_SPLIT);
        for (int f = 0; f < 2; f++)
            for (int i = 0; i < MOST_SOURCES; i++)
                s->scores[f][i] = 0.1 * random_normal(&stream);
        tau_choice choice = choose(s);
        const tau_point *sharpest = &choice.curve[TAU_GRID_COUNT - 1];
        left_equal += choice.tau >= 0.5;
        assert_true(sharpest->deficit > 3 * sharpest->standard_error);
    }
    assert_true(left_equal >= 4);
    stand_free(s);
}

static size_t fits;
static bool count_fits(void *context, const char *stage, size_t done, size_t total)
{
    (void)context;
    assert_string_equal(stage, "tau");
    assert_int_equal(total, 2 * TAU_GRID_COUNT);
    fits = done > fits ? done : fits;
    return false;
}

static void one_source_and_identical_scores_give_the_prior(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 3; count += 2) {
        stand *s = stand_create(count, (double[]){.2, .2, .2}, NULL, 100);
        s->model.progress = count_fits;
        fits = 0;
        tau_choice choice = choose(s);
        assert_true(isinf(choice.tau) && !choice.doubt);
        assert_int_equal(fits, 2 * TAU_GRID_COUNT);
        for (int i = 0; i < TAU_GRID_COUNT; i++) {
            assert_true(choice.curve[i].deficit == 0 && choice.curve[i].standard_error == 0);
            assert_true(choice.curve[i].log_likelihood == choice.curve[0].log_likelihood);
        }
        stand_free(s);
    }
}

/* A source without a score on a half gets no weight there; with another of the same rows in its place nothing else
 * changes. */
static void undefined_and_infinite_scores_get_no_weight(void **state)
{
    (void)state;
    const double noise_of[] = {0, .4, .8, .2};
    stand *s = stand_create(4, noise_of, (size_t[]){40, 20, 40, 7}, 200);
    s->scores[0][1] = NAN;
    s->scores[1][2] = -INFINITY;
    tau_choice choice = choose(s);
    s->scores[0][1] = -INFINITY;
    s->scores[1][2] = NAN;
    tau_choice other = choose(s);
    assert_null(choice.doubt);
    assert_memory_equal(&choice, &other, sizeof choice);
    for (int f = 0; f < 2; f++) /* all lost: the prior over those that are not undefined */
        for (int i = 0; i < 4; i++)
            s->scores[f][i] = i == 1 ? NAN : -INFINITY;
    choice = choose(s);
    assert_true(isinf(choice.tau) && !choice.doubt && isfinite(choice.curve[0].log_likelihood));
    stand_free(s);
}

static void too_little_to_judge_by_gives_the_prior_and_says_so(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 3; rows++) {
        stand *s = stand_create(2, (double[]){0, .9}, NULL, rows);
        tau_choice choice = choose(s);
        assert_true(isinf(choice.tau) && isnan(choice.curve[0].log_likelihood));
        assert_non_null(strstr(choice.doubt, "too few rows"));
        stand_free(s);
    }
    stand *s = stand_create(2, (double[]){0, .9}, NULL, 4);
    tau_choice choice = choose(s); /* one row a class */
    assert_null(choice.doubt);
    s->scores[1][0] = s->scores[1][1] = NAN;
    choice = choose(s);
    assert_non_null(strstr(choice.doubt, "no source has a score"));
    s->scores[1][0] = 1;
    gbv_error error;
    assert_ok(ask(s, (double[]){0, 1}, &choice, &error), error);
    assert_non_null(strstr(choice.doubt, "no source has a score"));
    stand_free(s);
}

static void a_class_that_no_source_has_counts_as_one_in_a_million_million(void **state)
{
    (void)state;
    stand *s = stand_create(2, (double[]){0, .2}, NULL, 100);
    tau_choice all = choose(s);
    for (size_t i = 0; i < 2; i++)
        for (size_t row = 0; row < s->sources->items[i].row_count; row++)
            s->sources->items[i].labels[row] = s->sources->items[0].labels[0];
    tau_choice one = choose(s);
    size_t known = 0;
    for (size_t i = 0; i < 100; i++)
        known += s->data->reference_labels[i] == s->classes.class_of_label[s->sources->items[0].labels[0]];
    assert_true(all.curve[0].log_likelihood > -2);
    assert_close(one.curve[0].log_likelihood, log(1e-12) * (double)(100 - known) / 100, 1e-12);
    assert_true(isinf(one.tau));
    stand_free(s);
}

static void the_choice_does_not_depend_on_threads(void **state)
{
    (void)state;
    stand *s = stand_create(3, (double[]){0, .5, .9}, (size_t[]){40, 5, 30}, REFERENCE);
    tau_choice one = choose(s);
    for (size_t threads = 2; threads <= 8; threads *= 2) {
        s->model.threads = threads;
        tau_choice many = choose(s);
        assert_memory_equal(&one, &many, sizeof one);
    }
    stand_free(s);
}

/* On fold 1 the reference names every class by the next one's name, as the second source does: what one fold favours
 * is wrong for the other. Only a model that is judged by rows that did not choose it shows that. */
static void a_fold_is_judged_by_the_other(void **state)
{
    (void)state;
    stand *s = stand_create(2, (double[]){0, 0}, NULL, REFERENCE);
    int32_t *labels = s->sources->items[1].labels, next[CLASSES] = {0};
    assert_int_equal(s->sources->label_count, CLASSES);
    for (size_t label = 0; label < CLASSES; label++)
        for (size_t other = 0; other < CLASSES; other++)
            if (s->classes.class_of_label[other] == (s->classes.class_of_label[label] + 1) % CLASSES)
                next[label] = (int32_t)other;
    for (size_t row = 0; row < s->sources->items[1].row_count; row++)
        labels[row] = next[labels[row]];
    for (size_t i = 0; i < REFERENCE; i++)
        if (s->fold[i] == 1)
            s->data->reference_labels[i] = (s->data->reference_labels[i] + 1) % CLASSES;
    s->scores[0][1] = s->scores[1][0] = -1;
    tau_choice choice = choose(s);
    assert_true(isinf(choice.tau));
    assert_true(choice.curve[TAU_GRID_COUNT - 1].deficit > 5 * choice.curve[TAU_GRID_COUNT - 1].standard_error);
    stand_free(s);
}

static bool stop(void *context, const char *stage, size_t done, size_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return true;
}

static void it_can_be_interrupted_and_refuses_sources_without_rows(void **state)
{
    (void)state;
    stand *s = stand_create(3, (double[]){0, .5, .9}, NULL, REFERENCE);
    gbv_error error;
    tau_choice choice;
    s->model.progress = stop;
    for (s->model.threads = 1; s->model.threads <= 2; s->model.threads++)
        assert_int_equal(ask(s, NULL, &choice, &error), GBV_INTERRUPTED);
    s->model.progress = NULL;
    s->sources->items[1].row_count = 0;
    assert_int_equal(ask(s, NULL, &choice, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "'s1'"));
    stand_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_halve_every_class),
        cmocka_unit_test(one_good_source_of_twenty_is_worth_a_small_tau),
        cmocka_unit_test(equal_sources_are_mostly_left_equal),
        cmocka_unit_test(one_source_and_identical_scores_give_the_prior),
        cmocka_unit_test(undefined_and_infinite_scores_get_no_weight),
        cmocka_unit_test(too_little_to_judge_by_gives_the_prior_and_says_so),
        cmocka_unit_test(a_class_that_no_source_has_counts_as_one_in_a_million_million),
        cmocka_unit_test(the_choice_does_not_depend_on_threads),
        cmocka_unit_test(a_fold_is_judged_by_the_other),
        cmocka_unit_test(it_can_be_interrupted_and_refuses_sources_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
