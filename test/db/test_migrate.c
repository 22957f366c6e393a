/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migrations on both databases: stopped and crashed before each statement, run by several nodes
 * at once, and on databases of other programs or versions.
 */
#include "harness.h"

#include <sys/wait.h>

#include "db/migrate.h"

enum { STATEMENTS = 6, NODES = 4 };

static const struct migration ours[] = {
    {1, "first",
     "CREATE TABLE a (id {int} PRIMARY KEY, t {text} NOT NULL){strict};\n"
     "CREATE INDEX a_t ON a (t);\n"
     "INSERT INTO a (id, t) VALUES (1, 'one');\n"},
    {2, "second",
     "\n  ALTER TABLE a ADD COLUMN n {int} NOT NULL DEFAULT 0;"
     "UPDATE a SET n = n + 10;"
     "CREATE TABLE b (id {int} PRIMARY KEY){strict}"},
};

static const struct db_stmt done = {"SELECT number, name, at FROM migrations ORDER BY number",
                                    NULL};
static const struct db_stmt sum = {"SELECT CAST(sum(n) AS BIGINT) FROM a", NULL};
static const struct db_stmt see_a = {"SELECT id, t FROM a", NULL};
static const struct db_stmt see_n = {"SELECT n FROM a", NULL};
static const struct db_stmt see_b = {"SELECT id FROM b", NULL};

struct stop {
    int left; /* statements until it stops; below 0: never */
    int seen;
    bool crash;
    int applied; /* numbers of the applied migrations as digits; 12: 1, then 2 */
};

static bool before(void *arg, const struct migration *migration, struct str sql)
{
    struct stop *stop = arg;

    assert_true(migration >= ours && migration < ours + 2);
    assert_true(sql.len > 0 && !memchr(sql.ptr, ';', sql.len) && sql.ptr[0] != '\n');
    if (stop->left-- == 0) {
        if (stop->crash)
            _exit(0);
        return false;
    }
    stop->seen++;
    return true;
}

static void after(void *arg, const struct migration *migration)
{
    struct stop *stop = arg;

    stop->applied = 10 * stop->applied + migration->number;
}

static enum rc run(struct fixture *f, int count, struct stop *stop, struct err *err)
{
    struct migrate what = {ours, count, 1000 + count, before, stop, after};
    int version = -7;
    enum rc rc = migrate(f->db, &what, f->arena, &version, err);

    assert_int_equal(version, rc == RC_OK ? count : -7);
    return rc;
}

static bool is_there(struct fixture *f, const struct db_stmt *stmt)
{
    struct err err;

    db_send(f->db, stmt, NULL, NULL);
    return db_flush(f->db, NULL, &err) == RC_OK;
}

/* All of the first `version` migrations and nothing of the others. */
static void assert_version(struct fixture *f, int version)
{
    assert_int_equal(is_there(f, &see_a), version >= 1);
    assert_int_equal(is_there(f, &see_n), version >= 2);
    assert_int_equal(is_there(f, &see_b), version >= 2);
    if (version >= 1)
        assert_int_equal(query(f, f->db, &see_a, NULL).rows, 1);
    if (version >= 2)
        assert_int_equal(query_int(f, f->db, &sum), 10);
    if (is_there(f, &done))
        assert_int_equal(query(f, f->db, &done, NULL).rows, version);
}

static void a_new_database_gets_every_migration_once(void **state)
{
    struct fixture *f = *state;
    struct stop never = {.left = -1};
    struct db_result got;

    OK(run(f, 1, &never, err));
    assert_version(f, 1);
    OK(run(f, 2, &never, err));
    assert_int_equal(never.seen, STATEMENTS);
    OK(run(f, 2, &never, err));
    assert_int_equal(never.seen, STATEMENTS);
    assert_int_equal(never.applied, 12);
    assert_version(f, 2);
    got = query(f, f->db, &done, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(db_int_at(&got, i, 0), i + 1);
        assert_true(str_eq(db_text_at(&got, i, 1), str_of(ours[i].name)));
        assert_int_equal(db_int_at(&got, i, 2), 1001 + i);
    }
}

static void no_migrations_are_version_zero(void **state)
{
    struct fixture *f = *state;

    OK(run(f, 0, &(struct stop){.left = -1}, err));
    assert_version(f, 0);
}

static void drop_everything(struct fixture *f)
{
    exec(f->db, "DROP TABLE IF EXISTS a");
    exec(f->db, "DROP TABLE IF EXISTS b");
    exec(f->db, "DROP TABLE IF EXISTS migrations");
}

static void a_stop_before_any_statement_leaves_whole_migrations(void **state)
{
    struct fixture *f = *state;

    for (int n = 0; n < STATEMENTS; n++) {
        struct stop early = {.left = n}, never = {.left = -1};

        REFUSED(run(f, 2, &early, err), RC_BUSY, "run it again");
        assert_int_equal(early.applied, n < 3 ? 0 : 1);
        assert_version(f, n < 3 ? 0 : 1);
        OK(run(f, 2, &never, err));
        assert_int_equal(never.applied, n < 3 ? 12 : 2);
        assert_version(f, 2);
        drop_everything(f);
    }
}

/*
 * A child with its own connection.  Ours is closed: SQLite connections do not survive a fork.
 */
static pid_t migrate_in_child(struct fixture *f, struct stop stop)
{
    struct db_options patient = {.lock_ms = 20000, .deadline_ms = 30000};
    pid_t child;

    f->db = db_close(f->db);
    child = fork();
    if (child == 0) {
        struct err err;

        if (db_open(f->free_url, &patient, &f->db, &err) != RC_OK ||
            run(f, 2, &stop, &err) != RC_OK) {
            fprintf(stderr, "child: %s\n", err.text);
            _exit(2);
        }
        db_close(f->db);
        _exit(0);
    }
    assert_true(child > 0);
    return child;
}

static void wait_for(pid_t child)
{
    int status = 0;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_crash_before_any_statement_leaves_whole_migrations(void **state)
{
    struct fixture *f = *state;

    for (int n = 0; n < STATEMENTS; n++) {
        wait_for(migrate_in_child(f, (struct stop){.left = n, .crash = true}));
        f->db = open_with(f->url, &(struct db_options){.lock_ms = 20000, .deadline_ms = 30000});
        /* Exclusive, so that the server has noticed the end of the other connection. */
        db_begin_alone(f->db);
        OK(db_commit(f->db, NULL, err));
        assert_version(f, n < 3 ? 0 : 1);
        OK(run(f, 2, &(struct stop){.left = -1}, err));
        assert_version(f, 2);
        drop_everything(f);
    }
}

static void several_nodes_migrate_only_once(void **state)
{
    struct fixture *f = *state;
    pid_t nodes[NODES];

    for (int i = 0; i < NODES; i++)
        nodes[i] = migrate_in_child(f, (struct stop){.left = -1});
    for (int i = 0; i < NODES; i++)
        wait_for(nodes[i]);
    f->db = open_with(f->url, NULL);
    assert_version(f, 2);
}

static void a_node_that_waits_too_long_fails(void **state)
{
    struct fixture *f = *state;
    struct db *other = open_with(f->free_url, NULL);

    db_begin_alone(other);
    OK(db_flush(other, NULL, err));
    REFUSED(run(f, 2, &(struct stop){.left = -1}, err), RC_BUSY, "try again");
    db_rollback(other);
    OK(run(f, 2, &(struct stop){.left = -1}, err));
    db_close(other);
}

static void a_newer_database_is_refused_and_not_changed(void **state)
{
    struct fixture *f = *state;

    OK(run(f, 2, &(struct stop){.left = -1}, err));
    REFUSED(run(f, 1, &(struct stop){.left = -1}, err), RC_CONFLICT,
            "has version 2; this program supports versions up to 1");
    assert_version(f, 2);
}

static void migrations_of_another_program_are_refused(void **state)
{
    struct fixture *f = *state;

    OK(run(f, 1, &(struct stop){.left = -1}, err));
    exec(f->db, "UPDATE migrations SET name = 'init'");
    REFUSED(run(f, 2, &(struct stop){.left = -1}, err), RC_CORRUPT,
            "is `init`, expected `first`");
    assert_version(f, 1);
    assert_false(db_is_dead(f->db));
}

static void a_statement_that_fails_leaves_the_version_before_it(void **state)
{
    struct fixture *f = *state;

    exec(f->db, "CREATE TABLE b (other {int}){strict}");
    REFUSED(run(f, 2, &(struct stop){.left = -1}, err), RC_INVALID, "b");
    exec(f->db, "DROP TABLE b");
    assert_version(f, 1);
    OK(run(f, 2, &(struct stop){.left = -1}, err));
    assert_version(f, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(a_new_database_gets_every_migration_once),
        DB_TEST(no_migrations_are_version_zero),
        DB_TEST(a_stop_before_any_statement_leaves_whole_migrations),
        DB_TEST(a_crash_before_any_statement_leaves_whole_migrations),
        DB_TEST(several_nodes_migrate_only_once),
        DB_TEST(a_node_that_waits_too_long_fails),
        DB_TEST(a_newer_database_is_refused_and_not_changed),
        DB_TEST(migrations_of_another_program_are_refused),
        DB_TEST(a_statement_that_fails_leaves_the_version_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
