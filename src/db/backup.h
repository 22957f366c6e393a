/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a database while it is in use. */
#pragma once

#include "db/db.h"

struct db_backup {
    const char *file; /* the copy; it appears when it is complete and on disk */
    bool replace;     /* overwrite an existing file */
    /* Called now and then with the pages copied and their total; NULL: no progress reports. */
    void (*progress)(void *arg, int64_t done, int64_t all);
    void *arg;
};

/*
 * Copies one snapshot of the database through a read-only connection: it neither writes nor
 * checkpoints.  The snapshot needs the WAL, which grows meanwhile if the server is busy; the
 * next checkpoint after the copy shortens it.  RC_INVALID for PostgreSQL, which has its
 * own backup tools.
 */
MUST_USE enum rc db_backup(struct db *db, const struct db_backup *options, struct err *reterr);
