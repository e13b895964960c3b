/* npy.c - one NumPy array in a file, used in place. */
#include <string.h>

#include "base/error.h"
#include "data/format/npy_array.h"

static bool npy_recognise(const unsigned char *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

static gbv_status npy_read(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                           gbv_error *error)
{
    npy_array array;
    gbv_status status = npy_array_view(bytes, size, request->path, &array, error);
    if (status != GBV_OK)
        return status;
    if (!request->want_labels_only)
        return npy_array_features(&array, out, &out->blocks[0], error);
    out->rows = array.header.rows;
    return npy_array_column(&array, request, COLUMN_LABELS, out, error);
}

const format format_npy = {.name = "npy",
                           .summary = "one NumPy array, mapped in place; labels in a second file",
                           .recognise = npy_recognise,
                           .read = npy_read};
