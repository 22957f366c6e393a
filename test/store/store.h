/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the store, empty for each test, on one connection per group of tests.
 *
 * Includes db/driver.h to count the statements that the connection has prepared: the last test
 * of a file fails if a statement of that file was not run.
 */
#pragma once

#include "harness.h"

#include "base/buf.h"
#include "db/driver.h"
#include "store/schema.h"

enum {
    STATEMENTS_MAX = 160, /* statements of the tests themselves */
    ASK_MAX = 256,        /* bytes of one of them */
    SOURCE_MAX = 65536,   /* bytes of a file of src/store */
};

/* 2026-01-01T00:00:00Z */
#define DAY_ONE INT64_C(1767225600000000)

static struct db_stmt statements[STATEMENTS_MAX];
static char own_sql[STATEMENTS_MAX][ASK_MAX];

static const struct db_stmt *migration_stmts[DB_SLOTS]; /* they created the tables */
static int migration_stmt_count;

/* Every table except `migrations`, in alphabetical order. */
#define TABLES                                                                         \
    "audit backfills calendars cursors days days_left events exceptions gates history" \
    " ledger logs meta namespaces nodes queues requests results runs schedules"        \
    " sessions stats stops tokens zones"

/* For a group of tests. */
static inline int set_up_tables(void **state)
{
    struct fixture *f;

    set_up(state);
    f = *state;
    OK(schema_migrate(f->db, DAY_ONE, f->arena, err));
    db_begin(f->db);
    OK(db_flush(f->db, NULL, err));
    db_rollback(f->db);
    for (int i = 0; i < DB_SLOTS; i++)
        if (f->db->cache[i].stmt)
            migration_stmts[migration_stmt_count++] = f->db->cache[i].stmt;
    return 0;
}

static inline void empty_tables(struct fixture *f)
{
    struct str rest = STR(TABLES " "), name;

    db_rollback(f->db); /* left by a failed test */
    arena_reset(f->arena);
    while (str_cut(rest, ' ', &name, &rest)) {
        char sql[ASK_MAX];

        snprintf(sql, sizeof sql, "DELETE FROM %.*s", STR_ARG(name));
        exec(f->db, sql);
    }
}

static inline int set_up_empty(void **state)
{
    empty_tables(*state);
    return 0;
}

#define STORE_TEST(name)       cmocka_unit_test_setup(name, set_up_empty)
#define RUN_STORE_TESTS(tests) cmocka_run_group_tests(tests, set_up_tables, tear_down)

static inline bool is_store_statement(const struct db_stmt *stmt)
{
    bool is_own = stmt;

    for (int i = 0; i < migration_stmt_count; i++)
        is_own = is_own && stmt != migration_stmts[i];
    for (int i = 0; i < STATEMENTS_MAX; i++)
        is_own = is_own && stmt != &statements[i];
    return is_own;
}

/* The number of statements in a file of src/store. */
static inline int count_definitions(const char *path)
{
    static const char definition[] = "static const struct db_stmt ";
    static char text[SOURCE_MAX];
    FILE *file = fopen(path, "r");
    size_t size;
    int count = 0;

    if (!file)
        fail_msg("%s cannot be read; run this in the root of the tree", path);
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    for (const char *p = text; (p = strstr(p, definition)); p += strlen(definition))
        count++;
    assert_true(count > 0);
    return count;
}

/*
 * For the last test of a file.  The tests must fill tables of other files with exec(), so that
 * their statements are not counted.
 */
static inline void assert_every_statement_ran(const struct fixture *f, const char *path)
{
    int ran = 0, defined = count_definitions(path);

    for (int i = 0; i < DB_SLOTS; i++)
        ran += is_store_statement(f->db->cache[i].stmt) ? 1 : 0;
    if (ran != defined)
        fail_msg("%s has %d statements, and %d were run", path, defined, ran);
}

/* The result of a statement of the test itself. */
static inline struct db_result ask(struct fixture *f, struct db *db, const char *sql)
{
    int i = 0;

    assert_true(strlen(sql) < ASK_MAX);
    while (i < STATEMENTS_MAX && statements[i].sql && strcmp(statements[i].sql, sql) != 0)
        i++;
    assert_true(i < STATEMENTS_MAX);
    if (!statements[i].sql) {
        snprintf(own_sql[i], ASK_MAX, "%s", sql);
        statements[i].sql = own_sql[i];
    }
    return query(f, db, &statements[i], NULL);
}

static inline int64_t ask_int(struct fixture *f, const char *sql)
{
    struct db_result got = ask(f, f->db, sql);

    assert_int_equal(got.rows, 1);
    return db_int_at(&got, 0, 0);
}

static inline void flush(struct fixture *f)
{
    OK(db_flush(f->db, f->arena, err));
}
