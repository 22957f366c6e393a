/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that intact worlds are accepted, and that each damaged one is rejected with the number
 * of the invariant (docs/invariants.md) that the damage violates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/cursor.h"
#include "fake_world.h"
#include "verdict.h"

enum { SEEDS = 8, SECONDS = 12, TEXT_MAX = 4096 };

static struct fake_world whole; /* the world that tests copy and damage */

static int make_whole(void **state)
{
    (void)state;
    fake_world_make(&whole, 1, SECONDS);
    return 0;
}

static int free_whole(void **state)
{
    (void)state;
    fake_world_free(&whole);
    return 0;
}

static int set_up(void **state)
{
    struct fake_world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    fake_world_copy(&whole, world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    fake_world_free(*state);
    free(*state);
    return 0;
}

static enum rc judged(const struct fake_world *world, struct verdict_counts *counts,
                      struct err *err)
{
    return verdict(world->url, buf_as_str(&world->journal), counts, err);
}

static struct verdict_counts assert_accepted_counts(const struct fake_world *world)
{
    struct verdict_counts counts;
    struct err err = {.text = ""};
    enum rc rc = judged(world, &counts, &err);

    if (rc != RC_OK)
        fail_msg("%s: %s", rc_name(rc), err.text);
    return counts;
}

static void assert_accepted(const struct fake_world *world)
{
    struct verdict_counts counts = assert_accepted_counts(world);

    assert_true(counts.schedules > 0 && counts.deliveries > 0 && counts.reports > 0 &&
                counts.skipped > 0 && counts.runs > 0);
}

static void assert_rejected(const struct fake_world *world, int number)
{
    struct verdict_counts counts;
    struct err err = {.text = ""};
    enum rc rc = judged(world, &counts, &err);

    if (rc != RC_CORRUPT || atoi(err.text) != number)
        fail_msg("not rejected by %d but: %s: %s", number, rc_name(rc), err.text);
}

/* ---- damaging the journal ---- */

/* The first line that begins with a word and contains a text. */
static char *find_line(struct fake_world *world, const char *word, const char *text)
{
    for (char *line = world->journal.ptr; line && *line;) {
        char *end = strchr(line, '\n'), *at = strstr(line, text);

        assert_non_null(end);
        if (strncmp(line, word, strlen(word)) == 0 && at && at < end)
            return line;
        line = end + 1;
    }
    fail_msg("no line `%s` has `%s`", word, text);
    return NULL;
}

/* Replaces `length` bytes by another text. */
static void put_in(struct fake_world *world, char *at, size_t length, const char *text)
{
    struct buf *journal = &world->journal;
    size_t place = (size_t)(at - journal->ptr), rest = journal->len - place - length + 1;

    assert_true(journal->len + strlen(text) < journal->cap);
    memmove(at + strlen(text), at + length, rest); /* with its terminating zero */
    memcpy(at, text, strlen(text));
    journal->len = place + strlen(text) + rest - 1;
}

static void change(struct fake_world *world, const char *word, const char *text, const char *to)
{
    put_in(world, strstr(find_line(world, word, text), text), strlen(text), to);
}

static void drop(struct fake_world *world, const char *word, const char *text)
{
    char *line = find_line(world, word, text);

    put_in(world, line, (size_t)(strchr(line, '\n') + 1 - line), "");
}

static void repeat(struct fake_world *world, const char *word)
{
    char *line = find_line(world, word, "");
    char copy[TEXT_MAX];

    snprintf(copy, sizeof copy, "%.*s", (int)(strchr(line, '\n') + 1 - line), line);
    put_in(world, line, 0, copy);
}

/* The field of a line, counted from 0. */
static char *field(char *line, int number)
{
    while (number-- > 0) {
        line = strchr(line, '\t');
        assert_non_null(line);
        line++;
    }
    return line;
}

static void set_field(struct fake_world *world, const char *word, int number, const char *to)
{
    char *at = field(find_line(world, word, ""), number);

    put_in(world, at, strcspn(at, "\t\n"), to);
}

static void add(struct fake_world *world, const char *line)
{
    put_in(world, world->journal.ptr + world->journal.len, 0, line);
}

/* ---- what holds ---- */

static void an_intact_world_is_accepted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fake_world world;

        fake_world_make(&world, seed, SECONDS);
        assert_accepted(&world);
        fake_world_free(&world);
    }
}

static void an_unanswered_request_may_have_been_executed(void **state)
{
    change(*state, "reply", "\tok\t", "\tinfo\t");
    assert_accepted(*state);
}

static void an_unanswered_request_may_have_no_effect(void **state)
{
    add(*state, "ask\t1772366410000000\t9000\tput\ts1\t{}\n"
                "reply\t1772366410000000\t9000\tinfo\t0\t\n");
    assert_accepted(*state);
}

/* ---- damage to the store ---- */

static void a_slot_without_an_account_is_lost(void **state)
{
    fake_world_damage(*state, "DELETE FROM ledger WHERE id = (SELECT min(id) FROM ledger"
                              " WHERE pass = 0)");
    assert_rejected(*state, 11);
}

static void a_slot_with_two_accounts_is_doubled(void **state)
{
    fake_world_damage(*state,
                      "INSERT INTO ledger SELECT 1, schedule, 0, slot, slot, 1, 2, 1,"
                      " ended_at, expire_at, day, 1, 0 FROM history WHERE pass = 0 AND last = 1"
                      " ORDER BY id LIMIT 1");
    assert_rejected(*state, 1);
}

static void a_run_that_ended_twice_is_rejected(void **state)
{
    fake_world_damage(
        *state, "INSERT INTO history SELECT (SELECT max(id) + 1 FROM history), schedule,"
                " slot, pass, attempt + 1,"
                " fence + 1, bits, outcome, reason, last, due, created_at, started_at,"
                " ended_at, expire_at, queue, node, worker, error, result, input, namespace,"
                " tokens, cost, day FROM history WHERE last = 1 AND started_at > 0"
                " ORDER BY id LIMIT 1");
    assert_rejected(*state, 19);
}

static void a_gap_in_attempts_is_rejected(void **state)
{
    fake_world_damage(*state, "UPDATE history SET attempt = attempt + 1 WHERE id ="
                              " (SELECT min(id) FROM history WHERE last = 1)");
    assert_rejected(*state, 4);
}

static void a_fence_that_does_not_grow_is_rejected(void **state)
{
    fake_world_damage(*state,
                      "UPDATE history SET fence = (SELECT max(fence) FROM history AS h WHERE"
                      " h.schedule = history.schedule AND h.slot = history.slot AND"
                      " h.pass = history.pass) WHERE attempt = 1 AND last = 0");
    assert_rejected(*state, 5);
}

static void a_run_that_is_still_open_is_rejected(void **state)
{
    fake_world_damage(
        *state, "INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate, bits,"
                " due, rank, attempt, fence, node, lease_until, wake_at, created_at,"
                " started_at, attempt_at)"
                " SELECT 1, schedule, slot, pass, 3, 0, 0, 0, bits, due, due, 1, 1, 0,"
                " 9223372036854775807, 9223372036854775807, created_at, 0, 0"
                " FROM history ORDER BY id LIMIT 1");
    assert_rejected(*state, 25);
}

static void a_counter_that_is_off_is_rejected(void **state)
{
    fake_world_damage(*state, "UPDATE cursors SET succeeded = succeeded + 1 WHERE id ="
                              " (SELECT min(id) FROM cursors)");
    assert_rejected(*state, 15);
}

/* ---- damage to observations ---- */

static void a_delivery_that_the_store_does_not_know_is_rejected(void **state)
{
    set_field(*state, "sent", 4, "77");
    assert_rejected(*state, 7);
}

static void a_grant_that_the_store_does_not_know_is_rejected(void **state)
{
    set_field(*state, "grant", 4, "77");
    assert_rejected(*state, 7);
}

static void a_delivery_that_came_twice_is_rejected(void **state)
{
    repeat(*state, "sent");
    assert_rejected(*state, 5);
}

static void a_key_that_changes_is_rejected(void **state)
{
    set_field(*state, "sent", 5, "another");
    assert_rejected(*state, 8);
}

static void a_delivery_with_a_wrong_slot_is_rejected(void **state)
{
    set_field(*state, "sent", 6, "1772366400001");
    assert_rejected(*state, 8);
}

static void a_delivery_before_its_time_is_rejected(void **state)
{
    set_field(*state, "sent", 1, "1772366400000001");
    assert_rejected(*state, 12);
}

/* Gives every schedule at-most-once delivery. */
static void make_at_most_once(struct fake_world *world)
{
    char *at = world->journal.ptr;

    while ((at = strstr(at, "\"lease\":"))) {
        const char more[] = "\"delivery\":\"atMostOnce\",";

        if (strncmp(strstr(at, "}") + 1, ",\"delivery\"", 11) != 0)
            put_in(world, at, 0, more);
        at += sizeof more + 8;
    }
}

static void at_most_once_that_came_twice_is_rejected(void **state)
{
    make_at_most_once(*state); /* and some were retried */
    assert_rejected(*state, 8);
}

/* Removes the deliveries of second and later attempts. */
static void drop_retries(struct fake_world *world)
{
    for (char *line = world->journal.ptr; *line;) {
        char *next = strchr(line, '\n') + 1;
        bool is_delivery = strncmp(line, "sent", 4) == 0 || strncmp(line, "grant", 5) == 0;

        if (is_delivery && atoi(field(line, 3)) > 1)
            put_in(world, line, (size_t)(next - line), "");
        else
            line = next;
    }
}

static void at_most_once_is_not_repeated_when_it_was_cut(void **state)
{
    make_at_most_once(*state);
    drop_retries(*state);
    while (strstr(((struct fake_world *)*state)->journal.ptr, "\tdone\t"))
        drop(*state, "report", "\tdone\t");
    (void)assert_accepted_counts(*state);
    repeat(*state, "sent");
    put_in(*state, strchr(find_line(*state, "sent", ""), '\n'), 0, "\tcut");
    assert_rejected(*state, 8);
}

static void an_acknowledged_end_with_another_outcome_is_rejected(void **state)
{
    change(*state, "report", "\tsucceeded\tok", "\tfailed\tok");
    assert_rejected(*state, 6);
}

/* ---- damage to the operators' answers ---- */

static void an_acknowledged_edit_that_is_gone_is_rejected(void **state)
{
    add(*state, "ask\t1772366410000000\t9000\tpause\ts1\t{}\n"
                "reply\t1772366410000000\t9000\tok\t900\t\n");
    assert_rejected(*state, 13);
}

static void an_acknowledged_trigger_that_is_gone_is_rejected(void **state)
{
    struct fake_world *world = *state;

    fake_world_damage(world, "DELETE FROM history WHERE pass > 0");
    assert_rejected(world, 7);
    while (strstr(world->journal.ptr, "\nsent\t"))
        drop(world, "sent", "");
    while (strstr(world->journal.ptr, "\ngrant\t"))
        drop(world, "grant", "");
    while (strstr(world->journal.ptr, "\nreport\t"))
        drop(world, "report", "");
    assert_rejected(world, 13);
}

/* A trigger's run, and one of the same schedule that never existed. */
static void an_acknowledged_stop_needs_an_end(void **state)
{
    char run[64], line[256];
    const char *at = field(find_line(*state, "reply", "\tr_"), 5);

    snprintf(run, sizeof run, "%.*s", (int)strcspn(at, "\n"), at);
    snprintf(line, sizeof line,
             "ask\t1772366410000000\t9000\tcancel\ts1\t%s\n"
             "reply\t1772366410000000\t9000\tok\t0\t\n",
             run);
    add(*state, line);
    assert_accepted(*state);
    run[strlen(run) - 2] = 'z';
    snprintf(line, sizeof line,
             "ask\t1772366410000000\t9001\tterminate\ts1\t%s\n"
             "reply\t1772366410000000\t9001\tok\t0\t\n",
             run);
    add(*state, line);
    assert_rejected(*state, 13);
}

static void a_call_that_was_cut_may_be_repeated(void **state)
{
    repeat(*state, "sent");
    put_in(*state, strchr(find_line(*state, "sent", ""), '\n'), 0, "\tcut");
    assert_accepted(*state);
}

static void a_refused_request_that_was_executed_is_rejected(void **state)
{
    change(*state, "reply", "\tok\t1\t", "\tfail\t0\t");
    assert_rejected(*state, 13);
}

static void a_change_without_a_request_is_rejected(void **state)
{
    char *ask = find_line(*state, "ask", "\tput\t");
    char number[32];

    snprintf(number, sizeof number, "\t%d\t", atoi(field(ask, 2)));
    drop(*state, "ask", number);
    drop(*state, "reply", number);
    assert_rejected(*state, 13);
}

#define DAMAGED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* No schedule has a program, so a crash of the server must not stop any of them. */
static void a_schedule_that_was_stopped_is_rejected(void **state)
{
    char sql[64];

    snprintf(sql, sizeof sql, "UPDATE cursors SET bits = bits | %d", CURSOR_QUARANTINED);
    fake_world_damage(*state, sql);
    assert_rejected(*state, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_intact_world_is_accepted),
        DAMAGED_TEST(an_unanswered_request_may_have_been_executed),
        DAMAGED_TEST(an_unanswered_request_may_have_no_effect),
        DAMAGED_TEST(a_slot_without_an_account_is_lost),
        DAMAGED_TEST(a_slot_with_two_accounts_is_doubled),
        DAMAGED_TEST(a_run_that_ended_twice_is_rejected),
        DAMAGED_TEST(a_gap_in_attempts_is_rejected),
        DAMAGED_TEST(a_fence_that_does_not_grow_is_rejected),
        DAMAGED_TEST(a_run_that_is_still_open_is_rejected),
        DAMAGED_TEST(a_counter_that_is_off_is_rejected),
        DAMAGED_TEST(a_delivery_that_the_store_does_not_know_is_rejected),
        DAMAGED_TEST(a_grant_that_the_store_does_not_know_is_rejected),
        DAMAGED_TEST(a_delivery_that_came_twice_is_rejected),
        DAMAGED_TEST(a_key_that_changes_is_rejected),
        DAMAGED_TEST(a_delivery_with_a_wrong_slot_is_rejected),
        DAMAGED_TEST(a_delivery_before_its_time_is_rejected),
        DAMAGED_TEST(at_most_once_that_came_twice_is_rejected),
        DAMAGED_TEST(at_most_once_is_not_repeated_when_it_was_cut),
        DAMAGED_TEST(an_acknowledged_end_with_another_outcome_is_rejected),
        DAMAGED_TEST(an_acknowledged_edit_that_is_gone_is_rejected),
        DAMAGED_TEST(an_acknowledged_trigger_that_is_gone_is_rejected),
        DAMAGED_TEST(an_acknowledged_stop_needs_an_end),
        DAMAGED_TEST(a_call_that_was_cut_may_be_repeated),
        DAMAGED_TEST(a_refused_request_that_was_executed_is_rejected),
        DAMAGED_TEST(a_change_without_a_request_is_rejected),
        DAMAGED_TEST(a_schedule_that_was_stopped_is_rejected),
    };

    return cmocka_run_group_tests(tests, make_whole, free_whole);
}
