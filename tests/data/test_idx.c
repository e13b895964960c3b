/* IDX and IDX.gz: MNIST's format in every type, whole, truncated and damaged. */
#include "file_support.h"

#include <zlib.h>

#include "data/dataset.h"

typedef struct bytes {
    unsigned char data[4096];
    size_t size;
} bytes;

static void put(bytes *b, uint64_t value, int count)
{
    while (count-- > 0)
        b->data[b->size++] = (unsigned char)(value >> 8 * count);
}

/* The prefix and the dimensions (a zero ends them). */
static bytes begin(unsigned type, const uint32_t *dimensions)
{
    bytes b = {.size = 0};
    unsigned count = 0;
    while (dimensions[count])
        count++;
    put(&b, type << 8 | count, 4);
    for (unsigned i = 0; i < count; i++)
        put(&b, dimensions[i], 4);
    return b;
}

/* Elements 0, 1, 2, ... less three for the signed types. */
static void put_elements(bytes *b, unsigned type, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double number = (double)i - (type == 8 ? 0 : 3);
        float single = (float)number;
        uint32_t word;
        uint64_t whole;
        memcpy(&word, &single, 4);
        memcpy(&whole, &number, 8);
        if (type == 0x0D)
            put(b, word, 4);
        else if (type == 0x0E)
            put(b, whole, 8);
        else
            put(b, (uint64_t)(int64_t)number, type == 0x0B ? 2 : type == 0x0C ? 4 : 1);
    }
}

static bytes images(void)
{
    bytes b = begin(8, (uint32_t[]){4, 2, 3, 0});
    put_elements(&b, 8, 24);
    return b;
}

static const char *labels_file(void)
{
    bytes b = begin(8, (uint32_t[]){4, 0});
    put_elements(&b, 8, 4);
    return write_file("labels-idx1-ubyte", b.data, b.size);
}

static bytes gzip(const bytes *plain)
{
    bytes b;
    z_stream stream = {
        .next_in = (Bytef *)plain->data, .avail_in = (uInt)plain->size, .next_out = b.data, .avail_out = sizeof b.data};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    b.size = stream.total_out;
    deflateEnd(&stream);
    return b;
}

static void every_type_is_read(void **state)
{
    (void)state;
    static const unsigned types[] = {0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E};
    for (size_t t = 0; t < 6; t++) {
        bytes b = begin(types[t], (uint32_t[]){4, 3, 0});
        put_elements(&b, types[t], 12);
        gbv_dataset *dataset = read_dataset(both(write_file("x", b.data, b.size), labels_file()), NULL);
        for (size_t i = 0; i < 12; i++)
            assert_true(gbv_matrix_get(&dataset->features, i / 3, i % 3) == (double)i - (t ? 3 : 0));
        assert_int_equal(gbv_dataset_class_count(dataset), 4);
        gbv_dataset_free(dataset);
    }
}

static void images_are_flattened_and_used_in_place(void **state)
{
    (void)state;
    bytes b = images();
    gbv_dataset *dataset = read_features(write_file("x", b.data, b.size));
    assert_int_equal(gbv_dataset_rows(dataset), 4);
    assert_int_equal(gbv_dataset_columns(dataset), 6);
    assert_ptr_equal(dataset->features.data, dataset->file.bytes + 16);
    gbv_dataset_free(dataset);
}

static void gzip_members_and_padding_are_read(void **state)
{
    (void)state;
    bytes plain = images(), all = gzip(&plain);
    bytes first = plain, second = {.size = plain.size - 20};
    first.size = 20;
    memcpy(second.data, plain.data + 20, second.size);
    bytes packed[2] = {gzip(&first), gzip(&second)}, joined = packed[0];
    memcpy(joined.data + joined.size, packed[1].data, packed[1].size);
    joined.size += packed[1].size;
    bytes padded = all;
    memset(padded.data + padded.size, 0, 100);
    padded.size += 100;
    const bytes *cases[] = {&all, &joined, &padded};
    for (size_t i = 0; i < 3; i++) {
        gbv_dataset *dataset = read_features(write_file("x.gz", cases[i]->data, cases[i]->size));
        assert_int_equal(gbv_dataset_rows(dataset), 4);
        assert_true(gbv_matrix_get(&dataset->features, 3, 5) == 23);
        gbv_dataset_free(dataset);
    }
}

static void labels_alone_are_no_dataset(void **state)
{
    (void)state;
    assert_refused(labels_file(), NULL, "labels but no features", "FEATURES,LABELS", NULL);
    bytes b = images();
    const char *path = write_file("x", b.data, b.size);
    assert_refused(both(path, path), NULL, "3 dimensions", "in this order", NULL);
    assert_refused(path, NULL, "has no labels", "FEATURES,LABELS", NULL);
}

static void the_wrong_number_of_bytes_is_refused(void **state)
{
    (void)state;
    bytes b = images();
    assert_refused(write_file("x", b.data, b.size - 1), NULL, "truncated", "40 bytes", "39 are there", NULL);
    assert_refused(write_file("x", b.data, b.size + 1), NULL, "1 bytes after its data", "offset 40", NULL);
    assert_refused(write_file("x", b.data, 9), NULL, "truncated", "16 bytes", "9 are there", NULL);
    bytes packed = gzip(&b);
    for (size_t size = 2; size < packed.size; size++)
        assert_refused(write_file("x.gz", packed.data, size), NULL, "truncated", NULL);
    b.size--;
    packed = gzip(&b);
    assert_refused(write_file("x.gz", packed.data, packed.size), NULL, "truncated", "40 bytes", "39 are there", NULL);
    b.size += 2;
    packed = gzip(&b);
    assert_refused(write_file("x.gz", packed.data, packed.size), NULL, "after its data", NULL);
}

static void damaged_gzip_is_refused(void **state)
{
    (void)state;
    bytes b = images(), packed = gzip(&b);
    packed.data[packed.size] = 'x';
    assert_refused(write_file("x.gz", packed.data, packed.size + 1), NULL, "other bytes behind", NULL);
    packed.data[packed.size - 6] ^= 1; /* the checksum */
    assert_refused(write_file("x.gz", packed.data, packed.size), NULL, "damaged", NULL);
    bytes text = {.data = "a,b,label\n1,2,3\n", .size = 16};
    packed = gzip(&text);
    assert_refused(write_file("x.gz", packed.data, packed.size), NULL, "gzip-compressed", "gunzip", NULL);
}

static void absurd_dimensions_are_refused_without_memory(void **state)
{
    (void)state;
    bytes b = begin(0x0E, (uint32_t[]){0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0});
    assert_refused(write_file("x", b.data, b.size), NULL, "offset 4", "more than any memory", NULL);
    b = begin(0x08, (uint32_t[]){0xFFFFFFFF, 0x7FFFFFF, 0});
    assert_refused(write_file("x", b.data, b.size), NULL, "truncated", NULL);
    bytes packed = gzip(&b);
    assert_refused(write_file("x.gz", packed.data, packed.size), NULL, "cannot hold", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(images_are_flattened_and_used_in_place),
        cmocka_unit_test(gzip_members_and_padding_are_read),
        cmocka_unit_test(labels_alone_are_no_dataset),
        cmocka_unit_test(the_wrong_number_of_bytes_is_refused),
        cmocka_unit_test(damaged_gzip_is_refused),
        cmocka_unit_test(absurd_dimensions_are_refused_without_memory),
    };
    return RUN_WITH_FOLDER(tests);
}
