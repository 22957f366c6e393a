/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings the tables of a database to the version that this program knows.
 *
 * Migrations are numbered 1, 2, 3 and so on, and are never changed once released.  Each is
 * one transaction together with its row in table `migrations`: a crash leaves the version
 * before it, and the next run goes on from there.  Of several nodes that do it at once one
 * does, and the others find it done.  There is no way back: a database that is newer than
 * the program is refused.
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
    const char *name; /* for people: "first tables"                     */
    const char *sql;  /* statements that end in ';', with tokens of db.h */
};

struct migrate {
    const struct migration *list;
    int count;
    instant now; /* kept with each migration */
    /* Called before each statement, when not NULL; false stops there, as a crash would. */
    bool (*before)(void *arg, const struct migration *migration, struct str sql);
    void *arg;
    /* Called when each is committed, when not NULL; not for what another node has done. */
    void (*after)(void *arg, const struct migration *migration);
};

/*
 * Runs what is missing; *ret_version is then `count`.  RC_CONFLICT when the database is newer,
 * RC_CORRUPT when it has migrations of another program, RC_BUSY when another node is at
 * it for longer than the connection's lock_ms, or when `before` stopped it, and
 * whatever the database says.  After a failure it may simply be run again.
 */
enum rc migrate(struct db *db, const struct migrate *what, struct arena *arena,
                int *ret_version, struct err *reterr);
