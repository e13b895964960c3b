/* match.c - labels against the reference's classes; the costly comparisons are made for unknown labels only. */
#include "data/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

gbv_status matcher_open(const gbv_dataset *reference, matcher *m, gbv_error *error)
{
    *m = (matcher){.reference = reference};
    for (size_t i = 0; reference && i < reference->class_count; i++) {
        const char *name = reference->class_names[i];
        size_t index = text_table_add(&m->classes, name, strlen(name));
        if (index != i) {
            matcher_close(m);
            return index == TEXT_NONE ? error_out_of_memory(error, "class names")
                                      : error_set(error, GBV_BAD_INPUT, "%s: two classes are named '%s': rename one",
                                                  reference->name, name);
        }
    }
    return GBV_OK;
}

void matcher_close(matcher *m)
{
    text_table_free(&m->classes);
    free(m->plain);
    *m = (matcher){0};
}

static bool make_plain(matcher *m)
{
    if (m->plain)
        return true;
    if (!(m->plain = memory_array(m->classes.count, sizeof *m->plain)))
        return false;
    for (size_t i = 0; i < m->classes.count; i++)
        m->plain[i] = nearest_plain(m->classes.texts[i]);
    return true;
}

static match_kind match_loosely(const matcher *m, const char *text, size_t *class_index)
{
    plain_name wanted = nearest_plain(text);
    size_t equal = 0, slips = 0;
    for (size_t i = 0; i < m->classes.count; i++)
        if (nearest_equal(&wanted, &m->plain[i])) {
            *class_index = i;
            equal++;
        } else if (nearest_is_slip(&wanted, &m->plain[i])) {
            slips++;
        }
    return equal == 1 ? MATCH_CASE : equal + slips > 0 ? MATCH_SLIP : MATCH_NEW;
}

gbv_status matcher_match(matcher *m, const struct label_text *label, match_kind *kind, size_t *class_index,
                         gbv_error *error)
{
    *kind = MATCH_NEW;
    if (!m->reference || m->reference->kind == LABELS_NONE)
        return GBV_OK;
    if (label->kind != m->reference->kind && !label_fits_any_kind(label)) {
        *kind = MATCH_OTHER_KIND;
        return GBV_OK;
    }
    size_t found = text_table_find(&m->classes, label->text, strlen(label->text));
    if (found != TEXT_NONE) {
        *class_index = found;
        *kind = MATCH_CLASS;
        return GBV_OK;
    }
    if (label->mapped || m->reference->kind != LABELS_TEXT)
        return GBV_OK;
    if (!make_plain(m))
        return error_out_of_memory(error, "class names");
    *kind = match_loosely(m, label->text, class_index);
    return GBV_OK;
}

size_t matcher_nearest(matcher *m, const char *text, size_t found[NEAREST_COUNT])
{
    if (!make_plain(m))
        return 0;
    plain_name wanted = nearest_plain(text);
    return nearest_find(&wanted, m->plain, m->classes.count, found);
}

bool label_fits_any_kind(const struct label_text *label)
{
    return label->kind == LABELS_NONE || (label->mapped && label->kind == LABELS_INTEGER);
}

label_kind label_kind_of_text(const char *text)
{
    const char *digits = *text == '-' ? text + 1 : text;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || digits[length] || (*digits == '0' && (length > 1 || digits != text)))
        return LABELS_TEXT;
    errno = 0;
    strtoll(text, NULL, 10);
    return errno == 0 ? LABELS_INTEGER : LABELS_TEXT;
}

int label_compare(label_kind kind, const char *a, const char *b)
{
    if (kind == LABELS_INTEGER) {
        long long first = strtoll(a, NULL, 10), second = strtoll(b, NULL, 10);
        return (first > second) - (first < second);
    }
    return strcmp(a, b);
}
