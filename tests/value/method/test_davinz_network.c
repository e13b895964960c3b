/* DAVINZ on networks of images: its blocks against a plain computation, image by image, and that neither threads nor
 * the memory for a batch change a bit of it. */
#include "value/pictures.h"

#include "nn/feed.h"
#include "value/method/davinz_network.h"

enum { ROWS = 22, CLASSES = 3 };

/* The gradient of the image's own logit by the weights of every layer that has any, and the residual 1 - logit. */
static double gradient_of(const davinz_network *d, const sample *data, size_t row, int32_t label, double *gradient)
{
    const gbv_model *m = d->model;
    program_options how = {.backend = backend_find(d->options->backend),
                           .batch = 1,
                           .in = m->input,
                           .train = true,
                           .decays = true,
                           .frozen = true,
                           .samples = true,
                           .moments = 1};
    arena scratch = {0};
    program *p;
    gbv_error error;
    feed shown = {.data = data, .normalise = m->normalise, .in = m->input};
    float at_label[CLASSES] = {0}, *layer_gradient = calloc(m->net->parameter_count, sizeof *layer_gradient);
    size_t at = 0;
    assert_ok(program_compile(m->net, &how, &p, &error), error);
    program_load(p, &m->values);
    assert_true(feed_open(&shown, 1, &scratch));
    assert_ok(feed_batch(&shown, p, &row, 1, &error), error);
    program_forward(p, 0);
    double residual = 1 - (double)program_logits(p)[label];
    at_label[label] = 1;
    program_set_gradient(p, at_label);
    program_backward(p);
    for (size_t l = 0; l < m->net->layer_count; l++) {
        size_t count = 0;
        for (size_t t = 0; t < m->net->tensor_count; t++)
            count += m->net->tensors[t].layer == l && !m->net->tensors[t].statistic ? m->net->tensors[t].count : 0;
        if (m->net->layers[l].kind != LAYER_CONVOLUTION && m->net->layers[l].kind != LAYER_LINEAR)
            continue;
        assert_true(program_sample_gradients(p, l, 0, 1, layer_gradient));
        for (size_t i = 0; i < count; i++)
            gradient[at++] = (double)layer_gradient[i];
    }
    assert_int_equal(at, d->gradients);
    program_free(p);
    arena_free(&scratch);
    free(layer_gradient);
    return residual;
}

/* r' A^-1 r by Gaussian elimination with pivots; A is overwritten. */
static double solve(double *a, const double *r, size_t n)
{
    double *x = malloc(n * sizeof *x), sum = 0;
    memcpy(x, r, n * sizeof *x);
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        for (size_t j = 0; j < n; j++) {
            double held = a[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = held;
        }
        double held = x[k];
        x[k] = x[best], x[best] = held;
        for (size_t i = k + 1; i < n; i++) {
            double share = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= share * a[k * n + j];
            x[i] -= share * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
        sum += r[k] * x[k];
    }
    free(x);
    return sum;
}

static double by_hand(const davinz_network *d, const sample *data, const int32_t *labels, const size_t *members,
                      size_t count, size_t blocks)
{
    size_t order[ROWS];
    double *gradients = calloc(count * d->gradients, sizeof *gradients), residuals[ROWS], sum = 0;
    random_stream stream = random_stream_open(d->options->seed, "davinz", RANDOM_ORDER);
    for (size_t i = 0; i < count; i++)
        order[i] = members ? members[i] : i;
    random_shuffle(&stream, order, count);
    for (size_t i = 0; i < count; i++)
        residuals[i] = gradient_of(d, data, order[i], labels[order[i]], gradients + i * d->gradients);
    for (size_t b = 0; b < blocks; b++) {
        size_t first = b * count / blocks, n = (b + 1) * count / blocks - first;
        double *theta = calloc(n * n, sizeof *theta);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                for (size_t k = 0; k < d->gradients; k++)
                    theta[i * n + j] +=
                        gradients[(first + i) * d->gradients + k] * gradients[(first + j) * d->gradients + k];
                theta[i * n + j] += i == j ? 1e-4 : 0;
            }
        sum += solve(theta, residuals + first, n);
        free(theta);
    }
    free(gradients);
    return sqrt(sum / (double)count);
}

static void blocks_are_what_a_plain_computation_gives(void **state)
{
    (void)state;
    gbv_dataset *all = fashion_read();
    images s = images_of(all, 0, ROWS, CLASSES);
    const sample *data = images_sample(&s);
    gbv_model_options options = cnn_options(1);
    options.pretrained = "/no/such/file"; /* which is not looked at */
    const size_t half[ROWS / 2] = {20, 3, 7, 1, 15, 9, 0, 12, 18, 5, 11};
    for (size_t blocks = 1; blocks <= 4; blocks += 3) {
        davinz_network d;
        gbv_error error;
        double found, again;
        assert_ok(davinz_network_open(&d, &options, data, CLASSES, 0, 1, &error), error);
        assert_int_equal(d.blocks, 1);
        d.memory = blocks == 1 ? d.memory : 6 * d.gradients * sizeof(float);
        assert_ok(davinz_network_complexity(&d, data, s.labels, NULL, ROWS, &found, &error), error);
        assert_close(found, by_hand(&d, data, s.labels, NULL, ROWS, blocks), 1e-4);
        for (d.threads = 2; d.threads <= 8; d.threads += 6) {
            assert_ok(davinz_network_complexity(&d, data, s.labels, NULL, ROWS, &again, &error), error);
            assert_memory_equal(&found, &again, sizeof found);
        }
        assert_ok(davinz_network_complexity(&d, data, s.labels, half, ROWS / 2, &again, &error), error);
        assert_close(again, by_hand(&d, data, s.labels, half, ROWS / 2, blocks == 1 ? 1 : 2), 1e-4);
        assert_true(fabs(again - found) > 1e-3 * found);
        davinz_network_close(&d);
    }
    images_free(&s);
    gbv_dataset_free(all);
}

static void memory_for_less_than_one_image_makes_blocks_of_one(void **state)
{
    (void)state;
    gbv_dataset *all = fashion_read();
    images s = images_of(all, 0, 5, CLASSES);
    const sample *data = images_sample(&s);
    gbv_model_options options = cnn_options(1);
    davinz_network d;
    gbv_error error;
    double found;
    assert_ok(davinz_network_open(&d, &options, data, CLASSES, 1, 2, &error), error);
    assert_ok(davinz_network_complexity(&d, data, s.labels, NULL, 5, &found, &error), error);
    assert_close(found, by_hand(&d, data, s.labels, NULL, 5, 5), 1e-4);
    davinz_network_close(&d);
    images_free(&s);
    gbv_dataset_free(all);
}

static void batch_norm_is_taken_out(void **state)
{
    (void)state;
    gbv_dataset *all = fashion_read();
    images s = images_of(all, 0, 4, CLASSES);
    gbv_model_options options = cnn_options(1);
    davinz_network d;
    gbv_error error;
    options.model = "resnet18";
    assert_ok(davinz_network_open(&d, &options, images_sample(&s), CLASSES, 0, 1, &error), error);
    assert_int_equal(d.blocks, 100);
    const net *n = d.model->net;
    size_t seen = 0;
    for (size_t t = 0; t < n->tensor_count; t++)
        if (n->layers[n->tensors[t].layer].kind == LAYER_BATCH_NORM) {
            const float *values = (n->tensors[t].statistic ? d.model->values.statistics : d.model->values.parameters) +
                                  n->tensors[t].offset;
            bool one = strstr(n->tensors[t].name, "weight") || strstr(n->tensors[t].name, "var");
            for (size_t i = 0; i < n->tensors[t].count; i++)
                assert_true(values[i] == (one ? 1.f : 0.f));
            seen++;
        }
    assert_int_equal(seen, 4 * 20);
    davinz_network_close(&d);
    images_free(&s);
    gbv_dataset_free(all);
}

static bool stop_at_once(void *context, const char *stage, size_t done, size_t total)
{
    (void)context, (void)done, (void)total;
    return strcmp(stage, "davinz") == 0;
}

static void a_valuation_by_davinz_does_not_depend_on_threads(void **state)
{
    (void)state;
    pictures *p = pictures_create(20);
    gbv_value_options options = pictures_options();
    options.method = "davinz";
    options.replicates = 8;
    options.refits = 2;
    options.model.epochs = 1;
    char *first = pictures_value(p->reference, p, &options, NULL, NULL);
    options.model.threads = 8;
    char *second = pictures_value(p->reference, p, &options, NULL, NULL);
    assert_string_equal(first, second);
    free(first), free(second);
    gbv_result *result;
    gbv_error error;
    options.model.progress = stop_at_once;
    assert_int_equal(gbv_value(p->reference, p->sources, &options, &result, &error), GBV_INTERRUPTED);
    pictures_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_what_a_plain_computation_gives),
        cmocka_unit_test(memory_for_less_than_one_image_makes_blocks_of_one),
        cmocka_unit_test(batch_norm_is_taken_out),
        cmocka_unit_test(a_valuation_by_davinz_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
