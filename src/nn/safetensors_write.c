/* safetensors_write.c - leaves what PyTorch and others can read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "nn/safetensors.h"

enum { ALIGNMENT = 8 };

static size_t tensor_count_of(const tensor *t)
{
    size_t count = 1;
    for (size_t i = 0; i < t->axes; i++)
        count *= t->shape[i];
    return count;
}

static void write_header(FILE *stream, const tensor *tensors, size_t tensor_count, const metadata *texts,
                         size_t text_count)
{
    json_writer json = json_open(stream);
    size_t offset = 0;
    json.compact = true;
    json_begin_object(&json, NULL);
    json_begin_object(&json, "__metadata__");
    for (size_t i = 0; i < text_count; i++)
        json_text(&json, texts[i].key, texts[i].value);
    json_end(&json);
    for (size_t i = 0; i < tensor_count; i++) {
        const tensor *t = &tensors[i];
        json_begin_object(&json, t->name);
        json_text(&json, "dtype", t->floats ? "F32" : "F64");
        json_begin_array(&json, "shape");
        for (size_t axis = 0; axis < t->axes; axis++)
            json_count(&json, NULL, t->shape[axis]);
        json_end(&json);
        json_begin_array(&json, "data_offsets");
        json_count(&json, NULL, offset);
        json_count(&json, NULL, offset += tensor_count_of(t) * (t->floats ? sizeof(float) : sizeof(double)));
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
}

static void write_little_endian(FILE *stream, uint64_t bits, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    fwrite(bytes, 1, size, stream);
}

static void write_numbers(FILE *stream, const tensor *t)
{
    size_t count = tensor_count_of(t);
    const void *numbers = t->floats ? (const void *)t->floats : t->doubles;
    if (!t->transposed && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        fwrite(numbers, t->floats ? sizeof(float) : sizeof(double), count, stream);
        return;
    }
    size_t columns = t->transposed ? t->shape[1] : count;
    for (size_t i = 0; i < count; i++) {
        size_t from = t->transposed ? i % columns * t->shape[0] + i / columns : i;
        uint64_t whole = 0;
        uint32_t word = 0;
        if (t->floats)
            memcpy(&word, &t->floats[from], sizeof word);
        else
            memcpy(&whole, &t->doubles[from], sizeof whole);
        write_little_endian(stream, t->floats ? word : whole, t->floats ? sizeof word : sizeof whole);
    }
}

/* The header is written twice: to a memory stream for its length, then for good, padded so that tensors are aligned. */
bool safetensors_write(FILE *stream, const tensor *tensors, size_t tensor_count, const metadata *texts,
                       size_t text_count)
{
    char *header = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&header, &length);
    if (memory)
        write_header(memory, tensors, tensor_count, texts, text_count);
    if (!memory || fclose(memory) != 0) {
        free(header);
        return false;
    }
    size_t padding = (ALIGNMENT - length % ALIGNMENT) % ALIGNMENT;
    write_little_endian(stream, length + padding, sizeof(uint64_t));
    fwrite(header, 1, length, stream);
    fprintf(stream, "%*s", (int)padding, "");
    free(header);
    for (size_t i = 0; i < tensor_count; i++)
        write_numbers(stream, &tensors[i]);
    return true;
}
