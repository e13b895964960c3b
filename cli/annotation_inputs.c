/* annotation_inputs.c - --annotations FILE --items DATASET [--gold FILE]: each annotator is a source. */
#include <stdio.h>
#include <string.h>

#include "inputs.h"

/* Without a reference, what the file itself marks as ground truth is the next best thing to offer. */
static int offer_gold(const command *self, const inputs *in)
{
    gbv_annotations *annotations = NULL;
    gbv_error error;
    size_t gold = 0;
    if (gbv_annotations_read(in->annotations_path, &in->annotation, &annotations, &error) == GBV_OK)
        gold = gbv_annotations_gold_count(annotations);
    gbv_annotations_free(annotations);
    if (!gold)
        return complain(self, GBV_USAGE,
                        "no reference was given; name the trusted set with --reference DATASET, or trusted labels of "
                        "some items with --gold FILE");
    return complain(self, GBV_USAGE,
                    "no reference was given; %s marks %zu annotation%s as ground truth: use them with --gold %s",
                    in->annotations_path, gold, gold == 1 ? "" : "s", in->annotations_path);
}

int annotation_inputs_check(const command *self, const inputs *in, bool with_reference)
{
    const struct {
        bool given;
        const char *name;
    } parts[] = {
        {in->items_path, "items"},
        {in->gold_path, "gold"},
        {in->annotation.join, "join"},
        {in->annotation.control, "control"},
        {in->annotation.show_emails, "show-emails"},
        {in->annotation.allow_overlap, "allow-overlap"},
    };
    for (size_t i = 0; !in->annotations_path && i < sizeof parts / sizeof *parts; i++)
        if (parts[i].given)
            return complain(self, GBV_USAGE, "--%s goes with --annotations FILE --items DATASET", parts[i].name);
    if (!in->annotations_path)
        return PARSED;
    if (!in->items_path)
        return complain(self, GBV_USAGE, "--annotations needs the features of the items: --items DATASET");
    if (in->gold_path && in->reference_path)
        return complain(self, GBV_USAGE, "--gold makes the reference of gold items; leave out --reference or --gold");
    if (in->annotation.allow_overlap && !in->gold_path)
        return complain(self, GBV_USAGE, "--allow-overlap goes with --gold FILE");
    if (with_reference && !in->gold_path && !in->reference_path && !in->unlabelled_path && !in->no_reference)
        return offer_gold(self, in);
    return PARSED;
}

/* Keeps the first failure; where all problems are asked for, the others are told at once. */
static void keep_failure(const inputs *in, gbv_status found, const gbv_error *own, gbv_status *status, gbv_error *error)
{
    if (found != GBV_OK && *status == GBV_OK) {
        *status = found;
        *error = *own;
    } else if (found != GBV_OK && in->read.on_bad_file)
        in->read.on_bad_file(in->read.context, own->message);
}

gbv_status annotation_inputs_read(inputs *in, bool with_reference, gbv_error *error)
{
    gbv_dataset *items = NULL;
    gbv_annotations *annotations = NULL, *gold = NULL;
    gbv_read_options read = in->read;
    gbv_error own;
    if (!in->annotations_path)
        return GBV_OK;
    read.features_only = read.wants_items = true;
    read.source_column = NULL;
    read.item_column = in->item_column;
    gbv_status status = gbv_dataset_read(in->items_path, &read, &items, error);
    bool same = in->gold_path && strcmp(in->gold_path, in->annotations_path) == 0;
    if (status == GBV_OK || in->read.on_bad_file)
        keep_failure(in, gbv_annotations_read(in->annotations_path, &in->annotation, &annotations, &own), &own, &status,
                     error);
    if ((status == GBV_OK || in->read.on_bad_file) && in->gold_path && !same)
        keep_failure(in, gbv_annotations_read(in->gold_path, &in->annotation, &gold, &own), &own, &status, error);
    const gbv_annotations *trusted = same ? annotations : gold;
    if (status == GBV_OK && trusted && with_reference)
        status = gbv_dataset_from_gold(items, trusted, annotations, &in->annotation, &in->reference, error);
    if (status == GBV_OK)
        status = gbv_sources_add_annotations(in->sources, annotations, items, trusted, &in->annotation, error);
    gbv_annotations_free(annotations);
    gbv_annotations_free(gold);
    gbv_dataset_free(items);
    return status;
}
