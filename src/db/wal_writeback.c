/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the WAL back on a second connection, while the writer continues.
 *
 * SQLite up to 3.51.2 has a bug (https://sqlite.org/wal.html#walresetbug): if all pages of the
 * WAL are copied, the writer may restart it while another connection begins a checkpoint.  That
 * connection has read the old length and counts as many pages of the new WAL as copied: they
 * are lost.  A WAL never restarts while one of its pages is not copied.  So the writer, which
 * alone knows the length, lends the WAL only while a page is not copied, and copies nothing
 * until it has the WAL back.
 */
#include "base/must.h"
#include "db/sqlite_parts.h"

enum {
    WRITEBACKS_MAX = 2, /* the second copies what was written during the first */
    MIN_DIVISOR = 16,   /* less than 1/16 of a long WAL is not worth a write-back */
};

static int min_pages(const struct db *db)
{
    int pages = db->options.wal_pages / MIN_DIVISOR;

    return pages > 0 ? pages : 1;
}

bool sqlite_lend_wal(struct db *db)
{
    struct sqlite *sq = (struct sqlite *)db;

    must(!sq->is_lent);
    if (!sqlite_wal_is_long(db) || sq->writebacks == WRITEBACKS_MAX ||
        sq->wal_pages - sq->wal_copied_max < min_pages(db))
        return false;
    sq->writebacks++;
    sq->is_lent = true;
    return true;
}

void sqlite_take_wal(struct db *db, int pages)
{
    struct sqlite *sq = (struct sqlite *)db;

    must(sq->is_lent);
    sq->is_lent = false;
    if (pages < 0)
        sq->writebacks = WRITEBACKS_MAX; /* do not try again */
    else
        sq->wal_copied_max = pages > sq->wal_pages ? 0 : pages; /* 0: the WAL was restarted */
}

/*
 * SQLite syncs the database only after the last page of the WAL, which it rarely reaches while
 * the writer continues.  Without this sync the writer, which reaches it, would wait for all of
 * these pages.
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

enum rc sqlite_write_back_wal(struct db *db, int *ret_pages, struct err *reterr)
{
    struct sqlite *sq = (struct sqlite *)db;
    int pages = 0;
    enum rc rc;

    if (sqlite3_wal_checkpoint_v2(sq->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, &pages, NULL) !=
        SQLITE_OK)
        return sqlite_set_error(sq, reterr);
    rc = wait_for_disk(sq, reterr);
    if (rc == RC_OK)
        *ret_pages = pages;
    return rc;
}
