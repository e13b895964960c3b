/* fit.c - do the sources and the reference speak of the same things? Every disagreement becomes one sentence per
 * source and kind; the classes they share become the table that a valuation works with. */
#include "data/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "data/image_shape.h"
#include "data/match.h"
#include "data/probabilities.h"

enum {
    LISTED = 5,         /* names in one sentence */
    NEAREST_WORK = 1000 /* labels whose nearest classes are looked up: a wrong label column may hold millions */
};

#define MAP_REMEDY "write a class map with `gbv classes`, fill it in and use --class-map"

/* What a label turned out to be, worked out once. */
typedef struct verdict {
    bool known;
    match_kind kind;
    int32_t class_index; /* in the table; -1 while it has none */
    bool looked_up;      /* the nearest classes are known */
    size_t nearest_count;
    size_t nearest[NEAREST_COUNT];
} verdict;

typedef struct fit {
    const gbv_dataset *reference;
    const gbv_sources *sources;
    fit_callback *callback;
    void *context;
    gbv_error error; /* the first problem */
    size_t problems;
    matcher match;
    text_table classes; /* the reference's, then those that only sources have */
    verdict *verdicts;  /* one per label */
    label_kind kind;    /* of the reference, or without one of the first source that has a kind */
    size_t kind_source; /* which source that was */
    size_t nearest_left;
    /* The source being looked at. */
    size_t *rows_of;  /* rows per label */
    int32_t *met;     /* its labels in the order met */
    size_t met_count; /* how many */
    size_t *seen_in;  /* per class: the last source that used it, + 1 */
} fit;

static void tell(fit *f, fit_finding finding, size_t source_index, const sentence *s)
{
    if (finding == FIT_PROBLEM && f->problems++ == 0)
        error_set(&f->error, GBV_BAD_INPUT, "%s", s->text);
    if (f->callback)
        f->callback(f->context, finding, source_index, s->text);
}

/* Starts a sentence: source 'name' (file). */
static sentence about(const fit *f, size_t index)
{
    sentence s = {0};
    sentence_add(&s, "source ");
    sentence_quote(&s, f->sources->items[index].name);
    sentence_add(&s, " (%s)", f->sources->items[index].dataset->name);
    return s;
}

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

static void add_width(sentence *s, const gbv_dataset *dataset)
{
    sentence_add(s, " has %zu features a row", dataset->features.columns);
    if (!dataset->shape.channels)
        return;
    sentence_add(s, " (images of ");
    image_shape_add(s, dataset->shape);
    sentence_add(s, ")");
}

static void check_width(fit *f, size_t index)
{
    const gbv_dataset *own = f->sources->items[index].dataset,
                      *other = f->reference ? f->reference : f->sources->items[0].dataset;
    if (own->features.columns == other->features.columns && !image_shapes_differ(own->shape, other->shape))
        return;
    sentence s = about(f, index);
    add_width(&s, own);
    if (!f->reference) {
        sentence_add(&s, ", source ");
        sentence_quote(&s, f->sources->items[0].name);
    } else {
        sentence_add(&s, ", the reference");
    }
    sentence_add(&s, " (%s)", other->name);
    add_width(&s, other);
    sentence_add(&s, ": every file must describe rows by the same features%s",
                 own->shape.channels && other->shape.channels ? "; --resize and --color serve folders of images" : "");
    tell(f, FIT_PROBLEM, index, &s);
}

/* Once is enough: sources that fit the reference have images of its size. */
static void check_raw_pixels(fit *f)
{
    const gbv_dataset *large = f->reference && image_is_large(f->reference->shape) ? f->reference : NULL;
    for (size_t i = 0; i < f->sources->count && !large; i++)
        if (image_is_large(f->sources->items[i].dataset->shape))
            large = f->sources->items[i].dataset;
    if (!large)
        return;
    sentence s = {0};
    sentence_add(&s,
                 "%s: its rows are the raw pixels of images of %zu x %zu, over %d a side, and no ranking by them is "
                 "meaningful: give the embeddings of a pretrained model as features instead",
                 large->name, large->shape.width, large->shape.height, IMAGE_RAW_SIDE);
    tell(f, FIT_WARNING, SIZE_MAX, &s);
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
    sentence s = about(f, index);
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
    tell(f, FIT_PROBLEM, index, &s);
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
        s = about(f, index);
        sentence_add(&s, " has labels that are no classes of the reference: ");
        list_labels(f, &s, MATCH_SLIP, true);
        sentence_add(&s, "; mend them, or ");
    }
    sentence_add(&s, MAP_REMEDY);
    tell(f, FIT_PROBLEM, index, &s);
}

/* None of the labels is a class of the reference. When a class map wrote them all, that is what was wanted. */
static void tell_strangers(fit *f, size_t index)
{
    bool meant = true;
    for (size_t i = 0; i < f->met_count; i++)
        meant = meant && f->sources->labels[f->met[i]].mapped;
    sentence s = about(f, index);
    sentence_add(&s, ": none of its labels is a class of the reference: ");
    list_labels(f, &s, MATCH_NEW, f->reference->kind == LABELS_TEXT);
    if (meant) {
        sentence_add(&s, "; they are kept as classes of their own, as the class map says");
    } else {
        sentence_add(&s, "; the reference (%s) has ", f->reference->name);
        list_classes(f, &s);
        sentence_add(&s, ": check the label column, or " MAP_REMEDY);
    }
    tell(f, meant ? FIT_WARNING : FIT_PROBLEM, index, &s);
}

static void tell_extra(fit *f, size_t index, size_t count, size_t rows)
{
    sentence s = about(f, index);
    sentence_add(&s, " has %s that the reference has not: ", count == 1 ? "a label" : "labels");
    list_labels(f, &s, MATCH_NEW, false);
    sentence_add(&s, " (%zu of %zu rows), kept as %s", rows, f->sources->items[index].row_count,
                 count == 1 ? "a class of its own" : "classes of their own");
    tell(f, FIT_WARNING, index, &s);
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
        sentence s = about(f, index);
        sentence_add(&s, " has one class only (");
        sentence_quote(&s, f->classes.texts[last]);
        sentence_add(&s, "): its model cannot tell rows apart");
        tell(f, FIT_ONE_CLASS, index, &s);
        return;
    }
    size_t missing = f->match.classes.count - used_of_reference, listed = 0;
    if (missing == 0 || used_of_reference == 0)
        return;
    sentence s = about(f, index);
    sentence_add(&s, " never uses %zu of the reference's %zu classes: ", missing, f->match.classes.count);
    for (size_t i = 0; i < f->match.classes.count && listed < LISTED; i++)
        if (f->seen_in[i] != index + 1) {
            sentence_add(&s, "%s", listed++ ? ", " : "");
            sentence_quote(&s, f->match.classes.texts[i]);
        }
    if (missing > listed)
        sentence_add(&s, " and %zu more", missing - listed);
    tell(f, FIT_WARNING, index, &s);
}

/* Columns that are no classes of the reference are the model's own; a misspelt name is not, and is never guessed. */
static gbv_status check_columns(fit *f, size_t index)
{
    size_t columns = f->sources->items[index].dataset->features.columns, rows;
    gbv_status status = meet_labels(f, index);
    if (status != GBV_OK)
        return status;
    sentence s = about(f, index);
    size_t misspelt = count_kind(f, MATCH_CASE, &rows) + count_kind(f, MATCH_SLIP, &rows);
    size_t known = f->met_count ? count_kind(f, MATCH_CLASS, &rows) : (columns == f->match.classes.count ? columns : 0);
    if (misspelt) {
        sentence_add(&s, " has columns that are no classes of the reference: ");
        list_labels(f, &s, MATCH_SLIP, true);
        sentence_add(&s, "; rename them to the classes they mean");
        tell(f, FIT_PROBLEM, index, &s);
    } else if (columns == 1) {
        sentence_add(&s, " has probabilities of one class only: its model cannot tell rows apart");
        tell(f, FIT_ONE_CLASS, index, &s);
    } else if (known == 0) {
        sentence_add(&s,
                     ": none of its %zu %scolumns is one of the reference's %zu classes, so that they are taken as "
                     "classes of the model's own and agreement is not defined",
                     columns, f->met_count ? "" : "unnamed ", f->match.classes.count);
        tell(f, FIT_WARNING, index, &s);
    } else if (known < f->match.classes.count) {
        sentence_add(&s, " has no column for %zu of the reference's %zu classes", f->match.classes.count - known,
                     f->match.classes.count);
        tell(f, FIT_WARNING, index, &s);
    }
    return GBV_OK;
}

static gbv_status check_probabilities(fit *f, size_t index)
{
    sentence s = about(f, index);
    bool fits = false;
    if (f->reference)
        fits = probabilities_fit(f->sources->items[index].dataset, f->reference, &s);
    else
        sentence_add(&s, " is given as probabilities and has no rows to train on: leave it out, or give its sample");
    if (!fits)
        tell(f, FIT_PROBLEM, index, &s);
    return fits ? check_columns(f, index) : GBV_OK;
}

static gbv_status check_source(fit *f, size_t index)
{
    const source *item = &f->sources->items[index];
    if (item->probabilities)
        return check_probabilities(f, index);
    check_width(f, index);
    if (item->row_count == 0 || item->labels[0] < 0) {
        sentence s = about(f, index);
        if (item->row_count == 0)
            sentence_add(&s, " has no rows%s: leave it out or give it some",
                         f->sources->class_map && item->dataset->row_count ? " left after the class map" : "");
        else
            sentence_add(&s, " has no labels: give FEATURES,LABELS or name the label column");
        tell(f, FIT_PROBLEM, index, &s);
        return GBV_OK;
    }
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

static void check_reference(fit *f)
{
    const gbv_dataset *reference = f->reference;
    sentence s = {0};
    bool warning = false;
    sentence_add(&s, "the reference (%s) ", reference->name);
    if (reference->row_count == 0) {
        sentence_add(&s, "has no rows: give it some");
    } else if (reference->kind == LABELS_NONE) {
        sentence_add(&s, "has no labels: give FEATURES,LABELS or name the label column");
    } else if (reference->class_count == 1) {
        sentence_add(&s, "has one class only (");
        sentence_quote(&s, reference->class_names[0]);
        sentence_add(&s, "): it can hardly tell good sources from bad ones");
        warning = true;
    } else {
        return;
    }
    tell(f, warning ? FIT_WARNING : FIT_PROBLEM, SIZE_MAX, &s);
}

static gbv_status open_fit(fit *f)
{
    size_t labels = f->sources->label_count;
    gbv_status status = matcher_open(f->reference, &f->match, &f->error);
    if (status != GBV_OK)
        return status;
    f->verdicts = memory_array(labels, sizeof *f->verdicts);
    f->rows_of = memory_zeroed(labels, sizeof *f->rows_of);
    f->met = memory_array(labels, sizeof *f->met);
    f->seen_in = memory_zeroed(labels + f->match.classes.count, sizeof *f->seen_in);
    if (!f->verdicts || !f->rows_of || !f->met || !f->seen_in)
        return error_out_of_memory(&f->error, "class names");
    for (size_t i = 0; i < labels; i++)
        f->verdicts[i] = (verdict){.class_index = -1};
    for (size_t i = 0; i < f->match.classes.count; i++)
        if (text_table_add(&f->classes, f->match.classes.texts[i], strlen(f->match.classes.texts[i])) == TEXT_NONE)
            return error_out_of_memory(&f->error, "class names");
    f->kind = f->reference ? f->reference->kind : LABELS_NONE;
    f->nearest_left = NEAREST_WORK;
    return GBV_OK;
}

static int compare_classes(const void *a, const void *b, void *context)
{
    const fit *f = context;
    const int32_t *first = a, *second = b;
    /* Without any label that has one kind only, all of them are integers. */
    return label_compare(f->kind == LABELS_TEXT ? LABELS_TEXT : LABELS_INTEGER, f->classes.texts[*first],
                         f->classes.texts[*second]);
}

/* Hands the classes over to the table; without a reference they are sorted first. */
static gbv_status fill_table(fit *f, class_table *table)
{
    size_t count = f->classes.count, labels = f->sources->label_count;
    gbv_status status = GBV_OK;
    int32_t *order = memory_array(count, sizeof *order), *place = memory_array(count, sizeof *place);
    table->class_of_label = memory_array(labels, sizeof *table->class_of_label);
    table->names = memory_array(count, sizeof *table->names);
    if (!order || !place || !table->class_of_label || !table->names) {
        status = error_out_of_memory(&f->error, "class names");
        goto done;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (int32_t)i;
    if (!f->reference)
        qsort_r(order, count, sizeof *order, compare_classes, f);
    for (size_t i = 0; i < count; i++) {
        place[order[i]] = (int32_t)i;
        table->names[i] = strdup(f->classes.texts[order[i]]);
        table->count++;
        if (!table->names[i])
            status = error_out_of_memory(&f->error, "class names");
    }
    table->reference_count = f->match.classes.count;
    for (size_t i = 0; i < labels; i++) {
        int32_t class_index = f->verdicts[i].class_index;
        table->class_of_label[i] = class_index < 0 ? -1 : place[class_index];
    }
done:
    free(order);
    free(place);
    return status;
}

size_t sources_fit(const gbv_dataset *reference, const gbv_sources *sources, class_table *table, fit_callback *callback,
                   void *context, gbv_error *error)
{
    fit f = {.reference = reference, .sources = sources, .callback = callback, .context = context};
    if (table)
        *table = (class_table){0};
    gbv_status status = open_fit(&f);
    if (status != GBV_OK)
        goto done;
    if (reference)
        check_reference(&f);
    if (sources->count == 0) {
        sentence s = {0};
        sentence_add(&s, "no source was given: add at least one");
        tell(&f, FIT_PROBLEM, SIZE_MAX, &s);
    }
    check_raw_pixels(&f);
    for (size_t i = 0; i < sources->count && status == GBV_OK; i++)
        status = check_source(&f, i);
    if (table && status == GBV_OK && f.problems == 0)
        status = fill_table(&f, table);
done:
    if (status != GBV_OK) {
        f.problems++;
        if (callback)
            callback(context, FIT_PROBLEM, SIZE_MAX, f.error.message);
        if (table)
            class_table_free(table);
    }
    if (error && f.problems)
        *error = f.error;
    matcher_close(&f.match);
    text_table_free(&f.classes);
    free(f.verdicts);
    free(f.rows_of);
    free(f.met);
    free(f.seen_in);
    return f.problems;
}

void class_table_free(class_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->names[i]);
    free(table->names);
    free(table->class_of_label);
    *table = (class_table){0};
}

typedef struct listener {
    gbv_problem_callback *callback;
    void *context;
} listener;

static void pass_on(void *context, fit_finding finding, size_t source_index, const char *sentence_text)
{
    const listener *l = context;
    (void)source_index;
    if (l->callback)
        l->callback(l->context, finding != FIT_PROBLEM, sentence_text);
}

size_t gbv_check(const gbv_dataset *reference, const gbv_sources *sources, gbv_problem_callback *callback,
                 void *context)
{
    listener l = {.callback = callback, .context = context};
    return sources_fit(reference, sources, NULL, pass_on, &l, NULL);
}
