/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migrations on both databases: stopped and crashed before each statement, run by several nodes
 * at once, and on databases of other programs or versions.
 */
#include "harness.h"

#include <sys/wait.h>

#include "db/migrate.h"

enum { STATEMENTS = 6, NODES = 4 };

#define FIRST                                                             \
    "CREATE TABLE a (id {int} PRIMARY KEY, t {text} NOT NULL){strict};\n" \
    "CREATE INDEX a_t ON a (t);\n"                                        \
    "INSERT INTO a (id, t) VALUES (1, 'one');\n"
#define SECOND                                                 \
    "\n  ALTER TABLE a ADD COLUMN n {int} NOT NULL DEFAULT 0;" \
    "UPDATE a SET n = n + 10;"                                 \
    "CREATE TABLE b (id {int} PRIMARY KEY){strict}"

static const struct migration ours[] = {{1, "first", FIRST, 1, 1}, {2, "second", SECOND, 2, 2}};

/* The same, but programs of version 1 may still read the second, or read and write it. */
static const struct migration readable[] = {{1, "first", FIRST, 1, 1},
                                            {2, "second", SECOND, 1, 2}};
static const struct migration compatible[] = {{1, "first", FIRST, 1, 1},
                                              {2, "second", SECOND, 1, 1}};

static const struct db_stmt done = {"SELECT number, name, at FROM migrations ORDER BY number",
                                    NULL};
static const struct db_stmt minimums = {"SELECT reader, writer FROM minimum_versions", NULL};
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
    exec(f->db, "DROP TABLE IF EXISTS minimum_versions");
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

static enum rc migrate_to(struct fixture *f, const struct migration *list, int count,
                          int *ret_version, struct err *err)
{
    return migrate(f->db, &(struct migrate){.list = list, .count = count, .now = 1000},
                   f->arena, ret_version, err);
}

static enum rc read_as(struct fixture *f, const struct migration *list, int count,
                       int *ret_version, struct err *err)
{
    return migrate_check_reader(f->db, &(struct migrate){.list = list, .count = count},
                                f->arena, ret_version, err);
}

static void assert_minimums(struct fixture *f, int reader, int writer)
{
    struct db_result got = query(f, f->db, &minimums, NULL);

    assert_int_equal(got.rows, 1);
    assert_int_equal(db_int_at(&got, 0, 0), reader);
    assert_int_equal(db_int_at(&got, 0, 1), writer);
}

static void each_migration_sets_the_minimum_versions(void **state)
{
    struct fixture *f = *state;
    int version = 0;

    OK(migrate_to(f, readable, 1, &version, err));
    assert_minimums(f, 1, 1);
    OK(migrate_to(f, readable, 2, &version, err));
    assert_minimums(f, 1, 2);
    OK(migrate_to(f, readable, 2, &version, err));
    assert_minimums(f, 1, 2);
}

static void a_newer_database_that_is_compatible_is_used(void **state)
{
    struct fixture *f = *state;
    int version = 0, read = 0;

    OK(migrate_to(f, compatible, 2, &version, err));
    OK(migrate_to(f, compatible, 1, &version, err));
    assert_int_equal(version, 2);
    OK(read_as(f, compatible, 1, &read, err));
    assert_int_equal(read, 2);
    assert_version(f, 2);
    assert_minimums(f, 1, 1);
}

static void a_newer_database_that_can_be_read_is_not_written(void **state)
{
    struct fixture *f = *state;
    int version = -7, read = 0;

    OK(migrate_to(f, readable, 2, &(int){0}, err));
    REFUSED(
        migrate_to(f, readable, 1, &version, err), RC_CONFLICT,
        "has version 2; this program supports versions up to 1 and may only read it, because "
        "only programs with version 2 or later may write it");
    assert_int_equal(version, -7);
    OK(read_as(f, readable, 1, &read, err));
    assert_int_equal(read, 2);
    assert_version(f, 2);
    assert_minimums(f, 1, 2);
}

static void a_newer_database_that_is_incompatible_is_not_used(void **state)
{
    struct fixture *f = *state;
    int version = -7;

    OK(run(f, 2, &(struct stop){.left = -1}, err));
    REFUSED(run(f, 1, &(struct stop){.left = -1}, err), RC_CONFLICT,
            "has version 2; this program supports versions up to 1, and only programs with "
            "version 2 or later may read it");
    REFUSED(read_as(f, ours, 1, &version, err), RC_CONFLICT, "version 2 or later may read it");
    assert_int_equal(version, -7);
    assert_version(f, 2);
    assert_minimums(f, 2, 2);
}

/* A program that knew no minimum versions has made it. */
static void a_newer_database_without_minimum_versions_is_not_used(void **state)
{
    struct fixture *f = *state;
    int version = -7;

    OK(migrate_to(f, compatible, 2, &(int){0}, err));
    exec(f->db, "DELETE FROM minimum_versions");
    REFUSED(migrate_to(f, compatible, 1, &version, err), RC_CONFLICT,
            "version 2 or later may read it");
    REFUSED(read_as(f, compatible, 1, &version, err), RC_CONFLICT,
            "version 2 or later may read it");
    assert_int_equal(version, -7);
}

static void a_reader_does_not_migrate(void **state)
{
    struct fixture *f = *state;
    int version = -7;

    OK(run(f, 1, &(struct stop){.left = -1}, err));
    REFUSED(read_as(f, ours, 2, &version, err), RC_CONFLICT,
            "has version 1, and this program needs 2; start the server once to migrate it");
    assert_int_equal(version, -7);
    assert_version(f, 1);
    OK(read_as(f, ours, 1, &version, err));
    assert_int_equal(version, 1);
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
        DB_TEST(each_migration_sets_the_minimum_versions),
        DB_TEST(a_newer_database_that_is_compatible_is_used),
        DB_TEST(a_newer_database_that_can_be_read_is_not_written),
        DB_TEST(a_newer_database_that_is_incompatible_is_not_used),
        DB_TEST(a_newer_database_without_minimum_versions_is_not_used),
        DB_TEST(a_reader_does_not_migrate),
        DB_TEST(migrations_of_another_program_are_refused),
        DB_TEST(a_statement_that_fails_leaves_the_version_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
