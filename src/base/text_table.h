/* text_table.h - distinct texts, numbered in the order they are met; finding one takes constant time.
 *
 *     text_table table = {0};
 *     size_t index = text_table_add(&table, "cat", 3);        TEXT_NONE when memory is out
 *     text_table_free(&table);
 */
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_NONE SIZE_MAX

typedef struct text_table {
    char **texts; /* `count` texts, owned; each ends with a zero */
    uint64_t *hashes;
    size_t *slots; /* open addressing: a text's index + 1, or 0 */
    size_t count, text_capacity, hash_capacity, slot_count;
} text_table;

/* The number of the text, TEXT_NONE when it is not there. */
size_t text_table_find(const text_table *table, const char *text, size_t length);
/* The number of the text, which is copied when it is new. TEXT_NONE when memory is out: the table is as before. */
size_t text_table_add(text_table *table, const char *text, size_t length);
/* Forgets every text from number `count` on. */
void text_table_truncate(text_table *table, size_t count);
void text_table_free(text_table *table);

#endif
