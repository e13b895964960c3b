/* held_out.h - which rows are kept out of training to choose the epoch by. They are rows of the training data itself,
 * never of those that score a model. */
#ifndef NN_HELD_OUT_H
#define NN_HELD_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

/* Puts the numbers 0..count-1 into `rows`: first those to train on, in order, then those held out; returns how many are
 * trained on. A share of every class is held out, but never the whole class. */
size_t held_out_split(const int32_t *classes, size_t count, size_t class_count, double share, random_stream stream,
                      size_t *rows, size_t *scratch);

#endif
