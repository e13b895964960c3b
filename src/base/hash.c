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

bool hash_sha256(const void *bytes, size_t count, char hexadecimal[65])
{
    unsigned char digest[32];
    hexadecimal[0] = '\0';
    if (EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) != 1)
        return false;
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hexadecimal + 2 * i, 3, "%02x", digest[i]);
    return true;
}
