/* safetensors.c - reading distrusts every number of the header; safetensors_write.c has the other way. */
#include "nn/safetensors.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/sentence.h"

enum { LENGTH_BYTES = 8, LARGEST_HEADER = 100 << 20 };

static size_t type_bytes(const char *type) /* 0: no type of the format */
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"F64", 8},  {"F32", 4}, {"F16", 2},     {"BF16", 2},   {"I64", 8}, {"I32", 4},
                 {"I16", 2},  {"I8", 1},  {"U64", 8},     {"U32", 4},    {"U16", 2}, {"U8", 1},
                 {"BOOL", 1}, {"C64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].size;
    return 0;
}

static bool read_size(const json_t *value, size_t *size)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *size = (size_t)json_integer_value(value);
    return true;
}

typedef struct span {
    size_t begin, end;
} span;

/* One entry of the header: its bytes must be what type and shape say, and lie inside the data. */
static gbv_status check_tensor(const safetensors *file, const char *name, const json_t *entry, span *bytes,
                               gbv_error *error)
{
    const json_t *shape = json_object_get(entry, "shape"), *offsets = json_object_get(entry, "data_offsets");
    size_t expected = type_bytes(json_string_value(json_object_get(entry, "dtype")));
    bool good = expected && json_is_array(shape) && json_array_size(offsets) == 2 &&
                read_size(json_array_get(offsets, 0), &bytes->begin) &&
                read_size(json_array_get(offsets, 1), &bytes->end);
    for (size_t i = 0; good && i < json_array_size(shape); i++) {
        size_t axis;
        good = read_size(json_array_get(shape, i), &axis) && !__builtin_mul_overflow(expected, axis, &expected);
    }
    if (!good)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: tensor '%.100s' has no usable dtype, shape and data_offsets: get the file again",
                         file->path, name);
    if (bytes->begin > bytes->end || bytes->end > file->data_size)
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: tensor '%.100s' lies at bytes %zu to %zu of %zu: the file is cut or damaged, get it again", file->path,
            name, bytes->begin, bytes->end, file->data_size);
    if (bytes->end - bytes->begin != expected)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: tensor '%.100s' has %zu bytes where its shape needs %zu: get the file again", file->path,
                         name, bytes->end - bytes->begin, expected);
    return GBV_OK;
}

static int by_begin(const void *left, const void *right)
{
    const span *a = left, *b = right;
    return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

static gbv_status check_tensors(const safetensors *file, gbv_error *error)
{
    const char *name;
    json_t *entry;
    size_t count = 0;
    span *spans = memory_array(json_object_size(file->header), sizeof *spans);
    gbv_status status = spans ? GBV_OK : error_out_of_memory(error, "a model");
    json_object_foreach(file->header, name, entry)
    {
        if (status != GBV_OK || strcmp(name, "__metadata__") == 0)
            continue;
        status = check_tensor(file, name, entry, &spans[count], error);
        count += status == GBV_OK && spans[count].begin < spans[count].end;
    }
    if (status == GBV_OK)
        qsort(spans, count, sizeof *spans, by_begin);
    for (size_t i = 1; status == GBV_OK && i < count; i++)
        if (spans[i].begin < spans[i - 1].end)
            status = error_set(error, GBV_BAD_INPUT,
                               "%s: two tensors share the bytes at %zu: the file is damaged, get it again", file->path,
                               spans[i].begin);
    free(spans);
    return status;
}

/* What people give instead, and what to do then. */
static gbv_status not_safetensors(const unsigned char *bytes, size_t size, const char *path, gbv_error *error)
{
    static const char lfs[] = "version https://git-lfs";
    if (size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "\x80\x02", 2) == 0))
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: is a file of torch.save, not safetensors: load it in Python and write its state_dict with "
            "safetensors.torch.save_file",
            path);
    if (size >= sizeof lfs - 1 && memcmp(bytes, lfs, sizeof lfs - 1) == 0)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is a pointer of Git LFS, not the weights themselves: fetch them with git lfs pull", path);
    return error_set(error, GBV_BAD_INPUT,
                     "%s: is not a safetensors file (%zu bytes): give a model written by gbv train or weights in that "
                     "format",
                     path, size);
}

static gbv_status bad_header(const safetensors *file, const json_error_t *problem, gbv_error *error)
{
    if (json_error_code(problem) == json_error_duplicate_key)
        return error_set(error, GBV_BAD_INPUT, "%s: its header has a name twice (%.200s): write the file again",
                         file->path, problem->text);
    return error_set(error, GBV_BAD_INPUT, "%s: its header is damaged at byte %d (%.200s): get the file again",
                     file->path, problem->position + LENGTH_BYTES, problem->text);
}

gbv_status safetensors_parse(const unsigned char *bytes, size_t size, const char *path, safetensors *file,
                             gbv_error *error)
{
    *file = (safetensors){.path = path};
    uint64_t length = 0;
    for (size_t i = 0; i < LENGTH_BYTES && i < size; i++)
        length |= (uint64_t)bytes[i] << 8 * i;
    if (size <= LENGTH_BYTES || length < 2 || bytes[LENGTH_BYTES] != '{')
        return not_safetensors(bytes, size, path, error);
    if (length > size - LENGTH_BYTES)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its header is said to have %llu bytes, but the file has only %zu: it is cut or damaged, "
                         "get it again",
                         path, (unsigned long long)length, size);
    if (length > LARGEST_HEADER)
        return error_set(error, GBV_BAD_INPUT, "%s: its header has %llu bytes, more than the %d of the format", path,
                         (unsigned long long)length, LARGEST_HEADER);
    json_error_t problem;
    file->header = json_loadb((const char *)bytes + LENGTH_BYTES, (size_t)length, JSON_REJECT_DUPLICATES, &problem);
    if (!file->header)
        return bad_header(file, &problem, error);
    file->data = bytes + LENGTH_BYTES + length;
    file->data_size = size - LENGTH_BYTES - (size_t)length;
    gbv_status status = check_tensors(file, error);
    if (status != GBV_OK)
        safetensors_free(file);
    return status;
}

void safetensors_free(safetensors *file)
{
    json_decref(file->header);
    *file = (safetensors){0};
}

const char *safetensors_metadata(const safetensors *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}

static bool is_weight(const char *type)
{
    return strcmp(type, "F32") == 0 || strcmp(type, "F16") == 0 || strcmp(type, "BF16") == 0 ||
           strcmp(type, "F64") == 0;
}

bool safetensors_find(const safetensors *file, const char *name, tensor_view *view)
{
    const json_t *entry = json_object_get(file->header, name), *shape = json_object_get(entry, "shape");
    if (!entry || strcmp(name, "__metadata__") == 0)
        return false;
    *view = (tensor_view){
        .name = name, .type = json_string_value(json_object_get(entry, "dtype")), .axes = json_array_size(shape)};
    view->is_weight = is_weight(view->type);
    for (size_t i = 0; i < view->axes && i < TENSOR_AXES; i++)
        view->shape[i] = (size_t)json_integer_value(json_array_get(shape, i));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    size_t begin = (size_t)json_integer_value(json_array_get(offsets, 0));
    view->count = ((size_t)json_integer_value(json_array_get(offsets, 1)) - begin) / type_bytes(view->type);
    view->bytes = file->data + begin;
    return true;
}

/* "64 x 3 x 7 x 7" */
static void add_shape(sentence *s, size_t axes, const size_t *shape)
{
    sentence_add(s, "%s", axes ? "" : "a single number");
    for (size_t i = 0; i < axes && i < TENSOR_AXES; i++)
        sentence_add(s, "%s%zu", i ? " x " : "", shape[i]);
    sentence_add(s, "%s", axes > TENSOR_AXES ? " x ..." : "");
}

/* Finds a tensor that is what is wanted, apart from its numbers. */
static gbv_status find_wanted(const safetensors *file, const char *name, size_t axes, const size_t *shape,
                              const char *of, tensor_view *view, gbv_error *error)
{
    sentence s = {0};
    if (!safetensors_find(file, name, view))
        return error_set(error, GBV_BAD_INPUT, "%s: has no tensor '%.100s', which %s needs: give the weights of one",
                         file->path, name, of);
    if (view->axes != axes || (axes && memcmp(view->shape, shape, axes * sizeof *shape) != 0)) {
        sentence_add(&s, "tensor '%.100s' is ", name);
        add_shape(&s, view->axes, view->shape);
        sentence_add(&s, " where %s has ", of);
        add_shape(&s, axes, shape);
        return error_set(error, GBV_BAD_INPUT, "%s: %s: give the weights of one", file->path, s.text);
    }
    if (!view->is_weight)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: tensor '%.100s' is of type %s: convert the weights to F32, F16, BF16 or F64", file->path,
                         name, view->type);
    return GBV_OK;
}

/* The numbers of a tensor as one row; BF16, which a matrix does not know, is left to the caller. */
static gbv_matrix row_of(const tensor_view *view)
{
    size_t size = type_bytes(view->type);
    return (gbv_matrix){.data = view->bytes,
                        .rows = 1,
                        .columns = view->count,
                        .row_stride = (ptrdiff_t)(view->count * size),
                        .column_stride = (ptrdiff_t)size,
                        .type = size == 2   ? GBV_F16
                                : size == 4 ? GBV_F32
                                            : GBV_F64,
                        .swapped = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__};
}

/* BF16 is the upper half of a float. */
static float brain_float(const unsigned char *bytes)
{
    uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define DEFINE_READER(NAME, TYPE, MATRIX_ROW)                                                                          \
    gbv_status NAME(const safetensors *file, const char *name, size_t axes, const size_t *shape, const char *of,       \
                    TYPE *out, gbv_error *error)                                                                       \
    {                                                                                                                  \
        tensor_view view;                                                                                              \
        gbv_status status = find_wanted(file, name, axes, shape, of, &view, error);                                    \
        if (status != GBV_OK)                                                                                          \
            return status;                                                                                             \
        gbv_matrix row = row_of(&view);                                                                                \
        if (strcmp(view.type, "BF16") == 0)                                                                            \
            for (size_t i = 0; i < view.count; i++)                                                                    \
                out[i] = brain_float(view.bytes + 2 * i);                                                              \
        else                                                                                                           \
            MATRIX_ROW(&row, 0, out);                                                                                  \
        for (size_t i = 0; i < view.count; i++)                                                                        \
            if (!isfinite(out[i]))                                                                                     \
                return error_set(                                                                                      \
                    error, GBV_BAD_INPUT,                                                                              \
                    "%s: number %zu of tensor '%.100s' is %s: weights must be finite, get the file again", file->path, \
                    i + 1, name, isnan(out[i]) ? "nan" : "infinite or too large");                                     \
        return GBV_OK;                                                                                                 \
    }

DEFINE_READER(safetensors_floats, float, matrix_row_f32)
DEFINE_READER(safetensors_doubles, double, matrix_row_f64)
