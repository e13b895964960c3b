/* Tables and sentences at every width: columns stay under their heads, lines end where the terminal does. */
#include "test_support.h"

#include "report/cells.h"
#include "report/grid.h"

static const grid_column COLUMNS[] = {
    {.head = "rank", .usual = 10, .right = true, .leaves = 3},
    {.head = "source", .gap = 2, .usual = 17, .least = 8},
    {.head = "weight", .gap = 2, .usual = 6, .right = true},
    {.head = "", .gap = 1, .usual = 16, .leaves = 2},
    {.head = "p best", .gap = 2, .usual = 6, .right = true, .leaves = 1},
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof *COLUMNS };

/* What a grid of two sources prints for this terminal; the caller frees it. */
static char *print_two(const gbv_terminal *terminal)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    grid g = grid_open(COLUMNS, COLUMN_COUNT, terminal);
    g.behind_head = "flags";
    for (int i = 0; i < 2; i++) {
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%d", i + 1);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s",
                  i ? "数据源数据源数据源数据源数据源" : "a-vendor-with-quite-a-long-name-2026");
        grid_number(&g, "%.4f", i ? NAN : .75);
        grid_bar(&g, i ? 1. / 3 : 1, 16);
        grid_number(&g, "%.2f", .5);
        if (i)
            grid_behind(&g, GBV_STYLE_CAUTION, "copied");
        if (i)
            grid_behind(&g, GBV_STYLE_CAUTION, " near-copy");
    }
    assert_true(grid_print(&g, stream));
    fclose(stream);
    return text;
}

static void a_file_has_usual_widths_and_no_limit(void **state)
{
    (void)state;
    char *text = print_two(NULL);
    assert_string_equal(
        text, "      rank  source                                weight                   p best  flags\n"
              "         1  a-vendor-with-quite-a-long-name-2026  0.7500 ████████████████    0.50\n"
              "         2  数据源数据源数据源数据源数据源             - █████▍              0.50  copied near-copy\n");
    free(text);
}

static void narrow_terminals_lose_columns_in_order_and_names_their_middle(void **state)
{
    (void)state;
    char *text = print_two(&(gbv_terminal){.width = 40});
    assert_string_equal(text, "rank  source                      weight\n"
                              "   1  a-vendor-with…ng-name-2026  0.7500\n"
                              "   2  数据源数据源…数据源数据源        -\n"
                              "    copied near-copy\n");
    free(text);
    text = print_two(&(gbv_terminal){.width = 24, .ascii = true});
    assert_string_equal(text, "source            weight\n"
                              "a-vendo...e-2026  0.7500\n"
                              "数据源...数据源        -\n"
                              "    copied near-copy\n");
    free(text);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    for (size_t width = 16; width < 130; width++)
        for (int ascii = 0; ascii < 2; ascii++) {
            char *text = print_two(&(gbv_terminal){.width = width, .ascii = ascii});
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
                assert_true(cells_of(line) <= width);
                assert_true(!ascii || !strstr(line, "█"));
            }
            free(text);
        }
}

static void colours_come_and_go(void **state)
{
    (void)state;
    char *text = print_two(&(gbv_terminal){.width = 120, .color = true});
    assert_non_null(strstr(text, "\033[1msource\033[0m"));
    assert_non_null(strstr(text, "\033[36m█"));
    assert_non_null(strstr(text, "\033[33mcopied near-copy\033[0m\n"));
    free(text);
    text = print_two(&(gbv_terminal){.width = 120});
    assert_null(strchr(text, '\033'));
    free(text);
}

static char *print_line(const gbv_terminal *terminal, const char *head, size_t indent, const char *words)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    gbv_terminal_line(stream, terminal, GBV_STYLE_CAUTION, head, indent, words);
    fclose(stream);
    return text;
}

static void assert_line(size_t width, const char *head, size_t indent, const char *words, const char *expected)
{
    char *text = print_line(&(gbv_terminal){.width = width, .ascii = true}, head, indent, words);
    assert_string_equal(text, expected);
    free(text);
}

static void sentences_end_at_words(void **state)
{
    (void)state;
    assert_line(20, "warning:", 2, "one two three four five", "warning: one two\n  three four five\n");
    assert_line(0, "warning:", 2, "one ± two\n  three", "warning: one ± two\n  three\n");
    assert_line(30, "warning:", 2, "one ± two\n  three", "warning: one +- two three\n");
    assert_line(40, "--name", 12, "what it is and what it does for you",
                "--name      what it is and what it does\n"
                "            for you\n");
    assert_line(20, "--name", 12, "what it is", "--name\n  what it is\n"); /* no room beside the name */
    assert_line(10, "", 0, "a/path/that/is/long ok", "a/path/tha\nt/is/long\nok\n");
    assert_line(10, "", 4, "", "\n");
    assert_line(12, "note:", 2, "数据源数据源数据源", "note:\n  数据源数据\n  源数据源\n");
}

static void pieces_go_below_each_other(void **state)
{
    (void)state;
    static const grid_column columns[] = {{.head = "source", .least = 4},
                                          {.head = "0.1", .gap = 1, .right = true},
                                          {.head = "0.01", .gap = 1, .right = true}};
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    grid g = grid_open(columns, 3, &(gbv_terminal){.width = 14});
    g.folds = true;
    grid_row(&g);
    grid_cell(&g, GBV_STYLE_PLAIN, "anna");
    grid_cell(&g, GBV_STYLE_PLAIN, "0.9000");
    grid_cell(&g, GBV_STYLE_PLAIN, "1.0000");
    assert_true(grid_print(&g, stream));
    fclose(stream);
    assert_string_equal(text, "source    0.1\nanna   0.9000\n\nsource   0.01\nanna   1.0000\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_usual_widths_and_no_limit),
        cmocka_unit_test(narrow_terminals_lose_columns_in_order_and_names_their_middle),
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(colours_come_and_go),
        cmocka_unit_test(sentences_end_at_words),
        cmocka_unit_test(pieces_go_below_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
