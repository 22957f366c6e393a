/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who stands at the frontend: knows the tokens, counts how often somebody asks, remembers who
 * was not let.  For the io thread.
 */
#pragma once

#include "api/access/auth.h"
#include "api/call/limits.h"
#include "base/log.h"
#include "io/net/exchange.h"
#include "server/config/config.h"
#include "server/frontend/namespace_cache.h"

enum {
    ADMISSION_DENIALS_MAX = 64,       /* different ones, until they are written down          */
    ADMISSION_DENIALS_A_MINUTE = 256, /* so many are; in a flood they wait and become counts  */
};

struct admission; /* opaque */

struct admission *admission_new(uint64_t seed);
struct admission *admission_free(struct admission *admission); /* accepts NULL, returns NULL */

/* The tokens as they are now; takes them over. */
void admission_keys(struct admission *admission, struct keyring *keys);

/*
 * Whether somebody who was let in still would be.  For what lasts longer than a request: a
 * poll, a stream of events.
 */
bool admission_still_allows(const struct admission *admission, const struct caller *caller,
                            instant now);

/* From where the call is, and its id: for every request. */
void admission_identify(struct call *call, const struct exchange *x);

/*
 * Who asks, and whether they have asked too often; false: the answer is set.  *ret_limit has
 * most 0 where nothing is counted.
 */
bool admission_admit(struct admission *admission, struct call *call, const struct exchange *x,
                     const struct config *config, struct limit *ret_limit);

/*
 * Once the namespace is known: whether all who use it have not asked too often together.
 * False: the answer is set.  *limit becomes the namespace's where less is left of that.
 */
bool admission_allows(struct admission *admission, struct call *call, const struct space *space,
                      struct limit *limit);

/* After begin(): remembers it when it was denied. */
void admission_note(struct admission *admission, const struct call *call);

/*
 * What is to be written down, as commands of a call of its own: who was not let, and once a
 * minute which tokens were used.  False: nothing.
 */
bool admission_report(struct admission *admission, struct call *call, struct log *log);
