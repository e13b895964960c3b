/* checkpoint_folder.h - a folder for the checkpoint of a training, and real images to train on, for a group of tests.
 */
#ifndef TESTS_NN_CHECKPOINT_FOLDER_H
#define TESTS_NN_CHECKPOINT_FOLDER_H

#include "image_support.h"

static gbv_dataset *fashion;
static char *folder, path[600];

static int open_folder(void **state)
{
    (void)state;
    folder = test_folder_create();
    snprintf(path, sizeof path, "%s/run.checkpoint", folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    gbv_dataset_free(fashion);
    return 0;
}

static images some_images(size_t count)
{
    if (!fashion)
        fashion = fashion_read();
    return images_of(fashion, 0, count, 3);
}

#endif
