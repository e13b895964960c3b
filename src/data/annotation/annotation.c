/* annotation.c - the registry of importers, and the list they fill: every text is kept once, people are named so that
 * no e-mail address is told. */
#include "data/annotation/annotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "base/text.h"
#include "data/annotation/json_stream.h"
#include "data/format/foreign.h"

#define IMPORTER(name) extern const importer importer_##name;
#include "data/annotation/importers.def"
#undef IMPORTER

static const importer *const importers[] = {
#define IMPORTER(name) &importer_##name,
#include "data/annotation/importers.def"
#undef IMPORTER
};

const importer *importer_at(size_t index)
{
    return index < sizeof importers / sizeof *importers ? importers[index] : NULL;
}

/* The number of a text, added when new; fails for what the result could not show. */
static gbv_status intern(annotation_reading *r, text_table *table, const char *text, const char *what,
                         const char *place, int32_t *index, gbv_error *error)
{
    size_t length = strlen(text), found = text_table_find(table, text, length);
    if (found == TEXT_NONE && !text_is_utf8(text, length))
        return error_set(error, GBV_BAD_INPUT, "%s: %s has a %s that is not valid UTF-8: save the file as UTF-8",
                         r->path, place, what);
    if (found == TEXT_NONE)
        found = text_table_add(table, text, length);
    if (found >= INT32_MAX)
        return error_out_of_memory(error, "the annotations");
    *index = (int32_t)found;
    return GBV_OK;
}

static gbv_status add_task(annotation_reading *r, const annotation_fields *f, const char *place, int32_t *task,
                           gbv_error *error)
{
    gbv_annotations *out = r->out;
    const char *name = f->task && *f->task ? f->task : f->file;
    size_t known = out->tasks.count;
    if (!name || !*name)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: %s has neither an id nor a file name: it cannot be joined to an item", r->path, place);
    gbv_status status = intern(r, &out->tasks, name, "task", place, task, error);
    if (status != GBV_OK || out->tasks.count == known)
        return status;
    if (!memory_grow(&out->files, &out->file_capacity, known + 1, sizeof *out->files)) {
        text_table_truncate(&out->tasks, known);
        return error_out_of_memory(error, "the annotations");
    }
    out->files[known] = NULL;
    if (f->file && !(out->files[known] = strdup(f->file)))
        return error_out_of_memory(error, "the annotations");
    return GBV_OK;
}

/* Anything with an @ between two characters that are no blanks. */
static bool holds_email(const char *text)
{
    for (const char *at = strchr(text, '@'); at; at = strchr(at + 1, '@'))
        if (at > text && (unsigned char)at[-1] > ' ' && (unsigned char)at[1] > ' ')
            return true;
    return false;
}

/* An id is a name by itself; an e-mail becomes one that is the same in every file but does not tell it. */
static gbv_status name_annotator(const annotation_reading *r, const annotation_fields *f, char **name, gbv_error *error)
{
    bool email = f->who && holds_email(f->who);
    char digest[65];
    int made;
    *name = NULL;
    if (email && r->options->show_emails)
        made = asprintf(name, "%s", f->who);
    else if (f->id)
        made = asprintf(name, "annotator-%s", f->id);
    else if (!email)
        made = asprintf(name, "%s", f->who);
    else if (hash_sha256(f->who, strlen(f->who), digest))
        made = asprintf(name, "annotator-%.8s", digest);
    else
        return error_set(error, GBV_FAILED, "%s: a name could not be made for an annotator", r->path);
    if (made >= 0)
        return GBV_OK;
    *name = NULL;
    return error_out_of_memory(error, "the annotators");
}

static gbv_status add_annotator(annotation_reading *r, const annotation_fields *f, const char *place,
                                int32_t *annotator, gbv_error *error)
{
    gbv_annotations *out = r->out;
    annotation_fields by_email = {.who = f->id};
    if (f->id && holds_email(f->id))
        f = &by_email;
    char *key = NULL, *name = NULL;
    int32_t named = 0;
    gbv_status status = GBV_OK;
    if (asprintf(&key, "%c%s", f->id ? '#' : '=', f->id ? f->id : f->who) < 0)
        return error_out_of_memory(error, "the annotators");
    size_t known = text_table_find(&out->annotator_keys, key, strlen(key));
    if (known != TEXT_NONE) {
        *annotator = (int32_t)known;
        goto done;
    }
    status = name_annotator(r, f, &name, error);
    if (status == GBV_OK)
        status = intern(r, &out->annotators, name, "annotator", place, &named, error);
    if (status == GBV_OK)
        status = intern(r, &out->annotator_keys, key, "annotator", place, annotator, error);
    if (status == GBV_OK && named != *annotator)
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: %s: two annotators would both be named '%.100s': rename one, or use --show-emails",
                           r->path, place, name);
done:
    free(key);
    free(name);
    return status;
}

gbv_status annotation_add(annotation_reading *r, const annotation_fields *fields, const char *place, gbv_error *error)
{
    gbv_annotations *out = r->out;
    annotation made = {.annotator = -1,
                       .gold = fields->gold,
                       .time = fields->time ? annotation_time(fields->time) : ANNOTATION_NO_TIME};
    if (!memory_grow(&out->list, &out->capacity, out->count + 1, sizeof *out->list))
        return error_out_of_memory(error, "the annotations");
    gbv_status status = add_task(r, fields, place, &made.task, error);
    if (status == GBV_OK && (fields->id || fields->who))
        status = add_annotator(r, fields, place, &made.annotator, error);
    if (status == GBV_OK)
        status = intern(r, &out->labels, fields->label, "label", place, &made.label, error);
    if (status != GBV_OK)
        return status;
    out->list[out->count++] = made;
    out->gold_count += made.gold;
    return GBV_OK;
}

gbv_status control_choose(annotation_reading *r, const char *name, bool *chosen, gbv_error *error)
{
    size_t index = text_table_add(&r->controls, name, strlen(name));
    if (index == TEXT_NONE)
        return error_out_of_memory(error, "the names of the controls");
    *chosen = r->options->control ? strcmp(name, r->options->control) == 0 : index == 0;
    return GBV_OK;
}

gbv_status control_refuse(annotation_reading *r, const char *name, const char *type, const char *place,
                          gbv_error *error)
{
    gbv_error own;
    sentence s = {0};
    sentence_add(&s, "%.200s: %s: the answers of ", r->path, place);
    sentence_quote(&s, name);
    sentence_add(&s, " are of the type ");
    sentence_quote(&s, type);
    sentence_add(&s, "; controls that give one label are read (choices, rating, number, pairwise): name such a one "
                     "with --control");
    error_set(&own, GBV_BAD_INPUT, "%s", s.text);
    if (r->options->control && strcmp(name, r->options->control) == 0) {
        if (error)
            *error = own;
        return GBV_BAD_INPUT;
    }
    if (!r->unreadable.message[0])
        r->unreadable = own;
    return GBV_OK;
}

gbv_status control_check(const annotation_reading *r, gbv_error *error)
{
    enum { SHOWN = 8 };
    const char *asked = r->options->control;
    sentence list = {0}, quoted = {0};
    for (size_t i = 0; i < r->controls.count && i < SHOWN; i++) {
        sentence_add(&list, "%s", i ? ", " : "");
        sentence_quote(&list, r->controls.texts[i]);
    }
    if (r->controls.count > SHOWN)
        sentence_add(&list, ", ...");
    if (asked)
        sentence_quote(&quoted, asked);
    if (asked && text_table_find(&r->controls, asked, strlen(asked)) == TEXT_NONE)
        return r->controls.count == 0
                   ? error_set(error, GBV_BAD_INPUT, "%s: holds no answers to --control %s", r->path, quoted.text)
                   : error_set(error, GBV_BAD_INPUT, "%s: holds no answers to --control %s, but to %s", r->path,
                               quoted.text, list.text);
    if (!asked && r->controls.count > 1)
        return error_set(error, GBV_BAD_INPUT, "%s: holds answers to several controls: choose one with --control: %s",
                         r->path, list.text);
    if (r->controls.count == 0 && r->unreadable.message[0]) {
        if (error)
            *error = r->unreadable;
        return GBV_BAD_INPUT;
    }
    return GBV_OK;
}

/* Nobody took the file: what is it, then? */
static gbv_status refuse(annotation_reading *r, gbv_error *error)
{
    static const foreign_content array = {"an NPY array",
                                          "convert it with python3 -c \"import numpy, pandas; "
                                          "pandas.DataFrame(numpy.load('@')).to_csv('#', index=False)\"",
                                          ".csv"};
    const foreign_content *foreign = foreign_content_find(r->bytes, r->size);
    if (!json_stream_begins(r->bytes, r->size)) {
        char remedy[600];
        if (r->size >= 6 && memcmp(r->bytes, "\x93NUMPY", 6) == 0)
            foreign = &array;
        if (!foreign)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: is no text; expected a table (CSV, TSV) or a JSON export of annotations", r->path);
        foreign_remedy(foreign, r->path, remedy, sizeof remedy);
        return error_set(error, GBV_BAD_INPUT, "%s: seems to be %s, which is not read here: %s", r->path, foreign->name,
                         remedy);
    }
    json_stream stream;
    json_stream_open(&stream, r->path, r->bytes, r->size);
    gbv_status status = json_stream_next(&stream, error);
    if (status == GBV_OK && !stream.element)
        status = error_set(error, GBV_BAD_INPUT, "%s: holds no tasks: export them again", r->path);
    else if (status == GBV_OK)
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: is JSON, but its tasks have neither \"annotations\" (Label Studio), \"annotator\" "
                           "(JSON-MIN) nor \"responses\" (Argilla): export it again, or write a CSV with task, "
                           "annotator and label",
                           r->path);
    json_stream_close(&stream);
    return status;
}

static gbv_status import(annotation_reading *r, gbv_error *error)
{
    gbv_annotations *out = r->out;
    if (r->size == 0)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is empty; expected a table or a JSON export of annotations: export it again", r->path);
    if (!hash_sha256(r->bytes, r->size, out->sha256))
        return error_set(error, GBV_FAILED, "%s: its SHA-256 could not be computed", r->path);
    const importer *taker = NULL;
    for (size_t i = 0; !taker && importer_at(i); i++)
        if (importer_at(i)->recognise(r->bytes, r->size))
            taker = importer_at(i);
    gbv_status status = taker ? taker->read(r, error) : refuse(r, error);
    if (status == GBV_OK && !out->without_controls)
        status = control_check(r, error);
    if (status == GBV_OK && out->count == 0)
        status = error_set(
            error, GBV_BAD_INPUT,
            "%s: holds no annotation that can be used (%zu cancelled, %zu without a label, %zu drafts, %zu without an "
            "annotator): export tasks that are labelled",
            r->path, out->cancelled, out->empty, out->drafts, out->nobody);
    return status;
}

gbv_status gbv_annotations_read(const char *path, const gbv_annotation_options *options, gbv_annotations **annotations,
                                gbv_error *error)
{
    static const gbv_annotation_options defaults = {0};
    annotation_reading r = {.path = path, .options = options ? options : &defaults};
    mapped_file file;
    *annotations = NULL;
    if (!text_is_utf8(path, strlen(path)))
        return error_set(error, GBV_BAD_INPUT, "%s: the name is not valid UTF-8, as results need: rename the file",
                         path);
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    r.bytes = file.bytes;
    r.size = file.size;
    if ((r.out = memory_zeroed(1, sizeof *r.out)) && (r.out->path = strdup(path)))
        status = import(&r, error);
    else
        status = error_out_of_memory(error, "the annotations");
    text_table_free(&r.controls);
    mapped_file_close(&file);
    if (status == GBV_OK)
        *annotations = r.out;
    else
        gbv_annotations_free(r.out);
    return status;
}

void gbv_annotations_free(gbv_annotations *annotations)
{
    if (!annotations)
        return;
    for (size_t i = 0; annotations->files && i < annotations->tasks.count; i++)
        free(annotations->files[i]);
    free(annotations->files);
    text_table_free(&annotations->tasks);
    text_table_free(&annotations->annotators);
    text_table_free(&annotations->annotator_keys);
    text_table_free(&annotations->labels);
    free(annotations->list);
    free(annotations->path);
    free(annotations);
}

size_t gbv_annotations_count(const gbv_annotations *annotations)
{
    return annotations->count;
}

size_t gbv_annotations_gold_count(const gbv_annotations *annotations)
{
    return annotations->gold_count;
}
