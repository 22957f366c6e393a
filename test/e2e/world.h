/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of one end-to-end test: a directory, a database, servers, and answers.
 *
 * The environment variable BELFRY names the program.  BELFRY_TEST_DB selects the database:
 * SQLite in the directory, or a database of the PostgreSQL that with_postgres.sh started.
 * Everything that a test starts ends with it.  BELFRY_E2E_LOGS=1 prints the servers' logs.
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
    WORLD_SERVERS_MAX = 16,
    WORLD_ANSWERS_MAX = 8192,
    WORLD_PATH_MAX = 256,
    PATIENCE_MS = 60000, /* for an expected event; a test that waits longer fails */
    PAUSE_MS = 10,       /* between two checks for it                              */
    TRIES = PATIENCE_MS / PAUSE_MS,
};

struct server;

struct world {
    bool is_postgres;
    char dir[64];
    char url[WORLD_PATH_MAX]; /* of the database */
    char program[WORLD_PATH_MAX];
    struct server *servers[WORLD_SERVERS_MAX];
    int server_count;
    json_t *answers[WORLD_ANSWERS_MAX];
    int answer_count;
};

int world_set_up(void **state);
int world_tear_down(void **state);

#define E2E_TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

/* Keeps a value until the end of the test; accepts NULL. */
json_t *world_keep(struct world *world, json_t *json);

/* "DIR/name", valid for four calls. */
const char *world_path(const struct world *world, const char *name);

/* Writes a file in the directory; returns its path as world_path() does. */
const char *world_write(const struct world *world, const char *name, const char *text);

/* The number in the first column of the only row of a query. */
int64_t world_number(const struct world *world, const char *sql);

/* The number of stored events of this type (core/event.h). */
int world_events(const struct world *world, const char *name);

/* Opens a socket like systemd's for the notifications of a server. */
int world_notify_open(const struct world *world);
/* "NOTIFY_SOCKET=..." for the server's environment, valid until the next call. */
const char *world_notify_env(const struct world *world);
/* The next message must be `words`; skips WATCHDOG=1 before it. */
void world_notify_await(int fd, const char *words);
/* Drops the messages that have arrived. */
void world_notify_drop(int fd);

/* Sleeps between two attempts. */
void world_pause(void);

/* Waits until the expression holds, or fails the test. */
#define UNTIL(expression)                                       \
    do {                                                        \
        int until_tries = 0;                                    \
        while (!(expression)) {                                 \
            if (++until_tries == TRIES)                         \
                fail_msg("never became true: %s", #expression); \
            world_pause();                                      \
        }                                                       \
    } while (0)
