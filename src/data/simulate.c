/* simulate.c - annotators with known mistakes, made from a labelled dataset (paper, section 6.1): the rows of each
 * class are shuffled and dealt out in equal shares, then each annotator's labels go wrong at its own rate. */
#include <gbv/data.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/random.h"
#include "base/sentence.h"
#include "data/array_writer.h"
#include "data/dataset.h"
#include "data/image_store.h"
#include "data/small_csv.h"

/* Usable rows of a dataset, class by class, shuffled within each class. */
typedef struct class_rows {
    size_t *rows;
    size_t *first; /* class_count + 1 */
} class_rows;

typedef enum confusion_kind { CONFUSE_UNIFORM, CONFUSE_NEXT, CONFUSE_SHARES } confusion_kind;

typedef struct simulator {
    const gbv_simulation *plan;
    const gbv_dataset *train, *test;
    const char *folder;
    bool folder_is_new;
    char *annotators; /* the folder inside it */
    confusion_kind confusion;
    double *shares; /* C x C cumulated shares of the wrong classes, for CONFUSE_SHARES */
    class_rows train_rows, test_rows;
    double *wrong_share; /* realised, per annotator */
    size_t *row_count;   /* per annotator */
    size_t reference_count, test_count;
    char **written; /* paths, to be taken back on failure */
    size_t written_count, written_capacity;
} simulator;

static gbv_status check_plan(const simulator *s, gbv_error *error)
{
    const gbv_simulation *plan = s->plan;
    bool any_noise = false;
    if (plan->annotators == 0 || !plan->noise)
        return error_set(error, GBV_USAGE, "no annotator was asked for: give one noise rate for each");
    for (size_t i = 0; i < plan->annotators; i++) {
        if (!(plan->noise[i] >= 0 && plan->noise[i] <= 1))
            return error_set(error, GBV_USAGE, "the noise rate of annotator %zu is %g; expected a number from 0 to 1",
                             i, plan->noise[i]);
        any_noise = any_noise || plan->noise[i] > 0;
    }
    if (plan->reference_per_class && !s->test)
        return error_set(error, GBV_USAGE, "a reference needs a dataset to take it from: give a test dataset too");
    if (s->train->kind == LABELS_NONE)
        return error_set(error, GBV_BAD_INPUT, "%s: has no labels: annotators are made from labelled rows",
                         s->train->name);
    if (any_noise && s->train->class_count < 2)
        return error_set(error, GBV_BAD_INPUT, "%s: has one class only, so no label can go wrong: give two at least",
                         s->train->name);
    return GBV_OK;
}

static gbv_status check_test(const simulator *s, gbv_error *error)
{
    const gbv_dataset *train = s->train, *test = s->test;
    if (!test)
        return GBV_OK;
    if (test->kind == LABELS_NONE)
        return error_set(error, GBV_BAD_INPUT, "%s: has no labels: reference and test rows need them", test->name);
    if (test->kind != train->kind)
        return error_set(error, GBV_BAD_INPUT, "%s has integer labels and %s text labels: both must have the same kind",
                         test->kind == LABELS_INTEGER ? test->name : train->name,
                         test->kind == LABELS_INTEGER ? train->name : test->name);
    if (test->features.columns != train->features.columns)
        return error_set(error, GBV_BAD_INPUT, "%s has %zu features a row, %s has %zu: both must have the same",
                         test->name, test->features.columns, train->name, train->features.columns);
    if (train == test || dataset_share_a_file(train, test))
        return error_set(error, GBV_BAD_INPUT,
                         "%s and %s hold the same rows, so the reference would not be disjoint from the annotators: "
                         "split the rows into two files first",
                         train->name, test->name);
    return GBV_OK;
}

/* One line of the table of shares, cumulated over the other classes so that a draw is one search. */
static gbv_status read_share_row(const simulator *s, const small_csv *csv, size_t row, gbv_error *error)
{
    size_t classes = s->train->class_count;
    const char *path = s->plan->confusion;
    double sum = 0;
    if (csv->records[row].count != classes)
        return error_set(error, GBV_BAD_INPUT, "%s: line %zu has %zu cells; expected %zu, one for each class", path,
                         csv->records[row].line, csv->records[row].count, classes);
    for (size_t j = 0; j < classes; j++) {
        const char *cell = small_csv_cell(csv, row, j);
        double value;
        if (!number_parse(cell, cell + strlen(cell), &value) || !(value >= 0 && value < INFINITY)) {
            sentence found = {0};
            sentence_quote(&found, cell);
            return error_set(error, GBV_BAD_INPUT, "%s: line %zu, column %zu holds %s; expected a share of 0 or more",
                             path, csv->records[row].line, j + 1, found.text);
        }
        sum += j == row ? 0 : value;
        s->shares[row * classes + j] = sum;
    }
    if (!(sum > 0 && sum < INFINITY))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: line %zu leaves no share for any wrong class: give at least one beside the diagonal",
                         path, csv->records[row].line);
    return GBV_OK;
}

static gbv_status read_confusion(simulator *s, gbv_error *error)
{
    const char *confusion = s->plan->confusion;
    size_t classes = s->train->class_count;
    if (!confusion || strcmp(confusion, "uniform") == 0 || strcmp(confusion, "next") == 0) {
        s->confusion = confusion && *confusion == 'n' ? CONFUSE_NEXT : CONFUSE_UNIFORM;
        return GBV_OK;
    }
    small_csv csv;
    gbv_status status = small_csv_read(confusion, &csv, error);
    if (status != GBV_OK)
        return status;
    s->confusion = CONFUSE_SHARES;
    if (csv.record_count != classes)
        status = error_set(error, GBV_BAD_INPUT, "%s: has %zu lines; expected %zu, one for each class of %s", confusion,
                           csv.record_count, classes, s->train->name);
    else if (!(s->shares = memory_array(classes * classes, sizeof *s->shares)))
        status = error_out_of_memory(error, "the table of shares");
    for (size_t i = 0; i < classes && status == GBV_OK; i++)
        status = read_share_row(s, &csv, i, error);
    small_csv_free(&csv);
    return status;
}

/* The split of a class depends on the seed, the dataset's role and the class, on nothing else. */
static gbv_status sort_rows(const simulator *s, const gbv_dataset *dataset, const char *role, class_rows *out,
                            gbv_error *error)
{
    size_t classes = dataset->class_count;
    out->rows = memory_array(dataset->row_count, sizeof *out->rows);
    out->first = memory_zeroed(classes + 2, sizeof *out->first);
    if (!out->rows || !out->first)
        return error_out_of_memory(error, "the rows of each class");
    for (size_t i = 0; i < dataset->row_count; i++)
        out->first[dataset->labels[i] + 2]++;
    for (size_t c = 2; c < classes + 2; c++)
        out->first[c] += out->first[c - 1];
    for (size_t i = 0; i < dataset->row_count; i++) /* leaves first[c] where class c begins */
        out->rows[out->first[dataset->labels[i] + 1]++] = i;
    for (size_t c = 0; c < classes; c++) {
        char *subject;
        if (asprintf(&subject, "%s/%s", role, dataset->class_names[c]) < 0)
            return error_out_of_memory(error, "the rows of each class");
        random_stream stream = random_stream_open(s->plan->seed, subject, RANDOM_SPLIT);
        random_shuffle(&stream, out->rows + out->first[c], out->first[c + 1] - out->first[c]);
        free(subject);
    }
    return GBV_OK;
}

static gbv_status too_few(const gbv_dataset *dataset, size_t class_index, size_t found, size_t needed, const char *what,
                          gbv_error *error)
{
    sentence name = {0};
    sentence_quote(&name, dataset->class_names[class_index]);
    return error_set(error, GBV_BAD_INPUT, "%s: class %s has %zu rows, %zu are needed for %s: ask for fewer",
                     dataset->name, name.text, found, needed, what);
}

static gbv_status check_counts(const simulator *s, gbv_error *error)
{
    const gbv_simulation *plan = s->plan;
    size_t needed, each = plan->per_class ? plan->per_class : 1;
    if (__builtin_mul_overflow(each, plan->annotators, &needed))
        needed = SIZE_MAX;
    for (size_t c = 0; c < s->train->class_count; c++) {
        size_t found = s->train_rows.first[c + 1] - s->train_rows.first[c];
        if (found < needed)
            return too_few(s->train, c, found, needed, "the annotators", error);
    }
    for (size_t c = 0; s->test && c < s->test->class_count; c++) {
        size_t found = s->test_rows.first[c + 1] - s->test_rows.first[c];
        if (found < plan->reference_per_class)
            return too_few(s->test, c, found, plan->reference_per_class, "the reference", error);
    }
    return GBV_OK;
}

/* The annotators get a folder of their own, which `gbv value --sources` takes as it is. Nothing that was there before
 * is ever replaced. */
static gbv_status make_folders(simulator *s, gbv_error *error)
{
    s->folder_is_new = mkdir(s->folder, 0777) == 0;
    if (!s->folder_is_new && errno == EEXIST) {
        struct dirent **entries;
        int count = scandir(s->folder, &entries, NULL, NULL);
        for (int i = 0; i < count; i++)
            free(entries[i]);
        if (count >= 0)
            free(entries);
        if (count > 2) /* "." and ".." */
            return error_set(error, GBV_FAILED, "%s: the folder is not empty: name a new one, or remove it first",
                             s->folder);
        errno = count < 0 ? ENOTDIR : 0;
    }
    int problem = s->folder_is_new ? 0 : errno;
    if (asprintf(&s->annotators, "%s/annotators", s->folder) < 0) {
        s->annotators = NULL;
        return error_out_of_memory(error, "a file name");
    }
    if (problem || mkdir(s->annotators, 0777) != 0)
        return error_set(error, GBV_FAILED, "%s: the folder cannot be created (%s): choose another place", s->folder,
                         strerror(problem ? problem : errno));
    return GBV_OK;
}

/* The path of a file of the folder, entered in the list of what was written. */
static const char *name_file(simulator *s, const char *name, const char *extension)
{
    char *path;
    if (!memory_grow(&s->written, &s->written_capacity, s->written_count + 1, sizeof *s->written) ||
        asprintf(&path, "%s/%s%s", s->folder, name, extension) < 0)
        return NULL;
    return s->written[s->written_count++] = path;
}

/* Writes usable rows of the dataset with the given classes as labels. `rows` become rows of the file's features. */
static gbv_status write_rows(simulator *s, const char *name, const gbv_dataset *dataset, size_t *rows,
                             const int32_t *labels, size_t count, gbv_error *error)
{
    npz_writer npz;
    int64_t *integers = memory_array(count, sizeof *integers);
    unsigned char *image = memory_array(dataset->features.columns, 1);
    const char *path = integers && image ? name_file(s, name, ".npz") : NULL;
    if (!path) {
        free(integers);
        free(image);
        return error_out_of_memory(error, name);
    }
    for (size_t i = 0; i < count && dataset->row_index; i++)
        rows[i] = dataset->row_index[rows[i]];
    gbv_status status = npz_open(path, &npz, error);
    if (status == GBV_OK) {
        array y = array_labels(dataset, labels, count, integers);
        array x = array_of_dataset(dataset, rows, count, image);
        /* Three columns of pixels would be taken for channels: such rows stay flat. */
        if (dataset->shape.channels_last || (dataset->shape.width != 1 && dataset->shape.width != 3))
            x.shape = dataset->shape;
        status = npz_add(&npz, "x", x, error);
        if (status == GBV_OK)
            status = image_store_check(dataset->images, error);
        if (status == GBV_OK)
            status = npz_add(&npz, "y", y, error);
        status = npz_close(&npz, status, error);
    }
    if (status != GBV_OK) /* the writer left nothing behind, and an older file is not ours to remove */
        free(s->written[--s->written_count]);
    free(integers);
    free(image);
    return status;
}

static int32_t wrong_class(const simulator *s, random_stream *stream, int32_t right)
{
    size_t classes = s->train->class_count;
    if (s->confusion == CONFUSE_NEXT)
        return (int32_t)(((size_t)right + 1) % classes);
    if (s->confusion == CONFUSE_UNIFORM) {
        int32_t drawn = (int32_t)random_below(stream, classes - 1);
        return drawn + (drawn >= right);
    }
    const double *cumulated = s->shares + (size_t)right * classes;
    double draw = random_uniform(stream) * cumulated[classes - 1];
    int32_t drawn = 0, last = -1;
    for (; (size_t)drawn < classes; drawn++) {
        double before = drawn ? cumulated[drawn - 1] : 0;
        if (drawn == right || cumulated[drawn] == before)
            continue;
        last = drawn;
        if (draw < cumulated[drawn])
            break;
    }
    return last;
}

/* Makes labels wrong at the annotator's rate; returns how many. */
static gbv_status add_noise(const simulator *s, const char *name, double rate, int32_t *labels, size_t count,
                            size_t *wrong, gbv_error *error)
{
    random_stream stream = random_stream_open(s->plan->seed, name, RANDOM_LABEL_NOISE);
    *wrong = 0;
    if (!s->plan->exact_count) {
        for (size_t i = 0; i < count; i++)
            if (random_uniform(&stream) < rate) {
                labels[i] = wrong_class(s, &stream, labels[i]);
                ++*wrong;
            }
        return GBV_OK;
    }
    size_t *order = memory_array(count, sizeof *order);
    if (!order)
        return error_out_of_memory(error, name);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    random_shuffle(&stream, order, count);
    *wrong = (size_t)floor(rate * (double)count + 1e-9); /* 0.29 * 100 is 28.999... in binary, and 29 to people */
    for (size_t i = 0; i < *wrong; i++)
        labels[order[i]] = wrong_class(s, &stream, labels[order[i]]);
    free(order);
    return GBV_OK;
}

static void shuffle_rows(const simulator *s, const char *name, size_t *rows, size_t count)
{
    random_stream stream = random_stream_open(s->plan->seed, name, RANDOM_ORDER);
    random_shuffle(&stream, rows, count);
}

/* Rows offset*each .. (offset+1)*each-1 of every class; `each` 0: an equal share. Returns how many. */
static size_t take_share(const class_rows *from, size_t classes, size_t offset, size_t each, size_t shares,
                         size_t *rows)
{
    size_t count = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t take = each ? each : (from->first[c + 1] - from->first[c]) / shares;
        memcpy(rows + count, from->rows + from->first[c] + offset * take, take * sizeof *rows);
        count += take;
    }
    return count;
}

static gbv_status write_annotator(simulator *s, size_t index, size_t *rows, int32_t *labels, gbv_error *error)
{
    char name[40], file[60];
    size_t wrong;
    snprintf(name, sizeof name, "annotator-%zu", index);
    snprintf(file, sizeof file, "annotators/%s", name);
    size_t count =
        take_share(&s->train_rows, s->train->class_count, index, s->plan->per_class, s->plan->annotators, rows);
    shuffle_rows(s, name, rows, count);
    for (size_t i = 0; i < count; i++)
        labels[i] = s->train->labels[rows[i]];
    gbv_status status = add_noise(s, name, s->plan->noise[index], labels, count, &wrong, error);
    if (status != GBV_OK)
        return status;
    s->row_count[index] = count;
    s->wrong_share[index] = (double)wrong / (double)count;
    return write_rows(s, file, s->train, rows, labels, count, error);
}

/* The reference takes its share of each class; what remains, in the file's order, is for testing. */
static gbv_status write_reference_and_test(simulator *s, size_t *rows, int32_t *labels, gbv_error *error)
{
    gbv_status status = GBV_OK;
    const gbv_dataset *test = s->test;
    size_t each = s->plan->reference_per_class, count = 0;
    unsigned char *taken = memory_zeroed(test->row_count, 1);
    if (!taken)
        return error_out_of_memory(error, "the test rows");
    if (each) {
        s->reference_count = take_share(&s->test_rows, test->class_count, 0, each, 1, rows);
        shuffle_rows(s, "reference", rows, s->reference_count);
        for (size_t i = 0; i < s->reference_count; i++) {
            labels[i] = test->labels[rows[i]];
            taken[rows[i]] = 1;
        }
        status = write_rows(s, "reference", test, rows, labels, s->reference_count, error);
    }
    for (size_t i = 0; i < test->row_count; i++)
        if (!taken[i]) {
            labels[count] = test->labels[i];
            rows[count++] = i;
        }
    s->test_count = count;
    if (status == GBV_OK && count)
        status = write_rows(s, "test", test, rows, labels, count, error);
    free(taken);
    return status;
}

/* What was done, for whoever finds the folder later. */
static gbv_status write_record(simulator *s, gbv_error *error)
{
    const gbv_simulation *plan = s->plan;
    const char *path = name_file(s, "simulation", ".json");
    if (!path)
        return error_out_of_memory(error, "simulation.json");
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status == GBV_OK) {
        json_writer json = json_open(output.stream);
        json_begin_object(&json, NULL);
        json_count(&json, "seed", plan->seed);
        json_text(&json, "confusion", plan->confusion ? plan->confusion : "uniform");
        json_bool(&json, "exact_count", plan->exact_count);
        json_count(&json, "classes", s->train->class_count);
        json_count(&json, "reference_rows", s->reference_count);
        json_count(&json, "test_rows", s->test_count);
        json_begin_array(&json, "annotators");
        for (size_t i = 0; i < plan->annotators; i++) {
            char name[40];
            snprintf(name, sizeof name, "annotator-%zu", i);
            json_begin_object(&json, NULL);
            json_text(&json, "name", name);
            json_count(&json, "rows", s->row_count[i]);
            json_number(&json, "noise", plan->noise[i]);
            json_number(&json, "wrong_share", s->wrong_share[i]);
            json_end(&json);
        }
        json_end(&json);
        json_end(&json);
        status = output_commit(&output, error);
    }
    if (status != GBV_OK)
        free(s->written[--s->written_count]);
    return status;
}

static gbv_status write_all(simulator *s, gbv_error *error)
{
    size_t most = s->train->row_count;
    if (s->test && s->test->row_count > most)
        most = s->test->row_count;
    size_t *rows = memory_array(most, sizeof *rows);
    int32_t *labels = memory_array(most, sizeof *labels);
    s->row_count = memory_zeroed(s->plan->annotators, sizeof *s->row_count);
    s->wrong_share = memory_zeroed(s->plan->annotators, sizeof *s->wrong_share);
    gbv_status status = rows && labels && s->row_count && s->wrong_share
                            ? make_folders(s, error)
                            : error_out_of_memory(error, "the rows of an annotator");
    for (size_t i = 0; i < s->plan->annotators && status == GBV_OK; i++)
        if (s->plan->progress && s->plan->progress(s->plan->context, "annotators", i, s->plan->annotators))
            status =
                error_set(error, GBV_INTERRUPTED, "interrupted after %zu of %zu annotators", i, s->plan->annotators);
        else
            status = write_annotator(s, i, rows, labels, error);
    if (status == GBV_OK && s->test)
        status = write_reference_and_test(s, rows, labels, error);
    if (status == GBV_OK)
        status = write_record(s, error);
    free(rows);
    free(labels);
    return status;
}

gbv_status gbv_simulate(const gbv_dataset *train, const gbv_dataset *test, const gbv_simulation *simulation,
                        const char *folder, gbv_error *error)
{
    simulator s = {.plan = simulation, .train = train, .test = test, .folder = folder};
    gbv_status status = check_plan(&s, error);
    if (status == GBV_OK)
        status = check_test(&s, error);
    if (status == GBV_OK)
        status = read_confusion(&s, error);
    if (status == GBV_OK)
        status = sort_rows(&s, train, "train", &s.train_rows, error);
    if (status == GBV_OK && test)
        status = sort_rows(&s, test, "test", &s.test_rows, error);
    if (status == GBV_OK)
        status = check_counts(&s, error);
    if (status == GBV_OK)
        status = write_all(&s, error);
    for (size_t i = 0; i < s.written_count; i++) {
        if (status != GBV_OK)
            unlink(s.written[i]);
        free(s.written[i]);
    }
    if (status != GBV_OK && s.annotators)
        rmdir(s.annotators);
    if (status != GBV_OK && s.folder_is_new)
        rmdir(folder);
    free(s.annotators);
    free(s.written);
    free(s.shares);
    free(s.train_rows.rows);
    free(s.train_rows.first);
    free(s.test_rows.rows);
    free(s.test_rows.first);
    free(s.row_count);
    free(s.wrong_share);
    return status;
}
