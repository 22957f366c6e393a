/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of databases that this process has locked, in a table.
 */
#include "db/sqlite_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "db/sqlite_file.h"

enum {
    FILES_MAX = 64,
    PARTS = 3,      /* the database, its WAL, its shared memory */
    SUFFIX_MAX = 8, /* of their names                           */
};

/* A byte far behind those that SQLite locks, and behind the largest possible file. */
#define LOCK_BYTE (INT64_C(1) << 62)

/* All zero: not known yet. */
struct identity {
    dev_t device;
    ino_t inode;
};

static struct file {
    int fd;
    bool is_open, is_locked;
    struct identity parts[PARTS];
} files[FILES_MAX];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static const char *const suffixes[PARTS] = {"", "-wal", "-shm"};

static bool is_same(struct identity a, struct identity b)
{
    return a.device == b.device && a.inode == b.inode;
}

/* False if the part does not exist. */
static bool identify(const char *path, int part, struct identity *ret)
{
    char name[SQLITE_PATH_MAX + SUFFIX_MAX];
    struct stat st;

    snprintf(name, sizeof name, "%s%s", path, suffixes[part]);
    if (stat(name, &st) != 0)
        return false;
    *ret = (struct identity){st.st_dev, st.st_ino};
    return true;
}

/* The place of this file, or a free one; -1: all are locked. */
static int find_place(struct identity wanted)
{
    int unused = -1;

    for (int i = 0; i < FILES_MAX; i++) {
        if (files[i].is_open && is_same(files[i].parts[0], wanted))
            return i;
        if (unused < 0 && !files[i].is_open)
            unused = i;
    }
    for (int i = 0; i < FILES_MAX && unused < 0; i++)
        if (!files[i].is_locked)
            unused = i;
    return unused;
}

/* Opens the file in its place, unless it is open. */
static bool open_file(const char *path, struct identity wanted, struct file *file)
{
    if (file->is_open && is_same(file->parts[0], wanted))
        return true;
    if (file->is_open)
        close(file->fd);
    *file = (struct file){.fd = open(path, O_RDWR | O_CLOEXEC), .parts = {wanted}};
    file->is_open = file->fd >= 0;
    return file->is_open;
}

static int set_lock(const struct file *file, short type)
{
    struct flock byte = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1};

    return fcntl(file->fd, F_OFD_SETLK, &byte);
}

static enum rc take_lock(const char *path, int *ret, struct err *reterr)
{
    struct identity wanted;
    int place = identify(path, 0, &wanted) ? find_place(wanted) : -1;
    struct file *file = &files[place < 0 ? 0 : place];

    if (place < 0 || !open_file(path, wanted, file))
        return err_set(reterr, RC_INVALID, -1, 0, "cannot open the database %s: %s", path,
                       strerror(errno));
    if (file->is_locked || (set_lock(file, F_WRLCK) != 0 && errno == EAGAIN))
        return err_set(reterr, RC_BUSY, -1, 0,
                       "%s is in use by another process; stop it, or use another file", path);
    file->is_locked = true;
    memset(&file->parts[1], 0, (PARTS - 1) * sizeof file->parts[1]);
    *ret = place;
    return RC_OK;
}

enum rc sqlite_lock_take(const char *path, int *ret, struct err *reterr)
{
    enum rc rc;

    must(pthread_mutex_lock(&mutex) == 0);
    rc = take_lock(path, ret, reterr);
    must(pthread_mutex_unlock(&mutex) == 0);
    return rc;
}

void sqlite_lock_release(int lock)
{
    must(pthread_mutex_lock(&mutex) == 0);
    must(files[lock].is_locked);
    (void)set_lock(&files[lock], F_UNLCK);
    files[lock].is_locked = false;
    must(pthread_mutex_unlock(&mutex) == 0);
}

enum rc sqlite_lock_check(int lock, const char *path, struct err *reterr)
{
    struct file *file = &files[lock]; /* only its owner changes it while it is locked */

    must(file->is_locked);
    for (int i = 0; i < PARTS; i++) {
        struct identity *known = &file->parts[i], now = {0};
        bool exists = identify(path, i, &now);

        if (known->inode == 0 && exists)
            *known = now;
        if (known->inode != 0 && !is_same(*known, now))
            return err_set(reterr, RC_CORRUPT, -1, 0,
                           "%s%s was %s while the server used it; nothing can be written any "
                           "more",
                           path, suffixes[i], exists ? "replaced" : "removed");
    }
    return RC_OK;
}
