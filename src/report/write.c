/* write.c - the public side of the room: results, evaluations and metrics on streams, or as files that appear whole or
 * not at all. */
#include <gbv/report.h>

#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "report/print.h"

void gbv_report_warnings(const gbv_result *result, FILE *stream, const gbv_terminal *terminal)
{
    result_print_warnings(result, NULL, false, "--report FILE shows all", stream, terminal);
}

gbv_status gbv_report_table(const gbv_result *result, FILE *stream, const gbv_terminal *terminal, gbv_error *error)
{
    if (!result_print_table(result, stream, terminal))
        return error_out_of_memory(error, "a table");
    return output_check(stream, "the table", error);
}

gbv_status gbv_report_csv(const gbv_result *result, FILE *stream, gbv_error *error)
{
    result_print_csv(result, stream);
    return output_check(stream, "the table", error);
}

gbv_status gbv_report_json(const gbv_result *result, FILE *stream, gbv_error *error)
{
    result_print_json(result, stream);
    return output_check(stream, "the result", error);
}

/* What is written whole: one of these, in a format. */
typedef struct document {
    const gbv_result *result;
    const gbv_comparison *comparison;
    const gbv_evaluation *evaluation;
    const gbv_history *history;
    gbv_report_format format;
} document;

static bool print(const document *d, FILE *stream)
{
    bool json = d->format == GBV_FORMAT_JSON;
    if (d->format == GBV_FORMAT_TABLE)
        return d->comparison   ? comparison_print_table(d->comparison, stream, NULL)
               : d->evaluation ? evaluation_print_table(d->evaluation, stream, NULL)
               : d->history    ? history_print_table(d->history, stream, NULL)
                               : result_print_table(d->result, stream, NULL);
    if (d->comparison)
        (json ? comparison_print_json : comparison_print_csv)(d->comparison, stream);
    else if (d->evaluation)
        (json ? evaluation_print_json : evaluation_print_csv)(d->evaluation, stream);
    else if (d->history)
        (json ? history_print_json : history_print_csv)(d->history, stream);
    else
        (json ? result_print_json : result_print_csv)(d->result, stream);
    return true;
}

static gbv_status write_document(const document *d, const char *path, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    if (!print(d, output.stream)) {
        output_abandon(&output);
        return error_out_of_memory(error, "a table");
    }
    return output_commit(&output, error);
}

static gbv_status make_text(const document *d, char **text, gbv_error *error)
{
    char *made = NULL;
    size_t length;
    FILE *stream = open_memstream(&made, &length);
    *text = NULL;
    if (!stream)
        return error_out_of_memory(error, "the text of a result");
    bool printed = print(d, stream), kept = !ferror(stream);
    if (fclose(stream) != 0 || !printed || !kept) {
        free(made);
        return error_out_of_memory(error, "the text of a result");
    }
    *text = made;
    return GBV_OK;
}

gbv_status gbv_result_write(const gbv_result *result, gbv_report_format format, const char *path, gbv_error *error)
{
    return write_document(&(document){.result = result, .format = format}, path, error);
}

gbv_status gbv_result_text(const gbv_result *result, gbv_report_format format, char **text, gbv_error *error)
{
    return make_text(&(document){.result = result, .format = format}, text, error);
}

gbv_status gbv_comparison_table(const gbv_comparison *comparison, FILE *stream, const gbv_terminal *terminal,
                                gbv_error *error)
{
    if (!comparison_print_table(comparison, stream, terminal))
        return error_out_of_memory(error, "a table");
    return output_check(stream, "the table", error);
}

gbv_status gbv_comparison_write(const gbv_comparison *comparison, gbv_report_format format, const char *path,
                                gbv_error *error)
{
    return write_document(&(document){.comparison = comparison, .format = format}, path, error);
}

gbv_status gbv_comparison_text(const gbv_comparison *comparison, gbv_report_format format, char **text,
                               gbv_error *error)
{
    return make_text(&(document){.comparison = comparison, .format = format}, text, error);
}

gbv_status gbv_history_table(const gbv_history *history, FILE *stream, const gbv_terminal *terminal, gbv_error *error)
{
    if (!history_print_table(history, stream, terminal))
        return error_out_of_memory(error, "a table");
    return output_check(stream, "the table", error);
}

gbv_status gbv_history_write(const gbv_history *history, gbv_report_format format, const char *path, gbv_error *error)
{
    return write_document(&(document){.history = history, .format = format}, path, error);
}

gbv_status gbv_history_text(const gbv_history *history, gbv_report_format format, char **text, gbv_error *error)
{
    return make_text(&(document){.history = history, .format = format}, text, error);
}

gbv_status gbv_history_weights_write(const gbv_history *history, const char *path, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    history_print_weights(history, output.stream);
    return output_commit(&output, error);
}

void gbv_text_free(char *text)
{
    free(text);
}

gbv_status gbv_evaluation_table(const gbv_evaluation *evaluation, FILE *stream, const gbv_terminal *terminal,
                                gbv_error *error)
{
    if (!evaluation_print_table(evaluation, stream, terminal))
        return error_out_of_memory(error, "a table");
    return output_check(stream, "the table", error);
}

gbv_status gbv_evaluation_write(const gbv_evaluation *evaluation, gbv_report_format format, const char *path,
                                gbv_error *error)
{
    return write_document(&(document){.evaluation = evaluation, .format = format}, path, error);
}

static void print_metrics(const gbv_metric *metrics, size_t count, bool compact, FILE *stream)
{
    json_writer json = json_open(stream);
    json.compact = compact;
    json_begin_object(&json, NULL);
    for (size_t i = 0; i < count; i++)
        json_number(&json, metrics[i].name, metrics[i].value);
    json_end(&json);
}

gbv_status gbv_metrics_write(const gbv_metric *metrics, size_t count, const char *path, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    print_metrics(metrics, count, false, output.stream);
    return output_commit(&output, error);
}

gbv_status gbv_metrics_line(const gbv_metric *metrics, size_t count, FILE *stream, gbv_error *error)
{
    print_metrics(metrics, count, true, stream);
    return output_check(stream, "a line of metrics", error);
}
