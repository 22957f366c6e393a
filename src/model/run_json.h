/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run in the native JSON, and the result that its worker reported.
 *
 * The model does not know the rows of the store: an open run is core's struct run, an ended run
 * has plain fields.
 */
#pragma once

#include "core/run.h"
#include "core/run_id.h"
#include "model/fields.h"
#include "model/member.h"

enum {
    RESULT_MAX = 256 * 1024,    /* bytes of JSON that a run may return */
    RESULT_KEPT_MAX = 12 << 20, /* of a dispatch: HTTP_KEEP_BYTES_MAX, escaped as JSON */
    SUMMARY_MAX = 4096,         /* bytes: a paragraph for display */
    REFS_MAX = 16 * 1024,       /* bytes of JSON: references, model and tool statistics */
    SESSION_ID_MAX = 255,
};

/* What a worker returns.  Texts that it did not send are empty. */
struct run_result {
    struct str result, refs, llm, tools; /* JSON */
    struct str summary, session_id, thread_id;
};

/* Reads the fields of the same names of `json`; others are ignored. */
MUST_USE enum rc run_result_from_json(const json_t *json, struct arena *arena,
                                      struct run_result *ret, struct err *reterr);

/*
 * Converts to one JSON text for the store, in `arena`, and back: an object of the fields that
 * are set; the empty text if none is.  RC_CORRUPT if the text cannot have been stored by
 * Belfry.
 */
struct str run_result_keep(const struct run_result *result, struct arena *arena);
MUST_USE enum rc run_result_recall(struct str text, struct arena *arena, struct run_result *ret,
                                   struct err *reterr);
/* The result alone, for a later run; empty if there is none or it is above RESULT_MAX. */
struct str run_result_value(struct str text, struct arena *arena);

struct run_doc {
    struct run_id id;
    struct str schedule; /* its name; empty: a run without a schedule */
    enum run_kind kind;
    instant slot, due;
    enum run_state state; /* RUN_ENDED for rows of history */
    int32_t attempt;
    int64_t fence;
    struct str queue, worker;                 /* names; empty: none */
    instant lease_until;                      /* INSTANT_NEVER: no lease */
    int64_t source;                           /* enum source + 1, 0: none */
    struct str input;                         /* JSON of an object; empty: {} */
    instant created_at, started_at, ended_at; /* INSTANT_NONE: not yet */
    enum outcome outcome;
    enum reason reason;
    struct str error;    /* JSON of {code, message, retryable}, or text; empty: none */
    struct str progress; /* JSON of an object, or text; empty: none */
    struct run_result result;
    instant last_run_at; /* of its schedule, before this run; INSTANT_NONE: none */
};

/* Fills the members that an open run has; the caller adds the names. */
struct run_doc run_doc_of(const struct run *run);

/* In the order in which they are printed. */
enum run_field {
    RUN_FIELD_ID,
    RUN_FIELD_SCHEDULE,
    RUN_FIELD_KIND,
    RUN_FIELD_SLOT,
    RUN_FIELD_DUE,
    RUN_FIELD_STATE,
    RUN_FIELD_ATTEMPT,
    RUN_FIELD_FENCE,
    RUN_FIELD_QUEUE,
    RUN_FIELD_WORKER,
    RUN_FIELD_LEASE_UNTIL,
    RUN_FIELD_SOURCE,
    RUN_FIELD_INPUT,
    RUN_FIELD_CREATED_AT,
    RUN_FIELD_STARTED_AT,
    RUN_FIELD_ENDED_AT,
    RUN_FIELD_OUTCOME,
    RUN_FIELD_REASON,
    RUN_FIELD_ERROR,
    RUN_FIELD_PROGRESS,
    RUN_FIELD_RESULT,
    RUN_FIELD_SUMMARY,
    RUN_FIELD_REFS,
    RUN_FIELD_LLM,
    RUN_FIELD_TOOLS,
    RUN_FIELD_SESSION_ID,
    RUN_FIELD_THREAD_ID,
    RUN_FIELD_LAST_RUN_AT,
    RUN_FIELD_IDEMPOTENCY_KEY,
    RUN_FIELD_ATTEMPTS, /* of a run that is shown alone; the caller adds them */
    RUN_FIELDS
};

/* The fields of a run that is shown alone, and of a run in a list. */
extern const struct field_names run_fields, run_list_fields;

/* Fields that differ between the attempts of a run. */
#define RUN_FIELDS_ATTEMPT                                                                \
    (FIELD(RUN_FIELD_ATTEMPT) | FIELD(RUN_FIELD_FENCE) | FIELD(RUN_FIELD_WORKER) |        \
     FIELD(RUN_FIELD_STARTED_AT) | FIELD(RUN_FIELD_ENDED_AT) | FIELD(RUN_FIELD_OUTCOME) | \
     FIELD(RUN_FIELD_REASON) | FIELD(RUN_FIELD_ERROR))

/* Fields that need run_result_recall(). */
#define RUN_FIELDS_RESULT                                                          \
    (FIELD(RUN_FIELD_RESULT) | FIELD(RUN_FIELD_SUMMARY) | FIELD(RUN_FIELD_REFS) |  \
     FIELD(RUN_FIELD_LLM) | FIELD(RUN_FIELD_TOOLS) | FIELD(RUN_FIELD_SESSION_ID) | \
     FIELD(RUN_FIELD_THREAD_ID))

/*
 * The caller owns the result.  The idempotency key is the run's id, which is stable over
 * attempts.
 */
json_t *run_to_json(const struct run_doc *doc, field_set fields);
