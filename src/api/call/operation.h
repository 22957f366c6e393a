/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations: one table of all requests, with their paths and the rights that they need.
 *
 * Routing, rights, the counters and the OpenAPI document are derived from this table.
 */
#pragma once

#include "api/call/call.h"
#include "api/call/dialects.h"

enum right {
    RIGHT_NONE, /* needs no token                                  */
    RIGHT_VIEW, /* this and the next four: in the call's namespace */
    RIGHT_OPERATE,
    RIGHT_EDIT,
    RIGHT_WORK,
    RIGHT_ADMIN,
    RIGHT_SERVER, /* concerns no single namespace: needs an admin of all namespaces */
    RIGHT_COUNT
};

/* The steps of an operation; headers declare their handlers with these types. */
typedef enum call_step call_fn(struct call *call);
typedef enum call_step call_read_fn(struct call *call, struct db *db);

struct verb;

struct operation {
    const char *id; /* "schedule.create" */
    const char *method;
    const char *path; /* "/api/v1/schedules/{schedule}/pause"; {x} is one segment */
    enum right right;
    int32_t body_max;    /* bytes; 0: no body is accepted */
    const char *summary; /* one line for people           */

    /* Parses and validates the request; see call_keep_request() about its thread. */
    call_fn *begin;
    /* On a reader thread, in one snapshot; may be NULL.  Returns the next step. */
    call_read_fn *read;
    /* After the engine, on any thread; may be NULL.  Returns the next step. */
    call_fn *settled;

    enum dialects dialect; /* format of errors; only native operations are in OpenAPI       */
    bool settles_early;    /* settled() may run on the engine's thread, for short documents */

    /* For handlers that several operations share. */
    enum command_kind command; /* the command to send                                 */
    const struct verb *verb;   /* the report to send: see api/schedules/report_item.h */

    /* For operations of an upstream, see CALL_FORWARD. */
    bool is_forwarded;
    enum right other_right; /* another right that is enough; RIGHT_NONE: no other is          */
    bool is_global;         /* concerns all namespaces: the caller must be allowed to use all */
    bool is_poll;           /* may wait long: not counted by rate limits, ended by a drain    */
    int namespace_field;    /* its number in the message; 0: the usual one, 1; -1: none       */
    int token_field;        /* of a task token, which also names a namespace; 0: none         */
};

/*
 * Bytes of a body that are read for an operation.  Clients of other servers send a small one,
 * such as {}, with every request; where it has no meaning, it is read and ignored.
 */
int32_t operation_body_max(const struct operation *operation);

extern const struct operation operations[];
extern const int operation_count;

/*
 * Finds the operation of a request and copies its path variables into `arena`.  Returns NULL
 * with *ret_status 404, or 405 and the methods of the path in *ret_allow, unless `ret_allow` is
 * NULL.
 */
const struct operation *operation_find(const struct http1_request *request, struct arena *arena,
                                       struct str params[CALL_PARAMS_MAX], int *ret_status,
                                       struct str *ret_allow);

/* Copies the path variables of a request whose operation was already found. */
void operation_params(const struct operation *operation, const struct http1_request *request,
                      struct arena *arena, struct str params[CALL_PARAMS_MAX]);

/* Whether segments match a path such as "/api/tasks/{task}"; {x} is one segment. */
bool operation_path_matches(const char *path, const struct str *segments, int count);

/* The API of a request: by its operation, or by the path's prefix if it has none. */
enum dialects operation_dialect(const struct operation *operation,
                                const struct http1_request *request);
