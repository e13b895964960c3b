#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGNMENT = 64, SMALLEST_BLOCK = 1 << 20 };

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    unsigned char *bytes;
};

void *memory_array(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX - ALIGNMENT)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return aligned_alloc(ALIGNMENT, bytes ? bytes : ALIGNMENT);
}

void *memory_zeroed(size_t count, size_t size)
{
    void *block = memory_array(count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

size_t memory_of_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}

bool memory_grow(void *block_pointer, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return true;
    size_t wanted = *capacity + *capacity / 2 + 16, bytes;
    if (wanted < count)
        wanted = count;
    if (__builtin_mul_overflow(wanted, size, &bytes) || bytes > PTRDIFF_MAX)
        return false;
    void *old, *grown;
    memcpy(&old, block_pointer, sizeof old);
    if (!(grown = realloc(old, bytes)))
        return false;
    memcpy(block_pointer, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

void *arena_array(arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX - ALIGNMENT)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *block = a->current;
    while (block && block->size - block->used < bytes)
        block = block->next;
    if (!block) {
        size_t block_size = bytes > SMALLEST_BLOCK ? bytes : SMALLEST_BLOCK;
        if (!(block = malloc(sizeof *block)))
            return NULL;
        *block = (struct arena_block){.size = block_size, .bytes = memory_array(block_size, 1)};
        if (!block->bytes) {
            free(block);
            return NULL;
        }
        struct arena_block **tail = &a->blocks;
        while (*tail)
            tail = &(*tail)->next;
        *tail = block;
    }
    a->current = block;
    void *result = block->bytes + block->used;
    block->used += bytes;
    return result;
}

void *arena_zeroed(arena *a, size_t count, size_t size)
{
    void *block = arena_array(a, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void arena_free(arena *a)
{
    for (struct arena_block *block = a->blocks, *next; block; block = next) {
        next = block->next;
        free(block->bytes);
        free(block);
    }
    *a = (arena){0};
}

/* Several blocks become one with some room to spare: the next use may want other sizes, and blocks that fit none of
 * them would only add up. */
void arena_reset(arena *a)
{
    size_t used = 0;
    for (struct arena_block *block = a->blocks; block; block = block->next) {
        used += block->used;
        block->used = 0;
    }
    a->current = a->blocks;
    if (!a->blocks || !a->blocks->next)
        return;
    arena_free(a);
    if (arena_array(a, used + used / 8, 1)) /* if not now, then when it is needed */
        a->blocks->used = 0;
}

size_t arena_bytes(const arena *a)
{
    size_t bytes = 0;
    for (const struct arena_block *block = a->blocks; block; block = block->next)
        bytes += block->size;
    return bytes;
}
