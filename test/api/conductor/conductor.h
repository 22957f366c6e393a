/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for the tests of Conductor's API.
 */
#pragma once

#include "world.h"

#define SCHEDULES "/api/scheduler/schedules"

/* Saves a schedule of every minute with workflow `wf`; `more`: members after a comma. */
static inline int save(const char *name, const char *more)
{
    return post(SCHEDULES,
                js("{'name':'%s','cronExpression':'0 * * * * ?',"
                   "'startWorkflowRequest':{'name':'wf','version':1,'input':{'k':1}}%s}",
                   name, more));
}

/* The server is down for this time. */
static inline void be_down(span time)
{
    world.now += time;
}

/* Checks the number of executions of a schedule. */
static inline void assert_count(const char *name, int count)
{
    assert_int_equal(get(js(SCHEDULES "/%s/executions?limit=1000", name)), 200);
    if (json_array_size(world.json) != (size_t)count)
        fail_msg("%zu executions, not %d: %s", json_array_size(world.json), count, json_at(""));
}

/* A worker claims the run that has waited longest, and completes it. */
static inline void end_one(void)
{
    char id[64], fence[24];

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'max':1,'worker':'w'}")),
                     200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':%s}", fence)), 200);
}

/* Passes some minutes and ends the run of each; old records are then pruned. */
static inline void run_and_end(int count)
{
    for (int i = 0; i < count; i++) {
        pass_time(SPAN_MIN);
        end_one();
    }
    pass_time(0);
}

/* Checks that saving is refused with 400 and a message that starts with this text. */
static inline void assert_save_refused(const char *body, const char *message)
{
    assert_int_equal(post(SCHEDULES, js("%s", body)), 400);
    if (strncmp(json_at("message") + 1, message, strlen(message)) != 0)
        fail_msg("%s, not %s", json_at("message"), message);
}
