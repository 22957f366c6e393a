/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parsed journal: observations, sorted by kind.  Nothing is decided here.
 *
 * Texts point into the journal or the arena.
 */
#pragma once

#include "base/arena.h"
#include "core/outcome.h"
#include "core/run_id.h"
#include "engine/turn.h"

/* A received run: a call at the receiver, or a grant to a worker. */
struct sighting {
    instant at;
    bool is_grant;
    struct run_id run;
    char id[RUN_ID_TEXT_MAX];
    int32_t attempt;
    int64_t fence;
    struct str key;  /* of idempotency; calls only */
    int64_t slot_ms; /* the scheduled time in the call; calls only */
    bool was_cut;    /* the connection was cut before an answer; calls only */
    bool is_repeat;  /* the same call again, after it was cut, on another connection */
};

/* A report of a worker. */
struct saying {
    instant at;
    struct run_id run;
    int64_t fence;
    enum report_kind kind;
    enum outcome outcome;
    enum rc rc; /* RC_OK, RC_CONFLICT, or RC_UNKNOWN: the answer was lost */
};

enum wish_kind {
    WISH_CREATE,
    WISH_PUT,
    WISH_PAUSE,
    WISH_RESUME,
    WISH_TRIGGER,
    WISH_DELETE,
    WISH_CANCEL, /* the body is the run */
    WISH_TERMINATE,
    WISH_KINDS,
};

enum wish_end {
    WISH_OK,
    WISH_FAIL, /* it was rejected: it must have no effect */
    WISH_INFO, /* unknown: it has its full effect or none */
};

/* A request of an operator. */
struct wish {
    int64_t number;
    instant asked, told; /* told: INSTANT_NEVER until answered */
    enum wish_kind kind;
    enum wish_end end;
    struct str schedule, body;
    int64_t version;   /* as answered, 0: none */
    struct run_id run; /* as answered */
    bool has_run;
};

struct book {
    struct sighting *sightings;
    struct saying *sayings;
    struct wish *wishes; /* in the order of the requests */
    int sighting_count, saying_count, wish_count;
    instant begin, end; /* of the journal */
};

extern const char *const wish_names[WISH_KINDS];
extern const char *const wish_ends[];

/* RC_CORRUPT: a line that no actor writes; the text names it. */
MUST_USE enum rc book_read(struct str text, struct arena *arena, struct book *ret,
                           struct err *reterr);
