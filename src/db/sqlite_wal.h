/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combines the small writes of the writer's write-ahead log.
 *
 * SQLite writes a commit to its WAL frame by frame, each with two small writes.  A VFS of the
 * connection, on top of the one it would have used, combines adjacent writes.  It passes them
 * on when the last frame of a commit has arrived, before the commit becomes visible, and
 * whenever SQLite reads, measures, truncates, syncs or closes the file.  All other calls, and
 * all other files, go directly to the VFS below.
 */
#pragma once

#include "base/arena.h"

struct sqlite_wal; /* opaque */

/* On top of the VFS of that name, "" for the default; NULL if that VFS does not exist. */
struct sqlite_wal *sqlite_wal_new(struct arena *arena, const char *below);
/* Call after the connection is closed and before the arena is freed; accepts NULL. */
void sqlite_wal_end(struct sqlite_wal *wal);

const char *sqlite_wal_name(const struct sqlite_wal *wal); /* to open a connection with */
