/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock on the file of a SQLite database itself, in addition to FILE.lock: it holds for every
 * name of the file, and FILE.lock may be removed.  It also remembers which file that is.
 *
 * When a process closes any descriptor of a file, it loses SQLite's locks on that file.  So the
 * descriptor stays open after the release, and is used again.
 */
#pragma once

#include "base/err.h"

/* RC_BUSY if another connection that writes has it, in this process or another. */
enum rc sqlite_lock_take(const char *path, int *ret, struct err *reterr);
void sqlite_lock_release(int lock);

/*
 * RC_CORRUPT if the file, its WAL or its shared memory was removed or replaced: SQLite would
 * continue to write to files that have no name.
 */
enum rc sqlite_lock_check(int lock, const char *path, struct err *reterr);
