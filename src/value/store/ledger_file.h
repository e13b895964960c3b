/* ledger_file.h - the SQLite file behind a ledger: its tables, opening it, and what its failures are called.
 *
 * A statement is prepared, stepped through and finalised; each of these says why it failed.
 */
#ifndef VALUE_STORE_LEDGER_FILE_H
#define VALUE_STORE_LEDGER_FILE_H

#include <sqlite3.h>

#include <gbv/ledger.h>

struct gbv_ledger {
    char *path;
    gbv_ledger_mode mode;
    sqlite3 *database; /* NULL: there is no file yet, or an empty one */
    bool made_by_us;   /* the file was not there when it was opened */
};

/* Looks at the file anew where there was none, because another program may have made it since. */
GBV_MUST_CHECK gbv_status ledger_refresh(gbv_ledger *ledger, gbv_error *error);
/* Fails where a batch could not be added, as far as that can be told without adding one. */
GBV_MUST_CHECK gbv_status ledger_check_writable(gbv_ledger *ledger, gbv_error *error);

/* A transaction that writes: only one program has one at a time. The file and its tables are made where they are
 * missing. Whatever was written is taken back unless ledger_commit says GBV_OK. */
GBV_MUST_CHECK gbv_status ledger_begin(gbv_ledger *ledger, gbv_error *error);
GBV_MUST_CHECK gbv_status ledger_commit(gbv_ledger *ledger, gbv_error *error);
void ledger_rollback(gbv_ledger *ledger);
/* A transaction that reads one state of the file throughout. */
GBV_MUST_CHECK gbv_status ledger_begin_reading(gbv_ledger *ledger, gbv_error *error);
void ledger_end_reading(gbv_ledger *ledger);

GBV_MUST_CHECK gbv_status ledger_execute(gbv_ledger *ledger, const char *sql, gbv_error *error);
GBV_MUST_CHECK gbv_status ledger_prepare(gbv_ledger *ledger, const char *sql, sqlite3_stmt **statement,
                                         gbv_error *error);
/* *row tells whether there is one more; a statement without rows is done then. */
GBV_MUST_CHECK gbv_status ledger_next(gbv_ledger *ledger, sqlite3_stmt *statement, bool *row, gbv_error *error);
/* A statement that gives no rows, once; it can be bound and run again. */
GBV_MUST_CHECK gbv_status ledger_run(gbv_ledger *ledger, sqlite3_stmt *statement, gbv_error *error);
/* The first number of the first row; `otherwise` when there is none. */
GBV_MUST_CHECK gbv_status ledger_ask(gbv_ledger *ledger, const char *sql, int64_t otherwise, int64_t *answer,
                                     gbv_error *error);

/* The sentence for what SQLite said. */
gbv_status ledger_failure(const gbv_ledger *ledger, int code, gbv_error *error);
/* GBV_BAD_INPUT: the file holds what no ledger holds. */
gbv_status ledger_damaged(const gbv_ledger *ledger, gbv_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
