#include "data/annotation/task_join.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sentence.h"

#define AMBIGUOUS (SIZE_MAX - 1)

/* Rows by a name; AMBIGUOUS where two share it. */
typedef struct name_index {
    text_table names;
    size_t *rows, capacity;
} name_index;

static void name_index_free(name_index *index)
{
    text_table_free(&index->names);
    free(index->rows);
}

static bool name_index_add(name_index *index, const char *name, size_t length, size_t row)
{
    size_t known = index->names.count;
    if (!memory_grow(&index->rows, &index->capacity, known + 1, sizeof *index->rows))
        return false;
    size_t at = text_table_add(&index->names, name, length);
    if (at == TEXT_NONE)
        return false;
    index->rows[at] = at == known ? row : AMBIGUOUS;
    return true;
}

static size_t name_index_find(const name_index *index, const char *name, size_t length)
{
    size_t at = text_table_find(&index->names, name, length);
    return at == TEXT_NONE ? NO_ROW : index->rows[at];
}

/* 1 and 1.0 are one number, whichever of them a table was written with. */
static size_t id_length(const char *name)
{
    size_t length = annotation_whole_number(name);
    return length ? length : strlen(name);
}

/* Cuts a short extension (.jpg, .jpeg) off; false when there is none. */
static bool cut_extension(char *name)
{
    char *dot = strrchr(name, '.');
    if (!dot || dot == name || !dot[1] || strlen(dot) > 6)
        return false;
    for (const char *c = dot + 1; *c; c++)
        if (!isalnum((unsigned char)*c))
            return false;
    *dot = '\0';
    return true;
}

/* The items by their whole names, and for files also by the last part of the path with and without extension. */
typedef struct item_names {
    name_index whole, files, stems;
} item_names;

static gbv_status index_items(const gbv_dataset *items, bool by_file, item_names *names, gbv_error *error)
{
    char file[FILE_NAME_TEXT];
    for (size_t row = 0; row < items->features.rows; row++) {
        const char *name = items->item_names[row];
        if (!name) /* a bad row */
            continue;
        size_t other = name_index_find(&names->whole, name, id_length(name));
        if (other != NO_ROW) {
            sentence quoted = {0};
            sentence_quote(&quoted, name);
            return error_set(error, GBV_BAD_INPUT,
                             "%s: rows %zu and %zu are both named %s: items need names of their own", items->name,
                             other + 1, row + 1, quoted.text);
        }
        bool ok = name_index_add(&names->whole, name, id_length(name), row);
        if (by_file && annotation_file_name(name, file)) {
            ok = ok && name_index_add(&names->files, file, strlen(file), row);
            cut_extension(file);
            ok = ok && name_index_add(&names->stems, file, strlen(file), row);
        }
        if (!ok)
            return error_out_of_memory(error, "the names of the items");
    }
    return GBV_OK;
}

/* Label Studio puts eight hexadecimal digits and a dash before the names of files that are uploaded. */
static const char *behind_upload_prefix(const char *name)
{
    for (int i = 0; i < 8; i++)
        if (!isxdigit((unsigned char)name[i]))
            return NULL;
    return name[8] == '-' && name[9] ? name + 9 : NULL;
}

static size_t find_file(const item_names *names, const char *text)
{
    char file[FILE_NAME_TEXT];
    size_t row = name_index_find(&names->whole, text, id_length(text));
    if (row != NO_ROW || !annotation_file_name(text, file))
        return row;
    const char *cut = behind_upload_prefix(file);
    if ((row = name_index_find(&names->files, file, strlen(file))) == NO_ROW && cut)
        row = name_index_find(&names->files, cut, strlen(cut));
    if (row != NO_ROW)
        return row;
    cut_extension(file);
    if ((row = name_index_find(&names->stems, file, strlen(file))) == NO_ROW && cut)
        row = name_index_find(&names->stems, cut, strlen(cut));
    return row == AMBIGUOUS ? NO_ROW : row;
}

static size_t find_row(const char *task, size_t rows)
{
    if (!isdigit((unsigned char)*task) || !annotation_whole_number(task))
        return NO_ROW;
    unsigned long long row = strtoull(task, NULL, 10);
    return row < rows ? (size_t)row : NO_ROW;
}

const char *task_join_name(const task_join *join, const gbv_annotations *annotations, size_t task)
{
    bool by_file = strcmp(join->by, "file") == 0 && annotations->files[task];
    return by_file ? annotations->files[task] : annotations->tasks.texts[task];
}

/* Three names, to compare by eye. */
static void show_three(sentence *s, const char *const *names, size_t count)
{
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < 3; i++)
        if (names[i]) { /* a bad row has no name */
            sentence_add(s, "%s", shown++ ? ", " : "");
            sentence_quote(s, names[i]);
        }
    sentence_add(s, "%s", count > 3 ? ", ..." : "");
}

static gbv_status no_match(const gbv_annotations *a, const gbv_dataset *items, const task_join *join, gbv_error *error)
{
    sentence s = {0};
    const char *tasks[3] = {0};
    for (size_t i = 0; i < a->tasks.count && i < 3; i++)
        tasks[i] = task_join_name(join, a, i);
    sentence_add(&s, "%.200s: joined by %s, none of its %zu tasks is an item of %.200s: the tasks are ", a->path,
                 join->by, a->tasks.count, items->name);
    show_three(&s, tasks, a->tasks.count);
    if (items->item_names) {
        sentence_add(&s, "; the items are ");
        show_three(&s, (const char *const *)items->item_names, items->features.rows);
    } else
        sentence_add(&s, "; the items have no names, only rows from 0 to %zu", items->features.rows - 1);
    sentence_add(&s, ": choose another --join (id, file, row), or name the items' column with --item-column");
    return error_set(error, GBV_BAD_INPUT, "%s", s.text);
}

static gbv_status choose(const gbv_annotations *a, const gbv_dataset *items, const char *join, const char **by,
                         gbv_error *error)
{
    static const char *const words[] = {"auto", "id", "file", "row"};
    size_t word = 0;
    while (join && word < 4 && strcmp(join, words[word]) != 0)
        word++;
    if (word == 4)
        return error_set(error, GBV_USAGE, "--join is '%.100s'; expected auto, id, file or row", join);
    *by = word                     ? words[word]
          : a->tasks_are_rows      ? "row"
          : !items->item_names     ? "row"
          : items->items_are_files ? "file"
                                   : "id";
    if (a->tasks_are_rows && strcmp(*by, "row") != 0)
        return error_set(error, GBV_USAGE,
                         "%s: has no column of tasks, so that its lines are the items in their order: leave out --join",
                         a->path);
    if (a->tasks_are_rows && a->table_rows != items->features.rows)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has %zu line%s and no column of tasks, but %s has %zu rows: name the tasks in a first "
                         "column \"task\"; a table with a line per annotation has the columns task, worker and label",
                         a->path, a->table_rows, a->table_rows == 1 ? "" : "s", items->name, items->features.rows);
    if (!items->item_names && strcmp(*by, "row") != 0)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its items have no names to join by %s: name their column with --item-column, or use "
                         "--join row",
                         items->name, *by);
    return GBV_OK;
}

/* The file that a task shows, in its own file or in the other; NULL: none. */
static const char *file_of_task(const gbv_annotations *a, const gbv_annotations *known, size_t task)
{
    const char *text = a->tasks.texts[task];
    size_t other = !a->files[task] && known ? text_table_find(&known->tasks, text, id_length(text)) : TEXT_NONE;
    return other == TEXT_NONE ? a->files[task] : known->files[other];
}

static gbv_status match(const gbv_annotations *a, const gbv_annotations *known, const gbv_dataset *items,
                        const item_names *names, task_join *out, gbv_error *error)
{
    for (size_t task = 0; task < a->tasks.count; task++) {
        const char *text = a->tasks.texts[task], *file = file_of_task(a, known, task);
        size_t row = NO_ROW;
        if (strcmp(out->by, "row") == 0)
            row = find_row(text, items->features.rows);
        else if (strcmp(out->by, "id") == 0)
            row = name_index_find(&names->whole, text, id_length(text));
        else if (!file || ((row = find_file(names, file)) == NO_ROW && strpbrk(text, "./")))
            row = find_file(names, text); /* beside a file, the number of a task is no name of another file */
        if (row == AMBIGUOUS) {
            sentence quoted = {0};
            sentence_quote(&quoted, task_join_name(out, a, task));
            return error_set(error, GBV_BAD_INPUT,
                             "%s: two items show a file by the name of task %s: rename one, or join by --join id",
                             items->name, quoted.text);
        }
        out->row_of_task[task] = row;
        if (row == NO_ROW && out->unmatched++ == 0)
            out->stranger = task_join_name(out, a, task);
    }
    return out->unmatched < a->tasks.count ? GBV_OK : no_match(a, items, out, error);
}

gbv_status task_join_open(const gbv_annotations *annotations, const gbv_annotations *known, const gbv_dataset *items,
                          const char *join, task_join *out, gbv_error *error)
{
    item_names names = {0};
    *out = (task_join){0};
    gbv_status status = choose(annotations, items, join, &out->by, error);
    if (status == GBV_OK && !(out->row_of_task = memory_array(annotations->tasks.count, sizeof *out->row_of_task)))
        status = error_out_of_memory(error, "the tasks");
    if (status == GBV_OK && strcmp(out->by, "row") != 0)
        status = index_items(items, strcmp(out->by, "file") == 0, &names, error);
    if (status == GBV_OK)
        status = match(annotations, known, items, &names, out, error);
    name_index_free(&names.whole);
    name_index_free(&names.files);
    name_index_free(&names.stems);
    if (status != GBV_OK)
        task_join_close(out);
    return status;
}

gbv_status task_join_check_rows(const gbv_annotations *annotations, const gbv_dataset *items, const task_join *join,
                                gbv_error *error)
{
    if (strcmp(join->by, "row") != 0 || annotations->tasks_are_rows)
        return GBV_OK;
    for (size_t task = 0; task < annotations->tasks.count; task++)
        if (join->row_of_task[task] == 0)
            return GBV_OK;
    sentence s = {0};
    show_three(&s, (const char *const *)annotations->tasks.texts, annotations->tasks.count);
    return error_set(error, GBV_BAD_INPUT,
                     "%.300s: its tasks are %s, none is 0, and the items of %.300s have no names: that they are its "
                     "rows, counted from 0, is not guessed: name the items' ids with --item-column, or say --join row",
                     annotations->path, s.text, items->name);
}

void task_join_close(task_join *join)
{
    free(join->row_of_task);
    join->row_of_task = NULL;
}
