/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maintenance of a database whose files are local: writing back the write-ahead log (WAL), and
 * a disk reserve.  For a database server db_checkpoint() and db_ballast() do nothing and return
 * RC_OK, and db_lend_wal() returns false.
 */
#pragma once

#include "db/db.h"

/* Writes the WAL back if it is long.  For the writer, between transactions. */
enum rc db_checkpoint(struct db *db, struct err *reterr);

/*
 * The same with the help of a second connection, so that the writer waits less.  Between two
 * transactions the writer calls db_lend_wal(); if that returns true, the second connection
 * calls db_write_back_wal() once, while the writer continues.  Then the writer calls
 * db_take_wal() with *ret_pages, the length of the WAL that the second connection saw, or -1 if
 * that failed.  It may lend the WAL once more; db_checkpoint() writes the little that is left.
 * Writing back a WAL that is not lent destroys the database.
 */
bool db_lend_wal(struct db *db);
void db_take_wal(struct db *db, int pages);

/* After RC_CORRUPT the writer must stop too. */
enum rc db_write_back_wal(struct db *db, int *ret_pages, struct err *reterr);
/* Reports that another connection found the file damaged: RC_CORRUPT from now on. */
enum rc db_distrust(struct db *db, const struct err *why, struct err *reterr);

/*
 * Keeps a reserve of disk space next to the database, or releases it so that running work can
 * still be recorded when the disk is full.  RC_LIMIT if there is no space for it.
 */
enum rc db_ballast(struct db *db, bool keep, struct err *reterr);

/* RC_CORRUPT if somebody removed or replaced a file of the database. */
enum rc db_check_file(struct db *db, struct err *reterr);
