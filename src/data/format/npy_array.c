#include "data/format/npy_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

gbv_status npy_array_view(const unsigned char *bytes, size_t size, const char *name, npy_array *array, gbv_error *error)
{
    size_t offset = 0;
    gbv_status status = npy_data_offset(bytes, size, name, &offset, error);
    if (status != GBV_OK)
        return status;
    if (offset > size)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is truncated: its header should end at offset %zu, %zu bytes are there: copy the file "
                         "again",
                         name, offset, size);
    status = npy_header_parse(bytes, offset, name, &array->header, error);
    if (status != GBV_OK)
        return status;
    size_t expected = array->header.data_size, found = size - offset;
    if (found < expected)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is truncated: %zu bytes of data are expected from offset %zu on, %zu are there: copy the "
                         "file again",
                         name, expected, offset, found);
    if (found > expected)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has %zu bytes after its data, which end at offset %zu: write the file again with "
                         "numpy.save",
                         name, found - expected, offset + expected);
    array->data = bytes + offset;
    array->name = name;
    return GBV_OK;
}

/* The shape as NumPy prints it, cut when it is long. */
static const char *show_shape(const npy_header *header, char text[64])
{
    size_t used = 0;
    for (size_t i = 0; i < header->dimensions && used < 36; i++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%zu", i ? ", " : "", header->shape[i]);
    text[used] = '\0';
    return text;
}

/* Row-major copy of an array whose first dimension varies fastest. */
static void copy_fortran(const npy_array *array, unsigned char *out)
{
    const npy_header *h = &array->header;
    size_t strides[NPY_DIMENSIONS], index[NPY_DIMENSIONS] = {0}, stride = h->item_size, offset = 0;
    for (size_t k = 0; k < h->dimensions; k++) {
        strides[k] = stride;
        stride *= h->shape[k];
    }
    for (size_t element = 0, count = h->rows * h->columns; element < count; element++) {
        memcpy(out + element * h->item_size, array->data + offset, h->item_size);
        for (size_t k = h->dimensions; k-- > 0;) { /* the last dimension counts fastest, with carry */
            offset += strides[k];
            if (++index[k] < h->shape[k])
                break;
            offset -= strides[k] * h->shape[k];
            index[k] = 0;
        }
    }
}

static bool are_channels(size_t axis)
{
    return axis == 1 || axis == 3;
}

/* Bytes of three axes are gray images; with four, the last or else the first of an image's own is one of channels. */
static gbv_image_shape image_shape(const npy_header *h)
{
    const size_t *axes = h->shape;
    if (h->type == GBV_U8 && h->dimensions == 3)
        return (gbv_image_shape){.height = axes[1], .width = axes[2], .channels = 1};
    if (h->type == GBV_U8 && h->dimensions == 4 && are_channels(axes[3]))
        return (gbv_image_shape){
            .height = axes[1], .width = axes[2], .channels = axes[3], .channels_last = axes[3] > 1};
    if (h->type == GBV_U8 && h->dimensions == 4 && are_channels(axes[1]))
        return (gbv_image_shape){.height = axes[2], .width = axes[3], .channels = axes[1]};
    return (gbv_image_shape){0};
}

gbv_status npy_array_features(const npy_array *array, table *out, void **block, gbv_error *error)
{
    const npy_header *h = &array->header;
    if (h->kind != NPY_NUMBERS)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: holds text, features must be numbers: give labels after a comma (FEATURES,LABELS)",
                         array->name);
    if (h->dimensions == 0)
        return error_set(error, GBV_BAD_INPUT, "%s: holds a single number, expected rows x columns", array->name);
    out->rows = h->rows;
    out->shape = image_shape(h);
    out->features = (gbv_matrix){.data = array->data,
                                 .rows = h->rows,
                                 .columns = h->columns,
                                 .row_stride = (ptrdiff_t)(h->columns * h->item_size),
                                 .column_stride = (ptrdiff_t)h->item_size,
                                 .type = h->type,
                                 .swapped = h->swapped};
    if (!h->fortran || h->dimensions == 1 || h->data_size == 0)
        return GBV_OK;
    if (h->dimensions == 2) {
        out->features.row_stride = (ptrdiff_t)h->item_size;
        out->features.column_stride = (ptrdiff_t)(h->rows * h->item_size);
        return GBV_OK;
    }
    if (!(*block = memory_array(h->data_size, 1)))
        return error_out_of_memory(error, "a Fortran-ordered array");
    copy_fortran(array, *block);
    out->features.data = *block;
    return GBV_OK;
}

/* One element of a text array as UTF-8 into `text`, which holds item_size bytes; false when it is no valid text. */
static bool decode_text(const npy_array *array, size_t row, char *text, size_t *length)
{
    const npy_header *h = &array->header;
    const unsigned char *item = array->data + row * h->item_size;
    size_t used = 0, size = h->item_size;
    if (h->kind == NPY_BYTES) {
        while (size && !item[size - 1]) /* NumPy pads with zeros */
            size--;
        memcpy(text, item, size);
        *length = size;
        return text_is_utf8(text, size);
    }
    while (size && !item[size - 1] && !item[size - 2] && !item[size - 3] && !item[size - 4])
        size -= 4;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t character;
        memcpy(&character, item + i, sizeof character);
        if (h->swapped)
            character = __builtin_bswap32(character);
        size_t bytes = character ? text_encode(character, text + used) : 0;
        if (!bytes)
            return false;
        used += bytes;
    }
    *length = used;
    return true;
}

static gbv_status read_texts(const npy_array *array, const table_request *request, column_role role, table *out,
                             gbv_error *error)
{
    value_column *column = table_column(out, role);
    text_table texts = {0};
    gbv_status status = GBV_OK;
    char *text = memory_array(array->header.item_size, 1);
    column->codes = memory_array(out->rows, sizeof *column->codes);
    if (!text || !column->codes)
        status = error_out_of_memory(error, "labels");
    for (size_t row = 0; status == GBV_OK && row < out->rows; row++) {
        size_t length = 0, index;
        column->codes[row] = -1;
        if (!decode_text(array, row, text, &length)) {
            if (role == COLUMN_LABELS && request->options->features_only)
                continue;
            status = row_reject(request, error, "%s: row %zu: its %s is not valid %s text", array->name, row + 1,
                                column_role_word(role), array->header.kind == NPY_BYTES ? "UTF-8" : "Unicode");
            if (status == GBV_OK)
                status = table_mark_bad(out, row, error);
        } else if (length) {
            index = text_table_add(&texts, text, length);
            if (index == TEXT_NONE || index >= INT32_MAX)
                status = error_out_of_memory(error, "labels");
            column->codes[row] = (int32_t)index;
        }
    }
    value_column_take_texts(column, &texts);
    free(text);
    return status;
}

gbv_status npy_array_column(const npy_array *array, const table_request *request, column_role role, table *out,
                            gbv_error *error)
{
    const npy_header *h = &array->header;
    const char *what = column_role_word(role);
    value_column *column = table_column(out, role);
    char shape[64];
    if (h->dimensions == 0 || h->columns != 1)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has the shape (%s); %ss need one value a row: save a vector (one-hot labels: "
                         "a.argmax(axis=1))",
                         array->name, show_shape(h, shape), what);
    if (h->rows != out->rows)
        return error_set(error, GBV_BAD_INPUT, "%s: holds %zu %ss for %zu rows of features: one a row is needed",
                         array->name, h->rows, what, out->rows);
    column->present = true;
    if (h->kind != NPY_NUMBERS)
        return read_texts(array, request, role, out, error);
    column->numbers = (gbv_matrix){.data = array->data,
                                   .rows = h->rows,
                                   .columns = 1,
                                   .row_stride = (ptrdiff_t)h->item_size,
                                   .column_stride = (ptrdiff_t)h->item_size,
                                   .type = h->type,
                                   .swapped = h->swapped};
    return GBV_OK;
}
