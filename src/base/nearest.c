/* nearest.c - names compared as people mean them, and by edit distance. */
#include "base/nearest.h"

#include <string.h>

#include "base/text.h"

/* Small letters of the Latin, Greek and Cyrillic alphabets, whatever the locale. */
static uint32_t small_letter(uint32_t c)
{
    if ((c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9) ||
        (c >= 0x410 && c <= 0x42F))
        return c + 32;
    if (c >= 0x100 && c <= 0x137)
        return c | 1;
    return c >= 0x400 && c <= 0x40F ? c + 80 : c;
}

static bool is_passed_over(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '-' || c == '_' || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) ||
           c == 0x3000 || c == 0xFEFF;
}

plain_name nearest_plain(const char *text)
{
    plain_name name;
    name.count = 0;
    name.cut = false;
    for (const char *end = text + strlen(text); text < end && !name.cut;) {
        uint32_t character;
        size_t bytes = text_decode(text, end, &character);
        if (!bytes) { /* what is not UTF-8 stands for itself */
            bytes = 1;
            character = (unsigned char)*text;
        }
        text += bytes;
        if (is_passed_over(character))
            continue;
        if (name.count == sizeof name.characters / sizeof *name.characters)
            name.cut = true;
        else
            name.characters[name.count++] = small_letter(character);
    }
    return name;
}

bool nearest_equal(const plain_name *a, const plain_name *b)
{
    return a->count == b->count && a->count > 0 && !a->cut && !b->cut &&
           memcmp(a->characters, b->characters, a->count * sizeof *a->characters) == 0;
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

bool nearest_is_slip(const plain_name *a, const plain_name *b)
{
    if (a->count < b->count)
        return nearest_is_slip(b, a);
    if (b->count < 5 || a->count - b->count > 1 || a->cut || b->cut)
        return false;
    size_t same = 0;
    while (same < b->count && a->characters[same] == b->characters[same])
        same++;
    if (same == a->count || is_digit(a->characters[same]))
        return false;
    size_t replaced = a->count == b->count; /* else a has one character more */
    if (replaced && is_digit(b->characters[same]))
        return false;
    return memcmp(a->characters + same + 1, b->characters + same + replaced,
                  (a->count - same - 1) * sizeof *a->characters) == 0;
}

size_t nearest_distance(const plain_name *a, const plain_name *b, size_t limit)
{
    size_t difference = a->count > b->count ? a->count - b->count : b->count - a->count;
    if (difference > limit || a->cut || b->cut)
        return limit + 1;
    size_t line[sizeof b->characters / sizeof *b->characters + 1];
    for (size_t j = 0; j <= b->count; j++)
        line[j] = j;
    for (size_t i = 1; i <= a->count; i++) {
        size_t diagonal = line[0], smallest = i;
        line[0] = i;
        for (size_t j = 1; j <= b->count; j++) {
            size_t best = diagonal + (a->characters[i - 1] != b->characters[j - 1]);
            diagonal = line[j];
            if (line[j] + 1 < best)
                best = line[j] + 1;
            if (line[j - 1] + 1 < best)
                best = line[j - 1] + 1;
            line[j] = best;
            if (best < smallest)
                smallest = best;
        }
        if (smallest > limit)
            return limit + 1;
    }
    return line[b->count] <= limit ? line[b->count] : limit + 1;
}

size_t nearest_find(const plain_name *wanted, const plain_name *names, size_t count, size_t found[NEAREST_COUNT])
{
    size_t distances[NEAREST_COUNT], filled = 0;
    for (size_t i = 0; i < count; i++) {
        size_t longer = names[i].count > wanted->count ? names[i].count : wanted->count, limit = longer / 2;
        if (filled == NEAREST_COUNT && distances[filled - 1] <= limit) {
            if (distances[filled - 1] == 0)
                break;
            limit = distances[filled - 1] - 1;
        }
        size_t distance = nearest_distance(wanted, &names[i], limit);
        if (distance > limit)
            continue;
        size_t place = filled < NEAREST_COUNT ? filled++ : NEAREST_COUNT - 1;
        for (; place > 0 && distances[place - 1] > distance; place--) {
            distances[place] = distances[place - 1];
            found[place] = found[place - 1];
        }
        distances[place] = distance;
        found[place] = i;
    }
    return filled;
}

const char *nearest_name(const char *wanted, const char *(*name_at)(size_t index))
{
    plain_name plain = nearest_plain(wanted);
    const char *nearest = NULL, *name;
    size_t least = SIZE_MAX;
    for (size_t i = 0; (name = name_at(i)); i++) {
        plain_name other = nearest_plain(name);
        size_t limit = (other.count > plain.count ? other.count : plain.count) / 2;
        size_t distance = nearest_distance(&plain, &other, limit);
        if (distance <= limit && distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}
