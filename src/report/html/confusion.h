/* confusion.h - what is taken for what: one or several confusion matrices of the same classes. */
#ifndef REPORT_HTML_CONFUSION_H
#define REPORT_HTML_CONFUSION_H

#include "report/html/page.h"

typedef struct confusions {
    const char *select; /* whose they are: "Source" */
    const char *const *names;
    const size_t *const *matrices; /* class_count x columns each: rows by their class and by what they are taken for */
    size_t count;
    const char *const *classes;
    size_t class_count;
    size_t columns; /* class_count, or one more for what is none of the classes */
    const char *row_axis, *column_axis;
} confusions;

/* Into the section that is open. Of many classes those that are mistaken most are shown. */
void page_confusions(page *p, const confusions *c);

#endif
