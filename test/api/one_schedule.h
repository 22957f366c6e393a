/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for tests with one schedule "s", whose runs go to the queue "q", and with workers
 * that claim them.  The clock begins at 10:00:00.
 */
#pragma once

#include "world.h"

/* A run that a worker has claimed. */
struct claimed {
    char id[64], fence[24];
};

/* `rest`: more members of the document, starting with a comma. */
static inline int put(const char *spec, const char *rest)
{
    return ask("PUT /api/v1/schedules/s", NULL,
               js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest));
}

/* A schedule with an interval and a governor that has these members; `rest` as above. */
static inline void make_every(const char *every, const char *governor, const char *rest)
{
    assert_int_equal(put(js("{'intervals':[{'every':'%s'}]}", every),
                         js(",'governor':{%s}%s", governor, rest)),
                     201);
}

static inline int hint(const char *body)
{
    return ask("PUT /api/v1/schedules/s/hint", NULL, js("%s", body));
}

static inline int pause_until(const char *clock)
{
    return post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T%sZ'}", clock));
}

/* Moves the clock to a time such as "10:01:30" of the first day. */
static inline void pass_to(const char *clock)
{
    int h, m, s;
    instant at;

    assert_int_equal(sscanf(clock, "%d:%d:%d", &h, &m, &s), 3);
    at = INT64_C(1767571200000000) + ((h * 60 + m) * 60 + s) * SPAN_S; /* 2026-01-05T00:00Z */
    assert_true(at >= world.now);
    pass_time(at - world.now);
}

/* Moves the clock in steps of a second: after a longer gap the server extends leases. */
static inline void pass_in_seconds(span time)
{
    for (; time > 0; time -= SPAN_S)
        pass_time(SPAN_S);
}

/* Checks when the schedule says that it runs next, and by which rule. */
static inline void assert_next(const char *clock, const char *source)
{
    char at[40], by[32];

    snprintf(at, sizeof at, "'2026-01-05T%s.000Z'", clock);
    snprintf(by, sizeof by, "'%s'", source);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", at);
    assert_json("state.nextSource", by);
}

/* Claims one run for the worker; returns how many it got. */
static inline int claim(struct claimed *ret, const char *worker)
{
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'%s'}", worker)),
                     200);
    if (world.call.grant_count > 0) {
        snprintf(ret->id, sizeof ret->id, "%s", text_at("runs.0.id").ptr);
        snprintf(ret->fence, sizeof ret->fence, "%s", json_at("runs.0.fence"));
    }
    return world.call.grant_count;
}

/* Checks the slot of the run in the last claim. */
static inline void assert_claimed_slot(const char *clock)
{
    char at[40];

    snprintf(at, sizeof at, "'2026-01-05T%s.000Z'", clock);
    assert_json("runs.0.slot", at);
}

/* Sends a report; `verb` is "complete", "fail" or "heartbeat". */
static inline int report(const struct claimed *run, const char *verb)
{
    return post(js("/api/v1/runs/%s/%s", run->id, verb), js("{'fence':%s}", run->fence));
}

/* Claims the run that is due at `clock` and reports its end at `until`. */
static inline void run_at(const char *clock, const char *until, const char *verb)
{
    struct claimed run;

    pass_to(clock);
    assert_int_equal(claim(&run, "w"), 1);
    assert_claimed_slot(clock);
    pass_to(until);
    assert_int_equal(report(&run, verb), 200);
}
