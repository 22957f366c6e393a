/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A `belfry serve` process of a test: starts it, waits for its log messages, and ends it.
 */
#pragma once

#include "world.h"

struct server {
    struct world *world;
    pid_t pid;  /* 0: it has ended */
    int status; /* after its end: the exit status, or 128 + the signal that ended it */
    int log_fd;
    int port_fd; /* keeps the port from other programs while no server runs; -1: none */
    char *log;   /* all that it has logged so far, zero-terminated */
    size_t log_len, log_cap, log_seen;
    uint16_t port;
};

struct server_start {
    const char *const *args; /* after `belfry serve`, up to NULL                           */
    const char *const *env;  /* "NAME=value" up to NULL, in addition to HOME and PATH      */
    const char *const *via;  /* a program that runs it, and its arguments, up to NULL      */
    bool is_bare;            /* only `args`: no --db, --listen, --grpc                     */
    uint16_t port;           /* 0: any                                                     */
};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Starts a server without waiting for it. */
struct server *server_spawn(struct world *world, const struct server_start *start);

/* Starts a server and waits until /readyz answers 200.  `start` NULL: the defaults. */
struct server *server_start(struct world *world, const struct server_start *start);

/* Starts a server with the port and the database of a server that has ended. */
struct server *server_restart(struct server *former, const struct server_start *start);

/* The port that it listens on, from its log. */
uint16_t server_port(struct server *server);

/*
 * Waits for the next log line that contains `part`, after the lines of earlier calls.  The
 * result ends at the end of the log, not of the line.
 */
const char *server_await(struct server *server, const char *part);

/* True if a line with `part` has been logged so far. */
bool server_has_logged(struct server *server, const char *part);

void server_signal(const struct server *server, int signal);

/* Waits until it ends by itself; returns its status. */
int server_wait(struct server *server);

/* Sends SIGTERM and waits for its end; returns its status. */
int server_stop(struct server *server);

/* Sends SIGKILL and waits for its end. */
void server_kill(struct server *server);

/* Ends it if it has not ended; accepts NULL. */
void server_free(struct server *server);
