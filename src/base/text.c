#include "base/text.h"

size_t text_decode(const char *begin, const char *end, uint32_t *character)
{
    if (begin >= end)
        return 0;
    const unsigned char *bytes = (const unsigned char *)begin;
    if (bytes[0] < 0x80)
        return *character = bytes[0], 1;
    size_t length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
    if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || (size_t)(end - begin) < length)
        return 0;
    uint32_t value = bytes[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    *character = value;
    return length;
}

size_t text_encode(uint32_t character, char bytes[4])
{
    if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
        return 0;
    if (character < 0x80)
        return bytes[0] = (char)character, 1;
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length; i-- > 1; character >>= 6)
        bytes[i] = (char)(0x80 | (character & 0x3F));
    bytes[0] = (char)(lead[length] | character);
    return length;
}

bool text_is_utf8(const char *text, size_t length)
{
    const char *end = text + length;
    uint32_t character;
    for (size_t step; text < end; text += step)
        if (!(step = text_decode(text, end, &character)) || !character)
            return false;
    return true;
}
