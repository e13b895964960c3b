/* zip.h - the directory of a ZIP archive, with every offset and size checked before it is believed. */
#ifndef DATA_FORMAT_ZIP_H
#define DATA_FORMAT_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gbv/status.h>

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

typedef struct zip_entry {
    const char *name; /* in the archive's bytes, not terminated */
    size_t name_length;
    const unsigned char *data; /* as packed */
    size_t packed_size, size;
    size_t begin, end; /* offsets of header and data together */
    uint32_t crc;
    unsigned method;
    bool encrypted;
} zip_entry;

typedef struct zip_directory {
    zip_entry *entries;
    size_t count, capacity;
} zip_directory;

/* The directory points into the bytes. Freed with zip_close, also after a failure. */
GBV_MUST_CHECK gbv_status zip_open(const unsigned char *bytes, size_t size, const char *path, zip_directory *zip,
                                   gbv_error *error);
void zip_close(zip_directory *zip);

#endif
