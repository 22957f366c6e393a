/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a database needs whose files are ours: a log that is written back, and a reserve of
 * room.  One of a server needs none of it, and says OK.
 */
#pragma once

#include "db/db.h"

/* Writes the log back when it is long.  For the writer, between transactions. */
enum rc db_checkpoint(struct db *db, struct err *reterr);

/*
 * The same in two parts, so that the writer need not wait for most of it.  Between two
 * transactions it lends its log, when that helps (true), and goes on.  Another connection
 * sweeps it once.  Then the writer takes it back, with what db_sweep() said or -1 when it
 * failed; it may lend it once more, and db_checkpoint(), for which little is left, ends it.
 * Who sweeps a log that is not lent to him destroys the database.
 */
bool db_lend_wal(struct db *db);
void db_take_log(struct db *db, int pages);

/* After RC_CORRUPT the writer must not go on either. */
enum rc db_sweep(struct db *db, int *ret_pages, struct err *reterr);
/* What another connection has found wrong with the file: RC_CORRUPT from now on. */
enum rc db_distrust(struct db *db, const struct err *why, struct err *reterr);

/*
 * Keeps a reserve of disk beside the database, or gives it back so that what is running can
 * still be written down when the disk is full.  RC_LIMIT when there is no room for it.
 */
enum rc db_ballast(struct db *db, bool keep, struct err *reterr);
