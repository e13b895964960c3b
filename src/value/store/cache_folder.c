/* cache_folder.c - the folder of the cache as a whole: what is in it, and what has to go. Other runs may add and delete
 * files at the same time, so a file that has vanished is no error. */
#include "value/store/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"
#include "nn/safetensors.h"

enum { KEY_LENGTH = 64, WRITING_SECONDS = 3600 /* longer than any model takes */ };

typedef struct kept_file {
    char *name, *path; /* name points into path */
    size_t bytes;
    struct timespec used;
} kept_file;

typedef struct kept_files {
    kept_file *items;
    size_t count;
} kept_files;

static int last_used_first(const void *left, const void *right)
{
    const kept_file *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? 1 : -1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* Only what the cache itself has written is touched: a key and an ending. Returns what follows the two; NULL: it is
 * none of ours. */
static const char *after_ending(const char *name)
{
    static const char *const endings[] = {CACHE_MODEL, CACHE_SCORE};
    for (size_t i = 0; i < 2 && strspn(name, "0123456789abcdef") == KEY_LENGTH; i++)
        if (strncmp(name + KEY_LENGTH, endings[i], strlen(endings[i])) == 0)
            return name + KEY_LENGTH + strlen(endings[i]);
    return NULL;
}

static bool is_ours(const char *name)
{
    const char *rest = after_ending(name);
    return rest && !*rest;
}

/* What a run that was killed while it wrote has left (base/output.h), not what another is writing now. */
static bool is_left_over(const char *name, const struct stat *about)
{
    const char *point = strrchr(name, '.'), *rest = after_ending(name);
    return rest && *rest == '.' && strcmp(point, ".part") == 0 && about->st_mtime < time(NULL) - WRITING_SECONDS;
}

static void forget(kept_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].path);
    free(files->items);
}

/* `sweep`: files that were never finished are deleted. */
static gbv_status list_files(const char *folder, bool sweep, kept_files *files, gbv_error *error)
{
    folder_entries entries;
    *files = (kept_files){0};
    if (!folder_read(folder, &entries))
        return errno == ENOENT
                   ? GBV_OK
                   : error_set(error, GBV_FAILED, "%s: cannot be read as a folder (%s): name another with --cache DIR",
                               folder, strerror(errno));
    gbv_status status = GBV_OK;
    if (!(files->items = memory_array(entries.count, sizeof *files->items)))
        status = error_out_of_memory(error, "the list of cached models");
    for (size_t i = 0; i < entries.count && status == GBV_OK; i++) {
        struct stat about;
        char *path = folder_path(folder, entries.names[i]);
        bool regular = path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
        if (regular && sweep && is_left_over(entries.names[i], &about))
            unlink(path);
        if (regular && is_ours(entries.names[i]))
            files->items[files->count++] = (kept_file){.path = path,
                                                       .name = path + strlen(path) - strlen(entries.names[i]),
                                                       .bytes = (size_t)about.st_size,
                                                       .used = about.st_mtim};
        else
            free(path);
    }
    folder_free(&entries);
    if (status == GBV_OK)
        qsort(files->items, files->count, sizeof *files->items, last_used_first);
    return status;
}

static void tell_score(const kept_file *file, gbv_cache_entry *entry, gbv_cache_callback *callback, void *context)
{
    json_t *root = json_load_file(file->path, 0, NULL);
    const char *model = json_string_value(json_object_get(root, "model")),
               *subject = json_string_value(json_object_get(root, "subject"));
    entry->model = model ? model : "";
    entry->subject = subject ? subject : "";
    entry->rows = (size_t)json_integer_value(json_object_get(root, "rows"));
    callback(context, entry);
    json_decref(root);
}

static void tell(const kept_file *file, gbv_cache_callback *callback, void *context)
{
    gbv_cache_entry entry = {
        .file = file->name, .model = "", .subject = "", .bytes = file->bytes, .used = (int64_t)file->used.tv_sec};
    mapped_file bytes;
    safetensors tensors = {0};
    json_t *about = NULL;
    if (strcmp(file->name + KEY_LENGTH, CACHE_SCORE) == 0) {
        tell_score(file, &entry, callback, context);
        return;
    }
    if (mapped_file_open(file->path, &bytes, NULL) != GBV_OK)
        return;
    if (safetensors_parse(bytes.bytes, bytes.size, file->path, &tensors, NULL) == GBV_OK) {
        const char *model = safetensors_metadata(&tensors, "model"), *text = safetensors_metadata(&tensors, "history");
        about = text ? json_loads(text, 0, NULL) : NULL;
        const char *subject = json_string_value(json_object_get(about, "source"));
        entry.model = model ? model : "";
        entry.subject = subject ? subject : "";
        entry.rows = (size_t)json_integer_value(json_object_get(about, "rows"));
    }
    callback(context, &entry);
    json_decref(about);
    safetensors_free(&tensors);
    mapped_file_close(&bytes);
}

char *cache_path(const char *folder, const char *key, const char *ending)
{
    char *path;
    return asprintf(&path, "%s/%s%s", folder, key, ending) < 0 ? NULL : path;
}

bool cache_make_folder(const char *folder)
{
    char *path = strdup(folder);
    bool made = path;
    for (char *slash = path ? strchr(path + 1, '/') : NULL; made && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    made = made && (mkdir(path, 0777) == 0 || errno == EEXIST);
    free(path);
    return made;
}

void cache_used(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, 0);
}

bool cache_keep_within(const char *folder, size_t most)
{
    static const size_t usual = (size_t)4 << 30;
    gbv_error error;
    return gbv_cache_trim(folder, most ? most : usual, NULL, &error) == GBV_OK;
}

gbv_status gbv_cache_each(const char *folder, gbv_cache_callback *callback, void *context, gbv_error *error)
{
    kept_files files;
    gbv_status status = list_files(folder, false, &files, error);
    for (size_t i = 0; i < files.count && status == GBV_OK; i++)
        tell(&files.items[i], callback, context);
    forget(&files);
    return status;
}

gbv_status gbv_cache_trim(const char *folder, size_t bytes, size_t *removed, gbv_error *error)
{
    kept_files files;
    size_t held = 0, gone = 0;
    bool full = false; /* all that was used before the first that has no room goes, too */
    gbv_status status = list_files(folder, true, &files, error);
    for (size_t i = 0; i < files.count && status == GBV_OK; i++) {
        const kept_file *file = &files.items[i];
        full |= file->bytes > bytes || held > bytes - file->bytes;
        held += file->bytes;
        if (!full)
            continue;
        if (unlink(file->path) == 0)
            gone++;
        else if (errno != ENOENT)
            status = error_set(error, GBV_FAILED, "%s: cannot be deleted (%s): check the permissions of the folder",
                               file->path, strerror(errno));
    }
    forget(&files);
    if (removed)
        *removed = gone;
    return status;
}
