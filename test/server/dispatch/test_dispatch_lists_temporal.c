/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many followed workflows of Temporal: its list of runs that have ended shows an end long
 * before it is the workflow's turn to be looked at.
 */
#include "temporal_world.h"

enum { MANY = 60 }; /* at one look per second, a round takes a minute */

#define LIST "ListWorkflowExecutions"

static void set_limits(struct world *world, int rate, int long_polls)
{
    char settings[300];

    snprintf(settings, sizeof settings,
             "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"temporal\","
             "\"url\":\"http://127.0.0.1:%d\",\"namespace\":\"default\","
             "\"followRate\":%d,\"longPolls\":%d}}}",
             world->server->port, rate, long_polls);
    fixture_set(world->fixture, settings);
}

/* Follows workflows that an earlier boot has started. */
static void follow_many(struct world *world)
{
    for (int i = 0; i < MANY; i++) {
        struct dispatch_order *order = flow_order(world, WF);
        struct temporal_run *run = &world->server->runs[i];
        struct buf id = arena_buf(world->server->arena, 32);
        struct buf progress = arena_buf(order->arena, 100);

        buf_printf(&id, "flow-%d", i);
        *run = (struct temporal_run){
            .id = buf_whole(&id).ptr, .request_id = "x", .identity = "y"};
        snprintf(run->run, sizeof run->run, "run-%d", i);
        buf_printf(&progress, "{\"workflowId\":\"%s\",\"runId\":\"%s\",\"workflows\":1}",
                   run->id, run->run);
        order->assignment.run.progress = buf_whole(&progress);
        order->assignment.run.pass = i + 1;
        order->assignment.run.flags = RUN_FOLLOWED;
        start(world, order);
    }
    world->server->count = MANY;
}

static void an_end_is_noticed_by_a_list(void **state)
{
    struct world *world = *state;
    const Temporal__ListWorkflowExecutionsRequest *list;

    set_limits(world, 1, 0);
    follow_many(world);
    wait_seen(world, LIST, 1);
    temporal_end(world->server, MANY - 2, TEMPORAL_COMPLETED, "42");
    temporal_end(world->server, MANY - 1, TEMPORAL_COMPLETED, "42");
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    while (dispatcher_followed(world->fixture->dispatcher) > MANY - 2)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    /* Without the list, all others would have been looked at before. */
    assert_true(temporal_count_seen(world->server, POLL) < MANY - 2);
    list = (const void *)temporal_nth(world->server, LIST, 0)->message;
    assert_non_null(strstr(list->query, "TemporalScheduledById IS NOT NULL"));
}

static void only_so_many_long_polls_wait(void **state)
{
    struct world *world = *state;

    world->limits.poll_first = world->limits.poll_max = 200 * SPAN_MS;
    set_limits(world, 1000, 7);
    follow_many(world);
    while (world->server->waiting_count < 7)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    wait_seen(world, POLL, 2 * MANY); /* the others are looked at */
    assert_int_equal(world->server->waiting_count, 7);
    temporal_end(world->server, MANY - 1, TEMPORAL_COMPLETED, "42");
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(an_end_is_noticed_by_a_list),
        IN_WORLD(only_so_many_long_polls_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
