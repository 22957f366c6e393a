/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The "state" object of a schedule's native JSON: values that only the engine sets.
 *
 * Shown, never read.  The model does not know the rows of the store: the caller fills in the
 * plain fields.
 */
#pragma once

#include "base/buf.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cursor.h"

struct schedule_state {
    const struct cursor *cursor;
    struct str paused_reason;   /* empty: none */
    struct str hint_reason;     /* empty: none */
    struct str no_next;         /* why no run is planned; empty: the field is omitted */
    struct str last_run;        /* r_…; empty: none */
    const struct str *warnings; /* the field is omitted if there are none */
    int warning_count;
    struct str dialect; /* in which the schedule was written */
    instant created_at, updated_at;
    struct str created_by, updated_by;
};

/* "active", "paused" (also if disabled or quarantined) or "closed". */
const char *schedule_status(const struct cursor *cursor);

/* When the next run is planned, which can be the end of a pause; INSTANT_NEVER: not planned. */
instant schedule_next_at(const struct cursor *cursor);

/* Appends the object; out->cut is true if it did not fit. */
void schedule_state_show(const struct schedule_state *state, struct buf *out);
