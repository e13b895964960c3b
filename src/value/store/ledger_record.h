/* ledger_record.h - one record of a ledger: a batch with what it was scored by and a point for every source that is in,
 * or that a batch was undone. */
#ifndef VALUE_STORE_LEDGER_RECORD_H
#define VALUE_STORE_LEDGER_RECORD_H

#include "value/flags.h"
#include "value/store/ledger_chain.h"

/* What a batch was scored by and came to, kept as one line of JSON. */
typedef struct ledger_settings {
    gbv_history_batch about; /* but for name, time and hash, which stand beside it in the record */
    gbv_tau_mode tau_mode;   /* by which tau was found, in this batch or an earlier one */
    char **leavers;          /* about.leavers of them */
    gbv_option_record *options;
    size_t option_count;
    char **flagged[FLAG_KINDS]; /* names of the sources that have each kind of flag, in the order of flag_kind_at() */
    size_t flagged_count[FLAG_KINDS];
    size_t sources;         /* that were ever there, those of this batch included */
    size_t worlds;          /* resampled weights of each source; 0: none are kept */
    char worlds_sha256[65]; /* of their bytes; "" without */
} ledger_settings;

/* One line of JSON for the caller to free; NULL when memory is out. */
char *settings_write(const ledger_settings *settings);
/* What settings_write wrote; GBV_BAD_INPUT for anything else. settings_free() is due in either case. */
GBV_MUST_CHECK gbv_status settings_read(const gbv_ledger *ledger, const char *line, ledger_settings *settings,
                                        gbv_error *error);
void settings_free(ledger_settings *settings);
/* From the run's option `reference`. */
void settings_set_reference_kind(ledger_settings *settings, const char *kind);
void history_batch_free(gbv_history_batch *batch); /* what it holds */

/* Of one source in one batch. */
typedef struct ledger_point {
    size_t source; /* its number in the ledger, from 1 */
    size_t rows;
    double score, deviation; /* NaN when absent */
    double batch_prior;      /* p(s) of the batch by itself; NaN: the same for all who delivered */
    double batch_posterior;
    double prior, log_weight;
    double low, high; /* of P_t(s); NaN: unknown */
    double z, cusum;
    int alarm;
    bool hashed;
    unsigned char sha256[DIGEST];
} ledger_point;

/* A point is kept under both numbers in one, so that those of a record lie together in the order of its sources. */
static inline int64_t point_id(int64_t record, size_t source)
{
    return record << 32 | (int64_t)source;
}
#define POINTS_OF_RECORD "id BETWEEN ?1 << 32 AND (?1 + 1 << 32) - 1"
enum { MOST_RECORDS = INT32_MAX - 1 };
#define MOST_SOURCES ((size_t)UINT32_MAX)

#define POINT_COLUMNS                                                                                                  \
    "rows, score, deviation, batch_prior, batch_posterior, prior, log_weight, low, high, z, cusum, alarm, sha256"
enum { POINT_CELLS = 13 }; /* the columns above */

void point_to_cells(const ledger_point *point, cell cells[POINT_CELLS]);
/* False for what no ledger holds. */
bool point_from_cells(const cell cells[POINT_CELLS], ledger_point *point);

static inline bool point_is_present(const ledger_point *point)
{
    return point->score == point->score;
}

typedef struct ledger_record {
    int64_t number; /* from 1, without gaps */
    bool undo;
    int64_t undoes; /* of an undo: the number of the batch */
    const char *name;
    int64_t time;
    const unsigned char *reference; /* digest; NULL: there is none, or its content is not known */
    const char *settings;
    unsigned char hash[DIGEST];
} ledger_record;

enum { RECORD_CELLS = 7 }; /* without the hash */
#define RECORD_COLUMNS "number, kind, undoes, name, time, reference, settings"

/* Borrowed from the row of a statement until it is stepped. False for what no ledger holds. */
bool record_from_cells(const cell cells[RECORD_CELLS], ledger_record *record);

/* Adds a record with its points, fills its hash, and makes it the head. Sources must be there. */
GBV_MUST_CHECK gbv_status record_insert(gbv_ledger *ledger, ledger_record *record, const ledger_point *points,
                                        size_t point_count, char *const *names, const unsigned char previous[DIGEST],
                                        gbv_error *error);

#endif
