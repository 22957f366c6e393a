/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of time that is divided into buckets.
 *
 * Buckets are at whole multiples of their width since 1970, so that they stay the same while
 * the window moves; the first and the last one may extend beyond the window.
 */
#pragma once

#include "api/call/answer.h"
#include "api/call/request.h"

enum {
    TIMELINE_DAYS_MAX = 62,
    TIMELINE_BUCKETS_MAX = 1000, /* of one window */
};

struct timeline_window {
    instant from, to; /* to: exclusive */
    instant origin;   /* of the first bucket */
    span step;
    int buckets;
};

/* Reads from, to and step; 24 hours around `now` by default. */
MUST_USE enum rc timeline_window_read(const struct call *call, struct timeline_window *ret,
                                      struct err *reterr);

/* The bucket of a time inside the window. */
int timeline_window_bucket(const struct timeline_window *window, instant at);
bool timeline_window_has(const struct timeline_window *window, instant at);
instant timeline_window_start(const struct timeline_window *window, int bucket);

/* Members from, to, now and step. */
void timeline_window_print(const struct timeline_window *window, instant now,
                           struct answer *out);
