/* body.h - what the files that build a page share. */
#ifndef REPORT_HTML_BODY_H
#define REPORT_HTML_BODY_H

#include <locale.h>
#include <stdio.h>

#include "report/html/page.h"

typedef struct page_place {
    char *id, *title;
} page_place;

struct page {
    char *title, *kind, *subject, *headline, *lead;
    FILE *body; /* into `text`; NULL once anything failed */
    char *text;
    size_t length;
    page_place *sections;
    size_t section_count, section_capacity;
    bool failed;
    locale_t before; /* of the thread, until the page is closed: a figure with decimal commas is none */
};

/* The body to write to; NULL when nothing more is to be written. */
FILE *page_body(page *p);
/* An attribute with its value, escaped, after a blank. */
void page_attribute(FILE *stream, const char *name, const char *value);
/* A number whole, for tooltips and data: empty where there is none. */
const char *page_full_number(double value, char text[32]);

/* Words of classes, by tone. */
extern const char *const page_tone_words[];

#endif
