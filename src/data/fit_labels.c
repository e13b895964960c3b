/* fit_labels.c - what a source's labels are to the reference: each label is judged once, and each kind of disagreement
 * is one sentence per source. */
#include <string.h>

#include "base/error.h"
#include "data/fit.h"

enum { LISTED = 5 /* names in one sentence */ };

#define MAP_REMEDY "write a class map with `gbv classes`, fill it in and use --class-map"

/* The labels of this source whose verdict is `kind`: how many, and the rows they cover. */
static size_t count_kind(const fit *f, match_kind kind, size_t *rows)
{
    size_t count = 0;
    *rows = 0;
    for (size_t i = 0; i < f->met_count; i++)
        if (f->verdicts[f->met[i]].kind == kind) {
            *rows += f->rows_of[f->met[i]];
            count++;
        }
    return count;
}

static void add_nearest(fit *f, sentence *s, int32_t label, const char *opening, const char *closing)
{
    verdict *v = &f->verdicts[label];
    if (!v->looked_up && f->nearest_left > 0) {
        f->nearest_left--;
        v->looked_up = true;
        v->nearest_count = matcher_nearest(&f->match, f->sources->labels[label].text, v->nearest);
    }
    for (size_t i = 0; i < v->nearest_count; i++) {
        sentence_add(s, "%s", i ? ", " : opening);
        sentence_quote(s, f->match.classes.texts[v->nearest[i]]);
    }
    if (v->nearest_count)
        sentence_add(s, "%s", closing);
}

static bool is_misspelt(match_kind kind)
{
    return kind == MATCH_CASE || kind == MATCH_SLIP;
}

/* Lists labels of the source: those of one kind, or (misspelt) those taken for slips, with what they may mean. */
static void list_labels(fit *f, sentence *s, match_kind kind, bool nearest)
{
    size_t listed = 0, more = 0;
    for (size_t i = 0; i < f->met_count; i++) {
        match_kind own = f->verdicts[f->met[i]].kind;
        if (own != kind && !(is_misspelt(kind) && is_misspelt(own)))
            continue;
        if (listed == LISTED) {
            more++;
            continue;
        }
        sentence_add(s, "%s", listed++ ? ", " : "");
        sentence_quote(s, f->sources->labels[f->met[i]].text);
        if (nearest)
            add_nearest(f, s, f->met[i], " (nearest: ", ")");
    }
    if (more)
        sentence_add(s, " and %zu more", more);
}

static void list_classes(const fit *f, sentence *s)
{
    for (size_t i = 0; i < f->match.classes.count && i < LISTED; i++) {
        sentence_add(s, "%s", i ? ", " : "");
        sentence_quote(s, f->match.classes.texts[i]);
    }
    if (f->match.classes.count > LISTED)
        sentence_add(s, " and %zu more", f->match.classes.count - LISTED);
}

static const char *kind_name(label_kind kind)
{
    return kind == LABELS_INTEGER ? "integers" : "text";
}

/* The class of a label that is kept; extra classes are numbered in the order met. */
static gbv_status keep_class(fit *f, size_t label)
{
    const char *text = f->sources->labels[label].text;
    size_t class_index = text_table_add(&f->classes, text, strlen(text));
    if (class_index == TEXT_NONE)
        return error_out_of_memory(&f->error, "class names");
    f->verdicts[label].class_index = (int32_t)class_index;
    return GBV_OK;
}

static gbv_status judge(fit *f, size_t label, size_t source_index)
{
    const struct label_text *text = &f->sources->labels[label];
    verdict *v = &f->verdicts[label];
    size_t class_index = 0;
    gbv_status status = matcher_match(&f->match, text, &v->kind, &class_index, &f->error);
    if (status != GBV_OK)
        return status;
    v->known = true;
    if (!f->reference && !label_fits_any_kind(text)) {
        if (f->kind == LABELS_NONE) {
            f->kind = text->kind;
            f->kind_source = source_index;
        }
        if (text->kind != f->kind)
            v->kind = MATCH_OTHER_KIND;
    }
    if (v->kind == MATCH_CLASS)
        v->class_index = (int32_t)class_index;
    return v->kind == MATCH_NEW ? keep_class(f, label) : GBV_OK;
}

/* Counts the rows of each label of the source and judges the labels not seen before. */
static gbv_status meet_labels(fit *f, size_t index)
{
    const source *s = &f->sources->items[index];
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < f->met_count; i++)
        f->rows_of[f->met[i]] = 0;
    f->met_count = 0;
    for (size_t i = 0; i < source_label_count(s) && status == GBV_OK; i++) {
        int32_t label = s->labels[i];
        if (label < 0)
            continue;
        if (f->rows_of[label]++ == 0)
            f->met[f->met_count++] = label;
        if (!f->verdicts[label].known)
            status = judge(f, (size_t)label, index);
    }
    return status;
}

static void tell_other_kind(fit *f, size_t index)
{
    sentence s = fit_about(f, index);
    sentence_add(&s, " has labels that are %s (", kind_name(f->kind == LABELS_TEXT ? LABELS_INTEGER : LABELS_TEXT));
    list_labels(f, &s, MATCH_OTHER_KIND, false);
    if (f->reference) {
        sentence_add(&s, "), those of the reference (%s) are %s (", f->reference->name, kind_name(f->kind));
        list_classes(f, &s);
        sentence_add(&s, ")");
    } else {
        sentence_add(&s, "), those of source ");
        sentence_quote(&s, f->sources->items[f->kind_source].name);
        sentence_add(&s, " (%s) are %s", f->sources->items[f->kind_source].dataset->name, kind_name(f->kind));
    }
    sentence_add(&s, "; which means which is never guessed: " MAP_REMEDY);
    fit_tell(f, FIT_PROBLEM, index, &s);
}

static void tell_misspelt(fit *f, size_t index, size_t count)
{
    sentence s = {0};
    if (count == 1) {
        size_t i = 0;
        while (!is_misspelt(f->verdicts[f->met[i]].kind))
            i++;
        sentence_add(&s, "label ");
        sentence_quote(&s, f->sources->labels[f->met[i]].text);
        sentence_add(&s, " of source ");
        sentence_quote(&s, f->sources->items[index].name);
        sentence_add(&s, " is no class of the reference");
        add_nearest(f, &s, f->met[i], "; nearest: ", "");
        sentence_add(&s, "; mend it in %s, or ", f->sources->items[index].dataset->name);
    } else {
        s = fit_about(f, index);
        sentence_add(&s, " has labels that are no classes of the reference: ");
        list_labels(f, &s, MATCH_SLIP, true);
        sentence_add(&s, "; mend them, or ");
    }
    sentence_add(&s, MAP_REMEDY);
    fit_tell(f, FIT_PROBLEM, index, &s);
}

/* None of the labels is a class of the reference. When a class map wrote them all, that is what was wanted. */
static void tell_strangers(fit *f, size_t index)
{
    bool meant = true;
    for (size_t i = 0; i < f->met_count; i++)
        meant = meant && f->sources->labels[f->met[i]].mapped;
    sentence s = fit_about(f, index);
    sentence_add(&s, ": none of its labels is a class of the reference: ");
    list_labels(f, &s, MATCH_NEW, f->reference->kind == LABELS_TEXT);
    if (meant) {
        sentence_add(&s, "; they are kept as classes of their own, as the class map says");
    } else {
        sentence_add(&s, "; the reference (%s) has ", f->reference->name);
        list_classes(f, &s);
        sentence_add(&s, ": check the label column, or " MAP_REMEDY);
    }
    fit_tell(f, meant ? FIT_WARNING : FIT_PROBLEM, index, &s);
}

static void tell_extra(fit *f, size_t index, size_t count, size_t rows)
{
    sentence s = fit_about(f, index);
    sentence_add(&s, " has %s that the reference has not: ", count == 1 ? "a label" : "labels");
    list_labels(f, &s, MATCH_NEW, false);
    sentence_add(&s, " (%zu of %zu rows), kept as %s", rows, f->sources->items[index].row_count,
                 count == 1 ? "a class of its own" : "classes of their own");
    fit_tell(f, FIT_WARNING, index, &s);
}

/* Which classes the source uses: one only, or not all of the reference's? */
static void check_coverage(fit *f, size_t index)
{
    size_t used = 0, used_of_reference = 0;
    int32_t last = -1;
    for (size_t i = 0; i < f->met_count; i++) {
        int32_t class_index = f->verdicts[f->met[i]].class_index;
        if (class_index < 0 || f->seen_in[class_index] == index + 1)
            continue;
        f->seen_in[class_index] = index + 1;
        last = class_index;
        used++;
        used_of_reference += (size_t)class_index < f->match.classes.count;
    }
    if (used == 1) {
        sentence s = fit_about(f, index);
        sentence_add(&s, " has one class only (");
        sentence_quote(&s, f->classes.texts[last]);
        sentence_add(&s, "): its model cannot tell rows apart");
        fit_tell(f, FIT_ONE_CLASS, index, &s);
        return;
    }
    size_t missing = f->match.classes.count - used_of_reference, listed = 0;
    if (missing == 0 || used_of_reference == 0)
        return;
    sentence s = fit_about(f, index);
    sentence_add(&s, " never uses %zu of the reference's %zu classes: ", missing, f->match.classes.count);
    for (size_t i = 0; i < f->match.classes.count && listed < LISTED; i++)
        if (f->seen_in[i] != index + 1) {
            sentence_add(&s, "%s", listed++ ? ", " : "");
            sentence_quote(&s, f->match.classes.texts[i]);
        }
    if (missing > listed)
        sentence_add(&s, " and %zu more", missing - listed);
    fit_tell(f, FIT_WARNING, index, &s);
}

/* Columns that are no classes of the reference are the model's own; a misspelt name is not, and is never guessed. */
gbv_status fit_check_columns(fit *f, size_t index)
{
    size_t columns = f->sources->items[index].dataset->features.columns, rows;
    gbv_status status = meet_labels(f, index);
    if (status != GBV_OK)
        return status;
    sentence s = fit_about(f, index);
    size_t misspelt = count_kind(f, MATCH_CASE, &rows) + count_kind(f, MATCH_SLIP, &rows);
    size_t known = f->met_count ? count_kind(f, MATCH_CLASS, &rows) : (columns == f->match.classes.count ? columns : 0);
    if (misspelt) {
        sentence_add(&s, " has columns that are no classes of the reference: ");
        list_labels(f, &s, MATCH_SLIP, true);
        sentence_add(&s, "; rename them to the classes they mean");
        fit_tell(f, FIT_PROBLEM, index, &s);
    } else if (columns == 1) {
        sentence_add(&s, " has probabilities of one class only: its model cannot tell rows apart");
        fit_tell(f, FIT_ONE_CLASS, index, &s);
    } else if (known == 0) {
        sentence_add(&s,
                     ": none of its %zu %scolumns is one of the reference's %zu classes, so that they are taken as "
                     "classes of the model's own and agreement is not defined",
                     columns, f->met_count ? "" : "unnamed ", f->match.classes.count);
        fit_tell(f, FIT_WARNING, index, &s);
    } else if (known < f->match.classes.count) {
        sentence_add(&s, " has no column for %zu of the reference's %zu classes", f->match.classes.count - known,
                     f->match.classes.count);
        fit_tell(f, FIT_WARNING, index, &s);
    }
    return GBV_OK;
}

gbv_status fit_check_labels(fit *f, size_t index)
{
    gbv_status status = meet_labels(f, index);
    if (status != GBV_OK)
        return status;
    size_t rows, extra_rows;
    size_t misspelt = count_kind(f, MATCH_CASE, &rows) + count_kind(f, MATCH_SLIP, &rows);
    size_t known = count_kind(f, MATCH_CLASS, &rows), extra = count_kind(f, MATCH_NEW, &extra_rows);
    if (known + misspelt + extra < f->met_count)
        tell_other_kind(f, index);
    if (misspelt)
        tell_misspelt(f, index, misspelt);
    if (f->reference && f->reference->kind != LABELS_NONE && extra) {
        if (extra == f->met_count)
            tell_strangers(f, index);
        else
            tell_extra(f, index, extra, extra_rows);
    }
    if (known + extra == f->met_count)
        check_coverage(f, index);
    return GBV_OK;
}
