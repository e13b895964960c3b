/* lookup.h - operators that replace each value of a channel by another, found by looking at all of them. */
#ifndef AUGMENT_LOOKUP_H
#define AUGMENT_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

enum { LOOKUP_VALUES = 256 };

/* How often each value occurs. */
void lookup_count(const unsigned char *in, size_t count, uint64_t histogram[LOOKUP_VALUES]);
void lookup_map(const unsigned char *in, size_t count, const unsigned char table[LOOKUP_VALUES], unsigned char *out);

#endif
