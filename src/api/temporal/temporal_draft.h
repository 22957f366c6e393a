/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Schedule of Temporal as a command of the engine, and what is kept of it as it was.
 *
 * The native document has all that the engine needs.  What clients read back and the document
 * has no place for is kept in its "extra": the canonical schedule without action and state; the
 * memo; the search attributes; each a packed message in base64.
 */
#pragma once

#include "api/call/call.h"
#include "api/temporal/temporal_codec.h"
#include "store/schedules.h"

#define TEMPORAL_CATCHUP     (365 * SPAN_DAY) /* of a schedule that says nothing */
#define TEMPORAL_CATCHUP_MIN (10 * SPAN_S)

enum {
    TEMPORAL_REQUEST_MAX = 1000, /* bytes of a request's id, as Temporal has it */
    TEMPORAL_NOTE_MAX = 1000,    /* bytes of the words with a pause             */
};

struct temporal_stored {
    Temporal__Schedule *schedule;               /* NULL: empty */
    Temporal__Fields *memo, *search_attributes; /* NULL: none  */
};

/*
 * Name and draft of *command, all of it in the call's arena.  Errors have the words that
 * Temporal's own server has where clients or people know these.
 */
MUST_USE enum rc temporal_draft(struct call *call, struct str id,
                                const struct temporal_stored *wanted, struct command *command,
                                struct err *reterr);

/*
 * What was kept of a schedule, its input with it.  Where somebody has changed the spec
 * by another API it is that spec, as far as Temporal has words for it.  RC_CORRUPT.
 */
MUST_USE enum rc temporal_recall(const struct schedule_row *row, struct arena *arena,
                                 struct temporal_stored *ret, struct err *reterr);

/* Likewise without what its workflow is given: lists do not tell it, and it may be large. */
MUST_USE enum rc temporal_recall_brief(const struct schedule_row *row, struct arena *arena,
                                       struct temporal_stored *ret, struct err *reterr);
/* Its search attributes alone; NULL: none. */
Temporal__Fields *temporal_recall_attributes(const struct schedule_row *row,
                                             struct arena *arena);

/* The print of a spec as it is kept, which tells whether it was changed since. */
struct str temporal_spec_fingerprint(struct str kept, struct arena *arena);
