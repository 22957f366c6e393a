/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations: one table of what can be asked, by which path, with which right.
 *
 * Routing, rights, documentation and the command line all read this table and nothing else.
 */
#pragma once

#include "api/call/call.h"
#include "api/call/dialects.h"

enum right {
    RIGHT_NONE,    /* anybody, without a token               */
    RIGHT_VIEW,    /* the next five: in the call's namespace */
    RIGHT_OPERATE, /*                                        */
    RIGHT_EDIT,
    RIGHT_WORK,
    RIGHT_ADMIN,
    RIGHT_SERVER, /* what is of no namespace: an admin of all of them */
    RIGHT_COUNT
};

struct operation {
    const char *id; /* "schedule.create"                                          */
    const char *method;
    const char *path; /* "/api/v1/schedules/{schedule}/pause"; {x} is one segment   */
    enum right right;
    int32_t body_max;    /* bytes; 0: a body is refused                                */
    const char *summary; /* one line for people                                        */

    /* Where the request arrived: reads it whole, refuses what is wrong with it. */
    enum call_step (*begin)(struct call *call);
    /* A reader, inside one snapshot; may be NULL.  Gives the next step. */
    enum call_step (*read)(struct call *call, struct db *db);
    /* After the engine, where the request arrived; may be NULL.  Gives the next step. */
    enum call_step (*settled)(struct call *call);

    enum dialects dialect; /* whose words its refusals have, and whether it is documented */
    bool settles_early;    /* settled() is for any thread: where the engine is, if short  */
};

extern const struct operation operations[];
extern const int operation_count;

/*
 * The operation of a request, its parameters copied into `arena`.  NULL with *ret_status 404,
 * or 405 with *ret_allow the methods that the path has.
 */
const struct operation *operation_find(const struct http1_request *request, struct arena *arena,
                                       struct str params[CALL_PARAMS_MAX], int *ret_status,
                                       struct str *ret_allow);

/* The parameters alone, of a request that is known to be of this operation. */
void operation_params(const struct operation *operation, const struct http1_request *request,
                      struct arena *arena, struct str params[CALL_PARAMS_MAX]);

/* The API that a request is of: its operation's, or for paths that are none their prefix'. */
enum dialects operation_dialect(const struct operation *operation,
                                const struct http1_request *request);
