#include "report/html/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/markup.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "report/assets.h"
#include "report/html/body.h"
#include "report/plain.h"

const char *const page_tone_words[] = {"good", "fine", "ask", "bad", "open"};

static char *copied(page *p, const char *text)
{
    char *copy = strdup(text ? text : "");
    p->failed |= !copy;
    return copy;
}

page *page_open(const page_head *head)
{
    page *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->title = copied(p, head->title);
    p->kind = copied(p, head->kind);
    p->subject = copied(p, head->subject);
    p->headline = copied(p, head->headline);
    p->lead = copied(p, head->lead);
    p->body = open_memstream(&p->text, &p->length);
    p->failed |= !p->body;
    p->before = uselocale(number_locale());
    return p;
}

FILE *page_body(page *p)
{
    return p && !p->failed ? p->body : NULL;
}

void page_fail(page *p)
{
    if (p)
        p->failed = true;
}

void page_attribute(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, " %s=\"", name);
    markup_write(stream, value);
    fputc('"', stream);
}

const char *page_full_number(double value, char text[32])
{
    if (isnan(value))
        return "";
    return isinf(value) ? (value < 0 ? "-inf" : "inf") : number_format(value, text);
}

void page_section(page *p, const char *id, const char *title, const char *summary)
{
    FILE *body = page_body(p);
    if (!body)
        return;
    if (!memory_grow(&p->sections, &p->section_capacity, p->section_count + 1, sizeof *p->sections)) {
        p->failed = true;
        return;
    }
    page_place *place = &p->sections[p->section_count++];
    *place = (page_place){.id = copied(p, id), .title = copied(p, title)};
    fputs("</section>\n<section", body);
    page_attribute(body, "id", id);
    fputs(" aria-labelledby=\"", body);
    markup_write(body, id);
    fputs("-title\">\n<h2 id=\"", body);
    markup_write(body, id);
    fputs("-title\">", body);
    markup_write(body, title);
    fputs("</h2>\n", body);
    if (summary) {
        fputs("<p class=\"summary\">", body);
        markup_write(body, summary);
        fputs("</p>\n", body);
    }
}

static void element(page *p, const char *tag, const char *class, const char *text)
{
    FILE *body = page_body(p);
    if (!body)
        return;
    fprintf(body, "<%s%s%s%s>", tag, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    markup_write(body, text);
    fprintf(body, "</%s>\n", tag);
}

void page_heading(page *p, const char *title)
{
    element(p, "h3", NULL, title);
}

static void formatted(page *p, const char *class, const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0) {
        page_fail(p);
        return;
    }
    element(p, "p", class, text);
    free(text);
}

void page_paragraph(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    formatted(p, NULL, format, arguments);
    va_end(arguments);
}

void page_note(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    formatted(p, "note", format, arguments);
    va_end(arguments);
}

void page_link(page *p, const char *id, const char *format, ...)
{
    va_list arguments;
    FILE *body = page_body(p);
    if (!body)
        return;
    fputs("<a class=\"link\" href=\"#", body);
    markup_write(body, id);
    fputs("\">", body);
    va_start(arguments, format);
    formatted(p, "note", format, arguments);
    va_end(arguments);
    fputs("</a>", body);
}

void page_warning(page *p, const char *text)
{
    element(p, "p", "warning", text);
}

void page_list(page *p, const char *const *items, size_t count)
{
    FILE *body = page_body(p);
    if (!body || !count)
        return;
    fputs("<ul>\n", body);
    for (size_t i = 0; i < count; i++)
        element(p, "li", NULL, items[i]);
    fputs("</ul>\n", body);
}

void page_code(page *p, const char *text)
{
    element(p, "pre", NULL, text);
}

void page_details_begin(page *p, const char *summary)
{
    FILE *body = page_body(p);
    if (!body)
        return;
    fputs("<details>", body);
    element(p, "summary", NULL, summary);
}

void page_details_end(page *p)
{
    FILE *body = page_body(p);
    if (body)
        fputs("</details>\n", body);
}

void page_tally(page *p, const page_badge *badges, const size_t *counts, size_t count)
{
    FILE *body = page_body(p);
    char text[PLAIN_TEXT];
    if (!body)
        return;
    fputs("<ul class=\"tally\">\n", body);
    for (size_t i = 0; i < count; i++) {
        if (!counts[i])
            continue;
        fprintf(body, "<li><span class=\"badge %s\">", page_tone_words[badges[i].tone]);
        markup_write(body, badges[i].word);
        fprintf(body, "</span> <b>%s</b></li>\n", plain_count(counts[i], text));
    }
    fputs("</ul>\n", body);
}

/* What a Content-Security-Policy calls an inline style or script: the base64 form of its SHA-256. */
static bool content_hash(const char *first, const char *second, char text[48])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char hexadecimal[65];
    hash_stream hash = hash_open();
    hash_add(&hash, first, strlen(first));
    hash_add(&hash, second, strlen(second));
    if (!hash_close(&hash, hexadecimal))
        return false;
    for (size_t i = 0; i < 43; i++) { /* six bits at a time */
        unsigned value = 0;
        for (size_t bit = 6 * i; bit < 6 * i + 6; bit++) {
            unsigned nibble = 0;
            if (bit < 256)
                nibble = (unsigned)(hexadecimal[bit / 4] <= '9' ? hexadecimal[bit / 4] - '0'
                                                                : hexadecimal[bit / 4] - 'a' + 10);
            value = 2 * value + (nibble >> (3 - bit % 4) & 1);
        }
        text[i] = digits[value];
    }
    text[43] = '=';
    text[44] = '\0';
    return true;
}

static void write_head(const page *p, const char *style_hash, const char *script_hash, FILE *stream)
{
    fprintf(
        stream,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; "
        "script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"gbv %s\">\n<title>",
        style_hash, script_hash, gbv_version());
    markup_write(stream, p->title);
    fprintf(stream, "</title>\n<style>%s%s</style>\n<script>%s</script>\n</head>\n", asset_figure_css, asset_page_css,
            asset_page_js);
}

static void write_navigation(const page *p, FILE *stream)
{
    if (!p->section_count)
        return;
    fputs("<nav aria-label=\"Sections\"><ol>\n", stream);
    for (size_t i = 0; i < p->section_count; i++) {
        fputs("<li><a href=\"#", stream);
        markup_write(stream, p->sections[i].id);
        fputs("\">", stream);
        markup_write(stream, p->sections[i].title);
        fputs("</a></li>\n", stream);
    }
    fputs("</ol></nav>\n", stream);
}

/* A name with a hyphen in it stays on one line. */
static void write_headline(const char *text, FILE *stream)
{
    char word[32];
    for (size_t length; *text; text += length) {
        length = strcspn(text, " ");
        length += length == 0;
        bool whole = length < sizeof word && memchr(text, '-', length);
        if (whole || length < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)length, text);
            fputs(whole ? "<span class=\"whole\">" : "", stream);
            markup_write(stream, word);
            fputs(whole ? "</span>" : "", stream);
        } else {
            markup_write(stream, text);
            return;
        }
    }
}

static void write_page(const page *p, const char *style_hash, const char *script_hash, FILE *stream)
{
    write_head(p, style_hash, script_hash, stream);
    fputs("<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n<p class=\"kind\"><b>", stream);
    markup_write(stream, p->kind);
    fputs("</b> <span>", stream);
    markup_write(stream, p->subject);
    fputs("</span></p>\n<div class=\"tools\"><button type=\"button\" id=\"print\" hidden>Print</button>"
          "<button type=\"button\" id=\"theme\" hidden>Dark</button></div>\n</header>\n",
          stream);
    write_navigation(p, stream);
    fputs("<main id=\"main\">\n<section class=\"first\" aria-labelledby=\"headline\">\n<h1 id=\"headline\">", stream);
    write_headline(p->headline, stream);
    fputs("</h1>\n", stream);
    if (*p->lead) {
        fputs("<p class=\"lead\">", stream);
        markup_write(stream, p->lead);
        fputs("</p>\n", stream);
    }
    fwrite(p->text, 1, p->length, stream);
    fprintf(stream,
            "</section>\n</main>\n<footer><p>Made by gbv %s. This page is one file and asks nothing of a "
            "network.</p></footer>\n<div id=\"tip\" role=\"status\" hidden></div>\n</body>\n</html>\n",
            gbv_version());
}

static void page_free(page *p)
{
    for (size_t i = 0; i < p->section_count; i++) {
        free(p->sections[i].id);
        free(p->sections[i].title);
    }
    free(p->sections);
    free(p->text);
    free(p->title);
    free(p->kind);
    free(p->subject);
    free(p->headline);
    free(p->lead);
    free(p);
}

gbv_status page_close(page *p, const char *path, gbv_error *error)
{
    output_file output;
    char style[48], script[48];
    if (!p)
        return error_out_of_memory(error, "a page");
    bool kept = p->body && !ferror(p->body);
    kept &= p->body && fclose(p->body) == 0;
    gbv_status status = GBV_OK;
    if (!kept || p->failed)
        status = error_out_of_memory(error, "a page");
    else if (!content_hash(asset_figure_css, asset_page_css, style) || !content_hash(asset_page_js, "", script))
        status = error_set(error, GBV_FAILED, "%s: SHA-256 is not to be had from libcrypto: install OpenSSL 3",
                           path ? path : "the page");
    else if ((status = output_open(path, &output, error)) == GBV_OK) {
        write_page(p, style, script, output.stream);
        status = output_commit(&output, error);
    }
    uselocale(p->before);
    page_free(p);
    return status;
}
