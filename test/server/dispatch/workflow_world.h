/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls on one loop with a Conductor that counts what was started, for one test.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conductor.h"
#include "dispatches.h"
#include "server/dispatch/dispatch_workflow.h"
#include "workflow_assert.h"

#define WF   "{\"type\":\"workflow\",\"name\":\"wf\"}"
#define LONG (3600 * SPAN_S)

/* Patient where a test waits for an event, quick where it waits for a pause. */
static const struct flow_limits quick = {
    .retry_first = SPAN_MS,
    .retry_most = 2 * SPAN_MS,
    .poll_first = SPAN_MS,
    .poll_most = 2 * SPAN_MS,
    .patience = LONG,
    .end_patience = LONG,
    .request = 60 * SPAN_S,
    .connect = 60 * SPAN_S,
};

struct world {
    struct errands *errands;
    struct conductor *conductor;
    struct flow_limits limits;
    char run[RUN_ID_TEXT_MAX];
};

static inline int world_setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    void *errands;
    char settings[300];

    assert_non_null(world);
    errands_setup(&errands);
    world->errands = errands;
    world->limits = quick;
    world->conductor = calloc(1, sizeof *world->conductor);
    assert_non_null(world->conductor);
    conductor_start(world->conductor, loop_uv(world->errands->loop));
    snprintf(settings, sizeof settings,
             "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"conductor\","
             "\"url\":\"http://127.0.0.1:%d/api\",\"headers\":{\"X-Authorization\":\"t\"}}}}",
             world->conductor->server.port);
    errands_set(world->errands, settings);
    errands_open(world->errands);
    world->errands->calls->flow = &world->limits;
    *state = world;
    return 0;
}

static inline int world_teardown(void **state)
{
    struct world *world = *state;
    void *errands = world->errands;

    if (world->errands->calls) {
        errands_close(world->errands);
        errands_wait_closed(world->errands);
    }
    conductor_stop(world->conductor);
    uv_run(loop_uv(world->errands->loop), UV_RUN_NOWAIT);
    errands_teardown(&errands);
    free(world->conductor);
    free(world);
    return 0;
}

static inline struct task *flow_task(struct world *world, const char *action)
{
    struct task *task = errands_task(world->errands, LANE_FLOW, action);

    snprintf(world->run, sizeof world->run, "%.*s", STR_ARG(task->work.id));
    return task;
}

static inline void start(struct world *world, struct task *task)
{
    calls_start(world->errands->calls, task);
}

/* Runs the loop until so many requests of the line were seen. */
static inline void wait_seen(struct world *world, const char *line, int count)
{
    while (conductor_seen(world->conductor, line) < count)
        uv_run(loop_uv(world->errands->loop), UV_RUN_ONCE);
}

/* Ends a workflow, now. */
static inline void end_flow(struct world *world, int i, const char *status, const char *reason)
{
    world->conductor->flows[i].status = status;
    world->conductor->flows[i].reason = reason;
}

static inline const struct report *wait_end(struct world *world)
{
    return errands_wait_end(world->errands);
}

/* A workflow of an earlier attempt, and a task that knows of it. */
static inline struct task *next_attempt(struct world *world)
{
    struct task *task = flow_task(world, WF);

    world->conductor->flows[0] = (struct conductor_flow){
        .id = "wf-1", .input = "{}", .status = "RUNNING", .output = "{}"};
    world->conductor->count = 1;
    task->work.run.progress = STR("{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    task->work.run.attempt = 2;
    return task;
}
