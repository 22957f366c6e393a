/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said to an upstream Conductor and what its answers mean.
 *
 * Pure but for the arena: no socket, no clock.  Answers are a stranger's: whatever cannot be
 * read is no error here, it is told as unread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "io/client/webhook.h"

enum {
    FLOW_ID_MAX = 255,            /* bytes of a workflow's id; Conductor's own have 36 */
    FLOW_KEY_MAX = 64,            /* of an idempotency key: a run's id and a count     */
    FLOW_OUTPUT_MAX = 100 * 1024, /* of a workflow's output, as JSON                   */
    FLOW_PROGRESS_MAX = 6 * 600,  /* of the JSON below, each byte of an id escaped     */
    FLOW_COUNT_MAX = 1000 * 1000, /* workflows of one run: more than attempts can be   */
};

/* What a run remembers of its workflows, as its progress. */
struct flow_progress {
    struct str id;     /* of the last one; empty: none is known              */
    struct str run_id; /* of it, where the upstream has such: its first        */
    int32_t count;     /* of those that are known                            */
    bool has_ended;    /* the last one's end was told as that of an attempt  */
};

/* {"workflowId":"…","runId":"…","workflows":1,"ended":false}; any other text: empty. */
struct flow_progress flow_progress_read(struct str text, struct arena *arena);
struct str flow_progress_print(const struct flow_progress *progress, struct arena *arena);

/*
 * The key of a run's next workflow: the run's id, so that the same start twice is one
 * workflow; with a count once one has ended, so that a new attempt is a new workflow.
 */
struct str flow_key(struct str run, const struct flow_progress *progress, struct arena *arena);

struct flow_start {
    struct str name;
    int32_t version;  /* 0: the newest */
    struct str input; /* JSON of an object */
    struct str correlation_id, key;
    struct str schedule; /* told as the event "scheduler:NAME"; empty: none */
    struct str more;     /* JSON of an object: further members of the request; empty: none.  An
                        idempotency key in it takes the place of `key` */
};

/* The body of POST …/workflow. */
struct str flow_start_body(const struct flow_start *start, struct arena *arena);

/* …/workflow, …/workflow/{id}?…, …/workflow/{name}/correlated/{correlationId}?… */
struct str flow_url_start(struct str base, struct arena *arena);
struct str flow_url_get(struct str base, struct str id, struct arena *arena);
struct str flow_url_end(struct str base, struct str id, struct str reason, struct arena *arena);
struct str flow_url_find(struct str base, const struct flow_start *start, struct arena *arena);

/* The id that answers a start: plain text, a JSON string or {"workflowId"}; empty: none. */
struct str flow_id_of(struct str body, struct arena *arena);

enum flow_status {
    FLOW_UNREAD, /* the answer says nothing                                    */
    FLOW_OPEN,   /* running, paused, or a state that is not known to be an end */
    FLOW_COMPLETED,
    FLOW_FAILED,
    FLOW_TIMED_OUT,
    FLOW_TERMINATED,
    FLOW_CANCELLED, /* upstream, by whomever */
};

struct flow_seen {
    enum flow_status status;
    struct str word;   /* the status as it came          */
    struct str reason; /* why it did not complete; empty */
    struct str output; /* JSON; empty: none, or too large */
    bool is_cut;       /* there was an output, or may have been, that is too large */
};

/* The answer of GET …/workflow/{id}; `is_cut` when there was more of it. */
struct flow_seen flow_seen_of(struct str body, bool is_cut, struct arena *arena);

/* {"workflowId","runId","status","output","truncated"}: what came of it. */
struct str flow_result(const struct flow_progress *progress, const struct flow_seen *seen,
                       struct arena *arena);

/*
 * Of the workflows that answer a search, the newest that has the key of `start` or, where
 * answers have no keys, the run's id in its input, unless it is the one already known.
 */
struct str flow_found(struct str body, struct str run, const struct flow_start *start,
                      struct str known, struct arena *arena);

/* What an error's body says: its "message", else its beginning; always UTF-8 of one line. */
void flow_message(struct str body, struct buf *out);
