/* ledger_chain.h - the hash by which each record of a ledger is chained to the one before: SHA-256 of that one's hash
 * (32 zero bytes at first), the record and its points. docs/formats.md tells how to make it again.
 *
 * What is written, what is read and what is hashed are the same cells, in the order of the columns.
 */
#ifndef VALUE_STORE_LEDGER_CHAIN_H
#define VALUE_STORE_LEDGER_CHAIN_H

#include "base/hash.h"
#include "value/store/ledger_file.h"

enum { DIGEST = 32 };

/* A value of SQLite. */
typedef struct cell {
    int type; /* SQLITE_NULL, SQLITE_INTEGER, ... */
    int64_t integer;
    double real;
    const void *bytes; /* text or blob, borrowed */
    size_t size;
} cell;

cell cell_null(void);
cell cell_integer(int64_t value);
cell cell_real(double value);                   /* NaN: null */
cell cell_text(const char *text);               /* NULL: null */
cell cell_blob(const void *bytes, size_t size); /* NULL: null */
cell cell_column(sqlite3_stmt *statement, int column);
void cell_bind(sqlite3_stmt *statement, int parameter, const cell *value);

double cell_get_real(const cell *value); /* NaN for null */

typedef struct chain {
    hash_stream hash;
    unsigned char waiting[4096];
    size_t count;
} chain;

chain chain_open(const unsigned char previous[DIGEST]);
void chain_add(chain *c, const cell *value);
bool chain_close(chain *c, unsigned char digest[DIGEST]);

void digest_write(const unsigned char digest[DIGEST], char hexadecimal[65]);
bool digest_read(const char *hexadecimal, unsigned char digest[DIGEST]);

#endif
