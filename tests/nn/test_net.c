/* Nets as lists of layers: their names and sizes are torchvision's, and their first numbers are their own. */
#include "nn/net.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static net *make(const char *kind, size_t channels, size_t outputs)
{
    net *n;
    gbv_error error;
    assert_int_equal(
        net_create(kind, &(net_options){.channels = channels, .outputs = outputs, .hidden = 8}, &n, &error), GBV_OK);
    return n;
}

static const net_tensor *find(const net *n, const char *name)
{
    for (size_t i = 0; i < n->tensor_count; i++)
        if (strcmp(n->tensors[i].name, name) == 0)
            return &n->tensors[i];
    return NULL;
}

/* Counted with sum(p.numel() for p in torchvision.models.resnetXX().parameters()), version 0.14. */
static void resnets_have_as_many_parameters_as_torchvisions(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        size_t parameters, statistics, tensors;
    } known[] = {
        {"resnet18", 11689512, 9600, 102}, {"resnet34", 21797672, 17024, 182}, {"resnet50", 25557032, 53120, 267}};
    for (size_t i = 0; i < 3; i++) {
        net *n = make(known[i].kind, 3, 1000);
        assert_int_equal(n->parameter_count, known[i].parameters);
        assert_int_equal(n->statistic_count, known[i].statistics);
        assert_int_equal(n->tensor_count, known[i].tensors);
        net_free(n);
    }
}

static void tensors_carry_torchvisions_names_and_shapes(void **state)
{
    (void)state;
    net *n = make("resnet50", 3, 7);
    const net_tensor *t = find(n, "layer2.0.downsample.0.weight");
    assert_non_null(t);
    assert_int_equal(t->axes, 4);
    assert_int_equal(t->shape[0], 512);
    assert_int_equal(t->shape[1], 256);
    assert_int_equal(t->shape[2], 1);
    assert_non_null(find(n, "layer4.2.bn3.running_var"));
    assert_non_null(find(n, "layer1.0.downsample.1.bias"));
    assert_null(find(n, "layer1.1.downsample.0.weight"));
    t = find(n, "fc.weight");
    assert_int_equal(t->shape[0], 7);
    assert_int_equal(t->shape[1], 2048);
    assert_int_equal(n->feature_count, 2048);
    net_free(n);
}

static size_t stride_of(const net *n, const char *name)
{
    for (size_t i = 0; i < n->layer_count; i++)
        if (strcmp(n->layers[i].name, name) == 0)
            return n->layers[i].convolution.stride;
    return 0;
}

static void a_bottlenecks_stride_is_where_it_is_asked_for(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        net *n;
        net_options options = {.channels = 3, .outputs = 2, .stride_in_first = first};
        assert_int_equal(net_create("resnet50", &options, &n, NULL), GBV_OK);
        assert_int_equal(stride_of(n, "layer3.0.conv1"), first ? 2 : 1);
        assert_int_equal(stride_of(n, "layer3.0.conv2"), first ? 1 : 2);
        assert_int_equal(stride_of(n, "layer3.1.conv2"), 1);
        net_free(n);
    }
}

static void another_head_leaves_the_first_numbers_of_the_rest_alone(void **state)
{
    (void)state;
    net *two = make("cnn", 1, 2), *nine = make("cnn", 1, 9);
    net_values a, b;
    assert_int_equal(net_values_create(two, &a, NULL), GBV_OK);
    assert_int_equal(net_values_create(nine, &b, NULL), GBV_OK);
    net_initialise(two, 1, "anna", 0, &a);
    net_initialise(nine, 1, "anna", 0, &b);
    size_t head = find(two, "fc.weight")->offset;
    assert_memory_equal(a.parameters, b.parameters, head * sizeof(float));
    net_initialise(nine, 1, "anna", 1, &b);
    assert_memory_not_equal(a.parameters, b.parameters, head * sizeof(float));
    net_values_free(&a);
    net_values_free(&b);
    net_free(two);
    net_free(nine);
}

static void first_numbers_have_the_spread_of_torchvisions(void **state)
{
    (void)state;
    net *n = make("resnet18", 3, 100);
    net_values values;
    assert_int_equal(net_values_create(n, &values, NULL), GBV_OK);
    net_initialise(n, 7, "anna", 0, &values);
    const net_tensor *t = find(n, "layer1.0.conv1.weight"), *head = find(n, "fc.weight");
    double squares = 0, most = 0;
    for (size_t i = 0; i < t->count; i++)
        squares += (double)values.parameters[t->offset + i] * values.parameters[t->offset + i];
    for (size_t i = 0; i < head->count; i++)
        most = fmax(most, fabs(values.parameters[head->offset + i]));
    assert_true(fabs(squares / (double)t->count / (2.0 / (64 * 9)) - 1) < 0.05);
    assert_true(most <= 1 / sqrt(512) && most > 0.99 / sqrt(512));
    const net_tensor *gain = find(n, "bn1.weight"), *variance = find(n, "bn1.running_var");
    assert_true(values.parameters[gain->offset] == 1 && values.parameters[gain->offset + gain->count] == 0);
    assert_true(values.statistics[variance->offset] == 1);
    net_values_free(&values);
    net_free(n);
}

static void what_is_no_net_is_refused(void **state)
{
    (void)state;
    net *n;
    gbv_error error;
    assert_int_equal(net_create("vgg", &(net_options){.channels = 3, .outputs = 2}, &n, &error), GBV_USAGE);
    assert_null(n);
    assert_int_equal(net_create("cnn", &(net_options){.channels = 0, .outputs = 2}, &n, &error), GBV_USAGE);
    assert_int_equal(
        net_create("mlp", &(net_options){.channels = 1u << 20, .outputs = 2, .hidden = 1u << 20}, &n, &error),
        GBV_USAGE);
    assert_null(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resnets_have_as_many_parameters_as_torchvisions),
        cmocka_unit_test(tensors_carry_torchvisions_names_and_shapes),
        cmocka_unit_test(a_bottlenecks_stride_is_where_it_is_asked_for),
        cmocka_unit_test(another_head_leaves_the_first_numbers_of_the_rest_alone),
        cmocka_unit_test(first_numbers_have_the_spread_of_torchvisions),
        cmocka_unit_test(what_is_no_net_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
