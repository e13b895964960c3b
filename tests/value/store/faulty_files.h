/* faulty_files.h - a layer between SQLite and the files of a test: the k-th call that changes anything fails, or the
 * power goes at that moment, and with it whatever was written but not made sure of.
 *
 *     faulty_install();                                 once; every database opened from here on goes through it
 *     faulty_fail_at(3, SQLITE_FULL);                   the third change fails, all others work
 *     faulty_lose_power_at(3, seed);                    from the third on nothing works ...
 *     faulty_power_back();                              ... and files are what a disk may hold then
 *     faulty_calls();                                   changes that were asked for since
 */
#ifndef TESTS_VALUE_STORE_FAULTY_FILES_H
#define TESTS_VALUE_STORE_FAULTY_FILES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"

enum { FAULTY_FILES = 4, FAULTY_SECTOR = 512 };

/* A write, or with `bytes` NULL a truncation to `offset`. */
typedef struct faulty_change {
    sqlite3_int64 offset;
    size_t size;
    unsigned char *bytes;
} faulty_change;

/* What a disk knows of a file, and what it may have heard of it. */
typedef struct faulty_track {
    char path[700];
    bool durable;         /* the file's name is on the disk */
    unsigned char *bytes; /* what is made sure of */
    size_t size;
    faulty_change *changes; /* since */
    size_t change_count;
} faulty_track;

static struct {
    sqlite3_vfs vfs, *real;
    faulty_track tracks[FAULTY_FILES];
    size_t track_count;
    size_t calls, fail_at;
    int code; /* 0: the power goes */
    bool dead;
    random_stream stream;
} faulty;

typedef struct faulty_file {
    sqlite3_file base;
    faulty_track *track; /* NULL: a file of SQLite's own */
    sqlite3_file *real;
} faulty_file;

/* What the next change comes to: SQLITE_OK to go on. */
static inline int faulty_next(int usual)
{
    if (faulty.dead)
        return usual;
    if (++faulty.calls != faulty.fail_at)
        return SQLITE_OK;
    if (faulty.code)
        return faulty.code == SQLITE_FULL && usual == SQLITE_IOERR_WRITE ? SQLITE_FULL : usual;
    faulty.dead = true;
    return usual;
}

static inline void faulty_forget(faulty_track *t)
{
    for (size_t i = 0; i < t->change_count; i++)
        free(t->changes[i].bytes);
    free(t->changes);
    t->changes = NULL;
    t->change_count = 0;
}

static inline void faulty_note(faulty_track *t, sqlite3_int64 offset, const void *bytes, size_t size)
{
    t->changes = realloc(t->changes, (t->change_count + 1) * sizeof *t->changes);
    faulty_change *c = &t->changes[t->change_count++];
    *c = (faulty_change){.offset = offset, .size = size, .bytes = bytes ? malloc(size + 1) : NULL};
    if (bytes)
        memcpy(c->bytes, bytes, size);
}

static inline void faulty_put(faulty_track *t, size_t offset, const unsigned char *bytes, size_t size)
{
    if (offset + size > t->size) {
        t->bytes = realloc(t->bytes, offset + size);
        memset(t->bytes + t->size, 0, offset + size - t->size);
        t->size = offset + size;
    }
    memcpy(t->bytes + offset, bytes, size);
}

/* Everything since reaches the disk, or (by chance) some of it, sector by sector. */
static inline void faulty_settle(faulty_track *t, bool all)
{
    for (size_t i = 0; i < t->change_count; i++) {
        const faulty_change *c = &t->changes[i];
        if (!c->bytes && (all || random_below(&faulty.stream, 2)))
            t->size = (size_t)c->offset < t->size ? (size_t)c->offset : t->size;
        for (size_t at = 0; c->bytes && at < c->size; at += FAULTY_SECTOR)
            if (all || random_below(&faulty.stream, 2))
                faulty_put(t, (size_t)c->offset + at, c->bytes + at,
                           c->size - at < FAULTY_SECTOR ? c->size - at : FAULTY_SECTOR);
    }
    faulty_forget(t);
}

static inline faulty_track *faulty_find(const char *path)
{
    for (size_t i = 0; i < faulty.track_count; i++)
        if (strcmp(faulty.tracks[i].path, path) == 0)
            return &faulty.tracks[i];
    if (faulty.track_count == FAULTY_FILES)
        abort();
    faulty_track *t = &faulty.tracks[faulty.track_count++];
    snprintf(t->path, sizeof t->path, "%s", path);
    FILE *file = fopen(path, "rb");
    unsigned char block[4096];
    if ((t->durable = file != NULL)) {
        for (size_t count; (count = fread(block, 1, sizeof block, file)) > 0;)
            faulty_put(t, t->size, block, count);
        fclose(file);
    }
    return t;
}

static inline int faulty_close(sqlite3_file *f)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
}

static inline int faulty_read(sqlite3_file *f, void *bytes, int size, sqlite3_int64 offset)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return faulty.dead ? SQLITE_IOERR_READ : real->pMethods->xRead(real, bytes, size, offset);
}

static inline int faulty_write(sqlite3_file *f, const void *bytes, int size, sqlite3_int64 offset)
{
    faulty_file *file = (faulty_file *)f;
    int code = faulty_next(SQLITE_IOERR_WRITE);
    bool last = code != SQLITE_OK && !faulty.code && faulty.calls == faulty.fail_at; /* some of it may be on its way */
    if (file->track && (code == SQLITE_OK || last))
        faulty_note(file->track, offset, bytes, (size_t)size);
    return code ? code : file->real->pMethods->xWrite(file->real, bytes, size, offset);
}

static inline int faulty_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    faulty_file *file = (faulty_file *)f;
    int code = faulty_next(SQLITE_IOERR_TRUNCATE);
    if (!code && file->track)
        faulty_note(file->track, size, NULL, 0);
    return code ? code : file->real->pMethods->xTruncate(file->real, size);
}

static inline int faulty_sync(sqlite3_file *f, int flags)
{
    faulty_file *file = (faulty_file *)f;
    int code = faulty_next(SQLITE_IOERR_FSYNC);
    if (!code && file->track) {
        file->track->durable = true;
        faulty_settle(file->track, true);
    }
    return code ? code : file->real->pMethods->xSync(file->real, flags);
}

static inline int faulty_size(sqlite3_file *f, sqlite3_int64 *size)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return real->pMethods->xFileSize(real, size);
}

static inline int faulty_lock(sqlite3_file *f, int level)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return real->pMethods->xLock(real, level);
}

static inline int faulty_unlock(sqlite3_file *f, int level)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return real->pMethods->xUnlock(real, level);
}

static inline int faulty_reserved(sqlite3_file *f, int *held)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return real->pMethods->xCheckReservedLock(real, held);
}

static inline int faulty_control(sqlite3_file *f, int what, void *value)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return what == SQLITE_FCNTL_SIZE_HINT || what == SQLITE_FCNTL_CHUNK_SIZE
               ? SQLITE_NOTFOUND
               : real->pMethods->xFileControl(real, what, value);
}

static inline int faulty_sector(sqlite3_file *f)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return real->pMethods->xSectorSize(real);
}

static inline int faulty_device(sqlite3_file *f)
{
    sqlite3_file *real = ((faulty_file *)f)->real;
    return real->pMethods->xDeviceCharacteristics(real);
}

static const sqlite3_io_methods faulty_methods = {.iVersion = 1,
                                                  .xClose = faulty_close,
                                                  .xRead = faulty_read,
                                                  .xWrite = faulty_write,
                                                  .xTruncate = faulty_truncate,
                                                  .xSync = faulty_sync,
                                                  .xFileSize = faulty_size,
                                                  .xLock = faulty_lock,
                                                  .xUnlock = faulty_unlock,
                                                  .xCheckReservedLock = faulty_reserved,
                                                  .xFileControl = faulty_control,
                                                  .xSectorSize = faulty_sector,
                                                  .xDeviceCharacteristics = faulty_device};

static inline int faulty_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out)
{
    faulty_file *file = (faulty_file *)f;
    (void)vfs;
    *file = (faulty_file){.real = (sqlite3_file *)(file + 1)};
    bool creates = path && (flags & SQLITE_OPEN_CREATE) && access(path, F_OK) != 0;
    int code = creates ? faulty_next(SQLITE_CANTOPEN) : faulty.dead ? SQLITE_CANTOPEN : SQLITE_OK;
    if (path && !code)
        file->track = faulty_find(path);
    if (!code)
        code = faulty.real->xOpen(faulty.real, path, file->real, flags, out);
    if (!code)
        file->base.pMethods = &faulty_methods;
    return code;
}

static inline int faulty_delete(sqlite3_vfs *vfs, const char *path, int sure)
{
    (void)vfs;
    int code = faulty_next(SQLITE_IOERR_DELETE);
    if (code)
        return code;
    faulty_track *t = faulty_find(path);
    if (sure) { /* otherwise the disk may still have it, with all that was written */
        t->durable = false;
        t->size = 0;
        faulty_forget(t);
    }
    return faulty.real->xDelete(faulty.real, path, sure);
}

static inline int faulty_access(sqlite3_vfs *vfs, const char *path, int flags, int *result)
{
    (void)vfs;
    return faulty.real->xAccess(faulty.real, path, flags, result);
}

static inline void faulty_install(void)
{
    faulty.real = sqlite3_vfs_find(NULL);
    faulty.vfs = *faulty.real;
    faulty.vfs.zName = "faulty";
    faulty.vfs.szOsFile = (int)sizeof(faulty_file) + faulty.real->szOsFile;
    faulty.vfs.xOpen = faulty_open;
    faulty.vfs.xDelete = faulty_delete;
    faulty.vfs.xAccess = faulty_access;
    sqlite3_vfs_register(&faulty.vfs, 1);
}

/* Nothing fails any more; what files are now is what they are. */
static inline void faulty_reset(void)
{
    for (size_t i = 0; i < faulty.track_count; i++) {
        faulty_forget(&faulty.tracks[i]);
        free(faulty.tracks[i].bytes);
    }
    memset(faulty.tracks, 0, sizeof faulty.tracks);
    faulty.track_count = faulty.calls = faulty.fail_at = 0;
    faulty.dead = false;
}

static inline void faulty_fail_at(size_t call, int code)
{
    faulty_reset();
    faulty.fail_at = call;
    faulty.code = code;
}

static inline void faulty_lose_power_at(size_t call, uint64_t seed)
{
    faulty_fail_at(call, 0);
    faulty.stream = random_stream_open(seed, "power", RANDOM_SPLIT);
}

static inline size_t faulty_calls(void)
{
    return faulty.calls;
}

static inline void faulty_power_back(void)
{
    for (size_t i = 0; i < faulty.track_count; i++) {
        faulty_track *t = &faulty.tracks[i];
        bool there = t->durable || (access(t->path, F_OK) == 0 && random_below(&faulty.stream, 2));
        faulty_settle(t, false);
        unlink(t->path);
        FILE *file = there ? fopen(t->path, "wb") : NULL;
        if (file) {
            if (fwrite(t->bytes ? (void *)t->bytes : "", 1, t->size, file) != t->size)
                abort();
            fclose(file);
        }
    }
    faulty_reset();
}

#endif
