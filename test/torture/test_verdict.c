/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds that kept every promise are accepted; each damaged one is rejected, with the number of
 * the invariant (docs/invariants.md) that the damage violates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stand.h"
#include "verdict.h"

enum { SEEDS = 8, SECONDS = 12, TEXT_MAX = 4096 };

static struct stand whole; /* the world that tests copy and damage */

static int make_whole(void **state)
{
    (void)state;
    stand_make(&whole, 1, SECONDS);
    return 0;
}

static int free_whole(void **state)
{
    (void)state;
    stand_free(&whole);
    return 0;
}

static int set_up(void **state)
{
    struct stand *stand = calloc(1, sizeof *stand);

    assert_non_null(stand);
    stand_copy(&whole, stand);
    *state = stand;
    return 0;
}

static int tear_down(void **state)
{
    stand_free(*state);
    free(*state);
    return 0;
}

static enum rc judged(const struct stand *stand, struct verdict_counts *counts, struct err *err)
{
    return verdict(stand->url, buf_as_str(&stand->journal), counts, err);
}

static struct verdict_counts accepted_in_part(const struct stand *stand)
{
    struct verdict_counts counts;
    struct err err = {.text = ""};
    enum rc rc = judged(stand, &counts, &err);

    if (rc != RC_OK)
        fail_msg("%s: %s", rc_name(rc), err.text);
    return counts;
}

static void accepted(const struct stand *stand)
{
    struct verdict_counts counts = accepted_in_part(stand);

    assert_true(counts.schedules > 0 && counts.deliveries > 0 && counts.reports > 0 &&
                counts.skipped > 0 && counts.runs > 0);
}

static void rejected(const struct stand *stand, int number)
{
    struct verdict_counts counts;
    struct err err = {.text = ""};
    enum rc rc = judged(stand, &counts, &err);

    if (rc != RC_CORRUPT || atoi(err.text) != number)
        fail_msg("not rejected by %d but: %s: %s", number, rc_name(rc), err.text);
}

/* ---- damaging the journal ---- */

/* The first line that begins with a word and contains a text. */
static char *find_line(struct stand *stand, const char *word, const char *text)
{
    for (char *line = stand->journal.ptr; line && *line;) {
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
static void put_in(struct stand *stand, char *at, size_t length, const char *text)
{
    struct buf *journal = &stand->journal;
    size_t place = (size_t)(at - journal->ptr), rest = journal->len - place - length + 1;

    assert_true(journal->len + strlen(text) < journal->cap);
    memmove(at + strlen(text), at + length, rest); /* with its terminating zero */
    memcpy(at, text, strlen(text));
    journal->len = place + strlen(text) + rest - 1;
}

static void change(struct stand *stand, const char *word, const char *text, const char *to)
{
    put_in(stand, strstr(find_line(stand, word, text), text), strlen(text), to);
}

static void drop(struct stand *stand, const char *word, const char *text)
{
    char *line = find_line(stand, word, text);

    put_in(stand, line, (size_t)(strchr(line, '\n') + 1 - line), "");
}

static void repeat(struct stand *stand, const char *word)
{
    char *line = find_line(stand, word, "");
    char copy[TEXT_MAX];

    snprintf(copy, sizeof copy, "%.*s", (int)(strchr(line, '\n') + 1 - line), line);
    put_in(stand, line, 0, copy);
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

static void set_field(struct stand *stand, const char *word, int number, const char *to)
{
    char *at = field(find_line(stand, word, ""), number);

    put_in(stand, at, strcspn(at, "\t\n"), to);
}

static void add(struct stand *stand, const char *line)
{
    put_in(stand, stand->journal.ptr + stand->journal.len, 0, line);
}

/* ---- what holds ---- */

static void a_world_that_kept_its_promise_is_accepted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct stand stand;

        stand_make(&stand, seed, SECONDS);
        accepted(&stand);
        stand_free(&stand);
    }
}

static void a_lost_answer_may_have_been_done(void **state)
{
    change(*state, "told", "\tok\t", "\tinfo\t");
    accepted(*state);
}

static void a_lost_answer_may_not_have_been_done(void **state)
{
    add(*state, "ask\t1772366410000000\t9000\tput\ts1\t{}\n"
                "told\t1772366410000000\t9000\tinfo\t0\t\n");
    accepted(*state);
}

/* ---- damage to the store ---- */

static void a_slot_without_an_account_is_lost(void **state)
{
    stand_spoil(*state, "DELETE FROM ledger WHERE id = (SELECT min(id) FROM ledger"
                        " WHERE pass = 0)");
    rejected(*state, 11);
}

static void a_slot_with_two_accounts_is_doubled(void **state)
{
    stand_spoil(*state, "INSERT INTO ledger SELECT 1, schedule, 0, slot, slot, 1, 2, 1,"
                        " ended_at, expire_at FROM history WHERE pass = 0 AND last = 1"
                        " ORDER BY id LIMIT 1");
    rejected(*state, 1);
}

static void a_run_that_ended_twice_is_rejected(void **state)
{
    stand_spoil(
        *state,
        "INSERT INTO history SELECT (SELECT max(id) + 1 FROM history), schedule,"
        " slot, pass, attempt + 1,"
        " fence + 1, bits, outcome, reason, last, due, created_at, started_at,"
        " ended_at, expire_at, queue, node, worker, error, result, input, namespace,"
        " tokens, cost FROM history WHERE last = 1 AND started_at > 0 ORDER BY id LIMIT 1");
    rejected(*state, 19);
}

static void a_gap_in_attempts_is_rejected(void **state)
{
    stand_spoil(*state, "UPDATE history SET attempt = attempt + 1 WHERE id ="
                        " (SELECT min(id) FROM history WHERE last = 1)");
    rejected(*state, 4);
}

static void a_fence_that_does_not_grow_is_rejected(void **state)
{
    stand_spoil(*state, "UPDATE history SET fence = (SELECT max(fence) FROM history AS h WHERE"
                        " h.schedule = history.schedule AND h.slot = history.slot AND"
                        " h.pass = history.pass) WHERE attempt = 1 AND last = 0");
    rejected(*state, 5);
}

static void a_run_that_is_still_open_is_rejected(void **state)
{
    stand_spoil(*state,
                "INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate, bits,"
                " due, rank, attempt, fence, node, lease_until, wake_at, created_at,"
                " started_at, attempt_at)"
                " SELECT 1, schedule, slot, pass, 3, 0, 0, 0, bits, due, due, 1, 1, 0,"
                " 9223372036854775807, 9223372036854775807, created_at, 0, 0"
                " FROM history ORDER BY id LIMIT 1");
    rejected(*state, 25);
}

static void a_counter_that_is_off_is_rejected(void **state)
{
    stand_spoil(*state, "UPDATE cursors SET succeeded = succeeded + 1 WHERE id ="
                        " (SELECT min(id) FROM cursors)");
    rejected(*state, 15);
}

/* ---- damage to observations ---- */

static void a_delivery_that_the_store_does_not_know_is_rejected(void **state)
{
    set_field(*state, "sent", 4, "77");
    rejected(*state, 7);
}

static void a_grant_that_the_store_does_not_know_is_rejected(void **state)
{
    set_field(*state, "grant", 4, "77");
    rejected(*state, 7);
}

static void a_delivery_that_came_twice_is_rejected(void **state)
{
    repeat(*state, "sent");
    rejected(*state, 5);
}

static void a_key_that_changes_is_rejected(void **state)
{
    set_field(*state, "sent", 5, "another");
    rejected(*state, 8);
}

static void a_delivery_with_a_wrong_slot_is_rejected(void **state)
{
    set_field(*state, "sent", 6, "1772366400001");
    rejected(*state, 8);
}

static void a_delivery_before_its_time_is_rejected(void **state)
{
    set_field(*state, "sent", 1, "1772366400000001");
    rejected(*state, 12);
}

/* Gives every schedule at-most-once delivery. */
static void request_for_once(struct stand *stand)
{
    char *at = stand->journal.ptr;

    while ((at = strstr(at, "\"lease\":"))) {
        const char more[] = "\"delivery\":\"atMostOnce\",";

        if (strncmp(strstr(at, "}") + 1, ",\"delivery\"", 11) != 0)
            put_in(stand, at, 0, more);
        at += sizeof more + 8;
    }
}

static void at_most_once_that_came_twice_is_rejected(void **state)
{
    request_for_once(*state); /* and some were retried */
    rejected(*state, 8);
}

/* Removes repeated deliveries. */
static void drop_again(struct stand *stand)
{
    for (char *line = stand->journal.ptr; *line;) {
        char *next = strchr(line, '\n') + 1;
        bool is_sight = strncmp(line, "sent", 4) == 0 || strncmp(line, "grant", 5) == 0;

        if (is_sight && atoi(field(line, 3)) > 1)
            put_in(stand, line, (size_t)(next - line), "");
        else
            line = next;
    }
}

static void at_most_once_is_not_repeated_when_it_was_cut(void **state)
{
    request_for_once(*state);
    drop_again(*state);
    while (strstr(((struct stand *)*state)->journal.ptr, "\tdone\t"))
        drop(*state, "report", "\tdone\t");
    (void)accepted_in_part(*state);
    repeat(*state, "sent");
    put_in(*state, strchr(find_line(*state, "sent", ""), '\n'), 0, "\tcut");
    rejected(*state, 8);
}

static void an_end_that_was_acknowledged_and_is_another_is_rejected(void **state)
{
    change(*state, "report", "\tsucceeded\tok", "\tfailed\tok");
    rejected(*state, 6);
}

/* ---- damage to the operators' answers ---- */

static void an_edit_that_was_acknowledged_and_is_gone_is_rejected(void **state)
{
    add(*state, "ask\t1772366410000000\t9000\tpause\ts1\t{}\n"
                "told\t1772366410000000\t9000\tok\t900\t\n");
    rejected(*state, 13);
}

static void a_trigger_that_was_acknowledged_and_is_gone_is_rejected(void **state)
{
    struct stand *stand = *state;

    stand_spoil(stand, "DELETE FROM history WHERE pass > 0");
    rejected(stand, 7);
    while (strstr(stand->journal.ptr, "\nsent\t"))
        drop(stand, "sent", "");
    while (strstr(stand->journal.ptr, "\ngrant\t"))
        drop(stand, "grant", "");
    while (strstr(stand->journal.ptr, "\nreport\t"))
        drop(stand, "report", "");
    rejected(stand, 13);
}

/* A trigger's run, and one of the same schedule that never existed. */
static void a_stop_that_was_acknowledged_needs_an_end(void **state)
{
    char run[64], line[256];
    const char *at = field(find_line(*state, "told", "\tr_"), 5);

    snprintf(run, sizeof run, "%.*s", (int)strcspn(at, "\n"), at);
    snprintf(line, sizeof line,
             "ask\t1772366410000000\t9000\tcancel\ts1\t%s\n"
             "told\t1772366410000000\t9000\tok\t0\t\n",
             run);
    add(*state, line);
    accepted(*state);
    run[strlen(run) - 2] = 'z';
    snprintf(line, sizeof line,
             "ask\t1772366410000000\t9001\tterminate\ts1\t%s\n"
             "told\t1772366410000000\t9001\tok\t0\t\n",
             run);
    add(*state, line);
    rejected(*state, 13);
}

static void a_call_that_was_cut_may_be_repeated(void **state)
{
    repeat(*state, "sent");
    put_in(*state, strchr(find_line(*state, "sent", ""), '\n'), 0, "\tcut");
    accepted(*state);
}

static void a_refused_wish_that_was_done_is_rejected(void **state)
{
    change(*state, "told", "\tok\t1\t", "\tfail\t0\t");
    rejected(*state, 13);
}

static void a_change_that_nobody_asked_for_is_rejected(void **state)
{
    char *told = find_line(*state, "ask", "\tput\t");
    char number[32];

    snprintf(number, sizeof number, "\t%d\t", atoi(field(told, 2)));
    drop(*state, "ask", number);
    drop(*state, "told", number);
    rejected(*state, 13);
}

#define DOCTORED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_that_kept_its_promise_is_accepted),
        DOCTORED(a_lost_answer_may_have_been_done),
        DOCTORED(a_lost_answer_may_not_have_been_done),
        DOCTORED(a_slot_without_an_account_is_lost),
        DOCTORED(a_slot_with_two_accounts_is_doubled),
        DOCTORED(a_run_that_ended_twice_is_rejected),
        DOCTORED(a_gap_in_attempts_is_rejected),
        DOCTORED(a_fence_that_does_not_grow_is_rejected),
        DOCTORED(a_run_that_is_still_open_is_rejected),
        DOCTORED(a_counter_that_is_off_is_rejected),
        DOCTORED(a_delivery_that_the_store_does_not_know_is_rejected),
        DOCTORED(a_grant_that_the_store_does_not_know_is_rejected),
        DOCTORED(a_delivery_that_came_twice_is_rejected),
        DOCTORED(a_key_that_changes_is_rejected),
        DOCTORED(a_delivery_with_a_wrong_slot_is_rejected),
        DOCTORED(a_delivery_before_its_time_is_rejected),
        DOCTORED(at_most_once_that_came_twice_is_rejected),
        DOCTORED(at_most_once_is_not_repeated_when_it_was_cut),
        DOCTORED(an_end_that_was_acknowledged_and_is_another_is_rejected),
        DOCTORED(an_edit_that_was_acknowledged_and_is_gone_is_rejected),
        DOCTORED(a_trigger_that_was_acknowledged_and_is_gone_is_rejected),
        DOCTORED(a_stop_that_was_acknowledged_needs_an_end),
        DOCTORED(a_call_that_was_cut_may_be_repeated),
        DOCTORED(a_refused_wish_that_was_done_is_rejected),
        DOCTORED(a_change_that_nobody_asked_for_is_rejected),
    };

    return cmocka_run_group_tests(tests, make_whole, free_whole);
}
