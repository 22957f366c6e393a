/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request to an operation, from its arrival to its answer.
 *
 * A call belongs to one thread at a time.  The thread that received the request answers it;
 * it or a reader thread begins and settles it, the engine executes it, and a reader thread
 * reads for it.  All its memory is in its own arena; nothing points into the request after
 * begin() has returned.
 * This code uses no sockets, threads or clocks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "api/call/call_parts.h"
#include "api/call/caller.h"
#include "api/call/context.h"
#include "api/call/dialects.h"
#include "base/arena.h"
#include "base/err.h"
#include "engine/turn.h"
#include "wire/http1/http1.h"

enum {
    CALL_PARAMS_MAX = 4,     /* variable segments of a path                                 */
    CALL_FIELDS_MAX = 8,     /* header fields of an answer, in addition to the common ones  */
    CALL_ITEMS_MAX = 1000,   /* commands or reports of one batch request                    */
    CALL_NAME_MAX = 1000,    /* bytes of a worker's or caller's name, of an idempotency key */
    CALL_REQUEST_MAX = 128,  /* bytes of a request's id                                     */
    CALL_BODY_MAX = 1 << 20, /* bytes of a request body                                     */
    CALL_DOCUMENT_MAX = 8 << 20, /* the same with schedules: JSON_BYTES_MAX                 */
    /* Twice SCHEDULE_BYTES_MAX: a batch ends once its schedules take more than that. */
    CALL_ARENA_MAX = 128 << 20,
};

/* What a call needs next. */
enum call_step {
    CALL_ANSWER,     /* nothing: status and body are set                                   */
    CALL_COMMANDS,   /* the engine applies the commands, then operation.settled            */
    CALL_REPORTS,    /* the engine applies the reports, then operation.settled             */
    CALL_POLL,       /* the engine waits for grants or the end, then operation.settled     */
    CALL_READ,       /* a reader thread calls operation.read                               */
    CALL_SETTLE,     /* from read() only: operation.settled, without the engine            */
    CALL_BEGIN,      /* from the server only: call_start()                                 */
    CALL_FORWARD,    /* from begin() only: an upstream of the namespace answers            */
    CALL_ATTRIBUTES, /* from begin() only: ask the upstream for its list, then begin()     */
    CALL_STREAM,     /* from read() only: send stream->lines and read again later          */
};

struct operation;
struct keyring;
struct db;

struct call {
    struct arena *arena;
    const struct operation *operation;
    enum dialects dialect;              /* of the request and of error answers    */
    const struct api_context *context;  /* of the thread that has the call        */
    instant now;                        /* when it arrived, later when it is read */
    struct str params[CALL_PARAMS_MAX]; /* variables of the path                  */
    struct str namespace_name;
    int64_t namespace; /* its key                       */
    struct str by;     /* name of the caller, for audit */
    struct caller caller;
    struct str from, request_id; /* the client's address; of logs and errors */
    enum audit_result denied;    /* 0: it was not denied           */
    bool has_asked_attributes;   /* see CALL_ATTRIBUTES              */
    struct budget *budget;       /* of searches in specs; see call_limit_budget()             */
    void *arg;                   /* state of the operation         */

    /* During begin() only; NULL after it. */
    const struct http1_request *request;
    struct str body;
    const struct keyring *keys; /* all tokens */

    /*
     * For the engine; call_complete() (api/access/audit_note.h) completes commands and reports.
     * The server sets their tag, and later the replies or grants.
     */
    struct command *commands;
    const struct reply *replies; /* one per command, in the same order */
    int command_count;
    struct report *reports;
    const struct report_reply *report_replies;
    int report_count;
    struct call_poll poll;
    const struct assignment *grants;
    const struct str *grant_queues; /* the name of each grant's queue */
    int grant_count, grants_cut;    /* the last grants_cut have no texts: release them     */
    struct call_stream *stream;     /* NULL: a single answer, no stream */

    /* The answer. */
    int status;
    const char *content_type;
    struct str answer;
    struct http1_field fields[CALL_FIELDS_MAX];
    int field_count;
};

/*
 * Begins a call whose arena, operation, context, now, params and caller are set; finds its
 * namespace (see api/call/api_dialect.h) and checks the caller's rights.  The request may be
 * freed afterwards.  Every step returns the next one, until CALL_ANSWER: a call may be read
 * after the engine has settled it, or go to the engine after it was read.
 */
enum call_step call_begin(struct call *call, const struct http1_request *request,
                          struct str body);

/*
 * The two parts of call_begin().  call_open() does not parse the body; false: the answer is
 * set.  After call_keep_request(), which copies the request, call_start() may be called by
 * another thread.
 */
bool call_open(struct call *call, const struct http1_request *request, struct str body);
void call_keep_request(struct call *call);
enum call_step call_start(struct call *call);

/* Checks the length and the characters of the namespace's name; errors name `field`. */
MUST_USE enum rc call_check_namespace(const struct call *call, const char *field,
                                      struct err *reterr);

/* 404, the same for a namespace that does not exist and for one that the caller may not see. */
enum call_step call_no_namespace(struct call *call);

/* The same answer, or that of the call's API: `missing` in api/call/api_dialect.h. */
enum call_step call_without_namespace(struct call *call);

/* Denies the call with 401 (not authenticated) or 403 (not allowed), for the audit log too. */
enum call_step call_deny(struct call *call, int status, const char *fmt, ...) PRINTF(3, 4);

/* Adds a header field to the answer; the texts must live as long as the call. */
void call_field(struct call *call, struct str name, struct str value);

/* Each of these sets the answer and returns CALL_ANSWER, for use in a return statement. */
enum call_step call_answer(struct call *call, int status, struct str json);
/* The request is invalid or failed: status call_status(err); `code` NULL: call_code(err). */
enum call_step call_refuse(struct call *call, const char *code, const struct err *err);
enum call_step call_problem(struct call *call, int status, const char *code, const char *fmt,
                            ...) PRINTF(4, 5);
/* 422: the budget of the request is used up; what was found must be discarded. */
enum call_step call_limit_budget(struct call *call);
/* The engine rejected the command: status and code by reply->rc, with the engine's message. */
enum call_step call_refused(struct call *call, const struct command *command,
                            const struct reply *reply);
/* The code for such a reply: "exists", "version_conflict" and so on. */
const char *call_refused_code(const struct command *command, const struct reply *reply);
/* The error code for clients, "invalid_spec" and so on, and the status that goes with it. */
const char *call_code(const struct err *err);
int call_status(const struct err *err);
