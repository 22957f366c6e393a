/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backup API of SQLite, in steps inside one transaction of the source: outside of one the
 * copy would restart with every change, and never finish while a server is busy.
 */

#include "base/must.h"
#include "db/backup.h"
#include "db/sqlite_file.h"
#include "db/sqlite_parts.h"

enum { STEP_PAGES = 1024 }; /* pages between two progress reports: 4 MiB */

static enum rc set_copy_error(sqlite3 *copy, const char *file, struct err *reterr)
{
    int code = sqlite3_errcode(copy);

    must(code != SQLITE_NOMEM);
    return err_set(reterr, (code & 0xff) == SQLITE_FULL ? RC_LIMIT : RC_INVALID, -1, 0,
                   "cannot write %s: %s", file, sqlite3_errmsg(copy));
}

static enum rc copy_pages(struct sqlite *sq, sqlite3 *copy, const struct db_backup *options,
                          struct err *reterr)
{
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", sq->handle, "main");
    int code = SQLITE_OK, end;

    if (!backup)
        return set_copy_error(copy, options->file, reterr);
    while (code == SQLITE_OK) {
        code = sqlite3_backup_step(backup, STEP_PAGES);
        if (options->progress && (code == SQLITE_OK || code == SQLITE_DONE))
            options->progress(options->arg,
                              sqlite3_backup_pagecount(backup) -
                                  sqlite3_backup_remaining(backup),
                              sqlite3_backup_pagecount(backup));
    }
    end = sqlite3_backup_finish(backup);
    if (code == SQLITE_DONE && end == SQLITE_OK)
        return RC_OK;
    return sqlite3_errcode(sq->handle) != SQLITE_OK &&
                   sqlite3_errcode(sq->handle) != SQLITE_DONE
               ? sqlite_set_error(sq, reterr)
               : set_copy_error(copy, options->file, reterr);
}

/* No journal and no syncs: the file gets its final name when it is complete. */
static enum rc copy_to(struct sqlite *sq, const char *part, const struct db_backup *options,
                       struct err *reterr)
{
    sqlite3 *copy = NULL;
    int code = sqlite3_open_v2(part, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    enum rc rc = RC_OK;

    must(copy);
    if (code == SQLITE_OK)
        code = sqlite3_exec(copy, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL, NULL,
                            NULL);
    if (code != SQLITE_OK)
        rc = set_copy_error(copy, part, reterr);
    if (rc == RC_OK)
        rc = copy_pages(sq, copy, options, reterr);
    must(sqlite3_close(copy) == SQLITE_OK);
    return rc;
}

/* The read that fixes the snapshot. */
static enum rc begin_snapshot(struct sqlite *sq, struct err *reterr)
{
    if (sqlite3_exec(sq->handle, "BEGIN; SELECT count(*) FROM sqlite_schema", NULL, NULL,
                     NULL) == SQLITE_OK)
        return RC_OK;
    return sqlite_set_error(sq, reterr);
}

enum rc db_backup(struct db *db, const struct db_backup *options, struct err *reterr)
{
    struct sqlite *sq = (struct sqlite *)db;
    struct sqlite_copy copy;
    enum rc rc;

    if (db_kind(db) != DB_SQLITE)
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "use PostgreSQL's own tools, which also work while it is in use: pg_dump "
            "--format=custom --file FILE URL, and pg_restore --dbname URL FILE");
    must(db->options.readonly && !sqlite3_txn_state(sq->handle, NULL));
    rc = sqlite_file_begin_copy(options->file, options->replace, &copy, reterr);
    if (rc != RC_OK)
        return rc;
    deadline_start(&sq->deadline); /* for the first read; pages are copied without a deadline */
    rc = begin_snapshot(sq, reterr);
    if (rc == RC_OK)
        rc = copy_to(sq, copy.part, options, reterr);
    (void)sqlite3_exec(sq->handle, "ROLLBACK", NULL, NULL, NULL);
    if (rc == RC_OK)
        rc = sqlite_file_end_copy(&copy, options->file, reterr);
    if (rc != RC_OK)
        sqlite_file_drop_copy(&copy);
    return rc;
}
