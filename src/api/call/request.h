/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsers for the parts of a request after its path: the query, header fields, the body.
 *
 * For begin() only.  Each error names the parameter, the header field or the member.
 */
#pragma once

#include "api/call/call.h"
#include "model/fields.h"
#include "wire/json/json.h"

struct members;

enum {
    LIMIT_DEFAULT = 100, /* entries of one page of a list       */
    LIMIT_MAX = 1000,    /* keeps answers to a few megabytes    */
};

/* Rejects parameters other than these and "namespace"; the error suggests a similar one. */
MUST_USE enum rc request_query_check(const struct call *call, const char *const *names,
                                     int count, struct err *reterr);

/* A copy of the parameter; empty if it is absent. */
struct str request_query(const struct call *call, const char *name);

/* A whole number from `low` to `high`; *ret is unchanged if it is absent. */
MUST_USE enum rc request_query_int(const struct call *call, const char *name, int64_t low,
                                   int64_t high, int64_t *ret, struct err *reterr);

/* `limit`; LIMIT_DEFAULT if it is absent. */
MUST_USE enum rc request_limit(const struct call *call, int *ret, struct err *reterr);

/* A time of RFC 3339; *ret is unchanged if it is absent. */
MUST_USE enum rc request_query_instant(const struct call *call, const char *name, instant *ret,
                                       struct err *reterr);

/* `from` and `to`, which may not be before `from`; each is unchanged if it is absent. */
MUST_USE enum rc request_query_range(const struct call *call, instant *ret_from,
                                     instant *ret_to, struct err *reterr);

/* `fields`: a comma-separated list of members to return; all if it is absent. */
MUST_USE enum rc request_fields(const struct call *call, const struct field_names *names,
                                field_set *ret, struct err *reterr);

/* Checks that a path variable is a valid name; RC_NOT_FOUND otherwise. */
MUST_USE enum rc request_name(const struct call *call, int param, const char *what,
                              struct err *reterr);

/* A begin() for reading one object by the name in the path, without other parameters. */
enum call_step request_named(struct call *call);

/* For creating a named object: checks params[0].  False with *ret_step after an error. */
bool request_new_name(struct call *call, int max, enum call_step *ret_step);

/* Parses a path variable as the id of a run; RC_NOT_FOUND if it is not one. */
MUST_USE enum rc request_run(const struct call *call, int param, struct run_id *ret,
                             struct err *reterr);

/* If-Match as a version; 0 if it is absent or `*`. */
MUST_USE enum rc request_version(const struct call *call, int64_t *ret, struct err *reterr);

/* *ret: the client sent `If-None-Match: *`.  RC_INVALID if the field has another value. */
MUST_USE enum rc request_only_new(const struct call *call, bool *ret, struct err *reterr);

/* Whether If-None-Match lists the ETag or is `*`: the client has the current answer. */
bool request_has_etag(const struct call *call, struct str etag);

/* Copies Idempotency-Key and the fingerprint of the request into every command of the call. */
MUST_USE enum rc request_key(struct call *call, struct err *reterr);

/* Copies the trace context of the client (traceparent) into every command of the call. */
void request_trace(struct call *call);

/*
 * Parses the body as JSON, which the caller owns; an empty body is {} if `is_optional`.
 * Returns false with *ret_step after an error (invalid_json).
 */
bool request_json(struct call *call, bool is_optional, json_t **ret, enum call_step *ret_step);

/*
 * For operations with a body and without parameters: reads it into *to, which the caller set
 * to defaults.  Returns false as above.
 */
bool request_body(struct call *call, bool is_optional, const struct members *members, void *to,
                  enum call_step *ret_step);

/* For operations without a body: it must be absent or {}.  Returns false as above. */
bool request_empty(struct call *call, enum call_step *ret_step);
