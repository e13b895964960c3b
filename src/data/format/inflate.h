/* inflate.h - deflated bytes, unpacked as far as they are asked for. Memory follows what has really come out, never
 * what a header claims, so that a small damaged file cannot ask for gigabytes.
 *
 *     inflater in;
 *     status = inflater_open(&in, bytes, size, INFLATE_GZIP, "a.gz", error);
 *     status = inflater_advance(&in, 4, error);          in.bytes holds at least 4 bytes, or in.ended is set
 *     void *all = inflater_take(&in);                    the caller frees it
 *     inflater_close(&in);
 */
#ifndef DATA_FORMAT_INFLATE_H
#define DATA_FORMAT_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include <zlib.h>

#include <gbv/status.h>

/* Deflate makes at most 1032 bytes of one. */
enum { INFLATE_RATIO = 1032 };

typedef enum inflate_kind { INFLATE_RAW, INFLATE_GZIP } inflate_kind;

typedef struct inflater {
    const char *name; /* for messages */
    inflate_kind kind;
    z_stream stream;
    const unsigned char *input; /* not yet given to zlib */
    size_t input_size, input_total;
    unsigned char *bytes; /* what has come out */
    size_t size, capacity;
    bool ended; /* nothing more comes */
} inflater;

GBV_MUST_CHECK gbv_status inflater_open(inflater *in, const unsigned char *bytes, size_t size, inflate_kind kind,
                                        const char *name, gbv_error *error);
/* Unpacks until `wanted` bytes are there or the data end. Fails on damaged or truncated data, and on anything behind
 * the end; gzip members that follow one another are one, and zeros behind them are padding. */
GBV_MUST_CHECK gbv_status inflater_advance(inflater *in, size_t wanted, gbv_error *error);
void *inflater_take(inflater *in);
void inflater_close(inflater *in);

#endif
