/* annotation.h - the inside of gbv_annotations: a flat list of who gave which label to which task, and how importers
 * fill it. A new importer is one file here and one line in importers.def. */
#ifndef DATA_ANNOTATION_ANNOTATION_H
#define DATA_ANNOTATION_ANNOTATION_H

#include <gbv/annotation.h>

#include "base/text_table.h"

#define ANNOTATION_NO_TIME INT64_MIN

typedef struct annotation {
    int64_t time; /* microseconds since 1970, to tell the last; ANNOTATION_NO_TIME when the file has none */
    int32_t task, annotator, label;
    bool gold; /* marked as ground truth */
} annotation;

struct gbv_annotations {
    char *path;
    char sha256[65];
    annotation *list; /* in the order of the file */
    size_t count, capacity;
    text_table tasks; /* each task's id, or its file name when it has none */
    char **files;     /* the file that each task shows; NULL: its id may be one */
    size_t file_capacity;
    text_table annotators;     /* names as shown */
    text_table annotator_keys; /* what the file says of each of them, so that no two become one */
    text_table labels;
    size_t gold_count;
    size_t cancelled, empty, drafts, nobody; /* left out: withdrawn, without a label, unfinished, without annotator */
    bool without_annotators;                 /* a table of tasks and labels: fit for gold only */
    bool without_controls;                   /* a table: it has labels, no answers to several questions */
    bool tasks_are_rows;                     /* a table without tasks: they are its rows, counted from 0 */
    size_t table_rows;                       /* how many, then */
    bool marks_gold;                         /* the form says which annotations are ground truth */
};

/* A file that is being imported. */
typedef struct annotation_reading {
    const char *path;
    const unsigned char *bytes;
    size_t size;
    const gbv_annotation_options *options; /* never NULL */
    gbv_annotations *out;
    text_table controls;  /* met so far, of those that can be read */
    gbv_error unreadable; /* the first control that cannot; an empty message when there is none */
} annotation_reading;

typedef struct importer {
    const char *name;
    const char *summary;
    bool (*recognise)(const unsigned char *bytes, size_t size);
    gbv_status (*read)(annotation_reading *r, gbv_error *error);
} importer;

const importer *importer_at(size_t index); /* NULL past the last */

/* One annotation as an importer found it. Texts are borrowed. */
typedef struct annotation_fields {
    const char *task;  /* its id; NULL: none, then it must have a file */
    const char *file;  /* the file it shows; NULL: none */
    const char *id;    /* of the annotator; NULL: none, then it must have a name */
    const char *who;   /* the annotator's name or e-mail */
    const char *label; /* not empty */
    const char *time;  /* ISO 8601; NULL: none */
    bool gold;
} annotation_fields;

/* Adds it to the list. `place` ("line 3", "task 17") is for messages. */
GBV_MUST_CHECK gbv_status annotation_add(annotation_reading *r, const annotation_fields *fields, const char *place,
                                         gbv_error *error);

/* Whether answers of this control count: those of the one asked for, or of the first met. */
GBV_MUST_CHECK gbv_status control_choose(annotation_reading *r, const char *name, bool *chosen, gbv_error *error);
/* A control's answers are of a type that is no single label: fails when it was asked for, else remembers that. */
GBV_MUST_CHECK gbv_status control_refuse(annotation_reading *r, const char *name, const char *type, const char *place,
                                         gbv_error *error);
/* At the end of the file: fails when several controls might have been meant, or none could be read. */
GBV_MUST_CHECK gbv_status control_check(const annotation_reading *r, gbv_error *error);

/* Microseconds since 1970 of 2021-03-09T22:16:08.728378Z and the like; ANNOTATION_NO_TIME for what is none. */
int64_t annotation_time(const char *text);

/* How much of the text is a whole number of 64 bits, 0 when it is none: "1.0" is how a table with blanks writes 1. */
size_t annotation_whole_number(const char *text);

enum { FILE_NAME_TEXT = 256 };
/* The name of the file that a path or an address shows, without its folder and query; false when it shows none. */
bool annotation_file_name(const char *text, char name[FILE_NAME_TEXT]);

#endif
