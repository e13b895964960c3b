/* fit.c - do the sources and the reference speak of the same things? Every disagreement becomes one sentence per
 * source and kind; the classes they share become the table that a valuation works with. */
#include "data/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/feature_names.h"
#include "data/image_shape.h"
#include "data/probabilities.h"

/* Labels whose nearest classes are looked up: a wrong label column may hold millions. */
enum { NEAREST_WORK = 1000 };

void fit_tell(fit *f, fit_finding finding, size_t source_index, const sentence *s)
{
    if (finding == FIT_PROBLEM && f->problems++ == 0)
        error_set(&f->error, GBV_BAD_INPUT, "%s", s->text);
    if (f->callback)
        f->callback(f->context, finding, source_index, s->text);
}

sentence fit_about(const fit *f, size_t index)
{
    sentence s = {0};
    sentence_add(&s, "source ");
    sentence_quote(&s, f->sources->items[index].name);
    sentence_add(&s, " (%s)", f->sources->items[index].dataset->name);
    return s;
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

static void add_other(sentence *s, const fit *f, const gbv_dataset *other)
{
    if (!f->rows) {
        sentence_add(s, "source ");
        sentence_quote(s, f->sources->items[0].name);
    } else {
        sentence_add(s, "the reference");
    }
    sentence_add(s, " (%s)", other->name);
}

static const char *width_remedy(gbv_image_shape own, gbv_image_shape other)
{
    if (!own.channels || !other.channels)
        return "";
    return own.channels_last == other.channels_last ? "; --resize, --preprocess and --color serve folders of images"
                                                    : "; channels become first with x.transpose(0, 3, 1, 2) of NumPy";
}

/* True when the source's rows are as wide as those it is compared with. */
static bool check_width(fit *f, size_t index, const gbv_dataset *own, const gbv_dataset *other)
{
    if (own->features.columns == other->features.columns && !image_shapes_differ(own->shape, other->shape))
        return true;
    sentence s = fit_about(f, index);
    add_width(&s, own);
    sentence_add(&s, ", ");
    add_other(&s, f, other);
    add_width(&s, other);
    sentence_add(&s, ": every file must describe rows by the same features%s", width_remedy(own->shape, other->shape));
    fit_tell(f, FIT_PROBLEM, index, &s);
    return false;
}

/* Columns go together by their place. The same names in another order are a mistake; other names may be one. */
static gbv_status check_names(fit *f, size_t index, const gbv_dataset *own, const gbv_dataset *other)
{
    char *const *names = dataset_feature_names(own), *const *wanted = dataset_feature_names(other);
    feature_difference difference;
    if (index && f->sources->items[index - 1].dataset == own)
        return GBV_OK;
    gbv_status status = feature_names_compare(names, wanted, own->features.columns, &difference, &f->error);
    if (status != GBV_OK || !difference.any)
        return status;
    size_t first = difference.first;
    sentence s = fit_about(f, index);
    sentence_add(&s, " has the column ");
    sentence_quote(&s, names[first]);
    sentence_add(&s, " as feature %zu, ", first + 1);
    add_other(&s, f, other);
    sentence_add(&s, " has ");
    sentence_quote(&s, wanted[first]);
    sentence_add(&s, difference.moved ? ": features go together by their place: bring the columns into the same order"
                                      : ": features go together by their place; see that they mean the same");
    fit_tell(f, difference.moved ? FIT_PROBLEM : FIT_WARNING, index, &s);
    return GBV_OK;
}

/* Rows that are learned from say nothing about rows that are not. Views share their items with the reference. */
static void check_leak(fit *f, size_t index, const gbv_dataset *own)
{
    if (!f->rows || own->base || f->rows->base || (index && f->sources->items[index - 1].dataset == own) ||
        !dataset_share_a_file(own, f->rows))
        return;
    sentence s = fit_about(f, index);
    sentence_add(&s, " holds the very rows of the reference (%s), which flatters it: keep them out of the source",
                 f->rows->name);
    fit_tell(f, FIT_WARNING, index, &s);
}

/* Once is enough: sources that fit the reference have images of its size. */
static void check_raw_pixels(fit *f)
{
    const gbv_dataset *large = f->rows && image_is_large(f->rows->shape) ? f->rows : NULL;
    for (size_t i = 0; i < f->sources->count && !large; i++)
        if (image_is_large(f->sources->items[i].dataset->shape))
            large = f->sources->items[i].dataset;
    if (!large)
        return;
    sentence s = {0};
    sentence_add(
        &s,
        "%s: its rows are the raw pixels of images of %zu x %zu, over %d a side, by which linear and mlp rank "
        "nothing meaningful: use a network (--model resnet18), or embeddings of a pretrained model as features",
        large->name, large->shape.width, large->shape.height, IMAGE_RAW_SIDE);
    fit_tell(f, FIT_RAW_PIXELS, SIZE_MAX, &s);
}

static gbv_status check_probabilities(fit *f, size_t index)
{
    sentence s = fit_about(f, index);
    bool fits = false;
    if (f->rows)
        fits = probabilities_fit(f->sources->items[index].dataset, f->rows, &s);
    else
        sentence_add(&s, " is given as probabilities and has no rows to train on: leave it out, or give its sample");
    if (!fits)
        fit_tell(f, FIT_PROBLEM, index, &s);
    return fits && f->reference ? fit_check_columns(f, index) : GBV_OK;
}

static gbv_status check_source(fit *f, size_t index)
{
    const source *item = &f->sources->items[index];
    if (item->probabilities)
        return check_probabilities(f, index);
    const gbv_dataset *other = f->rows ? f->rows : f->sources->items[0].dataset;
    gbv_status status = GBV_OK;
    if (check_width(f, index, item->dataset, other))
        status = check_names(f, index, item->dataset, other);
    if (status != GBV_OK)
        return status;
    check_leak(f, index, item->dataset);
    if (item->row_count == 0 || item->labels[0] < 0) {
        sentence s = fit_about(f, index);
        if (item->row_count == 0)
            sentence_add(&s, " has no rows%s: leave it out or give it some",
                         f->sources->class_map && item->dataset->row_count ? " left after the class map" : "");
        else
            sentence_add(&s, " has no labels: give FEATURES,LABELS or name the label column");
        fit_tell(f, FIT_PROBLEM, index, &s);
        return GBV_OK;
    }
    return fit_check_labels(f, index);
}

static void check_reference(fit *f)
{
    const gbv_dataset *reference = f->rows;
    sentence s = {0};
    bool warning = false;
    sentence_add(&s, "the reference (%s) ", reference->name);
    if (reference->row_count == 0) {
        sentence_add(&s, "has no rows: give it some");
    } else if (!f->reference) {
        return;
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
    fit_tell(f, warning ? FIT_WARNING : FIT_PROBLEM, SIZE_MAX, &s);
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

static size_t check_all(fit start, class_table *table, gbv_error *error)
{
    fit f = start;
    if (table)
        *table = (class_table){0};
    gbv_status status = open_fit(&f);
    if (status != GBV_OK)
        goto done;
    if (f.rows)
        check_reference(&f);
    if (f.sources->count == 0) {
        sentence s = {0};
        sentence_add(&s, "no source was given: add at least one");
        fit_tell(&f, FIT_PROBLEM, SIZE_MAX, &s);
    }
    check_raw_pixels(&f);
    for (size_t i = 0; i < f.sources->count && status == GBV_OK; i++)
        status = check_source(&f, i);
    if (table && status == GBV_OK && f.problems == 0)
        status = fill_table(&f, table);
done:
    if (status != GBV_OK) {
        f.problems++;
        if (f.callback)
            f.callback(f.context, FIT_PROBLEM, SIZE_MAX, f.error.message);
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

size_t sources_fit(const gbv_dataset *reference, const gbv_sources *sources, class_table *table, fit_callback *callback,
                   void *context, gbv_error *error)
{
    return check_all(
        (fit){.reference = reference, .rows = reference, .sources = sources, .callback = callback, .context = context},
        table, error);
}

size_t sources_fit_unlabelled(const gbv_dataset *reference, const gbv_sources *sources, class_table *table,
                              fit_callback *callback, void *context, gbv_error *error)
{
    return check_all((fit){.rows = reference, .sources = sources, .callback = callback, .context = context}, table,
                     error);
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
