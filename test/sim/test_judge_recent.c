/* SPDX-License-Identifier: Apache-2.0 */
/*
 * False records of the last runs, which the judge must reject (invariant 15).  In the world of
 * judging.h four runs have ended, all with success, the last one at 4:20.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judging.h"
#include "sim/ends.h"

static struct world world;
static struct world *const w = &world;
static struct cursor *const cursor = &world.cursors[0];

static int make_world(void **state)
{
    (void)state;
    world_make(w);
    return 0;
}

static void the_small_world_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(cursor->recent, 64 + 16 + 4 + 1);
    assert_int_equal(cursor->last_ok, AT(4, 20));
    assert_int_equal(cursor->last_late, 0);
    assert_accepted(w);
}

static void false_ends_of_the_last_runs_break_15(void **state)
{
    static const int64_t falsified[] = {
        0,              /* none has ended     */
        16 + 4 + 1,     /* one is missing     */
        256 + 85,       /* one more           */
        128 + 21,       /* the oldest failed  */
        84 + 2,         /* the newest failed  */
        84 + 3,         /* or was cancelled   */
        84,             /* or is unknown      */
        INT64_MIN + 85, /* and one long ago   */
    };

    (void)state;
    for (size_t i = 0; i < sizeof falsified / sizeof falsified[0]; i++) {
        cursor->recent = falsified[i];
        assert_rejected(w, 15);
    }
}

static void a_failure_that_counts_as_a_success_breaks_15(void **state)
{
    (void)state;
    world_make_empty(w);
    world_end(w, AT(1, 10), world_send(w, AT(1, 0), AT(1, 0), 0), OUTCOME_FAILED, true);
    cursor->started = 1;
    world_close(w, AT(1, 30), AT(1, 0));
    assert_int_equal(cursor->recent, 2);
    assert_accepted(w);
    cursor->recent = 1;
    assert_rejected(w, 15);
    cursor->recent = 2;
    cursor->last_ok = AT(1, 10);
    assert_rejected(w, 15);
}

static void another_last_success_breaks_15(void **state)
{
    static const instant falsified[] = {INSTANT_NONE, AT(4, 20) + 1, AT(2, 40), AT(4, 0)};

    (void)state;
    for (size_t i = 0; i < sizeof falsified / sizeof falsified[0]; i++) {
        cursor->last_ok = falsified[i];
        assert_rejected(w, 15);
    }
}

static void another_lateness_breaks_15(void **state)
{
    static const span falsified[] = {-1, 1, SPAN_S};

    (void)state;
    for (size_t i = 0; i < sizeof falsified / sizeof falsified[0]; i++) {
        cursor->last_late = falsified[i];
        assert_rejected(w, 15);
    }
}

/* 2:00 began in time; its second attempt did not. */
static void the_lateness_of_a_later_attempt_breaks_15(void **state)
{
    struct rec_delivery *d;

    (void)state;
    world_make_empty(w);
    d = world_send(w, AT(2, 0), AT(2, 0), 0);
    world_end(w, AT(2, 5), d, OUTCOME_FAILED, false);
    d = world_send(w, AT(2, 15), AT(2, 0), 0);
    world_end(w, AT(2, 20), d, OUTCOME_SUCCEEDED, true);
    (void)world_ledger(w, AT(2, 0), AT(1, 0), OUTCOME_MISSED, REASON_COALESCED);
    cursor->started = cursor->missed = 1;
    world_close(w, AT(2, 30), AT(2, 0));
    cursor->last_late = 15 * SPAN_S;
    assert_rejected(w, 15);
}

static void the_order_is_that_of_the_ends(void **state)
{
    (void)state;
    world_make_empty(w);
    world_end(w, AT(1, 10), world_send(w, AT(1, 0), AT(1, 0), 0), OUTCOME_SUCCEEDED, true);
    world_end(w, AT(2, 10), world_send(w, AT(2, 0), AT(2, 0), 0), OUTCOME_FAILED, true);
    cursor->started = 2;
    world_close(w, AT(2, 30), AT(2, 0));
    assert_int_equal(cursor->recent, 4 + 2);
    assert_accepted(w);
    cursor->recent = 2 * 4 + 1;
    assert_rejected(w, 15);
}

static void assert_recent_in_journal(uint64_t expected)
{
    struct arena *arena = arena_new(1 << 20);
    struct ends_turns turns;
    struct ends ends;

    ends_turns_make(&w->record, arena, &turns);
    ends_read(&w->record, &turns, SCHEDULE, arena, &ends);
    assert_true(ends.is_ordered);
    assert_int_equal(ends.recent, expected);
    arena_free(arena);
}

/* The key of node 2 is greater, but its turn came first. */
static void keys_of_two_nodes_do_not_tell_the_order(void **state)
{
    (void)state;
    world_make_empty(w);
    world_end(w, AT(1, 10), world_send(w, AT(1, 0), AT(1, 0), 0), OUTCOME_FAILED, true);
    world_end(w, AT(2, 10), world_send(w, AT(2, 0), AT(2, 0), 0), OUTCOME_SUCCEEDED, true);
    cursor->started = 2;
    world_close(w, AT(2, 30), AT(2, 0));
    w->history[0].id += 4096; /* of node 2 */
    for (int i = 0; i < w->record.turn_count; i++)
        if (w->turns[i].now == AT(1, 10))
            w->turns[i].node = 2;
    assert_recent_in_journal(2 * 4 + 1);
}

#define TEST(name) cmocka_unit_test_setup(name, make_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_small_world_is_accepted),
        TEST(false_ends_of_the_last_runs_break_15),
        TEST(a_failure_that_counts_as_a_success_breaks_15),
        TEST(another_last_success_breaks_15),
        TEST(another_lateness_breaks_15),
        TEST(the_lateness_of_a_later_attempt_breaks_15),
        TEST(the_order_is_that_of_the_ends),
        TEST(keys_of_two_nodes_do_not_tell_the_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
