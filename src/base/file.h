/* file.h - a whole regular file as read-only bytes.
 *
 *     mapped_file file;
 *     gbv_status status = mapped_file_open("a.npy", &file, error);
 *     ... file.bytes, file.size ...
 *     mapped_file_close(&file);
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include <gbv/status.h>

typedef struct mapped_file {
    const unsigned char *bytes; /* never NULL once open; an empty file has size 0 */
    size_t size;
    void *mapping;
} mapped_file;

GBV_MUST_CHECK gbv_status mapped_file_open(const char *path, mapped_file *file, gbv_error *error);
void mapped_file_close(mapped_file *file);

#endif
