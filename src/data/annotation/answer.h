/* answer.h - the tasks of a JSON export, and what one answer in it says: one label, none, or something that is no
 * single label. */
#ifndef DATA_ANNOTATION_ANSWER_H
#define DATA_ANNOTATION_ANSWER_H

#include "data/annotation/annotation.h"
#include "data/annotation/json_stream.h"

typedef enum answer_kind { ANSWER_NONE, ANSWER_ONE, ANSWER_SEVERAL, ANSWER_OTHER } answer_kind;

typedef struct answer {
    answer_kind kind;
    const char *label; /* of ANSWER_ONE; borrowed from the value, or points to `number` */
    char number[JSON_NUMBER_TEXT];
} answer;

/* A text, a number, a list with one of these, or Label Studio's {"choices": ["cat"]}, {"rating": 4}, {"number": 3} and
 * {"selected": "left"}. */
void answer_read(const json_t *value, answer *a);

/* Hands every task of a JSON file to `read`, one after the other, up to the first failure. */
typedef gbv_status task_reader(annotation_reading *r, const json_stream *stream, gbv_error *error);
GBV_MUST_CHECK gbv_status tasks_read(annotation_reading *r, task_reader *read, gbv_error *error);

/* Fails for several labels, with advice. */
gbv_status answer_refuse_several(const annotation_reading *r, const char *control, const char *place, gbv_error *error);

/* Tells who an annotator is: an id, a text, or an object with id and email. False when it names nobody. `number` is
 * room for an id. */
bool annotator_read(const json_t *value, annotation_fields *fields, char number[JSON_NUMBER_TEXT]);

/* Which of a task's texts names the file it shows: that of `image`, the only one that looks like a file's path, or the
 * only text there is. Texts are borrowed. */
typedef struct file_guess {
    const char *image, *path, *text;
    size_t paths, texts;
} file_guess;
void file_guess_add(file_guess *guess, const char *key, const char *text);
bool file_guess_name(const file_guess *guess, char name[FILE_NAME_TEXT]); /* false when none does */

/* The file that a task's data show. Keys for which `is_data` is false are passed over (NULL: none is). */
bool data_file_name(const json_t *data, bool (*is_data)(void *context, const char *key), void *context,
                    char name[FILE_NAME_TEXT]);

/* When it was last changed; NULL when that is not said. */
const char *time_read(const json_t *object);

#endif
