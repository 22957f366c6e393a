/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often somebody may ask: so many requests a minute, evenly, with all of a minute's at
 * once after a pause.
 *
 * A fixed number of clients is remembered; when there are more, the one that has asked least
 * of late is forgotten, which is to its favour.  No clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    LIMITS_SETS = 4096, /* of LIMITS_WAYS clients each */
    LIMITS_WAYS = 4,
};

struct limits; /* opaque */

struct limits *limits_new(uint64_t seed);          /* of the hash, unforeseen */
struct limits *limits_free(struct limits *limits); /* accepts NULL, returns NULL */

struct limit {
    int most;        /* a minute                              */
    int left;        /* that may follow at once               */
    int64_t retry_s; /* when it was refused: after so long    */
    int64_t reset_s; /* when all of a minute's are free again */
};

/* One request of `client` at `now_us`, which never steps back; false: not now. */
bool limits_take(struct limits *limits, uint64_t client, int most, int64_t now_us,
                 struct limit *ret);
