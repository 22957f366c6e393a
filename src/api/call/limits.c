/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rate limiter (GCRA) with one number per client: the time at which its next request would
 * arrive if all came evenly at the permitted rate.  A request that would move this time more
 * than a minute into the future is rejected; limits_charge() may move it further.
 */
#include "api/call/limits.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/must.h"

#define MINUTE_US INT64_C(60000000)
#define SECOND_US INT64_C(1000000)

struct client {
    uint64_t hash; /* 0: unused */
    int64_t arrival_us;
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

static struct client *find_client(struct limits *limits, uint64_t client)
{
    uint64_t hash = hash_u64(client ^ limits->seed) | 1;
    struct client *set = limits->clients[hash >> 32 & (LIMITS_SETS - 1)], *least = set;

    for (int i = 0; i < LIMITS_WAYS; i++) {
        if (set[i].hash == hash)
            return &set[i];
        if (set[i].arrival_us < least->arrival_us)
            least = &set[i];
    }
    *least = (struct client){.hash = hash};
    return least;
}

static int64_t seconds_up(int64_t us)
{
    return (us + SECOND_US - 1) / SECOND_US;
}

/* The time of one request at the permitted rate. */
static int64_t step_us(int per_minute)
{
    must(per_minute > 0 && per_minute <= MINUTE_US);
    return MINUTE_US / per_minute;
}

bool limits_take(struct limits *limits, uint64_t client, int per_minute, int64_t now_us,
                 struct limit *ret)
{
    struct client *c = find_client(limits, client);
    int64_t step = step_us(per_minute), ahead;
    bool is_allowed;

    if (c->arrival_us < now_us)
        c->arrival_us = now_us;
    ahead = c->arrival_us - now_us;
    is_allowed = ahead + step <= step * per_minute;
    if (is_allowed)
        c->arrival_us += step;
    *ret = (struct limit){
        .most = per_minute,
        .left = is_allowed ? (int)((step * per_minute - ahead) / step) - 1 : 0,
        .retry_s = is_allowed ? 0 : seconds_up(ahead + step - step * per_minute),
        .reset_s = seconds_up(c->arrival_us - now_us),
    };
    return is_allowed;
}

void limits_charge(struct limits *limits, uint64_t client, int per_minute, int more)
{
    must(more >= 0);
    find_client(limits, client)->arrival_us += more * step_us(per_minute);
}
