/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A `belfry serve` of a test: started, waited for by what it logs, and ended by its id.
 */
#pragma once

#include "world.h"

struct daemon {
    struct world *world;
    pid_t pid;  /* 0: it has ended        */
    int status; /* then: its exit status, or 128 + the signal that ended it */
    int log_fd;
    char *log; /* all that it has said so far, terminated */
    size_t log_len, log_cap, log_seen;
    uint16_t port;
};

struct daemon_start {
    const char *const *args; /* after `belfry serve`, up to NULL                           */
    const char *const *env;  /* "NAME=value" up to NULL; beside them only HOME and PATH    */
    const char *const *via;  /* a program that runs it, and its arguments, up to NULL      */
    bool is_bare;            /* only `args`: no --db, --listen, --grpc                     */
    uint16_t port;           /* 0: any                                                     */
};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Started; nothing is known of it yet. */
struct daemon *daemon_spawn(struct world *world, const struct daemon_start *start);

/* Started, and /readyz has answered 200.  NULL: as it comes. */
struct daemon *daemon_start(struct world *world, const struct daemon_start *start);

/* The same arguments and port on what a former one left. */
struct daemon *daemon_again(struct daemon *former, const struct daemon_start *start);

/* Where it listens, as its log says. */
uint16_t daemon_port(struct daemon *daemon);

/*
 * The next line, after those that were asked for before, that has all of `part`; terminated
 * by the end of the log, not of the line.
 */
const char *daemon_await(struct daemon *daemon, const char *part);

/* Whether a line with `part` has been logged so far. */
bool daemon_has_logged(struct daemon *daemon, const char *part);

void daemon_signal(const struct daemon *daemon, int signal);

/* Until it ends by itself: its status. */
int daemon_wait(struct daemon *daemon);

/* SIGTERM, and as above. */
int daemon_stop(struct daemon *daemon);

/* kill -9. */
void daemon_kill(struct daemon *daemon);

/* Ends it if it has not ended; accepts NULL. */
void daemon_free(struct daemon *daemon);
