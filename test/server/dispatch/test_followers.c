/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of followed workflows: order, shares, limits and size.
 */
#include "server/dispatch/followers.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { MANY = 50 * 1000, BYTES_MAX = 1024 };

static struct follow_limits limits = {.rate = 10};

static struct follow_limits limits_of(void *arg, int64_t namespace, struct str upstream)
{
    (void)arg;
    (void)namespace;
    (void)upstream;
    return limits;
}

static int setup(void **state)
{
    limits = (struct follow_limits){.rate = 10};
    *state = followers_new();
    return 0;
}

static int teardown(void **state)
{
    followers_free(*state);
    return 0;
}

/* With texts of the usual length. */
static struct follower *add(struct followers *all, int64_t schedule, int64_t due_us)
{
    const struct follower record = {
        .run = {schedule, 1790000000000, 0},
        .fence = 1,
        .due_us = due_us,
        .deadline_us = INT64_MAX,
        .texts = {[FOLLOWER_ID] = STR("r_00000000000000000000000000000000"),
                  [FOLLOWER_SCHEDULE] = STR("nightly-report"),
                  [FOLLOWER_SPACE] = STR("default"),
                  [FOLLOWER_UPSTREAM] = STR("main"),
                  [FOLLOWER_WORKFLOW] = STR("nightly-report-2026-09-21T14:13:20Z"),
                  [FOLLOWER_RUN_ID] = STR("01234567-89ab-cdef-0123-456789abcdef")},
    };

    return followers_add(all, &record);
}

/* Returns the schedule of the next record; 0: none is due. */
static int64_t next(struct followers *all, int64_t now, enum follow_reason expected)
{
    enum follow_reason reason;
    struct follower *record = followers_next(all, now, limits_of, NULL, &reason);
    int64_t schedule = record ? record->run.schedule : 0;

    if (record)
        assert_int_equal(reason, expected);
    follower_free(record);
    return schedule;
}

static void records_come_in_the_order_of_time(void **state)
{
    add(*state, 1, 30 * SPAN_S);
    add(*state, 2, 10 * SPAN_S);
    add(*state, 3, 20 * SPAN_S);
    assert_int_equal(next(*state, 9 * SPAN_S, FOLLOW_LOOK), 0);
    assert_int_equal(followers_wake_us(*state, 5 * SPAN_S), 10 * SPAN_S);
    assert_int_equal(next(*state, 30 * SPAN_S, FOLLOW_LOOK), 2);
    assert_int_equal(next(*state, 30 * SPAN_S, FOLLOW_LOOK), 3);
    assert_int_equal(next(*state, 30 * SPAN_S, FOLLOW_LOOK), 1);
    assert_int_equal(followers_count(*state), 0);
}

static void an_upstream_gets_no_more_requests_than_its_rate(void **state)
{
    int count = 0;

    for (int i = 1; i <= 1000; i++)
        add(*state, i, 0);
    for (int64_t now = 100 * SPAN_S; now <= 103 * SPAN_S; now += 10 * SPAN_MS)
        while (next(*state, now, FOLLOW_LOOK) != 0)
            count++;
    assert_in_range(count, 30, 30 + FOLLOW_BURST + 1);
    assert_int_equal(followers_wake_us(*state, 103 * SPAN_S) > 103 * SPAN_S, 1);
}

/* Neither many old ones nor many young ones delay the others. */
static void young_and_old_ones_take_turns(void **state)
{
    int young = 0, old = 0;

    for (int i = 1; i <= 1000; i++)
        add(*state, i, 0);
    for (int i = 1001; i <= 2000; i++) {
        struct follower *record = add(*state, i, 50);

        record->is_young = true;
        followers_moved(*state, record);
    }
    for (int64_t now = 100 * SPAN_S; now < 102 * SPAN_S; now += 10 * SPAN_MS)
        for (int64_t got; (got = next(*state, now, FOLLOW_LOOK)) != 0;)
            got > 1000 ? young++ : old++;
    assert_in_range(young, old - 1, old + 1);
}

static void only_so_many_wait_in_the_upstream(void **state)
{
    struct follow_target *target;

    limits.waits = 2;
    target = add(*state, 1, 0)->target;
    for (int i = 2; i <= 4; i++)
        add(*state, i, i);
    assert_int_equal(next(*state, 10, FOLLOW_WAIT), 1);
    assert_true(followers_has_due(target, 10));
    assert_int_equal(next(*state, 10, FOLLOW_WAIT), 2);
    assert_int_equal(next(*state, 10, FOLLOW_LOOK), 3);
    followers_done(target, FOLLOW_WAIT);
    assert_int_equal(next(*state, 10, FOLLOW_WAIT), 4);
    assert_false(followers_has_due(target, 10));
}

/* The owner waits for it; it does not wait for the rate. */
static void an_end_comes_first(void **state)
{
    struct follower *record;

    for (int i = 1; i <= 100; i++)
        add(*state, i, i);
    while (next(*state, SPAN_S, FOLLOW_LOOK) != 0)
        ;
    record = followers_find(*state, &(struct run_id){100, 1790000000000, 0}, 1);
    record->wants_end = true;
    followers_moved(*state, record);
    assert_int_equal(next(*state, SPAN_S, FOLLOW_END), 100);
}

static void a_deadline_is_found(void **state)
{
    struct follower *record = add(*state, 1, 1000);

    assert_null(followers_late(*state, INT64_MAX));
    record->deadline_us = 500;
    followers_moved(*state, record);
    assert_int_equal(followers_wake_us(*state, 0), 500);
    assert_null(followers_late(*state, 499));
    assert_ptr_equal(followers_late(*state, 500), record);
}

static void fifty_thousand_fit_into_little_memory(void **state)
{
    struct mallinfo2 before = mallinfo2(), after;

    if (before.uordblks == 0)
        skip(); /* the allocator of the sanitizers counts nothing */
    for (int i = 1; i <= MANY; i++)
        add(*state, i, i);
    after = mallinfo2();
    assert_in_range(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd, 1,
                    (size_t)MANY * BYTES_MAX);
    for (int i = 1; i <= MANY; i++)
        assert_non_null(followers_find(*state, &(struct run_id){i, 1790000000000, 0}, 1));
    assert_null(followers_find(*state, &(struct run_id){1, 1790000000000, 0}, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        CASE(records_come_in_the_order_of_time),
        CASE(an_upstream_gets_no_more_requests_than_its_rate),
        CASE(young_and_old_ones_take_turns),
        CASE(only_so_many_wait_in_the_upstream),
        CASE(an_end_comes_first),
        CASE(a_deadline_is_found),
        CASE(fifty_thousand_fit_into_little_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
