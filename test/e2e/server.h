/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A `belfry serve` of a test: started, waited for by what it logs, and ended by its id.
 */
#pragma once

#include "world.h"

struct server {
    struct world *world;
    pid_t pid;  /* 0: it has ended        */
    int status; /* then: its exit status, or 128 + the signal that ended it */
    int log_fd;
    char *log; /* all that it has said so far, terminated */
    size_t log_len, log_cap, log_seen;
    uint16_t port;
};

struct server_start {
    const char *const *args; /* after `belfry serve`, up to NULL                           */
    const char *const *env;  /* "NAME=value" up to NULL; beside them only HOME and PATH    */
    const char *const *via;  /* a program that runs it, and its arguments, up to NULL      */
    bool is_bare;            /* only `args`: no --db, --listen, --grpc                     */
    uint16_t port;           /* 0: any                                                     */
};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Started; nothing is known of it yet. */
struct server *server_spawn(struct world *world, const struct server_start *start);

/* Started, and /readyz has answered 200.  NULL: as it comes. */
struct server *server_start(struct world *world, const struct server_start *start);

/* The same arguments and port on what a former one left. */
struct server *server_again(struct server *former, const struct server_start *start);

/* Where it listens, as its log says. */
uint16_t server_port(struct server *server);

/*
 * The next line, after those that were asked for before, that has all of `part`; terminated
 * by the end of the log, not of the line.
 */
const char *server_await(struct server *server, const char *part);

/* Whether a line with `part` has been logged so far. */
bool server_has_logged(struct server *server, const char *part);

void server_signal(const struct server *server, int signal);

/* Until it ends by itself: its status. */
int server_wait(struct server *server);

/* SIGTERM, and as above. */
int server_stop(struct server *server);

/* kill -9. */
void server_kill(struct server *server);

/* Ends it if it has not ended; accepts NULL. */
void server_free(struct server *server);
