/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said to an upstream Temporal and what its answers mean: frames of gRPC with messages
 * of proto/temporal.proto.
 *
 * Pure but for the arena: no socket, no clock.  Answers are a stranger's: whatever cannot be
 * read is told as unread.
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
    TEMPORAL_TOKEN_MAX = 2048, /* of a page's token that is sent back; usual are some 100 */
};

/* A workflow of this upstream, and who asks. */
struct temporal_who {
    struct str namespace, workflow_id;
    struct str run_id;   /* empty: the one that runs, or was the last to run */
    struct str identity; /* ours, of no other run's workflow                */
};

struct temporal_start {
    struct temporal_who who; /* without a run's id */
    struct str request_id;
    struct str schedule;         /* empty: it has none */
    const struct action *action; /* its input: the run's */
    const struct run *run;
    struct str input; /* JSON of the only argument, where the action names no payloads   */
    bool is_again;    /* an earlier workflow of this run has ended: the id may be reused */
    struct str
        last_result; /* flow_result() of the last that completed; empty: none           */
    struct str
        last_failure; /* JSON with "message", or text; empty: none                      */
};

/* Whether the arguments are those of the action, as they are. */
bool temporal_has_payloads(const struct action *action);

/* "BASE-2026-01-05T10:00:00Z" */
struct str temporal_workflow_id(const struct action *action, struct str schedule,
                                const struct run *run, struct arena *arena);

struct str temporal_start_body(const struct temporal_start *start, struct arena *arena);

/* The event that closed it; `token` of the last answer.  With `waits`, when there is one. */
struct str temporal_follow_body(const struct temporal_who *who, struct str token, bool waits,
                                struct arena *arena);

/* The first event of the last run that has the id. */
struct str temporal_find_body(const struct temporal_who *who, struct arena *arena);

struct str temporal_cancel_body(const struct temporal_who *who, struct str request_id,
                                struct arena *arena);
struct str temporal_terminate_body(const struct temporal_who *who, struct str reason,
                                   struct arena *arena);

/* An answer without what HTTP adds. */
struct temporal_reply {
    enum grpc_status status;
    struct str words;   /* of the status; UTF-8 of one line          */
    struct str details; /* of the status: google.rpc.Status          */
    struct str message; /* of a good answer                          */
};

/* The names that webhook_request.keep_headers must have for it. */
extern const struct str temporal_stored_headers[];
extern const int temporal_stored_header_count;

/* `result` is an answer.  One without a status, or with a frame that is none, is UNKNOWN. */
struct temporal_reply temporal_reply_of(const struct webhook_result *result,
                                        struct arena *arena);

/* The run's id that a good answer to a start has; empty: none. */
struct str temporal_started(struct str message, struct arena *arena);

/* Of ALREADY_EXISTS: which run has the id, and by what request; both empty: it is not told. */
struct temporal_owner {
    struct str run_id, request_id;
};
struct temporal_owner temporal_exists(struct str details, struct arena *arena);

/* The run's id where the event that was asked for is the start of ours; else empty. */
struct str temporal_found(struct str message, struct str identity, struct arena *arena);

/* What an answer to a look says. */
struct temporal_look {
    struct flow_seen seen; /* FLOW_UNREAD: it cannot be read    */
    struct str next_run;   /* it goes on as this run; else empty */
    struct str token;      /* to ask on with; empty: none        */
};
struct temporal_look temporal_look_of(struct str message, struct arena *arena);
