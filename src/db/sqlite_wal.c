/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VFS that buffers writes to the write-ahead log; see db/sqlite_wal.h.
 */
#include "db/sqlite_wal.h"

#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "db/sqlite_parts.h"

enum {
    GATHER_MAX = 96 << 10, /* bytes: SQLite's own VFS cannot write 128 KiB at once */
    HEAD_BYTES = 24,       /* of a frame, see SQLite's file format */
    NAME_BYTES = 32,
};

struct sqlite_wal {
    sqlite3_vfs vfs; /* first: SQLite passes a pointer to it */
    sqlite3_vfs *below;
    char name[NAME_BYTES];
    unsigned char buffer[GATHER_MAX]; /* a connection has one log at a time */
};

/* A log; the file below follows it in the same memory. */
struct log_file {
    sqlite3_file file; /* first */
    sqlite3_file *below;
    unsigned char *bytes; /* buffered, with room for GATHER_MAX */
    sqlite3_int64 at;     /* their offset in the file */
    int count;
    bool ends; /* the next bytes are the last of a commit */
};

static struct log_file *log_of(sqlite3_file *file)
{
    return (struct log_file *)file;
}

/*
 * If a write fails, SQLite drops the transaction, and so must the file: the bytes that reached
 * it could form a complete commit together with those that an earlier attempt left at the same
 * offset, and the next process would find it.  Nothing after this offset was ever committed.
 */
static int flush_buffer(struct log_file *log)
{
    int count = log->count, code, cut;

    log->count = 0;
    if (count == 0)
        return SQLITE_OK;
    code = log->below->pMethods->xWrite(log->below, log->bytes, count, log->at);
    if (code == SQLITE_OK)
        return SQLITE_OK;
    cut = log->below->pMethods->xTruncate(log->below, log->at);
    return cut == SQLITE_OK ? code : cut;
}

/* The head of a frame holds the size of the database if the frame is the last of a commit. */
static bool is_commit_frame(const unsigned char *head)
{
    return (head[4] | head[5] | head[6] | head[7]) != 0;
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    struct log_file *log = log_of(file);
    bool is_adjacent = at == log->at + log->count && count <= GATHER_MAX - log->count;
    int code = is_adjacent ? SQLITE_OK : flush_buffer(log);
    bool ends = log->ends;

    must(count <= GATHER_MAX); /* a page of SQLite has at most 64 KiB */
    if (code != SQLITE_OK)
        return code;
    if (log->count == 0)
        log->at = at;
    memcpy(log->bytes + log->count, bytes, (size_t)count);
    log->count += count;
    log->ends = count == HEAD_BYTES && is_commit_frame(bytes);
    return ends ? flush_buffer(log) : SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at)
{
    struct log_file *log = log_of(file);
    int code = flush_buffer(log);

    return code == SQLITE_OK ? log->below->pMethods->xRead(log->below, bytes, count, at) : code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct log_file *log = log_of(file);
    int code = flush_buffer(log);

    return code == SQLITE_OK ? log->below->pMethods->xTruncate(log->below, size) : code;
}

static int log_sync(sqlite3_file *file, int flags)
{
    struct log_file *log = log_of(file);
    int code = flush_buffer(log);

    return code == SQLITE_OK ? log->below->pMethods->xSync(log->below, flags) : code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *ret)
{
    struct log_file *log = log_of(file);
    int code = flush_buffer(log);

    return code == SQLITE_OK ? log->below->pMethods->xFileSize(log->below, ret) : code;
}

static int log_close(sqlite3_file *file)
{
    struct log_file *log = log_of(file);
    int written = flush_buffer(log);
    int closed = log->below->pMethods->xClose(log->below);

    return written == SQLITE_OK ? closed : written;
}

static int log_lock(sqlite3_file *file, int level)
{
    struct log_file *log = log_of(file);

    return log->below->pMethods->xLock(log->below, level);
}

static int log_unlock(sqlite3_file *file, int level)
{
    struct log_file *log = log_of(file);

    return log->below->pMethods->xUnlock(log->below, level);
}

static int log_is_reserved(sqlite3_file *file, int *ret)
{
    struct log_file *log = log_of(file);

    return log->below->pMethods->xCheckReservedLock(log->below, ret);
}

static int log_control(sqlite3_file *file, int op, void *arg)
{
    struct log_file *log = log_of(file);

    return log->below->pMethods->xFileControl(log->below, op, arg);
}

static int log_sector(sqlite3_file *file)
{
    struct log_file *log = log_of(file);

    return log->below->pMethods->xSectorSize(log->below);
}

static int log_traits(sqlite3_file *file)
{
    struct log_file *log = log_of(file);

    return log->below->pMethods->xDeviceCharacteristics(log->below);
}

/* Version 1: a log is neither shared memory nor mapped. */
static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_is_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_traits,
};

/* ---- the VFS: everything except opening is passed on ---- */

static sqlite3_vfs *below_of(sqlite3_vfs *vfs)
{
    return ((struct sqlite_wal *)vfs)->below;
}

static int on_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    return below_of(vfs)->xDelete(below_of(vfs), name, sync);
}

static int on_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
    return below_of(vfs)->xAccess(below_of(vfs), name, flags, ret);
}

static int on_full_name(sqlite3_vfs *vfs, const char *name, int room, char *ret)
{
    return below_of(vfs)->xFullPathname(below_of(vfs), name, room, ret);
}

static int on_randomness(sqlite3_vfs *vfs, int len, char *ret)
{
    return below_of(vfs)->xRandomness(below_of(vfs), len, ret);
}

static int on_sleep(sqlite3_vfs *vfs, int us)
{
    return below_of(vfs)->xSleep(below_of(vfs), us);
}

static int on_now_days(sqlite3_vfs *vfs, double *ret)
{
    return below_of(vfs)->xCurrentTime(below_of(vfs), ret);
}

static int on_now_ms(sqlite3_vfs *vfs, sqlite3_int64 *ret)
{
    return below_of(vfs)->xCurrentTimeInt64(below_of(vfs), ret);
}

static int on_last_error(sqlite3_vfs *vfs, int room, char *ret)
{
    return below_of(vfs)->xGetLastError(below_of(vfs), room, ret);
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                   int *ret_flags)
{
    struct sqlite_wal *above = (struct sqlite_wal *)vfs;
    sqlite3_vfs *below = above->below;
    struct log_file *log = log_of(file);
    int code;

    if (!(flags & SQLITE_OPEN_WAL))
        return below->xOpen(below, name, file, flags, ret_flags);
    *log = (struct log_file){.below = (sqlite3_file *)(log + 1), .bytes = above->buffer};
    code = below->xOpen(below, name, log->below, flags, ret_flags);
    if (code == SQLITE_OK)
        log->file.pMethods = &log_methods;
    return code;
}

/* Version 2: later members are for tests of SQLite.  Libraries are not loaded through it. */
struct sqlite_wal *sqlite_wal_new(struct arena *arena, const char *below)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(below[0] != '\0' ? below : NULL);
    struct sqlite_wal *log;

    if (!vfs)
        return NULL;
    must(vfs->iVersion >= 2);
    log = arena_take_raw(arena, sizeof *log);
    snprintf(log->name, sizeof log->name, "belfry-%p", (void *)log);
    log->below = vfs;
    log->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(struct log_file) + vfs->szOsFile,
        .mxPathname = vfs->mxPathname,
        .zName = log->name,
        .xOpen = on_open,
        .xDelete = on_delete,
        .xAccess = on_access,
        .xFullPathname = on_full_name,
        .xRandomness = on_randomness,
        .xSleep = on_sleep,
        .xCurrentTime = on_now_days,
        .xGetLastError = on_last_error,
        .xCurrentTimeInt64 = on_now_ms,
    };
    must(sqlite3_vfs_register(&log->vfs, 0) == SQLITE_OK);
    return log;
}

void sqlite_wal_end(struct sqlite_wal *log)
{
    if (log)
        must(sqlite3_vfs_unregister(&log->vfs) == SQLITE_OK);
}

const char *sqlite_wal_name(const struct sqlite_wal *log)
{
    return log->name;
}
