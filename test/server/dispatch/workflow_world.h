/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dispatcher and a stand-in for Conductor on one loop, for one test.
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
#include "dispatch_fixture.h"
#include "server/dispatch/dispatch_workflow.h"
#include "workflow_assert.h"

#define WF   "{\"type\":\"workflow\",\"name\":\"wf\"}"
#define LONG (3600 * SPAN_S)

/* Long where a test waits for an event, short where it waits for a pause. */
static const struct flow_limits quick = {
    .retry_first = SPAN_MS,
    .retry_max = 2 * SPAN_MS,
    .poll_first = SPAN_MS,
    .poll_max = 2 * SPAN_MS,
    .patience = LONG,
    .follow_patience = LONG,
    .end_patience = LONG,
    .request = 60 * SPAN_S,
    .connect = 60 * SPAN_S,
    .later = LONG,
};

struct world {
    struct dispatch_fixture *fixture;
    struct conductor *conductor;
    struct flow_limits limits;
    char run[RUN_ID_TEXT_MAX];
};

static inline int world_setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    void *fixture;
    char settings[300];

    assert_non_null(world);
    fixture_setup(&fixture);
    world->fixture = fixture;
    world->limits = quick;
    world->conductor = calloc(1, sizeof *world->conductor);
    assert_non_null(world->conductor);
    conductor_start(world->conductor, loop_uv(world->fixture->loop));
    snprintf(settings, sizeof settings,
             "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"conductor\","
             "\"url\":\"http://127.0.0.1:%d/api\",\"headers\":{\"X-Authorization\":\"t\"}}}}",
             world->conductor->server.port);
    fixture_set(world->fixture, settings);
    fixture_open(world->fixture);
    world->fixture->dispatcher->flow = &world->limits;
    *state = world;
    return 0;
}

static inline int world_teardown(void **state)
{
    struct world *world = *state;
    void *fixture = world->fixture;

    if (world->fixture->dispatcher) {
        fixture_close(world->fixture);
        fixture_wait_closed(world->fixture);
    }
    conductor_stop(world->conductor);
    uv_run(loop_uv(world->fixture->loop), UV_RUN_NOWAIT);
    fixture_teardown(&fixture);
    free(world->conductor);
    free(world);
    return 0;
}

static inline struct dispatch_order *flow_order(struct world *world, const char *action)
{
    struct dispatch_order *order = fixture_order(world->fixture, LANE_FLOW, action);

    snprintf(world->run, sizeof world->run, "%.*s", STR_ARG(order->assignment.id));
    return order;
}

static inline void start(struct world *world, struct dispatch_order *order)
{
    dispatcher_start(world->fixture->dispatcher, order);
}

/* Runs the loop until `count` requests with this line were seen. */
static inline void wait_seen(struct world *world, const char *line, int count)
{
    while (conductor_seen(world->conductor, line) < count)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
}

/* Ends a workflow. */
static inline void end_flow(struct world *world, int i, const char *status, const char *reason)
{
    world->conductor->flows[i].status = status;
    world->conductor->flows[i].reason = reason;
}

/* Runs the loop until a report with a progress arrives, and returns it. */
static inline struct str wait_progress(struct world *world)
{
    for (int i = 0;; i++) {
        const struct report *report = fixture_wait(world->fixture, i + 1);

        if (report->progress.len > 0)
            return report->progress;
        assert_int_equal(report->kind, REPORT_ALIVE);
    }
}

static inline const struct report *wait_end(struct world *world)
{
    return fixture_wait_end(world->fixture);
}

/* Creates a workflow of an earlier attempt, and an order that knows it. */
static inline struct dispatch_order *next_attempt(struct world *world)
{
    struct dispatch_order *order = flow_order(world, WF);

    world->conductor->flows[0] = (struct conductor_flow){
        .id = "wf-1", .input = "{}", .status = "RUNNING", .output = "{}"};
    world->conductor->count = 1;
    order->assignment.run.progress = STR(
        "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    order->assignment.run.attempt = 2;
    order->assignment.run.losses = 1;
    return order;
}
