/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the days of schedules with their cursors: both count every slot and every run.
 */
#pragma once

#include "harness.h"

#include "store/days.h"

enum { DAYS_ROWS_MAX = 4096 };

static struct day_sums days_sum;

static struct db *days_db(void)
{
    struct test_node *node = &world.nodes[0];

    while (!node->is_up)
        node++;
    return node->db;
}

/* The rows of table days of a subject, of all nodes; returns how many. */
static int sum_counted(int64_t subject, int64_t from, int64_t until)
{
    struct days_query query = {
        .subject = subject, .from = from, .until = until, .limit = DAYS_ROWS_MAX};
    struct db_result rows = {0};
    struct err err;

    day_sums_clear(&days_sum);
    days_of(days_db(), &query, &rows);
    assert_int_equal(db_flush(days_db(), world.arena, &err), RC_OK);
    assert_in_range(rows.rows, 0, DAYS_ROWS_MAX - 1);
    for (int i = 0; i < rows.rows; i++) {
        struct day_row row;

        days_read(&rows, i, &row);
        assert_int_equal(row.subject, subject);
        assert_true(day_sums_unpack(&days_sum, row.body));
    }
    return rows.rows;
}

static void add_sample(const struct day_sample *sample, int64_t subject, int64_t from,
                       int64_t until)
{
    if (sample->subject == subject && sample->day >= from && sample->day <= until)
        day_sums_add(&days_sum, sample);
}

/* The days of a schedule as a query returns them: also rows that are not counted yet. */
static void sum_days(int64_t schedule, int64_t from, int64_t until)
{
    struct db_result history = {0}, ledger = {0};
    struct err err;

    sum_counted(schedule, from, until);
    days_uncounted(days_db(), schedule, &history, &ledger);
    assert_int_equal(db_flush(days_db(), world.arena, &err), RC_OK);
    for (int i = 0; i < history.rows; i++) {
        struct day_sample samples[DAYS_SUBJECTS];
        int count = days_history_read(&history, i, samples);

        for (int j = 0; j < count; j++)
            add_sample(&samples[j], schedule, from, until);
    }
    for (int i = 0; i < ledger.rows; i++) {
        struct day_sample sample;

        for (int j = 0; days_ledger_read(&ledger, i, j, &sample); j++)
            add_sample(&sample, schedule, from, until);
    }
}

static int64_t day_total(enum day_count what)
{
    int64_t sum = 0;

    for (int kind = 0; kind < DAY_KINDS; kind++)
        sum += days_sum.counts[kind][what];
    return sum;
}

/* The sum over all days is what the cursor has counted in other ways. */
static void check_sum(const struct cursor *c)
{
    int64_t ended = day_total(DAY_SUCCEEDED) + day_total(DAY_FAILED) +
                    day_total(DAY_TIMED_OUT) + day_total(DAY_CANCELLED);

    assert_int_equal(day_total(DAY_SUCCEEDED), c->succeeded);
    assert_int_equal(day_total(DAY_FAILED) + day_total(DAY_TIMED_OUT), c->failed);
    assert_int_equal(ended, c->started - c->open);
    assert_int_equal(day_total(DAY_SKIPPED), c->skipped);
    assert_int_equal(day_total(DAY_MISSED), c->missed);
    assert_int_equal(day_total(DAY_DROPPED), c->dropped);
    assert_int_equal(day_total(DAY_WITHDRAWN), c->cancelled);
    assert_int_equal(days_sum.took.total <= ended, 1);
}

static void check_days(const char *name)
{
    struct cursor c = cursor_of(name);

    sum_days(c.id, INT64_MIN, INT64_MAX);
    check_sum(&c);
}
