/* status.h - how every gbv function says that it failed.
 *
 * Each function that can fail returns a gbv_status and takes a gbv_error as its last argument (NULL is allowed).
 * A failure writes one sentence that names the thing, the value found and the remedy.
 *
 *     gbv_error error;
 *     if (gbv_value_files("reference.npz", names, paths, 2, NULL, &result, &error) != GBV_OK)
 *         fprintf(stderr, "%s\n", error.message);
 */
#ifndef GBV_STATUS_H
#define GBV_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define GBV_API __attribute__((visibility("default")))
#define GBV_MUST_CHECK __attribute__((warn_unused_result))

#define GBV_VERSION "0.1.0"

/* The values are the exit codes of the command-line program. */
typedef enum gbv_status {
    GBV_OK = 0,
    GBV_FAILED = 1,    /* output could not be written, memory ran out, ... */
    GBV_USAGE = 2,     /* an option or argument is wrong, or two do not go together */
    GBV_BAD_INPUT = 3, /* an input is missing, unreadable or malformed */
    GBV_UNDEFINED = 4, /* no score is defined */
    GBV_CONDITION = 5, /* all went well, and a condition the caller wanted to be told of holds (gbv value --fail-if) */
    GBV_INTERRUPTED = 130,
} gbv_status;

typedef struct gbv_error {
    gbv_status status;
    char message[1024]; /* one sentence, no trailing newline; empty when nothing failed */
} gbv_error;

/* The version of the library that is running ("0.1.0"); GBV_VERSION is that of the header. */
GBV_API const char *gbv_version(void);

/* OpenBLAS chooses its kernels when it is loaded, and an old one does not know new processors. The value that the
 * environment's OPENBLAS_CORETYPE should have had before the program started, or NULL when all is well. */
GBV_API const char *gbv_blas_core(void);

#ifdef __cplusplus
}
#endif
#endif
