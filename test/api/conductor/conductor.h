/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of Conductor's API have in common.
 */
#pragma once

#include "world.h"

#define S "/api/scheduler/schedules"

/* Saves a schedule of every minute with workflow `wf`; `more`: members after a comma. */
static inline int save(const char *name, const char *more)
{
    return post(S, js("{'name':'%s','cronExpression':'0 * * * * ?',"
                      "'startWorkflowRequest':{'name':'wf','version':1,'input':{'k':1}}%s}",
                      name, more));
}

/* The server is down for this time. */
static inline void be_down(span time)
{
    world.now += time;
}

/* The list of executions of a schedule has exactly this many. */
static inline void assert_count(const char *name, int count)
{
    assert_int_equal(get(js(S "/%s/executions?limit=1000", name)), 200);
    if (json_array_size(world.json) != (size_t)count)
        fail_msg("%zu executions, not %d: %s", json_array_size(world.json), count, told(""));
}

/* A worker claims the run that has waited longest, and completes it. */
static inline void end_one(void)
{
    char id[64], fence[24];

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'max':1,'worker':'w'}")),
                     200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    snprintf(fence, sizeof fence, "%s", told("runs.0.fence"));
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':%s}", fence)), 200);
}

/* Passes some minutes and ends the run of each; old records are then pruned. */
static inline void run_and_end(int count)
{
    for (int i = 0; i < count; i++) {
        pass(SPAN_MIN);
        end_one();
    }
    pass(0);
}

/* Saving is refused with 400 and a message that starts with this text. */
static inline void assert_wrong(const char *body, const char *message)
{
    assert_int_equal(post(S, js("%s", body)), 400);
    if (strncmp(told("message") + 1, message, strlen(message)) != 0)
        fail_msg("%s, not %s", told("message"), message);
}
