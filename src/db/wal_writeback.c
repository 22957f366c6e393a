/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the log back beside the writer, which needs no lock of it.
 *
 * SQLite up to 3.51.2 must not be asked to copy a log beside a writer when all of it is copied
 * (https://sqlite.org/wal.html#walresetbug).  The writer may begin it anew just then, and the
 * other, who has read how long it was, counts as many pages of the new one as copied: they
 * are lost.  While one page is left that nobody has copied no log begins anew.  So
 * the writer, who alone knows how long it is, lends it only then, and copies nothing
 * itself until it has it back.
 */
#include "base/must.h"
#include "db/sqlite_parts.h"

enum {
    SWEEPS_MAX = 2,  /* the second finds what was written during the first     */
    WORTH_PART = 16, /* of a long log: for fewer pages a sweep is not worth it */
};

static int worth_it(const struct db *db)
{
    int pages = db->options.log_pages / WORTH_PART;

    return pages > 0 ? pages : 1;
}

bool sqlite_lend_log(struct db *db)
{
    struct sqlite *sq = (struct sqlite *)db;

    must(!sq->is_lent);
    if (!sqlite_wal_is_long(db) || sq->sweeps == SWEEPS_MAX ||
        sq->log_pages - sq->log_swept < worth_it(db))
        return false;
    sq->sweeps++;
    sq->is_lent = true;
    return true;
}

void sqlite_take_log(struct db *db, int pages)
{
    struct sqlite *sq = (struct sqlite *)db;

    must(sq->is_lent);
    sq->is_lent = false;
    if (pages < 0)
        sq->sweeps = SWEEPS_MAX; /* nobody can help */
    else
        sq->log_swept = pages > sq->log_pages ? 0 : pages; /* 0: it was begun anew */
}

/*
 * SQLite waits for the disk only where it has come to the end of the log, and beside a writer
 * it seldom does.  So the wait is here: for the writer, who comes to the end, it would be as
 * long as if nobody had helped.
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
                   "SQLite, %s: the disk did not take what was written; check it and restart",
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
