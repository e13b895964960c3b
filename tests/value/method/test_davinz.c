/* DAVINZ: the numbers of the authors' program, the closed form of its kernel against gradients, and the corners. */
#include "measure/npy.h"

#include "base/random.h"
#include "nn/kind.h"
#include "value/method/davinz_kernel.h"

static double golden_davinz(const char *format, size_t i)
{
    char key[96];
    double value = NAN;
    snprintf(key, sizeof key, format, i);
    if (!golden_number("davinz.tsv", key, &value))
        fail_msg("davinz.tsv has no %s", key);
    return value;
}

/* The authors' network of 12, 16 and 4: W1 (16 x 12), b1, W2 (4 x 16), b2. */
static gbv_model *golden_network(void)
{
    gbv_model *network = model_create(model_kind_find("mlp"), 12, 16, 4);
    npy parameters[4];
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "davinz_param%d", i);
        parameters[i] = npy_load(name);
    }
    for (size_t k = 0; k < 16; k++) {
        for (size_t j = 0; j < 12; j++)
            network->hidden_weights[j * 16 + k] = parameters[0].values[k * 12 + j];
        for (size_t c = 0; c < 4; c++)
            network->weights[k * 4 + c] = parameters[2].values[c * 16 + k];
        network->hidden_bias[k] = parameters[1].values[k];
    }
    memcpy(network->bias, parameters[3].values, 4 * sizeof *network->bias);
    for (int i = 0; i < 4; i++)
        free(parameters[i].values);
    return network;
}

static void parts_match_the_published_program(void **state)
{
    (void)state;
    npy x = npy_load("davinz_X"), v = npy_load("davinz_V");
    int32_t *labels = npy_labels("davinz_y");
    gbv_model *network = golden_network();
    davinz_problem p = {
        .network = network, .features = npy_matrix(&x), .labels = labels, .reference = npy_matrix(&v), .threads = 1};
    gbv_error error = {0};
    double parts[DAVINZ_PARTS];
    assert_ok(davinz_parts(&p, parts, &error), error);
    assert_close(parts[DAVINZ_COMPLEXITY], golden_davinz("davinz/ntk_score_nbatch1_hack_weights+biases", 0), 1e-7);
    assert_close(parts[DAVINZ_COMPLEXITY], golden_davinz("davinz/own/weights+biases/1", 0), 1e-12);
    assert_close(parts[DAVINZ_DISTANCE], golden_davinz("davinz/mmd", 0), 1e-7);
    p.blocks = 4;
    assert_ok(davinz_parts(&p, parts, &error), error);
    assert_close(parts[DAVINZ_COMPLEXITY], golden_davinz("davinz/ntk_score_nbatch4_hack_weights+biases", 0), 1e-7);
    p.weights_only = true;
    assert_ok(davinz_parts(&p, parts, &error), error);
    assert_close(parts[DAVINZ_COMPLEXITY], golden_davinz("davinz/ntk_score_nbatch4_nohack_weights_only", 0), 1e-7);
    p.blocks = 1;
    assert_ok(davinz_parts(&p, parts, &error), error);
    assert_close(parts[DAVINZ_COMPLEXITY], golden_davinz("davinz/ntk_score_nbatch1_nohack_weights_only", 0), 1e-7);

    p.weights_only = false;
    double three[3][DAVINZ_PARTS], scores[3];
    for (size_t s = 0; s < 3; s++) {
        p.features = gbv_matrix_f64(x.values + s * 8 * 12, 8, 12);
        p.labels = labels + s * 8;
        assert_ok(davinz_parts(&p, three[s], &error), error);
        assert_close(three[s][DAVINZ_COMPLEXITY], golden_davinz("davinz/three_parties/ntk/%zu", s), 1e-7);
        assert_close(three[s][DAVINZ_DISTANCE], golden_davinz("davinz/three_parties/mmd/%zu", s), 1e-7);
    }
    davinz_scores((const double(*)[DAVINZ_PARTS])three, 3, scores);
    for (size_t s = 0; s < 3; s++)
        assert_close(scores[s], golden_davinz("davinz/three_parties/scores/%zu", s), 1e-7);
    gbv_model_free(network);
    free(x.values), free(v.values), free(labels);
}

typedef struct made_up {
    davinz_problem problem;
    gbv_model *network;
    float *features, *reference;
    int32_t *labels;
} made_up;

static made_up make_problem(const char *kind, size_t rows, size_t reference_rows, size_t columns, size_t classes)
{
    random_stream stream = random_stream_open(3, "davinz", RANDOM_SPLIT);
    made_up m = {.features = malloc((rows * columns + 1) * sizeof(float)),
                 .reference = malloc((reference_rows * columns + 1) * sizeof(float)),
                 .labels = malloc(rows * sizeof(int32_t))};
    for (size_t i = 0; i < rows * columns; i++)
        m.features[i] = (float)random_normal(&stream);
    for (size_t i = 0; i < reference_rows * columns; i++)
        m.reference[i] = (float)(random_normal(&stream) + 0.3);
    for (size_t i = 0; i < rows; i++)
        m.labels[i] = (int32_t)random_below(&stream, classes);
    gbv_model_options options = gbv_model_defaults();
    options.model = kind;
    options.hidden = 20;
    gbv_error error = {0};
    assert_ok(model_start(&options, columns, classes, "davinz", &m.network, &error), error);
    m.problem = (davinz_problem){.network = m.network,
                                 .features = gbv_matrix_f32(m.features, rows, columns),
                                 .labels = m.labels,
                                 .reference = gbv_matrix_f32(m.reference, reference_rows, columns),
                                 .threads = 1};
    return m;
}

static void free_problem(made_up *m)
{
    gbv_model_free(m->network);
    free(m->features), free(m->reference), free(m->labels);
}

static double logit(const gbv_model *network, const float *x, size_t class)
{
    double sum = network->bias[class];
    size_t inner = network->hidden ? network->hidden : network->inputs;
    for (size_t k = 0; k < inner; k++) {
        double value = network->hidden ? network->hidden_bias[k] : (double)x[k];
        for (size_t j = 0; network->hidden && j < network->inputs; j++)
            value += (double)x[j] * network->hidden_weights[j * network->hidden + k];
        sum += (network->hidden && value < 0 ? 0 : value) * network->weights[k * network->outputs + class];
    }
    return sum;
}

/* N as it is written down: gradients by differences of the logits, Theta, elimination. */
static double slow_complexity(const made_up *m, size_t first, size_t count)
{
    const size_t columns = m->network->inputs, parameters = m->network->parameter_count;
    double *gradients = malloc(count * parameters * sizeof *gradients), *theta = malloc(count * count * sizeof *theta);
    double *r = malloc(count * sizeof *r), *copy = malloc(count * sizeof *copy), step = 1e-4, result = 0;
    for (size_t i = 0; i < count; i++) {
        const float *x = m->features + (first + i) * columns;
        size_t class = (size_t)m->labels[first + i];
        r[i] = copy[i] = 1 - logit(m->network, x, class);
        for (size_t q = 0; q < parameters; q++) { /* logits are linear in each parameter, but for the kinks */
            double before = m->network->parameters[q], sides[2];
            for (int side = 0; side < 2; side++) {
                m->network->parameters[q] = before + (side ? step : -step);
                sides[side] = logit(m->network, x, class);
            }
            m->network->parameters[q] = before;
            gradients[i * parameters + q] = (sides[1] - sides[0]) / (2 * step);
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            theta[i * count + j] = i == j ? 1e-4 : 0;
            for (size_t q = 0; q < parameters; q++)
                theta[i * count + j] += gradients[i * parameters + q] * gradients[j * parameters + q];
        }
    for (size_t k = 0; k < count; k++)
        for (size_t i = k + 1; i < count; i++) {
            double factor = theta[i * count + k] / theta[k * count + k];
            for (size_t j = k; j < count; j++)
                theta[i * count + j] -= factor * theta[k * count + j];
            copy[i] -= factor * copy[k];
        }
    for (size_t i = count; i-- > 0;) {
        for (size_t j = i + 1; j < count; j++)
            copy[i] -= theta[i * count + j] * copy[j];
        copy[i] /= theta[i * count + i];
        result += copy[i] * r[i];
    }
    free(gradients), free(theta), free(r), free(copy);
    return result;
}

static void complexity_is_that_of_the_gradients(void **state)
{
    (void)state;
    static const char *const kinds[] = {"linear", "mlp"};
    for (int k = 0; k < 2; k++) {
        made_up m = make_problem(kinds[k], 30, 5, 6, 3);
        for (size_t i = 0; !k && i < m.network->parameter_count; i++) /* a linear model that does not start at zero */
            m.network->parameters[i] = 0.1 * (double)(i % 7);
        double complexity;
        gbv_error error = {0};
        assert_ok(davinz_complexity(&m.problem, &complexity, &error), error);
        assert_close(complexity, sqrt(slow_complexity(&m, 0, 30) / 30), 1e-5);
        m.problem.blocks = 4;
        assert_ok(davinz_complexity(&m.problem, &complexity, &error), error);
        double sum = slow_complexity(&m, 0, 7) + slow_complexity(&m, 7, 8) + slow_complexity(&m, 15, 7) +
                     slow_complexity(&m, 22, 8);
        assert_close(complexity, sqrt(sum / 30), 1e-5);
        free_problem(&m);
    }
}

/* Several tiles: a source twice over in two blocks is as hard as once, and so are its rows in another order. */
static void tiles_blocks_and_order_agree(void **state)
{
    (void)state;
    static const char *const kinds[] = {"linear", "mlp"};
    enum { ROWS = 700, COLUMNS = 9 };
    for (int k = 0; k < 2; k++) {
        made_up m = make_problem(kinds[k], 2 * ROWS, 5, COLUMNS, 2);
        memcpy(m.features + ROWS * COLUMNS, m.features, ROWS * COLUMNS * sizeof *m.features);
        memcpy(m.labels + ROWS, m.labels, ROWS * sizeof *m.labels);
        double twice, once, turned, threaded;
        size_t order[ROWS];
        gbv_error error = {0};
        m.problem.blocks = 2;
        assert_ok(davinz_complexity(&m.problem, &twice, &error), error);
        m.problem.features.rows = ROWS;
        m.problem.blocks = 0;
        assert_ok(davinz_complexity(&m.problem, &once, &error), error);
        assert_close(twice, once, 1e-12);
        for (size_t i = 0; i < ROWS; i++)
            order[i] = ROWS - 1 - i;
        m.problem.order = order;
        assert_ok(davinz_complexity(&m.problem, &turned, &error), error);
        assert_close(turned, once, 1e-8);
        m.problem.order = NULL;
        m.problem.threads = 3;
        assert_ok(davinz_complexity(&m.problem, &threaded, &error), error);
        assert_true(threaded == once);
        free_problem(&m);
    }
}

static void half_samples_are_the_distances_to_those_rows(void **state)
{
    (void)state;
    enum { REFERENCE = 1100, COLUMNS = 4, HALF = REFERENCE / 2, REPLICATES = 3 };
    made_up m = make_problem("linear", 600, REFERENCE, COLUMNS, 2);
    double *weights = calloc(REFERENCE * REPLICATES, sizeof *weights), *toward = malloc(REFERENCE * sizeof *toward);
    double within, of_reference[REPLICATES];
    gbv_error error = {0};
    for (size_t i = 0; i < REFERENCE; i++) {
        weights[i * REPLICATES + 0] = i % 2 ? 1.0 / HALF : 0;
        weights[i * REPLICATES + 1] = i < HALF ? 1.0 / HALF : 0;
        weights[i * REPLICATES + 2] = 1.0 / REFERENCE;
    }
    assert_ok(davinz_toward(&m.problem, &within, toward, &error), error);
    assert_ok(davinz_reference(&m.problem, weights, REPLICATES, of_reference, &error), error);
    float *odd = malloc(HALF * COLUMNS * sizeof *odd);
    for (size_t i = 0; i < HALF; i++)
        memcpy(odd + i * COLUMNS, m.reference + (2 * i + 1) * COLUMNS, COLUMNS * sizeof *odd);
    gbv_matrix subsets[REPLICATES] = {gbv_matrix_f32(odd, HALF, COLUMNS), gbv_matrix_f32(m.reference, HALF, COLUMNS),
                                      m.problem.reference};
    for (size_t r = 0; r < REPLICATES; r++) {
        double parts[DAVINZ_PARTS];
        davinz_problem subset = m.problem;
        subset.reference = subsets[r];
        subset.threads = 2;
        assert_ok(davinz_parts(&subset, parts, &error), error);
        assert_true(parts[DAVINZ_DISTANCE] > 0.1);
        assert_close(davinz_distance(within, toward, of_reference[r], weights, REPLICATES, r, REFERENCE),
                     parts[DAVINZ_DISTANCE], 1e-10);
    }
    free(weights), free(toward), free(odd);
    free_problem(&m);
}

static void the_smallest_sources_have_parts(void **state)
{
    (void)state;
    double parts[DAVINZ_PARTS];
    gbv_error error = {0};
    made_up m = make_problem("linear", 1, 1, 2, 1);
    m.features[0] = m.reference[0] = 3;
    m.features[1] = m.reference[1] = -1;
    assert_ok(davinz_parts(&m.problem, parts, &error), error);
    assert_close(parts[DAVINZ_COMPLEXITY], sqrt(1 / (11 + 1e-4)), 1e-12);
    assert_true(parts[DAVINZ_DISTANCE] == 0);
    free_problem(&m);

    m = make_problem("mlp", 50, 4, 3, 5); /* all rows the same, all of one class */
    for (size_t i = 0; i < 50; i++) {
        memcpy(m.features + i * 3, m.features, 3 * sizeof *m.features);
        m.labels[i] = 4;
    }
    assert_ok(davinz_parts(&m.problem, parts, &error), error);
    assert_true(isfinite(parts[DAVINZ_COMPLEXITY]) && parts[DAVINZ_DISTANCE] > 0);
    free_problem(&m);

    m = make_problem("linear", 10, 4, 0, 3); /* no columns: each class has c rows of gradient one */
    for (size_t i = 0; i < 10; i++)
        m.labels[i] = i < 7 ? 0 : 2;
    assert_ok(davinz_parts(&m.problem, parts, &error), error);
    assert_close(parts[DAVINZ_COMPLEXITY], sqrt((7 / (7 + 1e-4) + 3 / (3 + 1e-4)) / 10), 1e-9);
    assert_near(parts[DAVINZ_DISTANCE], 0, 1e-7);
    m.problem.blocks = 1000; /* no more than rows */
    assert_ok(davinz_parts(&m.problem, parts, &error), error);
    assert_close(parts[DAVINZ_COMPLEXITY], sqrt(1 / (1 + 1e-4)), 1e-9);
    free_problem(&m);

    double nothing[2][DAVINZ_PARTS] = {{0, 1}, {0, 2}}, scores[2];
    davinz_scores((const double(*)[DAVINZ_PARTS])nothing, 2, scores);
    assert_true(scores[0] == -1 && scores[1] == -2);
}

static void assert_refused(const davinz_problem *p, gbv_status expected, const char *text)
{
    double parts[DAVINZ_PARTS];
    gbv_error error = {0};
    gbv_status status = davinz_parts(p, parts, &error);
    if (status != expected || !strstr(error.message, text))
        fail_msg("status %d instead of %d, or no \"%s\" in: %s", status, expected, text, error.message);
    assert_int_equal(davinz_parts(p, parts, NULL), expected);
}

static void what_cannot_be_valued_is_refused(void **state)
{
    (void)state;
    made_up m = make_problem("mlp", 40, 4, 3, 5);
    m.features[7] = NAN;
    assert_refused(&m.problem, GBV_BAD_INPUT, "row 3, column 2 of the source");
    m.features[7] = 0;
    m.labels[9] = 5;
    assert_refused(&m.problem, GBV_BAD_INPUT, "row 10 has label 5");
    m.labels[9] = -1;
    assert_refused(&m.problem, GBV_BAD_INPUT, "row 10 has label -1");
    m.labels[9] = 0;
    m.reference[2] = INFINITY;
    assert_refused(&m.problem, GBV_BAD_INPUT, "too far");
    m.reference[2] = 0;
    m.problem.memory = 40 * 40 * 8 / 4;
    assert_refused(&m.problem, GBV_FAILED, "into 2 blocks");
    m.problem.blocks = 2;
    double complexity;
    gbv_error error = {0};
    assert_ok(davinz_complexity(&m.problem, &complexity, &error), error);
    m.problem.reference.columns = 2;
    assert_refused(&m.problem, GBV_USAGE, "alike");
    m.problem.reference.columns = 3;
    m.problem.features.rows = 0;
    assert_refused(&m.problem, GBV_USAGE, "0 rows of a source");
    free_problem(&m);

    m = make_problem("linear", 40, 4, 3, 1);
    for (size_t i = 0; i < 40 * 3; i++)
        m.features[i] = i % 3 ? 3e30f : -2e30f; /* the ridge is lost beside such numbers */
    assert_refused(&m.problem, GBV_UNDEFINED, "scale the features");
    free_problem(&m);
}

static bool count_down(void *context, const char *stage, size_t done, size_t total)
{
    assert_string_equal(stage, "davinz");
    assert_true(done <= total);
    return (*(int *)context)-- <= 0;
}

/* Wherever it is first asked to stop, it stops. */
static void an_interruption_ends_it(void **state)
{
    (void)state;
    made_up m = make_problem("mlp", 300, 600, 3, 2);
    int asked = 1000, left = 1000;
    double parts[DAVINZ_PARTS];
    gbv_error error = {0};
    m.problem.progress = count_down;
    m.problem.context = &left;
    assert_ok(davinz_parts(&m.problem, parts, &error), error);
    asked -= left;
    assert_true(asked >= 8);
    for (int after = 0; after < asked; after++) {
        left = after;
        assert_int_equal(davinz_parts(&m.problem, parts, &error), GBV_INTERRUPTED);
    }
    free_problem(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_match_the_published_program),
        cmocka_unit_test(complexity_is_that_of_the_gradients),
        cmocka_unit_test(tiles_blocks_and_order_agree),
        cmocka_unit_test(half_samples_are_the_distances_to_those_rows),
        cmocka_unit_test(the_smallest_sources_have_parts),
        cmocka_unit_test(what_cannot_be_valued_is_refused),
        cmocka_unit_test(an_interruption_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
