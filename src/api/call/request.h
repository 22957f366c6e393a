/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operations read of a request beside its path: the query, preconditions, the body.
 *
 * For begin() only.  Each error names the parameter, the header field or the member.
 */
#pragma once

#include "api/call/call.h"
#include "model/fields.h"
#include "wire/json/json.h"

enum {
    LIMIT_DEFAULT = 100, /* entries of one page of a list                        */
    LIMIT_MAX = 1000,    /* an answer of some megabytes at most                  */
};

/* Refuses parameters beside these and "namespace", with the nearest known name. */
MUST_USE enum rc request_query_check(const struct call *call, const char *const *names,
                                     int count, struct err *reterr);

/* The parameter, copied; empty when it is absent. */
struct str request_query(const struct call *call, const char *name);

/* A whole number from `low` to `high`; `*ret` stays when it is absent. */
MUST_USE enum rc request_query_int(const struct call *call, const char *name, int64_t low,
                                   int64_t high, int64_t *ret, struct err *reterr);

/* `limit`, LIMIT_DEFAULT when it is absent. */
MUST_USE enum rc request_limit(const struct call *call, int *ret, struct err *reterr);

/* A moment of RFC 3339; `*ret` stays when it is absent. */
MUST_USE enum rc request_query_instant(const struct call *call, const char *name, instant *ret,
                                       struct err *reterr);

/* `from` and `to`, which may not be before it; each stays when it is absent. */
MUST_USE enum rc request_query_range(const struct call *call, instant *ret_from,
                                     instant *ret_to, struct err *reterr);

/* `fields`: which members are told, separated by commas; all when it is absent. */
MUST_USE enum rc request_fields(const struct call *call, const struct field_names *names,
                                field_set *ret, struct err *reterr);

/* A variable of the path as a name that people gave: RC_NOT_FOUND when it cannot be one. */
MUST_USE enum rc request_name(const struct call *call, int param, const char *what,
                              struct err *reterr);

/* The begin of what reads one thing by the name in its path, and takes nothing else. */
enum call_step request_named(struct call *call, const char *what);

/* A variable of the path as a run's id. */
MUST_USE enum rc request_run(const struct call *call, int param, struct run_id *ret,
                             struct err *reterr);

/* If-Match as a version: 0 when there is none or it is `*`. */
MUST_USE enum rc request_version(const struct call *call, int64_t *ret, struct err *reterr);

/* Whether If-None-Match asks for one that is new; RC_INVALID when it names versions. */
MUST_USE enum rc request_only_new(const struct call *call, bool *ret, struct err *reterr);

/* Idempotency-Key, with what it is the key of, into every command of the call. */
MUST_USE enum rc request_key(struct call *call, struct err *reterr);

/* The trace that whoever asks is part of, into every command of the call. */
void request_trace(struct call *call);

/*
 * The body as JSON, which the caller owns; an empty body is {} where `is_optional`.  False: it
 * was refused as invalid_json, with *ret_step.
 */
bool request_json(struct call *call, bool is_optional, json_t **ret, enum call_step *ret_step);

/* For operations whose body has nothing to say: absent or {}.  False as above. */
bool request_empty(struct call *call, enum call_step *ret_step);
