/* label_classes.h - labels and source names as files give them become sorted classes and numbered sources. */
#ifndef DATA_LABEL_CLASSES_H
#define DATA_LABEL_CLASSES_H

#include "data/format/format.h"

/* A whole number of 64 bits as decimal text, and its end. */
enum { INTEGER_TEXT = 24 };

/* False when the value of the row cannot be used; then `why` says what is wrong ("has the label 0.5, ..."). */
bool value_is_usable(const value_column *column, size_t row, const char *what, char *why, size_t why_size);

/* The value of a usable row as text, numbers in decimal (in the buffer). */
const char *value_text(const value_column *column, size_t row, char decimal[INTEGER_TEXT]);
/* Which kind of labels the values of the rows would be; LABELS_NONE when there are none. */
label_kind value_column_kind(const value_column *column, size_t rows);

/* Fills kind, labels and classes of a dataset whose usable rows are known. Every usable row has a usable label. */
GBV_MUST_CHECK gbv_status dataset_set_classes(gbv_dataset *dataset, const value_column *column, gbv_error *error);
/* Fills row_source and the source names, in the order met. */
GBV_MUST_CHECK gbv_status dataset_set_sources(gbv_dataset *dataset, const value_column *column, gbv_error *error);
/* Fills the item names of the usable rows; `rows` counts all. */
GBV_MUST_CHECK gbv_status dataset_set_items(gbv_dataset *dataset, const value_column *column, size_t rows,
                                            gbv_error *error);

#endif
