#include "base/matrix.h"

#include <math.h>
#include <string.h>

static gbv_matrix dense(const void *data, size_t rows, size_t columns, gbv_type type)
{
    size_t size = type_size(type);
    return (gbv_matrix){.data = data,
                        .rows = rows,
                        .columns = columns,
                        .row_stride = (ptrdiff_t)(columns * size),
                        .column_stride = (ptrdiff_t)size,
                        .type = type};
}

gbv_matrix gbv_matrix_f32(const float *data, size_t rows, size_t columns)
{
    return dense(data, rows, columns, GBV_F32);
}

gbv_matrix gbv_matrix_f64(const double *data, size_t rows, size_t columns)
{
    return dense(data, rows, columns, GBV_F64);
}

gbv_matrix gbv_matrix_u8(const uint8_t *data, size_t rows, size_t columns)
{
    return dense(data, rows, columns, GBV_U8);
}

size_t type_size(gbv_type type)
{
    switch (type) {
    case GBV_U8:
    case GBV_I8:
        return 1;
    case GBV_U16:
    case GBV_I16:
    case GBV_F16:
        return 2;
    case GBV_U32:
    case GBV_I32:
    case GBV_F32:
        return 4;
    case GBV_U64:
    case GBV_I64:
    case GBV_F64:
        return 8;
    }
    return 0;
}

bool type_is_float(gbv_type type)
{
    return type == GBV_F16 || type == GBV_F32 || type == GBV_F64;
}

/* Elements are fetched with memcpy because a mapped file promises no alignment. */
static inline uint64_t load_bits(const unsigned char *bytes, size_t size, bool swapped)
{
    uint16_t half;
    uint32_t word;
    uint64_t whole;
    switch (size) {
    case 1:
        return *bytes;
    case 2:
        memcpy(&half, bytes, 2);
        return swapped ? __builtin_bswap16(half) : half;
    case 4:
        memcpy(&word, bytes, 4);
        return swapped ? __builtin_bswap32(word) : word;
    default:
        memcpy(&whole, bytes, 8);
        return swapped ? __builtin_bswap64(whole) : whole;
    }
}

/* The bits of a half, moved to their places in a float, are the number times 2^-112, also where it is subnormal. */
static inline double half_to_double(uint16_t bits)
{
    uint32_t word = (uint32_t)(bits & 0x7FFF) << 13;
    float scaled;
    memcpy(&scaled, &word, sizeof scaled);
    double magnitude = (bits & 0x7C00) == 0x7C00 ? (bits & 0x3FF ? NAN : INFINITY) : scaled * 0x1p112;
    return bits >> 15 ? -magnitude : magnitude;
}

static inline double decode(uint64_t bits, gbv_type type)
{
    float single;
    double value;
    uint32_t word = (uint32_t)bits;
    switch (type) {
    case GBV_U8:
    case GBV_U16:
    case GBV_U32:
    case GBV_U64:
        return (double)bits;
    case GBV_I8:
        return (int8_t)bits;
    case GBV_I16:
        return (int16_t)bits;
    case GBV_I32:
        return (int32_t)bits;
    case GBV_I64:
        return (double)(int64_t)bits;
    case GBV_F16:
        return half_to_double((uint16_t)bits);
    case GBV_F32:
        memcpy(&single, &word, sizeof single);
        return single;
    case GBV_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return 0;
}

static inline const unsigned char *element(const gbv_matrix *m, size_t row, size_t column)
{
    return (const unsigned char *)m->data + (ptrdiff_t)row * m->row_stride + (ptrdiff_t)column * m->column_stride;
}

double gbv_matrix_get(const gbv_matrix *m, size_t row, size_t column)
{
    return decode(load_bits(element(m, row, column), type_size(m->type), m->swapped), m->type);
}

bool matrix_is_plain(const gbv_matrix *m, gbv_type type)
{
    ptrdiff_t size = (ptrdiff_t)type_size(type);
    return m->type == type && !m->swapped && (m->column_stride == size || m->columns <= 1) &&
           m->row_stride % size == 0 && (uintptr_t)m->data % (uintptr_t)size == 0;
}

/* Rows of a mapped file may begin at any byte: these types may be loaded from anywhere, at full speed. */
typedef float loose_float __attribute__((aligned(1), may_alias));
typedef double loose_double __attribute__((aligned(1), may_alias));

/* Rows are arrays of the type, native order, wherever they begin. */
static bool matrix_is_loose(const gbv_matrix *m, gbv_type type)
{
    return m->type == type && !m->swapped && (m->column_stride == (ptrdiff_t)type_size(type) || m->columns <= 1);
}

#define DEFINE_ROW(NAME, OUT)                                                                                          \
    void NAME(const gbv_matrix *m, size_t row, OUT *out)                                                               \
    {                                                                                                                  \
        const unsigned char *bytes = element(m, row, 0);                                                               \
        if (matrix_is_loose(m, GBV_F32)) {                                                                             \
            const loose_float *in = (const loose_float *)bytes;                                                        \
            _Pragma("omp simd") for (size_t j = 0; j < m->columns; j++) out[j] = (OUT)in[j];                           \
        } else if (matrix_is_loose(m, GBV_F64)) {                                                                      \
            const loose_double *in = (const loose_double *)bytes;                                                      \
            _Pragma("omp simd") for (size_t j = 0; j < m->columns; j++) out[j] = (OUT)in[j];                           \
        } else if (matrix_is_loose(m, GBV_U8)) {                                                                       \
            _Pragma("omp simd") for (size_t j = 0; j < m->columns; j++) out[j] = (OUT)bytes[j];                        \
        } else {                                                                                                       \
            size_t size = type_size(m->type);                                                                          \
            for (size_t j = 0; j < m->columns; j++, bytes += m->column_stride)                                         \
                out[j] = (OUT)decode(load_bits(bytes, size, m->swapped), m->type);                                     \
        }                                                                                                              \
    }

DEFINE_ROW(matrix_row_f32, float)
DEFINE_ROW(matrix_row_f64, double)

const double *matrix_row(const gbv_matrix *m, size_t row, double *buffer)
{
    return matrix_block(m, row, 1, buffer);
}

const double *matrix_block(const gbv_matrix *m, size_t first, size_t count, double *buffer)
{
    if (matrix_is_plain(m, GBV_F64) && (count <= 1 || m->row_stride == (ptrdiff_t)(m->columns * sizeof(double))))
        return (const double *)element(m, first, 0);
    for (size_t i = 0; i < count; i++)
        matrix_row_f64(m, first + i, buffer + i * m->columns);
    return buffer;
}

bool matrix_integer(const gbv_matrix *m, size_t row, size_t column, int64_t *value)
{
    uint64_t bits = load_bits(element(m, row, column), type_size(m->type), m->swapped);
    if (type_is_float(m->type)) {
        double number = decode(bits, m->type);
        if (!(number >= -0x1p63 && number < 0x1p63) || number != floor(number))
            return false;
        *value = (int64_t)number;
        return true;
    }
    switch (m->type) {
    case GBV_I8:
        *value = (int8_t)bits;
        return true;
    case GBV_I16:
        *value = (int16_t)bits;
        return true;
    case GBV_I32:
        *value = (int32_t)bits;
        return true;
    default:
        *value = (int64_t)bits;
        return m->type == GBV_I64 || bits <= INT64_MAX;
    }
}

bool matrix_row_is_finite(const gbv_matrix *m, size_t row, size_t *column)
{
    if (!type_is_float(m->type))
        return true;
    const unsigned char *bytes = element(m, row, 0);
    size_t size = type_size(m->type);
    if (matrix_is_loose(m, GBV_F32)) {
        /* x - x is zero for a finite x and NaN otherwise: one pass that vectorises. */
        const loose_float *in = (const loose_float *)bytes;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < m->columns; j++)
            sum += in[j] - in[j];
        if (sum == 0)
            return true;
    } else if (matrix_is_loose(m, GBV_F64)) {
        const loose_double *in = (const loose_double *)bytes;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < m->columns; j++)
            sum += in[j] - in[j];
        if (sum == 0)
            return true;
    }
    for (size_t j = 0; j < m->columns; j++, bytes += m->column_stride)
        if (!isfinite(decode(load_bits(bytes, size, m->swapped), m->type)))
            return *column = j, false;
    return true;
}

bool matrix_find_non_finite(const gbv_matrix *m, size_t *row, size_t *column)
{
    if (type_is_float(m->type))
        for (size_t i = 0; i < m->rows; i++)
            if (!matrix_row_is_finite(m, i, column))
                return *row = i, true;
    return false;
}
