/* nearest.h - which known name did a misspelt one mean? Names are compared by character, not by byte. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name as people mean it: small letters, no blanks, no '-' and no '_'. */
typedef struct plain_name {
    uint32_t characters[128];
    size_t count; /* a longer name is cut: it is far from every other name */
    bool cut;
} plain_name;

plain_name nearest_plain(const char *text);

/* The same name but for case, blanks, '-' and '_'. Names made of nothing else are equal to none. */
bool nearest_equal(const plain_name *a, const plain_name *b);
/* One slip apart: at least five characters each, one character more, less or other, and that character no digit
 * ("item1" and "item2" are two things). */
bool nearest_is_slip(const plain_name *a, const plain_name *b);
/* Characters to insert, delete or replace; anything above `limit` is reported as limit + 1. */
size_t nearest_distance(const plain_name *a, const plain_name *b, size_t limit);

enum { NEAREST_COUNT = 3 };
/* Up to NEAREST_COUNT names of the list that come nearest, nearest first, equally near ones in the list's order. Names
 * that share less than half their characters with the wanted one are left out. Returns how many. */
size_t nearest_find(const plain_name *wanted, const plain_name *names, size_t count, size_t found[NEAREST_COUNT]);

/* The nearest of the names that `name_at` lists, by their index until NULL; NULL when none is near. */
const char *nearest_name(const char *wanted, const char *(*name_at)(size_t index));

#endif
