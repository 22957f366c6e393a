/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of Server-Sent Events that keeps all events.
 */
#pragma once

#include "request.h"

enum { HEARD_MAX = 65536 };

struct heard {
    char *id, *name;
    json_t *data;
};

struct listener {
    struct server *server;
    int fd;
    int status;   /* 0: no head yet       */
    bool is_over; /* the stream has ended */
    char *text;   /* the unread part of the head, then of the events */
    size_t len, cap;
    struct heard heard[HEARD_MAX];
    int count;
};

/* GET `path`; `last` is the id to resume after, or NULL. */
struct listener *listen_to(struct server *server, const char *path, const char *last);

/* Reads what has arrived; with `waits` waits for it.  False: nothing was read. */
bool listen_on(struct listener *l, bool waits);

/* Waits until `count` events were received. */
void listen_until(struct listener *l, int count);
/* Waits for the end of the stream. */
void listen_to_end(struct listener *l);

/* The id of the last event that has one, or NULL. */
const char *listen_last(const struct listener *l);

/* Closes; accepts NULL. */
void listen_close(struct listener *l);
