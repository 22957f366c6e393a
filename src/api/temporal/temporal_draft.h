/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Schedule of Temporal as a draft for the engine, and the parts of it that are stored.
 *
 * The document has everything that the engine needs.  The document's "extra" keeps what
 * clients read back and the document cannot express: the canonical schedule without action and
 * state, the memo and the search attributes, each a packed message in base64.
 */
#pragma once

#include "api/call/call.h"
#include "model/temporal_codec.h"
#include "store/schedules.h"

#define TEMPORAL_CATCHUP     (365 * SPAN_DAY) /* default */
#define TEMPORAL_CATCHUP_MIN (10 * SPAN_S)

enum {
    TEMPORAL_REQUEST_MAX = 1000, /* bytes of a request id, as in Temporal */
    TEMPORAL_NOTE_MAX = 1000,    /* bytes of the note of a pause         */
};

/* Sets Temporal's error for an id; `len` counts what Temporal adds to it. */
void temporal_id_too_long(size_t len, struct err *reterr);

struct temporal_stored {
    Temporal__Schedule *schedule;               /* NULL: empty */
    Temporal__Fields *memo, *search_attributes; /* NULL: none  */
};

/*
 * *ret is in the call's arena or in the message.  An error that Temporal's server reports too
 * has the same text.
 */
MUST_USE enum rc temporal_draft(struct call *call, struct str id,
                                const struct temporal_stored *wanted, struct draft **ret,
                                struct err *reterr);

/*
 * Reads what is stored of a schedule, with the input of its workflow.  If another API has
 * changed the spec, the result has that spec, as far as Temporal can express it.  RC_CORRUPT
 * if the stored document is damaged.
 */
MUST_USE enum rc temporal_stored_read(const struct schedule_row *row, struct arena *arena,
                                      struct temporal_stored *ret, struct err *reterr);

/*
 * The same for lists, without the input of the workflow, which may be large.  A damaged
 * schedule is empty.
 */
struct temporal_stored temporal_stored_brief(const struct schedule_row *row,
                                             struct arena *arena);
/* Reads only the search attributes; NULL: none. */
Temporal__Fields *temporal_stored_attributes(const struct schedule_row *row,
                                             struct arena *arena);

/* The fingerprint of a stored spec: it shows whether another API has changed the spec. */
struct str temporal_spec_fingerprint(struct str stored, struct arena *arena);
