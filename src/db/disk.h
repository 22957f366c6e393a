/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maintenance of a database whose files are local: writing back the write-ahead log, and a disk
 * reserve.  For a database server these functions do nothing and return RC_OK.
 */
#pragma once

#include "db/db.h"

/* Writes the log back if it is long.  For the writer, between transactions. */
enum rc db_checkpoint(struct db *db, struct err *reterr);

/*
 * The same in two parts, so that the writer does not wait for most of it.  Between two
 * transactions the writer lends its log, if that helps (true), and continues.  Another
 * connection sweeps it once.  Then the writer takes the log back with the result of db_sweep(),
 * or -1 if that failed; it may lend it once more, and db_checkpoint(), for which little is
 * left, finishes.  Sweeping a log that is not lent destroys the database.
 */
bool db_lend_wal(struct db *db);
void db_take_log(struct db *db, int pages);

/* After RC_CORRUPT the writer must stop too. */
enum rc db_sweep(struct db *db, int *ret_pages, struct err *reterr);
/* Reports that another connection found the file damaged: RC_CORRUPT from now on. */
enum rc db_distrust(struct db *db, const struct err *why, struct err *reterr);

/*
 * Keeps a reserve of disk space next to the database, or releases it so that running work can
 * still be recorded when the disk is full.  RC_LIMIT if there is no space for it.
 */
enum rc db_ballast(struct db *db, bool keep, struct err *reterr);
