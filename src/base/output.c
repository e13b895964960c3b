#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

gbv_status output_check(FILE *stream, const char *name, gbv_error *error)
{
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return GBV_OK;
    return error_set(error, GBV_FAILED, "%s: could not be written (%s): free some space or choose another place", name,
                     errno ? strerror(errno) : "write error");
}

/* Devices, pipes and whatever /dev and /proc stand for are written directly: there is nothing to rename over. */
static bool is_direct(const char *path)
{
    struct stat info;
    char target[8] = "";
    if (readlink(path, target, sizeof target - 1) > 0 &&
        (!strncmp(target, "/proc/", 6) || !strncmp(target, "/dev/", 5)))
        return true;
    return !strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/", 5) ||
           (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

/* Years of batches, which a slip of the keyboard must not turn into a table. */
static bool is_ledger(const char *path)
{
    char begin[16] = "";
    FILE *stream = fopen(path, "re");
    bool found = stream && fread(begin, 1, sizeof begin, stream) == sizeof begin &&
                 memcmp(begin, "SQLite format 3", sizeof begin) == 0;
    if (stream)
        fclose(stream);
    return found;
}

gbv_status output_open(const char *path, output_file *output, gbv_error *error)
{
    *output = (output_file){0};
    if (!path || strcmp(path, "-") == 0) {
        output->stream = stdout;
        return GBV_OK;
    }
    struct stat info;
    if (!*path)
        return error_set(error, GBV_USAGE, "the name of the output file is empty: name a file to write");
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return error_set(error, GBV_FAILED, "%s: is a folder: name a file to write", path);
    output->path = path;
    if (is_direct(path)) {
        if ((output->stream = fopen(path, "we")))
            return GBV_OK;
        return error_set(error, GBV_FAILED, "%s: cannot be written (%s)", path, strerror(errno));
    }
    if (is_ledger(path))
        return error_set(error, GBV_FAILED,
                         "%s: is a ledger or another database, and would be lost: name another file to write", path);
    /* A link keeps pointing where it does; what it points to is replaced. */
    char *real = realpath(path, NULL);
    output->target = real ? real : strdup(path);
    if (!output->target || asprintf(&output->temporary, "%s.%ld.part", output->target, (long)getpid()) < 0) {
        output->temporary = NULL;
        output_abandon(output);
        return error_out_of_memory(error, "an output file name");
    }
    int descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor >= 0)
        output->stream = fdopen(descriptor, "w");
    if (!output->stream) {
        gbv_status status =
            error_set(error, GBV_FAILED, "%s: cannot be written (%s): check the folder", path, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        output_abandon(output);
        return status;
    }
    return GBV_OK;
}

gbv_status output_commit(output_file *output, gbv_error *error)
{
    if (!output->path)
        return output_check(output->stream, "standard output", error);
    gbv_status status = output_check(output->stream, output->path, error);
    if (status == GBV_OK && output->temporary && fsync(fileno(output->stream)) != 0)
        status = error_set(error, GBV_FAILED, "%s: could not be written (%s)", output->path, strerror(errno));
    int closed = fclose(output->stream);
    output->stream = NULL;
    if (status == GBV_OK && closed != 0)
        status = error_set(error, GBV_FAILED, "%s: could not be written (%s)", output->path, strerror(errno));
    if (status == GBV_OK && output->temporary && rename(output->temporary, output->target) != 0)
        status = error_set(error, GBV_FAILED, "%s: could not be put in place (%s)", output->path, strerror(errno));
    if (status == GBV_OK) {
        free(output->temporary);
        output->temporary = NULL;
    }
    output_abandon(output);
    return status;
}

void output_abandon(output_file *output)
{
    if (output->path && output->stream)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (output_file){0};
}
