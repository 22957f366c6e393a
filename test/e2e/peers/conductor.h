/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for an upstream Conductor: an HTTP/1.1 server of plain sockets, one thread for
 * each connection, that records the bytes it gets.  The last segment of the path says how it
 * answers:
 *
 * poll: never, and the poll is noted when its client leaves; hold: reads nothing of the body
 * until conductor_release(); big: CONDUCTOR_BIG bytes; chunks: "one" and "two" as chunks;
 * close: a body that the end of the connection ends; none: 204; cut: closes without an answer;
 * half: a body that is shorter than announced; garbage: not HTTP; both: two framings; early:
 * 413 before the body is read; interim: 103 first; large: a head that is too long.
 * Others: a document with the length of the request's body.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CONDUCTOR_SEEN_MAX = 4 << 20, /* bytes that are kept */
    CONDUCTOR_BIG = 12 << 20,
    CONDUCTOR_CONNS_MAX = 64,
};

struct conductor {
    int fd;
    uint16_t port;
    pthread_t thread;
    pthread_t threads[CONDUCTOR_CONNS_MAX];
    int fds[CONDUCTOR_CONNS_MAX];
    int conns;
    pthread_mutex_t mutex; /* for what follows */
    pthread_cond_t released;
    bool is_released;
    char *seen; /* heads, and bodies as far as they fit */
    size_t seen_len;
    int requests, polls, gone, holds;
    size_t written; /* bytes of the last big answer */
};

void conductor_open(struct conductor *conductor);
void conductor_close(struct conductor *conductor);
void conductor_release(struct conductor *conductor);

int conductor_requests(struct conductor *conductor);
int conductor_polls(struct conductor *conductor); /* that wait */
int conductor_gone(struct conductor *conductor);  /* polls and big answers without a client */
int conductor_holds(struct conductor *conductor); /* that wait to be released */
int conductor_conns(struct conductor *conductor); /* all connections so far */
size_t conductor_written(struct conductor *conductor);

/* Whether the text was in any request so far. */
bool conductor_has_seen(struct conductor *conductor, const char *text);
