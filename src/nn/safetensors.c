/* safetensors.c - reading distrusts every number of the header; writing leaves what PyTorch and others can read. */
#include "nn/safetensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

enum { LENGTH_BYTES = 8, LARGEST_HEADER = 100 << 20 };

static size_t type_bytes(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"I16", 2},
                 {"I8", 1},  {"U64", 8}, {"U32", 4}, {"U16", 2},  {"U8", 1},  {"BOOL", 1}};
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
static gbv_status check_tensor(const safetensors *file, const char *path, const char *name, const json_t *entry,
                               span *bytes, gbv_error *error)
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
                         "%s: tensor '%.100s' has no usable dtype, shape and data_offsets: get the file again", path,
                         name);
    if (bytes->begin > bytes->end || bytes->end > file->data_size)
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: tensor '%.100s' lies at bytes %zu to %zu of %zu: the file is cut or damaged, get it again", path, name,
            bytes->begin, bytes->end, file->data_size);
    if (bytes->end - bytes->begin != expected)
        return error_set(error, GBV_BAD_INPUT, "%s: tensor '%.100s' has %zu bytes where its shape needs %zu", path,
                         name, bytes->end - bytes->begin, expected);
    return GBV_OK;
}

static int by_begin(const void *left, const void *right)
{
    const span *a = left, *b = right;
    return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

static gbv_status check_tensors(const safetensors *file, const char *path, gbv_error *error)
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
        status = check_tensor(file, path, name, entry, &spans[count], error);
        count += status == GBV_OK && spans[count].begin < spans[count].end;
    }
    if (status == GBV_OK)
        qsort(spans, count, sizeof *spans, by_begin);
    for (size_t i = 1; status == GBV_OK && i < count; i++)
        if (spans[i].begin < spans[i - 1].end)
            status = error_set(error, GBV_BAD_INPUT, "%s: two tensors share the bytes at %zu: the file is damaged",
                               path, spans[i].begin);
    free(spans);
    return status;
}

gbv_status safetensors_parse(const unsigned char *bytes, size_t size, const char *path, safetensors *file,
                             gbv_error *error)
{
    *file = (safetensors){0};
    uint64_t length = 0;
    for (size_t i = 0; i < LENGTH_BYTES && i < size; i++)
        length |= (uint64_t)bytes[i] << 8 * i;
    if (size < LENGTH_BYTES || length > size - LENGTH_BYTES || length > LARGEST_HEADER || length < 2 ||
        bytes[LENGTH_BYTES] != '{')
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is not a safetensors file, or is cut (%zu bytes): give a model written by gbv train",
                         path, size);
    json_error_t problem;
    file->header = json_loadb((const char *)bytes + LENGTH_BYTES, (size_t)length, JSON_REJECT_DUPLICATES, &problem);
    if (!json_is_object(file->header)) {
        safetensors_free(file);
        return error_set(error, GBV_BAD_INPUT, "%s: its header is damaged at byte %d (%s): get the file again", path,
                         problem.position + LENGTH_BYTES, problem.text);
    }
    file->data = bytes + LENGTH_BYTES + length;
    file->data_size = size - LENGTH_BYTES - (size_t)length;
    gbv_status status = check_tensors(file, path, error);
    if (status != GBV_OK)
        safetensors_free(file);
    return status;
}

void safetensors_free(safetensors *file)
{
    json_decref(file->header);
    *file = (safetensors){0};
}

bool safetensors_matrix(const safetensors *file, const char *name, gbv_matrix *view)
{
    const json_t *entry = json_object_get(file->header, name), *shape = json_object_get(entry, "shape");
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    size_t axes = json_array_size(shape), element;
    if (!type || axes < 1 || axes > 2 || (strcmp(type, "F32") != 0 && strcmp(type, "F64") != 0))
        return false;
    element = type_bytes(type);
    size_t columns = axes == 2 ? (size_t)json_integer_value(json_array_get(shape, 1)) : 1;
    size_t begin = (size_t)json_integer_value(json_array_get(json_object_get(entry, "data_offsets"), 0));
    *view = (gbv_matrix){.data = file->data + begin,
                         .rows = (size_t)json_integer_value(json_array_get(shape, 0)),
                         .columns = columns,
                         .row_stride = (ptrdiff_t)(columns * element),
                         .column_stride = (ptrdiff_t)element,
                         .type = element == 4 ? GBV_F32 : GBV_F64,
                         .swapped = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__};
    return true;
}

const char *safetensors_metadata(const safetensors *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}

static void write_little_endian(FILE *stream, uint64_t bits)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    fwrite(bytes, 1, sizeof bytes, stream);
}

static void write_header(FILE *stream, const tensor *tensors, size_t tensor_count, const metadata *texts,
                         size_t text_count)
{
    json_writer json = json_open(stream);
    size_t offset = 0;
    json.compact = true;
    json_begin_object(&json, NULL);
    json_begin_object(&json, "__metadata__");
    for (size_t i = 0; i < text_count; i++)
        json_text(&json, texts[i].key, texts[i].value);
    json_end(&json);
    for (size_t i = 0; i < tensor_count; i++) {
        size_t bytes = tensors[i].rows * (tensors[i].columns ? tensors[i].columns : 1) * sizeof(double);
        json_begin_object(&json, tensors[i].name);
        json_text(&json, "dtype", "F64");
        json_begin_array(&json, "shape");
        json_count(&json, NULL, tensors[i].rows);
        if (tensors[i].columns)
            json_count(&json, NULL, tensors[i].columns);
        json_end(&json);
        json_begin_array(&json, "data_offsets");
        json_count(&json, NULL, offset);
        json_count(&json, NULL, offset += bytes);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
}

/* The header is written twice: to a memory stream for its length, then for good, padded so that tensors are aligned. */
bool safetensors_write(FILE *stream, const tensor *tensors, size_t tensor_count, const metadata *texts,
                       size_t text_count)
{
    char *header = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&header, &length);
    if (memory)
        write_header(memory, tensors, tensor_count, texts, text_count);
    if (!memory || fclose(memory) != 0) {
        free(header);
        return false;
    }
    size_t padding = (LENGTH_BYTES - length % LENGTH_BYTES) % LENGTH_BYTES;
    write_little_endian(stream, length + padding);
    fwrite(header, 1, length, stream);
    fprintf(stream, "%*s", (int)padding, "");
    free(header);
    for (size_t t = 0; t < tensor_count; t++) {
        size_t rows = tensors[t].rows, columns = tensors[t].columns ? tensors[t].columns : 1;
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++) {
                uint64_t bits;
                memcpy(&bits, &tensors[t].values[tensors[t].transposed ? j * rows + i : i * columns + j], sizeof bits);
                write_little_endian(stream, bits);
            }
    }
    return true;
}
