/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the last 32 runs of a schedule ended, in one number: two bits for each run, the newest in
 * the lowest two.
 *
 * Pure.  The number is stored: never change the meaning of two bits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/outcome.h"

enum recent {
    RECENT_NONE = 0, /* fewer runs have ended */
    RECENT_SUCCEEDED = 1,
    RECENT_FAILED = 2, /* failed, also if it was never started upstream; timed out, unknown */
    RECENT_OTHER = 3,  /* cancelled, terminated */
};

enum { RECENT_MAX = 32 }; /* 64 bits */

/* Of the outcome of a run that has ended. */
enum recent recent_of(enum outcome outcome);

/* With a newer run; the oldest is lost. */
int64_t recent_push(int64_t recent, enum recent newest);

/* The end of a run; 0 is the newest, at most RECENT_MAX - 1. */
enum recent recent_at(int64_t recent, int n);

/* Runs that it has. */
int recent_count(int64_t recent);

/* Failed runs among the newest `last` ones. */
int recent_failures(int64_t recent, int last);

/* False for a number that recent_push() cannot return: a run that is older than no run. */
bool recent_is_sound(int64_t recent);

/* One letter for each run, newest first: s, f or o. */
void recent_format(int64_t recent, struct buf *out);
