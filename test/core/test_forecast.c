/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules that are played forward through an outage.  Times are computed by hand from
 * docs/semantics.md; the simulator compares many random plays with the engine.
 */
#include "core/forecast.h"

#include "advancing.h"

static struct fixture f;
static struct forecast_room room;

struct lines {
    struct buf out;
    int64_t stop_after; /* notes; 0: never */
};

static bool take_note(void *arg, const struct forecast_note *note)
{
    static const char *const kinds[] = {
        [FORECAST_ACCOUNT] = NULL,   [FORECAST_LISTED] = "list",    [FORECAST_BEGUN] = "begin",
        [FORECAST_SKIPPED] = "skip", [FORECAST_EXPIRED] = "expire",
    };
    struct lines *lines = arg;

    buf_text(&lines->out, lines->out.len > 0 ? ", " : "");
    if (note->kind == FORECAST_ACCOUNT) {
        put_account(&lines->out, &note->account);
    } else {
        buf_printf(&lines->out, "%s ", kinds[note->kind]);
        put_time(&lines->out, note->account.first);
    }
    if (note->at != note->due || note->kind == FORECAST_ACCOUNT) {
        buf_text(&lines->out, " at ");
        put_time(&lines->out, note->at);
    }
    return lines->stop_after == 0 || --lines->stop_after > 0;
}

static struct forecast forecast_of(struct lines *lines, const char *until)
{
    *lines = (struct lines){.out = BUF(f.line)};
    f.line[0] = '\0';
    f.plan.follows = plan_follows(&f.plan);
    f.cursor.last_start = f.cursor.last_end = INSTANT_NONE;
    return (struct forecast){
        .plan = &f.plan,
        .exceptions = f.exceptions,
        .exception_count = f.a.exception_count,
        .until = at(until),
        .room = &room,
        .note = take_note,
        .arg = lines,
        .cursor = f.cursor,
    };
}

/* Plays from the mark of the cursor, with an outage and runs of `duration`. */
static const char *played(span duration, const char *from, const char *to, const char *until)
{
    struct lines lines;
    struct forecast forecast = forecast_of(&lines, until);

    forecast.duration = duration;
    forecast.down_from = at(from);
    forecast.down_to = at(to);
    forecast_begin(&forecast, f.cursor.mark);
    forecast_play(&forecast);
    assert_false(forecast.is_cut);
    assert_false(lines.out.cut);
    return f.line;
}

#define EXPECT(actual, expected) assert_string_equal(actual, expected)
#define DOWN                     "2022-06-01T01:30:00Z", "2022-06-01T04:30:00Z"

static void make_hourly(enum catchup catchup, enum overlap overlap)
{
    make_cron_plan(&f, "0 * * * *", "2022-06-01T00:30:00Z");
    f.plan.policies.catchup = catchup;
    f.plan.policies.overlap = overlap;
}

static void without_an_outage_each_slot_begins_in_time(void **state)
{
    (void)state;
    make_hourly(CATCHUP_LATEST, OVERLAP_SKIP);
    EXPECT(played(SPAN_MIN, "2022-06-01T00:00:00Z", "2022-06-01T00:00:00Z",
                  "2022-06-01T03:00:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00, begin 01 02:00");
    EXPECT(played(0, "2022-06-01T00:00:00Z", "2022-06-01T00:00:00Z", "2022-06-01T03:00:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00, begin 01 02:00");
}

static void after_an_outage_the_catchup_policy_decides(void **state)
{
    (void)state;
    make_hourly(CATCHUP_LATEST, OVERLAP_ALLOW_ALL);
    EXPECT(played(0, DOWN, "2022-06-01T05:30:00Z"),
           "list 01 01:00, begin 01 01:00, "
           "missed(coalesced) 01 02:00-01 03:00 x2 at 01 04:30, list 01 04:00 at 01 04:30, "
           "begin 01 04:00 at 01 04:30, list 01 05:00, begin 01 05:00");
    make_hourly(CATCHUP_OLDEST, OVERLAP_ALLOW_ALL);
    EXPECT(played(0, DOWN, "2022-06-01T04:31:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "missed(coalesced) 01 03:00-01 04:00 x2 at 01 04:30, begin 01 02:00 at 01 04:30");
    make_hourly(CATCHUP_NONE, OVERLAP_ALLOW_ALL);
    EXPECT(played(0, DOWN, "2022-06-01T04:31:00Z"),
           "list 01 01:00, begin 01 01:00, missed(window) 01 02:00-01 04:00 x3 at 01 04:30");
    make_hourly(CATCHUP_ALL, OVERLAP_ALLOW_ALL);
    f.plan.policies.catchup_window = 2 * SPAN_H;
    EXPECT(played(0, DOWN, "2022-06-01T04:31:00Z"),
           "list 01 01:00, begin 01 01:00, missed(window) 01 02:00 at 01 04:30, "
           "list 01 03:00 at 01 04:30, list 01 04:00 at 01 04:30, "
           "begin 01 03:00 at 01 04:30, begin 01 04:00 at 01 04:30");
}

static void the_overlap_policy_decides_about_what_is_listed(void **state)
{
    (void)state;
    make_hourly(CATCHUP_ALL, OVERLAP_SKIP);
    EXPECT(played(SPAN_MIN, DOWN, "2022-06-01T04:31:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "list 01 03:00 at 01 04:30, list 01 04:00 at 01 04:30, "
           "begin 01 02:00 at 01 04:30, skip 01 03:00 at 01 04:30, skip 01 04:00 at 01 04:30");
    make_hourly(CATCHUP_ALL, OVERLAP_BUFFER_ALL);
    EXPECT(played(20 * SPAN_MIN, DOWN, "2022-06-01T05:00:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "list 01 03:00 at 01 04:30, list 01 04:00 at 01 04:30, "
           "begin 01 02:00 at 01 04:30, begin 01 03:00 at 01 04:50");
    make_hourly(CATCHUP_ALL, OVERLAP_CANCEL_OTHER);
    EXPECT(played(5 * SPAN_H, DOWN, "2022-06-01T04:31:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "list 01 03:00 at 01 04:30, list 01 04:00 at 01 04:30, skip 01 02:00 at 01 04:30, "
           "skip 01 03:00 at 01 04:30, begin 01 04:00 at 01 04:30");
}

/* The run of 01:00 is open until 06:00; 02:00 waits for it for more than two hours. */
static void what_waits_for_too_long_expires(void **state)
{
    (void)state;
    make_hourly(CATCHUP_ALL, OVERLAP_BUFFER_ONE);
    f.plan.policies.catchup_window = 2 * SPAN_H;
    EXPECT(played(5 * SPAN_H, "2022-06-01T09:00:00Z", "2022-06-01T09:00:00Z",
                  "2022-06-01T06:10:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00, list 01 03:00, skip 01 03:00, "
           "list 01 04:00, skip 01 04:00, list 01 05:00, expire 01 02:00 at 01 05:00, "
           "list 01 06:00, begin 01 05:00 at 01 06:00");
}

static void a_full_buffer_drops_or_waits(void **state)
{
    (void)state;
    make_hourly(CATCHUP_ALL, OVERLAP_BUFFER_ALL);
    f.plan.policies.buffer_limit = 1;
    f.plan.policies.drop_when_full = true;
    EXPECT(played(SPAN_MIN, DOWN, "2022-06-01T04:31:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "dropped(buffer) 01 03:00-01 04:00 x2 at 01 04:30, begin 01 02:00 at 01 04:30");
    f.plan.policies.drop_when_full = false;
    EXPECT(played(20 * SPAN_MIN, DOWN, "2022-06-01T04:51:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "begin 01 02:00 at 01 04:30, list 01 03:00 at 01 04:30, "
           "begin 01 03:00 at 01 04:50, list 01 04:00 at 01 04:50");
}

static void a_pause_that_ends_in_the_outage(void **state)
{
    (void)state;
    make_hourly(CATCHUP_ALL, OVERLAP_ALLOW_ALL);
    f.cursor.flags = CURSOR_PAUSED;
    f.cursor.paused_until = at("2022-06-01T03:00:00Z");
    EXPECT(played(0, DOWN, "2022-06-01T04:31:00Z"),
           "missed(paused) 01 01:00-01 02:00 x2 at 01 04:30, list 01 03:00 at 01 04:30, "
           "list 01 04:00 at 01 04:30, begin 01 03:00 at 01 04:30, begin 01 04:00 at 01 04:30");
    f.plan.policies.catchup = CATCHUP_LATEST;
    f.plan.policies.catchup_paused = true;
    EXPECT(played(0, DOWN, "2022-06-01T04:31:00Z"),
           "missed(coalesced) 01 01:00-01 03:00 x3 at 01 04:30, list 01 04:00 at 01 04:30, "
           "begin 01 04:00 at 01 04:30");
    f.cursor.paused_until = INSTANT_NEVER;
    EXPECT(played(0, DOWN, "2022-06-01T09:00:00Z"), "");
}

static void cancelled_slots_do_not_start(void **state)
{
    (void)state;
    make_hourly(CATCHUP_ALL, OVERLAP_ALLOW_ALL);
    except(&f, "2022-06-01T01:00:00Z");
    except(&f, "2022-06-01T03:00:00Z");
    EXPECT(played(0, DOWN, "2022-06-01T04:31:00Z"),
           "cancelled(user) 01 01:00 at 01 01:00, list 01 02:00 at 01 04:30, "
           "cancelled(user) 01 03:00 at 01 04:30, list 01 04:00 at 01 04:30, "
           "begin 01 02:00 at 01 04:30, begin 01 04:00 at 01 04:30");
}

static void starts_may_be_limited(void **state)
{
    (void)state;
    make_hourly(CATCHUP_ALL, OVERLAP_ALLOW_ALL);
    f.cursor.remaining = 2;
    EXPECT(played(0, DOWN, "2022-06-01T09:00:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "begin 01 02:00 at 01 04:30");
}

/* Each slot is 30 minutes after the end of a run of 15 minutes. */
static void slots_that_count_from_completions(void **state)
{
    (void)state;
    make_every_plan(&f, 30 * SPAN_MIN, ANCHOR_COMPLETION, "2022-06-01T00:00:00Z");
    f.plan.created = at("2022-06-01T00:00:00Z");
    EXPECT(played(15 * SPAN_MIN, "2022-06-01T09:00:00Z", "2022-06-01T09:00:00Z",
                  "2022-06-01T02:01:00Z"),
           "list 01 00:30, begin 01 00:30, list 01 01:15, begin 01 01:15, list 01 02:00, "
           "begin 01 02:00");
    /* The server learns at 03:00 that the run of 01:15 has ended. */
    EXPECT(played(15 * SPAN_MIN, "2022-06-01T01:20:00Z", "2022-06-01T03:00:00Z",
                  "2022-06-01T03:31:00Z"),
           "list 01 00:30, begin 01 00:30, list 01 01:15, begin 01 01:15, list 01 03:30, "
           "begin 01 03:30");
}

/* The run of 00:30 began at 02:00, after a pause, so that the next slot is 02:45. */
static void a_play_may_begin_while_a_run_is_open(void **state)
{
    struct lines lines;
    struct forecast forecast;

    (void)state;
    make_every_plan(&f, 30 * SPAN_MIN, ANCHOR_COMPLETION, "2022-06-01T00:30:00Z");
    f.plan.created = at("2022-06-01T00:00:00Z");
    f.cursor.last_slot = at("2022-06-01T00:30:00Z");
    f.cursor.next_at = INSTANT_NEVER;
    forecast = forecast_of(&lines, "2022-06-01T02:46:00Z");
    forecast.cursor.last_start = at("2022-06-01T02:00:00Z");
    forecast_begin(&forecast, at("2022-06-01T02:10:00Z"));
    forecast_add_open(&forecast, (struct forecast_run){at("2022-06-01T02:00:00Z"),
                                                       at("2022-06-01T02:15:00Z")});
    forecast_play(&forecast);
    EXPECT(f.line, "list 01 02:45, begin 01 02:45");
}

static void a_governed_schedule_keeps_the_time_that_it_chose(void **state)
{
    (void)state;
    make_every_plan(&f, SPAN_H, ANCHOR_EPOCH, "2022-06-01T00:30:00Z");
    f.plan.is_governed = true;
    f.plan.governor_interval = SPAN_H;
    f.plan.spec.entry_count = 0;
    f.cursor.next_at = at("2022-06-01T01:00:00Z");
    f.cursor.hint_at = INSTANT_NEVER;
    f.cursor.hint_expires = INSTANT_NONE;
    EXPECT(played(SPAN_MIN, DOWN, "2022-06-01T05:31:00Z"),
           "list 01 01:00, begin 01 01:00, list 01 02:00 at 01 04:30, "
           "begin 01 02:00 at 01 04:30, list 01 05:30, begin 01 05:30");
}

/* As if every slot before had been decided in time: the run of 02:00 is open at 02:10. */
static void a_play_may_begin_at_any_instant(void **state)
{
    struct lines lines;
    struct forecast forecast;

    (void)state;
    make_hourly(CATCHUP_LATEST, OVERLAP_SKIP);
    forecast = forecast_of(&lines, "2022-06-01T04:01:00Z");
    forecast.duration = 90 * SPAN_MIN;
    forecast_begin_at(&forecast, at("2022-06-01T02:10:00Z"));
    forecast_play(&forecast);
    EXPECT(f.line, "list 01 02:00, begin 01 02:00, list 01 03:00, skip 01 03:00, "
                   "list 01 04:00, begin 01 04:00");
}

static void a_play_ends_when_its_budget_is_used_up_or_nobody_listens(void **state)
{
    struct budget budget = {.left = 10};
    struct lines lines;
    struct forecast forecast;

    (void)state;
    make_hourly(CATCHUP_LATEST, OVERLAP_ALLOW_ALL);
    forecast = forecast_of(&lines, "2023-06-01T00:00:00Z");
    forecast.budget = &budget;
    forecast_begin(&forecast, f.cursor.mark);
    forecast_play(&forecast);
    assert_true(budget.is_over);
    forecast = forecast_of(&lines, "2023-06-01T00:00:00Z");
    lines.stop_after = 2;
    forecast_begin(&forecast, f.cursor.mark);
    forecast_play(&forecast);
    EXPECT(f.line, "list 01 01:00, begin 01 01:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_outage_each_slot_begins_in_time),
        cmocka_unit_test(after_an_outage_the_catchup_policy_decides),
        cmocka_unit_test(the_overlap_policy_decides_about_what_is_listed),
        cmocka_unit_test(what_waits_for_too_long_expires),
        cmocka_unit_test(a_full_buffer_drops_or_waits),
        cmocka_unit_test(a_pause_that_ends_in_the_outage),
        cmocka_unit_test(cancelled_slots_do_not_start),
        cmocka_unit_test(starts_may_be_limited),
        cmocka_unit_test(slots_that_count_from_completions),
        cmocka_unit_test(a_play_may_begin_while_a_run_is_open),
        cmocka_unit_test(a_governed_schedule_keeps_the_time_that_it_chose),
        cmocka_unit_test(a_play_may_begin_at_any_instant),
        cmocka_unit_test(a_play_ends_when_its_budget_is_used_up_or_nobody_listens),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
