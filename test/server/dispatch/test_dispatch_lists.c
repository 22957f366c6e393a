/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many followed workflows of Conductor: its lists show which have ended, long before it is
 * their turn to be looked at.
 */
#include "workflow_world.h"

enum { MANY = 60 }; /* at one look per second, a round takes a minute */

#define LIST "GET /api/workflow/running/wf"
#define LOOK "GET /api/workflow/wf-"

static void set_rate(struct world *world, int rate)
{
    char settings[300];

    snprintf(settings, sizeof settings,
             "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"conductor\","
             "\"url\":\"http://127.0.0.1:%d/api\",\"followRate\":%d}}}",
             world->conductor->server.port, rate);
    fixture_set(world->fixture, settings);
}

static void start_many(struct world *world)
{
    set_rate(world, 1);
    world->conductor->supports_keys = false; /* the orders of the fixture have the same id */
    for (int i = 0; i < MANY; i++) {
        struct dispatch_order *order = flow_order(world, WF);

        order->assignment.run.pass = i + 1;
        start(world, order);
    }
    while (dispatcher_followed(world->fixture->dispatcher) < MANY)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
}

/* Ends the last one; returns how many looks it took until that was noticed. */
static int count_looks(struct world *world)
{
    int before = conductor_seen(world->conductor, LOOK);

    end_flow(world, MANY - 1, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    return conductor_seen(world->conductor, LOOK) - before;
}

static void an_end_is_noticed_by_a_list(void **state)
{
    struct world *world = *state;

    start_many(world);
    assert_true(count_looks(world) < 2 * MANY / 3); /* a part of a round */
    assert_true(conductor_seen(world->conductor, LIST) >= 1);
    assert_int_equal(dispatcher_followed(world->fixture->dispatcher), MANY - 1);
}

/* With a rate that suffices for all, there are no lists. */
static void few_workflows_are_looked_at_without_lists(void **state)
{
    struct world *world = *state;

    start_many(world);
    set_rate(world, 1000);
    world->conductor->server.seen_count = 0;
    wait_seen(world, LOOK, MANY);
    count_looks(world);
    assert_int_equal(conductor_seen(world->conductor, LIST), 0);
}

/* A list that misses workflows delays nothing and ends nothing. */
static void a_list_that_is_wrong_ends_no_workflow(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 1, (struct conductor_fault){LIST, 200, "[]", false});
    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){LIST, 200, "[\"wf-1\"", false});
    start_many(world);
    wait_seen(world, LIST, 3);
    assert_int_equal(dispatcher_followed(world->fixture->dispatcher), MANY);
    (void)count_looks(world);
    assert_int_equal(dispatcher_followed(world->fixture->dispatcher), MANY - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)
        IN_WORLD(an_end_is_noticed_by_a_list),
        IN_WORLD(few_workflows_are_looked_at_without_lists),
        IN_WORLD(a_list_that_is_wrong_ends_no_workflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
