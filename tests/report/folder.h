/* folder.h - a folder that all tests of a program write into, as set-up and tear-down of their group. */
#ifndef TESTS_REPORT_FOLDER_H
#define TESTS_REPORT_FOLDER_H

#include "test_support.h"

static char *folder;

static inline int make_folder(void **state)
{
    (void)state;
    folder = test_folder_create();
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

#endif
