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

struct said {
    int status;      /* exit status, or 128 + the signal             */
    const char *out; /* standard output; on a terminal also errors   */
    const char *err;
    json_t *json; /* the parsed output; NULL: it is not JSON */
};

struct saying {
    const struct server *server; /* NULL: BELFRY_SERVER is not set             */
    const char *const *words;    /* after `belfry`, up to NULL                 */
    const char *const *env;      /* "NAME=value" up to NULL, or NULL           */
    const char *input;           /* standard input; NULL: empty                */
    int columns;                 /* 0: files; else a terminal of this width    */
};

struct said say_all(struct world *world, const struct saying *saying);

/* The same in two parts: starts the command with its output going to `out` (-1: closed); waits
   for its end and returns its status. */
pid_t say_begin(const struct world *world, const struct saying *saying, int out);
int say_end(pid_t pid);

/* Runs a command with a server; fails the test if the status differs. */
struct said say_words(struct server *server, int status, const char *const *words);

#define SAY(server, ...)             say_words(server, 0, WORDS(__VA_ARGS__))
#define REFUSED(server, status, ...) say_words(server, status, WORDS(__VA_ARGS__))

/* Both fail the test with the whole text. */
void has_text(const char *text, const char *part);
void lacks_text(const char *text, const char *part);
