/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request to an operation, from its arrival to its answer.
 *
 * A call belongs to one thread at a time and is handed from one to the next: begun where the
 * request arrived, carried out by the engine or read by a reader, answered where it began.
 * Everything of it lives in its own arena; nothing points into the request once begin() has
 * returned.  No sockets, threads or clocks are known here.
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
    CALL_PARAMS_MAX = 4,     /* variable segments of a path                             */
    CALL_FIELDS_MAX = 8,     /* header fields of an answer, beside those of every answer */
    CALL_ITEMS_MAX = 1000,   /* commands or reports of one request: a batch             */
    CALL_NAME_MAX = 255,     /* bytes of a worker's or caller's name, of an idempotency key */
    CALL_REQUEST_MAX = 128,  /* bytes of a request's id                                 */
    CALL_BODY_MAX = 1 << 20, /* bytes, JSON_BYTES_MAX: what one request may carry          */
    /* A body as compiled schedules takes SCHEDULE_BYTES_MAX, and a batch stops taking more
     * items there; the last of them may take as much again. */
    CALL_ARENA_MAX = 128 << 20,
};

/* What a call needs next. */
enum call_step {
    CALL_ANSWER,   /* nothing: status and body are set                              */
    CALL_COMMANDS, /* the engine: commands, then operation.settled                  */
    CALL_REPORTS,  /* the engine: reports, then operation.settled                   */
    CALL_POLL,     /* the engine: poll, until there are grants or its time is over; */
                   /* then operation.settled                                        */
    CALL_READ,     /* a reader: operation.read                                      */
    CALL_SETTLE,   /* of read() only: operation.settled, with nothing from the engine */
    CALL_STREAM,   /* of read() only: stream->lines go out, and it is read on later   */
};

struct operation;
struct keyring;
struct db;

struct call {
    struct arena *arena;
    const struct operation *operation;
    enum dialects dialect;              /* in whose words it is refused          */
    const struct api_context *context;  /* of the thread that has it             */
    instant now;                        /* of its arrival, then of the read      */
    struct str params[CALL_PARAMS_MAX]; /* of the path                           */
    struct str namespace_name;
    int64_t namespace; /* its key                                               */
    struct str by;     /* who asks                                              */
    struct caller caller;
    struct str from;          /* the address that the request came from, as text      */
    struct str request_id;    /* for people who look for it in logs                   */
    enum audit_result denied; /* 0: it was not                                      */
    void *arg;                /* the operation's own                                   */

    /* During begin() only; NULL after it. */
    const struct http1_request *request;
    struct str body;
    const struct keyring *keys; /* the tokens that there are */

    /*
     * For the engine, see api/access/audit_note.h; the glue fills in tag, then replies or
     * grants.
     */
    struct command *commands;
    const struct reply *replies; /* as many, in order */
    int command_count;
    struct report *reports;
    const struct report_reply *report_replies;
    int report_count;
    struct call_poll poll;
    const struct assignment *grants;
    const struct str *grant_queues; /* the name of each grant's queue */
    int grant_count;
    struct call_stream *stream; /* NULL: an answer with an end */

    /* The answer. */
    int status;
    const char *content_type;
    struct str answer;
    struct http1_field fields[CALL_FIELDS_MAX];
    int field_count;
};

/*
 * Begins a call whose arena, operation, context, now, params and caller are set: the one way
 * in, and where rights are checked.  The namespace is the query's, else the caller's, else
 * "default".  Nothing of the request is needed after it.
 * Every step that is taken gives the next one, until CALL_ANSWER: a call may be read after
 * the engine has settled it, or go to the engine after it was read.
 */
enum call_step call_begin(struct call *call, const struct http1_request *request,
                          struct str body);

/* 404, for a namespace that is not there and for one that is not the caller's alike. */
enum call_step call_no_namespace(struct call *call);

/* Where the namespace of a call that was let in is not there: the same, or how it is made. */
enum call_step call_without_namespace(struct call *call);

/* The refusal of who is not known or may not; 401 or 403. */
enum call_step call_deny(struct call *call, int status, const char *fmt, ...) PRINTF(3, 4);

/* One more header field of the answer; the texts must live as long as the call. */
void call_field(struct call *call, struct str name, struct str value);

/* Each sets the answer and returns CALL_ANSWER, so that it can be returned at once. */
enum call_step call_answer(struct call *call, int status, struct str json);
/* 400 invalid_…, 404 not_found and so on by err->rc; `code` NULL: by err->rc. */
enum call_step call_refuse(struct call *call, const char *code, const struct err *err);
enum call_step call_problem(struct call *call, int status, const char *code, const char *fmt,
                            ...) PRINTF(4, 5);
/* What the engine refused: by reply->rc, with its own words. */
enum call_step call_refused(struct call *call, const struct command *command,
                            const struct reply *reply);
/* The code of that refusal: "exists", "version_conflict" and so on. */
const char *call_refused_code(const struct command *command, const struct reply *reply);
/* What an error is for clients: "invalid_spec" and so on, and the status that goes with it. */
const char *call_code(const struct err *err);
int call_status(const struct err *err);
