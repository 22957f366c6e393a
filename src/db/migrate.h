/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migrates the tables of a database to the version of this program.
 *
 * Migrations are numbered 1, 2, 3 and so on, and never change once released.  Each runs in one
 * transaction together with its row in table `migrations`: after a crash the database has the
 * previous version, and the next run continues from there.  If several nodes migrate at once,
 * one does the work and the others find it done.  There is no way back.
 *
 * Table `minimum_versions` says which programs may use the tables as they are now: those with
 * at least version `reader` may read them, those with at least version `writer` may also write
 * them.  The version of a program is the number of its last migration.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "db/db.h"

enum { MIGRATIONS_MAX = 200 }; /* ten a year for twenty years; each step reads the list */

struct migration {
    int number;
    const char *name; /* for display: "first tables" */
    const char *sql;  /* statements that end in ';', with the tokens of db.h */
    /* Versions that a program needs after it; a later migration can only raise them. */
    int reader, writer;
};

struct migrate {
    const struct migration *list;
    int count;
    instant now; /* stored with each migration */
    /* Called before each statement, if not NULL; false stops there, as a crash would. */
    bool (*before)(void *arg, const struct migration *migration, struct str sql);
    void *arg;
    /* Called after each commit, if not NULL; not for migrations by another node. */
    void (*after)(void *arg, const struct migration *migration);
};

/*
 * Runs the missing migrations; *ret_version is then `count`, or more if the database is newer
 * and this program may write it.  RC_CONFLICT if the database is newer and this program may
 * not, RC_CORRUPT if it has migrations of another program, RC_BUSY if another node is migrating
 * for longer than the connection's lock_ms or if `before` stopped it, and any error of the
 * database.  After a failure it can be called again.
 */
enum rc migrate(struct db *db, const struct migrate *what, struct arena *arena,
                int *ret_version, struct err *reterr);

/*
 * For a program that only reads; changes nothing.  *ret_version is the version of the database.
 * RC_CONFLICT if it is older than this program, or newer and this program may not read it;
 * otherwise the errors of migrate().
 */
enum rc migrate_check_reader(struct db *db, const struct migrate *what, struct arena *arena,
                             int *ret_version, struct err *reterr);
