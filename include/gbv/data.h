/* data.h - datasets, sources and class names, from files or from memory.
 *
 *     gbv_dataset *reference;
 *     gbv_sources *sources = gbv_sources_create();
 *     gbv_dataset_read("reference.npz", NULL, &reference, &error);
 *     gbv_sources_add_file(sources, "anna", "anna.npz", NULL, &error);
 *     gbv_sources_free(sources), gbv_dataset_free(reference);
 *
 * A dataset argument is PATH, or FEATURES,LABELS for two files; either may be a pattern ('part_*.npy') or a folder of
 * parts, and PATH a folder of images (CLASS/IMAGE). The format is recognised by content: NPY, NPZ, CSV or TSV, IDX,
 * IDX.gz, CIFAR, JPEG and PNG (docs/formats.md).
 */
#ifndef GBV_DATA_H
#define GBV_DATA_H

#include <gbv/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbv_dataset gbv_dataset;
typedef struct gbv_sources gbv_sources;

/* Called for each row that cannot be used, with the sentence that says why. */
typedef void gbv_row_callback(void *context, const char *sentence);

/* The channels of an image folder's pixels. */
typedef enum gbv_color {
    GBV_COLOR_AUTO, /* gray when every image is, else RGB */
    GBV_COLOR_GRAY,
    GBV_COLOR_RGB,
} gbv_color;

/* How to read; a zeroed struct or NULL is the default. */
typedef struct gbv_read_options {
    const char *label_column;  /* CSV column or NPZ array with the labels; NULL: the usual names (docs/formats.md) */
    const char *source_column; /* CSV column or NPZ array that names each row's source; NULL: none */
    const char *item_column;   /* CSV column or NPZ array that names each row's item; NULL: see wants_items */
    bool wants_items;          /* take the items from a column by a usual name (docs/formats.md), if there is one */
    size_t resize;      /* image folders: the shorter side is scaled to this, as Pillow does it; 0: as they are */
    size_t crop;        /* and the middle N x N pixels kept; 0: as many as resize says */
    size_t image_cache; /* bytes of decoded images kept in memory by all datasets together; what does not fit is decoded
                           again when it is needed; 0: a quarter of the machine's memory */
    size_t threads;     /* that decode images; 0: every core */
    gbv_color color;
    bool skip_bad_rows;            /* leave out rows with missing, malformed or non-finite values instead of failing */
    bool features_only;            /* labels are not needed: a dataset without them is not an error */
    gbv_row_callback *on_bad_row;  /* with skip_bad_rows: hears of each such row; may be NULL */
    gbv_row_callback *on_bad_file; /* gbv_sources_add_folder: hears of each unreadable file and goes on; may be NULL */
    void *context;
} gbv_read_options;

/* Reads a dataset; the caller frees it. Binary arrays are mapped, not copied: the file must not be changed meanwhile.
 * Fails with GBV_BAD_INPUT and a sentence that names the file, the row or offset and the remedy. */
GBV_API GBV_MUST_CHECK gbv_status gbv_dataset_read(const char *argument, const gbv_read_options *options,
                                                   gbv_dataset **dataset, gbv_error *error);

/* A dataset over the caller's arrays, which must outlive it. `labels` are class indices into `class_names`; with
 * class_names NULL the labels are the integers themselves; with labels NULL the set is unlabelled. */
GBV_API GBV_MUST_CHECK gbv_status gbv_dataset_create(const char *name, gbv_matrix features, const int32_t *labels,
                                                     const char *const *class_names, size_t class_count,
                                                     gbv_dataset **dataset, gbv_error *error);
/* Names the features, one name a column, as a CSV's header would: features that another dataset or a model names alike
 * must then stand in the same order. The names are copied. */
GBV_API GBV_MUST_CHECK gbv_status gbv_dataset_name_features(gbv_dataset *dataset, const char *const *names,
                                                            gbv_error *error);
GBV_API void gbv_dataset_free(gbv_dataset *dataset);

/* Every row of the file; `data` is NULL when these are images that the cache has no room for. */
GBV_API const gbv_matrix *gbv_dataset_features(const gbv_dataset *dataset);
GBV_API size_t gbv_dataset_rows(const gbv_dataset *dataset); /* usable rows, without skipped ones */
GBV_API size_t gbv_dataset_columns(const gbv_dataset *dataset);
GBV_API size_t gbv_dataset_class_count(const gbv_dataset *dataset); /* distinct labels, sorted; 0 when unlabelled */
GBV_API const char *gbv_dataset_class_name(const gbv_dataset *dataset, size_t class_index);
/* The name of the item that a row shows, counted over every row of the file; NULL when it has none. */
GBV_API const char *gbv_dataset_item(const gbv_dataset *dataset, size_t row);

/* The images whose pixels the rows are. */
typedef struct gbv_image_shape {
    size_t height, width, channels; /* all 0 when the rows are no images, or not known to be */
    bool channels_last;             /* by (row, column, channel) instead of (channel, row, column) */
} gbv_image_shape;

GBV_API gbv_image_shape gbv_dataset_image_shape(const gbv_dataset *dataset);
/* Says that the rows of a dataset the caller made are images of 1 or 3 channels, as networks need: bytes from 0 to 255,
 * other numbers from 0 to 1. Call it before the dataset is used. GBV_BAD_INPUT when the rows are not as long as such
 * images. */
GBV_API GBV_MUST_CHECK gbv_status gbv_dataset_set_images(gbv_dataset *dataset, gbv_image_shape shape, gbv_error *error);

/* Class index of each usable row, or NULL when unlabelled. */
GBV_API const int32_t *gbv_dataset_labels(const gbv_dataset *dataset);

/* An empty collection of sources; NULL when memory is out. */
GBV_API gbv_sources *gbv_sources_create(void);
GBV_API void gbv_sources_free(gbv_sources *sources);

/* One dataset, one source. Names are unique, not empty and valid UTF-8. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_file(gbv_sources *sources, const char *name, const char *argument,
                                                       const gbv_read_options *options, gbv_error *error);
/* Every file of a folder is a source named after it, and so is every folder inside (images, or parts), in the order of
 * the names; hidden ones are passed over. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_folder(gbv_sources *sources, const char *folder,
                                                         const gbv_read_options *options, gbv_error *error);
/* One dataset with a source column (options->source_column): each distinct value is a source, in the order met. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_table(gbv_sources *sources, const char *argument,
                                                        const gbv_read_options *options, gbv_error *error);
/* A dataset the caller made; the collection frees it from now on, even when this fails. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_dataset(gbv_sources *sources, const char *name, gbv_dataset *dataset,
                                                          gbv_error *error);

/* The rows of a dataset the caller made, dealt out to sources: row i belongs to names[row_source[i]]. The sources stand
 * in the order of their first rows, as gbv_sources_add_table has them. The collection frees the dataset from now on,
 * even when this fails; a number without a name is GBV_USAGE. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_grouped(gbv_sources *sources, gbv_dataset *dataset,
                                                          const int32_t *row_source, const char *const *names,
                                                          size_t name_count, gbv_error *error);

/* A source without rows of its own: what some model of it thinks of the reference's rows takes the place of the model
 * that would be fitted. One row for each row of the reference's file (skipped ones included), one column a class, each
 * row adding up to 1. Columns are matched to the reference's classes by `class_names` (one per column); without names,
 * column z is the reference's class z when there are as many, else the columns are the model's own classes. The array
 * must outlive the collection. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_probabilities(gbv_sources *sources, const char *name,
                                                                gbv_matrix probabilities,
                                                                const char *const *class_names, gbv_error *error);
/* The same from a file: CSV with a header of class names, NPY, or NPZ with one array or one named `probabilities`. Of
 * the options skip_bad_rows counts: a bad row is then no error where the reference's row is skipped too. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_probabilities_file(gbv_sources *sources, const char *name,
                                                                     const char *path, const gbv_read_options *options,
                                                                     gbv_error *error);

GBV_API size_t gbv_sources_count(const gbv_sources *sources);
GBV_API const char *gbv_sources_name(const gbv_sources *sources, size_t index);
GBV_API size_t gbv_sources_rows(const gbv_sources *sources, size_t index); /* 0 when given as probabilities */

/* Where the rows of a source come from: its dataset, which sources of one table share, and which row of the dataset's
 * features each of its gbv_sources_rows() is; NULL: row i is row i. They belong to the collection. */
GBV_API const gbv_dataset *gbv_sources_dataset(const gbv_sources *sources, size_t index);
GBV_API const size_t *gbv_sources_row_index(const gbv_sources *sources, size_t index);

/* One number per source from a CSV with the columns source and one other (prior, weight): `numbers` holds
 * gbv_sources_count of them. A source without a line, or a line without a source, is GBV_BAD_INPUT. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_read_numbers(const gbv_sources *sources, const char *path,
                                                           double *numbers, gbv_error *error);

/* Gives the sources' labels the classes that a class map (CSV: label,class and optionally source) says. A class of
 * "-" leaves its rows out. Call after the sources are added, before they are used. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_map_classes(gbv_sources *sources, const char *map_path, gbv_error *error);

/* Writes a class map to edit: every label of the sources, with the class of the reference it matches or comes nearest
 * to; the class is left empty where that would be a guess. `path` NULL writes to stdout. */
GBV_API GBV_MUST_CHECK gbv_status gbv_classes_write(const gbv_dataset *reference, const gbv_sources *sources,
                                                    const char *path, gbv_error *error);

/* Called for each problem found by gbv_check. `warning` marks what would not stop a valuation. */
typedef void gbv_problem_callback(void *context, bool warning, const char *sentence);

/* Every way in which the sources and the reference do not fit together, without training anything: widths, label
 * kinds, class names, empty or one-class sources. Returns the number of problems that would stop a valuation. */
GBV_API size_t gbv_check(const gbv_dataset *reference, const gbv_sources *sources, gbv_problem_callback *callback,
                         void *context);

/* Return true to stop: the call then fails with GBV_INTERRUPTED and leaves nothing behind. */
typedef bool gbv_progress_callback(void *context, const char *stage, size_t done, size_t total);

/* A ready-made callback for programs in which another thread waits: its context is a gbv_progress, which that thread
 * may read meanwhile; setting `stop` there ends the run. */
typedef struct gbv_progress {
    size_t done, total;
    bool stop;
} gbv_progress;

GBV_API bool gbv_progress_note(void *progress, const char *stage, size_t done, size_t total);

/* Annotators made from a labelled dataset (the protocol of the paper, section 6.1), for demonstrations and tests. */
typedef struct gbv_simulation {
    size_t annotators;   /* how many */
    const double *noise; /* one rate in [0, 1] per annotator */
    size_t per_class;    /* rows of each class per annotator; 0: as many as an equal split gives */
    /* "uniform" (any other class), "next" (the next class), or a CSV of C x C shares, one line per true class, whose
     * diagonal is ignored; NULL: uniform */
    const char *confusion;
    bool exact_count;           /* flip exactly floor(rate * n) labels instead of each with that probability */
    size_t reference_per_class; /* rows of each class for the reference; 0: none is written */
    uint64_t seed;
    gbv_progress_callback *progress; /* asked before each annotator; may be NULL */
    void *context;
} gbv_simulation;

/* Writes annotators/annotator-0.npz, ... (from `train`), reference.npz and test.npz (from `test`, disjoint) and
 * simulation.json (what was done) into `folder`, which is created or must be empty; `test` may be NULL when
 * reference_per_class is 0, and test.npz is not written when no row is left for it. The same plan gives the same bytes;
 * an annotator's rows and mistakes depend on the seed and its number, not on the other annotators' rates. A failure
 * takes back what was written. */
GBV_API GBV_MUST_CHECK gbv_status gbv_simulate(const gbv_dataset *train, const gbv_dataset *test,
                                               const gbv_simulation *simulation, const char *folder, gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
