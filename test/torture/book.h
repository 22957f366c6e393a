/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parsed journal: what the actors observed, sorted by kind.
 *
 * Texts point into the journal or the arena.
 */
#pragma once

#include "base/arena.h"
#include "core/outcome.h"
#include "core/run_id.h"
#include "engine/turn.h"

/* A received run: a call at the receiver, or a grant to a worker. */
struct delivery {
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
struct worker_report {
    instant at;
    struct run_id run;
    int64_t fence;
    enum report_kind kind;
    enum outcome outcome;
    enum rc rc; /* RC_OK, RC_CONFLICT, or RC_UNKNOWN: the answer was lost */
};

enum op_kind {
    OP_CREATE,
    OP_PUT,
    OP_PAUSE,
    OP_RESUME,
    OP_TRIGGER,
    OP_DELETE,
    OP_CANCEL, /* the body is the run */
    OP_TERMINATE,
    OP_KINDS,
};

enum op_end {
    OP_OK,
    OP_FAIL, /* it was rejected: it must have no effect */
    OP_INFO, /* unknown: it has its full effect or none */
};

/* A request of an operator. */
struct op {
    int64_t number;
    instant asked, answered; /* answered: INSTANT_NEVER until then */
    enum op_kind kind;
    enum op_end end;
    struct str schedule, body;
    int64_t version;   /* as answered, 0: none */
    struct run_id run; /* as answered */
    bool has_run;
};

struct book {
    struct delivery *deliveries;
    struct worker_report *reports;
    struct op *ops; /* in the order of the requests */
    int delivery_count, report_count, op_count;
    instant begin, end; /* of the journal */
};

extern const char *const op_names[OP_KINDS];
extern const char *const op_ends[];

/* RC_CORRUPT: a line that no actor writes; the text names it. */
MUST_USE enum rc book_read(struct str text, struct arena *arena, struct book *ret,
                           struct err *reterr);
