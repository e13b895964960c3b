/* memory_path.h - bytes as a file with a name, for what is read by path. */
#ifndef MEMORY_PATH_H
#define MEMORY_PATH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The same path every time, now holding these bytes. */
static inline const char *memory_path(const uint8_t *bytes, size_t size)
{
    static char path[64];
    static int descriptor = -1;
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, bytes, size, 0) != (ssize_t)size)
        abort();
    return path;
}

#endif
