/* text.h - characters of names that people wrote, as UTF-8. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that the first character of [begin, end) takes, 0 when they are not valid UTF-8 (or there are none). */
size_t text_decode(const char *begin, const char *end, uint32_t *character);
/* Writes a character as UTF-8 and returns its bytes; 0 for what is no character (surrogates, beyond U+10FFFF). */
size_t text_encode(uint32_t character, char bytes[4]);

/* Valid UTF-8 without a zero byte. */
bool text_is_utf8(const char *text, size_t length);

#endif
