/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the log back while the writer, which needs none of its locks, continues.
 *
 * SQLite up to 3.51.2 must not be asked to copy a log next to a writer if all of it is copied
 * (https://sqlite.org/wal.html#walresetbug).  The writer may restart the log at that moment,
 * and the other connection, which has read the old length, then counts as many pages of the new
 * log as copied: they are lost.  A log never restarts while one page of it is not copied.  So
 * the writer, which alone knows the length, lends the log only then, and copies nothing itself
 * until it has the log back.
 */
#include "base/must.h"
#include "db/sqlite_parts.h"

enum {
    SWEEPS_MAX = 2,  /* the second copies what was written during the first */
    WORTH_PART = 16, /* of a long log: for fewer pages a sweep is not worth it */
};

static int min_pages(const struct db *db)
{
    int pages = db->options.log_pages / WORTH_PART;

    return pages > 0 ? pages : 1;
}

bool sqlite_lend_wal(struct db *db)
{
    struct sqlite *sq = (struct sqlite *)db;

    must(!sq->is_lent);
    if (!sqlite_wal_is_long(db) || sq->sweeps == SWEEPS_MAX ||
        sq->log_pages - sq->log_swept < min_pages(db))
        return false;
    sq->sweeps++;
    sq->is_lent = true;
    return true;
}

void sqlite_take_wal(struct db *db, int pages)
{
    struct sqlite *sq = (struct sqlite *)db;

    must(sq->is_lent);
    sq->is_lent = false;
    if (pages < 0)
        sq->sweeps = SWEEPS_MAX; /* sweeping does not work */
    else
        sq->log_swept = pages > sq->log_pages ? 0 : pages; /* 0: the log was restarted */
}

/*
 * SQLite waits for the disk only at the end of the log, which it seldom reaches next to a
 * writer.  So the wait is here; otherwise the writer, which does reach the end, would wait as
 * long as without help.
 */
static enum rc wait_for_disk(struct sqlite *sq, struct err *reterr)
{
    sqlite3_file *file = NULL;

    must(sqlite3_file_control(sq->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) ==
         SQLITE_OK);
    if (file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
        return RC_OK;
    sq->db.dead = true;
    return err_set(reterr, RC_CORRUPT, -1, 0,
                   "SQLite, %s: the disk did not store the written data; check it and restart",
                   sqlite3_db_filename(sq->handle, "main"));
}

enum rc wal_writeback(struct db *db, int *ret_pages, struct err *reterr)
{
    struct sqlite *sq = (struct sqlite *)db;
    int pages = 0;
    enum rc rc;

    if (sqlite3_wal_checkpoint_v2(sq->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, &pages, NULL) !=
        SQLITE_OK)
        return sqlite_refuse(sq, reterr);
    rc = wait_for_disk(sq, reterr);
    if (rc == RC_OK)
        *ret_pages = pages;
    return rc;
}
