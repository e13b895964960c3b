/* Rows as points: features in units of their deviation, cut off, without those that do not vary; and that LAVA ranks
 * the sources of made-up classes by their noise in it. */
#include "value/toy.h"

#include "value/method/embedding.h"
#include "value/method/lava_kernel.h"

static sample whole(const sample_part *parts, size_t part_count, size_t columns)
{
    sample s = {.parts = parts, .part_count = part_count, .columns = columns};
    for (size_t i = 0; i < part_count; i++)
        s.rows += parts[i].count;
    return s;
}

static sample_part part_f64(const double *values, size_t rows, size_t columns)
{
    return (sample_part){.features = gbv_matrix_f64(values, rows, columns), .count = rows, .row_weight = 1};
}

static void features_are_scaled_by_the_rows_of_all_sources(void **state)
{
    (void)state;
    /* Two sources; the second column does not vary in them, the third is huge. */
    double first[] = {0, 7, -1e300, 2, 7, 1e300}, second[] = {4, 7, -1e300, 6, 7, 1e300}, reference[] = {3, 9, 0};
    sample_part parts[] = {part_f64(first, 2, 3), part_f64(second, 2, 3)}, trusted = part_f64(reference, 1, 3);
    sample pooled = whole(parts, 2, 3), target = whole(&trusted, 1, 3);
    embedding e;
    gbv_error error = {0};
    assert_ok(embedding_create(&pooled, &target, &e, &error), error);
    assert_int_equal(e.columns, 2);
    assert_int_equal(e.train_rows, 4);
    assert_int_equal(e.reference_rows, 1);
    for (int i = 0; i < 4; i++) { /* mean 3, variance (9 + 1 + 1 + 9) / 4 */
        assert_near(e.train[i * 2], (2 * i - 3) / sqrt(5), 1e-6);
        assert_near(e.train[i * 2 + 1], i % 2 ? 1 : -1, 1e-6);
    }
    assert_near(e.reference[0], 0, 1e-6);
    assert_near(e.reference[1], 0, 1e-6);
    embedding_free(&e);
}

static void features_are_cut_off(void **state)
{
    (void)state;
    double values[101] = {0}, reference[] = {-1e9, 1e9, 0};
    values[100] = 1; /* ten deviations away from the mean */
    sample_part part = part_f64(values, 101, 1), trusted = part_f64(reference, 3, 1);
    sample pooled = whole(&part, 1, 1), target = whole(&trusted, 1, 1);
    embedding e;
    gbv_error error = {0};
    assert_ok(embedding_create(&pooled, &target, &e, &error), error);
    assert_near(e.train[0], -0.1, 1e-3);
    assert_near(e.train[100], EMBEDDING_LIMIT, 0);
    assert_near(e.reference[0], -EMBEDDING_LIMIT, 0);
    assert_near(e.reference[1], EMBEDDING_LIMIT, 0);
    embedding_free(&e);
}

static void rows_that_are_all_alike_are_one_point(void **state)
{
    (void)state;
    double values[] = {5, 6, 5, 6, 5, 6}, reference[] = {1, 2};
    sample_part part = part_f64(values, 3, 2), trusted = part_f64(reference, 1, 2);
    sample pooled = whole(&part, 1, 2), target = whole(&trusted, 1, 2);
    embedding e;
    gbv_error error = {0};
    assert_ok(embedding_create(&pooled, &target, &e, &error), error);
    assert_int_equal(e.columns, 1);
    assert_near(e.train[2], 0, 0);
    assert_near(e.reference[0], 0, 0);
    embedding_free(&e);
}

static void noisier_sources_have_higher_gradients(void **state)
{
    (void)state;
    toy *t = make_toy();
    sample_part parts[SOURCES], trusted = {.features = gbv_matrix_f32(t->reference[0], REFERENCE, COLUMNS),
                                           .labels = t->reference_labels,
                                           .count = REFERENCE};
    for (int s = 0; s < SOURCES; s++)
        parts[s] = (sample_part){
            .features = gbv_matrix_f32(t->rows[s][0], SAMPLE, COLUMNS), .labels = t->labels[s], .count = SAMPLE};
    sample pooled = whole(parts, SOURCES, COLUMNS), target = whole(&trusted, 1, COLUMNS);
    embedding e;
    gbv_error error = {0};
    assert_ok(embedding_create(&pooled, &target, &e, &error), error);
    int32_t *labels = malloc(pooled.rows * sizeof *labels);
    sample_labels(&pooled, labels, NULL);
    lava_problem problem = {.train_rows = e.train_rows,
                            .reference_rows = e.reference_rows,
                            .columns = e.columns,
                            .class_count = CLASSES,
                            .train = e.train,
                            .reference = e.reference,
                            .train_labels = labels,
                            .reference_labels = t->reference_labels,
                            .threads = 2};
    double *gradients = malloc(pooled.rows * sizeof *gradients), means[SOURCES] = {0};
    assert_ok(lava_gradients(&problem, gradients, NULL, &error), error);
    for (int s = 0; s < SOURCES; s++)
        for (int i = 0; i < SAMPLE; i++)
            means[s] += gradients[s * SAMPLE + i] / SAMPLE;
    /* noise: .5, 0, .75, .25 */
    assert_true(means[1] < means[3] && means[3] < means[0] && means[0] < means[2]);
    free(gradients), free(labels), free(t);
    embedding_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_scaled_by_the_rows_of_all_sources),
        cmocka_unit_test(features_are_cut_off),
        cmocka_unit_test(rows_that_are_all_alike_are_one_point),
        cmocka_unit_test(noisier_sources_have_higher_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
