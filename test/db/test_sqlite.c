/* SPDX-License-Identifier: Apache-2.0 */
/* What only SQLite has: a file, its lock, its settings, its log, a full disk and damage. */
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    ADVANCE_MS = 100, /* after this time a reader takes the next snapshot without a request */
    PATIENCE_MS = 20000, /* how long the writer waits for it, on a loaded machine */
    LOG_PAGES = 500,
};

static const struct db_stmt insert = {"INSERT INTO f (id, b) VALUES ($1, $2)", "ib"};
static const struct db_stmt count = {"SELECT count(*) FROM f", NULL};
static const struct db_stmt check = {"SELECT quick_check FROM pragma_quick_check", NULL};

static void make_table(struct fixture *f)
{
    exec(f->db, "CREATE TABLE f (id {int} PRIMARY KEY, b {blob}){strict}");
}

static const char *path_of(const struct fixture *f, const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    return path;
}

static off_t size_of(const struct fixture *f, const char *name)
{
    struct stat st;

    assert_int_equal(stat(path_of(f, name), &st), 0);
    return st.st_size;
}

static enum rc open_url(const char *url, bool readonly, struct err *err)
{
    struct db *db = NULL;
    enum rc rc = db_open(url, &(struct db_options){.readonly = readonly}, &db, err);

    if (rc != RC_OK)
        assert_null(db);
    db_close(db);
    return rc;
}

static void urls_that_name_no_file_are_refused(void **state)
{
    struct fixture *f = *state;
    char url[URL_MAX];

    REFUSED(open_url("sqlite:", false, err), RC_INVALID, "sqlite:FILE");
    REFUSED(open_url("sqlite:?vfs=unix", false, err), RC_INVALID, "sqlite:FILE");
    REFUSED(open_url("sqlite:/tmp/x?mode=ro", false, err), RC_INVALID, "`mode=ro`");
    REFUSED(open_url("sqlite:/tmp/x?", false, err), RC_INVALID, "?vfs=NAME");
    REFUSED(open_url("sqlite:/tmp/x?vfs=none", false, err), RC_INVALID, "none");
    REFUSED(open_url("sqlite:/nowhere/at/all.db", false, err), RC_NOT_FOUND, "/nowhere/at");
    snprintf(url, sizeof url, "sqlite:%s/", f->dir);
    REFUSED(open_url(url, false, err), RC_INVALID, "sqlite:FILE");
    assert_int_equal(symlink("none.db", path_of(f, "link.db")), 0);
    snprintf(url, sizeof url, "sqlite:%s", path_of(f, "link.db"));
    REFUSED(open_url(url, false, err), RC_INVALID, "a dangling symbolic link");
    snprintf(url, sizeof url, "sqlite:%s/.", f->dir);
    REFUSED(open_url(url, true, err), RC_INVALID, "cannot open");
}

static void a_new_file_is_private_to_its_owner(void **state)
{
    struct fixture *f = *state;
    struct stat st;

    assert_int_equal(stat(path_of(f, "test.db"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(path_of(f, "test.db-wal"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_reader_creates_no_file(void **state)
{
    struct fixture *f = *state;
    char url[URL_MAX];

    snprintf(url, sizeof url, "sqlite:%s", path_of(f, "none.db"));
    REFUSED(open_url(url, true, err), RC_NOT_FOUND, "start the server once");
    assert_int_equal(access(path_of(f, "none.db"), F_OK), -1);
}

static void the_connection_is_set_up_for_safety(void **state)
{
    static const struct {
        const char *sql;
        int64_t writer, reader;
    } settings[] = {
        {"SELECT journal_mode = 'wal' FROM pragma_journal_mode", 1, 1},
        {"PRAGMA synchronous", 2, -1},
        {"PRAGMA foreign_keys", 0, 0},
        {"PRAGMA wal_autocheckpoint", 0, -1},
        {"PRAGMA query_only", 0, 1},
        {"PRAGMA busy_timeout", DB_LOCK_MS, DB_LOCK_MS},
        {"PRAGMA application_id", 0x424c4659, 0x424c4659},
        {"PRAGMA user_version", 1, 1},
        {"SELECT locking_mode = 'normal' FROM pragma_locking_mode", 1, 1},
    };
    static struct db_stmt statements[sizeof settings / sizeof settings[0]];
    struct fixture *f = *state;
    struct db *reader = open_reader(f);

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        statements[i].sql = settings[i].sql;
        if (settings[i].writer >= 0)
            assert_int_equal(query_int(f, f->db, &statements[i]), settings[i].writer);
        if (settings[i].reader >= 0)
            assert_int_equal(query_int(f, reader, &statements[i]), settings[i].reader);
    }
    db_close(reader);
}

static void a_second_writer_is_refused_with_the_pid_of_the_first(void **state)
{
    struct fixture *f = *state;
    char expected[64], link[URL_MAX];

    snprintf(expected, sizeof expected, "in use by process %d;", (int)getpid());
    REFUSED(open_url(f->url, false, err), RC_BUSY, expected);
    assert_int_equal(symlink("test.db", path_of(f, "link.db")), 0);
    snprintf(link, sizeof link, "sqlite:%s", path_of(f, "link.db"));
    REFUSED(open_url(link, false, err), RC_BUSY, expected);
    OK(open_url(f->url, true, err));
    exec(f->db, "CREATE TABLE still_works (x {int}){strict}");
    f->db = db_close(f->db);
    OK(open_url(link, false, err));
    OK(open_url(f->url, false, err));
}

/* In a child: a process does not conflict with its own locks. */
static bool is_locked(const char *path)
{
    /* The range of SQLite's shared locks, from its file format. */
    struct flock shared = {.l_type = F_WRLCK, .l_start = 0x40000002, .l_len = 510};
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        int fd = open(path, O_RDWR);

        _exit(fd >= 0 && fcntl(fd, F_GETLK, &shared) == 0 && shared.l_type != F_UNLCK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status) == 1;
}

/* Closing any descriptor of a file drops the process's locks on it. */
static void a_refused_writer_does_not_drop_the_locks_of_the_first(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    assert_true(is_locked(path_of(f, "test.db")));
    REFUSED(open_url(f->url, false, err), RC_BUSY, "in use");
    assert_true(is_locked(path_of(f, "test.db")));
}

static void a_writer_does_not_drop_the_locks_of_a_reader_before_it(void **state)
{
    struct fixture *f = *state;
    struct db *reader;

    make_table(f);
    f->db = db_close(f->db);
    reader = open_reader(f);
    f->db = open_with(f->url, NULL);
    assert_true(is_locked(path_of(f, "test.db")));
    db_close(reader);
    assert_true(is_locked(path_of(f, "test.db")));
}

static void a_writer_that_was_killed_does_not_keep_others_out(void **state)
{
    struct fixture *f = *state;
    char expected[64], ready = 0;
    int pipes[2], status;
    pid_t child;

    make_table(f);
    f->db = db_close(f->db);
    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        f->db = open_with(f->url, NULL);
        db_begin(f->db);
        db_send(f->db, &insert, (struct db_value[]){db_int(1), db_null()}, NULL);
        OK(db_flush(f->db, NULL, err));
        if (write(pipes[1], "!", 1) == 1)
            pause();
        _exit(2);
    }
    assert_int_equal(read(pipes[0], &ready, 1), 1);
    snprintf(expected, sizeof expected, "in use by process %d;", (int)child);
    REFUSED(open_url(f->url, false, err), RC_BUSY, expected);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(pipes[0]);
    close(pipes[1]);
    f->db = open_with(f->url, NULL);
    assert_int_equal(query_int(f, f->db, &count), 0);
}

static void files_of_other_programs_are_refused(void **state)
{
    struct fixture *f = *state;

    exec(f->db, "PRAGMA application_id = 1196444487"); /* GPKG, a GeoPackage */
    f->db = db_close(f->db);
    REFUSED(open_url(f->url, false, err), RC_INVALID, "another program");
    REFUSED(open_url(f->url, true, err), RC_INVALID, "another program");
}

static void a_file_with_tables_but_no_application_id_is_refused(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    exec(f->db, "PRAGMA application_id = 0");
    exec(f->db, "PRAGMA user_version = 0");
    f->db = db_close(f->db);
    REFUSED(open_url(f->url, false, err), RC_INVALID, "another program");
}

static void a_file_of_a_newer_belfry_is_refused(void **state)
{
    struct fixture *f = *state;

    exec(f->db, "PRAGMA user_version = 2");
    f->db = db_close(f->db);
    REFUSED(open_url(f->url, false, err), RC_CONFLICT, "newer Belfry");
}

static void a_file_that_is_not_a_database_is_refused(void **state)
{
    struct fixture *f = *state;
    FILE *file;

    f->db = db_close(f->db);
    file = fopen(path_of(f, "test.db"), "w");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        fprintf(file, "Dear diary, on day %d nothing happened.\n", i);
    fclose(file);
    REFUSED(open_url(f->url, false, err), RC_CORRUPT, "not a database");
}

static enum rc fill(struct fixture *f, int from, int rows, struct err *err)
{
    static const char zeros[4096];

    db_begin(f->db);
    for (int i = 0; i < rows; i++)
        db_send(
            f->db, &insert,
            (struct db_value[]){db_int(from + i), db_blob((struct str){zeros, sizeof zeros})},
            NULL);
    return db_commit(f->db, f->arena, err);
}

static void a_full_disk_undoes_the_transaction_and_the_next_may_succeed(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    OK(fill(f, 0, 10, err));
    exec(f->db, "PRAGMA max_page_count = 100");
    REFUSED(fill(f, 10, 200, err), RC_LIMIT, "free space");
    assert_false(db_is_dead(f->db));
    assert_int_equal(query_int(f, f->db, &count), 10);
    OK(fill(f, 10, 5, err));
    exec(f->db, "PRAGMA max_page_count = 100000");
    OK(fill(f, 15, 200, err));
    assert_int_equal(query_int(f, f->db, &count), 215);
}

/* A write that fails for another reason than space: here the limit of a file's size. */
static void a_failed_write_ends_the_connection_and_loses_nothing(void **state)
{
    struct fixture *f = *state;
    struct rlimit old, small;

    make_table(f);
    OK(fill(f, 0, 10, err));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){(rlim_t)size_of(f, "test.db-wal"), old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    REFUSED(fill(f, 10, 200, err), RC_CORRUPT, "check the disk");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_true(db_is_dead(f->db));
    REFUSED(fill(f, 10, 1, err), RC_CORRUPT, "check the disk");
    db_close(f->db);
    f->db = open_with(f->url, NULL);
    assert_int_equal(query_int(f, f->db, &count), 10);
    OK(fill(f, 10, 200, err));
}

/*
 * The VFS combines the pages of a commit before it writes them to the log.  All of them are in
 * the log when others may see the commit, even if the disk is not synced.
 */
static void a_reader_sees_every_commit_of_any_size(void **state)
{
    struct fixture *f = *state;
    struct db *reader = open_reader(f);
    int rows = 0;

    make_table(f);
    for (int i = 0; i < 120; i++) {
        OK(db_exec(f->db,
                   i % 2 ? STR("PRAGMA synchronous=OFF") : STR("PRAGMA synchronous=FULL"),
                   err));
        OK(fill(f, rows, i, err));
        rows += i;
        assert_int_equal(query_int(f, reader, &count), rows);
    }
    db_close(reader);
}

/* So little cache that the transaction spills into the log, and is read from there. */
static void a_writer_reads_what_it_has_not_committed(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    OK(db_exec(f->db, STR("PRAGMA cache_size=4"), err));
    db_begin(f->db);
    for (int i = 0; i < 100; i++) {
        exec(f->db, "INSERT INTO f SELECT coalesce(max(id), 0) + 1, zeroblob(4096) FROM f");
        assert_int_equal(query_int(f, f->db, &count), i + 1);
    }
    db_rollback(f->db);
    assert_int_equal(query_int(f, f->db, &count), 0);
}

static void the_log_is_written_back_when_it_is_long_and_only_when_asked(void **state)
{
    struct fixture *f = *state;

    make_table(f);
    for (int i = 0; i < 10; i++)
        OK(fill(f, i * 100, 100, err));
    OK(db_checkpoint(f->db, err)); /* about 1,100 pages: too few */
    assert_true(size_of(f, "test.db") < 100 * 4096);
    for (int i = 10; i < 40; i++)
        OK(fill(f, i * 100, 100, err));
    assert_true(size_of(f, "test.db") < 100 * 4096);
    assert_true(size_of(f, "test.db-wal") > DB_CHECKPOINT_PAGES * 4096);
    OK(db_checkpoint(f->db, err));
    assert_true(size_of(f, "test.db") > DB_CHECKPOINT_PAGES * 4096);
    assert_int_equal(query_int(f, f->db, &count), 4000);
}

/* A reader keeps its snapshot while the log is written back. */
static void a_checkpoint_does_not_wait_for_a_reader(void **state)
{
    struct fixture *f = *state;
    struct db_result got;
    struct db *reader;

    make_table(f);
    OK(fill(f, 0, 1, err));
    reader = open_reader(f);
    db_begin(reader);
    db_send(reader, &count, NULL, &got);
    OK(db_flush(reader, f->arena, err));
    for (int i = 0; i < 40; i++)
        OK(fill(f, 1 + i * 100, 100, err));
    OK(db_checkpoint(f->db, err));
    OK(db_checkpoint(f->db, err));
    db_send(reader, &count, NULL, &got);
    OK(db_commit(reader, f->arena, err));
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    assert_int_equal(query_int(f, reader, &count), 4001);
    db_close(reader);
}

/*
 * A process that always reads: it releases a snapshot when it has the next one.  It takes the
 * next one on request and then answers, or after ADVANCE_MS, because a writer may wait for it.
 */
static _Noreturn void read_always(const struct fixture *f, int requests, int answers)
{
    struct pollfd request = {.fd = requests, .events = POLLIN};
    struct db *readers[2] = {open_reader(f), open_reader(f)};
    struct db_result got;
    char byte;

    for (int i = 0;; i = 1 - i) {
        bool is_asked = poll(&request, 1, ADVANCE_MS) > 0;

        if (is_asked && read(requests, &byte, 1) != 1)
            _exit(0);
        db_begin(readers[i]);
        db_send(readers[i], &count, NULL, &got);
        if (db_flush(readers[i], f->arena, &(struct err){0}) != RC_OK)
            _exit(1);
        arena_reset(f->arena);
        db_rollback(readers[1 - i]);
        if (is_asked && write(answers, "", 1) != 1)
            _exit(1);
    }
}

/*
 * The writer waits for the reader when the log is four times too long, and again each time that
 * it has grown by its limit.  A wait can fail: SQLite waits for the slot of a reader, and also
 * for a new reader that takes the same slot.
 */
static void the_log_is_limited_while_a_reader_is_always_active(void **state)
{
    enum { WAITS = 4, FAILED_WAITS = 4 };
    struct fixture *f = *state;
    int requests[2], answers[2], status;
    char byte;
    pid_t child;

    f->db = db_close(f->db);
    f->db = open_with(f->url,
                      &(struct db_options){.lock_ms = PATIENCE_MS, .wal_pages = LOG_PAGES});
    make_table(f);
    OK(db_exec(f->db, STR("PRAGMA synchronous=OFF"), err)); /* power is not lost here */
    assert_int_equal(pipe(requests), 0);
    assert_int_equal(pipe(answers), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(requests[1]);
        read_always(f, requests[0], answers[1]);
    }
    close(requests[0]);
    close(answers[1]);
    for (int i = 0; i < 2 * (WAITS + FAILED_WAITS) * LOG_PAGES / 50; i++) {
        assert_int_equal(write(requests[1], "", 1), 1);
        assert_int_equal(read(answers[0], &byte, 1), 1);
        OK(fill(f, i * 50, 50, err));
        OK(db_checkpoint(f->db, err));
        assert_true(size_of(f, "test.db-wal") <
                    (off_t)(WAITS + FAILED_WAITS + 1) * LOG_PAGES * 4096);
    }
    close(requests[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(query_int(f, f->db, &count), 2 * (WAITS + FAILED_WAITS) * LOG_PAGES);
    close(answers[0]);
}

static void damage_is_detected_and_ends_the_connection(void **state)
{
    struct fixture *f = *state;
    char garbage[4096];
    int fd;

    make_table(f);
    OK(fill(f, 0, 500, err));
    f->db = db_close(f->db);
    memset(garbage, 0xa5, sizeof garbage);
    fd = open(path_of(f, "test.db"), O_RDWR);
    for (int page = 2; page < 100; page++)
        assert_int_equal(pwrite(fd, garbage, sizeof garbage, page * 4096), 4096);
    close(fd);
    f->db = open_with(f->url, NULL);
    db_send(f->db, &count, NULL, NULL);
    REFUSED(db_flush(f->db, f->arena, err), RC_CORRUPT, "restore a backup");
    assert_true(db_is_dead(f->db));
    db_begin(f->db);
    REFUSED(db_commit(f->db, f->arena, err), RC_CORRUPT, "restore a backup");
}

static void a_database_that_was_never_closed_is_intact(void **state)
{
    struct fixture *f = *state;
    struct db_result got;
    pid_t child;
    int status;

    make_table(f);
    f->db = db_close(f->db);
    child = fork();
    if (child == 0) {
        f->db = open_with(f->url, NULL);
        OK(fill(f, 0, 50, err));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    f->db = open_with(f->url, NULL);
    assert_int_equal(query_int(f, f->db, &count), 50);
    got = query(f, f->db, &check, NULL);
    assert_true(str_eq(db_text_at(&got, 0, 0), STR("ok")));
}

static void ballast_reserves_disk_space_and_releases_it(void **state)
{
    struct fixture *f = *state;
    struct rlimit before, small = {1 << 20, 1 << 20};
    char path[128];
    struct stat st;

    snprintf(path, sizeof path, "%s/test.db.ballast", f->dir);
    OK(db_ballast(f->db, true, err));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 16 << 20);
    assert_true(st.st_blocks * 512 >= st.st_size); /* not sparse */
    OK(db_ballast(f->db, true, err));              /* a second call changes nothing */
    OK(db_ballast(f->db, false, err));
    assert_int_equal(stat(path, &st), -1);
    OK(db_ballast(f->db, false, err));

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    REFUSED(db_ballast(f->db, true, err), RC_LIMIT, "16 MiB");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(stat(path, &st), -1); /* nothing half done */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(urls_that_name_no_file_are_refused),
        DB_TEST(a_new_file_is_private_to_its_owner),
        DB_TEST(a_reader_creates_no_file),
        DB_TEST(the_connection_is_set_up_for_safety),
        DB_TEST(a_second_writer_is_refused_with_the_pid_of_the_first),
        DB_TEST(a_refused_writer_does_not_drop_the_locks_of_the_first),
        DB_TEST(a_writer_does_not_drop_the_locks_of_a_reader_before_it),
        DB_TEST(a_writer_that_was_killed_does_not_keep_others_out),
        DB_TEST(files_of_other_programs_are_refused),
        DB_TEST(a_file_with_tables_but_no_application_id_is_refused),
        DB_TEST(a_file_of_a_newer_belfry_is_refused),
        DB_TEST(a_file_that_is_not_a_database_is_refused),
        DB_TEST(a_full_disk_undoes_the_transaction_and_the_next_may_succeed),
        DB_TEST(ballast_reserves_disk_space_and_releases_it),
        DB_TEST(a_failed_write_ends_the_connection_and_loses_nothing),
        DB_TEST(a_reader_sees_every_commit_of_any_size),
        DB_TEST(a_writer_reads_what_it_has_not_committed),
        DB_TEST(the_log_is_written_back_when_it_is_long_and_only_when_asked),
        DB_TEST(a_checkpoint_does_not_wait_for_a_reader),
        DB_TEST(the_log_is_limited_while_a_reader_is_always_active),
        DB_TEST(damage_is_detected_and_ends_the_connection),
        DB_TEST(a_database_that_was_never_closed_is_intact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
