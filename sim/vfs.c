/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of an SQLite VFS, implemented with sim/vfs_disk.h and sim/vfs_locks.h; and the
 * points where faults strike.
 */
#include "sim/vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sim/vfs_locks.h"

/* Milliseconds from noon of 24 November 4714 BC, SQLite's epoch, to 1970. */
#define JULIAN_1970_MS INT64_C(210866760000000)

struct fault {
    uint64_t left; /* 0: not armed */
    bool forever;
    uint64_t count, struck;
};

/* An open file, in memory that SQLite owns. */
struct handle {
    sqlite3_file base; /* first: a sqlite3_file is cast to this */
    struct sim_vfs *vfs;
    struct handle *next;
    struct vfs_file *file; /* NULL: it is dead */
    struct vfs_holder holder;
};

struct sim_vfs {
    sqlite3_vfs base; /* first: a sqlite3_vfs is cast to this */
    char name[SIM_VFS_NAME_MAX];
    struct vfs_disk *disk;
    struct handle *handles;
    bool stopped;
    bool ignores_sync;
    struct prng prng;
    instant now;
    struct fault faults[SIM_FAULT_COUNT];
};

static struct handle *handle_of(sqlite3_file *file)
{
    return (struct handle *)file;
}

static struct sim_vfs *vfs_of(sqlite3_vfs *vfs)
{
    return (struct sim_vfs *)vfs;
}

static bool is_dead(const struct handle *h)
{
    return !h->file || h->vfs->stopped;
}

static bool strikes(struct sim_vfs *vfs, enum sim_fault which)
{
    struct fault *fault = &vfs->faults[which];

    fault->count++;
    if (fault->left == 0 || --fault->left > 0)
        return false;
    fault->left = fault->forever ? 1 : 0;
    fault->struck++;
    return true;
}

static bool stops(struct sim_vfs *vfs)
{
    vfs->stopped = strikes(vfs, SIM_STOP);
    return vfs->stopped;
}

/* Bytes. */

static int on_read(sqlite3_file *base, void *ret, int len, sqlite3_int64 at)
{
    struct handle *h = handle_of(base);
    size_t wanted = (size_t)len, got;

    if (is_dead(h) || strikes(h->vfs, SIM_READ_ERROR))
        return SQLITE_IOERR_READ;
    got = vfs_disk_read(h->file, at, ret, wanted);
    if (got == wanted)
        return SQLITE_OK;
    memset((char *)ret + got, 0, wanted - got);
    return SQLITE_IOERR_SHORT_READ;
}

static int on_write(sqlite3_file *base, const void *bytes, int len, sqlite3_int64 at)
{
    struct handle *h = handle_of(base);
    size_t size = (size_t)len;
    bool full, bad;

    if (is_dead(h))
        return SQLITE_IOERR_WRITE;
    if (at > VFS_FILE_MAX - len)
        return SQLITE_FULL;
    full = strikes(h->vfs, SIM_FULL);
    bad = strikes(h->vfs, SIM_WRITE_ERROR);
    vfs_disk_write(h->file, at, bytes, full || bad ? size / 2 : size);
    if (stops(h->vfs) || bad)
        return SQLITE_IOERR_WRITE;
    return full ? SQLITE_FULL : SQLITE_OK;
}

static int on_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    struct handle *h = handle_of(base);

    /* Shortening a file needs no space. */
    if (is_dead(h) || strikes(h->vfs, SIM_WRITE_ERROR))
        return SQLITE_IOERR_TRUNCATE;
    vfs_disk_cut(h->file, size);
    return stops(h->vfs) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int on_sync(sqlite3_file *base, int flags)
{
    struct handle *h = handle_of(base);

    (void)flags;
    if (is_dead(h) || stops(h->vfs))
        return SQLITE_IOERR_FSYNC;
    if (strikes(h->vfs, SIM_SYNC_ERROR)) {
        vfs_disk_fail_sync(h->file);
        return SQLITE_IOERR_FSYNC;
    }
    if (!h->vfs->ignores_sync)
        vfs_disk_sync(h->file);
    return SQLITE_OK;
}

static int on_size(sqlite3_file *base, sqlite3_int64 *ret)
{
    struct handle *h = handle_of(base);

    if (is_dead(h))
        return SQLITE_IOERR_FSTAT;
    *ret = vfs_disk_size(h->file);
    return SQLITE_OK;
}

/* Locks.  A dead connection may release what it has: it affects no one else. */

static int on_lock(sqlite3_file *base, int level)
{
    struct handle *h = handle_of(base);

    if (is_dead(h))
        return SQLITE_IOERR_LOCK;
    return vfs_locks_raise(&h->holder, (enum vfs_level)level) ? SQLITE_OK : SQLITE_BUSY;
}

static int on_unlock(sqlite3_file *base, int level)
{
    vfs_locks_lower(&handle_of(base)->holder, (enum vfs_level)level);
    return SQLITE_OK;
}

static int on_check_reserved(sqlite3_file *base, int *ret)
{
    struct handle *h = handle_of(base);

    if (is_dead(h))
        return SQLITE_IOERR_CHECKRESERVEDLOCK;
    *ret = vfs_locks_is_reserved(&h->holder) ? 1 : 0;
    return SQLITE_OK;
}

static int on_shm_map(sqlite3_file *base, int index, int size, int make, void volatile **ret)
{
    struct handle *h = handle_of(base);

    *ret = NULL;
    if (is_dead(h))
        return SQLITE_IOERR_SHMMAP;
    *ret = vfs_locks_region(&h->holder, index, (size_t)size, make != 0);
    return SQLITE_OK;
}

static int on_shm_lock(sqlite3_file *base, int first, int count, int flags)
{
    struct handle *h = handle_of(base);

    if (flags & SQLITE_SHM_UNLOCK) {
        vfs_locks_give(&h->holder, first, count);
        return SQLITE_OK;
    }
    if (is_dead(h))
        return SQLITE_IOERR_SHMLOCK;
    return vfs_locks_take(&h->holder, first, count, (flags & SQLITE_SHM_EXCLUSIVE) != 0)
               ? SQLITE_OK
               : SQLITE_BUSY;
}

static void on_shm_barrier(sqlite3_file *base)
{
    (void)base; /* there is one thread */
}

static int on_shm_unmap(sqlite3_file *base, int delete)
{
    (void)delete;
    vfs_locks_unmap(&handle_of(base)->holder);
    return SQLITE_OK;
}

/* Other functions of an open file. */

static int on_control(sqlite3_file *base, int what, void *arg)
{
    (void)base;
    (void)what;
    (void)arg;
    return SQLITE_NOTFOUND;
}

static int on_sector_size(sqlite3_file *base)
{
    (void)base;
    return VFS_SECTOR;
}

static int on_device(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE; /* as SQLite's own VFS says on Linux */
}

static int on_close(sqlite3_file *base)
{
    struct handle *h = handle_of(base);
    struct handle **link = &h->vfs->handles;

    while (*link != h)
        link = &(*link)->next;
    *link = h->next;
    vfs_locks_leave(&h->holder);
    if (h->file)
        vfs_disk_let_go(h->file);
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* shared memory, but no mapping of the file itself */
    .xClose = on_close,
    .xRead = on_read,
    .xWrite = on_write,
    .xTruncate = on_truncate,
    .xSync = on_sync,
    .xFileSize = on_size,
    .xLock = on_lock,
    .xUnlock = on_unlock,
    .xCheckReservedLock = on_check_reserved,
    .xFileControl = on_control,
    .xSectorSize = on_sector_size,
    .xDeviceCharacteristics = on_device,
    .xShmMap = on_shm_map,
    .xShmLock = on_shm_lock,
    .xShmBarrier = on_shm_barrier,
    .xShmUnmap = on_shm_unmap,
};

/* Names. */

/* A dead connection must not reach the files of new ones by their names. */
static bool is_closed_to_all(const struct sim_vfs *vfs)
{
    const struct handle *h = vfs->handles;

    while (h && h->file)
        h = h->next;
    return vfs->stopped || h;
}

static const struct vfs_holder *others_of(const struct sim_vfs *vfs,
                                          const struct vfs_file *file)
{
    const struct handle *h = vfs->handles;

    while (h && h->file != file)
        h = h->next;
    return h ? &h->holder : NULL;
}

static int find_or_make(struct sim_vfs *vfs, const char *name, int flags, struct vfs_file **ret)
{
    struct vfs_file *file = vfs_disk_find(vfs->disk, name);

    if (file ? (flags & SQLITE_OPEN_EXCLUSIVE) != 0 : (flags & SQLITE_OPEN_CREATE) == 0)
        return SQLITE_CANTOPEN;
    if (!file) {
        if (strlen(name) >= VFS_PATH_MAX)
            return SQLITE_CANTOPEN;
        file = vfs_disk_make(vfs->disk, name);
        if (stops(vfs))
            return SQLITE_IOERR;
    }
    *ret = file;
    return SQLITE_OK;
}

static int on_open(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags,
                   int *ret_flags)
{
    struct sim_vfs *vfs = vfs_of(base);
    struct handle *h = handle_of(file);
    struct vfs_file *found = NULL;
    int code;

    *h = (struct handle){.vfs = vfs}; /* without methods: SQLite will not close it */
    if (is_closed_to_all(vfs))
        return SQLITE_IOERR;
    /* No name: a temporary file, whose name is free again before the next one is opened. */
    code = find_or_make(vfs, name ? name : "", flags, &found);
    if (code != SQLITE_OK)
        return code;
    vfs_locks_join(&h->holder, others_of(vfs, found));
    vfs_disk_hold(found);
    if (flags & SQLITE_OPEN_DELETEONCLOSE)
        vfs_disk_delete(found);
    h->base.pMethods = &methods;
    h->file = found;
    h->next = vfs->handles;
    vfs->handles = h;
    if (ret_flags)
        *ret_flags = flags;
    return SQLITE_OK;
}

static int on_delete(sqlite3_vfs *base, const char *name, int sync)
{
    struct sim_vfs *vfs = vfs_of(base);
    struct vfs_file *file = vfs_disk_find(vfs->disk, name);

    if (is_closed_to_all(vfs))
        return SQLITE_IOERR_DELETE;
    if (!file)
        return SQLITE_IOERR_DELETE_NOENT;
    vfs_disk_delete(file);
    if (stops(vfs))
        return SQLITE_IOERR_DELETE;
    if (sync && !vfs->ignores_sync)
        vfs_disk_sync_deletions(vfs->disk);
    return SQLITE_OK;
}

static int on_access(sqlite3_vfs *base, const char *name, int flags, int *ret)
{
    struct sim_vfs *vfs = vfs_of(base);
    const struct vfs_file *file = vfs_disk_find(vfs->disk, name);

    (void)flags;
    if (is_closed_to_all(vfs))
        return SQLITE_IOERR_ACCESS;
    /* As SQLite's own VFS: an empty journal does not exist. */
    *ret = file && vfs_disk_size(file) > 0 ? 1 : 0;
    return SQLITE_OK;
}

static int on_full_name(sqlite3_vfs *base, const char *name, int room, char *ret)
{
    (void)base;
    return snprintf(ret, (size_t)room, "%s", name) < room ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* The world. */

static int on_randomness(sqlite3_vfs *base, int len, char *ret)
{
    for (int i = 0; i < len; i++)
        ret[i] = (char)prng_next(&vfs_of(base)->prng);
    return len;
}

static int on_sleep(sqlite3_vfs *base, int us)
{
    (void)base;
    return us; /* nothing else could happen meanwhile */
}

static int on_now_ms(sqlite3_vfs *base, sqlite3_int64 *ret)
{
    *ret = JULIAN_1970_MS + vfs_of(base)->now / SPAN_MS;
    return SQLITE_OK;
}

static int on_now_days(sqlite3_vfs *base, double *ret)
{
    sqlite3_int64 ms = 0;
    int code = on_now_ms(base, &ms);

    *ret = (double)ms / 86400000.0;
    return code;
}

static int on_last_error(sqlite3_vfs *base, int room, char *ret)
{
    (void)base;
    (void)room;
    (void)ret;
    return EIO; /* a full disk is SQLITE_FULL and has no errno */
}

struct sim_vfs *sim_vfs_new(const char *name, uint64_t seed)
{
    struct sim_vfs *vfs = calloc(1, sizeof *vfs);

    must(vfs && strlen(name) < sizeof vfs->name && !sqlite3_vfs_find(name));
    snprintf(vfs->name, sizeof vfs->name, "%s", name);
    vfs->disk = vfs_disk_new();
    prng_seed(&vfs->prng, seed);
    vfs->base = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(struct handle),
        .mxPathname = VFS_PATH_MAX,
        .zName = vfs->name,
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
    must(sqlite3_vfs_register(&vfs->base, 0) == SQLITE_OK);
    /* It would ask the kernel otherwise; 0 is not a seed. */
    must(sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, (int)(seed & INT32_MAX) | 1,
                              (sqlite3 *)NULL) == SQLITE_OK);
    return vfs;
}

struct sim_vfs *sim_vfs_free(struct sim_vfs *vfs)
{
    if (!vfs)
        return NULL;
    must(!vfs->handles);
    must(sqlite3_vfs_unregister(&vfs->base) == SQLITE_OK);
    vfs_disk_free(vfs->disk);
    free(vfs);
    return NULL;
}

void sim_vfs_set_now(struct sim_vfs *vfs, instant now)
{
    vfs->now = now;
}

void sim_vfs_process_kill(struct sim_vfs *vfs)
{
    for (struct handle *h = vfs->handles; h; h = h->next) {
        if (h->file)
            vfs_disk_let_go(h->file);
        h->file = NULL;
    }
    vfs->stopped = false;
}

void sim_vfs_power_loss(struct sim_vfs *vfs, struct prng *prng, const struct vfs_odds *odds)
{
    static const struct vfs_odds usual = {.keep = 4, .drop = 4, .garble = 1, .tear = 1};

    sim_vfs_process_kill(vfs);
    vfs_disk_lose_power(vfs->disk, prng, odds ? odds : &usual);
}

void sim_vfs_arm(struct sim_vfs *vfs, enum sim_fault fault, uint64_t n, bool forever)
{
    vfs->faults[fault].left = n;
    vfs->faults[fault].forever = forever;
}

uint64_t sim_vfs_count(const struct sim_vfs *vfs, enum sim_fault fault)
{
    return vfs->faults[fault].count;
}

uint64_t sim_vfs_struck(const struct sim_vfs *vfs, enum sim_fault fault)
{
    return vfs->faults[fault].struck;
}

void sim_vfs_ignore_sync(struct sim_vfs *vfs, bool ignore)
{
    vfs->ignores_sync = ignore;
}

struct vfs_disk *sim_vfs_disk(struct sim_vfs *vfs)
{
    return vfs->disk;
}
