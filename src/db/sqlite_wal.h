/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the writer's log reaches the kernel.
 *
 * SQLite writes a commit to its write-ahead log frame by frame, each with two small writes.  A
 * VFS of the connection, above the one that it would have used, puts together what lies one
 * behind the other.  It is written when the last frame of a commit has come, before anybody can
 * see the commit, and whenever SQLite reads, measures, cuts, syncs or closes the file.
 * Everything else, and every other file, goes straight to the VFS below.
 */
#pragma once

#include "base/arena.h"

struct sqlite_wal; /* opaque */

/* Above the VFS of that name, "" for the system's own; NULL when there is none. */
struct sqlite_wal *sqlite_wal_new(struct arena *arena, const char *below);
/* After the connection was closed, before the arena is freed; accepts NULL. */
void sqlite_wal_end(struct sqlite_wal *log);

const char *sqlite_wal_name(const struct sqlite_wal *log); /* to open a connection with */
