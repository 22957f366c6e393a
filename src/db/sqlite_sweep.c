/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the log back beside the writer, which needs no lock of it.
 *
 * SQLite waits for the disk only where it has come to the end of the log, and beside a writer
 * it seldom does.  So the wait is here: for the writer, who comes to the end, it would be as
 * long as if nobody had helped.
 */
#include "base/must.h"
#include "db/sqlite_parts.h"

enum { PASSES = 2 }; /* the second finds what was written during the first */

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

enum rc sqlite_sweep(struct db *db, struct err *reterr)
{
    struct sqlite *sq = (struct sqlite *)db;
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < PASSES; i++) {
        int code = sqlite3_wal_checkpoint_v2(sq->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
                                             NULL);

        rc = code == SQLITE_OK ? wait_for_disk(sq, reterr) : sqlite_refuse(sq, reterr);
    }
    return rc;
}
