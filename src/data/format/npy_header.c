/* npy_header.c - a strict parser of the one dictionary that NumPy writes; anything else is refused, nothing is run. */
#include "data/format/npy_header.h"

#include <string.h>

#include "base/error.h"
#include "base/matrix.h"

enum { LONGEST_HEADER = 1 << 16 };

static const char magic[6] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y'};

gbv_status npy_data_offset(const unsigned char *bytes, size_t size, const char *name, size_t *offset, gbv_error *error)
{
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0)
        return error_set(error, GBV_BAD_INPUT, "%s: is not a NumPy array: %s: write it again with numpy.save", name,
                         size < 10 ? "it ends within its first 10 bytes" : "it does not begin with \\x93NUMPY");
    unsigned version = bytes[6];
    if (version < 1 || version > 3)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: offset 6: NPY version %u.%u is not known; expected 1.0, 2.0 or 3.0: write it again with "
                         "numpy.save",
                         name, version, bytes[7]);
    if (version > 1 && size < 12)
        return error_set(error, GBV_BAD_INPUT, "%s: is truncated within its first 12 bytes: copy the file again", name);
    size_t length = bytes[8] | (size_t)bytes[9] << 8, begin = 10;
    if (version > 1) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
        begin = 12;
    }
    if (length > LONGEST_HEADER)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: offset 8: a header of %zu bytes is announced; at most %d make sense: write the file "
                         "again with numpy.save",
                         name, length, (int)LONGEST_HEADER);
    *offset = begin + length;
    return GBV_OK;
}

/* Where in the header's text the parser stands. */
typedef struct cursor {
    const char *name; /* of the file */
    const char *begin, *at, *end;
} cursor;

static gbv_status fail_at(const cursor *c, const char *expected, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "%s: offset %zu: the NPY header is malformed; expected %s: write the file again with numpy.save",
                     c->name, (size_t)(c->at - c->begin), expected);
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static bool take(cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    skip_blanks(c);
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A string without escapes, of fewer than `size` characters. */
static bool take_string(cursor *c, char *text, size_t size)
{
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const char *begin = c->at + 1, *end = memchr(begin, *c->at, (size_t)(c->end - begin));
    if (!end || (size_t)(end - begin) >= size || memchr(begin, '\\', (size_t)(end - begin)) ||
        memchr(begin, '\0', (size_t)(end - begin)))
        return false;
    memcpy(text, begin, (size_t)(end - begin));
    text[end - begin] = '\0';
    c->at = end + 1;
    return true;
}

static bool take_size(cursor *c, size_t *value)
{
    skip_blanks(c);
    const char *first = c->at;
    *value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, (size_t)(*c->at - '0'), value))
            return false;
    if (c->at == first)
        return false;
    if (c->at < c->end && *c->at == 'L') /* Python 2 wrote long integers so */
        c->at++;
    return true;
}

static gbv_status parse_shape(cursor *c, npy_header *header, gbv_error *error)
{
    if (!take(c, '('))
        return fail_at(c, "a shape such as (100, 5)", error);
    while (!take(c, ')')) {
        if (header->dimensions == NPY_DIMENSIONS || !take_size(c, &header->shape[header->dimensions]))
            return fail_at(c, "a dimension of 64 bits, at most 32 of them", error);
        header->dimensions++;
        if (!take(c, ',') && (c->at == c->end || *c->at != ')'))
            return fail_at(c, "',' or ')' in the shape", error);
    }
    return GBV_OK;
}

static gbv_status refuse_type(const cursor *c, const char *type, const char *what, const char *remedy, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "%s: holds %s (type %s), expected numbers or text: convert it with numpy.save(path, %s", c->name,
                     what, type, remedy);
}

static bool number_type(char kind, size_t size, gbv_type *type)
{
    static const struct {
        char kind;
        size_t size;
        gbv_type type;
    } types[] = {{'b', 1, GBV_U8},  {'u', 1, GBV_U8},  {'u', 2, GBV_U16}, {'u', 4, GBV_U32},
                 {'u', 8, GBV_U64}, {'i', 1, GBV_I8},  {'i', 2, GBV_I16}, {'i', 4, GBV_I32},
                 {'i', 8, GBV_I64}, {'f', 2, GBV_F16}, {'f', 4, GBV_F32}, {'f', 8, GBV_F64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == kind && types[i].size == size)
            return *type = types[i].type, true;
    return false;
}

static gbv_status refuse_kind(const cursor *c, const char *text, gbv_error *error)
{
    switch (text[1]) {
    case 'O':
        return refuse_type(c, text, "Python objects", "a.astype('float64')), or a.astype(str) for labels", error);
    case 'c':
        return refuse_type(c, text, "complex numbers", "a.real)", error);
    case 'M':
    case 'm':
        return refuse_type(c, text, "dates or times", "a.astype('int64'))", error);
    case 'V':
        return refuse_type(c, text, "records", "numpy.lib.recfunctions.structured_to_unstructured(a))", error);
    default:
        return refuse_type(c, text, "elements of another kind", "a.astype('float64'))", error);
    }
}

/* "<f8": byte order, kind, size. */
static gbv_status parse_type(cursor *c, npy_header *header, gbv_error *error)
{
    char text[32];
    skip_blanks(c);
    if (c->at < c->end && (*c->at == '[' || *c->at == '('))
        return refuse_type(c, "a list of fields", "records", "numpy.lib.recfunctions.structured_to_unstructured(a))",
                           error);
    cursor start = *c;
    if (!take_string(c, text, sizeof text) || strlen(text) < 2 || !strchr("<>|=", text[0]))
        return fail_at(&start, "a type such as '<f8'", error);
    cursor digits = {.begin = text, .at = text + 2, .end = text + strlen(text)};
    size_t size;
    bool plain = take_size(&digits, &size) && digits.at == digits.end;
    bool big = text[0] == '>';
    header->swapped = (text[0] == '<' || big) && big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    header->kind = text[1] == 'U' ? NPY_UNICODE : text[1] == 'S' || text[1] == 'a' ? NPY_BYTES : NPY_NUMBERS;
    header->item_size = size;
    if (header->kind == NPY_NUMBERS)
        return plain && number_type(text[1], size, &header->type) ? GBV_OK : refuse_kind(c, text, error);
    if (!plain || size == 0 || (header->kind == NPY_UNICODE && __builtin_mul_overflow(size, 4, &header->item_size)))
        return refuse_type(c, text, "text of no or absurd length", "a.astype(str))", error);
    return GBV_OK;
}

static gbv_status parse_order(cursor *c, npy_header *header, gbv_error *error)
{
    header->fortran = take_word(c, "True");
    if (!header->fortran && !take_word(c, "False"))
        return fail_at(c, "True or False as fortran_order", error);
    return GBV_OK;
}

static gbv_status parse_dictionary(cursor *c, npy_header *header, gbv_error *error)
{
    static const char *const keys[3] = {"descr", "fortran_order", "shape"};
    static gbv_status (*const parsers[3])(cursor *, npy_header *, gbv_error *) = {parse_type, parse_order, parse_shape};
    bool seen[3] = {false};
    if (!take(c, '{'))
        return fail_at(c, "'{'", error);
    while (!take(c, '}')) {
        char key[24];
        size_t which = 0;
        cursor start = *c;
        if (take_string(c, key, sizeof key))
            while (which < 3 && strcmp(keys[which], key) != 0)
                which++;
        else
            which = 3;
        if (which == 3 || seen[which])
            return fail_at(&start, "each of the keys descr, fortran_order and shape once", error);
        seen[which] = true;
        if (!take(c, ':'))
            return fail_at(c, "':'", error);
        gbv_status status = parsers[which](c, header, error);
        if (status != GBV_OK)
            return status;
        if (!take(c, ',') && (c->at == c->end || *c->at != '}'))
            return fail_at(c, "',' or '}'", error);
    }
    if (!seen[0] || !seen[1] || !seen[2])
        return fail_at(c, "the keys descr, fortran_order and shape", error);
    skip_blanks(c);
    return c->at == c->end ? GBV_OK : fail_at(c, "nothing after the dictionary", error);
}

gbv_status npy_header_parse(const unsigned char *bytes, size_t offset, const char *name, npy_header *header,
                            gbv_error *error)
{
    *header = (npy_header){.rows = 1, .columns = 1};
    const char *text = (const char *)bytes;
    cursor c = {.name = name, .begin = text, .at = text + (bytes[6] > 1 ? 12 : 10), .end = text + offset};
    gbv_status status = parse_dictionary(&c, header, error);
    if (status != GBV_OK)
        return status;
    bool overflow = false;
    if (header->dimensions)
        header->rows = header->shape[0];
    for (size_t i = 1; i < header->dimensions; i++)
        overflow |= __builtin_mul_overflow(header->columns, header->shape[i], &header->columns);
    overflow |= __builtin_mul_overflow(header->rows, header->columns, &header->data_size);
    overflow |= __builtin_mul_overflow(header->data_size, header->item_size, &header->data_size);
    if (overflow || header->data_size > PTRDIFF_MAX)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its header's shape times the element size is more than any memory holds: the file is "
                         "damaged, write it again with numpy.save",
                         name);
    return GBV_OK;
}
