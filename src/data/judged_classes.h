/* judged_classes.h - the labels of rows that judge a model, as the model's classes.
 *
 *     judged_classes(test, model->class_names, model->outputs, "the model", class_of_label, error);
 */
#ifndef DATA_JUDGED_CLASSES_H
#define DATA_JUDGED_CLASSES_H

#include "data/dataset.h"

/* For each class of the dataset the place of its name among `names`, -1 for one that is not there: its rows cannot be
 * predicted right. A slip in its name, or numbers where the classes have names, would make that a lie: those are
 * GBV_BAD_INPUT. `owner` says in words whose classes they are. */
GBV_MUST_CHECK gbv_status judged_classes(const gbv_dataset *dataset, char *const *names, size_t count,
                                         const char *owner, int32_t *class_of_label, gbv_error *error);

#endif
