/* annotation_fuzz.h - what the targets of the importers share: bytes that one of the family takes are read with and
 * without options, joined to items every way, and used as gold. */
#ifndef ANNOTATION_FUZZ_H
#define ANNOTATION_FUZZ_H

#include <string.h>

#include <gbv/gbv.h>

#include "data/annotation/annotation.h"
#include "memory_path.h"

/* Items whose names are among those of the seeds. */
static inline gbv_dataset *fuzz_items(void)
{
    static gbv_dataset *items;
    static const char text[] = "id,a\n1,0\n2,1\na.jpg,2\nt1,3\n";
    gbv_read_options read = {.features_only = true, .wants_items = true};
    gbv_error error;
    if (!items &&
        gbv_dataset_read(memory_path((const uint8_t *)text, sizeof text - 1), &read, &items, &error) != GBV_OK)
        abort();
    return items;
}

static inline const importer *fuzz_taker(const uint8_t *bytes, size_t size)
{
    size_t i = 0;
    while (size && importer_at(i) && !importer_at(i)->recognise(bytes, size))
        i++;
    return size ? importer_at(i) : NULL;
}

static inline void fuzz_use(const gbv_annotations *a, const gbv_annotation_options *options)
{
    gbv_sources *sources = gbv_sources_create();
    gbv_dataset *items = fuzz_items(), *reference = NULL;
    gbv_error error;
    static const char prefix[] = "annotator-"; /* before an id, which may begin with @ and still be no address */
    for (size_t i = 0; i < a->annotators.count; i++) {
        const char *name = a->annotators.texts[i];
        name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
        for (const char *at = name; (at = strchr(at, '@')) && !options->show_emails; at++)
            if (at > name && (unsigned char)at[-1] > ' ' && (unsigned char)at[1] > ' ')
                abort(); /* an e-mail address is told */
    }
    if (sources &&
        gbv_sources_add_annotations(sources, a, items, options->show_emails ? a : NULL, options, &error) == GBV_OK)
        for (size_t i = 0; i < gbv_sources_count(sources); i++)
            if (gbv_sources_rows(sources, i) == 0 || gbv_sources_rows(sources, i) > 4)
                abort();
    if (gbv_dataset_from_gold(items, a, options->show_emails ? a : NULL, options, &reference, &error) == GBV_OK &&
        gbv_dataset_rows(reference) > 4)
        abort();
    gbv_dataset_free(reference);
    gbv_sources_free(sources);
}

/* `family` names the importers whose files are tried; a NULL ends it. */
static inline void fuzz_annotations(const char *const *family, const uint8_t *bytes, size_t size)
{
    static const char *const joins[] = {"auto", "id", "file", "row"}, *const controls[] = {NULL, "choice"};
    const importer *taker = fuzz_taker(bytes, size);
    while (taker && *family && strcmp(taker->name, *family) != 0)
        family++;
    if (!taker || !*family)
        return;
    fuzz_items();
    const char *path = memory_path(bytes, size);
    for (unsigned mode = 0; mode < 4; mode++) {
        gbv_annotation_options options = {
            .control = controls[mode & 1], .join = joins[mode], .show_emails = mode & 2, .allow_overlap = mode & 1};
        gbv_annotations *a;
        gbv_error error;
        if (gbv_annotations_read(path, &options, &a, &error) == GBV_OK)
            fuzz_use(a, &options);
        gbv_annotations_free(a);
    }
}

#endif
