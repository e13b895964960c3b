#include "base/hash.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

static uint64_t mixed(uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 32;
}

/* FNV-1a with a final mix, because Philox's counter wants well spread upper bits. */
uint64_t hash_bytes(const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * 0x100000001B3u;
    return mixed(hash);
}

/* A double at a time. Small whole numbers differ in their upper bits only, which a product would never bring down. */
uint64_t hash_numbers(const double *numbers, size_t count)
{
    uint64_t hash = 0xCBF29CE484222325u ^ count;
    for (size_t i = 0; i < count; i++) {
        double number = numbers[i] + 0.; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
        hash = hash << 31 | hash >> 33;
    }
    return mixed(hash);
}

uint64_t hash_text(const char *text)
{
    return hash_bytes(text, strlen(text));
}

static void write_digits(const unsigned char digest[32], char hexadecimal[65])
{
    for (size_t i = 0; i < 32; i++)
        snprintf(hexadecimal + 2 * i, 3, "%02x", digest[i]);
}

bool hash_sha256(const void *bytes, size_t count, char hexadecimal[65])
{
    unsigned char digest[32];
    hexadecimal[0] = '\0';
    if (EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) != 1)
        return false;
    write_digits(digest, hexadecimal);
    return true;
}

static void give_up(hash_stream *stream)
{
    EVP_MD_CTX_free(stream->state);
    stream->state = NULL;
}

hash_stream hash_open(void)
{
    hash_stream stream = {EVP_MD_CTX_new()};
    if (stream.state && EVP_DigestInit_ex(stream.state, EVP_sha256(), NULL) != 1)
        give_up(&stream);
    return stream;
}

void hash_add(hash_stream *stream, const void *bytes, size_t count)
{
    if (stream->state && EVP_DigestUpdate(stream->state, bytes, count) != 1)
        give_up(stream);
}

bool hash_close(hash_stream *stream, char hexadecimal[65])
{
    unsigned char digest[32];
    hexadecimal[0] = '\0';
    bool good = stream->state && EVP_DigestFinal_ex(stream->state, digest, NULL) == 1;
    give_up(stream);
    if (good)
        write_digits(digest, hexadecimal);
    return good;
}
