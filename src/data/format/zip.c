/* zip.c - read from the end: the end record (and its 64-bit form) leads to the directory, that to the entries. */
#include "data/format/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    CENTRAL_SIZE = 46,
    LOCAL_SIZE = 30,
    LONGEST_COMMENT = 65535,
};

/* An archive while its directory is read. */
typedef struct archive {
    const char *path;
    const unsigned char *bytes;
    size_t size;
    size_t directory, directory_end; /* offsets */
    uint64_t count;                  /* of entries, as the end record says */
} archive;

static uint64_t get(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

static gbv_status damaged(const archive *a, size_t offset, const char *what, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT, "%s: offset %zu: %s: the archive is damaged, copy or write it again",
                     a->path, offset, what);
}

/* The end record stands at the very end, before a comment whose length it knows. */
static bool find_end(const archive *a, size_t *end)
{
    if (a->size < END_SIZE)
        return false;
    size_t lowest = a->size > END_SIZE + LONGEST_COMMENT ? a->size - END_SIZE - LONGEST_COMMENT : 0;
    for (size_t at = a->size - END_SIZE + 1; at-- > lowest;)
        if (get(a->bytes + at, 4) == 0x06054B50 && get(a->bytes + at + 20, 2) == a->size - END_SIZE - at)
            return *end = at, true;
    return false;
}

/* Counts and offsets of 64 bits are in a second record, which a locator just before the first one points to. */
static gbv_status find_end64(const archive *a, size_t end, size_t *end64, gbv_error *error)
{
    *end64 = end;
    if (end < LOCATOR_SIZE || get(a->bytes + end - LOCATOR_SIZE, 4) != 0x07064B50)
        return GBV_OK;
    uint64_t at = get(a->bytes + end - LOCATOR_SIZE + 8, 8);
    if (at > end - LOCATOR_SIZE || end - LOCATOR_SIZE - at < END64_SIZE || get(a->bytes + at, 4) != 0x06064B50)
        return damaged(a, end - LOCATOR_SIZE, "there is no 64-bit end record where it should be", error);
    *end64 = (size_t)at;
    return GBV_OK;
}

static gbv_status find_directory(archive *a, gbv_error *error)
{
    size_t end, end64;
    if (!find_end(a, &end))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is truncated: a ZIP archive ends with a directory, and there is none in the last of its "
                         "%zu bytes: copy the file again",
                         a->path, a->size);
    gbv_status status = find_end64(a, end, &end64, error);
    if (status != GBV_OK)
        return status;
    const unsigned char *record = a->bytes + end64;
    bool wide = end64 != end;
    uint64_t size = wide ? get(record + 40, 8) : get(record + 12, 4);
    uint64_t offset = wide ? get(record + 48, 8) : get(record + 16, 4);
    a->count = wide ? get(record + 32, 8) : get(record + 10, 2);
    if ((wide ? get(record + 16, 4) | get(record + 20, 4) : get(record + 4, 2) | get(record + 6, 2)) != 0)
        return damaged(a, end64, "an archive in several parts is not supported", error);
    if (offset > end64 || size > end64 - offset)
        return damaged(a, end64, "the directory reaches beyond the end", error);
    a->directory = (size_t)offset;
    a->directory_end = (size_t)(offset + size);
    return GBV_OK;
}

/* Sizes and offsets that do not fit 32 bits are in an extra field, only those, in this order. */
static bool widen(const unsigned char *extra, size_t length, uint64_t *size, uint64_t *packed, uint64_t *offset)
{
    uint64_t *fields[3] = {size, packed, offset};
    bool needed = *size == UINT32_MAX || *packed == UINT32_MAX || *offset == UINT32_MAX;
    while (needed && length >= 4) {
        size_t field = (size_t)get(extra + 2, 2);
        if (field > length - 4)
            return false;
        if (get(extra, 2) == 1) {
            const unsigned char *at = extra + 4, *end = at + field;
            for (int i = 0; i < 3; i++) {
                if (*fields[i] != UINT32_MAX)
                    continue;
                if (end - at < 8)
                    return false;
                *fields[i] = get(at, 8);
                at += 8;
            }
            return true;
        }
        extra += 4 + field;
        length -= 4 + field;
    }
    return !needed;
}

/* The entry's own header repeats its name; only its length is needed to find the data. */
static gbv_status locate_data(const archive *a, uint64_t offset, uint64_t packed, zip_entry *entry, gbv_error *error)
{
    if (offset > a->directory || a->directory - offset < LOCAL_SIZE || get(a->bytes + offset, 4) != 0x04034B50)
        return damaged(a, (size_t)offset, "there is no entry where the directory says", error);
    const unsigned char *local = a->bytes + offset;
    size_t name_length = (size_t)get(local + 26, 2), header = LOCAL_SIZE + name_length + (size_t)get(local + 28, 2);
    size_t room = a->directory - (size_t)offset;
    if (header > room || packed > room - header)
        return damaged(a, (size_t)offset, "an entry reaches into the directory", error);
    if (name_length != entry->name_length || memcmp(local + LOCAL_SIZE, entry->name, name_length) != 0)
        return damaged(a, (size_t)offset, "an entry has another name than in the directory", error);
    entry->begin = (size_t)offset;
    entry->data = local + header;
    entry->packed_size = (size_t)packed;
    entry->end = entry->begin + header + entry->packed_size;
    return GBV_OK;
}

static gbv_status read_entry(const archive *a, size_t *at, zip_entry *entry, gbv_error *error)
{
    const unsigned char *record = a->bytes + *at;
    size_t room = a->directory_end - *at;
    if (room < CENTRAL_SIZE || get(record, 4) != 0x02014B50)
        return damaged(a, *at, "expected an entry of the directory", error);
    size_t name_length = (size_t)get(record + 28, 2), extra_length = (size_t)get(record + 30, 2);
    size_t length = CENTRAL_SIZE + name_length + extra_length + (size_t)get(record + 32, 2);
    if (length > room)
        return damaged(a, *at, "an entry of the directory reaches beyond its end", error);
    uint64_t packed = get(record + 20, 4), size = get(record + 24, 4), offset = get(record + 42, 4);
    if (!widen(record + CENTRAL_SIZE + name_length, extra_length, &size, &packed, &offset) || size > PTRDIFF_MAX)
        return damaged(a, *at, "an entry's sizes are malformed", error);
    *entry = (zip_entry){.name = (const char *)record + CENTRAL_SIZE,
                         .name_length = name_length,
                         .size = (size_t)size,
                         .crc = (uint32_t)get(record + 16, 4),
                         .method = (unsigned)get(record + 10, 2),
                         .encrypted = get(record + 8, 2) & 1};
    *at += length;
    return locate_data(a, offset, packed, entry, error);
}

static int compare_begins(const void *a, const void *b)
{
    size_t x = ((const zip_entry *)a)->begin, y = ((const zip_entry *)b)->begin;
    return (x > y) - (x < y);
}

gbv_status zip_open(const unsigned char *bytes, size_t size, const char *path, zip_directory *zip, gbv_error *error)
{
    *zip = (zip_directory){0};
    archive a = {.path = path, .bytes = bytes, .size = size};
    gbv_status status = find_directory(&a, error);
    if (status != GBV_OK)
        return status;
    for (size_t at = a.directory; at < a.directory_end; zip->count++) {
        if (!memory_grow(&zip->entries, &zip->capacity, zip->count + 1, sizeof *zip->entries))
            return error_out_of_memory(error, "the directory of an archive");
        status = read_entry(&a, &at, &zip->entries[zip->count], error);
        if (status != GBV_OK)
            return status;
    }
    if (zip->count != a.count)
        return damaged(&a, a.directory, "the directory holds another number of entries than announced", error);
    if (zip->count)
        qsort(zip->entries, zip->count, sizeof *zip->entries, compare_begins);
    for (size_t i = 1; i < zip->count; i++)
        if (zip->entries[i].begin < zip->entries[i - 1].end)
            return damaged(&a, zip->entries[i].begin, "two entries overlap", error);
    return GBV_OK;
}

void zip_close(zip_directory *zip)
{
    free(zip->entries);
    *zip = (zip_directory){0};
}
