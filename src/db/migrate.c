/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies migrations one by one and records them in table `migrations`.
 */
#include "db/migrate.h"

#include "base/must.h"
#include "db/sql.h"

static const struct db_stmt make_table = {"CREATE TABLE IF NOT EXISTS migrations ("
                                          " number {int} PRIMARY KEY,"
                                          " name {text} NOT NULL,"
                                          " at {int} NOT NULL"
                                          "){strict}",
                                          NULL};
static const struct db_stmt list = {"SELECT number, name FROM migrations ORDER BY number",
                                    NULL};
static const struct db_stmt add = {
    "INSERT INTO migrations (number, name, at) VALUES ($1, $2, $3)", "iti"};

static void check_list(const struct migrate *what)
{
    must(what->count >= 0 && what->count <= MIGRATIONS_MAX);
    for (int i = 0; i < what->count; i++)
        must(what->list[i].number == i + 1);
}

/* The number of applied migrations; they must be the first of the list. */
static enum rc count_applied(const struct migrate *what, const struct db_result *done, int *ret,
                             struct err *reterr)
{
    for (int i = 0; i < done->rows && i < what->count; i++) {
        struct str name = db_text_at(done, i, 1);

        if (db_int_at(done, i, 0) != i + 1 || !str_eq(name, str_of(what->list[i].name)))
            return err_set(reterr, RC_CORRUPT, -1, 0,
                           "migration %d of the database is `%.*s`, expected `%s`; this is not "
                           "a Belfry database",
                           (int)db_int_at(done, i, 0), STR_ARG(name), what->list[i].name);
    }
    if (done->rows > what->count)
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "the database has version %d; this program supports versions up to %d; "
                       "run the newer Belfry that created it, or restore an older backup",
                       done->rows, what->count);
    *ret = done->rows;
    return RC_OK;
}

/* Begins the exclusive transaction of one migration and finds out which is next. */
static enum rc begin_step(struct db *db, const struct migrate *what, struct arena *arena,
                          int *ret, struct err *reterr)
{
    struct db_result done;
    enum rc rc;

    db_begin_alone(db);
    db_send(db, &make_table, NULL, NULL);
    db_send(db, &list, NULL, &done);
    rc = db_flush(db, arena, reterr);
    return rc == RC_OK ? count_applied(what, &done, ret, reterr) : rc;
}

static enum rc apply_migration(struct db *db, const struct migrate *what,
                               const struct migration *migration, struct err *reterr)
{
    const struct db_value row[] = {
        db_int(migration->number),
        db_text(str_of(migration->name)),
        db_int(what->now),
    };
    struct str rest = str_of(migration->sql), sql;

    while (sql_next(&rest, &sql)) {
        enum rc rc;

        if (what->before && !what->before(what->arg, migration, sql))
            return err_set(reterr, RC_BUSY, -1, 0, "migration %d was stopped; run it again",
                           migration->number);
        rc = db_exec(db, sql, reterr);
        if (rc != RC_OK)
            return rc;
    }
    db_send(db, &add, row, NULL);
    return RC_OK;
}

/* Runs one migration, or none if all are applied. */
static enum rc run_step(struct db *db, const struct migrate *what, struct arena *arena,
                        int *ret_version, struct err *reterr)
{
    const struct migration *next = NULL;
    int version = 0;
    enum rc rc = begin_step(db, what, arena, &version, reterr);

    if (rc == RC_OK && version < what->count) {
        next = &what->list[version++];
        rc = apply_migration(db, what, next, reterr);
    }
    if (rc != RC_OK) {
        db_rollback(db);
        return rc;
    }
    rc = db_commit(db, arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (next && what->after)
        what->after(what->arg, next);
    *ret_version = version;
    return RC_OK;
}

enum rc migrate(struct db *db, const struct migrate *what, struct arena *arena,
                int *ret_version, struct err *reterr)
{
    int version = -1;
    enum rc rc;

    check_list(what);
    do {
        rc = run_step(db, what, arena, &version, reterr);
    } while (rc == RC_OK && version < what->count);
    if (rc == RC_OK)
        *ret_version = version;
    return rc;
}
