/* SPDX-License-Identifier: Apache-2.0 */
/* Another connection writes back the log of SQLite while its writer continues. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "base/aborts.h"

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

/* A writer whose log soon becomes long. */
static void make_table(struct fixture *f)
{
    f->db = db_close(f->db);
    f->db = open_with(f->url, &(struct db_options){.wal_pages = LOG_PAGES});
    exec(f->db, "CREATE TABLE f (id {int} PRIMARY KEY, b {blob}){strict}");
}

static struct db *open_helper(const struct fixture *f)
{
    return open_with(f->url, &(struct db_options){.writes_back = true});
}

/* Each row takes a little more than a page; rows are counted from 0. */
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

/* The log is lent when this returns. */
static void fill_until_lent(struct fixture *f, int *rows)
{
    while (!db_lend_wal(f->db))
        fill(f, rows, BATCH);
}

static void write_back(struct fixture *f, struct db *helper)
{
    int pages = -1;

    OK(db_write_back_wal(helper, &pages, err));
    db_take_wal(f->db, pages);
}

static void assert_whole(struct fixture *f, int rows)
{
    struct db_result got = query(f, f->db, &check, NULL);

    assert_int_equal(got.rows, 1);
    assert_true(str_eq(db_text_at(&got, 0, 0), STR("ok")));
    assert_int_equal(query_int(f, f->db, &count), rows);
}

static void after_a_write_back_the_writer_restarts_the_log(void **state)
{
    struct fixture *f = *state;
    struct db *helper;
    int rows = 0;
    off_t log;

    make_table(f);
    fill_until_lent(f, &rows);
    assert_true(size_of(f, "test.db") < LOG_PAGES / 2 * PAGE);
    helper = open_helper(f);
    write_back(f, helper);
    assert_true(size_of(f, "test.db") > (off_t)rows * PAGE);
    OK(db_checkpoint(f->db, err));
    log = size_of(f, "test.db-wal");
    for (int i = 0; i < LOG_PAGES / 2 / BATCH; i++)
        fill(f, &rows, BATCH);
    assert_int_equal(size_of(f, "test.db-wal"), log);
    db_close(helper);
    assert_whole(f, rows);
}

static void commits_after_a_write_back_are_not_lost(void **state)
{
    struct fixture *f = *state;
    struct db *helper;
    int rows = 0;

    make_table(f);
    fill_until_lent(f, &rows);
    helper = open_helper(f);
    fill(f, &rows, BATCH);
    write_back(f, helper);
    fill(f, &rows, BATCH / 2);
    REFUSED(db_distrust(f->db, &(struct err){.text = "the disk is gone"}, err), RC_CORRUPT,
            "the disk is gone");
    db_close(helper);
    f->db = db_close(f->db);
    assert_true(size_of(f, "test.db-wal") > LOG_PAGES * PAGE); /* unchanged */
    f->db = open_with(f->url, NULL);
    assert_whole(f, rows);
}

static void a_log_that_is_completely_copied_is_not_lent(void **state)
{
    struct fixture *f = *state;
    struct db *helper;
    int rows = 0;

    make_table(f);
    fill_until_lent(f, &rows);
    helper = open_helper(f);
    write_back(f, helper);
    assert_false(db_lend_wal(f->db));
    OK(db_checkpoint(f->db, err));
    assert_false(db_lend_wal(f->db));
    fill(f, &rows, 1); /* it restarts */
    assert_false(db_lend_wal(f->db));
    fill_until_lent(f, &rows);
    write_back(f, helper);
    db_close(helper);
    assert_whole(f, rows);
}

/* A commit after the write-back restarts the log before the writer takes it back. */
static void a_log_that_restarted_unnoticed_is_lent_when_it_is_long(void **state)
{
    struct fixture *f = *state;
    struct db *helper;
    int rows = 0, pages = -1;

    make_table(f);
    fill_until_lent(f, &rows);
    helper = open_helper(f);
    OK(db_write_back_wal(helper, &pages, err));
    fill(f, &rows, 1);
    db_take_wal(f->db, pages);
    assert_false(db_lend_wal(f->db)); /* one row is not long */
    for (int i = 0; i < LOG_PAGES / BATCH; i++)
        fill(f, &rows, BATCH);
    assert_true(db_lend_wal(f->db));
    write_back(f, helper);
    db_close(helper);
    assert_whole(f, rows);
}

static void after_a_failed_write_back_the_writer_checkpoints(void **state)
{
    struct fixture *f = *state;
    int rows = 0;

    make_table(f);
    fill_until_lent(f, &rows);
    db_take_wal(f->db, -1);
    assert_false(db_lend_wal(f->db));
    OK(db_checkpoint(f->db, err));
    assert_true(size_of(f, "test.db") > (off_t)rows * PAGE);
}

static void checkpoint(void *arg)
{
    struct fixture *f = arg;
    struct err err;

    (void)!db_checkpoint(f->db, &err);
}

static void lend(void *arg)
{
    struct fixture *f = arg;

    db_lend_wal(f->db);
}

static void a_checkpoint_of_a_lent_log_aborts(void **state)
{
    struct fixture *f = *state;
    int rows = 0;

    make_table(f);
    fill_until_lent(f, &rows);
    assert_true(aborts(checkpoint, f));
    assert_true(aborts(lend, f));
}

/*
 * SQLite calls xUnfetch between reading the length of the log and reading how much of it is
 * copied.
 */
static struct {
    sqlite3_vfs vfs, *below;
    sqlite3_io_methods methods;
    int (*unfetch)(sqlite3_file *file, sqlite3_int64 at, void *page);
    struct fixture *f;
    int *rows;
    int calls;
    unsigned commits; /* bit n: the writer commits in call n of xUnfetch, from 0 */
} gap;

static int commit_in_gap(sqlite3_file *file, sqlite3_int64 at, void *page)
{
    if (gap.commits >> gap.calls++ & 1)
        fill(gap.f, gap.rows, BATCH);
    return gap.unfetch(file, at, page);
}

static int open_with_gap(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                         int *ret_flags)
{
    int code = gap.below->xOpen(gap.below, name, file, flags, ret_flags);

    (void)vfs;
    if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB)) {
        gap.methods = *file->pMethods;
        gap.unfetch = gap.methods.xUnfetch;
        gap.methods.xUnfetch = commit_in_gap;
        file->pMethods = &gap.methods;
    }
    return code;
}

static struct db *open_helper_with_gap(const struct fixture *f)
{
    char url[URL_MAX + sizeof "?vfs=gap"];

    gap.below = sqlite3_vfs_find("unix");
    gap.vfs = *gap.below;
    gap.vfs.zName = "gap";
    gap.vfs.xOpen = open_with_gap;
    assert_int_equal(sqlite3_vfs_register(&gap.vfs, 0), SQLITE_OK);
    snprintf(url, sizeof url, "%s?vfs=gap", f->url);
    return open_with(url, &(struct db_options){.writes_back = true});
}

static void set_commits(struct fixture *f, int *rows, unsigned commits)
{
    gap.f = f;
    gap.rows = rows;
    gap.calls = 0;
    gap.commits = commits;
}

static void close_helper_with_gap(struct db *helper)
{
    db_close(helper);
    assert_int_equal(sqlite3_vfs_unregister(&gap.vfs), SQLITE_OK);
}

static void pages_written_during_a_write_back_are_lent_once_more(void **state)
{
    struct fixture *f = *state;
    struct db *helper = open_helper_with_gap(f);
    int rows = 0;

    make_table(f);
    fill_until_lent(f, &rows);
    set_commits(f, &rows, 3);
    write_back(f, helper);
    assert_true(db_lend_wal(f->db));
    write_back(f, helper);
    assert_false(db_lend_wal(f->db));
    assert_int_equal(gap.calls, 2);
    OK(db_checkpoint(f->db, err));
    assert_true(size_of(f, "test.db") > (off_t)rows * PAGE);
    close_helper_with_gap(helper);
    assert_whole(f, rows);
}

/* SQLite 3.40 would lose it if an unchanged log were written back again. */
static void a_commit_in_the_gap_of_a_write_back_is_not_lost(void **state)
{
    struct fixture *f = *state;
    int rows = 0;

    make_table(f);
    for (unsigned commits = 0; commits < 8; commits++) {
        struct db *helper = open_helper_with_gap(f);

        fill_until_lent(f, &rows);
        set_commits(f, &rows, commits);
        do {
            write_back(f, helper);
        } while (db_lend_wal(f->db));
        assert_true(gap.calls > 0);
        OK(db_checkpoint(f->db, err));
        fill(f, &rows, 3);
        close_helper_with_gap(helper);
        assert_whole(f, rows);
        f->db = db_close(f->db);
        f->db = open_with(f->url, &(struct db_options){.wal_pages = LOG_PAGES});
        assert_whole(f, rows);
    }
}

static void a_distrusted_file_is_not_written(void **state)
{
    struct fixture *f = *state;
    int rows = 0;

    make_table(f);
    fill(f, &rows, BATCH);
    REFUSED(db_distrust(f->db, &(struct err){.text = "why"}, err), RC_CORRUPT, "why");
    assert_true(db_is_dead(f->db));
    REFUSED(db_exec(f->db, STR("DELETE FROM f"), err), RC_CORRUPT, "why");
    REFUSED(db_checkpoint(f->db, err), RC_CORRUPT, "why");
}

static void a_write_back_connection_creates_no_file(void **state)
{
    struct fixture *f = *state;
    struct db *helper = NULL;
    char url[URL_MAX], path[128];

    snprintf(url, sizeof url, "sqlite:%s/none.db", f->dir);
    REFUSED(db_open(url, &(struct db_options){.writes_back = true}, &helper, err), RC_NOT_FOUND,
            "none.db");
    snprintf(path, sizeof path, "%s/none.db", f->dir);
    assert_int_equal(access(path, F_OK), -1);
}

/* A thread that writes back the log whenever the log is lent to it. */
struct helper {
    const struct fixture *f;
    atomic_bool is_lent, must_end;
    int pages;
};

static void *run_helper(void *arg)
{
    struct helper *helper = arg;
    struct db *db = NULL;
    struct err err;
    int pages;

    if (db_open(helper->f->url, &(struct db_options){.writes_back = true}, &db, &err) != RC_OK)
        return "it cannot be opened";
    while (!atomic_load(&helper->must_end)) {
        if (!atomic_load(&helper->is_lent))
            continue;
        if (db_write_back_wal(db, &pages, &err) != RC_OK)
            return "a write-back failed";
        helper->pages = pages;
        atomic_store(&helper->is_lent, false);
    }
    db_close(db);
    return NULL;
}

static void a_writer_and_a_write_back_thread_lose_no_row(void **state)
{
    struct fixture *f = *state;
    struct helper helper = {.f = f};
    void *wrong = "";
    pthread_t thread;
    bool was_lent = false;
    int rows = 0, write_backs = 0;

    make_table(f);
    OK(db_exec(f->db, STR("PRAGMA synchronous=OFF"), err)); /* power is not lost here */
    assert_int_equal(pthread_create(&thread, NULL, run_helper, &helper), 0);
    for (int i = 0; i < 400; i++) {
        fill(f, &rows, BATCH);
        if (atomic_load(&helper.is_lent))
            continue;
        if (was_lent)
            db_take_wal(f->db, helper.pages);
        was_lent = db_lend_wal(f->db);
        write_backs += was_lent;
        if (was_lent)
            atomic_store(&helper.is_lent, true);
        else
            OK(db_checkpoint(f->db, err));
    }
    while (atomic_load(&helper.is_lent))
        fill(f, &rows, 1);
    atomic_store(&helper.must_end, true);
    assert_int_equal(pthread_join(thread, &wrong), 0);
    assert_null(wrong);
    assert_true(write_backs > 0);
    assert_whole(f, rows);
    f->db = db_close(f->db);
    f->db = open_with(f->url, NULL);
    assert_whole(f, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(after_a_write_back_the_writer_restarts_the_log),
        DB_TEST(commits_after_a_write_back_are_not_lost),
        DB_TEST(a_log_that_is_completely_copied_is_not_lent),
        DB_TEST(a_log_that_restarted_unnoticed_is_lent_when_it_is_long),
        DB_TEST(pages_written_during_a_write_back_are_lent_once_more),
        DB_TEST(after_a_failed_write_back_the_writer_checkpoints),
        DB_TEST(a_checkpoint_of_a_lent_log_aborts),
        DB_TEST(a_commit_in_the_gap_of_a_write_back_is_not_lost),
        DB_TEST(a_distrusted_file_is_not_written),
        DB_TEST(a_write_back_connection_creates_no_file),
        DB_TEST(a_writer_and_a_write_back_thread_lose_no_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
