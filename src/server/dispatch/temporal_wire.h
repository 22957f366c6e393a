/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests to an upstream Temporal and the meaning of its answers: gRPC frames with
 * messages of proto/temporal.proto.
 *
 * Pure except for the arena: no socket, no clock.  Answers are not trusted: one that cannot be
 * read has the status FLOW_UNREAD.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/run.h"
#include "io/client/webhook.h"
#include "model/action.h"
#include "server/dispatch/conductor_wire.h"
#include "wire/grpc/grpc.h"

enum {
    TEMPORAL_RUN_MAX = 255,    /* bytes of a run id; Temporal's have 36 */
    TEMPORAL_TOKEN_MAX = 2048, /* of a page token; most have about 100 bytes */
    TEMPORAL_PAGE = 500,       /* runs per page of a list; Temporal returns up to 1,000 */
};

/* A workflow of the upstream, and the identity of the caller. */
struct temporal_who {
    struct str namespace, workflow_id;
    struct str run_id;   /* empty: the current or last run */
    struct str identity; /* unique to this run's workflow  */
};

struct temporal_start {
    struct temporal_who who; /* without run_id */
    struct str request_id;
    struct str schedule;         /* empty: none               */
    const struct action *action; /* with the input of the run */
    const struct run *run;
    struct str input;        /* the only argument, as JSON, if the action has no payloads */
    bool is_again;           /* an earlier workflow of this run has ended: reuse the id   */
    struct str last_result;  /* flow_result() of the last completed run; empty: none      */
    struct str last_failure; /* JSON with "message", or text; empty: none                 */
};

/* Whether the action contains its arguments as payloads. */
bool temporal_has_payloads(const struct action *action);

/* "BASE-2026-01-05T10:00:00Z" */
struct str temporal_workflow_id(const struct action *action, struct str schedule,
                                const struct run *run, struct arena *arena);

struct str temporal_start_body(const struct temporal_start *start, struct arena *arena);

/*
 * Asks for the close event; `token` comes from the last answer.  With `waits`, the answer waits
 * for the event.
 */
struct str temporal_follow_body(const struct temporal_who *who, struct str token, bool waits,
                                struct arena *arena);

/* Asks for the first event of the last run with the id. */
struct str temporal_find_body(const struct temporal_who *who, struct arena *arena);

/*
 * Asks for runs of workflows that schedules have started and that ended after `since`, newest
 * first; `token` comes from the last answer.
 */
struct str temporal_closed_body(struct str namespace, instant since, int32_t page_size,
                                struct str token, struct arena *arena);

struct str temporal_cancel_body(const struct temporal_who *who, struct str request_id,
                                struct arena *arena);
struct str temporal_terminate_body(const struct temporal_who *who, struct str reason,
                                   struct arena *arena);

/* An answer without its HTTP parts. */
struct temporal_reply {
    enum grpc_status status;
    struct str words;   /* message of the status; one line of UTF-8 */
    struct str details; /* of the status: google.rpc.Status         */
    struct str message; /* of a successful answer                   */
};

/* The headers that webhook_request.keep_headers must contain. */
extern const struct str temporal_stored_headers[];
extern const int temporal_stored_header_count;

/*
 * `result` must be an answer.  Without a gRPC status, the HTTP status decides; without a valid
 * frame, the status is UNKNOWN.
 */
struct temporal_reply temporal_reply_of(const struct webhook_result *result,
                                        struct arena *arena);

/* Returns the run id from the answer to a start; empty: none. */
struct str temporal_started(struct str message, struct arena *arena);

/*
 * From ALREADY_EXISTS: the run that has the id, and the request that started it; both empty:
 * unknown.
 */
struct temporal_owner {
    struct str run_id, request_id;
};
struct temporal_owner temporal_exists(struct str details, struct arena *arena);

/* Returns the run id if the event is the start of this workflow; otherwise empty. */
struct str temporal_found(struct str message, struct str identity, struct arena *arena);

/* The answer to a poll. */
struct temporal_look {
    struct flow_seen seen; /* FLOW_UNREAD: it cannot be read      */
    struct str next_run;   /* continues as this run; may be empty */
    struct str token;      /* for the next poll; may be empty     */
};
struct temporal_look temporal_look_of(struct str message, struct arena *arena);

/* A page of a list. */
struct temporal_closed {
    bool is_read; /* false: the answer cannot be read */
    const struct temporal_run_end {
        struct str workflow_id, run_id;
        instant closed_at;
    } * list;
    int count;
    struct str token; /* for the next page; empty: this is the last one */
};
struct temporal_closed temporal_closed_of(struct str message, struct arena *arena);
