/* Files of tensors: every type of weight, any shape and place, and headers that lie. */
#include "test_support.h"

#include "nn/safetensors.h"

typedef struct made_up {
    unsigned char *bytes;
    size_t size;
} made_up;

/* A file with this header over `data`. */
static made_up make(const char *header, const void *data, size_t size)
{
    uint64_t length = strlen(header);
    made_up m = {.bytes = malloc(8 + length + size + 1), .size = 8 + length + size};
    memcpy(m.bytes, &length, 8);
    memcpy(m.bytes + 8, header, length);
    if (size)
        memcpy(m.bytes + 8 + length, data, size);
    return m;
}

#define ENTRY(name, type, shape, begin, end)                                                                           \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"

static gbv_status parse(const char *header, size_t size, gbv_error *error)
{
    unsigned char zeros[256] = {0};
    made_up m = make(header, zeros, size);
    safetensors file;
    gbv_status status = safetensors_parse(m.bytes, m.size, "f.safetensors", &file, error);
    if (status == GBV_OK)
        safetensors_free(&file);
    free(m.bytes);
    return status;
}

static void every_type_of_weight_is_read_from_any_place(void **state)
{
    (void)state;
    /* 1, -2.5, 2^-24 (the smallest half), 65504 (the largest), and one byte in front, so that nothing is aligned */
    unsigned char data[1 + 4 * 2 + 4 * 2 + 4 * 4 + 4 * 8] = {0}, *at = data + 1;
    const uint16_t half[] = {0x3C00, 0xC100, 0x0001, 0x7BFF}, brain[] = {0x3F80, 0xC020, 0x3380, 0x4780};
    const float single[] = {1, -2.5f, 0x1p-24f, 65504};
    const double whole[] = {1, -2.5, 0x1p-24, 65504};
    memcpy(at, half, 8), memcpy(at + 8, brain, 8), memcpy(at + 16, single, 16), memcpy(at + 32, whole, 32);
    made_up m = make(
        "{" ENTRY("flag", "BOOL", "[1]", "0", "1") "," ENTRY("half", "F16", "[2,2]", "1", "9") "," ENTRY(
            "brain", "BF16", "[2,1,2]", "9", "17") "," ENTRY("single", "F32", "[1,2,2,1]", "17",
                                                             "33") "," ENTRY("whole", "F64", "[4]", "33", "65") "}",
        data, sizeof data);
    safetensors file;
    gbv_error error;
    assert_ok(safetensors_parse(m.bytes, m.size, "f", &file, &error), error);
    static const struct {
        const char *name;
        size_t axes, shape[4];
    } expected[] = {{"half", 2, {2, 2}}, {"brain", 3, {2, 1, 2}}, {"single", 4, {1, 2, 2, 1}}, {"whole", 1, {4}}};
    for (size_t i = 0; i < 4; i++) {
        float floats[4];
        double doubles[4];
        assert_ok(
            safetensors_floats(&file, expected[i].name, expected[i].axes, expected[i].shape, "it", floats, &error),
            error);
        assert_ok(
            safetensors_doubles(&file, expected[i].name, expected[i].axes, expected[i].shape, "it", doubles, &error),
            error);
        for (size_t j = 0; j < 4; j++) {
            /* a brain float has 8 bits: its last number is 65536 */
            double wanted = i == 1 && j == 3 ? 65536 : whole[j];
            assert_true(floats[j] == (float)wanted && doubles[j] == wanted);
        }
    }
    tensor_view view;
    assert_true(safetensors_find(&file, "flag", &view) && !view.is_weight && view.count == 1);
    assert_true(safetensors_find(&file, "brain", &view) && view.is_weight && view.axes == 3 && view.count == 4);
    assert_false(safetensors_find(&file, "fla", &view) || safetensors_find(&file, "__metadata__", &view));
    safetensors_free(&file);
    free(m.bytes);
}

static void what_a_tensor_should_be_is_said(void **state)
{
    (void)state;
    float numbers[] = {1, 2, NAN, 4, INFINITY, 0};
    double large = 1e300;
    unsigned char data[40];
    memcpy(data, numbers, 24), memcpy(data + 24, &large, 8), memset(data + 32, 0, 8);
    made_up m = make("{" ENTRY("bad", "F32", "[2,3]", "0", "24") "," ENTRY("large", "F64", "[1]", "24", "32") "," ENTRY(
                         "count", "I64", "[]", "32", "40") "}",
                     data, sizeof data);
    safetensors file;
    gbv_error error;
    float floats[6];
    double doubles[6];
    assert_ok(safetensors_parse(m.bytes, m.size, "w", &file, &error), error);
    const size_t shape[] = {2, 3}, other[] = {3, 2}, one = 1;
    assert_int_equal(safetensors_floats(&file, "bad", 2, shape, "a net", floats, &error), GBV_BAD_INPUT);
    assert_string_equal(error.message,
                        "w: number 3 of tensor 'bad' is nan: weights must be finite, get the file again");
    assert_int_equal(safetensors_floats(&file, "bad", 2, other, "a net", floats, &error), GBV_BAD_INPUT);
    assert_string_equal(error.message, "w: tensor 'bad' is 2 x 3 where a net has 3 x 2: give the weights of one");
    assert_int_equal(safetensors_floats(&file, "absent", 1, &one, "a net", floats, &error), GBV_BAD_INPUT);
    assert_string_equal(error.message, "w: has no tensor 'absent', which a net needs: give the weights of one");
    assert_int_equal(safetensors_floats(&file, "count", 0, NULL, "a net", floats, &error), GBV_BAD_INPUT);
    assert_string_equal(error.message,
                        "w: tensor 'count' is of type I64: convert the weights to F32, F16, BF16 or F64");
    assert_int_equal(safetensors_floats(&file, "large", 1, &one, "a net", floats, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "too large"));
    assert_ok(safetensors_doubles(&file, "large", 1, &one, "a net", doubles, &error), error);
    safetensors_free(&file);
    free(m.bytes);
}

static void headers_that_lie_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header, *said;
    } cases[] = {
        {"{" ENTRY("a", "F32", "[2]", "0", "8") "," ENTRY("a", "F32", "[2]", "8", "16") "}", "a name twice"},
        {"{" ENTRY("a", "F32", "[2]", "0", "8") "," ENTRY("b", "F32", "[2]", "4", "12") "}", "share the bytes at 4"},
        {"{" ENTRY("a", "F32", "[2]", "12", "20") "}", "bytes 12 to 20 of 16"},
        {"{" ENTRY("a", "F32", "[2]", "8", "0") "}", "bytes 8 to 0"},
        {"{" ENTRY("a", "F32", "[3]", "0", "8") "}", "8 bytes where its shape needs 12"},
        {"{" ENTRY("a", "F31", "[2]", "0", "8") "}", "no usable dtype"},
        {"{" ENTRY("a", "F32", "[4611686018427387904,4]", "0", "0") "}", "no usable dtype"},
        {"{" ENTRY("a", "F32", "[-2]", "0", "8") "}", "no usable dtype"},
        {"{" ENTRY("a", "F32", "2", "0", "8") "}", "no usable dtype"},
        {"{\"a\":3}", "no usable dtype"},
        {"{\"a\":", "its header is damaged at byte"},
        {"[]", "is not a safetensors file"},
    };
    gbv_error error;
    assert_ok(parse("{" ENTRY("a", "F32", "[2]", "0", "8") "," ENTRY("b", "F32", "[2,1]", "8", "16") "}", 16, &error),
              error);
    assert_ok(parse("{}", 0, &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i].header, 16, &error), GBV_BAD_INPUT);
        if (!strstr(error.message, cases[i].said))
            fail_msg("%s\ndoes not say: %s", error.message, cases[i].said);
    }
}

static void other_files_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *said;
        size_t size;
    } cases[] = {{"", "is not a safetensors file (0 bytes)", 0},
                 {"PK\3\4aaaaaaaaaaaa", "torch.save", 16},
                 {"\x80\x02\x8a\x0al\xfc\x9c"
                  "F\xf9 j",
                  "torch.save", 11},
                 {"version https://git-lfs.github.com/spec/v1", "git lfs pull", 42},
                 {"\x20\0\0\0\0\0\0\0{}", "said to have 32 bytes, but the file has only 10", 10},
                 {"\xff\xff\xff\xff\xff\xff\xff\xff{}", "but the file has only 10", 10},
                 {"\2\0\0\0\0\0\0", "is not a safetensors file", 7}};
    gbv_error error;
    safetensors file;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(safetensors_parse((const unsigned char *)cases[i].bytes, cases[i].size, "f", &file, &error),
                         GBV_BAD_INPUT);
        if (!strstr(error.message, cases[i].said))
            fail_msg("%s\ndoes not say: %s", error.message, cases[i].said);
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    float floats[2 * 3 * 5 * 1];
    double doubles[6] = {1, 2, 3, 4, 5, 0.1};
    for (size_t i = 0; i < 30; i++)
        floats[i] = (float)i / 7;
    const tensor tensors[] = {{"conv.weight", floats, NULL, 4, {2, 3, 5, 1}, false},
                              {"odd", floats, NULL, 1, {3}, false},
                              {"turned", NULL, doubles, 2, {3, 2}, true},
                              {"turned.single", floats, NULL, 2, {5, 6}, true},
                              {"plain", NULL, doubles, 2, {3, 2}, false}};
    char *bytes = NULL;
    size_t size;
    FILE *stream = open_memstream(&bytes, &size);
    assert_true(safetensors_write(stream, tensors, 5, &(metadata){"key", "a \"text\"\n"}, 1));
    fclose(stream);
    safetensors file;
    gbv_error error;
    assert_ok(safetensors_parse((unsigned char *)bytes, size, "f", &file, &error), error);
    assert_string_equal(safetensors_metadata(&file, "key"), "a \"text\"\n");
    assert_null(safetensors_metadata(&file, "other"));
    float back[30];
    double turned[6];
    assert_ok(safetensors_floats(&file, "conv.weight", 4, (size_t[]){2, 3, 5, 1}, "it", back, &error), error);
    assert_memory_equal(back, floats, sizeof back);
    assert_ok(safetensors_floats(&file, "turned.single", 2, (size_t[]){5, 6}, "it", back, &error), error);
    for (size_t i = 0; i < 30; i++)
        assert_true(back[i] == floats[i % 6 * 5 + i / 6]);
    assert_ok(safetensors_doubles(&file, "turned", 2, (size_t[]){3, 2}, "it", turned, &error), error);
    for (size_t i = 0; i < 6; i++)
        assert_true(turned[i] == doubles[i % 2 * 3 + i / 2]);
    assert_ok(safetensors_doubles(&file, "plain", 2, (size_t[]){3, 2}, "it", turned, &error), error);
    assert_memory_equal(turned, doubles, sizeof turned);
    safetensors_free(&file);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_weight_is_read_from_any_place),
        cmocka_unit_test(what_a_tensor_should_be_is_said),
        cmocka_unit_test(headers_that_lie_are_refused),
        cmocka_unit_test(other_files_are_named),
        cmocka_unit_test(what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
