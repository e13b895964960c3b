/* cifar.c - the binary batches of CIFAR-10 and CIFAR-100: records of one or two label bytes and 32 x 32 pixels, all red
 * ones first, then green, then blue. Pixels and labels are used in place. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "data/format/format.h"

enum { SIDE = 32, CHANNELS = 3, PIXELS = SIDE * SIDE * CHANNELS, WHOLE_RECORDS_OF_A_STUMP = 3 };

typedef struct cifar_kind {
    const char *name;
    size_t record;           /* bytes */
    unsigned char limits[2]; /* the labels of each record are below these; 0: there is no second one */
} cifar_kind;

static const cifar_kind kinds[] = {{"CIFAR-10", 1 + PIXELS, {10, 0}}, {"CIFAR-100", 2 + PIXELS, {20, 100}}};

static bool labels_fit(const cifar_kind *kind, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size / kind->record; i++) {
        const unsigned char *record = bytes + i * kind->record;
        if (record[0] >= kind->limits[0] || (kind->limits[1] && record[1] >= kind->limits[1]))
            return false;
    }
    return true;
}

/* There is no magic number, only the size and the range of every label. A file of no batch's size must have a few whole
 * records before it is taken for a batch cut short. */
static const cifar_kind *find_kind(const unsigned char *bytes, size_t size)
{
    bool whole = size % kinds[0].record == 0 || size % kinds[1].record == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size / kinds[i].record >= (whole ? 1 : WHOLE_RECORDS_OF_A_STUMP) && !(whole && size % kinds[i].record) &&
            labels_fit(&kinds[i], bytes, size))
            return &kinds[i];
    return NULL;
}

static bool cifar_recognise(const unsigned char *bytes, size_t size)
{
    /* A text may have the size of a batch and line ends where its labels are. */
    return find_kind(bytes, size) && !text_is_utf8((const char *)bytes, size);
}

static gbv_status cifar_read(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                             gbv_error *error)
{
    const cifar_kind *kind = find_kind(bytes, size);
    const char *asked = request->options->label_column;
    if (!kind)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is no CIFAR batch: expected records of 3073 or 3074 bytes with labels in their range",
                         request->path);
    size_t records = size / kind->record, rest = size % kind->record, label = kind->limits[1] ? 1 : 0;
    if (rest)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is truncated: record %zu of this %s batch begins at offset %zu and has %zu of %zu bytes: "
                         "copy the file again",
                         request->path, records + 1, kind->name, size - rest, rest, kind->record);
    if (kind->limits[1] && asked && strcmp(asked, "coarse") == 0)
        label = 0;
    else if (kind->limits[1] && asked && strcmp(asked, "fine") != 0 && !request->columns_optional)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is a CIFAR-100 batch without labels \"%.100s\"; they are fine or coarse: choose with "
                         "--label-column",
                         request->path, asked);
    out->rows = records;
    out->labels.present = true;
    out->labels.numbers = (gbv_matrix){.data = bytes + label,
                                       .rows = records,
                                       .columns = 1,
                                       .row_stride = (ptrdiff_t)kind->record,
                                       .column_stride = 1,
                                       .type = GBV_U8};
    if (request->want_labels_only)
        return GBV_OK;
    out->features = gbv_matrix_u8(bytes + kind->record - PIXELS, records, PIXELS);
    out->features.row_stride = (ptrdiff_t)kind->record;
    out->shape = (gbv_image_shape){.height = SIDE, .width = SIDE, .channels = CHANNELS};
    return GBV_OK;
}

const format format_cifar = {.name = "cifar",
                             .summary = "binary batches of CIFAR-10 and CIFAR-100",
                             .recognise = cifar_recognise,
                             .read = cifar_read};
