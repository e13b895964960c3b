/* document.c - what a file is, by its content, for those who are given just any file of gbv. */
#include <string.h>

#include <gbv/report.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_fields.h"

static const char EXPECTED[] = "expected a result of gbv value, a comparison of gbv compare, an evaluation of gbv "
                               "evaluate, lines of gbv train --metrics, a policy of gbv augment, or a ledger";

static gbv_status is_none(const char *path, const char *what, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT, "%s: %s: %s", path, what, EXPECTED);
}

static bool is_word(const json_t *root, const char *key, const char *word)
{
    const char *text = json_string_value(json_object_get(root, key));
    return text && strcmp(text, word) == 0;
}

static gbv_status recognise_json(const json_t *root, const char *path, gbv_document *document, gbv_error *error)
{
    if (json_object_get(root, "shards"))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is one shard of a run and has no weights: join all of them with gbv merge", path);
    if (is_word(root, "command", "history"))
        return error_set(error, GBV_BAD_INPUT, "%s: is the history of a ledger: give gbv report the ledger itself",
                         path);
    if (json_object_get(root, "epoch"))
        *document = GBV_DOCUMENT_TRAINING;
    else if (json_object_get(root, "verdict") || is_word(root, "command", "compare"))
        *document = GBV_DOCUMENT_COMPARISON;
    else if (is_word(root, "command", "evaluate"))
        *document = GBV_DOCUMENT_EVALUATION;
    else if (is_word(root, "kind", "policy"))
        *document = GBV_DOCUMENT_POLICY;
    else if (json_object_get(root, "gbv") && json_object_get(root, "sources"))
        *document = GBV_DOCUMENT_RESULT;
    else if (json_object_get(root, "seconds") && json_object_get(root, "peak_memory_bytes"))
        return is_none(path, "holds the seconds and memory of a run that had no epochs, which have no page", error);
    else
        return is_none(path, "is JSON, but nothing of gbv's that has a page", error);
    return GBV_OK;
}

gbv_status gbv_document_recognise(const char *path, gbv_document *document, gbv_error *error)
{
    static const char ledger[] = "SQLite format 3";
    mapped_file file;
    json_error_t problem;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    const char *bytes = (const char *)file.bytes;
    size_t blank = 0;
    while (blank < file.size && bytes[blank] && strchr(" \t\r\n", bytes[blank]))
        blank++;
    if (file.size >= sizeof ledger && memcmp(bytes, ledger, sizeof ledger) == 0)
        *document = GBV_DOCUMENT_LEDGER;
    else if (blank == file.size)
        status = is_none(path, "is empty", error);
    else if (bytes[blank] != '{')
        status = is_none(path, "is neither JSON nor a ledger", error);
    else { /* of lines the first one */
        json_t *root = json_loadb(bytes, file.size, JSON_DISABLE_EOF_CHECK, &problem);
        status = root ? recognise_json(root, path, document, error)
                      : error_set(error, GBV_BAD_INPUT, "%s: line %d is not JSON (%s): %s", path, problem.line,
                                  problem.text, EXPECTED);
        json_decref(root);
    }
    mapped_file_close(&file);
    return status;
}
