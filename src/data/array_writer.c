/* array_writer.c - every array is emitted twice into an NPZ, once to learn its checksum and once to the file, so that
 * nothing needs to be held in memory and the output may be a pipe. */
#include "data/array_writer.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/image_store.h"

enum { ENTRY_ALIGNMENT = 64, LOCAL_HEADER = 30, CENTRAL_HEADER = 46 };

array array_matrix(gbv_matrix matrix)
{
    return array_rows(matrix, NULL, matrix.rows);
}

array array_rows(gbv_matrix matrix, const size_t *rows, size_t count)
{
    return (array){.numbers = matrix, .rows = rows, .count = count};
}

array array_of_dataset(const gbv_dataset *dataset, const size_t *rows, size_t count, unsigned char *image)
{
    array a = array_rows(dataset->features, rows, count);
    a.images = dataset->images;
    a.image = image;
    return a;
}

static array number_vector(const void *values, size_t count, gbv_type type)
{
    ptrdiff_t size = (ptrdiff_t)type_size(type);
    gbv_matrix numbers = {.data = values ? values : "",
                          .rows = count,
                          .columns = 1,
                          .row_stride = size,
                          .column_stride = size,
                          .type = type};
    return (array){.numbers = numbers, .count = count, .vector = true};
}

array array_f64(const double *values, size_t count)
{
    return number_vector(values, count, GBV_F64);
}

array array_i32(const int32_t *values, size_t count)
{
    return number_vector(values, count, GBV_I32);
}

array array_i64(const int64_t *values, size_t count)
{
    return number_vector(values, count, GBV_I64);
}

array array_labels(const gbv_dataset *dataset, const int32_t *labels, size_t count, int64_t *integers)
{
    if (dataset->kind != LABELS_INTEGER)
        return array_text((const char *const *)dataset->class_names, labels, count);
    for (size_t i = 0; i < count; i++)
        integers[i] = strtoll(dataset->class_names[labels[i]], NULL, 10);
    return array_i64(integers, count);
}

array array_text(const char *const *texts, const int32_t *codes, size_t count)
{
    return (array){.texts = texts, .codes = codes, .count = count, .vector = true};
}

/* Where emitted bytes go: counted and summed always, written when there is a stream. */
typedef struct sink {
    FILE *stream;
    uint64_t size;
    uint32_t crc;
    size_t filled;
    unsigned char buffer[1 << 14];
} sink;

static void sink_flush(sink *s)
{
    s->crc = (uint32_t)crc32(s->crc, s->buffer, (uInt)s->filled);
    if (s->stream)
        fwrite(s->buffer, 1, s->filled, s->stream);
    s->size += s->filled;
    s->filled = 0;
}

static void sink_bytes(sink *s, const void *bytes, size_t count)
{
    const unsigned char *next = bytes;
    while (count) {
        size_t part = sizeof s->buffer - s->filled < count ? sizeof s->buffer - s->filled : count;
        memcpy(s->buffer + s->filled, next, part);
        s->filled += part;
        next += part;
        count -= part;
        if (s->filled == sizeof s->buffer)
            sink_flush(s);
    }
}

/* `size` bytes of an element, little end first, whatever order they have. */
static void sink_element(sink *s, const unsigned char *bytes, size_t size, bool reversed)
{
    unsigned char turned[8];
    for (size_t i = 0; i < size; i++)
        turned[i] = bytes[reversed ? size - 1 - i : i];
    sink_bytes(s, turned, size);
}

static const bool machine_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static void sink_numbers(sink *s, const array *a)
{
    const gbv_matrix *m = &a->numbers;
    size_t size = type_size(m->type);
    bool reversed = machine_is_big != m->swapped && size > 1;
    for (size_t i = 0; i < a->count; i++) {
        size_t row = a->rows ? a->rows[i] : i;
        const unsigned char *bytes = (const unsigned char *)m->data + (ptrdiff_t)row * m->row_stride;
        if (!image_store_holds(a->images, row)) {
            image_store_read(a->images, row, a->image);
            bytes = a->image;
        }
        if (!reversed && m->column_stride == (ptrdiff_t)size) {
            sink_bytes(s, bytes, m->columns * size);
            continue;
        }
        for (size_t j = 0; j < m->columns; j++, bytes += m->column_stride)
            sink_element(s, bytes, size, reversed);
    }
}

static const char *array_text_at(const array *a, size_t row)
{
    return a->texts[a->codes ? (size_t)a->codes[row] : row];
}

/* NumPy's unicode type pads every text with zeros to the longest one's characters. */
static size_t text_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static size_t text_width(const array *a)
{
    size_t width = 1;
    for (size_t i = 0; i < a->count; i++) {
        size_t length = text_characters(array_text_at(a, i));
        if (length > width)
            width = length;
    }
    return width;
}

static void sink_texts(sink *s, const array *a, size_t width)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *text = array_text_at(a, i), *end = text + strlen(text);
        for (size_t j = 0; j < width; j++) {
            uint32_t character = 0;
            text += text_decode(text, end, &character);
            unsigned char bytes[4] = {(unsigned char)character, (unsigned char)(character >> 8),
                                      (unsigned char)(character >> 16), 0};
            sink_bytes(s, bytes, sizeof bytes);
        }
    }
}

static const char *type_code(gbv_type type)
{
    switch (type) {
    case GBV_U8:
        return "|u1";
    case GBV_I8:
        return "|i1";
    case GBV_U16:
        return "<u2";
    case GBV_I16:
        return "<i2";
    case GBV_U32:
        return "<u4";
    case GBV_I32:
        return "<i4";
    case GBV_U64:
        return "<u8";
    case GBV_I64:
        return "<i8";
    case GBV_F16:
        return "<f2";
    case GBV_F32:
        return "<f4";
    case GBV_F64:
        break;
    }
    return "<f8";
}

static void sink_header(sink *s, const array *a)
{
    char header[256], type[32], shape[96];
    const gbv_image_shape *image = &a->shape;
    size_t width = a->texts ? text_width(a) : 0;
    if (a->texts)
        snprintf(type, sizeof type, "<U%zu", width);
    else
        snprintf(type, sizeof type, "%s", type_code(a->numbers.type));
    if (a->vector)
        snprintf(shape, sizeof shape, "(%zu,)", a->count);
    else if (image->channels == 1)
        snprintf(shape, sizeof shape, "(%zu, %zu, %zu)", a->count, image->height, image->width);
    else if (image->channels)
        snprintf(shape, sizeof shape, "(%zu, %zu, %zu, %zu)", a->count,
                 image->channels_last ? image->height : image->channels,
                 image->channels_last ? image->width : image->height,
                 image->channels_last ? image->channels : image->width);
    else
        snprintf(shape, sizeof shape, "(%zu, %zu)", a->count, a->numbers.columns);
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    /* Blanks and a newline fill the preamble up to a multiple of 64, so that the numbers are aligned. */
    size_t total = (10 + (size_t)length + 1 + 63) / 64 * 64, filled = total - 10;
    memset(header + length, ' ', filled - (size_t)length);
    header[filled - 1] = '\n';
    unsigned char preamble[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)filled, (unsigned char)(filled >> 8)};
    sink_bytes(s, preamble, sizeof preamble);
    sink_bytes(s, header, filled);
}

static void sink_array(sink *s, const array *a)
{
    sink_header(s, a);
    if (a->texts)
        sink_texts(s, a, text_width(a));
    else
        sink_numbers(s, a);
    sink_flush(s);
}

void npy_write(FILE *stream, array a)
{
    sink s = {.stream = stream};
    sink_array(&s, &a);
}

void npy_write_header(FILE *stream, array a)
{
    sink s = {.stream = stream};
    sink_header(&s, &a);
    sink_flush(&s);
}

void npy_write_rows(FILE *stream, array a)
{
    sink s = {.stream = stream};
    sink_numbers(&s, &a);
    sink_flush(&s);
}

gbv_status npy_write_file(const char *path, array a, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    npy_write(output.stream, a);
    return output_commit(&output, error);
}

gbv_status npz_open(const char *path, npz_writer *npz, gbv_error *error)
{
    *npz = (npz_writer){0};
    return output_open(path, &npz->output, error);
}

static void put(unsigned char **at, uint32_t value, int bytes)
{
    for (; bytes > 0; bytes--, value >>= 8)
        *(*at)++ = (unsigned char)value;
}

/* The fields that the local and the central header of an entry have in common. */
static void put_entry(unsigned char **at, const struct npz_entry *entry, uint32_t extra)
{
    put(at, 20, 2);   /* version needed */
    put(at, 0, 2);    /* flags */
    put(at, 0, 2);    /* stored */
    put(at, 0, 2);    /* time: none, equal runs give equal bytes */
    put(at, 0x21, 2); /* date: 1 January 1980 */
    put(at, entry->crc, 4);
    put(at, entry->size, 4);
    put(at, entry->size, 4);
    put(at, (uint32_t)strlen(entry->name), 2);
    put(at, extra, 2);
}

/* Bytes of the data alone; UINT64_MAX when they cannot be counted. */
static uint64_t data_bytes(const array *a)
{
    uint64_t item = a->texts ? 4 * text_width(a) : a->numbers.columns * type_size(a->numbers.type), bytes;
    return __builtin_mul_overflow(item, a->count, &bytes) ? UINT64_MAX : bytes;
}

gbv_status npz_add(npz_writer *npz, const char *name, array a, gbv_error *error)
{
    const char *path = npz->output.path ? npz->output.path : "standard output";
    if (npz->count == NPZ_ARRAYS || strlen(name) > sizeof npz->entries[0].name - 5)
        return error_set(error, GBV_FAILED, "%s: array %s does not fit: at most %d arrays with short names", path, name,
                         NPZ_ARRAYS);
    sink measured = {0}, written = {.stream = npz->output.stream};
    uint64_t bytes = data_bytes(&a);
    if (bytes <= UINT32_MAX)
        sink_array(&measured, &a);
    struct npz_entry *entry = &npz->entries[npz->count];
    snprintf(entry->name, sizeof entry->name, "%s.npy", name);
    size_t name_length = strlen(entry->name), start = LOCAL_HEADER + name_length + 4;
    uint32_t padding = (uint32_t)(-(npz->position + start) % ENTRY_ALIGNMENT);
    uint64_t end = npz->position + start + padding + measured.size;
    /* Room is kept for the directory, whose own offset must fit as well. */
    if (bytes > UINT32_MAX || end > UINT32_MAX - NPZ_ARRAYS * 256)
        return error_set(error, GBV_FAILED,
                         "%s: array %s of %llu bytes makes the file 4 GiB or more, which is not supported: write fewer "
                         "rows to a file",
                         path, name, (unsigned long long)bytes);
    entry->crc = measured.crc;
    entry->size = (uint32_t)measured.size;
    entry->offset = (uint32_t)npz->position;
    unsigned char header[LOCAL_HEADER + 4 + ENTRY_ALIGNMENT + sizeof entry->name] = {0}, *at = header;
    put(&at, 0x04034B50, 4);
    put_entry(&at, entry, 4 + padding);
    memcpy(at, entry->name, name_length);
    at += name_length;
    put(&at, 0xD935, 2); /* the extra field that zipalign uses for padding */
    put(&at, padding, 2);
    at += padding;
    fwrite(header, 1, (size_t)(at - header), npz->output.stream);
    sink_array(&written, &a);
    npz->position = end;
    npz->count++;
    return output_check(npz->output.stream, path, error);
}

gbv_status npz_close(npz_writer *npz, gbv_status status, gbv_error *error)
{
    if (status != GBV_OK || !npz->output.stream) {
        output_abandon(&npz->output);
        return status;
    }
    uint32_t size = 0;
    for (size_t i = 0; i < npz->count; i++) {
        const struct npz_entry *entry = &npz->entries[i];
        unsigned char header[CENTRAL_HEADER] = {0}, *at = header;
        put(&at, 0x02014B50, 4);
        put(&at, 20, 2);
        put_entry(&at, entry, 0);
        put(&at, 0, 2); /* comment */
        put(&at, 0, 2); /* disk */
        put(&at, 0, 2); /* internal attributes */
        put(&at, 0, 4); /* external attributes */
        put(&at, entry->offset, 4);
        fwrite(header, 1, sizeof header, npz->output.stream);
        fwrite(entry->name, 1, strlen(entry->name), npz->output.stream);
        size += (uint32_t)(sizeof header + strlen(entry->name));
    }
    unsigned char end[22] = {0}, *at = end;
    put(&at, 0x06054B50, 4);
    put(&at, 0, 4);
    put(&at, (uint32_t)npz->count, 2);
    put(&at, (uint32_t)npz->count, 2);
    put(&at, size, 4);
    put(&at, (uint32_t)npz->position, 4);
    fwrite(end, 1, sizeof end, npz->output.stream);
    return output_commit(&npz->output, error);
}
