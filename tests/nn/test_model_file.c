/* Models as files: what is written reads back bit by bit and has PyTorch's order; what is damaged is refused. */
#include "nn_support.h"

#include <jansson.h>

#include "nn/model_file.h"

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static bytes read_file(const char *path)
{
    bytes b = {malloc(1 << 20), 0};
    FILE *stream = fopen(path, "rb");
    assert_true(stream && b.data);
    b.size = fread(b.data, 1, 1 << 20, stream);
    fclose(stream);
    return b;
}

/* A model of three classes, one of whose names needs escaping. */
static gbv_model *named_model(const char *kind, rows *r)
{
    static const char *const names[] = {"cat", "a \"dog\"\n\\ \xC3\xA9", "7"};
    *r = rows_of_classes(1, 30, 4, 3);
    gbv_model_options options = gbv_model_defaults();
    options.model = kind;
    options.hidden = 5;
    gbv_model *model = fit_model(rows_sample(r, NULL), 3, &options);
    model->class_names = calloc(3, sizeof *model->class_names);
    for (size_t k = 0; k < 3; k++)
        model->class_names[k] = strdup(names[k]);
    return model;
}

static char *path_in(const char *folder, const char *name)
{
    char *path = malloc(600);
    snprintf(path, 600, "%s/%s", folder, name);
    return path;
}

static void every_bit_survives_writing_and_reading(void **state)
{
    char *path = path_in(*state, "m.safetensors");
    const char *kinds[] = {"linear", "mlp"};
    for (size_t i = 0; i < 2; i++) {
        rows r;
        gbv_error error;
        gbv_model *model = named_model(kinds[i], &r), *back;
        assert_ok(gbv_model_write(model, path, &error), error);
        assert_ok(gbv_model_read(path, &back, &error), error);
        assert_string_equal(gbv_model_kind(back), kinds[i]);
        assert_int_equal(gbv_model_inputs(back), 4);
        assert_int_equal(gbv_model_class_count(back), 3);
        for (size_t k = 0; k < 3; k++)
            assert_string_equal(gbv_model_class_name(back, k), gbv_model_class_name(model, k));
        assert_null(gbv_model_class_name(back, 3));
        assert_int_equal(model->parameter_count, back->parameter_count);
        assert_memory_equal(model->parameters, back->parameters, model->parameter_count * sizeof(double));
        gbv_model_free(model);
        gbv_model_free(back);
        rows_free(&r);
    }
    free(path);
}

/* Reads a tensor as anyone with the format's description would: doubles at data_offsets behind the header. */
static const unsigned char *tensor_bytes(const bytes *file, const json_t *header, const char *name, size_t rows_wanted,
                                         size_t columns)
{
    uint64_t length;
    memcpy(&length, file->data, sizeof length);
    const json_t *entry = json_object_get(header, name), *shape = json_object_get(entry, "shape");
    assert_string_equal(json_string_value(json_object_get(entry, "dtype")), "F64");
    assert_int_equal(json_array_size(shape), columns ? 2 : 1);
    assert_int_equal(json_integer_value(json_array_get(shape, 0)), rows_wanted);
    if (columns)
        assert_int_equal(json_integer_value(json_array_get(shape, 1)), columns);
    size_t begin = (size_t)json_integer_value(json_array_get(json_object_get(entry, "data_offsets"), 0));
    return file->data + 8 + length + begin;
}

static double number_at(const unsigned char *data, size_t index)
{
    double value;
    memcpy(&value, data + index * sizeof value, sizeof value);
    return value;
}

/* weight (outputs x inputs) times x plus bias, as torch.nn.functional.linear does it. */
static void linear_by_hand(const unsigned char *weight, const unsigned char *bias, const double *x, size_t inputs,
                           size_t outputs, double *out)
{
    for (size_t k = 0; k < outputs; k++) {
        out[k] = number_at(bias, k);
        for (size_t j = 0; j < inputs; j++)
            out[k] += number_at(weight, k * inputs + j) * x[j];
    }
}

static void tensors_have_the_order_of_pytorch(void **state)
{
    char *path = path_in(*state, "order.safetensors");
    for (int deep = 0; deep < 2; deep++) {
        rows r;
        gbv_error error;
        gbv_model *model = named_model(deep ? "mlp" : "linear", &r);
        assert_ok(gbv_model_write(model, path, &error), error);
        bytes file = read_file(path);
        uint64_t length;
        memcpy(&length, file.data, sizeof length);
        assert_int_equal(length % 8, 0);
        json_t *header = json_loadb((const char *)file.data + 8, length, 0, NULL);
        assert_non_null(header);
        double *p = model_probabilities(model, rows_sample(&r, NULL));
        for (size_t i = 0; i < r.count; i++) {
            double hidden[5], logits[3], sum = 0;
            const double *x = r.features + i * 4;
            if (deep) {
                linear_by_hand(tensor_bytes(&file, header, "hidden.weight", 5, 4),
                               tensor_bytes(&file, header, "hidden.bias", 5, 0), x, 4, 5, hidden);
                for (size_t h = 0; h < 5; h++)
                    hidden[h] = fmax(hidden[h], 0);
            }
            linear_by_hand(tensor_bytes(&file, header, deep ? "output.weight" : "weight", 3, deep ? 5 : 4),
                           tensor_bytes(&file, header, deep ? "output.bias" : "bias", 3, 0), deep ? hidden : x,
                           deep ? 5 : 4, 3, logits);
            for (size_t k = 0; k < 3; k++)
                sum += exp(logits[k]);
            for (size_t k = 0; k < 3; k++)
                assert_near(p[i * 3 + k], exp(logits[k]) / sum, 1e-12);
        }
        free(p);
        json_decref(header);
        free(file.data);
        gbv_model_free(model);
        rows_free(&r);
    }
    free(path);
}

/* A file with this header over `size` zero bytes of data. */
static gbv_status read_made_up(const char *header, size_t size, gbv_error *error)
{
    size_t length = strlen(header);
    unsigned char *file = calloc(8 + length + size, 1);
    uint64_t written = length;
    memcpy(file, &written, 8);
    memcpy(file + 8, header, length);
    gbv_model *model;
    gbv_status status = model_from_bytes(file, 8 + length + size, "made-up", &model, error);
    assert_true((status == GBV_OK) == (model != NULL));
    gbv_model_free(model);
    free(file);
    return status;
}

#define METADATA "\"__metadata__\":{\"model\":\"linear\",\"classes\":\"[\\\"a\\\",\\\"b\\\"]\"}"
#define TENSOR(name, type, shape, begin, end)                                                                          \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"

static void single_precision_is_read_too(void **state)
{
    (void)state;
    gbv_error error;
    assert_ok(read_made_up("{" METADATA "," TENSOR("weight", "F32", "[2,3]", "0", "24") "," TENSOR("bias", "F32", "[2]",
                                                                                                   "24", "32") "}",
                           32, &error),
              error);
}

static void headers_that_lie_are_refused(void **state)
{
    (void)state;
    const char *headers[] = {
        "{}",
        "[]",
        "{" METADATA "}",
        "{" METADATA "," TENSOR("weight", "F64", "[2,3]", "0", "48") "}",
        /* beyond the file, backwards, too few bytes, overlapping */
        "{" METADATA "," TENSOR("weight", "F64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "56", "72") "}",
        "{" METADATA "," TENSOR("weight", "F64", "[2,3]", "48", "0") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{" METADATA "," TENSOR("weight", "F64", "[2,3]", "0", "40") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{" METADATA "," TENSOR("weight", "F64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "40", "56") "}",
        /* sizes that overflow or are absurd */
        "{" METADATA "," TENSOR("weight", "F64", "[4611686018427387904,4]", "0", "0") "," TENSOR("bias", "F64", "[2]",
                                                                                                 "0", "16") "}",
        "{" METADATA "," TENSOR("weight", "F64", "[2,-3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{" METADATA "," TENSOR("weight", "F64", "[2,0]", "0", "0") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        /* another type, another shape, other classes, another model, the same key twice */
        "{" METADATA "," TENSOR("weight", "I64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{" METADATA "," TENSOR("weight", "F64", "[6]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{" METADATA "," TENSOR("weight", "F64", "[3,2]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{\"__metadata__\":{\"model\":\"linear\",\"classes\":\"[\\\"a\\\"]\"}," TENSOR(
            "weight", "F64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{\"__metadata__\":{\"model\":\"linear\",\"classes\":\"[1,2]\"}," TENSOR(
            "weight", "F64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{\"__metadata__\":{\"model\":\"forest\",\"classes\":\"[\\\"a\\\",\\\"b\\\"]\"}," TENSOR(
            "weight", "F64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
        "{" METADATA "," METADATA
        "," TENSOR("weight", "F64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]", "48", "64") "}",
    };
    gbv_error error;
    assert_ok(read_made_up("{" METADATA "," TENSOR("weight", "F64", "[2,3]", "0", "48") "," TENSOR("bias", "F64", "[2]",
                                                                                                   "48", "64") "}",
                           64, &error),
              error);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (read_made_up(headers[i], 64, &error) != GBV_BAD_INPUT)
            fail_msg("header %zu was not refused: %s", i, headers[i]);
        assert_non_null(strstr(error.message, "made-up"));
    }
}

static void damaged_files_are_refused_or_harmless(void **state)
{
    char *path = path_in(*state, "whole.safetensors");
    rows r;
    gbv_error error;
    gbv_model *model = named_model("mlp", &r), *back;
    assert_ok(gbv_model_write(model, path, &error), error);
    bytes file = read_file(path);
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *cut = malloc(size + 1);
        memcpy(cut, file.data, size);
        assert_int_equal(model_from_bytes(cut, size, "cut", &back, &error), GBV_BAD_INPUT);
        assert_null(back);
        free(cut);
    }
    random_stream stream = random_stream_open(3, "damage", RANDOM_SPLIT);
    for (int i = 0; i < 2000; i++) {
        size_t place = (size_t)random_below(&stream, file.size);
        unsigned char kept = file.data[place];
        file.data[place] = (unsigned char)random_u32(&stream);
        if (model_from_bytes(file.data, file.size, "damaged", &back, &error) == GBV_OK)
            gbv_model_free(back);
        else
            assert_true(error.status == GBV_BAD_INPUT && strstr(error.message, "damaged"));
        file.data[place] = kept;
    }
    /* not a number, in the last place of the file */
    double nan = NAN;
    memcpy(file.data + file.size - sizeof nan, &nan, sizeof nan);
    assert_int_equal(model_from_bytes(file.data, file.size, "nan", &back, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "finite"));
    memset(file.data, 0xFF, 8);
    assert_int_equal(model_from_bytes(file.data, file.size, "long", &back, &error), GBV_BAD_INPUT);
    free(file.data);
    gbv_model_free(model);
    rows_free(&r);
    free(path);
}

static void a_file_that_cannot_be_written_is_not_left_behind(void **state)
{
    rows r;
    gbv_error error;
    gbv_model *model = named_model("linear", &r);
    char *path = path_in(*state, "missing/m.safetensors");
    assert_int_equal(gbv_model_write(model, path, &error), GBV_FAILED);
    assert_int_equal(gbv_model_write(model, "/dev/full", &error), GBV_FAILED);
    gbv_model *back;
    assert_int_equal(gbv_model_read(path, &back, &error), GBV_BAD_INPUT);
    assert_null(back);
    gbv_model_free(model);
    free(path);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_survives_writing_and_reading),
        cmocka_unit_test(tensors_have_the_order_of_pytorch),
        cmocka_unit_test(single_precision_is_read_too),
        cmocka_unit_test(headers_that_lie_are_refused),
        cmocka_unit_test(damaged_files_are_refused_or_harmless),
        cmocka_unit_test(a_file_that_cannot_be_written_is_not_left_behind),
    };
    return cmocka_run_group_tests(tests, test_folder_open, test_folder_close);
}
