/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the thread that copies the WAL back: requests, results, and a database that it cannot
 * open.
 */
#include "server/checkpointer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "db/db.h"

enum { ROWS = 300, PAGE = 4096 };

struct fixture {
    char dir[64], path[96], url[128];
    struct db *db;
    struct log log;
    char last_line[512]; /* of the log */
};

static bool take_line(void *arg, struct str line)
{
    struct fixture *f = arg;

    snprintf(f->last_line, sizeof f->last_line, "%.*s", STR_ARG(line));
    return true;
}

static void exec(struct fixture *f, const char *sql)
{
    struct err err = {.text = ""};

    if (db_exec(f->db, str_of(sql), &err) != RC_OK)
        fail_msg("%s: %s", sql, err.text);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct err err = {.text = ""};

    assert_non_null(f);
    snprintf(f->dir, sizeof f->dir, "/tmp/belfry-wal-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->path, sizeof f->path, "%s/test.db", f->dir);
    snprintf(f->url, sizeof f->url, "sqlite:%s", f->path);
    if (db_open(f->url, NULL, &f->db, &err) != RC_OK)
        fail_msg("%s", err.text);
    log_open(&f->log, (struct log_sink){.take = take_line, .arg = f}, LEVEL_INFO, LOG_LOGFMT);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
    struct fixture *f = *state;
    char path[128];

    db_close(f->db);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s%s", f->path, ends[i]);
        unlink(path);
    }
    rmdir(f->dir);
    free(f);
    return 0;
}

static off_t size_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void stop_finishes_the_pending_request(void **state)
{
    struct fixture *f = *state;
    struct checkpointer *checkpointer;
    struct checkpoint_result result;

    exec(f, "CREATE TABLE f (id {int} PRIMARY KEY, b {blob}){strict}");
    for (int i = 0; i < ROWS; i++)
        exec(f, "INSERT INTO f SELECT count(*), zeroblob(4096) FROM f");
    assert_true(size_of(f->path) < ROWS * PAGE);
    checkpointer = checkpointer_start(f->url, &f->log);
    assert_int_equal(checkpointer_poll(checkpointer, &result), CHECKPOINT_IDLE);
    checkpointer_request(checkpointer);
    assert_null(checkpointer_stop(checkpointer));
    assert_true(size_of(f->path) > ROWS * PAGE);
}

static void a_result_with_the_page_count_is_reported_once(void **state)
{
    struct fixture *f = *state;
    struct checkpointer *checkpointer = checkpointer_start(f->url, &f->log);
    struct checkpoint_result result = {.pages = -2};

    exec(f, "CREATE TABLE f (id {int} PRIMARY KEY, b {blob}){strict}");
    checkpointer_request(checkpointer);
    assert_int_equal(checkpointer_wait(checkpointer, &result), CHECKPOINT_DONE);
    assert_true(result.pages > 0);
    assert_int_equal(checkpointer_wait(checkpointer, &result), CHECKPOINT_IDLE);
    checkpointer_request(checkpointer);
    assert_int_equal(checkpointer_wait(checkpointer, &result), CHECKPOINT_DONE);
    assert_null(checkpointer_stop(checkpointer));
}

static void without_a_request_it_does_not_open_the_database(void **state)
{
    struct fixture *f = *state;
    struct checkpointer *checkpointer = checkpointer_start("sqlite:/nowhere/at/all.db",
                                                           &f->log);
    struct checkpoint_result result;

    assert_int_equal(checkpointer_poll(checkpointer, &result), CHECKPOINT_IDLE);
    assert_int_equal(checkpointer_wait(checkpointer, &result), CHECKPOINT_IDLE);
    assert_null(checkpointer_stop(checkpointer));
    assert_null(checkpointer_stop(NULL));
}

static void a_database_that_cannot_be_opened_is_logged(void **state)
{
    struct fixture *f = *state;
    struct checkpointer *checkpointer = checkpointer_start("sqlite:/nowhere/at/all.db",
                                                           &f->log);
    struct checkpoint_result result = {.pages = 0};

    checkpointer_request(checkpointer);
    assert_int_equal(checkpointer_wait(checkpointer, &result), CHECKPOINT_DONE);
    assert_int_equal(result.pages, -1); /* the writer must do it */
    assert_null(checkpointer_stop(checkpointer));
    assert_non_null(strstr(f->last_line, "checkpointer cannot open the database"));
    assert_non_null(strstr(f->last_line, "/nowhere/at/all.db"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stop_finishes_the_pending_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_result_with_the_page_count_is_reported_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_database_that_cannot_be_opened_is_logged, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_a_request_it_does_not_open_the_database, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
