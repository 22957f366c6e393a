/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a SQLite database before SQLite sees it: that it is there, on a file system
 * that can hold it, and that nobody else writes to it.
 *
 * The lock is on FILE.lock and not on the file, where SQLite has locks of its own.  It is
 * of the kind that belongs to the open description, so that it also keeps out a second
 * writer in the same process and ends with the process, however that ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { SQLITE_PATH_MAX = 4096 }; /* as PATH_MAX */

/*
 * Makes the file when it is not there (for its owner alone: it may hold secrets), and takes
 * the lock, until sqlite_file_give() or the end of the process.  `ret_path` has room for
 * SQLITE_PATH_MAX bytes and gets the path without symbolic links, so that two names of one
 * file have one lock.  RC_BUSY when another process holds it, RC_INVALID for a network
 * file system unless `any_filesystem`, RC_NOT_FOUND when the directory is not there.
 */
enum rc sqlite_file_take(const char *path, bool any_filesystem, char *ret_path, int *ret_lock,
                         struct err *reterr);

void sqlite_file_give(int lock); /* -1: nothing */

/* The real path of a file that must be there; RC_NOT_FOUND when it is not. */
enum rc sqlite_file_find(const char *path, char *ret_path, struct err *reterr);

/*
 * Keeps SQLITE_BALLAST bytes of the disk in FILE.ballast, or gives them back.  RC_LIMIT when
 * the disk has no room for them.
 */
enum { SQLITE_BALLAST = 16 << 20 }; /* thousands of outcomes, in a log that only grows */
enum rc sqlite_file_ballast(const char *path, bool keep, struct err *reterr);

/*
 * A copy is made as FILE.part, for its owner alone, and gets its name when it is on the disk:
 * whoever finds FILE finds all of it.  RC_CONFLICT when FILE is there and may not be replaced,
 * when a server has it open, or a log lies beside it that SQLite would take for the copy's.
 *
 * Of two copies under one name at a time the one that began later gets it, since a FILE.part
 * that is found is taken for what a crash has left; the end of the other is RC_CONFLICT.
 */
struct sqlite_copy {
    char part[SQLITE_PATH_MAX];
    uint64_t device, inode; /* of the file that is this copy, whatever has its name by now */
};
enum rc sqlite_file_begin_copy(const char *path, bool replace, struct sqlite_copy *ret,
                               struct err *reterr);
enum rc sqlite_file_end_copy(const struct sqlite_copy *copy, const char *path,
                             struct err *reterr);
void sqlite_file_drop_copy(const struct sqlite_copy *copy);
