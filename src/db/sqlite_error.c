/* SPDX-License-Identifier: Apache-2.0 */
/* Maps SQLite's errors to the error codes of db/db.h. */
#include <errno.h>

#include "base/must.h"
#include "db/sqlite_parts.h"

static enum rc rc_of_ioerr(int code, int number)
{
    bool full = number == ENOSPC || number == EDQUOT;

    /* A write without space changed nothing; a failed fsync may have lost anything. */
    return full && (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE) ? RC_LIMIT
                                                                                : RC_CORRUPT;
}

static enum rc rc_of_code(int code, int number)
{
    switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
        return RC_CONFLICT;
    case SQLITE_READONLY_DBMOVED:
        return RC_CORRUPT;
    default:
        break;
    }
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return RC_BUSY;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_INTERRUPT:
        return RC_LIMIT;
    case SQLITE_CANTOPEN:
        return RC_NOT_FOUND;
    case SQLITE_IOERR:
        return rc_of_ioerr(code, number);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return RC_CORRUPT;
    default:
        return RC_INVALID;
    }
}

static const char *hint_of(enum rc rc, int code)
{
    switch (rc) {
    case RC_CONFLICT:
        return "; a row with this key already exists";
    case RC_BUSY:
        return "; another program uses it: stop it, or try again";
    case RC_CORRUPT:
        if (code == SQLITE_NOTADB)
            return "; choose another file with --db, or restore a backup if it was a database";
        return "; check the disk and restart; if the error remains, restore a backup";
    case RC_LIMIT:
        if (code == SQLITE_INTERRUPT)
            return "; the read took too long: ask for less at once";
        return code == SQLITE_TOOBIG ? "; write less at once" : "; free space on its disk";
    default:
        return "";
    }
}

enum rc sqlite_set_error(struct sqlite *sq, struct err *reterr)
{
    int code = sqlite3_extended_errcode(sq->handle);
    const char *path = sqlite3_db_filename(sq->handle, "main");
    enum rc rc = rc_of_code(code, sqlite3_system_errno(sq->handle));

    must(code != SQLITE_OK && code != SQLITE_NOMEM && code != SQLITE_IOERR_NOMEM);
    must(code != SQLITE_MISUSE);
    if (rc == RC_CORRUPT)
        sq->db.dead = true;
    return err_set(reterr, rc, -1, 0, "SQLite, %s: %s (%d)%s", path ? path : "no file",
                   sqlite3_errmsg(sq->handle), code, hint_of(rc, code & 0xff));
}
