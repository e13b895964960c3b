/* folder.h - the entries of a folder, in byte order of their names. Hidden ones and what Windows leaves behind
 * (Thumbs.db, desktop.ini) are passed over.
 *
 *     folder_entries entries;
 *     if (folder_read("photos", &entries))
 *         ... folder_path("photos", entries.names[0]) ...      the caller frees it
 *     folder_free(&entries);
 */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct folder_entries {
    char **names;
    size_t count;
} folder_entries;

/* False when it cannot be read or memory is out: errno says why. */
bool folder_read(const char *path, folder_entries *entries);
void folder_free(folder_entries *entries);

/* folder/name; NULL when memory is out. */
char *folder_path(const char *folder, const char *name);
/* True for a folder, also at the end of a symbolic link. */
bool folder_exists(const char *path);

#endif
