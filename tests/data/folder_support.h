/* folder_support.h - folders of images and of parts, made for one test. */
#ifndef FOLDER_SUPPORT_H
#define FOLDER_SUPPORT_H

#include <sys/stat.h>

#include "file_support.h"

/* Makes a folder in the test's folder; its parent is there. One of eight path buffers is returned. */
static inline const char *make_folder(const char *name)
{
    static char paths[8][700];
    static size_t turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    if (mkdir(path, 0755) != 0)
        fail_msg("%s could not be made", path);
    return path;
}

/* Copies golden/image_<image> to a name in the test's folder. */
static inline void put_image(const char *image, const char *name)
{
    char path[700];
    size_t size;
    snprintf(path, sizeof path, "%s/image_%s", GOLDEN, image);
    void *bytes = slurp(path, &size);
    write_file(name, bytes, size);
    free(bytes);
}

#endif
