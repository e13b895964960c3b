/* idx.c - the format of MNIST and its relatives: big-endian arrays, often gzip-compressed. */
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "data/format/format.h"
#include "data/format/inflate.h"

enum { IDX_PREFIX = 4 };

typedef struct idx_header {
    gbv_type type;
    size_t dimensions, rows, columns;
    size_t data_offset, data_size;
    gbv_image_shape shape;
} idx_header;

static bool type_of_code(unsigned char code, gbv_type *type)
{
    static const struct {
        unsigned char code;
        gbv_type type;
    } types[] = {{0x08, GBV_U8}, {0x09, GBV_I8}, {0x0B, GBV_I16}, {0x0C, GBV_I32}, {0x0D, GBV_F32}, {0x0E, GBV_F64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == code)
            return *type = types[i].type, true;
    return false;
}

/* Two zeros, the type, the number of dimensions. */
static bool has_idx_prefix(const unsigned char *bytes, size_t size)
{
    gbv_type type;
    return size >= IDX_PREFIX && bytes[0] == 0 && bytes[1] == 0 && type_of_code(bytes[2], &type) && bytes[3] >= 1;
}

static bool has_gzip_prefix(const unsigned char *bytes, size_t size)
{
    return size >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

static gbv_status truncated(const char *path, size_t expected, size_t found, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "%s: is truncated: %zu bytes are expected from its header, %zu are there: copy the file again",
                     path, expected, found);
}

/* bytes[0..size) begin with the prefix and hold the dimensions. */
static gbv_status parse_header(const unsigned char *bytes, const char *path, idx_header *header, gbv_error *error)
{
    *header = (idx_header){.dimensions = bytes[3], .columns = 1, .data_offset = IDX_PREFIX + 4 * (size_t)bytes[3]};
    (void)type_of_code(bytes[2], &header->type);
    bool overflow = false;
    size_t extents[3] = {0};
    for (size_t i = 0; i < header->dimensions; i++) {
        const unsigned char *at = bytes + IDX_PREFIX + 4 * i;
        size_t extent = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
        if (i < 3)
            extents[i] = extent;
        if (i == 0)
            header->rows = extent;
        else
            overflow |= __builtin_mul_overflow(header->columns, extent, &header->columns);
    }
    if (header->dimensions == 3 && header->type == GBV_U8)
        header->shape = (gbv_image_shape){.height = extents[1], .width = extents[2], .channels = 1};
    overflow |= __builtin_mul_overflow(header->rows, header->columns, &header->data_size);
    overflow |= __builtin_mul_overflow(header->data_size, type_size(header->type), &header->data_size);
    if (overflow || header->data_size > PTRDIFF_MAX - header->data_offset)
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: offset 4: its %zu dimensions multiply to more than any memory holds: the file is damaged, "
            "copy it again",
            path, header->dimensions);
    return GBV_OK;
}

static gbv_status deliver(const unsigned char *bytes, const idx_header *header, const table_request *request,
                          table *out, gbv_error *error)
{
    size_t item = type_size(header->type);
    gbv_matrix view = {.data = bytes + header->data_offset,
                       .rows = header->rows,
                       .columns = header->columns,
                       .row_stride = (ptrdiff_t)(header->columns * item),
                       .column_stride = (ptrdiff_t)item,
                       .type = header->type,
                       .swapped = item > 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__};
    out->rows = header->rows;
    if (header->dimensions > 1 && request->want_labels_only)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has %zu dimensions, labels have one: give FEATURES,LABELS in this order", request->path,
                         header->dimensions);
    if (header->dimensions > 1) {
        out->features = view;
        out->shape = header->shape;
        return GBV_OK;
    }
    out->labels.present = true;
    out->labels.numbers = view;
    return GBV_OK;
}

static gbv_status read_plain(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                             gbv_error *error)
{
    idx_header header;
    size_t offset = IDX_PREFIX + 4 * (size_t)bytes[3];
    if (size < offset)
        return truncated(request->path, offset, size, error);
    gbv_status status = parse_header(bytes, request->path, &header, error);
    if (status != GBV_OK)
        return status;
    size_t expected = header.data_offset + header.data_size;
    if (size < expected)
        return truncated(request->path, expected, size, error);
    if (size > expected)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has %zu bytes after its data, which end at offset %zu: copy or write it again",
                         request->path, size - expected, expected);
    return deliver(bytes, &header, request, out, error);
}

/* Unpacks the header, then as much as it promises and one byte more, should there be one. */
static gbv_status unpack(inflater *in, size_t packed_size, const table_request *request, gbv_error *error)
{
    idx_header header;
    gbv_status status = inflater_advance(in, IDX_PREFIX, error);
    if (status != GBV_OK)
        return status;
    if (!has_idx_prefix(in->bytes, in->size))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is gzip-compressed, but what is inside is not IDX: unpack it first with gunzip",
                         request->path);
    size_t offset = IDX_PREFIX + 4 * (size_t)in->bytes[3];
    status = inflater_advance(in, offset, error);
    if (status != GBV_OK)
        return status;
    if (in->size < offset)
        return truncated(request->path, offset, in->size, error);
    status = parse_header(in->bytes, request->path, &header, error);
    if (status != GBV_OK)
        return status;
    size_t expected = header.data_offset + header.data_size;
    if (expected / INFLATE_RATIO > packed_size)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: offset 4: the dimensions ask for %zu bytes, which %zu compressed ones cannot hold: the "
                         "file is truncated or damaged, copy it again",
                         request->path, expected, packed_size);
    return inflater_advance(in, expected + 1, error);
}

static gbv_status idx_read(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                           gbv_error *error)
{
    if (!has_gzip_prefix(bytes, size)) {
        if (has_idx_prefix(bytes, size))
            return read_plain(bytes, size, request, out, error);
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is not IDX: expected two zeros, a known type and a number of dimensions", request->path);
    }
    inflater in;
    gbv_status status = inflater_open(&in, bytes, size, INFLATE_GZIP, request->path, error);
    if (status != GBV_OK)
        return status;
    status = unpack(&in, size, request, error);
    if (status == GBV_OK) {
        size_t unpacked = in.size;
        out->blocks[0] = inflater_take(&in);
        status = read_plain(out->blocks[0], unpacked, request, out, error);
    }
    inflater_close(&in);
    return status;
}

static bool idx_recognise(const unsigned char *bytes, size_t size)
{
    return has_idx_prefix(bytes, size) || has_gzip_prefix(bytes, size);
}

const format format_idx = {.name = "idx",
                           .summary = "MNIST's format, plain or gzip-compressed; one dimension is labels",
                           .recognise = idx_recognise,
                           .read = idx_read};
