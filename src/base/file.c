#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

gbv_status mapped_file_open(const char *path, mapped_file *file, gbv_error *error)
{
    *file = (mapped_file){0};
    struct stat info;
    /* O_NONBLOCK: opening a pipe that nobody writes to must fail below, not wait. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return error_set(error, GBV_BAD_INPUT, "%s: cannot be opened (%s): check the path and its permissions", path,
                         strerror(errno));
    gbv_status status = GBV_OK;
    if (fstat(descriptor, &info) != 0)
        status = error_set(error, GBV_BAD_INPUT, "%s: cannot be examined (%s)", path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = error_set(error, GBV_BAD_INPUT, "%s: is a folder, expected a file: name a file inside it", path);
    else if (!S_ISREG(info.st_mode))
        status = error_set(error, GBV_BAD_INPUT, "%s: is not a regular file: write the data to a file first", path);
    else if (info.st_size == 0)
        file->bytes = (const unsigned char *)"";
    else {
        void *mapping = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (mapping == MAP_FAILED)
            status = error_set(error, GBV_BAD_INPUT, "%s: cannot be read (%s)", path, strerror(errno));
        else
            *file = (mapped_file){.bytes = mapping, .size = (size_t)info.st_size, .mapping = mapping};
    }
    close(descriptor);
    return status;
}

void mapped_file_close(mapped_file *file)
{
    if (file->mapping)
        munmap(file->mapping, file->size);
    *file = (mapped_file){0};
}
