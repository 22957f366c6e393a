/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a database needs whose files are ours: a log that is written back, and a reserve of
 * room.  One of a server needs none of it, and says OK.
 */
#pragma once

#include "db/db.h"

/* Writes the log back when it is long.  For the writer, between transactions. */
enum rc db_checkpoint(struct db *db, struct err *reterr);
bool db_log_is_long(const struct db *db);

/*
 * Writes back what is in the log by now, while the writer goes on: little is left for its
 * db_checkpoint(), without which the log does not begin anew.  RC_BUSY: not all of it.  After
 * RC_CORRUPT the writer must not go on either.
 */
enum rc db_sweep(struct db *db, struct err *reterr);
/* What another connection has found wrong with the file: RC_CORRUPT from now on. */
enum rc db_distrust(struct db *db, const struct err *why, struct err *reterr);

/*
 * Keeps a reserve of disk beside the database, or gives it back so that what is running can
 * still be written down when the disk is full.  RC_LIMIT when there is no room for it.
 */
enum rc db_ballast(struct db *db, bool keep, struct err *reterr);
