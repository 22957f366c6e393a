/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies migrations one by one and records them in table `migrations`, and what they require
 * of programs in table `minimum_versions`.
 */
#include "db/migrate.h"

#include <inttypes.h>

#include "base/must.h"
#include "db/sql.h"

static const struct db_stmt make_table = {"CREATE TABLE IF NOT EXISTS migrations ("
                                          " number {int} PRIMARY KEY,"
                                          " name {text} NOT NULL,"
                                          " at {int} NOT NULL"
                                          "){strict}",
                                          NULL};
static const struct db_stmt make_minimums = {"CREATE TABLE IF NOT EXISTS minimum_versions ("
                                             " id {int} PRIMARY KEY,"
                                             " reader {int} NOT NULL,"
                                             " writer {int} NOT NULL"
                                             "){strict}",
                                             NULL};
static const struct db_stmt list = {"SELECT number, name FROM migrations ORDER BY number",
                                    NULL};
static const struct db_stmt add = {
    "INSERT INTO migrations (number, name, at) VALUES ($1, $2, $3)", "iti"};
/* The one row of the table. */
static const struct db_stmt minimums = {
    "SELECT reader, writer FROM minimum_versions WHERE id = 1", NULL};
static const struct db_stmt set_minimums = {
    "INSERT INTO minimum_versions (id, reader, writer) VALUES (1, $1, $2)"
    " ON CONFLICT (id) DO UPDATE SET reader = excluded.reader, writer = excluded.writer",
    "ii"};

static void check_list(const struct migrate *what)
{
    must(what->count >= 0 && what->count <= MIGRATIONS_MAX);
    for (int i = 0; i < what->count; i++) {
        const struct migration *m = &what->list[i], *earlier = i > 0 ? m - 1 : m;

        must(m->number == i + 1);
        must(m->reader >= 1 && m->reader <= m->writer && m->writer <= m->number);
        must(m->reader >= earlier->reader && m->writer >= earlier->writer);
    }
}

/* The number of applied migrations; the first ones must be those of the list. */
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
    *ret = done->rows;
    return RC_OK;
}

/* The database is newer.  Decides whether this program may write or read it. */
static enum rc check_minimums(const struct migrate *what, const struct db_result *row,
                              int version, bool is_writer, struct err *reterr)
{
    int64_t reader = row->rows > 0 ? db_int_at(row, 0, 0) : version;
    int64_t writer = row->rows > 0 ? db_int_at(row, 0, 1) : version;

    if (what->count >= (is_writer ? writer : reader))
        return RC_OK;
    if (what->count >= reader)
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "the database has version %d; this program supports versions up to %d "
                       "and may only read it, because only programs with version %" PRId64
                       " or later may write it; run a newer Belfry, or restore an older backup",
                       version, what->count, writer);
    return err_set(reterr, RC_CONFLICT, -1, 0,
                   "the database has version %d; this program supports versions up to %d, and "
                   "only programs with version %" PRId64
                   " or later may read it; run a newer Belfry, or restore an older backup",
                   version, what->count, reader);
}

/* The version of the database, if this program may use it. */
static enum rc read_version(struct db *db, const struct migrate *what, bool is_writer,
                            struct arena *arena, int *ret, struct err *reterr)
{
    struct db_result done = {0}, row = {0};
    int version = 0;
    enum rc rc;

    db_send(db, &list, NULL, &done);
    rc = db_flush(db, arena, reterr);
    if (rc == RC_OK)
        rc = count_applied(what, &done, &version, reterr);
    if (rc == RC_OK && version > what->count) {
        db_send(db, &minimums, NULL, &row);
        rc = db_flush(db, arena, reterr);
        if (rc == RC_OK)
            rc = check_minimums(what, &row, version, is_writer, reterr);
    }
    if (rc == RC_OK)
        *ret = version;
    return rc;
}

/* Begins the exclusive transaction of one migration and finds out which is next. */
static enum rc begin_step(struct db *db, const struct migrate *what, struct arena *arena,
                          int *ret, struct err *reterr)
{
    db_begin_alone(db);
    db_send(db, &make_table, NULL, NULL);
    db_send(db, &make_minimums, NULL, NULL);
    return read_version(db, what, true, arena, ret, reterr);
}

static enum rc apply_migration(struct db *db, const struct migrate *what,
                               const struct migration *migration, struct err *reterr)
{
    const struct db_value row[] = {
        db_int(migration->number),
        db_text(str_of(migration->name)),
        db_int(what->now),
    };
    const struct db_value needs[] = {db_int(migration->reader), db_int(migration->writer)};
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
    db_send(db, &set_minimums, needs, NULL);
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

enum rc migrate_check_reader(struct db *db, const struct migrate *what, struct arena *arena,
                             int *ret_version, struct err *reterr)
{
    int version = 0;
    enum rc rc;

    check_list(what);
    rc = read_version(db, what, false, arena, &version, reterr);
    if (rc == RC_OK && version < what->count)
        return err_set(reterr, RC_CONFLICT, -1, 0,
                       "the database has version %d, and this program needs %d; start the "
                       "server once to migrate it",
                       version, what->count);
    if (rc == RC_OK)
        *ret_version = version;
    return rc;
}
