/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests to an upstream Conductor and the meaning of its answers.
 *
 * Pure except for the arena: no socket, no clock.  Answers are not trusted: one that cannot be
 * read is not an error here, but has the status FLOW_UNREAD.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "io/client/webhook.h"
#include "wire/json/json.h"

enum {
    FLOW_ID_MAX = 1000,           /* bytes of a workflow id; Conductor's own have 36    */
    FLOW_KEY_MAX = 64,            /* bytes of an idempotency key: a run id and a count  */
    FLOW_OUTPUT_MAX = 100 * 1024, /* bytes of a workflow's output, as JSON              */
    FLOW_COUNT_MAX = 1000 * 1000, /* workflows per run: more than attempts are possible */
};

/* What a run stores about its workflows, as its progress.  docs/decisions/0052. */
struct flow_progress {
    struct str id;     /* of the last one; empty: none                                  */
    struct str run_id; /* its first run id, if the upstream has those                   */
    struct str first;  /* the first workflow of the run, if there were several          */
    int32_t count;     /* workflows so far                                              */
    bool has_ended;    /* the end of the last one was reported as the end of an attempt */
    int32_t clean;     /* the last attempt that left no start unanswered; 0: none       */
};

/*
 * {"workflowId":"…","runId":"…","workflows":1,"ended":false,"clean":1}; any other text gives an
 * empty struct.
 */
struct flow_progress flow_progress_read(struct str text, struct arena *arena);
struct str flow_progress_print(const struct flow_progress *progress, struct arena *arena);

/*
 * Returns the key for the next workflow of a run: the run id, so that the same start twice
 * gives one workflow; with a count after one has ended, so that a new attempt gives a new
 * workflow.
 */
struct str flow_key(struct str run, const struct flow_progress *progress, struct arena *arena);

struct conductor_start {
    struct str name;
    int32_t version;  /* 0: the newest */
    struct str input; /* a JSON object */
    struct str correlation_id, key;
    struct str schedule; /* sent as event "scheduler:NAME"; empty: none */
    /* A JSON object with further members; empty: none.  Its idempotency key replaces `key`. */
    struct str more;
};

/* The body of POST …/workflow. */
struct str conductor_start_body(const struct conductor_start *start, struct arena *arena);

/* …/workflow, …/workflow/{id}?…, …/workflow/{name}/correlated/{correlationId}?… */
struct str conductor_url_start(struct str base, struct arena *arena);
struct str conductor_url_get(struct str base, struct str id, struct arena *arena);
struct str conductor_url_end(struct str base, struct str id, struct str reason,
                             struct arena *arena);
struct str conductor_url_find(struct str base, const struct conductor_start *start,
                              struct arena *arena);
/* …/workflow/search?…, newest first */
struct str conductor_url_search(struct str base, struct str query, int32_t from, int32_t count,
                                struct arena *arena);

/* …/workflow/running/{name}: the ids of all workflows with this name that run */
struct str conductor_url_running(struct str base, struct str name, struct arena *arena);

/*
 * Reads the next id from the rest of such a list, a JSON array of texts; begin with all of it.
 * False: there is none, or the list is invalid; it is complete if *rest is then empty.
 */
bool conductor_next_running(struct str *rest, struct str *ret_id);

/*
 * Returns the id from the answer to a start: plain text, a JSON string or {"workflowId"};
 * empty: none.
 */
struct str conductor_id_of(struct str body, struct arena *arena);

enum flow_status {
    FLOW_UNREAD, /* the answer cannot be read            */
    FLOW_OPEN,   /* running, paused, or an unknown state */
    FLOW_COMPLETED,
    FLOW_FAILED,
    FLOW_TIMED_OUT,
    FLOW_TERMINATED,
    FLOW_CANCELLED, /* by anyone, in the upstream */
};

struct flow_seen {
    enum flow_status status;
    struct str word;   /* the status text of the upstream       */
    struct str reason; /* why it did not complete; may be empty */
    struct str output; /* JSON; empty: none, or too large       */
    bool is_cut;       /* the output is, or may be, too large   */
    /* Of an upstream Temporal: its message, see model/temporal_failure.h; may be empty. */
    struct str failure;
};

/* Reads the answer of GET …/workflow/{id}; `is_cut` if it was longer. */
struct flow_seen conductor_seen_of(struct str body, bool is_cut, struct arena *arena);

/* {"workflowId","runId","firstWorkflowId","status","output","truncated"}: the run's result. */
struct str flow_result(const struct flow_progress *progress, const struct flow_seen *seen,
                       struct arena *arena);

/* The newest workflow of a run in a list; the id is empty if there is none. */
struct conductor_hit {
    struct str id;
    bool has_gap; /* a workflow of the list does not show its input: it may be the one */
};

/*
 * Searches an array of workflows, or of summaries with the input as text, for the key of
 * `start` or, if they have no keys, for the run id in the input.
 */
struct conductor_hit conductor_found(const json_t *list, struct str run,
                                     const struct conductor_start *start, struct arena *arena);

/*
 * Prints the "message" of an error body, or the beginning of the body; always one line of
 * UTF-8.
 */
void conductor_message(struct str body, struct buf *out);
