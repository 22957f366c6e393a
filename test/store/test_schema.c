/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables themselves: created completely or not at all, wherever the migration is
 * interrupted.
 */
#include "store.h"

#include <sys/wait.h>

#include "db/sql.h"

#define NAMES_ON_SQLITE "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
#define NAMES_ON_POSTGRES                                            \
    "SELECT CAST(relname AS TEXT) FROM pg_class WHERE relkind = 'r'" \
    " AND relnamespace = CAST('public' AS regnamespace) ORDER BY CAST(relname AS TEXT)"

/* *arg is the number of statements that are left. */
static bool crash_in_time(void *arg, const struct migration *migration, struct str sql)
{
    int *left = arg;

    (void)migration;
    (void)sql;
    if ((*left)-- == 0)
        _exit(0);
    return true;
}

/* Statements of the migrations before `limit`, or only those that create a table. */
static int count_statements(int limit, bool tables_only)
{
    int count = 0;

    for (int i = 0; i < limit; i++) {
        struct str rest = str_of(schema_migrations[i].sql), sql;

        while (sql_next(&rest, &sql))
            if (!tables_only || str_starts(sql, STR("CREATE TABLE")))
                count++;
    }
    return count;
}

/* The number of complete migrations if it stops before statement `n`. */
static int whole_before(int n)
{
    int whole = 0;

    while (count_statements(whole + 1, false) <= n)
        whole++;
    return whole;
}

static void assert_tables(struct fixture *f, const char *expected)
{
    struct db_result got = ask(f, f->db, f->postgres ? NAMES_ON_POSTGRES : NAMES_ON_SQLITE);
    char text[1024];
    struct buf out = BUF(text);

    buf_text(&out, "");
    for (int i = 0; i < got.rows; i++) {
        struct str name = db_text_at(&got, i, 0);

        if (!str_eq(name, STR("migrations")))
            buf_printf(&out, "%s%.*s", out.len > 0 ? " " : "", STR_ARG(name));
    }
    assert_string_equal(text, expected);
}

static void drop_everything(struct fixture *f)
{
    struct str rest = STR(TABLES " migrations "), name;

    while (str_cut(rest, ' ', &name, &rest)) {
        char sql[ASK_MAX];

        snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %.*s", STR_ARG(name));
        exec(f->db, sql);
    }
}

static void an_empty_database_gets_every_table_once(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 2; i++) {
        OK(schema_migrate(f->db, DAY_ONE + i, f->arena, err));
        assert_tables(f, TABLES);
        assert_int_equal(ask_int(f, "SELECT count(*) FROM migrations"), schema_migration_count);
        assert_int_equal(ask_int(f, "SELECT max(at) FROM migrations"), DAY_ONE);
    }
}

static void assert_whole_migrations(struct fixture *f, int whole)
{
    struct db_result got = ask(f, f->db, f->postgres ? NAMES_ON_POSTGRES : NAMES_ON_SQLITE);

    assert_int_equal(got.rows, whole == 0 ? 0 : count_statements(whole, true) + 1);
    if (whole > 0)
        assert_int_equal(ask_int(f, "SELECT max(number) FROM migrations"), whole);
}

/*
 * A child with its own connection.  Ours is closed: SQLite connections do not survive a fork.
 */
static void crash_before(struct fixture *f, int n)
{
    int status = 0;
    pid_t child;

    f->db = db_close(f->db);
    child = fork();
    if (child == 0) {
        struct migrate what = {
            .list = schema_migrations,
            .count = schema_migration_count,
            .before = crash_in_time,
            .arg = &n,
        };
        struct err err;
        int version;

        if (db_open(f->url, NULL, &f->db, &err) == RC_OK)
            (void)migrate(f->db, &what, f->arena, &version, &err);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    f->db = open_with(f->url, &(struct db_options){.lock_ms = 20000, .deadline_ms = 30000});
    /* Exclusive, so that the server has noticed the end of the other connection. */
    db_begin_alone(f->db);
    OK(db_commit(f->db, NULL, err));
}

static void a_crash_before_any_statement_leaves_whole_migrations(void **state)
{
    struct fixture *f = *state;
    int count = count_statements(schema_migration_count, false);

    assert_true(count > 17); /* one for each table, and the indexes */
    for (int n = 0; n < count; n++) {
        crash_before(f, n);
        assert_whole_migrations(f, whole_before(n));
        OK(schema_migrate(f->db, DAY_ONE, f->arena, err));
        assert_tables(f, TABLES);
        drop_everything(f);
    }
}

/* Edits and pauses from before this migration cannot be distinguished. */
static void schedules_of_before_are_taken_for_edited_unless_they_are_as_made(void **state)
{
    static const char *const rows[] = {
        "1, 2, 1, 0, CAST('' AS {blob}), '', 'new', '', '', NULL,"
        " NULL, NULL, '', 0, NULL, 5, '', 5, ''",
        "2, 2, 2, 0, CAST('' AS {blob}), '', 'old', '', '', NULL,"
        " NULL, NULL, '', 0, NULL, 5, '', 7, ''"};
    struct fixture *f = *state;
    struct migrate what = {.list = schema_migrations, .count = 10, .now = DAY_ONE};
    int version;

    OK(migrate(f->db, &what, f->arena, &version, err));
    for (int i = 0; i < 2; i++) {
        char sql[ASK_MAX];

        snprintf(sql, sizeof sql, "INSERT INTO schedules VALUES (%s, NULL)", rows[i]);
        exec(f->db, sql);
    }
    OK(schema_migrate(f->db, DAY_ONE, f->arena, err));
    assert_int_equal(ask_int(f, "SELECT edited_at FROM schedules WHERE id = 1"), 0);
    assert_int_equal(ask_int(f, "SELECT edited_at FROM schedules WHERE id = 2"), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(an_empty_database_gets_every_table_once),
        DB_TEST(schedules_of_before_are_taken_for_edited_unless_they_are_as_made),
        DB_TEST(a_crash_before_any_statement_leaves_whole_migrations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
