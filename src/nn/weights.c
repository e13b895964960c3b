#include "nn/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* How a file calls what torchvision calls layer1.0.conv1.weight: by that name or by Hugging Face's, after a prefix. */
typedef struct naming {
    char prefix[128];
    bool transformers;
} naming;

enum { FILE_NAME = 256 };

/* Names that every ResNet's file has once. */
static const char anchor[] = "layer1.0.conv1.weight";
static const char transformers_anchor[] = "encoder.stages.0.layers.0.layer.0.convolution.weight";

/* True when `name` is `end` after nothing or after something that ends with a point; its length is left. */
static bool has_end(const char *name, const char *end, size_t *prefix_length)
{
    size_t length = strlen(name), end_length = strlen(end);
    if (length < end_length || strcmp(name + length - end_length, end) != 0)
        return false;
    *prefix_length = length - end_length;
    return *prefix_length == 0 || name[*prefix_length - 1] == '.';
}

/* Files of nets that are no ResNets (cnn) have plain names. */
static gbv_status find_naming(const safetensors *file, naming *found, gbv_error *error)
{
    const char *name, *first = NULL;
    json_t *entry;
    *found = (naming){0};
    json_object_foreach(file->header, name, entry)
    {
        size_t length;
        bool transformers = has_end(name, transformers_anchor, &length);
        if (!transformers && !has_end(name, anchor, &length))
            continue;
        if (first)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: holds several networks (tensors '%.100s' and '%.100s'): write one of them to a file "
                             "of its own",
                             file->path, first, name);
        if (length >= sizeof found->prefix)
            return error_set(error, GBV_BAD_INPUT, "%s: the name of tensor '%.100s' is too long: rename the tensors",
                             file->path, name);
        first = name;
        memcpy(found->prefix, name, length);
        found->transformers = transformers;
    }
    return GBV_OK;
}

/* Torchvision's name of a layer in Hugging Face's words. */
static void transformers_name(const char *place, char *name, size_t size)
{
    unsigned stage, block, number;
    char part[8];
    if (sscanf(place, "layer%u.%u.downsample.%u", &stage, &block, &number) == 3)
        snprintf(name, size, "encoder.stages.%u.layers.%u.shortcut.%s", stage - 1, block,
                 number == 0 ? "convolution" : "normalization");
    else if (sscanf(place, "layer%u.%u.%4[a-z]%u", &stage, &block, part, &number) == 4)
        snprintf(name, size, "encoder.stages.%u.layers.%u.layer.%u.%s", stage - 1, block, number - 1,
                 strcmp(part, "conv") == 0 ? "convolution" : "normalization");
    else
        snprintf(name, size, "embedder.embedder.%s", strcmp(place, "conv1") == 0 ? "convolution" : "normalization");
}

/* The file's name of a tensor of ours. */
static void file_name(const naming *how, const char *ours, char name[FILE_NAME])
{
    const char *last = strrchr(ours, '.');
    char place[TENSOR_NAME], theirs[TENSOR_NAME + 32];
    snprintf(place, sizeof place, "%.*s", (int)(last - ours), ours);
    snprintf(theirs, sizeof theirs, "%s", place);
    if (how->transformers)
        transformers_name(place, theirs, sizeof theirs);
    snprintf(name, FILE_NAME, "%s%s%s", how->prefix, theirs, last);
}

/* The last layer under any of its usual names, with or without the prefix; false when there is none of two axes. */
static bool find_head(const safetensors *file, const naming *how, char name[FILE_NAME], tensor_view *weight)
{
    static const char *const names[] = {"fc", "head.fc", "classifier", "classifier.1", "last_linear", "head"};
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        snprintf(name, FILE_NAME, "%s%s.weight", i % 2 ? "" : how->prefix, names[i / 2]);
        if (safetensors_find(file, name, weight) && weight->axes == 2)
            return true;
    }
    return false;
}

static bool has_block(const safetensors *file, const naming *how, size_t stage, size_t block, size_t convolution)
{
    char ours[TENSOR_NAME], name[FILE_NAME];
    tensor_view view;
    snprintf(ours, sizeof ours, "layer%zu.%zu.conv%zu.weight", stage, block, convolution);
    file_name(how, ours, name);
    return safetensors_find(file, name, &view);
}

/* Which ResNet the names and the width of the first block are those of; "": none that is known here. */
static const char *resnet_kind(const safetensors *file, const naming *how)
{
    static const struct {
        const char *kind;
        bool bottleneck;
        size_t blocks[4];
    } known[] = {
        {"resnet18", false, {2, 2, 2, 2}}, {"resnet34", false, {3, 4, 6, 3}}, {"resnet50", true, {3, 4, 6, 3}}};
    char name[FILE_NAME];
    tensor_view first;
    file_name(how, anchor, name);
    if (!safetensors_find(file, name, &first) || first.axes != 4 || first.shape[0] != 64)
        return "";
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        bool same = has_block(file, how, 1, 0, 3) == known[k].bottleneck;
        for (size_t stage = 0; stage < 4; stage++)
            same = same && has_block(file, how, stage + 1, known[k].blocks[stage] - 1, 1) &&
                   !has_block(file, how, stage + 1, known[k].blocks[stage], 1);
        if (same)
            return known[k].kind;
    }
    return "";
}

static void describe(const safetensors *file, const naming *how, weights_description *d)
{
    const char *stride = safetensors_metadata(file, "stride_in"), *ours = safetensors_metadata(file, "model");
    char name[FILE_NAME];
    tensor_view view;
    *d = (weights_description){.stride_in_first = stride && strcmp(stride, "1x1") == 0};
    bool trained_here = safetensors_metadata(file, "gbv") && ours && net_is_known(ours);
    snprintf(d->kind, sizeof d->kind, "%s", trained_here ? ours : resnet_kind(file, how));
    file_name(how, "conv1.weight", name);
    if (safetensors_find(file, name, &view) && view.axes == 4)
        d->channels = view.shape[1];
    if (find_head(file, how, name, &view)) {
        d->outputs = view.shape[0];
        d->features = view.shape[1];
    }
}

gbv_status weights_describe_file(const safetensors *file, weights_description *description, gbv_error *error)
{
    naming how;
    *description = (weights_description){0};
    gbv_status status = find_naming(file, &how, error);
    if (status == GBV_OK)
        describe(file, &how, description);
    return status;
}

/* A load under way. */
typedef struct loading {
    const net *n;
    const safetensors *file;
    naming how;
    char of[64];          /* "a resnet18" */
    char head[FILE_NAME]; /* of the head's weight in the file; "" when it is not taken */
    const char **used;    /* names of the file that found their place */
    size_t used_count;
    net_values *values;
    weights_report *report;
} loading;

gbv_status weights_check_kind(const weights_description *d, const char *kind, const char *path, gbv_error *error)
{
    if (!d->kind[0] || strcmp(d->kind, kind) == 0)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT, "%s: holds a %s, not a %s: use --model %s or give other weights", path,
                     d->kind, kind, d->kind);
}

static gbv_status check_kind(const loading *l, gbv_error *error)
{
    weights_description d;
    describe(l->file, &l->how, &d);
    return weights_check_kind(&d, l->n->kind, l->file->path, error);
}

/* Decides whether the file's head is taken; one that does not fit the features is an error, found when it is read. */
static void look_at_head(loading *l)
{
    tensor_view weight;
    weights_report *report = l->report;
    report->head_found = find_head(l->file, &l->how, l->head, &weight) ? weight.shape[0] : 0;
    report->head_replaced = report->head_found != l->n->outputs;
    if (report->head_replaced)
        l->head[0] = '\0';
}

/* The first weights of a net for gray images, from those for colour: their three planes added. */
static gbv_status add_colours(const loading *l, const net_tensor *t, const char *name, float *out, gbv_error *error)
{
    const size_t plane = t->shape[2] * t->shape[3], shape[] = {t->shape[0], 3, t->shape[2], t->shape[3]};
    float *colours = memory_array(t->count, 3 * sizeof *colours);
    gbv_status status = colours ? safetensors_floats(l->file, name, 4, shape, l->of, colours, error)
                                : error_out_of_memory(error, "the weights of a network");
    for (size_t i = 0; i < t->count && status == GBV_OK; i++) {
        const float *of = colours + i / plane * 3 * plane + i % plane;
        out[i] = of[0] + of[plane] + of[2 * plane];
    }
    free(colours);
    l->report->colours_added = status == GBV_OK;
    return status;
}

static gbv_status check_variance(const loading *l, const net_tensor *t, const char *name, const float *numbers,
                                 gbv_error *error)
{
    if (!t->statistic || !strstr(t->name, "running_var"))
        return GBV_OK;
    for (size_t i = 0; i < t->count; i++)
        if (numbers[i] < 0)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: number %zu of tensor '%.100s' is %g: a variance cannot be negative, get the file "
                             "again",
                             l->file->path, i + 1, name, (double)numbers[i]);
    return GBV_OK;
}

static gbv_status load_tensor(loading *l, const net_tensor *t, gbv_error *error)
{
    bool head = t->layer == l->n->layer_count - 1, first = t->layer == 0;
    char name[FILE_NAME];
    tensor_view view;
    if (head && !l->head[0])
        return GBV_OK;
    if (head)
        snprintf(name, sizeof name, "%.*s%s", (int)(strrchr(l->head, '.') - l->head), l->head, strrchr(t->name, '.'));
    else
        file_name(&l->how, t->name, name);
    float *out = (t->statistic ? l->values->statistics : l->values->parameters) + t->offset;
    bool found = safetensors_find(l->file, name, &view);
    gbv_status status;
    if (found && first && t->axes == 4 && l->n->channels == 1 && view.axes == 4 && view.shape[1] == 3)
        status = add_colours(l, t, name, out, error);
    else
        status = safetensors_floats(l->file, name, t->axes, t->shape, l->of, out, error);
    if (status == GBV_OK)
        status = check_variance(l, t, name, out, error);
    if (status == GBV_OK)
        l->used[l->used_count++] = json_object_iter_key(json_object_iter_at(l->file->header, name));
    return status;
}

static int by_address(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    return (*a > *b) - (*a < *b);
}

/* A number of a block that the net has no place for makes the file one of another net, such as a deeper one. */
static bool belongs_to_a_block(const loading *l, const char *name)
{
    size_t length = strlen(l->how.prefix);
    const char *stage = l->how.transformers ? "encoder.stages." : "layer";
    tensor_view view;
    return strncmp(name, l->how.prefix, length) == 0 && strncmp(name + length, stage, strlen(stage)) == 0 &&
           safetensors_find(l->file, name, &view) && view.is_weight;
}

/* Lists the tensors of the file that were not used. */
static gbv_status list_skipped(loading *l, gbv_error *error)
{
    const char *name;
    json_t *entry;
    weights_report *report = l->report;
    qsort(l->used, l->used_count, sizeof *l->used, by_address);
    if (!(report->skipped = memory_zeroed(json_object_size(l->file->header), sizeof *report->skipped)))
        return error_out_of_memory(error, "the weights of a network");
    json_object_foreach(l->file->header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0 || bsearch(&name, l->used, l->used_count, sizeof *l->used, by_address))
            continue;
        if (belongs_to_a_block(l, name))
            return error_set(error, GBV_BAD_INPUT,
                             "%s: has a tensor '%.100s', for which a %s has no place: it is for another network",
                             l->file->path, name, l->n->kind);
        if (!(report->skipped[report->skipped_count] = strdup(name)))
            return error_out_of_memory(error, "the weights of a network");
        report->skipped_count++;
    }
    return GBV_OK;
}

gbv_status weights_load_file(const net *n, const safetensors *file, net_values *values, weights_report *report,
                             gbv_error *error)
{
    weights_report own = {0};
    loading l = {.n = n, .file = file, .values = values, .report = report ? report : &own};
    *l.report = (weights_report){0};
    snprintf(l.of, sizeof l.of, "a %s of %zu-channel images", n->kind, n->channels);
    gbv_status status = find_naming(file, &l.how, error);
    if (status == GBV_OK)
        status = check_kind(&l, error);
    if (status == GBV_OK && !(l.used = memory_zeroed(n->tensor_count, sizeof *l.used)))
        status = error_out_of_memory(error, "the weights of a network");
    if (status == GBV_OK)
        look_at_head(&l);
    for (size_t i = 0; i < n->tensor_count && status == GBV_OK; i++)
        status = load_tensor(&l, &n->tensors[i], error);
    if (status == GBV_OK)
        status = list_skipped(&l, error);
    weights_report_free(&own);
    free(l.used);
    return status;
}

/* Opens a file, hands it to weights_describe_file or weights_load_file, closes it. */
static gbv_status with_file(const char *path, weights_description *description, const net *n, net_values *values,
                            weights_report *report, gbv_error *error)
{
    mapped_file mapped;
    safetensors file;
    gbv_status status = mapped_file_open(path, &mapped, error);
    if (status != GBV_OK)
        return status;
    status = safetensors_parse(mapped.bytes, mapped.size, path, &file, error);
    if (status == GBV_OK) {
        status =
            n ? weights_load_file(n, &file, values, report, error) : weights_describe_file(&file, description, error);
        safetensors_free(&file);
    }
    mapped_file_close(&mapped);
    return status;
}

gbv_status weights_describe(const char *path, weights_description *description, gbv_error *error)
{
    *description = (weights_description){0};
    return with_file(path, description, NULL, NULL, NULL, error);
}

gbv_status weights_load(const net *n, const char *path, net_values *values, weights_report *report, gbv_error *error)
{
    if (report)
        *report = (weights_report){0};
    return with_file(path, NULL, n, values, report, error);
}

void weights_report_free(weights_report *report)
{
    for (size_t i = 0; i < report->skipped_count; i++)
        free(report->skipped[i]);
    free(report->skipped);
    *report = (weights_report){0};
}

void weights_report_tell(const weights_report *report, const net *n, const char *path, sentence *s)
{
    if (!report->head_replaced && !report->colours_added)
        return;
    sentence_add(s, "%.300s: ", path);
    if (report->head_replaced && report->head_found)
        sentence_add(s, "its head has %zu classes; a new one for %zu was begun with random numbers", report->head_found,
                     n->outputs);
    else if (report->head_replaced)
        sentence_add(s, "it has no head; one for %zu classes was begun with random numbers", n->outputs);
    if (report->colours_added)
        sentence_add(s, "%sthe images are gray: the planes of its first weights were added",
                     report->head_replaced ? "; " : "");
}
