/* report.h - a result as people and programs want to see it.
 *
 *     gbv_report_table(result, stdout, NULL, &error);
 *     gbv_result_page(result, NULL, "report.html", &error);
 */
#ifndef GBV_REPORT_H
#define GBV_REPORT_H

#include <stdio.h>

#include <gbv/advice.h>
#include <gbv/augment.h>
#include <gbv/compare.h>
#include <gbv/ledger.h>
#include <gbv/train.h>
#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gbv_report_format { GBV_FORMAT_TABLE, GBV_FORMAT_JSON, GBV_FORMAT_CSV } gbv_report_format;

/* What a table is written for. NULL stands for a file: no colours, all characters, as wide as need be. */
typedef struct gbv_terminal {
    bool color;   /* escape sequences */
    bool ascii;   /* nothing beyond ASCII in what we write; names stay as they are */
    size_t width; /* columns; 0: no limit */
} gbv_terminal;

/* What a stream is. A terminal has its width (or $COLUMNS, if that is set; 80 where neither is known), colours unless
 * $NO_COLOR is set or $TERM is dumb or missing, and the characters of the locale. All else is a file, whatever the
 * environment says: what is written there is the same on every machine. */
GBV_API gbv_terminal gbv_terminal_of(FILE *stream);

/* Never alone in saying something: words do. */
typedef enum gbv_style {
    GBV_STYLE_PLAIN,
    GBV_STYLE_BOLD,    /* heads */
    GBV_STYLE_DIM,     /* notes */
    GBV_STYLE_ACCENT,  /* bars */
    GBV_STYLE_CAUTION, /* warnings, flags */
    GBV_STYLE_ALARM,   /* errors, what is undefined */
} gbv_style;

/* A head in its style, such as a name or "warning:" (with "" the style is the text's), and a text that begins in column
 * `indent` (after a blank, when the head is longer) and goes on there in the next line where the terminal ends. In a
 * terminal of less than twice that many columns it begins below the head. */
GBV_API void gbv_terminal_line(FILE *stream, const gbv_terminal *terminal, gbv_style style, const char *head,
                               size_t indent, const char *text);

/* The ranking, best first, with bars. */
GBV_API GBV_MUST_CHECK gbv_status gbv_report_table(const gbv_result *result, FILE *stream, const gbv_terminal *terminal,
                                                   gbv_error *error);
/* The notes and warnings that end that table, beside a history, which has the flags. */
GBV_API void gbv_report_warnings(const gbv_result *result, FILE *stream, const gbv_terminal *terminal);
/* One line per source in the order given, with a header. */
GBV_API GBV_MUST_CHECK gbv_status gbv_report_csv(const gbv_result *result, FILE *stream, gbv_error *error);
/* The whole result as one JSON document (docs/formats.md), every double surviving the round trip. */
GBV_API GBV_MUST_CHECK gbv_status gbv_report_json(const gbv_result *result, FILE *stream, gbv_error *error);

/* A result in the format wanted as a file; `path` NULL is standard output. A file that cannot be written whole is not
 * left behind, and an old one stays as it was. */
GBV_API GBV_MUST_CHECK gbv_status gbv_result_write(const gbv_result *result, gbv_report_format format, const char *path,
                                                   gbv_error *error);
/* The same as text in memory, for callers that have no streams (the Python package); free it with gbv_text_free(). */
GBV_API GBV_MUST_CHECK gbv_status gbv_result_text(const gbv_result *result, gbv_report_format format, char **text,
                                                  gbv_error *error);
GBV_API void gbv_text_free(char *text);
/* A result from its JSON document; the caller frees it. Fails with GBV_BAD_INPUT, naming the key that is wrong. */
GBV_API GBV_MUST_CHECK gbv_status gbv_result_read(const char *path, gbv_result **result, gbv_error *error);

/* Accuracy, per class and confused with what. */
GBV_API GBV_MUST_CHECK gbv_status gbv_evaluation_table(const gbv_evaluation *evaluation, FILE *stream,
                                                       const gbv_terminal *terminal, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_evaluation_write(const gbv_evaluation *evaluation, gbv_report_format format,
                                                       const char *path, gbv_error *error);

/* A comparison as a table whose first line is the verdict. */
GBV_API GBV_MUST_CHECK gbv_status gbv_comparison_table(const gbv_comparison *comparison, FILE *stream,
                                                       const gbv_terminal *terminal, gbv_error *error);
/* The same as a file, or as text in memory, in the format wanted; see gbv_result_write and gbv_result_text. CSV has a
 * line for each source by each method, then one for each baseline. */
GBV_API GBV_MUST_CHECK gbv_status gbv_comparison_write(const gbv_comparison *comparison, gbv_report_format format,
                                                       const char *path, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_comparison_text(const gbv_comparison *comparison, gbv_report_format format,
                                                      char **text, gbv_error *error);

/* A comparison from its JSON document; the caller frees it. Fails with GBV_BAD_INPUT, naming the key that is wrong. */
GBV_API GBV_MUST_CHECK gbv_status gbv_comparison_read(const char *path, gbv_comparison **comparison, gbv_error *error);

/* A ledger's history: the last batch beside the accumulated weights, a small line of the past for each source. CSV has
 * a line for each source in each batch. See gbv_result_write and gbv_result_text. */
GBV_API GBV_MUST_CHECK gbv_status gbv_history_table(const gbv_history *history, FILE *stream,
                                                    const gbv_terminal *terminal, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_history_write(const gbv_history *history, gbv_report_format format,
                                                    const char *path, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_history_text(const gbv_history *history, gbv_report_format format, char **text,
                                                   gbv_error *error);

/* A policy of augmentors: operator by operator, then the best and the worst augmentors. CSV has a line an augmentor;
 * JSON is what gbv_policy_write writes. */
GBV_API GBV_MUST_CHECK gbv_status gbv_policy_table(const gbv_policy *policy, FILE *stream, const gbv_terminal *terminal,
                                                   gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_policy_report(const gbv_policy *policy, gbv_report_format format,
                                                    const char *path, gbv_error *error);

/* The accumulated weights of the last batch as CSV (source,weight), for gbv_sources_read_numbers; `path` NULL is
 * standard output. */
GBV_API GBV_MUST_CHECK gbv_status gbv_history_weights_write(const gbv_history *history, const char *path,
                                                            gbv_error *error);

/* Pages: one HTML file each that needs nothing else, for screens and for print. A file that cannot be written whole is
 * not left behind. */
typedef struct gbv_page_options {
    const char *command; /* the command that made it, as one line; NULL: it is made up from the record */
    bool redact;         /* only the sources of `keep` are named; the others are numbered, and their files and
                            whatever is said of them in words is left out */
    const char *const *keep;
    size_t keep_count;
} gbv_page_options;

GBV_API GBV_MUST_CHECK gbv_status gbv_result_page(const gbv_result *result, const gbv_page_options *options,
                                                  const char *path, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_comparison_page(const gbv_comparison *comparison, const gbv_page_options *options,
                                                      const char *path, gbv_error *error);
/* `last` (may be NULL) is the result of the last batch. */
GBV_API GBV_MUST_CHECK gbv_status gbv_history_page(const gbv_history *history, const gbv_result *last,
                                                   const gbv_page_options *options, const char *path, gbv_error *error);

/* The policy of gbv augment: the map of operators and magnitudes. */
GBV_API GBV_MUST_CHECK gbv_status gbv_policy_page(const gbv_policy *policy, const gbv_page_options *options,
                                                  const char *path, gbv_error *error);

/* Words as one line that a shell would take apart again, for `command`; free it with gbv_text_free(). NULL when memory
 * is out. */
GBV_API char *gbv_command_line(const char *const *words, size_t count);

/* Accuracy per class, and confused with what. */
GBV_API GBV_MUST_CHECK gbv_status gbv_evaluation_page(const gbv_evaluation *evaluation, const gbv_page_options *options,
                                                      const char *path, gbv_error *error);
/* An evaluation from the JSON that gbv_evaluation_write writes; the caller frees it. */
GBV_API GBV_MUST_CHECK gbv_status gbv_evaluation_read(const char *path, gbv_evaluation **evaluation, gbv_error *error);

/* How a training went, epoch by epoch. */
typedef struct gbv_training_epoch {
    size_t epoch, epochs; /* from 1 */
    size_t rows;          /* visited */
    double loss, held_out_loss, held_out_accuracy;
    double test_accuracy; /* NaN: not judged, as all of these may be */
    double learning_rate, seconds;
    bool best; /* the best so far by the held-out rows */
} gbv_training_epoch;

typedef struct gbv_training {
    char *model;           /* "linear", "resnet18", ...; NULL: not known */
    size_t rows, features; /* trained on; 0: not known */
    gbv_training_epoch *epochs;
    size_t epoch_count; /* 0: fitted to its minimum, without epochs */
    size_t capacity;
    gbv_evaluation *test; /* of the model that was kept; NULL: none */
} gbv_training;

/* Adds an epoch as gbv_model_options.on_epoch hears of it; false when memory is out. */
GBV_API bool gbv_training_add(gbv_training *training, const gbv_epoch *epoch, double test_accuracy);
/* From the lines of gbv train --metrics. An epoch that stands there twice, because the run was resumed, counts as it
 * was last. Fails with GBV_BAD_INPUT, naming the line. */
GBV_API GBV_MUST_CHECK gbv_status gbv_training_read(const char *path, gbv_training **training, gbv_error *error);
GBV_API void gbv_training_free(gbv_training *training);
/* Loss and accuracy over epochs, and the evaluation where there is one. */
GBV_API GBV_MUST_CHECK gbv_status gbv_training_page(const gbv_training *training, const gbv_page_options *options,
                                                    const char *path, gbv_error *error);

/* What a command without a page of its own has to say: a sentence, rows of text, or what it printed. */
typedef struct gbv_listing {
    const char *kind;     /* a few words: "Check" */
    const char *headline; /* the one sentence */
    const char *const *columns;
    size_t column_count; /* 0: no table */
    char **cells;        /* row_count x column_count */
    size_t row_count;
    const char *text; /* as it was printed; NULL: nothing */
} gbv_listing;

GBV_API GBV_MUST_CHECK gbv_status gbv_listing_page(const gbv_listing *listing, const gbv_page_options *options,
                                                   const char *path, gbv_error *error);

/* What a file is, by its content: one of the things that have a page. */
typedef enum gbv_document {
    GBV_DOCUMENT_RESULT,     /* of gbv value or gbv merge */
    GBV_DOCUMENT_COMPARISON, /* of gbv compare */
    GBV_DOCUMENT_EVALUATION, /* of gbv evaluate, or gbv train --test */
    GBV_DOCUMENT_TRAINING,   /* lines of gbv train --metrics */
    GBV_DOCUMENT_LEDGER,     /* of gbv update */
    GBV_DOCUMENT_POLICY,     /* of gbv augment */
} gbv_document;

/* Fails with GBV_BAD_INPUT for anything else, saying what was found. */
GBV_API GBV_MUST_CHECK gbv_status gbv_document_recognise(const char *path, gbv_document *document, gbv_error *error);

/* What may differ between two equal runs (seconds, memory), as a JSON object of numbers. */
typedef struct gbv_metric {
    const char *name;
    double value;
} gbv_metric;

GBV_API GBV_MUST_CHECK gbv_status gbv_metrics_write(const gbv_metric *metrics, size_t count, const char *path,
                                                    gbv_error *error);
/* The same on one line of a stream, for a file that has a line per epoch; numbers that are not finite are null. */
GBV_API GBV_MUST_CHECK gbv_status gbv_metrics_line(const gbv_metric *metrics, size_t count, FILE *stream,
                                                   gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
