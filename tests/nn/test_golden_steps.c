/* test_golden_steps.c - training steps of whole nets against PyTorch's, on every backend: loss, logits, every gradient
 * and the running statistics of one step; the weights after 20 steps of a net without corners; a loss curve; the
 * optimizers. Numbers: tests/golden/make_training_steps.py, which says how weights and images are made and how far
 * PyTorch's own single precision is from them. */
#include "test_support.h"

#include <jansson.h>

#include "base/memory.h"
#include "hashed_numbers.h"
#include "nn/net.h"
#include "nn/program.h"

enum { CLASSES = 10 };

static json_t *golden;

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("training_steps.json lacks a number %s", key);
    return json_number_value(value);
}

static size_t whole(const json_t *object, const char *key)
{
    return (size_t)number(object, key);
}

/* The plain loops take long for large nets, and far longer under the sanitizers. */
static bool takes_too_long(const backend *b, const char *kind)
{
#ifdef GBV_SANITIZE
    return strcmp(b->name, "reference") == 0 && strcmp(kind, "cnn") != 0;
#else
    return strcmp(b->name, "reference") == 0 && strcmp(kind, "cnn") != 0 && strcmp(kind, "resnet18") != 0;
#endif
}

/* An array against the summary of PyTorch's: its norm, its products with two hashed vectors, which see an error in any
 * direction, and its first numbers. */
static void check_array(const char *what, const char *name, const float *numbers, size_t count, const json_t *arrays,
                        double tolerance)
{
    const json_t *expected = json_object_get(arrays, name), *dots = json_object_get(expected, "dots");
    const json_t *first = json_object_get(expected, "first");
    if (!expected || whole(expected, "count") != count)
        fail_msg("%s: PyTorch has no %s of %zu numbers", what, name, count);
    double norm = number(expected, "norm"), squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (double)numbers[i] * numbers[i];
    double apart = fabs(sqrt(squares) - norm) / norm;
    for (unsigned k = 0; k < json_array_size(dots); k++) {
        uint64_t stream = hashed_stream(k, name);
        double dot = 0;
        for (size_t i = 0; i < count; i++)
            dot += (double)numbers[i] * hashed_number(stream, i);
        /* A number of the vector is about 1/sqrt(3). */
        apart = fmax(apart, sqrt(3) * fabs(dot - json_number_value(json_array_get(dots, k))) / norm);
    }
    if (!(apart <= tolerance))
        fail_msg("%s: %s differs by %g of its norm from PyTorch's", what, name, apart);
    for (size_t i = 0; i < json_array_size(first); i++)
        assert_near(numbers[i], json_number_value(json_array_get(first, i)), tolerance * norm);
}

static float *value_of(const net_tensor *t, const net_values *values)
{
    return (t->statistic ? values->statistics : values->parameters) + t->offset;
}

static void first_values(const net *n, const net_tensor *t, unsigned seed, float shift, float *to)
{
    bool norm = n->layers[t->layer].kind == LAYER_BATCH_NORM, bias = strstr(t->name, ".bias");
    float centre = 0, scale = 0.25f, away = norm && bias ? shift : 0;
    if (t->axes > 1)
        scale = (float)sqrt((t->axes == 4 ? 6 : 3) / ((double)t->count / (double)t->shape[0]));
    else if (strstr(t->name, "running_var"))
        centre = 1, scale = 0.5f;
    else if (strstr(t->name, ".weight"))
        centre = 1;
    uint64_t stream = hashed_stream(seed, t->name);
    for (size_t i = 0; i < t->count; i++) {
        float hashed = hashed_number(stream, i);
        to[i] = centre + (hashed < 0 ? -away : away) + scale * hashed;
    }
}

/* A net in training with everything a step needs. */
typedef struct trainee {
    net *net;
    net_values values;
    program *program;
    extent in;
    size_t batch;
    unsigned seed;
    float *images, *weights;
    int32_t *targets;
} trainee;

static void trainee_open(trainee *t, net *n, const backend *b, const json_t *how, float shift, bool decays)
{
    gbv_error error;
    *t = (trainee){.net = n,
                   .in = {3, whole(how, "height"), whole(how, "width")},
                   .batch = whole(how, "batch"),
                   .seed = (unsigned)whole(how, "seed")};
    assert_ok(net_values_create(n, &t->values, &error), error);
    for (const net_tensor *tensor = n->tensors; tensor < n->tensors + n->tensor_count; tensor++)
        first_values(n, tensor, t->seed, shift, value_of(tensor, &t->values));
    program_options options = {
        .backend = b, .batch = t->batch, .in = t->in, .train = true, .decays = decays, .threads = 1};
    assert_ok(program_compile(n, &options, &t->program, &error), error);
    program_load(t->program, &t->values);
    t->images = memory_array(t->batch * extent_count(t->in), sizeof *t->images);
    t->weights = memory_array(t->batch, sizeof *t->weights);
    t->targets = memory_array(t->batch, sizeof *t->targets);
}

static void trainee_close(trainee *t)
{
    free(t->images);
    free(t->weights);
    free(t->targets);
    program_free(t->program);
    net_values_free(&t->values);
    net_free(t->net);
}

/* Forward and backward on the images of a step; the loss. `signal` is how much of its class's picture an image has. */
static double trainee_step(trainee *t, size_t step, float signal)
{
    char images[30], labels[30], weights[30], picture[30];
    size_t image = extent_count(t->in);
    snprintf(images, sizeof images, "images %zu", step);
    snprintf(labels, sizeof labels, "labels %zu", step);
    snprintf(weights, sizeof weights, "weights %zu", step);
    for (size_t i = 0; i < t->batch; i++) {
        t->targets[i] = (int32_t)(hashed_bits(hashed_stream(t->seed, labels), i) % CLASSES);
        t->weights[i] = 1 + 0.5f * hashed_number(hashed_stream(t->seed, weights), i);
        snprintf(picture, sizeof picture, "class %d", t->targets[i]);
        uint64_t noise = hashed_stream(t->seed, images), common = hashed_stream(t->seed, picture);
        for (size_t k = 0; k < image; k++)
            t->images[i * image + k] = 2 * hashed_number(noise, i * image + k) + signal * hashed_number(common, k);
    }
    program_images(
        t->program,
        &(image_batch){.floats = t->images, .of = t->in, .channels = t->in.channels, .deviation = {1, 1, 1}});
    program_forward(t->program, step);
    double loss = program_loss(
        t->program, (cross_entropy_task){.rows = (double)t->batch, .targets = t->targets, .weights = t->weights});
    program_backward(t->program);
    return loss;
}

static void check_step(const backend *b, const json_t *how)
{
    gbv_error error;
    trainee t;
    net *n;
    char what[100];
    const char *kind = json_string_value(json_object_get(how, "net"));
    const json_t *arrays = json_object_get(how, "arrays");
    if (takes_too_long(b, kind))
        return;
    snprintf(what, sizeof what, "%s on %s", kind, b->name);
    assert_ok(net_create(kind, &(net_options){.channels = 3, .outputs = CLASSES}, &n, &error), error);
    trainee_open(&t, n, b, how, (float)number(how, "shift"), false);
    float loss = (float)trainee_step(&t, 0, 0);
    check_array(what, "loss", &loss, 1, arrays, 1e-5);
    check_array(what, "logits", program_logits(t.program), t.batch * CLASSES, arrays, 1e-4);
    float *gradient = memory_zeroed(n->parameter_count, sizeof *gradient);
    program_store_gradient(t.program, gradient);
    program_store(t.program, &t.values);
    for (const net_tensor *tensor = n->tensors; tensor < n->tensors + n->tensor_count; tensor++)
        check_array(what, tensor->name, tensor->statistic ? value_of(tensor, &t.values) : gradient + tensor->offset,
                    tensor->count, arrays, 1e-4);
    assert_int_equal(json_object_size(arrays), n->tensor_count + 2); /* nothing of PyTorch's is left */
    free(gradient);
    trainee_close(&t);
}

static void one_step_is_pytorchs_in_every_gradient(void **state)
{
    (void)state;
    const json_t *steps = json_object_get(golden, "steps");
    assert_true(json_array_size(steps) == 4);
    for (size_t i = 0; backend_at(i); i++)
        for (size_t k = 0; k < json_array_size(steps); k++)
            check_step(backend_at(i), json_array_get(steps, k));
}

static layer named(const char *name, layer l)
{
    snprintf(l.name, sizeof l.name, "%s", name);
    return l;
}

/* Convolutions, batch norm, a sum, the mean and a linear layer: errors are not multiplied by corners. */
static net *smooth_net(void)
{
    gbv_error error;
    net *n = net_empty("smooth", 3);
    size_t first, second, sum;
    first = net_add(n, named("conv1", (layer){.kind = LAYER_CONVOLUTION, .convolution = {16, 3, 1, 1, false}}));
    first = net_add(n, named("bn1", (layer){.kind = LAYER_BATCH_NORM, .input = first}));
    second = net_add(
        n, named("conv2", (layer){.kind = LAYER_CONVOLUTION, .input = first, .convolution = {16, 3, 1, 1, false}}));
    second = net_add(n, named("bn2", (layer){.kind = LAYER_BATCH_NORM, .input = second}));
    sum = net_add(n, (layer){.kind = LAYER_ADD, .input = second, .add = {.other = first}});
    sum = net_add(n,
                  named("conv3", (layer){.kind = LAYER_CONVOLUTION, .input = sum, .convolution = {24, 5, 2, 2, true}}));
    sum = net_add(n, (layer){.kind = LAYER_MEAN_POOL, .input = sum});
    net_add(n, named("fc", (layer){.kind = LAYER_LINEAR, .input = sum, .linear = {CLASSES}}));
    assert_ok(net_close(n, &error), error);
    return n;
}

static void twenty_steps_of_a_smooth_net_end_at_pytorchs_weights(void **state)
{
    (void)state;
    const json_t *how = json_object_get(golden, "smooth"), *arrays = json_object_get(how, "arrays");
    for (size_t i = 0; backend_at(i); i++) {
        trainee t;
        float losses[20];
        assert_int_equal(whole(how, "steps"), 20);
        trainee_open(&t, smooth_net(), backend_at(i), how, 0, true);
        for (size_t step = 0; step < 20; step++) {
            losses[step] = (float)trainee_step(&t, step, 0);
            program_update(t.program,
                           &(optimizer_step){.kind = OPTIMIZER_SGD,
                                             .rate = (float)number(how, "rate"),
                                             .momentum = (float)number(how, "momentum"),
                                             .decay = (float)number(how, "decay"),
                                             .step = step + 1},
                           true);
        }
        program_store(t.program, &t.values);
        check_array(backend_at(i)->name, "losses", losses, 20, arrays, 1e-5);
        for (const net_tensor *tensor = t.net->tensors; tensor < t.net->tensors + t.net->tensor_count; tensor++)
            check_array(backend_at(i)->name, tensor->name, value_of(tensor, &t.values), tensor->count, arrays, 1e-5);
        trainee_close(&t);
    }
}

static void the_loss_curve_of_a_resnet_is_pytorchs(void **state)
{
    (void)state;
    const json_t *how = json_object_get(golden, "curve"), *losses = json_object_get(how, "losses");
    for (size_t i = 0; backend_at(i); i++) {
        gbv_error error;
        trainee t;
        net *n;
        if (strcmp(backend_at(i)->name, "reference") == 0)
            continue;
        assert_ok(net_create("resnet18", &(net_options){.channels = 3, .outputs = CLASSES}, &n, &error), error);
        trainee_open(&t, n, backend_at(i), how, 0, false);
        for (size_t step = 0; step < whole(how, "steps"); step++) {
            double loss = trainee_step(&t, step, (float)number(how, "signal"));
            assert_close(loss, json_number_value(json_array_get(losses, step)), 0.01);
            program_update(t.program,
                           &(optimizer_step){.kind = OPTIMIZER_ADAM,
                                             .rate = (float)number(how, "rate"),
                                             .first_decay = 0.9f,
                                             .second_decay = 0.999f,
                                             .epsilon = 1e-8f,
                                             .step = step + 1},
                           true);
        }
        trainee_close(&t);
    }
}

static void optimizers_are_pytorchs(void **state)
{
    (void)state;
    enum { COUNT = 100, STEPS = 8 };
    static const struct {
        const char *name;
        optimizer_step step;
    } optimizers[] = {
        {"sgd", {.kind = OPTIMIZER_SGD, .rate = 0.1f, .momentum = 0.9f, .decay = 0.01f}},
        {"nesterov", {.kind = OPTIMIZER_SGD, .rate = 0.1f, .momentum = 0.9f, .decay = 0.01f, .nesterov = true}},
        {"adam", {.kind = OPTIMIZER_ADAM, .rate = 0.01f, .decay = 0.01f}},
        {"adamw", {.kind = OPTIMIZER_ADAMW, .rate = 0.01f, .decay = 0.1f}},
    };
    float *w = memory_array(COUNT, sizeof *w), *g = memory_array(COUNT, sizeof *g);
    float *first = memory_array(COUNT, sizeof *first), *second = memory_array(COUNT, sizeof *second);
    const json_t *arrays = json_object_get(golden, "optimizers");
    for (size_t i = 0; backend_at(i); i++)
        for (size_t k = 0; k < sizeof optimizers / sizeof *optimizers; k++) {
            optimizer_step step = optimizers[k].step;
            step.first_decay = 0.9f;
            step.second_decay = 0.999f;
            step.epsilon = 1e-8f;
            hashed_fill(hashed_stream(1, "weights"), COUNT, w);
            memset(first, 0, COUNT * sizeof *first);
            memset(second, 0, COUNT * sizeof *second);
            for (step.step = 1; step.step <= STEPS; step.step++) {
                char name[30];
                snprintf(name, sizeof name, "gradient %d", (int)step.step - 1);
                hashed_fill(hashed_stream(1, name), COUNT, g);
                backend_at(i)->update(&step, w, g, first, second, COUNT, 1);
            }
            check_array(backend_at(i)->name, optimizers[k].name, w, COUNT, arrays, 1e-6);
        }
    free(w);
    free(g);
    free(first);
    free(second);
}

static int read_golden(void **state)
{
    json_error_t error;
    (void)state;
    golden = json_load_file(GOLDEN "/training_steps.json", 0, &error);
    if (!golden)
        fprintf(stderr, "training_steps.json: %s\n", error.text);
    return golden ? 0 : -1;
}

static int free_golden(void **state)
{
    (void)state;
    json_decref(golden);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_is_pytorchs_in_every_gradient),
        cmocka_unit_test(twenty_steps_of_a_smooth_net_end_at_pytorchs_weights),
        cmocka_unit_test(the_loss_curve_of_a_resnet_is_pytorchs),
        cmocka_unit_test(optimizers_are_pytorchs),
    };
    return cmocka_run_group_tests(tests, read_golden, free_golden);
}
