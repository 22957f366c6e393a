/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the file of a SQLite database before SQLite opens it: creates it, checks its file
 * system, and makes sure that no other process writes to it.
 *
 * The lock is on FILE.lock and not on the file, where SQLite has its own locks.  It belongs to
 * the open file description, so that it also excludes a second writer in the same process and
 * ends with the process in any case.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { SQLITE_PATH_MAX = 4096 }; /* as PATH_MAX */

/*
 * Creates the file if it does not exist (readable by its owner only: it may contain secrets),
 * and locks it until sqlite_file_release() or the end of the process.  `ret_path` has room for
 * SQLITE_PATH_MAX bytes and gets the path without symbolic links, so that two names of one
 * file share one lock.  RC_BUSY if another process holds it, RC_INVALID for a network file
 * system unless `any_filesystem`, RC_NOT_FOUND if the directory does not exist.
 */
enum rc sqlite_file_take(const char *path, bool any_filesystem, char *ret_path, int *ret_lock,
                         struct err *reterr);

void sqlite_file_release(int lock); /* -1: does nothing */

/* The real path of an existing file; RC_NOT_FOUND if it does not exist. */
enum rc sqlite_file_find(const char *path, char *ret_path, struct err *reterr);

/*
 * Reserves SQLITE_BALLAST bytes of the disk in FILE.ballast, or releases them.  RC_LIMIT if the
 * disk has no space for them.
 */
enum { SQLITE_BALLAST = 16 << 20 }; /* WAL for thousands of outcomes without a checkpoint */
enum rc sqlite_file_ballast(const char *path, bool keep, struct err *reterr);

/*
 * A copy is written as FILE.part, readable by its owner only, and renamed when it is on disk:
 * FILE is always complete.  RC_CONFLICT if FILE exists and must not be replaced, if a server
 * has it open, or if there is a file FILE-wal: SQLite would apply it to the copy.
 *
 * If two copies with one name are made at the same time, the later one succeeds, because an
 * existing FILE.part counts as left over from a crash; the other ends with RC_CONFLICT.
 */
struct sqlite_copy {
    char part[SQLITE_PATH_MAX];
    uint64_t device, inode; /* identity of this copy's file, even if its name was taken over */
};
enum rc sqlite_file_begin_copy(const char *path, bool replace, struct sqlite_copy *ret,
                               struct err *reterr);
enum rc sqlite_file_end_copy(const struct sqlite_copy *copy, const char *path,
                             struct err *reterr);
void sqlite_file_drop_copy(const struct sqlite_copy *copy);
