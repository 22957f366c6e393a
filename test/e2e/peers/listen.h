/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of Server-Sent Events that keeps all events.
 */
#pragma once

#include "request.h"

enum { LISTEN_EVENTS_MAX = 65536 };

struct sse_event {
    char *id, *name;
    json_t *data;
};

struct listener {
    struct server *server;
    int fd;
    int status;   /* 0: no head yet       */
    bool is_over; /* the stream has ended */
    char *text;   /* what has arrived and is not parsed yet */
    size_t len, cap;
    struct sse_event events[LISTEN_EVENTS_MAX];
    int count;
};

/* GET `path`; `last` is the id to resume after, or NULL. */
struct listener *listen_open(struct server *server, const char *path, const char *last);

/* Reads what has arrived; with `waits`, waits for something.  False: nothing was read. */
bool listen_read(struct listener *l, bool waits);

/* Waits until `count` events were received. */
void listen_await(struct listener *l, int count);
/* Waits for the end of the stream. */
void listen_await_end(struct listener *l);

/* The id of the last event that has one, or NULL. */
const char *listen_last_id(const struct listener *l);

/* Closes; accepts NULL. */
void listen_close(struct listener *l);
