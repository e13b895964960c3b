/* held_out.h - which rows are kept out of training to choose the epoch by. They are rows of the training data itself,
 * never of those that score a model. */
#ifndef NN_HELD_OUT_H
#define NN_HELD_OUT_H

#include <stdint.h>

#include "base/memory.h"
#include "base/random.h"

/* Puts the numbers 0..count-1 into `rows`: first the *trained to train on, then those held out, both in order. About
 * the share of every class is held out, but never the whole class. False when memory is out. */
bool held_out_split(const int32_t *classes, size_t count, size_t class_count, double share, random_stream stream,
                    arena *scratch, size_t *rows, size_t *trained);

#endif
