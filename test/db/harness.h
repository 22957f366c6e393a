/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An empty database for each test: SQLite in a new directory, or the PostgreSQL that
 * with_postgres.sh started, depending on BELFRY_TEST_DB.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "db/disk.h"
#include "empty.h"

enum { ARENA_MAX = 256 << 20, URL_MAX = 256 };

struct fixture {
    bool postgres;
    char dir[64]; /* SQLite: holds test.db; "" otherwise */
    char url[URL_MAX];
    char free_url[URL_MAX]; /* for a second writer: vfs=unix bypasses Belfry's lock */
    struct arena *arena;
    struct db *db; /* a writer */
};

/* Fails the test with the error message. */
#define OK(call)                                                      \
    do {                                                              \
        struct err ok_err = {.text = ""};                             \
        struct err *err = &ok_err;                                    \
        enum rc ok_rc = (call);                                       \
        if (ok_rc != RC_OK)                                           \
            fail_msg("%s: %s: %s", #call, rc_name(ok_rc), err->text); \
    } while (0)

/*
 * The call (with `err` for its error) must fail with this code and a message that contains
 * `part`.
 */
#define REFUSED(call, code, part)                                                             \
    do {                                                                                      \
        struct err refused_err = {.text = ""};                                                \
        struct err *err = &refused_err;                                                       \
        enum rc refused_rc = (call);                                                          \
        if (refused_rc != (code) || err->rc != (code) || !strstr(err->text, part))            \
            fail_msg("%s: %s: `%s`, not %s with `%s`", #call, rc_name(refused_rc), err->text, \
                     rc_name(code), part);                                                    \
    } while (0)

enum { TEST_DEADLINE_MS = 60 * 1000 }; /* for tests that are not about deadlines */

static inline struct db *open_with(const char *url, const struct db_options *options)
{
    struct db_options all = options ? *options : (struct db_options){0};
    struct db *db = NULL;

    if (all.deadline_ms == 0)
        all.deadline_ms = TEST_DEADLINE_MS;
    OK(db_open(url, &all, &db, err));
    return db;
}

static inline struct db *open_reader(const struct fixture *f)
{
    return open_with(f->url, &(struct db_options){.readonly = true});
}

static inline void exec(struct db *db, const char *sql)
{
    OK(db_exec(db, str_of(sql), err));
}

/* One statement outside a transaction. */
static inline struct db_result query(struct fixture *f, struct db *db,
                                     const struct db_stmt *stmt, const struct db_value *params)
{
    struct db_result result = {.changed = -1};

    db_send(db, stmt, params, &result);
    OK(db_flush(db, f->arena, err));
    return result;
}

static inline int64_t query_int(struct fixture *f, struct db *db, const struct db_stmt *stmt)
{
    struct db_result result = query(f, db, stmt, NULL);

    assert_int_equal(result.rows, 1);
    return db_int_at(&result, 0, 0);
}

static inline int set_up(void **state)
{
    const char *kind = getenv("BELFRY_TEST_DB"), *server = getenv("BELFRY_TEST_URL");
    struct fixture *f = calloc(1, sizeof *f);

    if (!f || !kind)
        fail_msg("set BELFRY_TEST_DB to sqlite or postgres");
    f->postgres = strcmp(kind, "postgres") == 0;
    f->arena = arena_new(ARENA_MAX);
    if (f->postgres) {
        if (!server)
            fail_msg("run this through test/db/with_postgres.sh");
        snprintf(f->url, sizeof f->url, "%s", server);
        snprintf(f->free_url, sizeof f->free_url, "%s", server);
    } else {
        snprintf(f->dir, sizeof f->dir, "/tmp/belfry-db-XXXXXX");
        if (!mkdtemp(f->dir))
            fail_msg("no directory below /tmp");
        snprintf(f->url, sizeof f->url, "sqlite:%s/test.db", f->dir);
        snprintf(f->free_url, sizeof f->free_url, "sqlite:%s/test.db?vfs=unix", f->dir);
    }
    if (f->postgres)
        OK(empty_database(f->url, err));
    f->db = open_with(f->url, NULL);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    static const char *const names[] = {"test.db",      "test.db-wal", "test.db-shm",
                                        "test.db.lock", "link.db",     "link.db.lock"};
    struct fixture *f = *state;
    char path[128];

    db_close(f->db);
    arena_free(f->arena);
    for (size_t i = 0; f->dir[0] && i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", f->dir, names[i]);
        unlink(path);
    }
    if (f->dir[0])
        rmdir(f->dir);
    free(f);
    return 0;
}

#define DB_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
