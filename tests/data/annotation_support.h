/* annotation_support.h - annotations from text, written as one line to compare with. */
#ifndef ANNOTATION_SUPPORT_H
#define ANNOTATION_SUPPORT_H

#include "data/annotation/annotation.h"
#include "data/file_support.h"

static inline gbv_annotations *read_annotations(const char *text, const gbv_annotation_options *options)
{
    gbv_error error = {0};
    gbv_annotations *a = NULL;
    assert_ok(gbv_annotations_read(write_text("annotations", text), options, &a, &error), error);
    return a;
}

/* task:annotator=label for each, a * behind gold, separated by blanks. */
static inline const char *list_annotations(const gbv_annotations *a)
{
    static char text[4000];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < a->count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:%s=%s%s", i ? " " : "",
                                 a->tasks.texts[a->list[i].task],
                                 a->list[i].annotator < 0 ? "-" : a->annotators.texts[a->list[i].annotator],
                                 a->labels.texts[a->list[i].label], a->list[i].gold ? "*" : "");
    return text;
}

static inline void assert_annotations(const char *text, const gbv_annotation_options *options, const char *expected)
{
    gbv_annotations *a = read_annotations(text, options);
    assert_string_equal(list_annotations(a), expected);
    gbv_annotations_free(a);
}

/* Fails unless reading fails as bad input with a sentence that holds every part (a NULL ends them) and no e-mail. */
static inline void assert_annotations_refused(const char *text, const gbv_annotation_options *options, ...)
{
    gbv_error error = {0};
    gbv_annotations *a = NULL;
    gbv_status status = gbv_annotations_read(write_text("annotations", text), options, &a, &error);
    if (status != GBV_BAD_INPUT || a)
        fail_msg("status %d for %s: %s", status, text, error.message);
    va_list parts;
    va_start(parts, options);
    assert_holds_parts(error.message, parts);
    va_end(parts);
    if (strchr(error.message, '@'))
        fail_msg("'%s' tells an e-mail address", error.message);
}

#endif
