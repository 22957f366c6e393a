/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands for people, run against a daemon of the test.
 *
 * Their environment is HOME (the world's directory), PATH, TZ=UTC, BELFRY_SERVER and what the
 * test adds; what they print is kept as long as the test.
 */
#pragma once

#include "server.h"

enum { COMMAND_OUT_MAX = 1 << 20 };

struct said {
    int status;      /* of exit; 128 and the signal          */
    const char *out; /* standard output, on a terminal both  */
    const char *err;
    json_t *json; /* of the output; NULL: it is none */
};

struct saying {
    const struct server *server; /* NULL: no server is named                   */
    const char *const *words;    /* behind `belfry`, up to NULL                */
    const char *const *env;      /* "NAME=value" up to NULL, or NULL           */
    const char *input;           /* standard input; NULL: empty                */
    int columns;                 /* 0: files; else a terminal of this width    */
};

struct said say_all(struct world *world, const struct saying *saying);

/* The same in two parts: begun, with its output going to `out`, -1: it is closed; ended, with
   its status. */
pid_t say_begin(const struct world *world, const struct saying *saying, int out);
int say_end(pid_t pid);

/* Against a daemon; the status must be this. */
struct said say_words(struct server *server, int status, const char *const *words);

#define SAY(server, ...)             say_words(server, 0, WORDS(__VA_ARGS__))
#define REFUSED(server, status, ...) say_words(server, status, WORDS(__VA_ARGS__))

/* Both print what was said when it is not so. */
void has_text(const char *text, const char *part);
void lacks_text(const char *text, const char *part);
