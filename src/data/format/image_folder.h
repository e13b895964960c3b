/* image_folder.h - a folder of images as a table: CLASS/IMAGE, each class a folder; rows in byte order of class, then
 * file. Pixels are bytes by channel, row, column, as CIFAR has them. */
#ifndef DATA_FORMAT_IMAGE_FOLDER_H
#define DATA_FORMAT_IMAGE_FOLDER_H

#include "data/format/format.h"

/* Whether the folder holds folders or images, rather than the parts of a dataset. Fails for an empty one. */
GBV_MUST_CHECK gbv_status image_folder_recognise(const char *path, bool *images, gbv_error *error);

/* Images directly in the folder have no class: that is an error unless labels are not needed and there are no class
 * folders. What is broken or no image is a bad row. `sha256` is that of the lines "<sha256>  <relative path>\n" of all
 * files, in order. */
GBV_MUST_CHECK gbv_status image_folder_read(const table_request *request, table *out, char sha256[65],
                                            gbv_error *error);

#endif
