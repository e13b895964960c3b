/* NPZ: arrays chosen by name, stored or deflated; damaged and hostile archives. */
#include "file_support.h"

#include <sys/resource.h>

#include <zlib.h>

#include "data/array_writer.h"
#include "data/dataset.h"

static void assert_counts_up(const gbv_dataset *dataset)
{
    assert_int_equal(gbv_dataset_rows(dataset), 4);
    assert_int_equal(gbv_dataset_columns(dataset), 3);
    for (size_t i = 0; i < 12; i++)
        assert_true(gbv_matrix_get(gbv_dataset_features(dataset), i / 3, i % 3) == (double)i);
}

static void a_stored_archive_is_used_in_place(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(FILES "stored.npz", NULL);
    assert_counts_up(dataset);
    const unsigned char *data = dataset->features.data, *file = dataset->file.bytes;
    assert_true(data > file && data < file + dataset->file.size);
    assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){1, 0, 1, 2}), 16);
    gbv_dataset_free(dataset);
}

static void a_deflated_archive_is_unpacked(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(FILES "deflated.npz", NULL);
    assert_counts_up(dataset);
    assert_int_equal(dataset->kind, LABELS_TEXT);
    assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){1, 0, 1, 2}), 16);
    gbv_dataset_free(dataset);
}

static void the_source_array_is_the_one_named(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(FILES "sources.npz", &(gbv_read_options){.source_column = "who"});
    assert_counts_up(dataset);
    assert_int_equal(dataset->source_count, 3);
    assert_string_equal(dataset->source_names[1], "q");
    assert_memory_equal(dataset->row_source, ((int32_t[]){0, 1, 0, 2}), 16);
    gbv_dataset_free(dataset);
    dataset = read_dataset(FILES "sources.npz", &(gbv_read_options){.label_column = "who"});
    assert_int_equal(dataset->kind, LABELS_TEXT);
    gbv_dataset_free(dataset);
}

static void arrays_that_cannot_be_told_apart_are_listed(void **state)
{
    (void)state;
    assert_refused(FILES "two_candidates.npz", NULL, "more than one", "x, data, y", NULL);
    assert_refused(FILES "no_candidates.npz", NULL, "x=features", "arr_0, arr_1", NULL);
    assert_refused(FILES "stored.npz", &(gbv_read_options){.label_column = "z"}, "no array \"z\"", "x, y", NULL);
    assert_refused(FILES "stored.npz", &(gbv_read_options){.source_column = "z"}, "no array \"z\"", "x, y", NULL);
    assert_refused(both(FILES "f4_c_little.npy", FILES "no_candidates.npz"), NULL, "--label-column", "arr_0, arr_1",
                   NULL);
}

static void labels_may_come_from_an_archive(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(both(FILES "f4_c_little.npy", FILES "stored.npz"), NULL);
    assert_int_equal(gbv_dataset_class_count(dataset), 3);
    gbv_dataset_free(dataset);
}

static void a_second_file_of_labels_goes_before_the_archives_own(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(both(FILES "stored.npz", FILES "labels_integer.npy"), NULL);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "-2");
    gbv_dataset_free(dataset);
}

/* A hand-made archive of one or two entries, for what no honest program writes. */
typedef struct archive {
    unsigned char bytes[9000000];
    size_t size, directory;
} archive;

static void put(archive *a, uint64_t value, int count)
{
    for (; count > 0; count--, value >>= 8)
        a->bytes[a->size++] = (unsigned char)value;
}

static void put_bytes(archive *a, const void *bytes, size_t count)
{
    memcpy(a->bytes + a->size, bytes, count);
    a->size += count;
}

typedef struct entry {
    const char *name;
    const unsigned char *packed;
    size_t packed_size;
    uint64_t size;
    uint32_t crc;
    unsigned method, flags;
    size_t offset;
} entry;

static void put_local(archive *a, entry *e)
{
    e->offset = a->size;
    put(a, 0x04034B50, 4);
    put(a, 20, 2);
    put(a, e->flags, 2);
    put(a, e->method, 2);
    put(a, 0, 4);
    put(a, e->crc, 4);
    put(a, e->packed_size, 4);
    put(a, e->size, 4);
    put(a, strlen(e->name), 2);
    put(a, 0, 2);
    put_bytes(a, e->name, strlen(e->name));
    put_bytes(a, e->packed, e->packed_size);
}

static void put_central(archive *a, const entry *e, bool wide)
{
    put(a, 0x02014B50, 4);
    put(a, 20, 2);
    put(a, 20, 2);
    put(a, e->flags, 2);
    put(a, e->method, 2);
    put(a, 0, 4);
    put(a, e->crc, 4);
    put(a, wide ? UINT32_MAX : e->packed_size, 4);
    put(a, wide ? UINT32_MAX : e->size, 4);
    put(a, strlen(e->name), 2);
    put(a, wide ? 28 : 0, 2);
    put(a, 0, 10);
    put(a, 0, 0);
    put(a, wide ? UINT32_MAX : e->offset, 4);
    put_bytes(a, e->name, strlen(e->name));
    if (wide) {
        put(a, 1, 2);
        put(a, 24, 2);
        put(a, e->size, 8);
        put(a, e->packed_size, 8);
        put(a, e->offset, 8);
    }
}

static void put_end(archive *a, size_t count, bool wide, const char *comment)
{
    size_t end = a->size;
    if (wide) {
        put(a, 0x06064B50, 4);
        put(a, 44, 8);
        put(a, 0, 4);
        put(a, 0, 8);
        put(a, count, 8);
        put(a, count, 8);
        put(a, end - a->directory, 8);
        put(a, a->directory, 8);
        put(a, 0x07064B50, 4);
        put(a, 0, 4);
        put(a, end, 8);
        put(a, 1, 4);
    }
    put(a, 0x06054B50, 4);
    put(a, 0, 4);
    put(a, wide ? UINT16_MAX : count, 2);
    put(a, wide ? UINT16_MAX : count, 2);
    put(a, wide ? UINT32_MAX : end - a->directory, 4);
    put(a, wide ? UINT32_MAX : a->directory, 4);
    put(a, strlen(comment), 2);
    put_bytes(a, comment, strlen(comment));
}

static const char *write_archive(entry *entries, size_t count, bool wide, const char *comment)
{
    static archive a;
    a.size = 0;
    for (size_t i = 0; i < count; i++)
        put_local(&a, &entries[i]);
    a.directory = a.size;
    for (size_t i = 0; i < count; i++)
        put_central(&a, &entries[i], wide);
    put_end(&a, count, wide, comment);
    return write_file("made.npz", a.bytes, a.size);
}

/* The 4 x 3 array of the other tests as an entry x, deflated on request. */
static entry make_entry(bool deflated)
{
    static unsigned char packed[1024];
    size_t size;
    unsigned char *bytes = slurp(FILES "f4_c_little.npy", &size);
    entry e = {.name = "x.npy", .packed = packed, .size = size, .crc = (uint32_t)crc32(0, bytes, (uInt)size)};
    if (deflated) {
        z_stream stream = {.next_in = bytes, .avail_in = (uInt)size, .next_out = packed, .avail_out = sizeof packed};
        assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        e.packed_size = stream.total_out;
        e.method = 8;
        deflateEnd(&stream);
    } else {
        memcpy(packed, bytes, size);
        e.packed_size = size;
    }
    free(bytes);
    return e;
}

static void sixty_four_bit_records_and_comments_are_read(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        entry e = make_entry(i & 1);
        gbv_dataset *dataset = read_features(write_archive(&e, 1, i & 2, i & 4 ? "PK\5\6 in a comment" : ""));
        assert_counts_up(dataset);
        gbv_dataset_free(dataset);
    }
}

static void checksums_are_verified(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        entry e = make_entry(i);
        e.crc ^= 1;
        assert_refused(write_archive(&e, 1, false, ""), NULL, "made.npz: array x", "checksum", "damaged", NULL);
    }
}

static void other_methods_and_passwords_are_refused(void **state)
{
    (void)state;
    entry e = make_entry(false);
    e.method = 12;
    assert_refused(write_archive(&e, 1, false, ""), NULL, "method 12", "numpy.savez", NULL);
    e = make_entry(true);
    e.flags = 1;
    assert_refused(write_archive(&e, 1, false, ""), NULL, "encrypted", NULL);
}

static void false_sizes_are_refused(void **state)
{
    (void)state;
    entry e = make_entry(true);
    e.size = 200ull << 30;
    assert_refused(write_archive(&e, 1, true, ""), NULL, "cannot unpack to", "214748364800", NULL);
    e = make_entry(true);
    e.size = 50000;
    assert_refused(write_archive(&e, 1, false, ""), NULL, "the archive's directory says 50000", NULL);
    e = make_entry(false);
    e.size++;
    assert_refused(write_archive(&e, 1, false, ""), NULL, "directory says 177", NULL);
    e = make_entry(true);
    e.packed_size -= 3;
    assert_refused(write_archive(&e, 1, false, ""), NULL, "truncated", NULL);
    e = make_entry(true);
    e.packed_size += 3;
    assert_refused(write_archive(&e, 1, false, ""), NULL, "other bytes behind", NULL);
    e = make_entry(true);
    ((unsigned char *)e.packed)[0] = 0xFF;
    assert_refused(write_archive(&e, 1, false, ""), NULL, "compressed data are damaged", NULL);
}

/* A small archive whose headers agree with one another in claiming gigabytes, with as many compressed zeros as that
 * takes to be believable, is refused once the real data turn out shorter. */
static void a_corrupt_archive_never_takes_gigabytes(void **state)
{
    (void)state;
#ifndef GBV_SANITIZE /* a sanitizer reserves address space of its own */
    struct rlimit before, small = {2ull << 30, 2ull << 30};
    getrlimit(RLIMIT_AS, &before);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
#endif
    const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1), }";
    unsigned char npy[200] = "\x93NUMPY\1", *packed = calloc(1, 9000000);
    memcpy(npy + 10, header, sizeof header - 1);
    npy[8] = sizeof header - 1;
    z_stream stream = {.next_in = npy, .avail_in = 10 + sizeof header - 1, .next_out = packed, .avail_out = 1000};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    entry e = {.name = "x.npy",
               .packed = packed,
               .packed_size = stream.total_out,
               .size = 8000000000ull + 10 + sizeof header - 1,
               .method = 8};
    deflateEnd(&stream);
    assert_refused(write_archive(&e, 1, true, ""), NULL, "cannot unpack to", NULL);

    /* The same with eight megabytes behind it, which makes the claim believable. */
    e.packed_size += 8000000;
    assert_refused(write_archive(&e, 1, true, ""), NULL, "other bytes behind its compressed data", NULL);
    free(packed);
#ifndef GBV_SANITIZE
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
#endif
}

static void damaged_directories_are_refused_with_an_offset(void **state)
{
    (void)state;
    entry e = make_entry(true);
    size_t size, end;
    unsigned char *good = slurp(write_archive(&e, 1, false, ""), &size), bytes[4096];
    end = size - 22;
    size_t central = end - 46 - 5;
    assert_refused(write_file("a.npz", good, size - 1), NULL, "truncated", "directory", NULL);
    assert_refused(write_file("a.npz", good, 30), NULL, "truncated", NULL);
    static const struct {
        size_t from_central; /* byte changed; from the end record when `in_end` */
        bool in_end;
        const char *part;
    } cases[] = {{0, false, "expected an entry"}, {28, false, "beyond its end"}, {42, false, "no entry where"},
                 {22, false, "reaches into"},     {46, false, "another name"},   {16, true, "damaged"},
                 {14, true, "beyond the end"},    {4, true, "several parts"},    {10, true, "another number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(bytes, good, size);
        bytes[(cases[i].in_end ? end : central) + cases[i].from_central] ^= 0x55;
        assert_refused(write_file("a.npz", bytes, size), NULL, "a.npz: offset ", cases[i].part, NULL);
    }
    free(good);
}

static void overlapping_entries_are_refused(void **state)
{
    (void)state;
    entry e = make_entry(false);
    static archive a;
    put_local(&a, &e);
    a.directory = a.size;
    put_central(&a, &e, false);
    put_central(&a, &e, false);
    put_end(&a, 2, false, "");
    assert_refused(write_file("a.npz", a.bytes, a.size), NULL, "two entries overlap", NULL);
}

static void an_archive_of_other_things_is_no_dataset(void **state)
{
    (void)state;
    entry e = make_entry(false);
    e.name = "x.txt";
    assert_refused(write_archive(&e, 1, false, ""), NULL, "ZIP archive without NumPy arrays", "numpy.savez", NULL);
    assert_refused(write_archive(&e, 0, false, ""), NULL, "without NumPy arrays", NULL);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    float x[] = {1, 2, 3, 4, 5, 6};
    const char *names[] = {"né", "猫"};
    char path[700];
    snprintf(path, sizeof path, "%s/out.npz", test_folder);
    npz_writer npz;
    gbv_error error;
    assert_ok(npz_open(path, &npz, &error), error);
    assert_ok(npz_add(&npz, "x", array_rows(gbv_matrix_f32(x, 3, 2), (size_t[]){2, 0}, 2), &error), error);
    assert_ok(npz_add(&npz, "y", array_text(names, (int32_t[]){1, 0}, 2), &error), error);
    assert_ok(npz_close(&npz, GBV_OK, &error), error);
    gbv_dataset *dataset = read_dataset(path, NULL);
    assert_int_equal(gbv_dataset_rows(dataset), 2);
    assert_int_equal((uintptr_t)dataset->features.data % 64, 0);
    assert_true(gbv_matrix_get(&dataset->features, 0, 1) == 6 && gbv_matrix_get(&dataset->features, 1, 0) == 1);
    assert_string_equal(gbv_dataset_class_name(dataset, (size_t)gbv_dataset_labels(dataset)[0]), "猫");
    gbv_dataset_free(dataset);
}

static void an_archive_that_is_abandoned_leaves_nothing(void **state)
{
    (void)state;
    char path[700];
    snprintf(path, sizeof path, "%s/none.npz", test_folder);
    npz_writer npz;
    gbv_error error;
    assert_ok(npz_open(path, &npz, &error), error);
    assert_ok(npz_add(&npz, "y", array_i32((int32_t[]){1, 0}, 2), &error), error);
    assert_int_equal(npz_close(&npz, GBV_FAILED, &error), GBV_FAILED);
    assert_null(fopen(path, "rb"));
}

static void an_archive_of_four_gigabytes_is_refused(void **state)
{
    (void)state;
    /* One row, repeated without memory: the row stride is zero. */
    static const unsigned char row[1 << 16];
    gbv_matrix tall = gbv_matrix_u8(row, 1 << 16, 1 << 16);
    tall.row_stride = 0;
    npz_writer npz;
    gbv_error error;
    char path[700];
    snprintf(path, sizeof path, "%s/big_out.npz", test_folder);
    assert_ok(npz_open(path, &npz, &error), error);
    gbv_status status = npz_add(&npz, "x", array_matrix(tall), &error);
    assert_int_equal(npz_close(&npz, status, &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "4 GiB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stored_archive_is_used_in_place),
        cmocka_unit_test(a_deflated_archive_is_unpacked),
        cmocka_unit_test(the_source_array_is_the_one_named),
        cmocka_unit_test(arrays_that_cannot_be_told_apart_are_listed),
        cmocka_unit_test(labels_may_come_from_an_archive),
        cmocka_unit_test(a_second_file_of_labels_goes_before_the_archives_own),
        cmocka_unit_test(sixty_four_bit_records_and_comments_are_read),
        cmocka_unit_test(checksums_are_verified),
        cmocka_unit_test(other_methods_and_passwords_are_refused),
        cmocka_unit_test(false_sizes_are_refused),
        cmocka_unit_test(a_corrupt_archive_never_takes_gigabytes),
        cmocka_unit_test(damaged_directories_are_refused_with_an_offset),
        cmocka_unit_test(overlapping_entries_are_refused),
        cmocka_unit_test(an_archive_of_other_things_is_no_dataset),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(an_archive_that_is_abandoned_leaves_nothing),
        cmocka_unit_test(an_archive_of_four_gigabytes_is_refused),
    };
    return RUN_WITH_FOLDER(tests);
}
