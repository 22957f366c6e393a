/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request rate limit per client: so many requests per minute, evenly spaced; after a pause the
 * requests of a whole minute may come at once.
 *
 * A fixed number of clients is remembered; when there are more, the one with the fewest recent
 * requests is forgotten, which is in its favor.  The caller passes the time.
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
    int64_t reset_s; /* until the requests of a whole minute are free  */
};

/* Counts a request of `client` at `now_us`, which never decreases; false: over the limit. */
bool limits_take(struct limits *limits, uint64_t client, int per_minute, int64_t now_us,
                 struct limit *ret);
