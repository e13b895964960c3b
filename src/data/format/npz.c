/* npz.c - several NumPy arrays in a ZIP archive, chosen by name. Stored arrays are used in place, deflated ones are
 * unpacked into memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"
#include "base/text.h"
#include "data/format/inflate.h"
#include "data/format/npy_array.h"
#include "data/format/zip.h"

static const char *const feature_names[] = {"x", "X", "features", "data", NULL};
static const char *const probability_names[] = {"probabilities", "pred_probs", NULL};
static const char *const label_names[] = {"y", "Y", "labels", "label", "targets", "target", NULL};

/* An entry named x.npy is the array x; other entries are no arrays. */
static size_t array_name_length(const zip_entry *entry)
{
    bool is_array = entry->name_length > 4 && memcmp(entry->name + entry->name_length - 4, ".npy", 4) == 0;
    return is_array ? entry->name_length - 4 : 0;
}

static bool is_named(const zip_entry *entry, const char *name)
{
    size_t length = array_name_length(entry);
    return length && length == strlen(name) && memcmp(entry->name, name, length) == 0;
}

static size_t count_arrays(const zip_directory *zip, const zip_entry **only)
{
    size_t count = 0;
    for (size_t i = 0; i < zip->count; i++)
        if (array_name_length(&zip->entries[i])) {
            *only = &zip->entries[i];
            count++;
        }
    return count;
}

static void list_arrays(const zip_directory *zip, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < zip->count; i++) {
        const zip_entry *entry = &zip->entries[i];
        size_t length = array_name_length(entry);
        if (!length || !text_is_utf8(entry->name, length))
            continue;
        if (used + length + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "", (int)length, entry->name);
    }
}

/* The one array with one of the names; NULL when there is none. */
static gbv_status find_array(const zip_directory *zip, const char *const *names, const char *what,
                             const table_request *request, const zip_entry **found, gbv_error *error)
{
    char arrays[300];
    *found = NULL;
    for (size_t i = 0; i < zip->count; i++)
        for (size_t j = 0; names[j]; j++) {
            if (!is_named(&zip->entries[i], names[j]))
                continue;
            if (*found) {
                list_arrays(zip, arrays, sizeof arrays);
                return error_set(
                    error, GBV_BAD_INPUT,
                    "%s: has more than one array that may hold the %s: keep one of them%s. Its arrays are: "
                    "%s",
                    request->path, what,
                    names == label_names        ? ", or choose it with --label-column"
                    : names == usual_item_names ? ", or choose it with --item-column"
                                                : "",
                    arrays);
            }
            *found = &zip->entries[i];
        }
    return GBV_OK;
}

/* An array the caller named; NULL only when it may be in the other file of FEATURES,LABELS. */
static gbv_status find_asked(const zip_directory *zip, const char *name, const char *what, const table_request *request,
                             const zip_entry **found, gbv_error *error)
{
    const char *const names[2] = {name, NULL};
    gbv_status status = find_array(zip, names, what, request, found, error);
    if (status != GBV_OK || *found || request->columns_optional)
        return status;
    char arrays[300];
    list_arrays(zip, arrays, sizeof arrays);
    return error_set(error, GBV_BAD_INPUT, "%s: has no array \"%.100s\" for the %s. Its arrays are: %s", request->path,
                     name, what, arrays);
}

/* The arrays of a file and what they are for. */
typedef struct npz_choice {
    const zip_entry *features, *labels, *sources, *items;
} npz_choice;

static gbv_status choose_arrays(const zip_directory *zip, const table_request *request, npz_choice *choice,
                                gbv_error *error)
{
    const gbv_read_options *options = request->options;
    const zip_entry *only = NULL;
    char arrays[300];
    size_t count = count_arrays(zip, &only);
    list_arrays(zip, arrays, sizeof arrays);
    if (count == 0)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is a ZIP archive without NumPy arrays: unpack it, or save arrays with "
                         "numpy.savez(path, x=features, y=labels)",
                         request->path);
    gbv_status status = GBV_OK;
    if (request->probabilities) {
        status = find_array(zip, probability_names, "probabilities", request, &choice->features, error);
        if (status == GBV_OK && !choice->features && count == 1)
            choice->features = only;
        if (status == GBV_OK && !choice->features)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: has several arrays and none named probabilities: save one with numpy.savez(path, "
                             "probabilities=p). Its arrays are: %s",
                             request->path, arrays);
        return status;
    }
    if (options->source_column)
        status = find_asked(zip, options->source_column, "sources", request, &choice->sources, error);
    if (status == GBV_OK && options->item_column)
        status = find_asked(zip, options->item_column, "items", request, &choice->items, error);
    else if (status == GBV_OK && options->wants_items)
        status = find_array(zip, usual_item_names, "items", request, &choice->items, error);
    if (status == GBV_OK && options->label_column)
        status = find_asked(zip, options->label_column, "labels", request, &choice->labels, error);
    else if (status == GBV_OK)
        status = find_array(zip, label_names, "labels", request, &choice->labels, error);
    if (status != GBV_OK)
        return status;
    if (request->want_labels_only) {
        if (!choice->labels && count == 1)
            choice->labels = only;
        if (!choice->labels)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: has no array named y or labels: name one with --label-column. Its arrays are: %s",
                             request->path, arrays);
        return GBV_OK;
    }
    status = find_array(zip, feature_names, "features", request, &choice->features, error);
    if (status == GBV_OK && !choice->features)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has no array named x, X, features or data: save it with numpy.savez(path, x=features, "
                         "y=labels). Its arrays are: %s",
                         request->path, arrays);
    return status;
}

static gbv_status check_crc(const zip_entry *entry, const unsigned char *bytes, const char *name, gbv_error *error)
{
    uint32_t found = (uint32_t)crc32_z(0, bytes, entry->size);
    if (found == entry->crc)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT,
                     "%s: its checksum is %08x, the archive says %08x: the file is damaged, copy it again", name, found,
                     entry->crc);
}

static gbv_status size_disagrees(const zip_entry *entry, const char *name, size_t found, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "%s: takes %zu bytes, the archive's directory says %zu: the file is damaged, write it again", name,
                     found, entry->size);
}

/* Unpacks the header first: what it promises must be what the directory says before the rest is unpacked. */
static gbv_status unpack(inflater *in, const zip_entry *entry, const char *name, gbv_error *error)
{
    npy_header header;
    size_t offset = 0;
    gbv_status status = inflater_advance(in, NPY_PREAMBLE, error);
    if (status == GBV_OK)
        status = npy_data_offset(in->bytes, in->size, name, &offset, error);
    if (status == GBV_OK)
        status = inflater_advance(in, offset, error);
    if (status != GBV_OK)
        return status;
    if (in->size < offset)
        return size_disagrees(entry, name, in->size, error);
    status = npy_header_parse(in->bytes, offset, name, &header, error);
    if (status != GBV_OK)
        return status;
    if (header.data_size > entry->size || offset != entry->size - header.data_size)
        return size_disagrees(entry, name, offset + header.data_size, error);
    status = inflater_advance(in, entry->size, error);
    if (status == GBV_OK && !in->ended) /* the end of the stream may still be to come, but no byte more */
        status = inflater_advance(in, entry->size + 1, error);
    if (status == GBV_OK && in->size != entry->size)
        status = size_disagrees(entry, name, in->size, error);
    return status;
}

static gbv_status load_deflated(const zip_entry *entry, const char *name, npy_array *array, void **block,
                                gbv_error *error)
{
    inflater in;
    if (entry->size / INFLATE_RATIO > entry->packed_size)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: %zu bytes cannot unpack to the %zu that the archive claims: the file is damaged, write "
                         "it again",
                         name, entry->packed_size, entry->size);
    gbv_status status = inflater_open(&in, entry->data, entry->packed_size, INFLATE_RAW, name, error);
    if (status != GBV_OK)
        return status;
    status = unpack(&in, entry, name, error);
    if (status == GBV_OK)
        status = check_crc(entry, in.bytes, name, error);
    if (status == GBV_OK) {
        *block = inflater_take(&in);
        status = npy_array_view(*block, entry->size, name, array, error);
    }
    inflater_close(&in);
    return status;
}

static gbv_status load_array(const zip_entry *entry, const char *name, npy_array *array, void **block, gbv_error *error)
{
    if (entry->encrypted)
        return error_set(error, GBV_BAD_INPUT, "%s: is encrypted: save it without a password", name);
    if (entry->method == ZIP_DEFLATED)
        return load_deflated(entry, name, array, block, error);
    if (entry->method != ZIP_STORED)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is compressed by method %u; only stored and deflated (8) are read: save it with "
                         "numpy.savez or numpy.savez_compressed",
                         name, entry->method);
    if (entry->packed_size != entry->size)
        return size_disagrees(entry, name, entry->packed_size, error);
    gbv_status status = check_crc(entry, entry->data, name, error);
    return status == GBV_OK ? npy_array_view(entry->data, entry->size, name, array, error) : status;
}

static gbv_status load_column(const zip_entry *entry, const table_request *request, column_role role, void **block,
                              table *out, gbv_error *error)
{
    npy_array array;
    char name[512];
    if (!entry)
        return GBV_OK;
    snprintf(name, sizeof name, "%s: array %.*s", request->path, (int)array_name_length(entry), entry->name);
    gbv_status status = load_array(entry, name, &array, block, error);
    if (status != GBV_OK)
        return status;
    if (request->want_labels_only && role == COLUMN_LABELS)
        out->rows = array.header.rows;
    return npy_array_column(&array, request, role, out, error);
}

static gbv_status load_features(const zip_entry *entry, const table_request *request, table *out, gbv_error *error)
{
    npy_array array;
    char name[512];
    if (!entry)
        return GBV_OK;
    snprintf(name, sizeof name, "%s: array %.*s", request->path, (int)array_name_length(entry), entry->name);
    gbv_status status = load_array(entry, name, &array, &out->blocks[0], error);
    return status == GBV_OK ? npy_array_features(&array, out, &out->blocks[3], error) : status;
}

static gbv_status npz_read(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                           gbv_error *error)
{
    zip_directory zip;
    npz_choice choice = {0};
    char *item = NULL;
    gbv_status status = zip_open(bytes, size, request->path, &zip, error);
    if (status == GBV_OK)
        status = choose_arrays(&zip, request, &choice, error);
    if (status == GBV_OK)
        status = load_features(choice.features, request, out, error);
    if (status == GBV_OK)
        status = load_column(choice.labels, request, COLUMN_LABELS, &out->blocks[1], out, error);
    if (status == GBV_OK)
        status = load_column(choice.sources, request, COLUMN_SOURCES, &out->blocks[2], out, error);
    if (status == GBV_OK)
        status = load_column(choice.items, request, COLUMN_ITEMS, &out->blocks[4], out, error);
    if (choice.items && (item = strndup(choice.items->name, array_name_length(choice.items))))
        out->items_are_files = item_name_is_file(item);
    free(item);
    zip_close(&zip);
    return status;
}

static bool npz_recognise(const unsigned char *bytes, size_t size)
{
    return size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

const format format_npz = {.name = "npz",
                           .summary = "NumPy arrays x and y in one archive, stored or deflated",
                           .recognise = npz_recognise,
                           .read = npz_read};
