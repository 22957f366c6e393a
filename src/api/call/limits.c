/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rate limiter (GCRA) with one number per client: the time at which its requests so far would
 * have arrived if they had come evenly spaced.  It may be up to a minute in the future.
 */
#include "api/call/limits.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/must.h"

#define MINUTE_US INT64_C(60000000)
#define SECOND_US INT64_C(1000000)

struct client {
    uint64_t name; /* 0: none */
    int64_t even_us;
};

struct limits {
    struct arena *arena; /* contains this struct */
    uint64_t seed;
    struct client clients[LIMITS_SETS][LIMITS_WAYS];
};

struct limits *limits_new(uint64_t seed)
{
    struct arena *arena = arena_new(2 * sizeof(struct limits));
    struct limits *limits = arena_take(arena, sizeof *limits);

    limits->arena = arena;
    limits->seed = seed;
    return limits;
}

struct limits *limits_free(struct limits *limits)
{
    if (limits)
        arena_free(limits->arena);
    return NULL;
}

static struct client *find(struct limits *limits, uint64_t client)
{
    uint64_t name = hash_u64(client ^ limits->seed) | 1;
    struct client *set = limits->clients[name >> 32 & (LIMITS_SETS - 1)], *least = set;

    for (int i = 0; i < LIMITS_WAYS; i++) {
        if (set[i].name == name)
            return &set[i];
        if (set[i].even_us < least->even_us)
            least = &set[i];
    }
    *least = (struct client){.name = name};
    return least;
}

static int64_t seconds_up(int64_t us)
{
    return (us + SECOND_US - 1) / SECOND_US;
}

bool limits_take(struct limits *limits, uint64_t client, int per_minute, int64_t now_us,
                 struct limit *ret)
{
    struct client *c = find(limits, client);
    int64_t step = MINUTE_US / per_minute, ahead;
    bool is_allowed;

    must(per_minute > 0 && per_minute <= MINUTE_US);
    if (c->even_us < now_us)
        c->even_us = now_us;
    ahead = c->even_us - now_us;
    is_allowed = ahead + step <= step * per_minute;
    if (is_allowed)
        c->even_us += step;
    *ret = (struct limit){
        .most = per_minute,
        .left = is_allowed ? (int)((step * per_minute - ahead) / step) - 1 : 0,
        .retry_s = is_allowed ? 0 : seconds_up(ahead + step - step * per_minute),
        .reset_s = seconds_up(c->even_us - now_us),
    };
    return is_allowed;
}
