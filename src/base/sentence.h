/* sentence.h - a message put together piece by piece, cut short rather than overrun.
 *
 *     sentence s = {0};
 *     sentence_add(&s, "source ");
 *     sentence_quote(&s, name);
 */
#ifndef BASE_SENTENCE_H
#define BASE_SENTENCE_H

#include <stddef.h>

typedef struct sentence {
    char text[1000]; /* fits a gbv_error */
    size_t length;
} sentence;

void sentence_add(sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text in single quotes, its control characters as '?', cut after some 60 bytes between two characters. */
void sentence_quote(sentence *s, const char *text);

#endif
