/* Numbers from text: bit for bit what strtod says, on millions of strings chosen to be hard. */
#include "test_support.h"

#include <float.h>

#include "base/number.h"
#include "base/random.h"

#ifdef GBV_SANITIZE
enum { TRIALS = 150000 };
#else
enum { TRIALS = 600000 };
#endif

static void assert_like_strtod(const char *text)
{
    double ours = -12345, expected = strtod(text, NULL);
    if (!number_parse(text, text + strlen(text), &ours) || memcmp(&ours, &expected, sizeof ours) != 0)
        fail_msg("'%s' gave %.17g (%a), strtod gives %.17g (%a)", text, ours, ours, expected, expected);
}

static random_stream stream_of(const char *subject)
{
    return random_stream_open(20240229, subject, RANDOM_ORDER);
}

static double random_bits(random_stream *stream)
{
    uint64_t bits = (uint64_t)random_u32(stream) << 32 | random_u32(stream);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 1;
}

static void any_double_printed_with_any_digits_is_read_back_like_strtod(void **state)
{
    (void)state;
    random_stream stream = stream_of("any double");
    for (int i = 0; i < TRIALS; i++) {
        char text[64];
        double value = random_bits(&stream);
        int digits = 1 + (int)random_below(&stream, 22);
        snprintf(text, sizeof text, random_u32(&stream) & 1 ? "%.*e" : "%.*g", digits, value);
        assert_like_strtod(text);
    }
}

static void usual_data_are_read_like_strtod(void **state)
{
    (void)state;
    random_stream stream = stream_of("usual");
    static const char *const forms[] = {"%.6g", "%.17g", "%.18e", "%.4f", "%.19f", "%.1f", "%+.7e", "%.9g"};
    for (int i = 0; i < TRIALS; i++) {
        char text[80];
        snprintf(text, sizeof text, forms[random_below(&stream, 8)],
                 random_normal(&stream) * pow(10, (double)random_below(&stream, 6) - 3));
        assert_like_strtod(text);
    }
}

static void digits_with_a_point_anywhere_are_read_like_strtod(void **state)
{
    (void)state;
    random_stream stream = stream_of("digits");
    for (int i = 0; i < TRIALS; i++) {
        char text[64], *at = text;
        size_t count = 1 + (size_t)random_below(&stream, 24), point = (size_t)random_below(&stream, 26);
        if (random_below(&stream, 4) == 0)
            *at++ = "+-"[random_below(&stream, 2)];
        for (size_t j = 0; j < count; j++) {
            if (j == point)
                *at++ = '.';
            *at++ = (char)('0' + random_below(&stream, random_below(&stream, 3) ? 10 : 1));
        }
        if (random_below(&stream, 2))
            at += sprintf(at, "%c%d", "eE"[random_below(&stream, 2)], (int)random_below(&stream, 700) - 350);
        *at = '\0';
        assert_like_strtod(text);
    }
}

/* Exactly between two doubles, and one digit to either side: where a careless rounding shows. */
static void halfway_cases_are_read_like_strtod(void **state)
{
    (void)state;
    random_stream stream = stream_of("halfway");
    for (int i = 0; i < TRIALS / 4; i++) {
        char text[1200];
        /* 54 significant bits, the last one set, times a power of two that keeps the decimals short. */
        uint64_t odd = (1ull << 52 | ((uint64_t)random_u32(&stream) << 20 ^ random_u32(&stream) >> 12)) << 1 | 1;
        int power = (int)random_below(&stream, 40) - 30;
        long double tie = ldexpl((long double)odd, power);
        int length = snprintf(text, sizeof text, "%.*Lf", power < 0 ? -power : 0, tie);
        assert_like_strtod(text);
        if (power < 0) {
            snprintf(text + length, 8, "00001");
            assert_like_strtod(text);
            text[length] = '\0';
            text[length - 1]--; /* the last digit of a tie is 5 */
            assert_like_strtod(text);
        }
    }
}

static void hard_strings_are_read_like_strtod(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.0",
                                        ".5",
                                        "5.",
                                        "1e5",
                                        "1E+05",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "18446744073709551617",
                                        "184467440737095516160",
                                        "9999999999999999999",
                                        "9007199254740993",
                                        "9007199254740992.9999999999",
                                        "0.1",
                                        "0.3",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "4.9406564584124654e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "1e-400",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "1e400",
                                        "-1e400",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "0e99999999999999999999",
                                        "0.000000000000000000000000000000000000001",
                                        "1000000000000000000000000000000000000000",
                                        "123456789012345678901234567890e-20",
                                        "8.5e22",
                                        "1e23",
                                        "0000000000000000000000001.5",
                                        "0.00000000000000000000000012345678"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_like_strtod(texts[i]);
    char text[1000] = "0.";
    for (size_t length = 2; length < sizeof text - 1; length++) { /* many digits, still the right double */
        text[length] = (char)('0' + length % 10);
        text[length + 1] = '\0';
        if (length % 53 == 0)
            assert_like_strtod(text);
    }
}

static void words_and_blanks_are_understood(void **state)
{
    (void)state;
    double value;
    const char *text = " \t-1.5 \t";
    assert_true(number_parse(text, text + strlen(text), &value) && value == -1.5);
    static const char *const infinities[] = {"inf", "+INF", "Infinity"};
    for (size_t i = 0; i < 3; i++)
        assert_true(number_parse(infinities[i], infinities[i] + strlen(infinities[i]), &value) && value == INFINITY);
    assert_true(number_parse("-inf", &"-inf"[4], &value) && value == -INFINITY);
    assert_true(number_parse("NaN", &"NaN"[3], &value) && isnan(value));
}

static void what_is_not_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    " ",    "-",   "+",    ".",      "e5",   "1e",  "1e+",  "1e-x", "--1",
                                        "+-1", "1x",   "1 2", "0x10", "nan(1)", "infi", "1,5", "1.2.", "\n1",  "1\n",
                                        "1_0", "1e5.", "١",   "abc",  "1e1e1",  "$1",   "1f",  "in",   "1d5",  "NA"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (number_parse(texts[i], texts[i] + strlen(texts[i]), &value))
            fail_msg("'%s' was read as %g", texts[i], value);
}

static void a_scan_stops_behind_the_number_and_within_its_end(void **state)
{
    (void)state;
    const char *text = "12345678.25,7";
    double value;
    assert_ptr_equal(number_scan(text, text + strlen(text), &value), text + 11);
    assert_true(value == 12345678.25);
    assert_ptr_equal(number_scan(text, text + 10, &value), text + 10);
    assert_true(value == 12345678.2);
    assert_ptr_equal(number_scan(text, text + 8, &value), text + 8);
    assert_true(value == 12345678);
    assert_null(number_scan(text + 11, text + 13, &value));
}

static void every_double_survives_being_written(void **state)
{
    (void)state;
    random_stream stream = stream_of("written");
    for (int i = 0; i < TRIALS / 8; i++) {
        char text[NUMBER_TEXT];
        double value = random_bits(&stream), back;
        number_format(value, text);
        assert_true(strlen(text) < NUMBER_TEXT);
        assert_true(number_parse(text, text + strlen(text), &back));
        if (memcmp(&value, &back, sizeof value) != 0)
            fail_msg("%a became %s", value, text);
    }
    char text[NUMBER_TEXT];
    assert_string_equal(number_format(0.1, text), "0.1");
    assert_string_equal(number_format(-2, text), "-2");
    assert_string_equal(number_format(DBL_MAX, text), "1.7976931348623157e+308");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_double_printed_with_any_digits_is_read_back_like_strtod),
        cmocka_unit_test(usual_data_are_read_like_strtod),
        cmocka_unit_test(digits_with_a_point_anywhere_are_read_like_strtod),
        cmocka_unit_test(halfway_cases_are_read_like_strtod),
        cmocka_unit_test(hard_strings_are_read_like_strtod),
        cmocka_unit_test(words_and_blanks_are_understood),
        cmocka_unit_test(what_is_not_a_number_is_refused),
        cmocka_unit_test(a_scan_stops_behind_the_number_and_within_its_end),
        cmocka_unit_test(every_double_survives_being_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
