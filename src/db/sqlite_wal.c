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
    GATHER_MAX = 96 << 10, /* bytes; SQLite's own VFS must get less than 128 KiB at once */
    HEAD_BYTES = 24,       /* of a frame, see SQLite's file format */
    NAME_BYTES = 32,
};

struct sqlite_wal {
    sqlite3_vfs vfs; /* first: SQLite passes a pointer to it */
    sqlite3_vfs *below;
    char name[NAME_BYTES];
    unsigned char buffer[GATHER_MAX]; /* a connection has one WAL at a time */
};

/* A WAL; the file of the VFS below follows it in the same memory. */
struct wal_file {
    sqlite3_file file; /* first */
    sqlite3_file *below;
    unsigned char *bytes; /* buffered, with room for GATHER_MAX */
    sqlite3_int64 at;     /* their offset in the file */
    int count;
    bool is_commit_end; /* the next bytes are the last of a commit */
};

static struct wal_file *wal_of(sqlite3_file *file)
{
    return (struct wal_file *)file;
}

/*
 * If a write fails, SQLite drops the transaction, so its bytes must leave the file: together
 * with bytes that an earlier attempt left at the same offset, they could form a complete
 * commit, which the next process would apply.  Nothing from this offset on was ever committed.
 */
static int flush_buffer(struct wal_file *wal)
{
    int count = wal->count, code, cut;

    wal->count = 0;
    if (count == 0)
        return SQLITE_OK;
    code = wal->below->pMethods->xWrite(wal->below, wal->bytes, count, wal->at);
    if (code == SQLITE_OK)
        return SQLITE_OK;
    cut = wal->below->pMethods->xTruncate(wal->below, wal->at);
    return cut == SQLITE_OK ? code : cut;
}

/* The head of a frame holds the size of the database if the frame is the last of a commit. */
static bool is_commit_frame(const unsigned char *head)
{
    return (head[4] | head[5] | head[6] | head[7]) != 0;
}

static int wal_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    struct wal_file *wal = wal_of(file);
    bool is_adjacent = at == wal->at + wal->count && count <= GATHER_MAX - wal->count;
    int code = is_adjacent ? SQLITE_OK : flush_buffer(wal);
    bool is_commit_end = wal->is_commit_end;

    must(count <= GATHER_MAX); /* a page of SQLite has at most 64 KiB */
    if (code != SQLITE_OK)
        return code;
    if (wal->count == 0)
        wal->at = at;
    memcpy(wal->bytes + wal->count, bytes, (size_t)count);
    wal->count += count;
    wal->is_commit_end = count == HEAD_BYTES && is_commit_frame(bytes);
    return is_commit_end ? flush_buffer(wal) : SQLITE_OK;
}

static int wal_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at)
{
    struct wal_file *wal = wal_of(file);
    int code = flush_buffer(wal);

    return code == SQLITE_OK ? wal->below->pMethods->xRead(wal->below, bytes, count, at) : code;
}

static int wal_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct wal_file *wal = wal_of(file);
    int code = flush_buffer(wal);

    return code == SQLITE_OK ? wal->below->pMethods->xTruncate(wal->below, size) : code;
}

static int wal_sync(sqlite3_file *file, int flags)
{
    struct wal_file *wal = wal_of(file);
    int code = flush_buffer(wal);

    return code == SQLITE_OK ? wal->below->pMethods->xSync(wal->below, flags) : code;
}

static int wal_size(sqlite3_file *file, sqlite3_int64 *ret)
{
    struct wal_file *wal = wal_of(file);
    int code = flush_buffer(wal);

    return code == SQLITE_OK ? wal->below->pMethods->xFileSize(wal->below, ret) : code;
}

static int wal_close(sqlite3_file *file)
{
    struct wal_file *wal = wal_of(file);
    int written = flush_buffer(wal);
    int closed = wal->below->pMethods->xClose(wal->below);

    return written == SQLITE_OK ? closed : written;
}

static int wal_lock(sqlite3_file *file, int level)
{
    struct wal_file *wal = wal_of(file);

    return wal->below->pMethods->xLock(wal->below, level);
}

static int wal_unlock(sqlite3_file *file, int level)
{
    struct wal_file *wal = wal_of(file);

    return wal->below->pMethods->xUnlock(wal->below, level);
}

static int wal_is_reserved(sqlite3_file *file, int *ret)
{
    struct wal_file *wal = wal_of(file);

    return wal->below->pMethods->xCheckReservedLock(wal->below, ret);
}

static int wal_control(sqlite3_file *file, int op, void *arg)
{
    struct wal_file *wal = wal_of(file);

    return wal->below->pMethods->xFileControl(wal->below, op, arg);
}

static int wal_sector(sqlite3_file *file)
{
    struct wal_file *wal = wal_of(file);

    return wal->below->pMethods->xSectorSize(wal->below);
}

static int wal_traits(sqlite3_file *file)
{
    struct wal_file *wal = wal_of(file);

    return wal->below->pMethods->xDeviceCharacteristics(wal->below);
}

/* Version 1: a WAL is neither shared memory nor mapped. */
static const sqlite3_io_methods wal_methods = {
    .iVersion = 1,
    .xClose = wal_close,
    .xRead = wal_read,
    .xWrite = wal_write,
    .xTruncate = wal_truncate,
    .xSync = wal_sync,
    .xFileSize = wal_size,
    .xLock = wal_lock,
    .xUnlock = wal_unlock,
    .xCheckReservedLock = wal_is_reserved,
    .xFileControl = wal_control,
    .xSectorSize = wal_sector,
    .xDeviceCharacteristics = wal_traits,
};

/* The VFS: everything except opening is passed on. */

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
    struct wal_file *wal = wal_of(file);
    int code;

    if (!(flags & SQLITE_OPEN_WAL))
        return below->xOpen(below, name, file, flags, ret_flags);
    *wal = (struct wal_file){.below = (sqlite3_file *)(wal + 1), .bytes = above->buffer};
    code = below->xOpen(below, name, wal->below, flags, ret_flags);
    if (code == SQLITE_OK)
        wal->file.pMethods = &wal_methods;
    return code;
}

/* Version 2: later members are for tests of SQLite.  Libraries are not loaded through it. */
struct sqlite_wal *sqlite_wal_new(struct arena *arena, const char *below)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(below[0] != '\0' ? below : NULL);
    struct sqlite_wal *wal;

    if (!vfs)
        return NULL;
    must(vfs->iVersion >= 2);
    wal = arena_take_raw(arena, sizeof *wal);
    snprintf(wal->name, sizeof wal->name, "belfry-%p", (void *)wal);
    wal->below = vfs;
    wal->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(struct wal_file) + vfs->szOsFile,
        .mxPathname = vfs->mxPathname,
        .zName = wal->name,
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
    must(sqlite3_vfs_register(&wal->vfs, 0) == SQLITE_OK);
    return wal;
}

void sqlite_wal_end(struct sqlite_wal *wal)
{
    if (wal)
        must(sqlite3_vfs_unregister(&wal->vfs) == SQLITE_OK);
}

const char *sqlite_wal_name(const struct sqlite_wal *wal)
{
    return wal->name;
}
