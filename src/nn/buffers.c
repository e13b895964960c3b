#include "nn/buffers.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

enum { ALIGNMENT = 64 };

size_t buffers_add(buffers *b, size_t bytes, size_t begin, size_t end)
{
    if (bytes > SIZE_MAX / 4 || !memory_grow(&b->items, &b->capacity, b->count + 1, sizeof *b->items)) {
        b->failed = true;
        return 0;
    }
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    b->items[b->count] = (buffer){.bytes = bytes, .begin = begin, .end = end};
    return b->count++;
}

void buffers_use(buffers *b, size_t index, size_t time)
{
    if (b->failed)
        return;
    buffer *item = &b->items[index];
    if (time < item->begin)
        item->begin = time;
    if (time > item->end)
        item->end = time;
}

static int larger_first(const void *left, const void *right)
{
    const buffer *a = *(buffer *const *)left, *b = *(buffer *const *)right;
    return a->bytes != b->bytes ? (a->bytes < b->bytes) - (a->bytes > b->bytes) : (a > b) - (a < b);
}

/* The lowest place where the buffer is in nobody's way. Moving past one that is may run into an earlier one again. */
static size_t lowest_place(const buffer *item, buffer *const *placed, size_t placed_count)
{
    size_t offset = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < placed_count; i++) {
            const buffer *other = placed[i];
            bool meet = other->begin <= item->end && item->begin <= other->end;
            if (meet && other->offset < offset + item->bytes && offset < other->offset + other->bytes) {
                offset = other->offset + other->bytes;
                moved = true;
            }
        }
    }
    return offset;
}

bool buffers_place(buffers *b)
{
    buffer **order = memory_array(b->count, sizeof *order);
    if (!order)
        b->failed = true;
    for (size_t i = 0; i < b->count && !b->failed; i++)
        order[i] = &b->items[i];
    if (!b->failed)
        qsort(order, b->count, sizeof *order, larger_first);
    for (size_t i = 0; i < b->count && !b->failed; i++) {
        size_t end;
        order[i]->offset = lowest_place(order[i], order, i);
        if (__builtin_add_overflow(order[i]->offset, order[i]->bytes, &end) || end > SIZE_MAX / 4)
            b->failed = true;
        else if (end > b->bytes)
            b->bytes = end;
    }
    free(order);
    return !b->failed;
}

void buffers_free(buffers *b)
{
    free(b->items);
    *b = (buffers){0};
}
