#include "data/format/inflate.h"

#include <limits.h>
#include <stdlib.h>

#include "base/error.h"

enum { FIRST_CAPACITY = 1 << 14 };

gbv_status inflater_open(inflater *in, const unsigned char *bytes, size_t size, inflate_kind kind, const char *name,
                         gbv_error *error)
{
    *in = (inflater){.name = name, .kind = kind, .input = bytes, .input_size = size, .input_total = size};
    /* zlib's codes: a negative window is raw deflate, 16 more is gzip with its checksum. */
    if (inflateInit2(&in->stream, kind == INFLATE_RAW ? -MAX_WBITS : MAX_WBITS + 16) != Z_OK)
        return error_out_of_memory(error, "unpacking");
    return GBV_OK;
}

static size_t input_offset(const inflater *in)
{
    return in->input_total - in->input_size - in->stream.avail_in;
}

static bool make_room(inflater *in, size_t wanted)
{
    size_t capacity = in->capacity ? in->capacity * 2 : FIRST_CAPACITY;
    if (capacity > wanted || capacity < in->capacity)
        capacity = wanted;
    unsigned char *grown = realloc(in->bytes, capacity);
    if (!grown)
        return false;
    in->bytes = grown;
    in->capacity = capacity;
    return true;
}

static void feed(inflater *in)
{
    if (in->stream.avail_in == 0 && in->input_size) {
        uInt part = in->input_size > INT_MAX ? INT_MAX : (uInt)in->input_size;
        in->stream.next_in = (Bytef *)in->input; /* zlib does not write to its input */
        in->stream.avail_in = part;
        in->input += part;
        in->input_size -= part;
    }
}

/* A compressed stream has ended: what follows must be another gzip member, padding or nothing. */
static gbv_status end_member(inflater *in, gbv_error *error)
{
    feed(in);
    size_t offset = input_offset(in);
    if (in->kind == INFLATE_GZIP && in->stream.avail_in && in->stream.next_in[0] == 0x1F)
        return inflateReset(&in->stream) == Z_OK ? GBV_OK : error_out_of_memory(error, "unpacking");
    in->ended = true;
    for (; in->stream.avail_in; feed(in)) {
        if (in->kind == INFLATE_RAW || *in->stream.next_in != 0)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: has other bytes behind its compressed data, which end %zu bytes in: write it again",
                             in->name, offset);
        in->stream.next_in++;
        in->stream.avail_in--;
    }
    return GBV_OK;
}

gbv_status inflater_advance(inflater *in, size_t wanted, gbv_error *error)
{
    while (!in->ended && in->size < wanted) {
        if (in->size == in->capacity && !make_room(in, wanted))
            return error_out_of_memory(error, "unpacked data");
        feed(in);
        size_t room = in->capacity - in->size;
        uInt part = room > INT_MAX ? INT_MAX : (uInt)room;
        in->stream.next_out = in->bytes + in->size;
        in->stream.avail_out = part;
        int result = inflate(&in->stream, Z_NO_FLUSH);
        in->size += part - in->stream.avail_out;
        if (result == Z_STREAM_END) {
            gbv_status status = end_member(in, error);
            if (status != GBV_OK)
                return status;
        } else if (result == Z_MEM_ERROR) {
            return error_out_of_memory(error, "unpacking");
        } else if (result == Z_BUF_ERROR ||
                   (result == Z_OK && !in->stream.avail_in && !in->input_size && in->stream.avail_out)) {
            return error_set(error, GBV_BAD_INPUT,
                             "%s: its compressed data are truncated: they stop after %zu bytes, which unpack to %zu: "
                             "copy the file again",
                             in->name, in->input_total, in->size);
        } else if (result != Z_OK) {
            return error_set(error, GBV_BAD_INPUT,
                             "%s: its compressed data are damaged about %zu bytes in (%s): copy the file again",
                             in->name, input_offset(in), in->stream.msg ? in->stream.msg : "no deflate stream");
        }
    }
    return GBV_OK;
}

void *inflater_take(inflater *in)
{
    void *bytes = in->bytes;
    in->bytes = NULL;
    in->size = in->capacity = 0;
    return bytes;
}

void inflater_close(inflater *in)
{
    inflateEnd(&in->stream);
    free(in->bytes);
    in->bytes = NULL;
}
