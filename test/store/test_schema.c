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

/* Ends the process before a statement; *arg is the number of statements before it. */
static bool exit_at_statement(void *arg, const struct migration *migration, struct str sql)
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

        if (!str_eq(name, STR("migrations")) && !str_eq(name, STR("minimum_versions")))
            buf_printf(&out, "%s%.*s", out.len > 0 ? " " : "", STR_ARG(name));
    }
    assert_string_equal(text, expected);
}

static void drop_everything(struct fixture *f)
{
    struct str rest = STR(TABLES " migrations minimum_versions "), name;

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

    assert_int_equal(got.rows, whole == 0 ? 0 : count_statements(whole, true) + 2);
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
            .before = exit_at_statement,
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

    assert_true(count > 22); /* one for each table, and the indexes */
    for (int n = 0; n < count; n++) {
        crash_before(f, n);
        assert_whole_migrations(f, whole_before(n));
        OK(schema_migrate(f->db, DAY_ONE, f->arena, err));
        assert_tables(f, TABLES);
        drop_everything(f);
    }
}

/* Edits and pauses from before this migration cannot be distinguished. */
static void the_migration_sets_edited_at_of_schedules_that_were_updated(void **state)
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

/* Only workflows without a maximum change.  Braces are tokens in SQL: texts have others. */
static void the_migration_removes_the_maximum_of_workflows(void **state)
{
    static const struct {
        const char *action, *before, *after;
    } rows[] = {
        {"(\"type\":\"workflow\",\"name\":\"w\")", "()", "(\"maxRunTime\":\"0s\")"},
        {"(\"type\":\"workflow\",\"name\":\"w\")", "(\"overlap\":\"skip\")",
         "(\"maxRunTime\":\"0s\",\"overlap\":\"skip\")"},
        {"(\"type\":\"workflow\",\"name\":\"w\")", "(\"maxRunTime\":\"2h\")",
         "(\"maxRunTime\":\"2h\")"},
        {"(\"type\":\"http\",\"url\":\"http://w\")", "()", "()"},
    };
    struct fixture *f = *state;
    struct migrate what = {.list = schema_migrations, .count = 10, .now = DAY_ONE};
    int version;
    char sql[ASK_MAX];

    OK(migrate(f->db, &what, f->arena, &version, err));
    for (int i = 0; i < 4; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO schedules VALUES (%d, 2, 1, 0, CAST('' AS {blob}), '%s', 'n%d',"
                 " '', '%s', NULL, NULL, NULL, '', 0, NULL, 5, '', 5, '', NULL)",
                 i + 1, rows[i].action, i, rows[i].before);
        exec(f->db, sql);
    }
    OK(schema_migrate(f->db, DAY_ONE, f->arena, err));
    for (int i = 0; i < 4; i++) {
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM schedules WHERE id = %d AND policies = '%s'", i + 1,
                 rows[i].after);
        assert_int_equal(ask_int(f, sql), 1);
    }
}

/*
 * A backfill of an earlier version has requested 6 starts: one waits, one is open, two have
 * ended, one was skipped; the row of the last one has been deleted.
 */
static void the_migration_counts_the_runs_of_backfills(void **state)
{
    static const char *const rows[] = {
        "INSERT INTO backfills VALUES (1, 7, 3, 0, 9, 6, 0, 6, 0, '')",
        "INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate, bits, due, rank,"
        " attempt, fence, node, lease_until, wake_at, created_at, started_at, attempt_at)"
        " VALUES (1, 7, 1, 3, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),"
        " (2, 7, 2, 3, 5, 0, 0, 0, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0)",
        "INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits, outcome, reason,"
        " last, due, created_at, started_at, ended_at, expire_at, queue, node)"
        " VALUES (3, 7, 3, 3, 1, 1, 2, 10, 0, 1, 0, 0, 0, 0, 0, 0, 0),"
        " (4, 7, 4, 3, 1, 1, 2, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0),"
        " (5, 7, 4, 3, 2, 2, 2, 12, 0, 1, 0, 0, 0, 0, 0, 0, 0)",
        "INSERT INTO ledger (id, schedule, pass, first, last, count, outcome, reason,"
        " written_at, expire_at) VALUES (6, 7, 3, 5, 5, 1, 2, 1, 0, 0)"};
    static const struct {
        const char *column;
        int64_t expected;
    } list[] = {{"started", 5},
                {"begun", 3},
                {"skipped", 1},
                {"withdrawn", 0},
                {"succeeded", 1},
                {"failed", 1},
                {"cancelled", 0},
                {"stage", 0},
                {"slots", -1},
                {"mark", 6},
                {"ended_at", INSTANT_NEVER}};
    struct fixture *f = *state;
    struct migrate what = {.list = schema_migrations, .count = 12, .now = DAY_ONE};
    char sql[ASK_MAX];
    int version;

    OK(migrate(f->db, &what, f->arena, &version, err));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        exec(f->db, rows[i]);
    OK(schema_migrate(f->db, DAY_ONE, f->arena, err));
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        snprintf(sql, sizeof sql, "SELECT %s FROM backfills", list[i].column);
        assert_int_equal(ask_int(f, sql), list[i].expected);
    }
}

/* One final row of history: its key, the schedule, the slot, the kind, and how it ended. */
static void add_end(struct fixture *f, int id, int schedule, int slot, int kind, int outcome)
{
    char sql[ASK_MAX];

    snprintf(sql, sizeof sql,
             "INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits, outcome,"
             " reason, last, due, created_at, started_at, ended_at, expire_at, queue, node)"
             " VALUES (%d, %d, %d, %d, 1, 1, %d, %d, 0, 1, %d, 0, %d, %d, 0, 0, 1)",
             id, schedule, slot, kind == 0 ? 0 : id, 256 + kind, outcome, slot, slot + id,
             1000 + id);
    exec(f->db, sql);
}

static int64_t cursor_has(struct fixture *f, const char *column, int id)
{
    char sql[ASK_MAX];

    snprintf(sql, sizeof sql, "SELECT %s FROM cursors WHERE id = %d", column, id);
    return ask_int(f, sql);
}

/* Schedule 1: no history; 2: each kind of end, a test, a retry; 3: forty runs. */
static void the_migration_takes_the_last_runs_from_history(void **state)
{
    struct fixture *f = *state;
    struct migrate what = {.list = schema_migrations, .count = 17, .now = DAY_ONE};
    int version;

    OK(migrate(f->db, &what, f->arena, &version, err));
    for (int i = 1; i <= 3; i++) {
        char sql[ASK_MAX];

        snprintf(sql, sizeof sql,
                 "INSERT INTO cursors VALUES (%d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
                 " 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
                 i);
        exec(f->db, sql);
    }
    add_end(f, 10, 2, 100, 0, 10);
    add_end(f, 11, 2, 200, 0, 11);
    add_end(f, 12, 2, 300, 1, 10); /* a trigger */
    add_end(f, 13, 2, 400, 0, 12); /* its last attempt is number 2 */
    exec(f->db, "UPDATE history SET attempt = 2 WHERE id = 13");
    add_end(f, 9, 2, 400, 0, 11);
    exec(f->db, "UPDATE history SET last = 0 WHERE id = 9");
    add_end(f, 14, 2, 500, 2, 13);
    add_end(f, 15, 2, 600, 4, 10); /* a test */
    for (int i = 0; i < 40; i++)
        add_end(f, 20 + i, 3, 1000 + i, 0, i == 7 || i == 8 ? 15 : 10);
    OK(schema_migrate(f->db, DAY_ONE, f->arena, err));
    assert_int_equal(cursor_has(f, "last_ok", 1), INSTANT_NONE);
    assert_int_equal(cursor_has(f, "last_late", 1), -1);
    assert_int_equal(cursor_has(f, "recent", 1), 0);
    assert_int_equal(cursor_has(f, "last_ok", 2), 1012);
    assert_int_equal(cursor_has(f, "last_late", 2), 9); /* of the first attempt of slot 400 */
    assert_int_equal(cursor_has(f, "recent", 2), 1 * 256 + 2 * 64 + 1 * 16 + 2 * 4 + 3);
    assert_int_equal(cursor_has(f, "last_ok", 3), 1059);
    assert_int_equal(cursor_has(f, "last_late", 3), 59);
    /* The oldest of 32 is number 8: 10, then 31 times 01. */
    assert_int_equal(cursor_has(f, "recent", 3),
                     (int64_t)(UINT64_C(2) << 62 | UINT64_C(0x1555555555555555)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(an_empty_database_gets_every_table_once),
        DB_TEST(the_migration_sets_edited_at_of_schedules_that_were_updated),
        DB_TEST(the_migration_removes_the_maximum_of_workflows),
        DB_TEST(the_migration_counts_the_runs_of_backfills),
        DB_TEST(the_migration_takes_the_last_runs_from_history),
        DB_TEST(a_crash_before_any_statement_leaves_whole_migrations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
