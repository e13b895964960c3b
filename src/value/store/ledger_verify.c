/* ledger_verify.c - checking a ledger, and taking its last batch back: both go through it from the beginning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "value/store/ledger_replay.h"

/* SQLite's own check of pages, indices and types. */
static gbv_status check_file(gbv_ledger *ledger, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status = ledger_prepare(ledger, "PRAGMA integrity_check(1)", &statement, error);
    if (status == GBV_OK)
        status = ledger_next(ledger, statement, &row, error);
    const char *said = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (status == GBV_OK && (!said || strcmp(said, "ok") != 0))
        status = ledger_damaged(ledger, error, "%.300s", said ? said : "SQLite cannot check it");
    sqlite3_finalize(statement);
    return status;
}

/* The head as it is noted, and rows that belong to no record. */
static gbv_status check_rest(gbv_ledger *ledger, const ledger_state *loaded, const ledger_replay *replay,
                             gbv_error *error)
{
    int64_t strays;
    gbv_status status =
        ledger_ask(ledger,
                   "SELECT (SELECT count(*) FROM point WHERE record NOT IN (SELECT number FROM record)) "
                   "+ (SELECT count(*) FROM worlds WHERE record NOT IN (SELECT number FROM record)) "
                   "+ (SELECT count(*) FROM ledger) - 1",
                   0, &strays, error);
    if (status != GBV_OK)
        return status;
    if (strays)
        return ledger_damaged(ledger, error, "it has rows that belong to no record");
    if (memcmp(loaded->head, replay->state.head, DIGEST) != 0)
        return ledger_damaged(ledger, error, "its last record is not the one that was written last");
    for (size_t s = 0; s < loaded->names.count; s++) {
        const drift_state *a = &loaded->drift[s], *b = &replay->state.drift[s];
        const double differences[] = {a->batches - b->batches, a->score_sum - b->score_sum,
                                      a->variance_sum - b->variance_sum, a->up - b->up, a->down - b->down};
        for (size_t i = 0; i < 5; i++)
            if (!(fabs(differences[i]) <= 1e-9 * fmax(1, fabs(b->score_sum))))
                return ledger_damaged(ledger, error, "the past of source '%.100s' is not what its scores say",
                                      loaded->names.texts[s]);
    }
    return GBV_OK;
}

/* Of each batch whose resampled weights are kept: that they are those it had. Only the last one's must be there, unless
 * batches after it were undone. */
static gbv_status check_worlds(gbv_ledger *ledger, const ledger_state *state, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false, current = !state->last || !state->settings.worlds;
    gbv_status status = ledger_prepare(ledger,
                                       "SELECT record, count, log_weights, settings, name FROM worlds JOIN record ON "
                                       "number = record",
                                       &statement, error);
    while (status == GBV_OK && (status = ledger_next(ledger, statement, &row, error)) == GBV_OK && row) {
        ledger_settings settings = {0};
        char hexadecimal[65];
        const char *line = (const char *)sqlite3_column_text(statement, 3);
        const void *blob = sqlite3_column_blob(statement, 2);
        size_t size = (size_t)sqlite3_column_bytes(statement, 2);
        status = line ? settings_read(ledger, line, &settings, error) : error_out_of_memory(error, "the ledger");
        if (status == GBV_OK &&
            (!blob || size != settings.sources * settings.worlds * sizeof(float) ||
             (size_t)sqlite3_column_int64(statement, 1) != settings.worlds || !hash_sha256(blob, size, hexadecimal) ||
             strcmp(hexadecimal, settings.worlds_sha256) != 0))
            status = ledger_damaged(ledger, error, "the resampled weights of batch '%.100s' are not those it had",
                                    (const char *)sqlite3_column_text(statement, 4));
        current |= sqlite3_column_int64(statement, 0) == state->last;
        settings_free(&settings);
    }
    sqlite3_finalize(statement);
    if (status == GBV_OK && !current && state->records < state->last + 3)
        status = ledger_damaged(ledger, error, "the resampled weights of its last batch are missing");
    return status;
}

gbv_status gbv_ledger_verify(gbv_ledger *ledger, const char *head, gbv_ledger_summary *summary, gbv_error *error)
{
    ledger_state state = {0};
    ledger_replay replay = {0};
    unsigned char noted[DIGEST];
    *summary = (gbv_ledger_summary){0};
    if (head && !digest_read(head, noted))
        return error_set(error, GBV_USAGE, "\"%.80s\" is no hash: it has 64 digits, 0 to 9 and a to f", head);
    gbv_status status = ledger_begin_reading(ledger, error);
    if (status == GBV_OK && !ledger->database)
        status = error_set(error, GBV_BAD_INPUT, "%s: has no batches yet: gbv update adds the first", ledger->path);
    if (status == GBV_OK)
        status = check_file(ledger, error);
    if (status == GBV_OK)
        status = state_load(ledger, 0, &state, error);
    if (status == GBV_OK)
        status = replay_run(ledger, INT64_MAX, head ? noted : NULL, &replay, error);
    if (status == GBV_OK)
        status = check_rest(ledger, &state, &replay, error);
    if (status == GBV_OK)
        status = check_worlds(ledger, &state, error);
    if (status == GBV_OK && head && !replay.met_head)
        status = ledger_damaged(ledger, error, "no record has the hash %.64s, which was noted of it", head);
    ledger_end_reading(ledger);
    if (status == GBV_OK) {
        summary->records = (size_t)state.records;
        summary->batches = replay.standing_count;
        summary->sources = state.names.count;
        digest_write(state.head, summary->head);
        size_t length = state.last_name ? strlen(state.last_name) : 0;
        if (length >= sizeof summary->last) /* cut between two characters */
            for (length = sizeof summary->last - 1; length && ((unsigned char)state.last_name[length] & 0xC0) == 0x80;)
                length--;
        if (length)
            memcpy(summary->last, state.last_name, length);
    }
    replay_free(&replay);
    state_free(&state);
    return status;
}

static char *undo_settings(void)
{
    json_line line;
    if (!json_line_open(&line))
        return NULL;
    json_begin_object(&line.json, NULL);
    json_text(&line.json, "gbv", gbv_version());
    json_end(&line.json);
    return json_line_close(&line);
}

/* The resampled weights of the batch before are still there when only one is undone in a row. */
static gbv_status forget_worlds(gbv_ledger *ledger, int64_t record, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    gbv_status status = ledger_prepare(ledger, "DELETE FROM worlds WHERE record = ?", &statement, error);
    if (status == GBV_OK) {
        sqlite3_bind_int64(statement, 1, record);
        status = ledger_run(ledger, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status write_undo(gbv_ledger *ledger, const ledger_state *state, int64_t when, gbv_error *error)
{
    ledger_replay replay = {0};
    char *settings = undo_settings();
    gbv_status status =
        settings ? replay_run(ledger, state->last, NULL, &replay, error) : error_out_of_memory(error, "the ledger");
    ledger_record record = {.number = state->records + 1,
                            .undo = true,
                            .undoes = state->last,
                            .name = state->last_name,
                            .time = when ? when : time(NULL),
                            .settings = settings};
    if (status == GBV_OK)
        status = record_insert(ledger, &record, NULL, 0, NULL, state->head, error);
    if (status == GBV_OK)
        status = state_write_drift(ledger, replay.state.drift, replay.state.names.count, error);
    if (status == GBV_OK)
        status = forget_worlds(ledger, state->last, error);
    replay_free(&replay);
    free(settings);
    return status;
}

gbv_status gbv_ledger_undo(gbv_ledger *ledger, int64_t when, char **batch, gbv_error *error)
{
    ledger_state state = {0};
    if (batch)
        *batch = NULL;
    gbv_status status = ledger_check_writable(ledger, error);
    if (status == GBV_OK && ledger->database) {
        status = ledger_begin(ledger, error);
        if (status == GBV_OK && (status = state_load(ledger, 0, &state, error)) != GBV_OK)
            ledger_rollback(ledger);
    }
    if (status != GBV_OK)
        return status;
    if (!state.last)
        status = error_set(error, GBV_FAILED, "%s: has no batch that could be undone", ledger->path);
    if (status == GBV_OK)
        status = write_undo(ledger, &state, when, error);
    if (status == GBV_OK)
        status = ledger_commit(ledger, error);
    else
        ledger_rollback(ledger);
    if (status == GBV_OK && batch) {
        *batch = state.last_name;
        state.last_name = NULL;
    }
    state_free(&state);
    return status;
}
