/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for the tests of the agents' API.  The clock starts at 2026-01-05T10:00:00Z, a
 * Monday: 03:00 in Denver.
 */
#pragma once

#include "world.h"

#define SCHEDULES  "/api/schedules"
#define EXECUTIONS "/api/executions"

/* Creates a schedule of an agent; `more`: its other members after a comma. */
static inline int schedule(const char *agent, const char *more)
{
    return post(SCHEDULES, js("{'agentId':'%s'%s}", agent, more));
}

/* The length of the list in the last answer. */
static inline int count(void)
{
    return (int)json_array_size(world.json);
}

/* The id of the run that an agent claims; "": none. */
static inline const char *claim(const char *queue)
{
    static char id[RUN_ID_TEXT_MAX];

    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':1,'worker':'w-1'}", queue)),
        200);
    id[0] = '\0';
    if (world.call.grant_count == 1)
        snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    return id;
}

/* The fence of the run that claim() returned. */
static inline int64_t fence(void)
{
    return world.call.grants[0].run.fence;
}
