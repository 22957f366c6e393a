/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for an upstream Temporal on its own thread: it records the bytes that it gets, and
 * the name of the method says how it answers.
 *
 * Poll…: never; the poll is noted when its client leaves.  Signal…: an error without a body.
 * Terminate…: the stream is reset.  ListSearchAttributes: Team is a keyword.  Other List…:
 * UPSTREAM_BIG bytes, as fast as they are read.  DescribeNamespace: the id, UPSTREAM_ID and the
 * name; the namespace "absent" does not exist.  Others: one message, and trailers.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "io/loop.h"
#include "io/net/listener.h"

enum {
    UPSTREAM_SEEN_MAX = 16 * 1024 * 1024, /* bytes of all requests */
    UPSTREAM_BIG = 12 << 20,
    UPSTREAM_BODY_MAX = 8 << 20,
};

#define UPSTREAM_ID "id-of-"

struct upstream {
    struct loop *loop;
    struct listener *listener;
    uint16_t port;
    pthread_t thread;
    pthread_mutex_t mutex; /* for what follows */
    char *seen;            /* "POST /path\nname: value\n…\nBODY\n" of each request */
    size_t seen_len;
    int requests, polls, gone;
    int written; /* bytes of the big answer */
    int holds_lists;
};

void upstream_open(struct upstream *upstream);
void upstream_close(struct upstream *upstream);

/* From now on, ListSearchAttributes is not answered and counts as a poll. */
void upstream_hold_lists(struct upstream *upstream);

int upstream_requests(struct upstream *upstream);
int upstream_polls(struct upstream *upstream); /* that wait */
int upstream_gone(struct upstream *upstream);  /* polls whose client has left */

int upstream_written(struct upstream *upstream); /* bytes of the last big answer */

/* Whether the text was in any request so far. */
bool upstream_has_seen(struct upstream *upstream, const char *text);
