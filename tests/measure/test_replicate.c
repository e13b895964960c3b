/* Replicates of measures: the draws themselves, weighted forms against repeated rows and plain loops, half-samples
 * against the measure on those rows. */
#include "measure/made.h"

#include "measure/replicate.h"

enum { COUNT = 7 };

static row_draws draw(size_t count, size_t rows)
{
    row_draws draws;
    gbv_error error;
    assert_ok(row_draws_create(1, "reference", count, rows, 1, &draws, &error), error);
    return draws;
}

static void replicates_of(const char *name, const char *variant, const gbv_measure_input *input, const row_draws *draws,
                          double *parts)
{
    gbv_error error = {0};
    assert_ok(measure_replicates(name, variant, input, draws, NULL, NULL, parts, &error), error);
}

/* Calls `check` for every variant of every measure. */
typedef void variant_check(const gbv_measure_info *info, const char *variant, size_t position, void *context);
static void each_variant(variant_check *check, void *context)
{
    for (size_t m = 0; gbv_measure_at(m); m++) {
        const gbv_measure_info *info = gbv_measure_at(m);
        char variants[64], *rest = variants, *variant;
        size_t position = 0;
        snprintf(variants, sizeof variants, "%s", info->variants);
        while ((variant = strsep(&rest, "|")))
            check(info, *variant ? variant : NULL, position++, context);
    }
}

#define MEASURE(name) extern const measure measure_##name;
#include "measure/measures.def"
#undef MEASURE

static const measure *entry_of(const gbv_measure_info *info)
{
#define MEASURE(name) &measure_##name,
    static const measure *const measures[] = {
#include "measure/measures.def"
    };
#undef MEASURE
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++)
        if (&measures[m]->info == info)
            return measures[m];
    fail_msg("%s is no measure", info->name);
    return NULL;
}

static bool is_weighted(const gbv_measure_info *info, size_t variant)
{
    const replicate_form *form = &entry_of(info)->replicates;
    return form->weighs_rows && variant < form->variants;
}

static void a_row_is_drawn_alike_in_any_company(void **state)
{
    (void)state;
    row_draws few = draw(3, 10), many = draw(40, 1000), other;
    gbv_error error;
    for (size_t b = 0; b < 3; b++)
        for (size_t i = 0; i < 10; i++)
            assert_close(few.weights[b * 10 + i] / few.weights[b * 10],
                         many.weights[b * 1000 + i] / many.weights[b * 1000], 1e-13);
    assert_ok(row_draws_create(2, "reference", 3, 10, 1, &other, &error), error);
    assert_memory_not_equal(few.weights, other.weights, 30 * sizeof(double));
    row_draws_free(&other);
    assert_ok(row_draws_create(1, "other", 3, 10, 1, &other, &error), error);
    assert_memory_not_equal(few.weights, other.weights, 30 * sizeof(double));
    assert_memory_not_equal(few.weights, few.weights + 10, 10 * sizeof(double));
    row_draws_free(&few), row_draws_free(&many), row_draws_free(&other);
}

static void weights_and_halves_come_in_opposite_pairs(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 10, 11, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t rows = sizes[s], half = rows / 2, heavy = 0;
        row_draws draws = draw(50, rows);
        assert_int_equal(draws.half_rows, half);
        for (size_t b = 0; b < 50; b++) {
            const double *weights = draws.weights + b * rows;
            double sum = 0, largest = 0;
            for (size_t i = 0; i < rows; i++) {
                sum += weights[i];
                largest = fmax(largest, weights[i]);
            }
            assert_close(sum, (double)rows, 1e-13);
            for (size_t i = 0; i < rows; i++) {
                double other = draws.weights[(b ^ 1) * rows + i];
                assert_true(weights[i] > 0);
                heavy += weights[i] == largest;
                if (weights[i] < largest) /* one and a half times against half */
                    assert_close(largest / weights[i], 3, 1e-13);
                for (size_t k = 0; k < i; k++) /* what is heavier here is lighter there */
                    assert_close(weights[i] / weights[k], draws.weights[(b ^ 1) * rows + k] / other, 1e-13);
            }
            const uint32_t *mine = draws.halves + b * half, *others = draws.halves + (b ^ 1) * half;
            for (size_t i = 0, k = 0; i < half; i++) {
                assert_true(mine[i] < rows && (i == 0 || mine[i] > mine[i - 1]));
                while (k < half && others[k] < mine[i])
                    k++;
                assert_true(k == half || others[k] != mine[i]);
            }
        }
        if (rows >= 1000)
            assert_near((double)heavy / 50 / (double)rows, .5, .02);
        row_draws_free(&draws);
    }
    row_draws none = {0};
    row_draws_free(&none);
}

static void too_many_rows_are_refused(void **state)
{
    (void)state;
    row_draws draws;
    gbv_error error;
    assert_int_equal(row_draws_create(1, "reference", 2, (size_t)1 << 32, 1, &draws, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "at most 4294967295"));
    assert_null(draws.weights);
    assert_int_equal(row_draws_create(1, "reference", SIZE_MAX / 2, 4000000, 1, &draws, &error), GBV_FAILED);
    assert_null(draws.weights);
}

static void draws_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    row_draws one = draw(9, 301), more;
    gbv_error error;
    for (size_t threads = 2; threads < 6; threads += 3) {
        assert_ok(row_draws_create(1, "reference", 9, 301, threads, &more, &error), error);
        assert_memory_equal(one.weights, more.weights, 9 * 301 * sizeof(double));
        assert_memory_equal(one.halves, more.halves, 9 * 150 * sizeof(uint32_t));
        row_draws_free(&more);
    }
    row_draws_free(&one);
}

static void check_info(const gbv_measure_info *info, const char *variant, size_t position, void *context)
{
    (void)variant, (void)context;
    if (position == 0)
        assert_string_equal(info->resampled, is_weighted(info, 0) ? "row weights" : "half samples");
}

static void the_table_says_how_a_measure_is_resampled(void **state)
{
    (void)state;
    each_variant(check_info, NULL);
    assert_true(measure_replicate_kind("leep", NULL).step == ROW_WEIGHT_STEP);
    assert_true(measure_replicate_kind("cmmd", NULL).step == 1 && measure_replicate_kind("no", NULL).step == 1);
    assert_true(measure_replicate_kind("logme", "icml").at_these_rows);
    assert_false(measure_replicate_kind("leep", NULL).at_these_rows);
    assert_string_equal(gbv_measure_find("leep")->resampled, "row weights");
    assert_string_equal(gbv_measure_find("mmd")->resampled, "half samples");
}

/* Whole weights that add up to the number of rows; every class keeps a row. */
static void make_whole_weights(const made *m, row_draws *draws)
{
    random_stream stream = random_stream_open(seed, "whole", RANDOM_ORDER);
    for (size_t b = 0; b < draws->count; b++) {
        double *weights = draws->weights + b * draws->rows;
        size_t left = draws->rows;
        bool *met = calloc(m->classes, sizeof *met);
        for (size_t i = 0; i < draws->rows; i++) {
            weights[i] = !met[m->labels[i]];
            met[m->labels[i]] = true;
            left -= (size_t)weights[i];
        }
        free(met);
        while (left--)
            weights[random_below(&stream, draws->rows)]++;
    }
}

typedef struct weight_case {
    gbv_measure_input input;
    row_draws ones, whole;
    size_t checked;
} weight_case;

static void check_weights(const gbv_measure_info *info, const char *variant, size_t position, void *context)
{
    weight_case *w = context;
    if (!is_weighted(info, position))
        return;
    size_t rows = w->input.rows;
    double scores[COUNT], expected;
    gbv_error error;
    replicates_of(info->name, variant, &w->input, &w->ones, scores);
    for (size_t b = 0; b < COUNT; b++)
        assert_near(scores[b], score_of(info->name, variant, &w->input), 1e-11);
    w->checked++;
    /* The rows of nll are tempered by each other, which the weights of its terms leave as it is. */
    if (strcmp(info->name, "nll") == 0)
        return;
    size_t *repeated = malloc(rows * sizeof *repeated);
    replicates_of(info->name, variant, &w->input, &w->whole, scores);
    for (size_t b = 0; b < COUNT; b++) {
        size_t count = 0;
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < (size_t)w->whole.weights[b * rows + i]; k++)
                repeated[count++] = i;
        assert_int_equal(count, rows);
        assert_ok(measure_rows(info->name, variant, &w->input, repeated, rows, &expected, &error), error);
        /* The authors' logme counts singular values above rounding. */
        if (strcmp(info->name, "logme") != 0 || !variant || strcmp(variant, "code") != 0 ||
            w->input.features.columns < rows / 2)
            assert_near(scores[b], expected, 1e-8);
    }
    free(repeated);
}

static void a_row_of_weight_two_counts_as_two_rows(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{60, 8, 5}, {61, 90, 4}, {200, 70, 2}, {5, 3, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        made m = make("weights", shapes[s][0], shapes[s][1], shapes[s][2]);
        weight_case w = {.input = input_of(&m), .ones = draw(COUNT, m.rows), .whole = draw(COUNT, m.rows)};
        for (size_t k = 0; k < COUNT * m.rows; k++)
            w.ones.weights[k] = 1;
        make_whole_weights(&m, &w.whole);
        each_variant(check_weights, &w);
        assert_int_equal(w.checked, 9); /* leep, nce, logme in three forms, etran-energy, accuracy, nll, loss */
        row_draws_free(&w.ones), row_draws_free(&w.whole);
        unmake(&m);
    }
}

static void logme_of_real_targets_takes_weights_too(void **state)
{
    (void)state;
    made m = make("targets", 50, 6, 2);
    gbv_measure_input input = input_of(&m);
    row_draws draws = draw(COUNT, m.rows);
    make_whole_weights(&m, &draws);
    input.labels = NULL;
    input.class_count = 0;
    input.targets = gbv_matrix_f64(m.source, m.rows, 6);
    input.targets.columns = 2;
    double scores[COUNT], expected;
    gbv_error error;
    for (int fast = 0; fast < 2; fast++) {
        input.fast = fast;
        replicates_of("logme", NULL, &input, &draws, scores);
        for (size_t b = 0; b < COUNT; b++) {
            size_t repeated[50], count = 0;
            for (size_t i = 0; i < 50; i++)
                for (size_t k = 0; k < (size_t)draws.weights[b * 50 + i]; k++)
                    repeated[count++] = i;
            assert_ok(measure_rows("logme", NULL, &input, repeated, 50, &expected, &error), error);
            assert_close(scores[b], expected, fast ? 1e-5 : 1e-10);
        }
    }
    row_draws_free(&draws);
    unmake(&m);
}

/* As the definition says it, one replicate after the other. */
static double plain_leep(const made *m, const double *weights)
{
    double score = 0;
    for (size_t i = 0; i < m->rows; i++) {
        double likelihood = 0;
        for (size_t z = 0; z < m->columns; z++) {
            double own = 0, all = 0;
            for (size_t k = 0; k < m->rows; k++) {
                double share = weights[k] * m->probabilities[k * m->columns + z];
                own += m->labels[k] == m->labels[i] ? share : 0;
                all += share;
            }
            likelihood += all > 0 ? m->probabilities[i * m->columns + z] * own / all : 0;
        }
        score += weights[i] * log(likelihood) / (double)m->rows;
    }
    return score;
}

static void weighted_leep_is_its_definition(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 3, 10, 65};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        made m = make("definition", 70, widths[w], 7);
        gbv_measure_input input = input_of(&m);
        row_draws draws = draw(67, m.rows); /* more than a block of them */
        double scores[67];
        for (size_t i = 0; i < m.rows; i++) /* a column that no row uses */
            m.probabilities[i * m.columns + m.columns - 1] *= m.columns < 3;
        replicates_of("leep", NULL, &input, &draws, scores);
        for (size_t b = 0; b < 67; b += 11)
            assert_close(scores[b], plain_leep(&m, draws.weights + b * m.rows), 1e-12);
        row_draws_free(&draws);
        unmake(&m);
    }
}

typedef struct half_case {
    gbv_measure_input input;
    row_draws draws;
    double tolerance;
} half_case;

/* What every half gives by itself, brought to the spread and bias of an even number of rows. */
static void check_halves(const gbv_measure_info *info, const char *variant, size_t position, void *context)
{
    half_case *h = context;
    size_t half = h->draws.half_rows, parts = measure_part_count(info->name, variant), rows[1024];
    double found[COUNT * MEASURE_MAXIMAL_PARTS], expected[COUNT * MEASURE_MAXIMAL_PARTS], whole[MEASURE_MAXIMAL_PARTS];
    gbv_error error;
    if (is_weighted(info, position))
        return;
    replicates_of(info->name, variant, &h->input, &h->draws, found);
    assert_ok(measure_parts(info->name, variant, &h->input, whole, NULL, &error), error);
    for (size_t b = 0; b < COUNT; b++) {
        for (size_t i = 0; i < half; i++)
            rows[i] = h->draws.halves[b * half + i];
        if (measure_rows(info->name, variant, &h->input, rows, half, expected + b * parts, &error) != GBV_OK)
            for (size_t p = 0; p < parts; p++)
                expected[b * parts + p] = NAN;
    }
    double share = (double)half / (double)(h->draws.rows - half);
    for (size_t p = 0; p < parts; p++) {
        double mean = 0;
        for (size_t b = 0; b < COUNT; b++)
            mean += expected[b * parts + p] / COUNT;
        for (size_t b = 0; b < COUNT; b++) {
            double raw = expected[b * parts + p];
            double value = whole[p] + share * (mean - whole[p]) + sqrt(share) * (raw - mean);
            if (isnan(raw))
                assert_true(isnan(found[b * parts + p]));
            else
                assert_near(found[b * parts + p], value, h->tolerance * fmax(1, fabs(value)));
        }
    }
}

static void half_samples_are_the_measure_on_those_rows(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{80, 6, 3}, {81, 6, 3}, {1100, 5, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        made m = make("halves", shapes[s][0], shapes[s][1], shapes[s][2]);
        half_case h = {.input = input_of(&m), .draws = draw(COUNT, m.rows), .tolerance = 1e-9};
        if (m.rows < 1000)
            each_variant(check_halves, &h);
        else /* several tiles of the kernel */
            check_halves(gbv_measure_find("cmmd"), NULL, 0, &h), check_halves(gbv_measure_find("mmd"), NULL, 0, &h);
        h.input.fast = true;
        h.tolerance = 2e-3;
        check_halves(gbv_measure_find("mmd"), "unbiased", 1, &h);
        row_draws_free(&h.draws);
        unmake(&m);
    }
}

static void check_small(const gbv_measure_info *info, const char *variant, size_t position, void *context)
{
    half_case *h = context;
    double found[COUNT * MEASURE_MAXIMAL_PARTS], score;
    gbv_error error;
    gbv_status whole = gbv_measure(info->name, variant, &h->input, &score, NULL, &error);
    gbv_status status = measure_replicates(info->name, variant, &h->input, &h->draws, NULL, NULL, found, &error);
    assert_int_equal(status, whole);
    if (status == GBV_OK && h->input.rows == 1) {
        if (is_weighted(info, position))
            assert_close(found[0], score, 1e-10);
        else
            assert_true(isnan(found[0]));
    }
}

static void one_two_and_three_rows_have_an_answer(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 4; rows++) {
        made m = make("small", rows, 3, 2);
        half_case h = {.input = input_of(&m), .draws = draw(COUNT, rows)};
        each_variant(check_small, &h);
        row_draws_free(&h.draws);
        unmake(&m);
    }
}

/* A class of one row is in half of the halves only; with row weights it never goes. */
static void check_rare(const gbv_measure_info *info, const char *variant, size_t position, void *context)
{
    half_case *h = context;
    double found[COUNT * MEASURE_MAXIMAL_PARTS];
    replicates_of(info->name, variant, &h->input, &h->draws, found);
    for (size_t b = 0; b < COUNT; b++)
        assert_true(isfinite(found[b * measure_part_count(info->name, variant)]) || !is_weighted(info, position));
}

static void a_class_may_vanish_from_a_half(void **state)
{
    (void)state;
    made m = make("rare", 60, 5, 2);
    m.classes = 3;
    m.labels[17] = 2;
    half_case h = {.input = input_of(&m), .draws = draw(COUNT, m.rows), .tolerance = 1e-9};
    each_variant(check_rare, &h);
    row_draws_free(&h.draws);
    unmake(&m);
}

static void check_threads(const gbv_measure_info *info, const char *variant, size_t position, void *context)
{
    (void)position;
    half_case *h = context;
    double one[COUNT * MEASURE_MAXIMAL_PARTS], more[COUNT * MEASURE_MAXIMAL_PARTS];
    h->input.threads = 1;
    replicates_of(info->name, variant, &h->input, &h->draws, one);
    for (size_t threads = 2; threads < 6; threads += 3) {
        h->input.threads = threads;
        replicates_of(info->name, variant, &h->input, &h->draws, more);
        assert_memory_equal(one, more, COUNT * measure_part_count(info->name, variant) * sizeof *one);
    }
}

static void replicates_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    made m = make("threads", 131, 12, 4);
    half_case h = {.input = input_of(&m), .draws = draw(COUNT, m.rows)};
    each_variant(check_threads, &h);
    row_draws_free(&h.draws);
    unmake(&m);
}

static bool stop_at_the_third(void *context, const char *stage, size_t done, size_t total)
{
    assert_string_equal(stage, "replicates");
    assert_true(done <= total);
    return ++*(int *)context == 3;
}

static void the_caller_may_stop_the_replicates(void **state)
{
    (void)state;
    made m = make("stop", 1600, 6, 3);
    gbv_measure_input input = input_of(&m);
    input.threads = 1;
    row_draws draws = draw(200, m.rows);
    static const char *const names[] = {"leep", "logme", "mmd", "cmmd", "gbc"};
    double *parts = malloc(200 * sizeof *parts);
    gbv_error error;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        int asked = 0;
        assert_int_equal(measure_replicates(names[n], NULL, &input, &draws, stop_at_the_third, &asked, parts, &error),
                         GBV_INTERRUPTED);
        assert_non_null(strstr(error.message, names[n]));
        assert_int_equal(asked, 3);
    }
    free(parts);
    row_draws_free(&draws);
    unmake(&m);
}

static void bad_input_is_named_by_its_own_row(void **state)
{
    (void)state;
    made m = make("bad", 40, 4, 3);
    gbv_measure_input input = input_of(&m);
    row_draws draws = draw(COUNT, m.rows), others = draw(COUNT, 41);
    static const char *const names[] = {"leep", "nce", "accuracy", "loss", "nll", "cmmd", "pactran-gamma"};
    double parts[COUNT];
    gbv_error error;
    m.probabilities[29 * 4 + 1] = -1;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        assert_int_equal(measure_replicates(names[n], NULL, &input, &draws, NULL, NULL, parts, &error), GBV_BAD_INPUT);
        assert_non_null(strstr(error.message, "row 30, column 2"));
    }
    assert_int_equal(measure_replicates("logme", NULL, &input, &others, NULL, NULL, parts, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "drawn for 41 rows and the reference has 40"));
    assert_int_equal(measure_replicates("leap", NULL, &input, &draws, NULL, NULL, parts, &error), GBV_USAGE);
    assert_int_equal(measure_replicates("mmd", "no", &input, &draws, NULL, NULL, parts, NULL), GBV_USAGE);
    row_draws_free(&draws), row_draws_free(&others);
    unmake(&m);
}

/* Columns side by side in memory, other byte order: the rows taken are the rows meant. */
static void rows_of_any_matrix_can_be_taken(void **state)
{
    (void)state;
    made m = make("strides", 30, 4, 3);
    uint32_t turned[4][30];
    double straight[30 * 4], expected, found;
    size_t rows[12];
    gbv_error error;
    for (size_t i = 0; i < 30; i++)
        for (size_t j = 0; j < 4; j++) {
            float value = (float)m.features[i * 4 + j];
            memcpy(&turned[j][i], &value, 4);
            turned[j][i] = __builtin_bswap32(turned[j][i]);
            straight[i * 4 + j] = value;
        }
    for (size_t i = 0; i < 12; i++)
        rows[i] = 29 - 2 * i;
    gbv_measure_input input = input_of(&m), plain = input_of(&m);
    input.features = (gbv_matrix){.data = turned,
                                  .rows = 30,
                                  .columns = 4,
                                  .row_stride = 4,
                                  .column_stride = 120,
                                  .type = GBV_F32,
                                  .swapped = true};
    plain.features = gbv_matrix_f64(straight, 30, 4);
    assert_ok(measure_rows("logme", NULL, &input, rows, 12, &found, &error), error);
    assert_ok(measure_rows("logme", NULL, &plain, rows, 12, &expected, &error), error);
    assert_close(found, expected, 1e-12);
    assert_int_equal(measure_rows("logme", NULL, &plain, rows, 0, &found, &error), GBV_BAD_INPUT);
    unmake(&m);
}

/* What intervals rest on: replicates spread as the score of new rows does. */
static void replicates_spread_as_the_error_of_the_score(void **state)
{
    (void)state;
    enum { MANY = 400 };
    made m = make("spread", 301, 6, 3);
    gbv_measure_input input = input_of(&m);
    row_draws draws = draw(MANY, m.rows);
    double scores[MANY], terms[301], mean = 0, square = 0, error_square = 0;
    gbv_error error;
    double score;
    assert_ok(gbv_measure("loss", NULL, &input, &score, terms, &error), error);
    replicates_of("loss", NULL, &input, &draws, scores);
    for (size_t b = 0; b < MANY; b++)
        mean += scores[b] / MANY;
    for (size_t b = 0; b < MANY; b++)
        square += (scores[b] - mean) * (scores[b] - mean) / (MANY - 1);
    for (size_t i = 0; i < m.rows; i++)
        error_square += (terms[i] - score) * (terms[i] - score) / 300 / 301;
    assert_near(sqrt(square / error_square) / ROW_WEIGHT_STEP, 1, 0.12);
    assert_near(mean, score, 4 * sqrt(error_square / MANY));
    row_draws_free(&draws);
    unmake(&m);
}

int main(void)
{
    seed = 7;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_drawn_alike_in_any_company),
        cmocka_unit_test(weights_and_halves_come_in_opposite_pairs),
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(draws_do_not_depend_on_the_threads),
        cmocka_unit_test(the_table_says_how_a_measure_is_resampled),
        cmocka_unit_test(a_row_of_weight_two_counts_as_two_rows),
        cmocka_unit_test(logme_of_real_targets_takes_weights_too),
        cmocka_unit_test(weighted_leep_is_its_definition),
        cmocka_unit_test(half_samples_are_the_measure_on_those_rows),
        cmocka_unit_test(one_two_and_three_rows_have_an_answer),
        cmocka_unit_test(a_class_may_vanish_from_a_half),
        cmocka_unit_test(replicates_do_not_depend_on_the_threads),
        cmocka_unit_test(the_caller_may_stop_the_replicates),
        cmocka_unit_test(bad_input_is_named_by_its_own_row),
        cmocka_unit_test(rows_of_any_matrix_can_be_taken),
        cmocka_unit_test(replicates_spread_as_the_error_of_the_score),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
