/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs commands of the command line with a server of the test.
 *
 * Their environment is HOME (the world's directory), PATH, TZ=UTC, BELFRY_SERVER and what the
 * test adds; their output is kept until the end of the test.
 */
#pragma once

#include "server.h"

enum { COMMAND_OUT_MAX = 1 << 20 };

struct command_result {
    int status;      /* exit status, or 128 + the signal             */
    const char *out; /* standard output; on a terminal also errors   */
    const char *err;
    json_t *json; /* the parsed output; NULL: it is not JSON */
};

struct command {
    const struct server *server; /* NULL: BELFRY_SERVER is not set             */
    const char *const *words;    /* after `belfry`, up to NULL                 */
    const char *const *env;      /* "NAME=value" up to NULL, or NULL           */
    const char *input;           /* standard input; NULL: empty                */
    int columns;                 /* 0: files; else a terminal of this width    */
};

struct command_result command_run(struct world *world, const struct command *command);

/* The same in two parts: starts the command with its output going to `out` (-1: closed), then
   waits for its end and returns its status. */
pid_t command_begin(const struct world *world, const struct command *command, int out);
int command_end(pid_t pid);

/* Runs a command with a server; fails the test if it ends with another status. */
struct command_result command_expect(struct server *server, int status,
                                     const char *const *words);

#define BELFRY(server, ...)          command_expect(server, 0, WORDS(__VA_ARGS__))
#define REFUSED(server, status, ...) command_expect(server, status, WORDS(__VA_ARGS__))

/* Both print the whole text on failure. */
void assert_has(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);
