/* memory.h - allocations whose size comes from input, and the arena that serves one worker.
 *
 *     arena scratch = {0};
 *     double *sums = arena_array(&scratch, classes * 8, sizeof *sums);   NULL when memory is out
 *     arena_reset(&scratch);                                             keeps the blocks for the next source
 *     arena_free(&scratch);
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* count * size bytes, 64-byte aligned, not cleared; NULL when that overflows or memory is out. Free with free().
 * A zero size gives a valid pointer. */
void *memory_array(size_t count, size_t size) __attribute__((malloc));
void *memory_zeroed(size_t count, size_t size) __attribute__((malloc));
/* Resizes *block to hold at least `count` elements, growing geometrically; false leaves it as it was. */
bool memory_grow(void *block_pointer, size_t *capacity, size_t count, size_t size);

/* Bytes of the whole machine; 0 when the system does not tell. */
size_t memory_of_machine(void);

typedef struct arena {
    struct arena_block *blocks; /* first block */
    struct arena_block *current;
} arena;

void *arena_array(arena *a, size_t count, size_t size) __attribute__((malloc));
void *arena_zeroed(arena *a, size_t count, size_t size) __attribute__((malloc));
/* Everything handed out is gone; the memory is kept for the next use. */
void arena_reset(arena *a);
void arena_free(arena *a);
size_t arena_bytes(const arena *a); /* that it holds, used or not */

#endif
