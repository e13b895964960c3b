#include "value/store/ledger_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static gbv_status load_head(gbv_ledger *ledger, ledger_state *state, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status = ledger_prepare(ledger, "SELECT records, head FROM ledger", &statement, error);
    if (status == GBV_OK)
        status = ledger_next(ledger, statement, &row, error);
    if (status == GBV_OK && (!row || sqlite3_column_bytes(statement, 1) != DIGEST))
        status = ledger_damaged(ledger, error, "the hash of its last record is missing");
    if (status == GBV_OK) {
        state->records = sqlite3_column_int64(statement, 0);
        memcpy(state->head, sqlite3_column_blob(statement, 1), DIGEST);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status load_last(gbv_ledger *ledger, ledger_state *state, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status = ledger_prepare(
        ledger, "SELECT number, name, settings FROM record WHERE " STANDING " ORDER BY number DESC LIMIT 1", &statement,
        error);
    if (status == GBV_OK)
        status = ledger_next(ledger, statement, &row, error);
    if (row) {
        const char *name = (const char *)sqlite3_column_text(statement, 1),
                   *settings = (const char *)sqlite3_column_text(statement, 2);
        state->last = sqlite3_column_int64(statement, 0);
        if (!name || !settings || !(state->last_name = strdup(name)))
            status = error_out_of_memory(error, "the ledger");
        else
            status = settings_read(ledger, settings, &state->settings, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status load_names(gbv_ledger *ledger, ledger_state *state, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status = ledger_prepare(ledger, "SELECT id, name FROM source ORDER BY id", &statement, error);
    while (status == GBV_OK && (status = ledger_next(ledger, statement, &row, error)) == GBV_OK && row) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        size_t expected = state->names.count;
        if (!name || (size_t)sqlite3_column_int64(statement, 0) != expected + 1)
            status = ledger_damaged(ledger, error, "source %zu is missing", expected + 1);
        else if (text_table_add(&state->names, name, strlen(name)) == TEXT_NONE)
            status = error_out_of_memory(error, "the ledger");
        else if (state->names.count != expected + 1)
            status = ledger_damaged(ledger, error, "source %zu is there twice", expected + 1);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status load_weights(gbv_ledger *ledger, ledger_state *state, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status = ledger_prepare(
        ledger, "SELECT source, prior, log_weight, low FROM point WHERE " POINTS_OF_RECORD, &statement, error);
    if (status == GBV_OK)
        sqlite3_bind_int64(statement, 1, state->last);
    while (status == GBV_OK && (status = ledger_next(ledger, statement, &row, error)) == GBV_OK && row) {
        size_t index = (size_t)sqlite3_column_int64(statement, 0) - 1;
        if (index >= state->names.count)
            return sqlite3_finalize(statement), ledger_damaged(ledger, error, "source %zu has no name", index + 1);
        state->sources[index] = (continual_source){.in = true,
                                                   .prior = sqlite3_column_double(statement, 1),
                                                   .log_weight = sqlite3_column_double(statement, 2)};
        state->known[index] = sqlite3_column_type(statement, 3) != SQLITE_NULL;
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status load_drift(gbv_ledger *ledger, ledger_state *state, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status = ledger_prepare(ledger, "SELECT source, batches, score_sum, variance_sum, up, down FROM drift",
                                       &statement, error);
    while (status == GBV_OK && (status = ledger_next(ledger, statement, &row, error)) == GBV_OK && row) {
        size_t index = (size_t)sqlite3_column_int64(statement, 0) - 1;
        if (index >= state->names.count)
            return sqlite3_finalize(statement), ledger_damaged(ledger, error, "source %zu has no name", index + 1);
        state->drift[index] = (drift_state){.batches = sqlite3_column_double(statement, 1),
                                            .score_sum = sqlite3_column_double(statement, 2),
                                            .variance_sum = sqlite3_column_double(statement, 3),
                                            .up = sqlite3_column_double(statement, 4),
                                            .down = sqlite3_column_double(statement, 5)};
    }
    sqlite3_finalize(statement);
    return status;
}

gbv_status state_load(gbv_ledger *ledger, size_t extra, ledger_state *state, gbv_error *error)
{
    gbv_status status = GBV_OK;
    *state = (ledger_state){0};
    if (ledger->database) {
        status = load_head(ledger, state, error);
        if (status == GBV_OK)
            status = load_last(ledger, state, error);
        if (status == GBV_OK)
            status = load_names(ledger, state, error);
    }
    size_t places = state->names.count + extra;
    if (status == GBV_OK) {
        state->sources = memory_zeroed(places, sizeof *state->sources);
        state->drift = memory_zeroed(places, sizeof *state->drift);
        state->known = memory_zeroed(places, sizeof *state->known);
        if (!state->sources || !state->drift || !state->known)
            status = error_out_of_memory(error, "the ledger");
    }
    for (size_t s = 0; s < places && status == GBV_OK; s++)
        state->sources[s].log_weight = -INFINITY;
    if (status == GBV_OK && ledger->database)
        status = load_weights(ledger, state, error);
    if (status == GBV_OK && ledger->database)
        status = load_drift(ledger, state, error);
    if (status != GBV_OK)
        state_free(state);
    return status;
}

void state_free(ledger_state *state)
{
    free(state->last_name);
    settings_free(&state->settings);
    text_table_free(&state->names);
    free(state->sources);
    free(state->drift);
    free(state->known);
    *state = (ledger_state){0};
}

gbv_status state_worlds(gbv_ledger *ledger, const ledger_state *state, size_t extra, float **worlds, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    size_t count = state->settings.worlds, held = state->settings.sources, places = state->names.count + extra, numbers;
    *worlds = NULL;
    if (!state->last || !count)
        return GBV_OK;
    gbv_status status = ledger_prepare(ledger, "SELECT log_weights FROM worlds WHERE record = ?", &statement, error);
    if (status == GBV_OK)
        sqlite3_bind_int64(statement, 1, state->last);
    if (status == GBV_OK && (status = ledger_next(ledger, statement, &row, error)) == GBV_OK && row) {
        size_t bytes = (size_t)sqlite3_column_bytes(statement, 0);
        const void *blob = sqlite3_column_blob(statement, 0);
        if (held > places || __builtin_mul_overflow(held, count, &numbers) || numbers != bytes / sizeof **worlds ||
            bytes % sizeof **worlds || !blob)
            status = ledger_damaged(ledger, error, "the resampled weights after batch '%.100s' are incomplete",
                                    state->last_name);
        else if (!(*worlds = memory_array(places, count * sizeof **worlds)))
            status = error_out_of_memory(error, "the resampled weights");
        else {
            memcpy(*worlds, blob, bytes);
            for (size_t i = numbers; i < places * count; i++)
                (*worlds)[i] = -INFINITY;
        }
    }
    sqlite3_finalize(statement);
    return status;
}

double state_effective_sources(const ledger_state *state)
{
    double squares = 0;
    for (size_t s = 0; s < state->names.count; s++)
        if (state->sources[s].in)
            squares += exp(2 * state->sources[s].log_weight);
    return 1 / squares;
}

gbv_status state_write_drift(gbv_ledger *ledger, const drift_state *drift, size_t count, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    gbv_status status = ledger_execute(ledger, "DELETE FROM drift", error);
    if (status == GBV_OK)
        status = ledger_prepare(ledger, "INSERT INTO drift VALUES (?, ?, ?, ?, ?, ?)", &statement, error);
    for (size_t s = 0; s < count && status == GBV_OK; s++) {
        const double numbers[] = {drift[s].batches, drift[s].score_sum, drift[s].variance_sum, drift[s].up,
                                  drift[s].down};
        if (!(drift[s].batches > 0))
            continue;
        sqlite3_bind_int64(statement, 1, (int64_t)s + 1);
        for (int i = 0; i < 5; i++)
            sqlite3_bind_double(statement, i + 2, numbers[i]);
        status = ledger_run(ledger, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}
