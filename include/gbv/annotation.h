/* annotation.h - who gave which label to which item, from the files that labelling tools export.
 * Paper: section 4.2 (annotators of one set of items).
 *
 *     gbv_dataset_read("items.csv", &(gbv_read_options){.features_only = true, .wants_items = true}, &items, &error);
 *     gbv_annotations_read("export.json", NULL, &annotations, &error);
 *     gbv_annotations_read("gold.csv", NULL, &gold, &error);
 *     gbv_dataset_from_gold(items, gold, annotations, NULL, &reference, &error);
 *     gbv_sources_add_annotations(sources, annotations, items, gold, NULL, &error);
 *
 * Read are long tables (task, worker, label), wide tables (a column per annotator), Label Studio's JSON, JSON-MIN and
 * CSV exports and Argilla's records, recognised by content (docs/formats.md).
 */
#ifndef GBV_ANNOTATION_H
#define GBV_ANNOTATION_H

#include <gbv/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbv_annotations gbv_annotations;

/* A zeroed struct or NULL is the default. The same options serve all calls about one set of annotations. */
typedef struct gbv_annotation_options {
    const char *control; /* Label Studio's control or Argilla's question to read; NULL: the only one there is */
    /* How tasks are joined to items: "id" (by the items' names), "file" (by file names), "row" (the task is the item's
     * row, from 0), or "auto" and NULL: id, or file where the items are files, or row where they have no names and a
     * task is 0 */
    const char *join;
    bool show_emails;   /* name annotators by their e-mail; otherwise a name that does not tell it is made */
    bool allow_overlap; /* items that have a gold label stay among the annotators' rows */
} gbv_annotation_options;

/* Reads a file of annotations or gold labels; the caller frees it. JSON is read task by task, so that memory stays far
 * below the size of the file. Fails with GBV_BAD_INPUT and a sentence that names the line or task. */
GBV_API GBV_MUST_CHECK gbv_status gbv_annotations_read(const char *path, const gbv_annotation_options *options,
                                                       gbv_annotations **annotations, gbv_error *error);
GBV_API void gbv_annotations_free(gbv_annotations *annotations);

GBV_API size_t gbv_annotations_count(const gbv_annotations *annotations);
/* How many of them the file marks as ground truth. */
GBV_API size_t gbv_annotations_gold_count(const gbv_annotations *annotations);

/* Adds one source per annotator: the rows of the items that it labelled, in the order of the items. Of two labels that
 * an annotator gave to an item the last counts. Items with a gold label (`gold` NULL: none) are left out unless
 * allowed. What was left out is told by gbv_sources_note. The items must have been read with wants_items, and may be
 * freed afterwards, as may the annotations. A collection takes annotations once. */
GBV_API GBV_MUST_CHECK gbv_status gbv_sources_add_annotations(gbv_sources *sources, const gbv_annotations *annotations,
                                                              gbv_dataset *items, const gbv_annotations *gold,
                                                              const gbv_annotation_options *options, gbv_error *error);

/* The items that have a gold label, as a reference; the caller frees it. Where items are joined by file, a gold label
 * that has only the id of a task goes to the file that this task shows in `annotations` (NULL: none). Of a file that
 * marks some annotations as ground truth (Label Studio's JSON) only those count. Two gold labels for one item that
 * differ are GBV_BAD_INPUT. The items may be freed before the reference. */
GBV_API GBV_MUST_CHECK gbv_status gbv_dataset_from_gold(gbv_dataset *items, const gbv_annotations *gold,
                                                        const gbv_annotations *annotations,
                                                        const gbv_annotation_options *options, gbv_dataset **reference,
                                                        gbv_error *error);

/* A sentence about what was joined and left out when annotations were added; NULL past the last. The result of
 * a valuation repeats them. */
GBV_API const char *gbv_sources_note(const gbv_sources *sources, size_t index);

#ifdef __cplusplus
}
#endif
#endif
