/* array_writer.h - arrays as NPY and NPZ files that numpy.load reads; a file appears whole or not at all.
 *
 *     status = npy_write_file("weights.npy", array_f64(weights, n), error);
 *
 *     npz_writer npz;
 *     status = npz_open("reference.npz", &npz, error);
 *     if (status == GBV_OK)
 *         status = npz_add(&npz, "x", array_rows(features, rows, n), error);
 *     if (status == GBV_OK)
 *         status = npz_add(&npz, "y", array_text(class_names, labels, n), error);
 *     status = npz_close(&npz, status, error);
 */
#ifndef DATA_ARRAY_WRITER_H
#define DATA_ARRAY_WRITER_H

#include <stdio.h>

#include <gbv/data.h>

#include "base/output.h"

/* What to write, borrowed: numbers keep their type and are written dense, row-major, little-endian. */
typedef struct array {
    gbv_matrix numbers;         /* data NULL for text */
    const size_t *rows;         /* which rows of `numbers`; NULL: the first `count` */
    const char *const *texts;   /* text: one per row, or what `codes` index; valid UTF-8 */
    const int32_t *codes;       /* NULL: row i is texts[i] */
    size_t count;               /* rows to write */
    struct image_store *images; /* where rows of `numbers` that are not in memory come from; NULL: all are */
    unsigned char *image;       /* room for one of these */
    bool vector;                /* one dimension instead of two */
    gbv_image_shape shape;      /* what the rows are images of: their axes are written; zero: rows are flat */
} array;

array array_f64(const double *values, size_t count);
array array_i32(const int32_t *values, size_t count);
array array_i64(const int64_t *values, size_t count);
array array_matrix(gbv_matrix matrix);
/* Rows of a matrix in the given order; rows NULL: the first `count`. */
array array_rows(gbv_matrix matrix, const size_t *rows, size_t count);
/* The same of a dataset. Images that are not in memory are decoded into `image`, which holds a row of them: whether
 * that went well is asked with image_store_check when all is written. */
array array_of_dataset(const gbv_dataset *dataset, const size_t *rows, size_t count, unsigned char *image);
/* A vector of text (NumPy's unicode type): texts[codes[i]], or texts[i] with codes NULL. */
array array_text(const char *const *texts, const int32_t *codes, size_t count);

/* Labels as a dataset had them, integers or text: dataset->class_names[labels[i]]. `integers` is room for `count`. */
array array_labels(const gbv_dataset *dataset, const int32_t *labels, size_t count, int64_t *integers);

/* Writes one NPY array; the caller checks the stream (output_check, output_commit). */
void npy_write(FILE *stream, array a);
/* The same in pieces: first the header of the whole array, of which only type, sizes and `count` matter, then rows
 * until there are so many. */
void npy_write_header(FILE *stream, array a);
void npy_write_rows(FILE *stream, array a);
/* The same as a file; path NULL or "-" is standard output. */
GBV_MUST_CHECK gbv_status npy_write_file(const char *path, array a, gbv_error *error);

enum { NPZ_ARRAYS = 8 };

typedef struct npz_writer {
    output_file output;
    struct npz_entry {
        char name[60]; /* with .npy */
        uint32_t crc, size, offset;
    } entries[NPZ_ARRAYS];
    size_t count;
    uint64_t position;
} npz_writer;

GBV_MUST_CHECK gbv_status npz_open(const char *path, npz_writer *npz, gbv_error *error);
/* Fails for an archive of 4 GiB and more, which this writer does not make. */
GBV_MUST_CHECK gbv_status npz_add(npz_writer *npz, const char *name, array a, gbv_error *error);
/* With `status` GBV_OK finishes the file; otherwise forgets it. Returns the final status. */
GBV_MUST_CHECK gbv_status npz_close(npz_writer *npz, gbv_status status, gbv_error *error);

#endif
