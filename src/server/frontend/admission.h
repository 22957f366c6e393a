/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Admission of requests: tokens, rate limits and denials.  For the io thread.
 */
#pragma once

#include "api/access/auth.h"
#include "api/call/limits.h"
#include "base/log.h"
#include "io/net/exchange.h"
#include "server/config/config.h"
#include "server/frontend/namespace_cache.h"

enum {
    ADMISSION_DENIALS_MAX = 64,       /* different denials until the next report      */
    ADMISSION_DENIALS_A_MINUTE = 256, /* recorded per minute; the rest becomes counts */
};

struct admission; /* opaque */

struct admission *admission_new(uint64_t seed);
struct admission *admission_free(struct admission *admission); /* accepts NULL, returns NULL */

/* Replaces the tokens; takes ownership. */
void admission_set_keys(struct admission *admission, struct keyring *keys);

/*
 * Whether the server would still admit this caller.  For requests that last: polls and streams.
 */
bool admission_still_allows(const struct admission *admission, const struct caller *caller,
                            instant now);

/*
 * Whether the server has tokens.  If it has none, credentials in requests are not for Belfry,
 * and may be passed on to an upstream.
 */
bool admission_has_tokens(const struct admission *admission);

/* Sets the address and the request id of the call.  For every request. */
void admission_identify(struct call *call, const struct exchange *x);

/*
 * Authenticates the caller and applies its rate limit.  Returns false if the answer is set.
 * *ret_limit has `most` 0 if the request is not limited.
 */
bool admission_admit(struct admission *admission, struct call *call, const struct exchange *x,
                     const struct config *config, struct limit *ret_limit);

/* After begin(): counts each item of a batch as a request of the client. */
void admission_charge(struct admission *admission, const struct call *call,
                      const struct exchange *x, const struct config *config);

/*
 * The same for the namespace of the call.  Only needed if admission_check_namespace() was
 * called before begin(), when the number of items was unknown.
 */
void admission_charge_namespace(struct admission *admission, const struct call *call,
                                const struct namespace_entry *entry);

/*
 * Applies the rate limit of the namespace, once it is known, to all of its clients together,
 * and counts the items of the call.  Returns false if the answer is set.  Stores the limit of
 * the namespace in *limit if it leaves fewer requests.
 */
bool admission_check_namespace(struct admission *admission, struct call *call,
                               const struct namespace_entry *entry, struct limit *limit);

/* Call it after call_open() and begin(): records the request if it was denied. */
void admission_note(struct admission *admission, const struct call *call);

/*
 * Adds commands to a separate call: denied requests, and once per minute the last uses of
 * tokens.  Returns false if there is nothing to record.
 */
bool admission_report(struct admission *admission, struct call *call, struct log *log);
