#include "value/store/ledger_file.h"

#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum {
    APPLICATION = 0x6762764C, /* "gbvL" */
    FORMAT = 1,
    BUSY_MILLISECONDS = 2000,
};

/* What sqlite_schema must hold, in this order. */
static const char *const TABLES[] = {
    "CREATE TABLE ledger (id INTEGER PRIMARY KEY CHECK (id = 1), records INTEGER NOT NULL, head BLOB NOT NULL) STRICT",
    "CREATE TABLE record (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, undoes INTEGER REFERENCES record, "
    "name TEXT NOT NULL, time INTEGER NOT NULL, reference BLOB, settings TEXT NOT NULL, hash BLOB NOT NULL) STRICT",
    "CREATE UNIQUE INDEX record_undoes ON record (undoes) WHERE undoes IS NOT NULL",
    "CREATE INDEX record_name ON record (name)",
    "CREATE INDEX record_reference ON record (reference)",
    "CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
    "CREATE UNIQUE INDEX source_name ON source (name)",
    "CREATE TABLE point (id INTEGER PRIMARY KEY, record INTEGER AS (id >> 32) REFERENCES record, "
    "source INTEGER AS (id & 4294967295) REFERENCES source, rows INTEGER, score REAL, deviation REAL, batch_prior "
    "REAL, "
    "batch_posterior REAL, prior REAL NOT NULL, log_weight REAL NOT NULL, low REAL, high REAL, z REAL, cusum REAL, "
    "alarm INTEGER, sha256 BLOB) STRICT",
    "CREATE TABLE drift (source INTEGER PRIMARY KEY REFERENCES source, batches REAL NOT NULL, score_sum REAL NOT NULL, "
    "variance_sum REAL NOT NULL, up REAL NOT NULL, down REAL NOT NULL) STRICT",
    "CREATE TABLE worlds (record INTEGER PRIMARY KEY REFERENCES record, count INTEGER NOT NULL, "
    "log_weights BLOB NOT NULL) STRICT",
};

enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

gbv_status ledger_failure(const gbv_ledger *ledger, int code, gbv_error *error)
{
    const char *path = ledger->path;
    int reason = ledger->database ? sqlite3_system_errno(ledger->database) : 0;
    const char *why = reason ? strerror(reason) : sqlite3_errstr(code);
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, GBV_FAILED,
                         "%s: another program is writing to it; nothing was changed: run it again when that is done",
                         path);
    case SQLITE_FULL:
        return error_set(error, GBV_FAILED,
                         "%s: there is no space left on the disk; nothing was changed: free some and run it again",
                         path);
    case SQLITE_READONLY:
        if (ledger->mode == GBV_LEDGER_READ)
            return error_set(error, GBV_FAILED,
                             "%s: an update of it was interrupted, and what it began cannot be taken back, because the "
                             "file or its folder may not be written: copy it together with %s-journal to where it may",
                             path, path);
        return error_set(error, GBV_FAILED,
                         "%s: may not be written; nothing was changed: check the permissions of the file and its "
                         "folder",
                         path);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return error_set(error, GBV_FAILED,
                         "%s: it or the journal beside it cannot be opened (%s): check the file and its folder", path,
                         why);
    case SQLITE_NOMEM:
        return error_out_of_memory(error, "the ledger");
    case SQLITE_NOTADB:
        return error_set(error, GBV_BAD_INPUT, "%s: is not a ledger: name one that gbv update has made", path);
    case SQLITE_ERROR: /* what is asked of it is always the same: it is the file that differs */
        return ledger_damaged(ledger, error, "%s", ledger->database ? sqlite3_errmsg(ledger->database) : why);
    case SQLITE_CORRUPT:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return ledger_damaged(ledger, error, "%s", sqlite3_errstr(code));
    case SQLITE_TOOBIG:
        return error_set(error, GBV_FAILED,
                         "%s: the resampled weights of all sources are more than a ledger can hold (1 GB); nothing was "
                         "changed: use fewer --intervals",
                         path);
    default:
        return error_set(error, GBV_FAILED,
                         "%s: could not be read or written (%s): check the disk; a batch is in it whole or not at all, "
                         "which gbv history tells",
                         path, why);
    }
}

gbv_status ledger_damaged(const gbv_ledger *ledger, gbv_error *error, const char *format, ...)
{
    char what[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(error, GBV_BAD_INPUT, "%s: is damaged: %s; go back to a copy that gbv ledger verify passes",
                     ledger->path, what);
}

gbv_status ledger_execute(gbv_ledger *ledger, const char *sql, gbv_error *error)
{
    int code = sqlite3_exec(ledger->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? GBV_OK : ledger_failure(ledger, sqlite3_extended_errcode(ledger->database), error);
}

gbv_status ledger_prepare(gbv_ledger *ledger, const char *sql, sqlite3_stmt **statement, gbv_error *error)
{
    int code = sqlite3_prepare_v2(ledger->database, sql, -1, statement, NULL);
    return code == SQLITE_OK ? GBV_OK : ledger_failure(ledger, sqlite3_extended_errcode(ledger->database), error);
}

gbv_status ledger_next(gbv_ledger *ledger, sqlite3_stmt *statement, bool *row, gbv_error *error)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return *row || code == SQLITE_DONE ? GBV_OK : ledger_failure(ledger, code, error);
}

gbv_status ledger_run(gbv_ledger *ledger, sqlite3_stmt *statement, gbv_error *error)
{
    bool row;
    gbv_status status = ledger_next(ledger, statement, &row, error);
    sqlite3_reset(statement);
    return status;
}

gbv_status ledger_ask(gbv_ledger *ledger, const char *sql, int64_t otherwise, int64_t *answer, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    *answer = otherwise;
    gbv_status status = ledger_prepare(ledger, sql, &statement, error);
    if (status == GBV_OK)
        status = ledger_next(ledger, statement, &row, error);
    if (row)
        *answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

static void disconnect(gbv_ledger *ledger)
{
    sqlite3_close(ledger->database);
    ledger->database = NULL;
}

static gbv_status connect_to(gbv_ledger *ledger, int flags, gbv_error *error)
{
    int code = sqlite3_open_v2(ledger->path, &ledger->database, flags | SQLITE_OPEN_PRIVATECACHE, NULL);
    if (code != SQLITE_OK) {
        gbv_status status = ledger_failure(ledger, code, error);
        disconnect(ledger);
        return status;
    }
    sqlite3_extended_result_codes(ledger->database, 1);
    sqlite3_busy_timeout(ledger->database, BUSY_MILLISECONDS);
    sqlite3_db_config(ledger->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(ledger->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    gbv_status status = ledger_execute(ledger,
                                       "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = "
                                       "MEMORY; PRAGMA synchronous = EXTRA; PRAGMA cache_spill = OFF",
                                       error);
    if (status != GBV_OK)
        disconnect(ledger);
    return status;
}

/* Whose file it is, and whether its tables are ours to the letter: a trigger or another column would be at odds with
 * what is written and hashed. */
static gbv_status check_tables(gbv_ledger *ledger, gbv_error *error)
{
    int64_t application, format;
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gbv_status status = ledger_ask(ledger, "PRAGMA application_id", 0, &application, error);
    if (status == GBV_OK)
        status = ledger_ask(ledger, "PRAGMA user_version", 0, &format, error);
    if (status != GBV_OK)
        return status;
    if (application != APPLICATION)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is the database of another program, not a ledger: name one that gbv update has made",
                         ledger->path);
    if (format > FORMAT)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: was written by a newer gbv (its format is %lld, and %s knows up to %d): update gbv",
                         ledger->path, (long long)format, gbv_version(), FORMAT);
    status =
        ledger_prepare(ledger, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid", &statement, error);
    size_t met = 0;
    bool same = format == FORMAT;
    while (status == GBV_OK && (status = ledger_next(ledger, statement, &row, error)) == GBV_OK && row) {
        const char *sql = (const char *)sqlite3_column_text(statement, 0);
        same = same && met < TABLE_COUNT && sql && strcmp(sql, TABLES[met]) == 0;
        met++;
    }
    sqlite3_finalize(statement);
    if (status == GBV_OK && (!same || met != TABLE_COUNT))
        status = ledger_damaged(ledger, error, "its tables are not those of a ledger");
    return status;
}

/* Leaves nothing open of a file that is empty, or was until an update that was killed. */
static gbv_status open_as(gbv_ledger *ledger, int flags, gbv_error *error)
{
    int64_t pages = 0;
    gbv_status status = connect_to(ledger, flags, error);
    if (status == GBV_OK)
        status = ledger_ask(ledger, "PRAGMA page_count", 0, &pages, error);
    if (status == GBV_OK && pages)
        status = check_tables(ledger, error);
    if (status != GBV_OK || !pages)
        disconnect(ledger);
    return status;
}

static gbv_status open_existing(gbv_ledger *ledger, gbv_error *error)
{
    bool reads = ledger->mode == GBV_LEDGER_READ;
    gbv_status status = open_as(ledger, reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, error);
    if (reads && status == GBV_FAILED) /* an update was killed: what it began is taken back first, by writing */
        status = open_as(ledger, SQLITE_OPEN_READWRITE, error);
    if (status == GBV_OK && !reads && ledger->database && sqlite3_db_readonly(ledger->database, "main") == 1) {
        disconnect(ledger);
        status =
            error_set(error, GBV_FAILED, "%s: may not be written: check the permissions of the file", ledger->path);
    }
    return status;
}

static gbv_status check_folder(const gbv_ledger *ledger, gbv_error *error)
{
    char *copy = strdup(ledger->path);
    if (!copy)
        return error_out_of_memory(error, "the ledger's name");
    bool writable = eaccess(dirname(copy), W_OK | X_OK) == 0;
    free(copy);
    return writable ? GBV_OK
                    : error_set(error, GBV_FAILED, "%s: its folder cannot be written (%s): check the folder",
                                ledger->path, strerror(errno));
}

static gbv_status look_at_file(gbv_ledger *ledger, gbv_error *error)
{
    struct stat about;
    bool reads = ledger->mode == GBV_LEDGER_READ;
    ledger->made_by_us = false;
    if (stat(ledger->path, &about) != 0) {
        if (reads || errno != ENOENT)
            return error_set(error, errno == ENOENT ? GBV_BAD_INPUT : GBV_FAILED,
                             "%s: cannot be opened (%s): name a ledger that gbv update has made", ledger->path,
                             strerror(errno));
        ledger->made_by_us = true;
        return check_folder(ledger, error);
    }
    if (!S_ISREG(about.st_mode))
        return error_set(error, GBV_BAD_INPUT, "%s: is %s, not a ledger: name a file", ledger->path,
                         S_ISDIR(about.st_mode) ? "a folder" : "no regular file");
    if (about.st_size > 0) {
        gbv_status status = open_existing(ledger, error);
        if (status != GBV_OK || ledger->database)
            return status;
    }
    if (reads)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is empty: go back to a copy, or begin anew with gbv update if it never had a batch",
                         ledger->path);
    return check_folder(ledger, error);
}

gbv_status gbv_ledger_open(const char *path, gbv_ledger_mode mode, gbv_ledger **ledger, gbv_error *error)
{
    *ledger = NULL;
    if (!path || !*path)
        return error_set(error, GBV_USAGE, "the ledger has no name: name a file");
    gbv_ledger *opened = calloc(1, sizeof *opened);
    if (!opened || !(opened->path = strdup(path))) {
        free(opened);
        return error_out_of_memory(error, "the ledger");
    }
    opened->mode = mode;
    gbv_status status = look_at_file(opened, error);
    if (status == GBV_OK)
        *ledger = opened;
    else
        gbv_ledger_close(opened);
    return status;
}

void gbv_ledger_close(gbv_ledger *ledger)
{
    if (!ledger)
        return;
    disconnect(ledger);
    free(ledger->path);
    free(ledger);
}

gbv_status ledger_refresh(gbv_ledger *ledger, gbv_error *error)
{
    return ledger->database ? GBV_OK : look_at_file(ledger, error);
}

gbv_status ledger_check_writable(gbv_ledger *ledger, gbv_error *error)
{
    if (ledger->mode == GBV_LEDGER_READ)
        return error_set(error, GBV_USAGE, "%s: was opened for reading: open it for updates to change it",
                         ledger->path);
    gbv_status status = ledger_refresh(ledger, error);
    if (status != GBV_OK || !ledger->database)
        return status;
    if ((status = check_folder(ledger, error)) == GBV_OK && /* for the journal */
        (status = ledger_execute(ledger, "BEGIN IMMEDIATE", error)) == GBV_OK)
        status = ledger_execute(ledger, "ROLLBACK", error);
    return status;
}

static gbv_status make_tables(gbv_ledger *ledger, gbv_error *error)
{
    char pragmas[100];
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < TABLE_COUNT && status == GBV_OK; i++)
        status = ledger_execute(ledger, TABLES[i], error);
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, FORMAT);
    if (status == GBV_OK)
        status = ledger_execute(ledger, pragmas, error);
    if (status == GBV_OK)
        status = ledger_execute(ledger, "INSERT INTO ledger VALUES (1, 0, zeroblob(32))", error);
    return status;
}

gbv_status ledger_begin(gbv_ledger *ledger, gbv_error *error)
{
    gbv_status status = ledger_refresh(ledger, error);
    bool fresh = !ledger->database;
    int64_t tables = 1;
    int moved = 0;
    if (status == GBV_OK && fresh)
        status = connect_to(ledger, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (status == GBV_OK && fresh) /* resampled weights are large */
        status = ledger_execute(ledger, "PRAGMA page_size = 16384", error);
    if (status == GBV_OK) /* in whatever way others left it: one file, nothing beside it */
        status = ledger_execute(ledger, "PRAGMA journal_mode = DELETE", error);
    if (status == GBV_OK)
        status = ledger_execute(ledger, "BEGIN IMMEDIATE", error);
    if (status == GBV_OK && fresh)
        status = ledger_ask(ledger, "SELECT count(*) FROM sqlite_schema", 0, &tables, error);
    if (status == GBV_OK && tables == 0)
        status = make_tables(ledger, error);
    else if (status == GBV_OK && fresh) /* somebody else made it meanwhile */
        status = check_tables(ledger, error);
    if (status == GBV_OK &&
        sqlite3_file_control(ledger->database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved)
        status = error_set(error, GBV_FAILED, "%s: was moved or removed meanwhile: run it again", ledger->path);
    if (status != GBV_OK)
        ledger_rollback(ledger);
    return status;
}

gbv_status ledger_commit(gbv_ledger *ledger, gbv_error *error)
{
    gbv_status status = ledger_execute(ledger, "COMMIT", error);
    if (status != GBV_OK)
        ledger_rollback(ledger);
    return status;
}

/* A file that has no batch is not left behind. While we have the lock nobody else can write to it, and who waits for it
 * asks whether it is still there. */
static void remove_empty(gbv_ledger *ledger)
{
    struct stat about;
    if (ledger->made_by_us && sqlite3_exec(ledger->database, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
        stat(ledger->path, &about) == 0 && about.st_size == 0)
        unlink(ledger->path);
    disconnect(ledger);
}

void ledger_rollback(gbv_ledger *ledger)
{
    int64_t tables;
    if (!ledger->database)
        return;
    if (!sqlite3_get_autocommit(ledger->database))
        sqlite3_exec(ledger->database, "ROLLBACK", NULL, NULL, NULL);
    if (ledger_ask(ledger, "SELECT count(*) FROM sqlite_schema", 0, &tables, NULL) == GBV_OK && tables == 0)
        remove_empty(ledger);
}

gbv_status ledger_begin_reading(gbv_ledger *ledger, gbv_error *error)
{
    gbv_status status = ledger_refresh(ledger, error);
    return status == GBV_OK && ledger->database ? ledger_execute(ledger, "BEGIN", error) : status;
}

void ledger_end_reading(gbv_ledger *ledger)
{
    if (ledger->database && !sqlite3_get_autocommit(ledger->database))
        sqlite3_exec(ledger->database, "ROLLBACK", NULL, NULL, NULL);
}
