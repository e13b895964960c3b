/* select.h - the largest of many numbers, without sorting them all. */
#ifndef BASE_SELECT_H
#define BASE_SELECT_H

#include <stddef.h>

/* Moves the values about so that the `wanted` (1..count) largest come first, in any order but for the last of these,
 * which is the least of them. */
void select_largest(double *values, size_t count, size_t wanted);

#endif
