/* hash.h - fingerprints: SHA-256 of inputs for the record, a quick 64-bit one for tables and random streams. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t count);
/* Of numbers by their values: 0 and -0 are the same. */
uint64_t hash_numbers(const double *numbers, size_t count);
uint64_t hash_text(const char *text);
/* 64 hexadecimal digits and a terminating zero; false when the system's library refuses. */
bool hash_sha256(const void *bytes, size_t count, char hexadecimal[65]);

/* The same of bytes that come piece by piece: open, add ..., close. */
typedef struct hash_stream {
    void *state; /* NULL once anything failed */
} hash_stream;

hash_stream hash_open(void);
void hash_add(hash_stream *stream, const void *bytes, size_t count);
bool hash_close(hash_stream *stream, char hexadecimal[65]);

#endif
