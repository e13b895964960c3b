/* buffers.h - places in one block of memory for buffers that are not all needed at the same time: two share bytes only
 * when their times do not overlap.
 *
 *     buffers b = {0};
 *     size_t activation = buffers_add(&b, bytes, 3, 8);      written at time 3, last read at time 8
 *     buffers_use(&b, activation, 11);                       and at time 11, too
 *     buffers_place(&b);
 *     char *memory = memory_array(b.bytes, 1), *at = memory + b.items[activation].offset;
 */
#ifndef NN_BUFFERS_H
#define NN_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct buffer {
    size_t bytes, begin, end; /* times, both included */
    size_t offset;
} buffer;

typedef struct buffers {
    buffer *items;
    size_t count, capacity;
    size_t bytes; /* of all, once they are placed */
    bool failed;  /* memory was out, or a size overflowed */
} buffers;

size_t buffers_add(buffers *b, size_t bytes, size_t begin, size_t end);
void buffers_use(buffers *b, size_t index, size_t time);
/* False when any of this failed. Offsets are multiples of 64. */
bool buffers_place(buffers *b);
void buffers_free(buffers *b);

#endif
