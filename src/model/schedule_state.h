/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The "state" object of a schedule's native JSON: what only the engine knows.
 *
 * Shown, never read.  The store's rows are not known here: whoever has them fills in the
 * plain fields.
 */
#pragma once

#include "base/buf.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cursor.h"

struct schedule_state {
    const struct cursor *cursor;
    struct str paused_reason; /* empty: none              */
    struct str hint_reason;   /* likewise                 */
    struct str last_run;      /* r_…; empty: none         */
    struct str warning;       /* empty: none, and no word of it */
    struct str dialect;       /* in which it was written  */
    instant created_at, updated_at;
    struct str created_by, updated_by;
};

/* "active", "paused" (also: not enabled, quarantined) or "closed". */
const char *schedule_status(const struct cursor *cursor);

/* Appends the object; out->cut tells when it did not fit. */
void schedule_state_show(const struct schedule_state *state, struct buf *out);
