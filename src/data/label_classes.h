/* label_classes.h - labels and source names as files give them become sorted classes and numbered sources. */
#ifndef DATA_LABEL_CLASSES_H
#define DATA_LABEL_CLASSES_H

#include "data/format/format.h"

/* False when the value of the row cannot be used; then `why` says what is wrong ("has the label 0.5, ..."). */
bool value_is_usable(const value_column *column, size_t row, const char *what, char *why, size_t why_size);

/* Fills kind, labels and classes of a dataset whose usable rows are known. Every usable row has a usable label. */
GBV_MUST_CHECK gbv_status dataset_set_classes(gbv_dataset *dataset, const value_column *column, gbv_error *error);
/* Fills row_source and the source names, in the order met. */
GBV_MUST_CHECK gbv_status dataset_set_sources(gbv_dataset *dataset, const value_column *column, gbv_error *error);
/* Fills the item names of the usable rows; `rows` counts all. */
GBV_MUST_CHECK gbv_status dataset_set_items(gbv_dataset *dataset, const value_column *column, size_t rows,
                                            gbv_error *error);

#endif
