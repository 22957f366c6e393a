/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of a database while it is in use.
 */
#pragma once

#include "db/db.h"

struct db_backup {
    const char *file; /* the copy; it appears when it is whole and on the disk */
    bool replace;     /* a file of that name                                   */
    /* Now and then: pages copied, of how many.  NULL: nobody wants to know.  */
    void (*progress)(void *arg, int64_t done, int64_t all);
    void *arg;
};

/*
 * Copies one snapshot of the database, through a connection that only reads: it neither
 * writes nor checkpoints, whoever else does.  While it lasts the log of a busy server grows,
 * since the snapshot needs it; the next checkpoint makes it short again.
 * RC_INVALID for a server, which makes its own backups.
 */
MUST_USE enum rc db_backup(struct db *db, const struct db_backup *what, struct err *reterr);
