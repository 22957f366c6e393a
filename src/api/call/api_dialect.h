/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The APIs as a table: what shared code has to know about each of them.  Only the tables in
 * src/api, dialect_table.c and operations.c, include the headers of all APIs.
 */
#pragma once

#include "api/call/call.h"
#include "api/call/error_reply.h"
#include "model/namespace_settings.h"

enum { DIALECT_PREFIXES_MAX = 5 };

struct event_terms; /* api/events/event_filter.h */

struct api_dialect {
    const char *name; /* in answers */
    /* Paths without an operation belong to the API by their second segment: /api/<prefix>. */
    const char *prefixes[DIALECT_PREFIXES_MAX + 1]; /* ends with NULL */
    struct str token_field; /* a header field with the token alone; empty: none */
    /* Sets the call's namespace; NULL: the query's, else the caller's, else "default". */
    enum rc (*namespace)(struct call *call, struct err *reterr);
    /* The next step of a call whose namespace does not exist; NULL: call_no_namespace(). */
    enum call_step (*missing)(struct call *call);
    /* The operation that an upstream answers, for a request; NULL: none are forwarded. */
    const struct operation *(*forwarded)(const struct http1_request *request);
    enum upstream_type upstream;      /* the type of that upstream  */
    const char *upstream_name;        /* the same, for people       */
    error_reply_fn *refuse;           /* NULL: error_reply_print() */
    const struct event_terms *events; /* its own types and format of events; NULL: none */
    bool is_grpc; /* one framed message per request and answer, the status in trailers */
};

extern const struct api_dialect api_dialects[DIALECTS_COUNT];
