/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of SQLite is written back beside its writer, by another connection.
 */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

enum { PAGE = 4096, LOG_PAGES = 200, BATCH = 20 };

static const struct db_stmt insert = {"INSERT INTO f (id, b) VALUES ($1, $2)", "ib"};
static const struct db_stmt count = {"SELECT count(*) FROM f", NULL};
static const struct db_stmt check = {"SELECT quick_check FROM pragma_quick_check", NULL};

static off_t size_of(const struct fixture *f, const char *name)
{
    char path[128];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* A writer whose log is long soon. */
static void begin(struct fixture *f)
{
    f->db = db_close(f->db);
    f->db = open_with(f->url, &(struct db_options){.log_pages = LOG_PAGES});
    exec(f->db, "CREATE TABLE f (id {int} PRIMARY KEY, b {blob}){strict}");
}

static struct db *open_sweeper(const struct fixture *f)
{
    return open_with(f->url, &(struct db_options){.sweeps = true});
}

/* Each row takes a page and a bit; rows are counted from 0. */
static void fill(struct fixture *f, int *rows, int more)
{
    static const char zeros[PAGE];

    db_begin(f->db);
    for (int i = 0; i < more; i++)
        db_send(
            f->db, &insert,
            (struct db_value[]){db_int((*rows)++), db_blob((struct str){zeros, sizeof zeros})},
            NULL);
    OK(db_commit(f->db, f->arena, err));
}

static void fill_until_long(struct fixture *f, int *rows)
{
    while (!db_log_is_long(f->db))
        fill(f, rows, BATCH);
}

static void assert_whole(struct fixture *f, int rows)
{
    struct db_result got = query(f, f->db, &check, NULL);

    assert_int_equal(got.rows, 1);
    assert_true(str_eq(db_text_at(&got, 0, 0), STR("ok")));
    assert_int_equal(query_int(f, f->db, &count), rows);
}

static void a_sweep_brings_the_log_into_the_file_and_the_writer_begins_it_anew(void **state)
{
    struct fixture *f = *state;
    struct db *sweeper;
    int rows = 0;
    off_t log;

    begin(f);
    fill_until_long(f, &rows);
    assert_true(size_of(f, "test.db") < LOG_PAGES / 2 * PAGE);
    sweeper = open_sweeper(f);
    OK(db_sweep(sweeper, err));
    assert_true(size_of(f, "test.db") > (off_t)rows * PAGE);
    assert_true(db_log_is_long(f->db)); /* it is for the writer to end it */
    OK(db_checkpoint(f->db, err));
    assert_false(db_log_is_long(f->db));
    log = size_of(f, "test.db-wal");
    for (int i = 0; i < LOG_PAGES / 2 / BATCH; i++)
        fill(f, &rows, BATCH);
    assert_int_equal(size_of(f, "test.db-wal"), log);
    db_close(sweeper);
    assert_whole(f, rows);
}

static void what_comes_after_a_sweep_is_in_the_log_alone_and_is_not_lost(void **state)
{
    struct fixture *f = *state;
    struct db *sweeper;
    int rows = 0;

    begin(f);
    fill_until_long(f, &rows);
    sweeper = open_sweeper(f);
    OK(db_sweep(sweeper, err));
    fill(f, &rows, BATCH);
    REFUSED(db_distrust(f->db, &(struct err){.text = "the disk is gone"}, err), RC_CORRUPT,
            "the disk is gone");
    db_close(sweeper);
    f->db = db_close(f->db);
    assert_true(size_of(f, "test.db-wal") > LOG_PAGES * PAGE); /* left alone */
    f->db = open_with(f->url, NULL);
    assert_whole(f, rows);
}

static void who_distrusts_the_file_writes_no_more(void **state)
{
    struct fixture *f = *state;
    int rows = 0;

    begin(f);
    fill(f, &rows, BATCH);
    REFUSED(db_distrust(f->db, &(struct err){.text = "why"}, err), RC_CORRUPT, "why");
    assert_true(db_is_dead(f->db));
    REFUSED(db_exec(f->db, STR("DELETE FROM f"), err), RC_CORRUPT, "why");
    REFUSED(db_checkpoint(f->db, err), RC_CORRUPT, "why");
}

static void one_that_sweeps_makes_no_file_and_needs_one_that_is_there(void **state)
{
    struct fixture *f = *state;
    struct db *sweeper = NULL;
    char url[URL_MAX], path[128];

    snprintf(url, sizeof url, "sqlite:%s/none.db", f->dir);
    REFUSED(db_open(url, &(struct db_options){.sweeps = true}, &sweeper, err), RC_NOT_FOUND,
            "none.db");
    snprintf(path, sizeof path, "%s/none.db", f->dir);
    assert_int_equal(access(path, F_OK), -1);
}

struct helper {
    const struct fixture *f;
    atomic_bool must_end;
    int sweeps;
};

static void *sweep_on(void *with)
{
    struct helper *helper = with;
    struct db *db = NULL;
    struct err err;

    if (db_open(helper->f->url, &(struct db_options){.sweeps = true}, &db, &err) != RC_OK)
        return "it cannot be opened";
    while (!atomic_load(&helper->must_end)) {
        enum rc rc = db_sweep(db, &err);

        if (rc != RC_OK && rc != RC_BUSY)
            return "a sweep failed";
        helper->sweeps++;
    }
    db_close(db);
    return NULL;
}

static void a_writer_and_one_that_sweeps_lose_nothing_to_each_other(void **state)
{
    struct fixture *f = *state;
    struct helper helper = {.f = f};
    void *wrong = "";
    pthread_t thread;
    int rows = 0;

    begin(f);
    OK(db_exec(f->db, STR("PRAGMA synchronous=OFF"), err)); /* no power is lost here */
    assert_int_equal(pthread_create(&thread, NULL, sweep_on, &helper), 0);
    for (int i = 0; i < 400; i++) {
        fill(f, &rows, BATCH);
        OK(db_checkpoint(f->db, err)); /* in the midst of a sweep it leaves it at that */
    }
    atomic_store(&helper.must_end, true);
    assert_int_equal(pthread_join(thread, &wrong), 0);
    assert_null(wrong);
    assert_true(helper.sweeps > 0);
    assert_whole(f, rows);
    f->db = db_close(f->db);
    f->db = open_with(f->url, NULL);
    assert_whole(f, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(a_sweep_brings_the_log_into_the_file_and_the_writer_begins_it_anew),
        DB_TEST(what_comes_after_a_sweep_is_in_the_log_alone_and_is_not_lost),
        DB_TEST(who_distrusts_the_file_writes_no_more),
        DB_TEST(one_that_sweeps_makes_no_file_and_needs_one_that_is_there),
        DB_TEST(a_writer_and_one_that_sweeps_lose_nothing_to_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
