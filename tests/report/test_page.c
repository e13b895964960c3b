/* Pages: whatever a name or number is, the page is well formed, its texts are texts and nothing of it runs. */
#include "report/folder.h"

#include <locale.h>

#include "base/markup.h"
#include "report/html/page.h"
#include "report/plain.h"
#include "report/svg/bars.h"
#include "report/svg/dots.h"
#include "report/svg/heatmap.h"
#include "report/svg/lines.h"
#include "report/svg/panels.h"

#define T "\xE2\x80\xAF" /* the thin space of numbers */

static const char EVIL[] = "<script>alert(1)</script>&\"'\xE2\x80\xA8</style>\x01\xFF";

static char *read_text(const char *path)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    size_t size = (size_t)ftell(stream);
    rewind(stream);
    char *text = calloc(size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, stream), size);
    fclose(stream);
    return text;
}

static bool is_void(const char *tag)
{
    static const char *const tags[] = {"meta", "input", "br", "hr"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strcmp(tag, tags[i]) == 0)
            return true;
    return false;
}

/* Fails unless every element is closed in order and no attribute is open; counts the scripts that would run. */
static size_t check_markup(const char *text)
{
    char open[64][24], tag[24];
    size_t depth = 0, scripts = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at, '<')) {
        bool closing = at[1] == '/';
        if (at[1] == '!') {
            at++;
            continue;
        }
        size_t length = strspn(at + 1 + closing, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (!length || length >= sizeof tag)
            fail_msg("no tag: %.60s", at);
        snprintf(tag, sizeof tag, "%.*s", (int)length, at + 1 + closing);
        const char *end = at + 1 + closing + length;
        for (char quote = 0; *end && (quote || *end != '>'); end++) {
            if (*end == '"')
                quote = quote ? 0 : '"';
            else if (*end == '<')
                fail_msg("'<' within a tag: %.60s", at);
        }
        bool alone = end[-1] == '/';
        if (closing) {
            if (!depth || strcmp(open[depth - 1], tag) != 0)
                fail_msg("</%s> closes <%s>: %.60s", tag, depth ? open[depth - 1] : "", at);
            depth--;
        } else if (!alone && !is_void(tag)) {
            assert_true(depth < 64);
            strcpy(open[depth++], tag);
        }
        at = end;
        if (!closing && (strcmp(tag, "script") == 0 || strcmp(tag, "style") == 0)) {
            bool data = memmem(at - 20, 20, "json", 4) != NULL;
            scripts += strcmp(tag, "script") == 0 && !data;
            const char *stop = strstr(at, strcmp(tag, "script") == 0 ? "</script>" : "</style>");
            assert_non_null(stop);
            for (const char *c = at + 1; data && c < stop; c++) /* nothing in it could end it, or a line of it */
                assert_true(*c != '<' && *c != '>' && memcmp(c, "\xE2\x80\xA8", 3) != 0);
            at = stop;
        }
    }
    assert_int_equal(depth, 0);
    return scripts;
}

static char *checked_page(page *p)
{
    gbv_error error;
    const char *path = write_text_file(folder, "page.html", "");
    assert_ok(page_close(p, path, &error), error);
    char *text = read_text(path);
    assert_int_equal(check_markup(text), 1);
    assert_null(strstr(text, "alert(1)</script>"));
    assert_null(strstr(text, "src="));
    return text;
}

static void texts_in_markup_are_escaped(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    markup_write(stream, "a<b>&\"'\n\x01\xFF\xC3\xA9");
    markup_write(stream, NULL);
    fclose(stream);
    assert_string_equal(text, "a&lt;b&gt;&amp;&quot;&#39;\n\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA9");
    free(text);
}

static void numbers_have_three_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *number, *share;
    } cases[] = {{0, "0", "0" T "%"},
                 {1, "1.00", "100" T "%"},
                 {0.43219, "0.432", "43.2" T "%"},
                 {-1.2345, "−1.23", "−123" T "%"},
                 {0.99996, "1.00", ">99.9" T "%"},
                 {0.05, "0.0500", "5.00" T "%"},
                 {1e-7, "1.00e−7", "<0.001" T "%"},
                 {0.000123, "0.000123", "0.012" T "%"},
                 {123456, "123" T "456", "12" T "345" T "600" T "%"},
                 {NAN, "–", "–"},
                 {-INFINITY, "−∞", "−∞"}};
    char text[PLAIN_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(plain_number(cases[i].value, text), cases[i].number);
        assert_string_equal(plain_share(cases[i].value, text), cases[i].share);
    }
    assert_string_equal(plain_count(1234, text), "1234");
    assert_string_equal(plain_count(1234567, text), "1" T "234" T "567");
}

static const double odd[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 0.5};
enum { ODD = sizeof odd / sizeof *odd };

static void fill_odd(const void *context, size_t row, size_t column, page_cell *cell)
{
    (void)context;
    cell->value = odd[row % ODD];
    cell->low = odd[(row + 3) % ODD];
    cell->high = odd[(row + column) % ODD];
    cell->text = column == 0 || row % 2 ? EVIL : NULL;
    cell->detail = row % 3 ? EVIL : NULL;
}

static const page_badge badges[] = {{"good", TONE_GOOD}, {EVIL, TONE_OPEN}};
static const page_column columns[] = {{.name = EVIL, .help = EVIL},
                                      {.name = "code", .kind = PAGE_CODE},
                                      {.name = "number", .kind = PAGE_NUMBER, .interval = true},
                                      {.name = "count", .kind = PAGE_COUNT, .interval = true},
                                      {.name = "percent", .kind = PAGE_PERCENT},
                                      {.name = "share", .kind = PAGE_SHARE, .interval = true},
                                      {.name = "badge", .kind = PAGE_BADGE, .badges = badges, .badge_count = 2},
                                      {.name = "text", .detail = true, .detail_name = EVIL}};

static void add_table(page *p, const char *id, size_t rows)
{
    page_table_add(p, &(page_table){.id = id,
                                    .caption = EVIL,
                                    .columns = columns,
                                    .column_count = sizeof columns / sizeof *columns,
                                    .row_count = rows,
                                    .cell = fill_odd});
}

static void whatever_is_said_stays_text(void **state)
{
    (void)state;
    const char *items[] = {EVIL, EVIL};
    size_t counts[] = {1, 0};
    page *p = page_open(&(page_head){EVIL, EVIL, EVIL, EVIL, EVIL});
    page_tally(p, badges, counts, 2);
    page_section(p, "one", EVIL, EVIL);
    page_heading(p, EVIL);
    page_paragraph(p, "%s", EVIL);
    page_note(p, "%s", EVIL);
    page_link(p, "one", "%s", EVIL);
    page_warning(p, EVIL);
    page_list(p, items, 2);
    page_code(p, EVIL);
    page_details_begin(p, EVIL);
    page_details_end(p);
    add_table(p, "none", 0);
    add_table(p, "few", 20);
    char *text = checked_page(p);
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_non_null(strstr(text, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(text, "\\u003cscript\\u003ealert(1)"));
    free(text);
}

static void a_long_table_is_written_in_part_and_is_all_there(void **state)
{
    (void)state;
    page *p = page_open(&(page_head){.headline = "many"});
    add_table(p, "many", 10000);
    char *text = checked_page(p);
    size_t rows = 0;
    for (const char *at = text; (at = strstr(at, "<tr>")); at++)
        rows++;
    assert_int_equal(rows, 51);
    assert_non_null(strstr(text, "The first 50 of 10" T "000 rows."));
    free(text);
}

static void the_same_page_is_the_same_bytes(void **state)
{
    (void)state;
    char *texts[2];
    for (size_t i = 0; i < 2; i++) {
        page *p = page_open(&(page_head){.headline = "twice"});
        add_table(p, "table", 60);
        texts[i] = checked_page(p);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void a_page_has_decimal_points_in_every_locale(void **state)
{
    (void)state;
    char path[600];
    gbv_error error;
    snprintf(path, sizeof path, "%s/page.html", folder);
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        print_message("there is no German locale here\n");
        skip();
    }
    page *p = page_open(&(page_head){.title = "t", .kind = "k", .headline = "h"});
    bar bars[] = {{"a", 1.0 / 3, NAN, NAN, NULL, NULL}};
    page_figure(p, &(page_chart){.id = "figure",
                                 .draw = bars_draw,
                                 .chart = &(bars_chart){.label = "l", .bars = bars, .count = 1, .mark = NAN}});
    gbv_status status = page_close(p, path, &error);
    char number[8];
    snprintf(number, sizeof number, "%.1f", .5);
    setlocale(LC_NUMERIC, "C");
    assert_ok(status, error);
    assert_string_equal(number, "0,5"); /* the program's own locale is as it was */
    char *text = read_text(path), *figure = strstr(text, "<svg");
    for (char *c = figure; c && *c && strncmp(c, "</svg>", 6) != 0; c++)
        if (*c == ',' && c[1] >= '0' && c[1] <= '9')
            fail_msg("a decimal comma: ...%.40s", c - 20);
    assert_non_null(figure);
    free(text);
}

static void a_page_that_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    gbv_error error;
    assert_int_equal(page_close(page_open(&(page_head){.headline = "lost"}), "/nowhere/page.html", &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "/nowhere/page.html"));
    page *p = page_open(&(page_head){.headline = "lost"});
    page_fail(p);
    assert_int_equal(page_close(p, "/nowhere/page.html", &error), GBV_FAILED);
    page_section(NULL, "a", "b", NULL);
    assert_int_equal(page_close(NULL, "/nowhere/page.html", &error), GBV_FAILED);
}

/* Every figure with numbers that no axis likes, wide and narrow and alone. */
static void check_figure(figure_draw *draw, const void *chart)
{
    for (double width = 330; width <= 720; width += 390) {
        page *p = page_open(&(page_head){.headline = "figures"});
        page_figure(p, &(page_chart){.id = "f", .title = EVIL, .caption = EVIL, .draw = draw, .chart = chart});
        char *text = checked_page(p);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "=\"inf"));
        free(text);
    }
    gbv_error error;
    const char *path = write_text_file(folder, "figure.svg", "");
    assert_ok(svg_file_write(path, draw, chart, 600, &error), error);
    char *text = read_text(path);
    assert_int_equal(check_markup(text), 0);
    assert_non_null(strstr(text, "xmlns="));
    free(text);
}

static void a_source_has_its_colour_in_every_figure(void **state)
{
    (void)state;
    static const double values[] = {1, 2};
    series lines[] = {{.label = "third", .values = values, .color = 3}, {.label = "by place", .values = values}};
    gbv_error error;
    const char *path = write_text_file(folder, "colours.svg", "");
    lines_chart chart = {.label = "two lines", .points = 2, .series = lines, .count = 2, .mark = NAN};
    assert_ok(svg_file_write(path, lines_draw, &chart, 600, &error), error);
    char *text = read_text(path);
    assert_non_null(strstr(text, "line s2 d0"));
    assert_non_null(strstr(text, "name s2"));
    assert_non_null(strstr(text, "line s1 d0"));
    assert_null(strstr(text, "line s0"));
    free(text);
}

static void ratios_tell_on_which_side_they_are(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{1.5504, "1.55"}, {1.0004, "just above 1"}, {.9996, "just below 1"},
                 {1, "1.00"},      {.501, "just above 0.5"}, {.4999, "just below 0.5"},
                 {.5, "0.50"},     {.0081, "0.01"},          {.0004, "less than 0.01"},
                 {0, "0.00"},      {12.34, "12.3"}};
    char text[PLAIN_TEXT], flag[] = "no_better_than_chance";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(plain_ratio(cases[i].value, text), cases[i].text);
    assert_string_equal(plain_words(flag), "no better than chance");
}

static void figures_bear_any_number(void **state)
{
    (void)state;
    bar bars[ODD];
    dot dots[ODD];
    const char *names[ODD];
    signed char alarms[ODD] = {0, 1, -1, 1, 1, -1};
    for (size_t i = 0; i < ODD; i++) {
        names[i] = EVIL;
        bars[i] = (bar){EVIL, odd[i], odd[(i + 1) % ODD], odd[(i + 5) % ODD], EVIL, NULL};
        dots[i] = (dot){.label = EVIL,
                        .value = odd[i],
                        .low = odd[(i + 2) % ODD],
                        .high = odd[(i + 7) % ODD],
                        .before = odd[(i + 1) % ODD],
                        .inner_low = NAN,
                        .inner_high = 1};
    }
    for (size_t count = 0; count <= ODD; count += count ? ODD - 1 : 1) {
        check_figure(bars_draw, &(bars_chart){.label = EVIL, .axis = EVIL, .bars = bars, .count = count, .mark = NAN});
        check_figure(bars_draw, &(bars_chart){.label = EVIL, .bars = bars, .count = count, .share = true, .mark = 0.2});
        check_figure(dots_draw, &(dots_chart){.label = EVIL,
                                              .axis = EVIL,
                                              .dots = dots,
                                              .count = count,
                                              .floor = -INFINITY,
                                              .ceiling = 1,
                                              .ceiling_name = EVIL});
        series lines[] = {{.label = EVIL, .values = odd, .low = odd, .high = odd, .alarms = alarms},
                          {.label = "faint", .values = odd, .faint = true}};
        check_figure(lines_draw, &(lines_chart){.label = EVIL,
                                                .y_name = EVIL,
                                                .points = count,
                                                .series = lines,
                                                .count = 2,
                                                .x_labels = names,
                                                .mark = NAN});
        check_figure(lines_draw, &(lines_chart){.label = EVIL,
                                                .x_name = "x",
                                                .x = odd,
                                                .points = count,
                                                .series = lines,
                                                .count = count ? 1 : 0,
                                                .logarithmic = true,
                                                .mark = 1});
        check_figure(heatmap_draw, &(heatmap_chart){.label = EVIL,
                                                    .row_axis = EVIL,
                                                    .column_axis = EVIL,
                                                    .row_names = names,
                                                    .column_names = names,
                                                    .rows = count ? 2 : 0,
                                                    .columns = count ? 5 : 0,
                                                    .values = odd,
                                                    .diagonal = true});
        check_figure(heatmap_draw, &(heatmap_chart){.label = EVIL,
                                                    .row_axis = EVIL,
                                                    .column_axis = EVIL,
                                                    .row_names = names,
                                                    .column_names = names,
                                                    .rows = count ? 1 : 0,
                                                    .columns = count ? 5 : 0,
                                                    .values = odd,
                                                    .share = true,
                                                    .texts = names,
                                                    .tips = names});
        double places[] = {0, 1, 2, 3, 4}, heights[] = {0, 1e-300, 1e300, 0.5, 0};
        panel panels[] = {{EVIL, EVIL, EVIL, places, heights, 5, places, heights, 5},
                          {"flat", "", "", places, places, 2, places, places, 1}};
        check_figure(panels_draw, &(panels_chart){.label = EVIL, .panels = panels, .count = count ? 2 : 0, .mark = 1});
    }
}

static gbv_source_result source_of(const char *name, double weight)
{
    return (gbv_source_result){.name = (char *)name,
                               .score = -1,
                               .standard_error = NAN,
                               .agreement = NAN,
                               .prior = weight,
                               .posterior = weight,
                               .row_weight = NAN,
                               .rank = 1,
                               .score_corrected = NAN,
                               .score_interval_model = {NAN, NAN},
                               .score_interval = {NAN, NAN},
                               .posterior_interval = {NAN, NAN},
                               .p_best = NAN};
}

static gbv_result result_of(gbv_source_result *sources, size_t count)
{
    return (gbv_result){.version = "0",
                        .method = "gbv",
                        .problem = "vendor",
                        .measure = "leep",
                        .variant = "",
                        .model = "linear",
                        .feature_space = "",
                        .tau = INFINITY,
                        .effective_sources = NAN,
                        .effective_rows = NAN,
                        .instruction_set = "",
                        .sources = sources,
                        .source_count = count};
}

static char *result_page(const gbv_result *result)
{
    gbv_error error;
    const char *path = write_text_file(folder, "result.html", "");
    assert_ok(gbv_result_page(result, NULL, path, &error), error);
    char *text = read_text(path);
    assert_int_equal(check_markup(text), 1);
    return text;
}

static void a_result_has_a_page_whatever_is_in_it(void **state)
{
    (void)state;
    size_t confusion[] = {3, 1, 0, 0, 4, 2};
    char *classes[] = {(char *)EVIL, "b"};
    gbv_source_result sources[3] = {source_of(EVIL, 0), source_of("b", 0), source_of("c", 1)};
    sources[0].confusion = confusion;
    sources[0].flags = &(gbv_flag){(char *)EVIL, (char *)EVIL};
    sources[0].flag_count = 1;
    sources[1].score_status = GBV_SCORE_UNDEFINED;
    sources[1].score = NAN;
    sources[2].score_status = GBV_SCORE_MINUS_INFINITY;
    sources[2].score = -INFINITY;
    for (size_t count = 0; count <= 3; count++) {
        gbv_result result = result_of(sources, count);
        result.classes = classes;
        result.class_count = 2;
        char *text = result_page(&result);
        assert_non_null(strstr(text, "<h1"));
        free(text);
    }
}

static void many_sources_are_one_page(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    gbv_source_result *sources = calloc(MANY, sizeof *sources);
    assert_non_null(sources);
    for (size_t i = 0; i < MANY; i++) {
        sources[i] = source_of("a source", 1.0 / MANY);
        sources[i].rank = i % 7 ? i + 1 : 0; /* none: as where nothing is known */
    }
    gbv_result result = result_of(sources, MANY);
    char *text = result_page(&result);
    assert_non_null(strstr(text, "The best 40 of 10" T "000 sources"));
    free(text);
    free(sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_in_markup_are_escaped),
        cmocka_unit_test(numbers_have_three_digits),
        cmocka_unit_test(whatever_is_said_stays_text),
        cmocka_unit_test(a_long_table_is_written_in_part_and_is_all_there),
        cmocka_unit_test(the_same_page_is_the_same_bytes),
        cmocka_unit_test(a_page_has_decimal_points_in_every_locale),
        cmocka_unit_test(a_page_that_cannot_be_written_leaves_nothing),
        cmocka_unit_test(a_source_has_its_colour_in_every_figure),
        cmocka_unit_test(ratios_tell_on_which_side_they_are),
        cmocka_unit_test(figures_bear_any_number),
        cmocka_unit_test(a_result_has_a_page_whatever_is_in_it),
        cmocka_unit_test(many_sources_are_one_page),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
