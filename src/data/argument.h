/* argument.h - the files that a dataset argument names: PATH or FEATURES,LABELS, where either may be a pattern or a
 * folder whose entries are the parts of one dataset.
 *
 *     dataset_paths paths;
 *     status = dataset_paths_find("images_*.npy,labels_*.npy", &paths, error);
 *     dataset_paths_free(&paths);
 */
#ifndef DATA_ARGUMENT_H
#define DATA_ARGUMENT_H

#include <stddef.h>

#include <gbv/status.h>

typedef struct path_list {
    char **items;
    size_t count, capacity;
} path_list;

typedef struct dataset_paths {
    path_list features; /* a file or image folder per part; what a pattern or folder gave is in byte order */
    path_list labels;   /* as many, or none when the features' files hold the labels */
} dataset_paths;

/* Fails when a pattern or folder holds nothing, the numbers of parts differ, or a name is not valid UTF-8. That a file
 * can be opened is not checked. Freed with dataset_paths_free, also after a failure. */
GBV_MUST_CHECK gbv_status dataset_paths_find(const char *argument, dataset_paths *paths, gbv_error *error);
void dataset_paths_free(dataset_paths *paths);

#endif
