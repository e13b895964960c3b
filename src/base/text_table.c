/* text_table.c - open addressing over texts that keep their number; truncation places what is left anew. */
#include "base/text_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* The slot that holds the text, or the empty one where it belongs. */
static size_t slot_of(const text_table *table, const char *text, size_t length, uint64_t hash)
{
    size_t mask = table->slot_count - 1, slot = (size_t)hash & mask;
    for (; table->slots[slot]; slot = (slot + 1) & mask) {
        size_t index = table->slots[slot] - 1;
        if (table->hashes[index] == hash && strlen(table->texts[index]) == length &&
            memcmp(table->texts[index], text, length) == 0)
            break;
    }
    return slot;
}

static void place_all(text_table *table)
{
    size_t mask = table->slot_count - 1;
    for (size_t index = 0; index < table->count; index++) {
        size_t slot = (size_t)table->hashes[index] & mask;
        while (table->slots[slot])
            slot = (slot + 1) & mask;
        table->slots[slot] = index + 1;
    }
}

/* Room for one more text, the slots at most half full. */
static bool make_room(text_table *table)
{
    if (!memory_grow(&table->texts, &table->text_capacity, table->count + 1, sizeof *table->texts) ||
        !memory_grow(&table->hashes, &table->hash_capacity, table->count + 1, sizeof *table->hashes))
        return false;
    if (2 * (table->count + 1) <= table->slot_count)
        return true;
    size_t wanted = table->slot_count ? 2 * table->slot_count : 64;
    size_t *slots = memory_zeroed(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    place_all(table);
    return true;
}

size_t text_table_find(const text_table *table, const char *text, size_t length)
{
    if (!table->slot_count)
        return TEXT_NONE;
    size_t found = table->slots[slot_of(table, text, length, hash_bytes(text, length))];
    return found ? found - 1 : TEXT_NONE;
}

size_t text_table_add(text_table *table, const char *text, size_t length)
{
    size_t index = text_table_find(table, text, length);
    if (index != TEXT_NONE || !make_room(table))
        return index;
    char *copy = malloc(length + 1);
    if (!copy)
        return TEXT_NONE;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    uint64_t hash = hash_bytes(text, length);
    index = table->count++;
    table->texts[index] = copy;
    table->hashes[index] = hash;
    table->slots[slot_of(table, copy, length, hash)] = index + 1;
    return index;
}

void text_table_truncate(text_table *table, size_t count)
{
    if (count >= table->count)
        return;
    while (table->count > count)
        free(table->texts[--table->count]);
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    place_all(table);
}

void text_table_free(text_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->texts[i]);
    free(table->texts);
    free(table->hashes);
    free(table->slots);
    *table = (text_table){0};
}
