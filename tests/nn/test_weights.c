/* Weights of others: names, heads, gray images, and files that are not what they should be. */
#include "test_support.h"

#include "nn/weights.h"

/* How the names of a file differ from torchvision's. */
typedef const char *rename_tensor(const char *name, char buffer[200]);

typedef struct fixture {
    net *n;
    net_values values;
    tensor *tensors; /* of a file: two more than the net has */
    char (*names)[200];
    size_t count;
} fixture;

static size_t add_pair(net *n, const char *convolution, const char *norm, size_t input, size_t kernel)
{
    layer c = {.kind = LAYER_CONVOLUTION,
               .input = input,
               .convolution = {.outputs = 64, .kernel = kernel, .stride = 1, .padding = kernel / 2}};
    snprintf(c.name, sizeof c.name, "%.31s", convolution);
    layer b = {.kind = LAYER_BATCH_NORM, .input = net_add(n, c)};
    snprintf(b.name, sizeof b.name, "%.31s", norm);
    return net_add(n, b);
}

/* The names of a ResNet over few numbers: every convolution but the first is 1 x 1 with 64 channels. */
static net *create(const char *kind, size_t channels, size_t outputs)
{
    bool small = strcmp(kind, "resnet18") == 0, bottleneck = strcmp(kind, "resnet50") == 0;
    const size_t blocks[] = {small ? 2 : 3, small ? 2 : 4, small ? 2 : 6, small ? 2 : 3};
    gbv_error error;
    net *n = net_empty(kind, channels);
    size_t t = add_pair(n, "conv1", "bn1", 0, 7);
    for (size_t stage = 0; stage < 4; stage++)
        for (size_t b = 0; b < blocks[stage]; b++) {
            char convolution[64], norm[64];
            for (int i = 1; i <= (bottleneck ? 3 : 2); i++) {
                snprintf(convolution, sizeof convolution, "layer%zu.%zu.conv%d", stage + 1, b, i);
                snprintf(norm, sizeof norm, "layer%zu.%zu.bn%d", stage + 1, b, i);
                t = add_pair(n, convolution, norm, t, 1);
            }
            snprintf(convolution, sizeof convolution, "layer%zu.0.downsample.0", stage + 1);
            snprintf(norm, sizeof norm, "layer%zu.0.downsample.1", stage + 1);
            if (b == 0 && (stage > 0 || bottleneck))
                t = add_pair(n, convolution, norm, t, 1);
        }
    t = net_add(n, (layer){.kind = LAYER_MEAN_POOL, .input = t});
    net_add(n, (layer){.kind = LAYER_LINEAR, .name = "fc", .input = t, .linear = {.outputs = outputs}});
    assert_ok(net_close(n, &error), error);
    return n;
}

static void numbers_of_their_own(float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)(i % 9973) / 100;
}

/* Numbers of their own for every tensor of the net, and the list of them to write, under other names. */
static fixture fixture_open(net *n, rename_tensor *rename)
{
    gbv_error error;
    fixture f = {.n = n};
    assert_ok(net_values_create(f.n, &f.values, &error), error);
    numbers_of_their_own(f.values.parameters, n->parameter_count);
    numbers_of_their_own(f.values.statistics, n->statistic_count);
    f.tensors = calloc(f.n->tensor_count + 2, sizeof *f.tensors);
    f.names = calloc(f.n->tensor_count + 2, sizeof *f.names);
    for (; f.count < f.n->tensor_count; f.count++) {
        const net_tensor *t = &f.n->tensors[f.count];
        char buffer[200];
        snprintf(f.names[f.count], 200, "%s", rename ? rename(t->name, buffer) : t->name);
        f.tensors[f.count] = (tensor){.name = f.names[f.count],
                                      .floats = (t->statistic ? f.values.statistics : f.values.parameters) + t->offset,
                                      .axes = t->axes};
        memcpy(f.tensors[f.count].shape, t->shape, sizeof t->shape);
    }
    return f;
}

static void fixture_close(fixture *f)
{
    net_free(f->n);
    net_values_free(&f->values);
    free(f->tensors);
    free(f->names);
}

static tensor *find_tensor(fixture *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->tensors[i].name, name) == 0)
            return &f->tensors[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

static char *write_fixture(const fixture *f, const char *folder, const char *name, metadata text)
{
    char *path = malloc(600);
    snprintf(path, 600, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_true(safetensors_write(stream, f->tensors, f->count, &text, text.key ? 1 : 0));
    assert_int_equal(fclose(stream), 0);
    return path;
}

/* Loads the file into a net of its own; the head begins as zeros. */
static gbv_status load(const net *n, const char *path, net_values *values, weights_report *report, gbv_error *error)
{
    gbv_error ignored;
    assert_ok(net_values_create(n, values, &ignored), ignored);
    return weights_load(n, path, values, report, error);
}

static void assert_same_values(const net *n, const net_values *a, const net_values *b, bool with_head)
{
    for (const net_tensor *t = n->tensors; t < n->tensors + n->tensor_count; t++)
        if (with_head || t->layer != n->layer_count - 1) {
            const float *x = (t->statistic ? a->statistics : a->parameters) + t->offset;
            const float *y = (t->statistic ? b->statistics : b->parameters) + t->offset;
            if (memcmp(x, y, t->count * sizeof *x) != 0)
                fail_msg("%s differs", t->name);
        }
}

static const char *as_lightning(const char *name, char buffer[200])
{
    snprintf(buffer, 200, "module.backbone.%s", name);
    return buffer;
}

static const char *as_old_timm(const char *name, char buffer[200])
{
    if (strncmp(name, "fc.", 3) == 0)
        snprintf(buffer, 200, "last_linear.%s", name + 3);
    else
        snprintf(buffer, 200, "%s", name);
    return buffer;
}

static const char *as_backbone_and_head(const char *name, char buffer[200])
{
    snprintf(buffer, 200, strncmp(name, "fc.", 3) == 0 ? "head.%s" : "encoder.%s", name);
    return buffer;
}

/* As in microsoft/resnet-18 and -50. */
static const char *as_transformers(const char *name, char buffer[200])
{
    static const char *const whole[][2] = {
        {"conv1.weight", "resnet.embedder.embedder.convolution.weight"},
        {"bn1.running_var", "resnet.embedder.embedder.normalization.running_var"},
        {"layer1.0.conv1.weight", "resnet.encoder.stages.0.layers.0.layer.0.convolution.weight"},
        {"layer2.0.downsample.0.weight", "resnet.encoder.stages.1.layers.0.shortcut.convolution.weight"},
        {"layer2.0.downsample.1.bias", "resnet.encoder.stages.1.layers.0.shortcut.normalization.bias"},
        {"layer4.1.bn2.running_mean", "resnet.encoder.stages.3.layers.1.layer.1.normalization.running_mean"},
        {"fc.weight", "classifier.1.weight"},
    };
    int stage, block, number;
    const char *part = strrchr(name, '.');
    bool norm = strstr(name, "bn") || strstr(name, "downsample.1");
    const char *what = norm ? "normalization" : "convolution";
    if (strncmp(name, "fc.", 3) == 0)
        snprintf(buffer, 200, "classifier.1%s", part);
    else if (sscanf(name, "layer%d.%d.downsample", &stage, &block) == 2 && strstr(name, "downsample"))
        snprintf(buffer, 200, "resnet.encoder.stages.%d.layers.%d.shortcut.%s%s", stage - 1, block, what, part);
    else if (sscanf(name, "layer%d.%d.", &stage, &block) == 2) {
        number = part[-1] - '0';
        snprintf(buffer, 200, "resnet.encoder.stages.%d.layers.%d.layer.%d.%s%s", stage - 1, block, number - 1, what,
                 part);
    } else
        snprintf(buffer, 200, "resnet.embedder.embedder.%s%s", what, part);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(name, whole[i][0]) == 0)
            assert_string_equal(buffer, whole[i][1]);
    return buffer;
}

static void files_of_the_usual_hubs_load_unchanged(void **state)
{
    static rename_tensor *const renames[] = {NULL, as_lightning, as_old_timm, as_backbone_and_head, as_transformers};
    static const char *const kinds[] = {"resnet18", "resnet34", "resnet50"};
    for (size_t k = 0; k < 3; k++)
        for (size_t r = 0; r < sizeof renames / sizeof *renames; r++) {
            fixture f = fixture_open(create(kinds[k], 3, 4), renames[r]);
            double step = 12;
            f.tensors[f.count++] =
                (tensor){.name = "bn1.num_batches_tracked", .doubles = &step, .axes = 1, .shape = {1}};
            char *path = write_fixture(&f, *state, "hub.safetensors", (metadata){"format", "pt"});
            gbv_error error;
            weights_description d;
            weights_report report;
            net_values values;
            assert_ok(weights_describe(path, &d, &error), error);
            assert_string_equal(d.kind, kinds[k]);
            assert_true(d.channels == 3 && d.outputs == 4 && !d.stride_in_first);
            assert_ok(load(f.n, path, &values, &report, &error), error);
            assert_same_values(f.n, &f.values, &values, true);
            assert_true(!report.head_replaced && !report.colours_added && report.head_found == 4);
            assert_int_equal(report.skipped_count, 1);
            assert_string_equal(report.skipped[0], "bn1.num_batches_tracked");
            sentence s = {0};
            weights_report_tell(&report, f.n, path, &s);
            assert_string_equal(s.text, "");
            weights_report_free(&report);
            net_values_free(&values);
            free(path);
            fixture_close(&f);
        }
}

static void a_head_of_another_size_is_left_alone_and_said(void **state)
{
    fixture f = fixture_open(create("resnet18", 3, 4), NULL);
    net *ten = create("resnet18", 3, 10);
    gbv_error error;
    weights_report report;
    net_values values;
    sentence s = {0};
    char *path = write_fixture(&f, *state, "four.safetensors", (metadata){0});
    assert_ok(load(ten, path, &values, &report, &error), error);
    assert_same_values(f.n, &f.values, &values, false);
    for (const net_tensor *t = ten->tensors; t < ten->tensors + ten->tensor_count; t++)
        for (size_t i = 0; i < t->count && t->layer == ten->layer_count - 1; i++)
            assert_true(values.parameters[t->offset + i] == 0);
    assert_true(report.head_replaced && report.head_found == 4 && report.skipped_count == 2);
    weights_report_tell(&report, ten, "four.safetensors", &s);
    assert_string_equal(s.text, "four.safetensors: its head has 4 classes; a new one for 10 was begun with random "
                                "numbers");
    weights_report_free(&report);
    net_values_free(&values);
    free(path);
    f.count -= 2; /* fc.weight and fc.bias are the last */
    path = write_fixture(&f, *state, "headless.safetensors", (metadata){0});
    weights_description d;
    assert_ok(weights_describe(path, &d, &error), error);
    assert_true(d.outputs == 0 && strcmp(d.kind, "resnet18") == 0);
    assert_ok(load(ten, path, &values, &report, &error), error);
    assert_true(report.head_replaced && report.head_found == 0 && report.skipped_count == 0);
    s = (sentence){0};
    weights_report_tell(&report, ten, "h", &s);
    assert_string_equal(s.text, "h: it has no head; one for 10 classes was begun with random numbers");
    weights_report_free(&report);
    net_values_free(&values);
    free(path);
    net_free(ten);
    fixture_close(&f);
}

static void colour_weights_serve_gray_images(void **state)
{
    fixture f = fixture_open(create("resnet18", 3, 4), NULL);
    net *gray = create("resnet18", 1, 4);
    gbv_error error;
    weights_report report;
    net_values values;
    char *path = write_fixture(&f, *state, "colour.safetensors", (metadata){0});
    assert_ok(load(gray, path, &values, &report, &error), error);
    assert_true(report.colours_added && !report.head_replaced);
    assert_true(gray->tensors[0].offset == 0 && gray->tensors[0].count == 64 * 49);
    for (size_t o = 0; o < 64; o++)
        for (size_t i = 0; i < 49; i++) {
            const float *planes = f.values.parameters + o * 3 * 49 + i;
            assert_near(values.parameters[o * 49 + i], planes[0] + planes[49] + planes[98], 1e-6);
        }
    sentence s = {0};
    weights_report_tell(&report, gray, "c", &s);
    assert_string_equal(s.text, "c: the images are gray: the planes of its first weights were added");
    weights_report_free(&report);
    net_values_free(&values);
    free(path);
    net_free(gray);
    fixture_close(&f);
}

static void the_older_resnet50_is_known_by_its_metadata(void **state)
{
    fixture f = fixture_open(create("resnet50", 3, 2), NULL);
    gbv_error error;
    weights_description d;
    char *path = write_fixture(&f, *state, "old.safetensors", (metadata){"stride_in", "1x1"});
    assert_ok(weights_describe(path, &d, &error), error);
    assert_true(d.stride_in_first && strcmp(d.kind, "resnet50") == 0);
    free(path);
    fixture_close(&f);
}

/* Fails unless a resnet18 refuses the file with a sentence that says `said`. */
static void assert_refused(const fixture *f, const char *folder, const char *said)
{
    gbv_error error;
    net_values values;
    weights_report report;
    net *n = create("resnet18", 3, 4);
    char *path = write_fixture(f, folder, "bad.safetensors", (metadata){0});
    gbv_status status = load(n, path, &values, &report, &error);
    assert_int_equal(status, GBV_BAD_INPUT);
    if (!strstr(error.message, said) || !strstr(error.message, "bad.safetensors: "))
        fail_msg("%s\ndoes not say: %s", error.message, said);
    weights_report_free(&report);
    net_values_free(&values);
    free(path);
    net_free(n);
}

static void what_is_wrong_with_a_file_is_said(void **state)
{
    fixture f = fixture_open(create("resnet18", 3, 4), NULL);
    tensor *middle = find_tensor(&f, "layer2.0.bn1.running_var"), kept = *middle;
    middle->name = "layer2.0.bn9";
    assert_refused(&f, *state, "has no tensor 'layer2.0.bn1.running_var', which a resnet18 of 3-channel images needs");
    *middle = kept;
    middle->shape[0]--;
    assert_refused(&f, *state, "tensor 'layer2.0.bn1.running_var' is 63 where a resnet18");
    *middle = kept;
    float *number = (float *)middle->floats + 5, before = *number;
    *number = NAN;
    assert_refused(&f, *state, "number 6 of tensor 'layer2.0.bn1.running_var' is nan");
    *number = -INFINITY;
    assert_refused(&f, *state, "number 6 of tensor 'layer2.0.bn1.running_var' is infinite");
    *number = -1;
    assert_refused(&f, *state, "is -1: a variance cannot be negative");
    *number = before;
    tensor *first = find_tensor(&f, "conv1.weight");
    first->shape[1] = 1, first->shape[3] = 21;
    assert_refused(&f, *state,
                   "tensor 'conv1.weight' is 64 x 1 x 7 x 21 where a resnet18 of 3-channel images has 64 "
                   "x 3 x 7 x 7");
    first->shape[1] = 3, first->shape[3] = 7;
    f.tensors[f.count] = *find_tensor(&f, "layer1.0.conv1.weight");
    f.tensors[f.count++].name = "ema.layer1.0.conv1.weight";
    assert_refused(&f, *state, "holds several networks (tensors 'layer1.0.conv1.weight' and 'ema.layer1.0.conv1");
    f.tensors[f.count - 1].name = "layer1.0.se.fc1.weight";
    assert_refused(&f, *state, "has a tensor 'layer1.0.se.fc1.weight', for which a resnet18 has no place");
    f.tensors[f.count - 1].name = "layer1.2.conv1.weight";
    assert_refused(&f, *state, "has a tensor 'layer1.2.conv1.weight', for which a resnet18 has no place");
    fixture_close(&f);
    f = fixture_open(create("resnet34", 3, 4), NULL);
    assert_refused(&f, *state, "holds a resnet34, not a resnet18: use --model resnet34 or give other weights");
    fixture_close(&f);
}

static void a_whole_resnet_is_written_and_read(void **state)
{
    static const char *const kinds[] = {"cnn", "resnet18"};
    for (size_t k = 0; k < 2; k++) {
        gbv_error error;
        net_values values;
        net *n;
        assert_ok(net_create(kinds[k], &(net_options){.channels = 3, .outputs = 4}, &n, &error), error);
        fixture f = fixture_open(n, NULL);
        char *path = write_fixture(&f, *state, "whole.safetensors", (metadata){0});
        assert_ok(load(n, path, &values, NULL, &error), error);
        assert_same_values(n, &f.values, &values, true);
        net_values_free(&values);
        free(path);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_usual_hubs_load_unchanged),
        cmocka_unit_test(a_head_of_another_size_is_left_alone_and_said),
        cmocka_unit_test(colour_weights_serve_gray_images),
        cmocka_unit_test(the_older_resnet50_is_known_by_its_metadata),
        cmocka_unit_test(a_whole_resnet_is_written_and_read),
        cmocka_unit_test(what_is_wrong_with_a_file_is_said),
    };
    return cmocka_run_group_tests(tests, test_folder_open, test_folder_close);
}
