/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who stands at the door: knows the tokens, counts how often somebody asks, remembers who was
 * not let.  For the io thread.
 */
#pragma once

#include "api/access/auth.h"
#include "api/call/limits.h"
#include "base/log.h"
#include "io/net/exchange.h"
#include "server/config/config.h"
#include "server/frontend/namespace_cache.h"

enum {
    PORTER_DENIALS_MAX = 64,       /* different ones, until they are written down          */
    PORTER_DENIALS_A_MINUTE = 256, /* so many are; in a flood they wait and become counts  */
};

struct porter; /* opaque */

struct porter *porter_new(uint64_t seed);
struct porter *porter_free(struct porter *porter); /* accepts NULL, returns NULL */

/* The tokens as they are now; takes them over. */
void porter_keys(struct porter *porter, struct keyring *keys);

/*
 * Whether somebody who was let in still would be.  For what lasts longer than a request: a
 * poll, a stream of events.
 */
bool porter_knows(const struct porter *porter, const struct caller *caller, instant now);

/* From where the call is, and its id: for every request. */
void porter_greet(struct call *call, const struct exchange *x);

/*
 * Who asks, and whether they have asked too often; false: the answer is set.  *ret_limit has
 * most 0 where nothing is counted.
 */
bool porter_admit(struct porter *porter, struct call *call, const struct exchange *x,
                  const struct config *config, struct limit *ret_limit);

/*
 * Once the namespace is known: whether all who use it have not asked too often together.
 * False: the answer is set.  *limit becomes the namespace's where less is left of that.
 */
bool porter_allows(struct porter *porter, struct call *call, const struct space *space,
                   struct limit *limit);

/* After begin(): remembers it when it was denied. */
void porter_note(struct porter *porter, const struct call *call);

/*
 * What is to be written down, as commands of a call of its own: who was not let, and once a
 * minute which tokens were used.  False: nothing.
 */
bool porter_report(struct porter *porter, struct call *call, struct log *log);
