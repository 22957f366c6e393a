/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one test of the running program has: a directory, a database, daemons, and answers.
 *
 * The program is BELFRY; the database is SQLite in the directory or one of its own in the
 * PostgreSQL that with_postgres.sh started, as BELFRY_TEST_DB says.  All that a test started
 * is ended with it.  BELFRY_E2E_LOGS=1 shows what the daemons logged.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/err.h"

enum {
    WORLD_DAEMONS_MAX = 16,
    WORLD_ANSWERS_MAX = 8192,
    WORLD_PATH_MAX = 256,
    PATIENCE_MS = 30000, /* for an event that must come; a test that waits so long has failed */
    PAUSE_MS = 10, /* between two questions whether it has                               */
    TRIES = PATIENCE_MS / PAUSE_MS,
};

struct server;

struct world {
    bool is_postgres;
    char dir[64];
    char url[WORLD_PATH_MAX]; /* of the database */
    char program[WORLD_PATH_MAX];
    struct server *daemons[WORLD_DAEMONS_MAX];
    int server_count;
    json_t *answers[WORLD_ANSWERS_MAX];
    int answer_count;
};

int world_set_up(void **state);
int world_tear_down(void **state);

#define E2E_TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

/* Lives as long as the test; may be NULL. */
json_t *world_keep(struct world *world, json_t *json);

/* "DIR/name", until the next call but three. */
const char *world_path(const struct world *world, const char *name);

/* A file in the directory; returns its path as world_path(). */
const char *world_write(const struct world *world, const char *name, const char *text);

/* The first column of the only row, as a number, of what the database holds now. */
int64_t world_number(const struct world *world, const char *sql);

/* How often an event of this name (core/event.h) stands in the journal. */
int world_events(const struct world *world, const char *name);

/* A socket such as systemd's: what to say to the daemon, and what it must say next. */
int world_notify_open(const struct world *world);
const char *world_notify_env(const struct world *world); /* until the next call */
void world_notify_await(int fd, const char *words);

/* Between two tries. */
void world_pause(void);

/* Waits until the expression holds; fails the test when it never does. */
#define UNTIL(expression)                                         \
    do {                                                          \
        int until_tries = 0;                                      \
        while (!(expression)) {                                   \
            if (++until_tries == TRIES)                           \
                fail_msg("it never came to be: %s", #expression); \
            world_pause();                                        \
        }                                                         \
    } while (0)
