#include "data/argument.h"

#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/format/image_folder.h"

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static bool is_pattern(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

/* A file or folder by this name, or a pattern that something matches. */
static bool names_something(const char *text)
{
    glob_t found;
    if (exists(text))
        return true;
    if (!is_pattern(text) || glob(text, GLOB_NOSORT, NULL, &found) != 0)
        return false;
    globfree(&found);
    return true;
}

static gbv_status add_path(path_list *list, const char *path, gbv_error *error)
{
    if (!text_is_utf8(path, strlen(path)))
        return error_set(error, GBV_BAD_INPUT, "%s: the name is not valid UTF-8, as results need: rename the file",
                         path);
    if (!memory_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items) ||
        !(list->items[list->count] = strdup(path)))
        return error_out_of_memory(error, "a path");
    list->count++;
    return GBV_OK;
}

static gbv_status add_matches(path_list *list, const char *pattern, gbv_error *error)
{
    glob_t found;
    gbv_status status = GBV_OK;
    int result = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (result != 0)
        return result == GLOB_NOSPACE
                   ? error_out_of_memory(error, "the files that match a pattern")
                   : error_set(error, GBV_BAD_INPUT,
                               "%s: no file matches this pattern: check the path and where you are", pattern);
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_bytes); /* glob's own order follows the locale */
    for (size_t i = 0; i < found.gl_pathc && status == GBV_OK; i++)
        status = add_path(list, found.gl_pathv[i], error);
    globfree(&found);
    return status;
}

/* A folder of images is one part; the entries of any other folder are its parts. */
static gbv_status add_folder(path_list *list, const char *folder, gbv_error *error)
{
    bool images;
    folder_entries entries = {0};
    gbv_status status = image_folder_recognise(folder, &images, error);
    if (status != GBV_OK || images)
        return status == GBV_OK ? add_path(list, folder, error) : status;
    if (!folder_read(folder, &entries))
        return error_set(error, GBV_BAD_INPUT, "%s: cannot be read as a folder (%s)", folder, strerror(errno));
    for (size_t i = 0; i < entries.count && status == GBV_OK; i++) {
        char *path = folder_path(folder, entries.names[i]);
        status = path ? add_path(list, path, error) : error_out_of_memory(error, "a path");
        free(path);
    }
    folder_free(&entries);
    return status;
}

static gbv_status add_side(path_list *list, const char *text, gbv_error *error)
{
    if (folder_exists(text))
        return add_folder(list, text, error);
    return is_pattern(text) && !exists(text) ? add_matches(list, text, error) : add_path(list, text, error);
}

static gbv_status add_both(dataset_paths *paths, const char *features, const char *labels, gbv_error *error)
{
    gbv_status status = add_side(&paths->features, features, error);
    if (status == GBV_OK)
        status = add_side(&paths->labels, labels, error);
    if (status != GBV_OK || paths->features.count == paths->labels.count)
        return status;
    return error_set(
        error, GBV_BAD_INPUT,
        "%s,%s: names %zu file%s of features and %zu of labels, which are paired in order: give as many of "
        "both",
        features, labels, paths->features.count, paths->features.count == 1 ? "" : "s", paths->labels.count);
}

/* A name may hold commas itself: the whole counts first, then the first comma between two things that exist. */
gbv_status dataset_paths_find(const char *argument, dataset_paths *paths, gbv_error *error)
{
    *paths = (dataset_paths){0};
    const char *first = strchr(argument, ',');
    if (!first || names_something(argument))
        return add_side(&paths->features, argument, error);
    char *features = strdup(argument);
    gbv_status status = GBV_OK;
    bool found = false, features_exist = false;
    if (!features)
        return error_out_of_memory(error, "a path");
    for (char *comma = features + (first - argument); comma && !found; comma = strchr(comma + 1, ',')) {
        *comma = '\0';
        features_exist |= names_something(features);
        found = names_something(features) && names_something(comma + 1);
        if (found)
            status = add_both(paths, features, comma + 1, error);
        *comma = ',';
    }
    free(features);
    if (found)
        return status;
    if (strchr(first + 1, ','))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: no comma in it stands between two files that exist: check both paths of FEATURES,LABELS",
                         argument);
    return error_set(error, GBV_BAD_INPUT, "%s: there is no file %.*s: check the paths of FEATURES,LABELS", argument,
                     features_exist ? (int)strlen(first + 1) : (int)(first - argument),
                     features_exist ? first + 1 : argument);
}

static void free_list(path_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (path_list){0};
}

void dataset_paths_free(dataset_paths *paths)
{
    free_list(&paths->features);
    free_list(&paths->labels);
}
