#include "value/store/ledger_chain.h"

#include <math.h>
#include <string.h>

cell cell_null(void)
{
    return (cell){.type = SQLITE_NULL};
}

cell cell_integer(int64_t value)
{
    return (cell){.type = SQLITE_INTEGER, .integer = value};
}

/* SQLite keeps no sign of zero and no NaN. */
cell cell_real(double value)
{
    return isnan(value) ? cell_null() : (cell){.type = SQLITE_FLOAT, .real = value + 0.};
}

cell cell_text(const char *text)
{
    return text ? (cell){.type = SQLITE_TEXT, .bytes = text, .size = strlen(text)} : cell_null();
}

cell cell_blob(const void *bytes, size_t size)
{
    return bytes ? (cell){.type = SQLITE_BLOB, .bytes = bytes, .size = size} : cell_null();
}

cell cell_column(sqlite3_stmt *statement, int column)
{
    cell value = {.type = sqlite3_column_type(statement, column)};
    if (value.type == SQLITE_INTEGER)
        value.integer = sqlite3_column_int64(statement, column);
    else if (value.type == SQLITE_FLOAT)
        value.real = sqlite3_column_double(statement, column);
    else if (value.type != SQLITE_NULL) {
        value.bytes = value.type == SQLITE_TEXT ? (const void *)sqlite3_column_text(statement, column)
                                                : sqlite3_column_blob(statement, column);
        value.size = (size_t)sqlite3_column_bytes(statement, column);
    }
    return value;
}

void cell_bind(sqlite3_stmt *statement, int parameter, const cell *value)
{
    switch (value->type) {
    case SQLITE_INTEGER:
        sqlite3_bind_int64(statement, parameter, value->integer);
        break;
    case SQLITE_FLOAT:
        sqlite3_bind_double(statement, parameter, value->real);
        break;
    case SQLITE_TEXT:
        sqlite3_bind_text64(statement, parameter, value->bytes, value->size, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case SQLITE_BLOB:
        sqlite3_bind_blob64(statement, parameter, value->bytes, value->size, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_null(statement, parameter);
    }
}

double cell_get_real(const cell *value)
{
    return value->type == SQLITE_FLOAT ? value->real : value->type == SQLITE_INTEGER ? (double)value->integer : NAN;
}

static void add_bytes(chain *c, const void *bytes, size_t size)
{
    if (c->count + size > sizeof c->waiting) {
        hash_add(&c->hash, c->waiting, c->count);
        c->count = 0;
    }
    if (size > sizeof c->waiting)
        hash_add(&c->hash, bytes, size);
    else if (size) {
        memcpy(c->waiting + c->count, bytes, size);
        c->count += size;
    }
}

/* Least significant byte first, whatever the machine. */
static void add_number(chain *c, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    add_bytes(c, bytes, sizeof bytes);
}

chain chain_open(const unsigned char previous[DIGEST])
{
    chain c = {.hash = hash_open()};
    add_bytes(&c, previous, DIGEST);
    return c;
}

void chain_add(chain *c, const cell *value)
{
    uint64_t bits;
    switch (value->type) {
    case SQLITE_INTEGER:
        add_bytes(c, "I", 1);
        add_number(c, (uint64_t)value->integer);
        break;
    case SQLITE_FLOAT:
        add_bytes(c, "R", 1);
        memcpy(&bits, &value->real, sizeof bits);
        add_number(c, bits);
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        add_bytes(c, value->type == SQLITE_TEXT ? "T" : "B", 1);
        add_number(c, value->size);
        add_bytes(c, value->bytes, value->size);
        break;
    default:
        add_bytes(c, "N", 1);
    }
}

bool chain_close(chain *c, unsigned char digest[DIGEST])
{
    char hexadecimal[65];
    hash_add(&c->hash, c->waiting, c->count);
    return hash_close(&c->hash, hexadecimal) && digest_read(hexadecimal, digest);
}

void digest_write(const unsigned char digest[DIGEST], char hexadecimal[65])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < DIGEST; i++) {
        hexadecimal[2 * i] = digits[digest[i] >> 4];
        hexadecimal[2 * i + 1] = digits[digest[i] & 15];
    }
    hexadecimal[2 * DIGEST] = '\0';
}

static int digit(char character)
{
    return character >= '0' && character <= '9'   ? character - '0'
           : character >= 'a' && character <= 'f' ? character - 'a' + 10
                                                  : -1;
}

bool digest_read(const char *hexadecimal, unsigned char digest[DIGEST])
{
    for (size_t i = 0; i < DIGEST; i++) {
        int high = digit(hexadecimal[2 * i]), low = high < 0 ? -1 : digit(hexadecimal[2 * i + 1]);
        if (low < 0)
            return false;
        digest[i] = (unsigned char)(16 * high + low);
    }
    return hexadecimal[2 * DIGEST] == '\0';
}
