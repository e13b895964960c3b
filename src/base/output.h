/* output.h - a file that appears whole or not at all.
 *
 *     output_file output;
 *     if ((status = output_open("result.json", &output, error)) == GBV_OK) {
 *         fprintf(output.stream, ...);
 *         status = output_commit(&output, error);      writes through, renames over the old file
 *     }
 * A path of NULL or "-" is standard output. A ledger is never written over. output_abandon() forgets what was written.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdio.h>

#include <gbv/status.h>

typedef struct output_file {
    FILE *stream;
    const char *path; /* borrowed; NULL for standard output */
    char *target;     /* the file itself where `path` is a link; NULL when it is written directly */
    char *temporary;
} output_file;

GBV_MUST_CHECK gbv_status output_open(const char *path, output_file *output, gbv_error *error);
GBV_MUST_CHECK gbv_status output_commit(output_file *output, gbv_error *error);
void output_abandon(output_file *output);

/* Fails when anything written to the stream so far was lost. */
GBV_MUST_CHECK gbv_status output_check(FILE *stream, const char *name, gbv_error *error);

#endif
