/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The "state" object of a schedule's native JSON: values that only the engine sets.
 *
 * Shown, never read.  The rows of the store are unknown here: the caller fills in the plain
 * fields.
 */
#pragma once

#include "base/buf.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cursor.h"

struct schedule_state {
    const struct cursor *cursor;
    struct str paused_reason; /* empty: none */
    struct str hint_reason;   /* empty: none */
    struct str last_run;      /* r_…; empty: none */
    struct str warning;       /* empty: none; the field is then omitted */
    struct str dialect;       /* in which the schedule was written */
    instant created_at, updated_at;
    struct str created_by, updated_by;
};

/* "active", "paused" (also: disabled, quarantined) or "closed". */
const char *schedule_status(const struct cursor *cursor);

/* Appends the object; out->cut is true if it did not fit. */
void schedule_state_show(const struct schedule_state *state, struct buf *out);
