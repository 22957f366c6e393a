/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request rate limit per client, in requests per minute.  A client that has not sent any for a
 * minute may send the requests of a whole minute at once.
 *
 * The table has a fixed size: sets of LIMITS_WAYS clients, chosen by a hash.  A new client in a
 * full set replaces the one with the fewest recent requests, which can then send more.  The
 * caller passes the time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    LIMITS_SETS = 4096, /* of LIMITS_WAYS clients each */
    LIMITS_WAYS = 4,
};

struct limits; /* opaque */

struct limits *limits_new(uint64_t seed);          /* of the hash; unpredictable */
struct limits *limits_free(struct limits *limits); /* accepts NULL, returns NULL */

struct limit {
    int most;        /* requests per minute                            */
    int left;        /* requests that may follow at once               */
    int64_t retry_s; /* after a rejection: when to retry               */
    int64_t reset_s; /* until `left` would be `most` again             */
};

/* Counts a request of `client` at `now_us`, which never decreases; false: over the limit. */
bool limits_take(struct limits *limits, uint64_t client, int per_minute, int64_t now_us,
                 struct limit *ret);

/* Counts `more` requests after limits_take() has allowed one, such as the items of a batch. */
void limits_charge(struct limits *limits, uint64_t client, int per_minute, int more);
