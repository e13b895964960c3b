/* feature_names.h - features of two files go together by their place; their names, where both have some, tell when that
 * is a mistake. */
#ifndef DATA_FEATURE_NAMES_H
#define DATA_FEATURE_NAMES_H

#include "data/dataset.h"

/* A name per feature, or NULL; of a view those of the dataset it shows. */
char *const *dataset_feature_names(const gbv_dataset *dataset);

typedef struct feature_difference {
    bool any;     /* some name differs */
    bool moved;   /* one of those stands in another place: the columns are in another order */
    size_t first; /* the first place where they differ */
} feature_difference;

/* Without names on both sides nothing differs. Fails when memory is out. */
GBV_MUST_CHECK gbv_status feature_names_compare(char *const *names, char *const *wanted, size_t count,
                                                feature_difference *difference, gbv_error *error);

#endif
