#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static int is_wanted(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcasecmp(entry->d_name, "Thumbs.db") != 0 &&
           strcasecmp(entry->d_name, "desktop.ini") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool folder_read(const char *path, folder_entries *entries)
{
    *entries = (folder_entries){0};
    struct dirent **found = NULL;
    int count = scandir(path, &found, is_wanted, by_bytes);
    if (count < 0)
        return false;
    bool ok = (entries->names = calloc((size_t)count + 1, sizeof *entries->names));
    for (int i = 0; i < count; i++) {
        if (ok && (ok = (entries->names[i] = strdup(found[i]->d_name))))
            entries->count++;
        free(found[i]);
    }
    free(found);
    if (!ok) {
        folder_free(entries);
        errno = ENOMEM;
    }
    return ok;
}

void folder_free(folder_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free(entries->names[i]);
    free(entries->names);
    *entries = (folder_entries){0};
}

char *folder_path(const char *folder, const char *name)
{
    char *path;
    size_t length = strlen(folder);
    return asprintf(&path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name) < 0 ? NULL : path;
}

bool folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
