/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dispatcher and a stand-in for Temporal on one loop, for one test.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dispatch_fixture.h"
#include "server/dispatch/dispatch_workflow.h"
#include "temporal.h"
#include "workflow_assert.h"

#define WF                                                            \
    "{\"type\":\"workflow\",\"name\":\"wf\",\"workflowId\":\"base\"," \
    "\"queue\":\"q\",\"temporal\":\"GgIQAQ==\"}"
#define FLOW   "base-2026-09-21T14:13:20Z"
#define LONG   (3600 * SPAN_S)
#define START  "StartWorkflowExecution"
#define POLL   "GetWorkflowExecutionHistory"
#define END    "TerminateWorkflowExecution"
#define CANCEL "RequestCancelWorkflowExecution"

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
    .long_poll = 65 * SPAN_S,
    .connect = 60 * SPAN_S,
    .later = LONG,
};

struct world {
    struct dispatch_fixture *fixture;
    struct temporal *server;
    struct flow_limits limits;
    char run[RUN_ID_TEXT_MAX];
};

static inline void use_upstream(struct world *world, const char *namespace)
{
    char settings[300];

    snprintf(settings, sizeof settings,
             "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"temporal\","
             "\"url\":\"http://127.0.0.1:%d\",\"namespace\":\"%s\",\"apiKey\":\"k\"}}}",
             world->server->port, namespace);
    fixture_set(world->fixture, settings);
}

static inline int world_setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    void *fixture;

    assert_non_null(world);
    fixture_setup(&fixture);
    world->fixture = fixture;
    world->limits = quick;
    world->server = calloc(1, sizeof *world->server);
    assert_non_null(world->server);
    temporal_open(world->server, loop_uv(world->fixture->loop));
    use_upstream(world, "default");
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
    temporal_close(world->server);
    uv_run(loop_uv(world->fixture->loop), UV_RUN_NOWAIT);
    fixture_teardown(&fixture);
    free(world->server);
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

/* Runs the loop until `count` requests of the method were seen. */
static inline void wait_seen(struct world *world, const char *method, int count)
{
    while (temporal_count_seen(world->server, method) < count)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
}

/* Runs the loop until a poll waits for the end of a workflow. */
static inline void wait_long_poll(struct world *world)
{
    while (world->server->waiting_count == 0)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
}

static inline const struct report *wait_end(struct world *world)
{
    return fixture_wait_end(world->fixture);
}

static inline void create_foreign_flow(struct world *world)
{
    world->server->runs[0] = (struct temporal_run){
        .id = FLOW, .request_id = "x", .identity = "y", .run = "run-1"};
    world->server->count = 1;
}

/* Creates a workflow of an earlier attempt, and an order that knows it. */
static inline struct dispatch_order *next_attempt(struct world *world)
{
    struct dispatch_order *order = flow_order(world, WF);

    create_foreign_flow(world);
    order->assignment.run.progress = STR(
        "{\"workflowId\":\"" FLOW "\",\"runId\":\"run-1\",\"workflows\":1,\"ended\":false}");
    order->assignment.run.attempt = 2;
    return order;
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)
