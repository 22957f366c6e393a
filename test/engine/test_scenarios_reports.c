/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the holder of a run receives with it, and the effect of its reports.
 */
#include "harness.h"
#include "store/logs.h"

static void assert_handed(const struct call *call, const char *name, const char *last)
{
    assert_string_equal(call->work.name.ptr, name);
    assert_at(call->work.last_run_at, last);
}

static void a_call_knows_its_schedule_and_the_start_before_it(void **state)
{
    (void)state;
    create("nightly", every(SPAN_H));
    run_to("02:10");
    assert_handed(call_of("01:00"), "nightly", "none");
    assert_handed(call_of("02:00"), "nightly", "01:00");
    trigger("nightly", OVERLAP_DEFAULT);
    assert_handed(call_of("02:10"), "nightly", "02:00");
}

/* The first plan is read, the others are cached. */
static void each_call_has_the_name_of_its_own_schedule(void **state)
{
    (void)state;
    create("one", every(SPAN_H));
    create("two", cron("30 * * * *"));
    run_to("02:45");
    assert_handed(call_of("01:00"), "one", "none");
    assert_handed(call_of("01:30"), "two", "00:30");
    assert_handed(call_of("02:00"), "one", "01:00");
    assert_handed(call_of("02:30"), "two", "01:30");
}

/* Runs are ready at 01:00 and 02:00; the first worker polls at 02:30. */
static void a_run_that_waits_for_a_worker_keeps_the_start_before_it(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", overlapping(pulled(every(SPAN_H)), OVERLAP_ALLOW_ALL));
    run_to("02:30");
    poll_for("q", 2, "one");
    assert_handed(call_of("01:00"), "job", "none");
    assert_handed(call_of("02:00"), "job", "01:00");
}

static void a_held_run_has_the_time_of_the_last_start_before_it(void **state)
{
    (void)state;
    ends("01:00", "02:20", OUTCOME_SUCCEEDED);
    create("job", overlapping(every(SPAN_H), OVERLAP_BUFFER_ALL));
    run_to("01:10");
    trigger("job", OVERLAP_ALLOW_ALL);
    run_to("02:30");
    assert_calls("01:00@01:00, t01:10@01:10, 02:00@02:20");
    assert_handed(call_of("02:00"), "job", "01:10");
}

static void a_second_attempt_has_the_same_name_and_last_run(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 2, .backoff = BACKOFF_FIXED, .delay = SPAN_MIN, .max = SPAN_H};
    ends("02:00", "02:00", OUTCOME_FAILED);
    create("job", w);
    run_to("02:10");
    assert_calls("01:00@01:00, 02:00@02:00, 02:00#2@02:01");
    assert_handed(&world.calls[1], "job", "01:00");
    assert_handed(&world.calls[2], "job", "01:00");
}

static void a_direct_run_has_neither_name_nor_start_before_it(void **state)
{
    struct command command = command_for(COMMAND_DIRECT, "");
    struct test_schedule w = pulled(no_slots());

    (void)state;
    command.save.draft = draft_of(&w);
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:10");
    poll_for("q", 1, "one");
    assert_handed(call_of("00:00"), "", "none");
}

static void lose(struct call *call)
{
    assert_int_equal(report(call, REPORT_LOST, OUTCOME_NONE), RC_OK);
    call->is_open = false;
    settle();
}

static struct test_schedule tried_twice(void)
{
    struct test_schedule w = every(SPAN_H);

    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 2, .backoff = BACKOFF_FIXED, .delay = SPAN_MIN, .max = SPAN_H};
    return w;
}

static void a_lost_call_is_made_again_at_once_and_counts_as_no_attempt(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", tried_twice());
    run_to("01:00");
    lose(call_of("01:00"));
    assert_calls("01:00@01:00, 01:00#2@01:00");
    end_now(call_of("01:00"), OUTCOME_FAILED);
    run_to("01:05");
    assert_calls("01:00#3@01:01");
    end_now(call_of("01:00"), OUTCOME_FAILED);
    run_to("01:10");
    assert_calls("");
    assert_history("job", "01:00 unknown(node) retried, 01:00#2 failed(target) retried,"
                          " 01:00#3 failed(target)");
    assert_counts("job", "started 1, failed 1");
}

static void a_lost_call_is_not_made_again_at_most_once(void **state)
{
    struct test_schedule w = tried_twice();

    (void)state;
    w.draft.plan.policies.at_most_once = true;
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("01:00");
    lose(call_of("01:00"));
    run_to("01:10");
    assert_calls("01:00@01:00");
    assert_history("job", "01:00 unknown(node)");
    assert_counts("job", "started 1, failed 1");
    assert_false(cursor_of("job").flags & CURSOR_QUARANTINED);
}

/* What the server did not finish is not a fault of the called host, even if it is frequent. */
static void a_call_that_is_lost_again_and_again_is_made_again(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", tried_twice());
    run_to("01:00");
    for (int i = 0; i < BLAMES_MAX + 2; i++)
        lose(call_of("01:00"));
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    run_to("02:00");
    assert_int_equal(count_calls(), BLAMES_MAX + 4);
    assert_counts("job", "started 2, open 1");
    assert_false(cursor_of("job").flags & CURSOR_QUARANTINED);
}

static void a_lost_call_that_was_cancelled_ends_as_cancelled(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", tried_twice());
    run_to("01:00");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    lose(call_of("01:00"));
    assert_calls("01:00@01:00, cancel 01:00@01:00");
    assert_history("job", "01:00 cancelled(user)");
}

static void a_loss_under_an_old_fence_changes_nothing(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", tried_twice());
    run_to("01:00");
    lose(call_of("01:00"));
    assert_int_equal(report(&world.calls[0], REPORT_LOST, OUTCOME_NONE), RC_CONFLICT);
    assert_int_equal(world.events[EVENT_LEASE_STALE], 1);
    assert_history("job", "01:00 unknown(node) retried");
    assert_int_equal(cursor_of("job").open, 1);
}

/* Compares the parts of the run's log, each with its attempt: "1 one, 2 two". */
static void assert_log(struct run_id run, const char *expected)
{
    struct log_part part = {
        .schedule = run.schedule, .slot = run.slot_ms * SPAN_MS, .pass = run.pass};
    struct db *db = world.nodes[0].db;
    struct db_result got = {0};
    struct err err = {.text = ""};
    char text[256] = "";
    struct buf out = BUF(text);

    logs_of_run(db, &part, 0, 100, &got);
    if (db_flush(db, world.arena, &err) != RC_OK)
        fail_test("%s", err.text);
    for (int i = 0; i < got.rows; i++) {
        logs_read(&got, i, &part);
        buf_printf(&out, "%s%lld %.*s", i > 0 ? ", " : "", (long long)part.attempt,
                   STR_ARG(part.body));
    }
    assert_string_equal(text, expected);
}

static enum rc report_with_log(const struct call *call, enum report_kind kind, const char *log)
{
    struct report sent = make_report(call, kind, OUTCOME_SUCCEEDED);

    sent.log = str_of(log);
    return send_report(call, &sent);
}

static struct call *held_at(const char *slot)
{
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_H)));
    poll_for("q", 1, "one");
    run_to(slot);
    return call_of(slot);
}

static void log_lines_are_stored_with_every_kind_of_report(void **state)
{
    struct run_id run;
    struct call *call;

    (void)state;
    call = held_at("01:00");
    run = run_of("job", "01:00");
    assert_int_equal(report_with_log(call, REPORT_ALIVE, "begun"), RC_OK);
    assert_int_equal(report_with_log(call, REPORT_ALIVE, ""), RC_OK);
    assert_log(run, "1 begun");
    assert_int_equal(report_with_log(call, REPORT_RELEASE, "not mine"), RC_OK);
    call->is_open = false;
    poll_for("q", 1, "two");
    call = call_of("01:00");
    assert_int_equal(report_with_log(call, REPORT_DONE, "done"), RC_OK);
    call->is_open = false;
    assert_log(run, "1 begun, 1 not mine, 1 done");
    assert_history("job", "01:00 succeeded");
}

static void each_attempt_has_its_part_of_the_log(void **state)
{
    struct call *first;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", tried_twice());
    run_to("01:00");
    first = call_of("01:00");
    assert_int_equal(report_with_log(first, REPORT_LOST, "first"), RC_OK);
    first->is_open = false;
    assert_int_equal(report_with_log(call_of("01:00"), REPORT_DONE, "second"), RC_OK);
    assert_log(run_of("job", "01:00"), "1 first, 2 second");
}

/* A workflow that appeared later, for example.  Nothing else changes. */
static void a_note_after_the_end_is_added_to_the_log(void **state)
{
    struct run_id run;
    struct report note;
    struct call *call;

    (void)state;
    call = held_at("01:00");
    run = run_of("job", "01:00");
    assert_int_equal(report_with_log(call, REPORT_DONE, "done"), RC_OK);
    call->is_open = false;
    note = make_report(call, REPORT_NOTE, OUTCOME_NONE);
    note.attempt = 1;
    note.log = STR("later");
    assert_int_equal(send_report(call, &note), RC_OK);
    assert_log(run, "1 done, 1 later");
    assert_history("job", "01:00 succeeded");
    assert_int_equal(world.events[EVENT_LEASE_STALE], 0);
}

static void log_lines_with_an_old_fence_are_not_stored(void **state)
{
    struct call old;

    (void)state;
    old = *held_at("01:00");
    assert_int_equal(report_with_log(&old, REPORT_RELEASE, "mine"), RC_OK);
    call_of("01:00")->is_open = false;
    assert_int_equal(report_with_log(&old, REPORT_ALIVE, "late"), RC_CONFLICT);
    assert_int_equal(report_with_log(&old, REPORT_DONE, "late"), RC_CONFLICT);
    assert_log(run_of("job", "01:00"), "1 mine");
}

static void a_log_is_pruned_at_the_retention_age(void **state)
{
    struct test_schedule w = every(SPAN_DAY);
    struct run_id run;

    (void)state;
    w.draft.plan.policies.retention_age = 90 * SPAN_DAY;
    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("06-02 00:00");
    run = run_of("job", "06-02 00:00");
    assert_int_equal(report_with_log(call_of("06-02 00:00"), REPORT_DONE, "done"), RC_OK);
    call_of("06-02 00:00")->is_open = false;
    submit_ok(COMMAND_DELETE, "job");
    down_to("08-30 12:00"); /* 89 days later */
    world.tick = SPAN_H;
    run_to("08-30 23:00");
    assert_log(run, "1 done");
    down_to("08-31 12:00");
    run_to("08-31 23:00");
    assert_log(run, "");
}

/* Releases the run at another node, which stops before the next turn of the first. */
static void release_elsewhere(const struct call *call)
{
    struct test_node *other = world_join("b");
    struct report report = make_report(call, REPORT_RELEASE, OUTCOME_SUCCEEDED);
    struct turn_in in = {
        .now = world.now, .rows = TURN_ROWS_MIN, .reports = &report, .report_count = 1};
    struct turn_out out;
    struct err err;

    assert_int_equal(engine_turn(other->engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.report_replies[0].rc, RC_OK);
    node_kill(other);
    assert_int_equal(
        db_exec(world.nodes[0].db, STR("UPDATE nodes SET state = 2 WHERE name = 'b'"), &err),
        RC_OK);
}

/* The first node has outdated copies of the run and its cursor. */
static void changes_by_a_node_that_has_stopped_are_seen(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_H)));
    create("spare", pulled(every(SPAN_H)));
    poll_for("q", 2, "one");
    run_to("01:00");
    assert_int_equal(world.call_count, 2);
    poll_none();
    release_elsewhere(&world.calls[0]);
    assert_int_equal(report(&world.calls[0], REPORT_DONE, OUTCOME_SUCCEEDED), RC_CONFLICT);
    assert_int_equal(report(&world.calls[1], REPORT_DONE, OUTCOME_SUCCEEDED), RC_OK);
    assert_counts("job", "started 1, open 1");
    assert_history("job", "");
    assert_history("spare", "01:00 succeeded");
}

static void the_history_has_the_name_of_the_worker(void **state)
{
    struct db *db = world.nodes[0].db;
    struct db_result result;
    struct history_row row;
    struct err err;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_H)));
    poll_for("q", 1, "one");
    run_to("01:00");
    assert_int_equal(report(&world.calls[0], REPORT_DONE, OUTCOME_SUCCEEDED), RC_OK);
    history_of_schedule(db, world.calls[0].work.run.schedule, INT64_MAX, 1, &result);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    history_read(&result, 0, &row);
    assert_true(str_eq(row.worker, STR("one")));
    assert_int_equal(report(&world.calls[0], REPORT_DONE, OUTCOME_SUCCEEDED), RC_CONFLICT);
}

/* The engine caches its own call, but not the input. */
static void the_history_has_the_input_of_a_call(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "job");
    struct db *db = world.nodes[0].db;
    struct db_result ended = {0}, input = {0};
    struct err err = {.text = ""};
    int64_t id;

    (void)state;
    world.call_length = SPAN_MIN;
    id = create("job", no_slots());
    command.start.overlap = OVERLAP_DEFAULT;
    command.start.input = STR("[1]");
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("00:02");
    history_of_schedule(db, id, INT64_MAX, 1, &ended);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    assert_int_equal(ended.rows, 1);
    history_input(db, db_int_at(&ended, 0, 0), &input);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    assert_true(str_eq(db_text_at(&input, 0, 0), STR("[1]")));
}

/* It has no holder any more, so its cancel takes effect: it ends instead of starting again. */
static void a_cancelled_run_ends_when_its_worker_releases_it(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_H)));
    poll_for("q", 1, "one");
    run_to("01:00");
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "01:00")).rc, RC_OK);
    assert_int_equal(report(call_of("01:00"), REPORT_RELEASE, OUTCOME_NONE), RC_OK);
    call_of("01:00")->is_open = false;
    poll_for("q", 1, "two");
    assert_calls("01:00@01:00");
    assert_history("job", "01:00 cancelled(user)");
    assert_counts("job", "started 1");
}

static void a_run_cancelled_for_another_ends_when_it_is_released(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", overlapping(every(SPAN_H), OVERLAP_CANCEL_OTHER));
    run_to("02:00");
    assert_int_equal(report(call_of("01:00"), REPORT_RELEASE, OUTCOME_NONE), RC_OK);
    call_of("01:00")->is_open = false;
    settle();
    assert_history("job", "01:00 cancelled(other)");
    assert_int_equal(run_rows("job"), 1);
    assert_true(call_of("02:00")->is_open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_call_knows_its_schedule_and_the_start_before_it),
        TIMELINE(each_call_has_the_name_of_its_own_schedule),
        TIMELINE(a_run_that_waits_for_a_worker_keeps_the_start_before_it),
        TIMELINE(a_held_run_has_the_time_of_the_last_start_before_it),
        TIMELINE(a_second_attempt_has_the_same_name_and_last_run),
        TIMELINE(a_direct_run_has_neither_name_nor_start_before_it),
        TIMELINE(a_lost_call_is_made_again_at_once_and_counts_as_no_attempt),
        TIMELINE(a_lost_call_is_not_made_again_at_most_once),
        TIMELINE(a_call_that_is_lost_again_and_again_is_made_again),
        TIMELINE(a_lost_call_that_was_cancelled_ends_as_cancelled),
        TIMELINE(a_loss_under_an_old_fence_changes_nothing),
        TIMELINE(changes_by_a_node_that_has_stopped_are_seen),
        TIMELINE(the_history_has_the_name_of_the_worker),
        TIMELINE(log_lines_are_stored_with_every_kind_of_report),
        TIMELINE(each_attempt_has_its_part_of_the_log),
        TIMELINE(a_note_after_the_end_is_added_to_the_log),
        TIMELINE(log_lines_with_an_old_fence_are_not_stored),
        TIMELINE(a_log_is_pruned_at_the_retention_age),
        TIMELINE(the_history_has_the_input_of_a_call),
        TIMELINE(a_cancelled_run_ends_when_its_worker_releases_it),
        TIMELINE(a_run_cancelled_for_another_ends_when_it_is_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
