/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The failure of a workflow of Temporal, as it is stored for the next start.  Pure except for
 * the arena.
 */
#pragma once

#include "base/arena.h"
#include "wire/temporal.pb-c.h"

enum {
    /* Packed bytes that are stored: a stack of hundreds of lines, small next to a result. */
    TEMPORAL_FAILURE_MAX = 64 << 10,
    TEMPORAL_FAILURE_TEXT_MAX = 4000, /* bytes of each text of a failure that is cut */
};

/*
 * The message, packed, in base64.  A message of more than TEMPORAL_FAILURE_MAX bytes is cut to
 * its text, source and type, and its stack trace says so.
 */
struct str temporal_failure_keep(const Temporal__Failure *failure, struct arena *arena);

/*
 * The failure from the last failure of a schedule: JSON with "failure", as above, or with
 * "message", or text.  NULL: `stored` is empty.
 */
Temporal__Failure *temporal_failure_of(struct str stored, struct arena *arena);
