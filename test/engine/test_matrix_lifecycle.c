/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows 50 to 66 and 134 to 145 of docs/mission.md: lifecycle and storage.
 *
 * Tested in other layers: 62 (bulk calls), 65 (seeding when the server starts), 66 (listing),
 * 138 and 140 (Belfry stores no planned rows that could expire, and needs no planner), 141
 * (test/store/test_plans.c), 144 (a rule of the agents' API).
 */
#include "harness.h"
#include "store/named_objects.h"

static struct reply put(const char *name, struct test_schedule w)
{
    struct command command = command_for(COMMAND_PUT, name);

    command.save.draft = draft_of(&w);
    return submit(&command);
}

static void row_50_create(void **state)
{
    struct test_schedule w = every(5 * SPAN_MIN);
    int64_t key;

    (void)state;
    w.draft.description = STR("d\xC3\xA9j\xC3\xA0 vu");
    w.draft.labels = STR("{\"team\":\"a\"}");
    w.draft.extra = STR("{\"memo\":1}");
    w.draft.spec = STR("{\"intervals\":[{\"every\":\"5m\"}]}");
    key = create("job", w);
    assert_true(key > 0);
    assert_string_equal(row_of("job").name.ptr, "job");
    assert_string_equal(row_of("job").description.ptr, "d\xC3\xA9j\xC3\xA0 vu");
    assert_string_equal(row_of("job").labels.ptr, "{\"team\":\"a\"}");
    assert_string_equal(row_of("job").extra.ptr, "{\"memo\":1}");
    assert_string_equal(row_of("job").spec.ptr, "{\"intervals\":[{\"every\":\"5m\"}]}");
    assert_int_equal(row_of("job").namespace, world.namespace);
    assert_int_equal(world.events[EVENT_SCHEDULE_CREATED], 1);
}

static void row_51_upsert_by_name(void **state)
{
    struct reply first, second;

    (void)state;
    first = put("job", every(5 * SPAN_MIN));
    run_to("00:01");
    second = put("job", every(10 * SPAN_MIN));
    assert_int_equal(first.rc, RC_OK);
    assert_int_equal(second.rc, RC_OK);
    assert_int_equal(first.schedule, second.schedule);
    assert_int_equal(second.version, first.version + 1);
    assert_at(row_of("job").created_at, "00:00");
    assert_at(row_of("job").updated_at, "00:01");
    assert_at(cursor_of("job").next_at, "00:10");
}

/* The codec fills in absent fields; the engine takes complete drafts. */
static void row_52_update_raises_the_version(void **state)
{
    (void)state;
    create("job", every(5 * SPAN_MIN));
    assert_int_equal(update("job", 1, every(SPAN_H)).version, 2);
    assert_int_equal(update("job", 0, every(SPAN_H)).version, 3);
    assert_int_equal(cursor_of("job").version, 3);
    assert_int_equal(world.events[EVENT_SCHEDULE_UPDATED], 2);
}

static void row_53_optimistic_version(void **state)
{
    (void)state;
    create("job", every(5 * SPAN_MIN));
    assert_int_equal(update("job", 1, every(SPAN_H)).rc, RC_OK);
    assert_int_equal(update("job", 1, every(SPAN_MIN)).rc, RC_CONFLICT);
    assert_at(cursor_of("job").next_at, "01:00");
    assert_int_equal(row_of("job").version, 2);
}

static void row_54_delete_drops_waiting_runs(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", overlapping(every(5 * SPAN_MIN), OVERLAP_BUFFER_ALL));
    run_to("00:16");
    assert_counts("job", "started 1, open 1, waiting 2");
    submit_ok(COMMAND_DELETE, "job");
    run_to("00:30");
    assert_calls("00:05@00:05");
    /* Each slot that has waited has its own row. */
    assert_ledger("job", "dropped(deleted) 00:10, dropped(deleted) 00:15");
    /* A claimed run continues, and its end is in the history. */
    end_now(call_of("00:05"), OUTCOME_SUCCEEDED);
    assert_history("job", "00:05 succeeded");
    assert_int_equal(run_rows("job"), 0);
    assert_int_equal(world.events[EVENT_SCHEDULE_DELETED], 1);
}

static void row_54_delete_cancels_ready_runs(void **state)
{
    (void)state;
    create("job", pulled(every(5 * SPAN_MIN)));
    run_to("00:06");
    assert_int_equal(run_rows("job"), 1);
    submit_ok(COMMAND_DELETE, "job");
    poll_for("q", 1, "w");
    run_to("00:07");
    assert_calls("");
    assert_int_equal(run_rows("job"), 0);
    assert_history("job", "00:05 cancelled(deleted)");
}

static void row_54_a_deleted_name_is_free_again(void **state)
{
    int64_t first;

    (void)state;
    first = create("job", every(5 * SPAN_MIN));
    submit_ok(COMMAND_DELETE, "job");
    run_to("00:01");
    assert_int_not_equal(create("job", every(5 * SPAN_MIN)), first);
    run_to("00:05");
    assert_calls("00:05@00:05");
}

static void row_54_a_name_is_free_in_the_turn_that_deletes_it(void **state)
{
    struct test_schedule w = every(5 * SPAN_MIN);
    struct command commands[] = {command_for(COMMAND_DELETE, "job"),
                                 command_for(COMMAND_CREATE, "job"),
                                 command_for(COMMAND_CREATE, "job")};
    enum rc answers[3];

    (void)state;
    create("job", every(2 * SPAN_MIN));
    commands[1].save.draft = commands[2].save.draft = draft_of(&w);
    submit_together(commands, 3, answers);
    assert_int_equal(answers[0], RC_OK);
    assert_int_equal(answers[1], RC_OK);
    assert_int_equal(answers[2], RC_CONFLICT);
    run_to("00:06");
    assert_calls("00:05@00:05");
}

static void row_55_pause_with_reason_and_resume(void **state)
{
    (void)state;
    create("job", every(5 * SPAN_MIN));
    pause_it("job", "stock taking");
    assert_string_equal(row_of("job").reason.ptr, "stock taking");
    assert_int_equal(world.events[EVENT_SCHEDULE_PAUSED], 1);
    resume("job");
    assert_int_equal(row_of("job").reason.len, 0);
    assert_int_equal(world.events[EVENT_SCHEDULE_RESUMED], 1);
}

static void row_56_disabled_never_runs(void **state)
{
    struct test_schedule w = every(5 * SPAN_MIN);

    (void)state;
    w.draft.is_disabled = true;
    create("job", w);
    run_to("00:12");
    assert_calls("");
    w.draft.is_disabled = false;
    assert_int_equal(update("job", 0, w).rc, RC_OK);
    run_to("00:16");
    assert_calls("00:15@00:15");
    w.draft.is_disabled = true;
    assert_int_equal(update("job", 0, w).rc, RC_OK);
    assert_int_equal(world.events[EVENT_SCHEDULE_DISABLED], 1);
    run_to("00:30");
    assert_calls("");
}

static void row_57_resume_skips_missed_slots(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    pause_it("job", "x");
    run_to("00:03:30");
    resume("job");
    assert_calls("");
    run_to("00:04");
    assert_calls("00:04@00:04");
    assert_ledger("job", "missed(paused) 00:01-00:03 x3");
}

static void row_58_resume_replays_with_catch_up(void **state)
{
    struct test_schedule w = overlapping(every(SPAN_MIN), OVERLAP_ALLOW_ALL);

    (void)state;
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    w.draft.plan.policies.catchup_paused = true;
    create("job", w);
    pause_it("job", "x");
    run_to("00:05:30");
    resume("job");
    assert_calls("00:01@00:05:30, 00:02@00:05:30, 00:03@00:05:30, 00:04@00:05:30, "
                 "00:05@00:05:30");
    assert_ledger("job", "");
}

static void row_59_pause_keeps_running_work(void **state)
{
    (void)state;
    ends("00:05", "00:09", OUTCOME_SUCCEEDED);
    create("job", every(5 * SPAN_MIN));
    run_to("00:06");
    pause_it("job", "x");
    run_to("00:12");
    assert_calls("00:05@00:05");
    assert_history("job", "00:05 succeeded");
}

static void row_60_closed_state(void **state)
{
    static const enum command_kind kinds[] = {COMMAND_TRIGGER, COMMAND_PAUSE, COMMAND_RESUME,
                                              COMMAND_DELETE, COMMAND_RESET};

    (void)state;
    create("job", every(5 * SPAN_MIN));
    submit_ok(COMMAND_DELETE, "job");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct command command = command_for(kinds[i], "job");

        assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
    }
}

static void row_61_global_pause(void **state)
{
    struct test_node *a = &world.nodes[0];
    struct turn_in in;
    struct turn_out out;
    struct err err;

    (void)state;
    create("job", every(SPAN_MIN));
    in = (struct turn_in){.now = when("00:01"), .rows = TURN_ROWS_MAX, .hold = true};
    in.capacity[LANE_HTTP] = 10;
    assert_int_equal(engine_turn(a->engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.dispatch_count, 0);
    run_to("00:01");
    assert_calls("00:01@00:01");
}

static void row_63_update_discards_older_slots(void **state)
{
    struct test_schedule w = overlapping(every(SPAN_MIN), OVERLAP_ALLOW_ALL);
    struct command command = command_for(COMMAND_UPDATE, "job");

    (void)state;
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    create("job", w);
    /* Three slots are overdue at the edit. */
    world.now = when("00:03:30");
    command.save.draft = draft_of(&w);
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_calls("");
    assert_ledger("job", "missed(edited) 00:01-00:03 x3");
    run_to("00:04");
    assert_calls("00:04@00:04");
}

static void row_64_archive_keeps_history(void **state)
{
    (void)state;
    create("job", every(5 * SPAN_MIN));
    run_to("00:06");
    submit_ok(COMMAND_DELETE, "job");
    run_to("01:00");
    assert_calls("00:05@00:05");
    assert_history("job", "00:05 succeeded");
    assert_true(row_of("job").deleted_at > 0);
}

/* The process dies, with its engine, connection and calls. */
static void restart(void)
{
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    settle();
}

static void row_134_durable_schedules_queue_and_history(void **state)
{
    (void)state;
    create("job", overlapping(every(5 * SPAN_MIN), OVERLAP_BUFFER_ALL));
    create("pull", pulled(every(5 * SPAN_MIN)));
    run_to("00:06");
    pause_it("job", "for the restart");
    restart();
    assert_history("job", "00:05 succeeded");
    assert_string_equal(row_of("job").reason.ptr, "for the restart");
    assert_counts("job", "started 1");
    assert_int_equal(run_rows("pull"), 1);
    poll_for("q", 1, "w");
    assert_calls("00:05@00:05, 00:05@00:06");
}

static void row_135_restart_does_not_duplicate(void **state)
{
    (void)state;
    world.call_length = 0;
    create("job", every(5 * SPAN_MIN));
    run_to("00:05");
    for (int i = 0; i < 5; i++)
        restart();
    run_to("00:10");
    assert_calls("00:05@00:05, 00:10@00:10");
    assert_counts("job", "started 2");
}

static void row_136_restart_does_not_backfill(void **state)
{
    struct test_schedule w = cron("0 9 * * *");

    (void)state;
    w.draft.plan.policies.catchup = CATCHUP_NONE;
    create("job", w);
    node_kill(&world.nodes[0]);
    world.now = when("09:05");
    node_boot(&world.nodes[0]);
    settle();
    assert_calls("");
    assert_ledger("job", "missed(window) 09:00");
    assert_at(cursor_of("job").next_at, "06-02 09:00");
}

static int history_rows(const char *name)
{
    struct db_result result = {0};
    struct err err;

    history_of_schedule(world.nodes[0].db, cursor_of(name).id, INT64_MAX, 1000, &result);
    assert_int_equal(db_flush(world.nodes[0].db, world.arena, &err), RC_OK);
    return result.rows;
}

static void row_137_execution_pruning(void **state)
{
    struct test_schedule w = every(SPAN_MIN);
    int most = 0;

    (void)state;
    w.draft.plan.policies.retention_count = 5;
    create("job", w);
    world.tick = SPAN_S;
    for (int i = 1; i <= 30; i++) {
        run_until(when("00:00") + i * SPAN_MIN);
        most = history_rows("job") > most ? history_rows("job") : most;
    }
    assert_in_range(most, 6, 10);
    assert_in_range(history_rows("job"), 5, 10);
    assert_counts("job", "started 30");
}

static void row_139_history_expires(void **state)
{
    struct test_schedule w = every(SPAN_DAY);

    (void)state;
    w.draft.plan.policies.retention_age = 90 * SPAN_DAY;
    w.draft.plan.policies.remaining_runs = 2;
    create("job", w);
    run_to("06-03 00:00");
    assert_int_equal(history_rows("job"), 2);
    down_to("08-31 12:00"); /* 90 days after the end of the first, 89 after the second */
    world.tick = SPAN_H;
    run_to("08-31 23:00");
    assert_history("job", "06-03 00:00 succeeded");
    down_to("09-02 00:00");
    run_to("09-02 12:00");
    assert_history("job", "");
}

static void row_142_ended_runs_are_in_another_table_than_open_ones(void **state)
{
    (void)state;
    ends("00:05", "00:07", OUTCOME_SUCCEEDED);
    create("job", every(5 * SPAN_MIN));
    run_to("00:06");
    assert_int_equal(run_rows("job"), 1);
    assert_history("job", "");
    run_to("00:08");
    assert_int_equal(run_rows("job"), 0);
    assert_history("job", "00:05 succeeded");
}

static void row_143_tenancy(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "job");
    int64_t other = submit_ok(COMMAND_NAMESPACE, "other").schedule;

    (void)state;
    assert_int_not_equal(other, world.namespace);
    assert_int_equal(submit_ok(COMMAND_NAMESPACE, "other").schedule, other);
    create("job", every(5 * SPAN_MIN));
    command.namespace = other;
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
}

/* Run ids and keys of schedules are not secret. */
static void row_143_a_tenant_cannot_change_runs_of_another(void **state)
{
    struct command command = command_for(COMMAND_CANCEL, "");
    struct report sent;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", every(5 * SPAN_MIN));
    run_to("00:05");
    command.namespace = submit_ok(COMMAND_NAMESPACE, "other").schedule;
    command.run.id = run_of("job", "00:05");
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
    command.kind = COMMAND_TERMINATE;
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
    command.kind = COMMAND_DELETE;
    command.schedule = run_of("job", "00:05").schedule;
    assert_int_equal(submit(&command).rc, RC_NOT_FOUND);
    sent = make_report(call_of("00:05"), REPORT_DONE, OUTCOME_SUCCEEDED);
    sent.namespace = command.namespace;
    assert_int_equal(send_report(call_of("00:05"), &sent), RC_CONFLICT);
    assert_counts("job", "started 1, open 1");
    assert_history("job", "");
    sent.namespace = world.namespace;
    assert_int_equal(send_report(call_of("00:05"), &sent), RC_OK);
    assert_history("job", "00:05 succeeded");
}

static void assert_settings(int64_t namespace, const char *expected)
{
    struct db *db = world.nodes[0].db;
    struct namespace_row row;
    struct db_result got = {0};
    struct err err;

    namespaces_get(db, namespace, &got);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    namespaces_read(&got, 0, &row);
    assert_true(str_eq(row.settings, str_of(expected)));
}

static void row_143_a_tenant_has_settings_of_its_own(void **state)
{
    struct command command = command_for(COMMAND_NAMESPACE, "other");
    int64_t other;

    (void)state;
    command.settings = STR("{\"n\":1}");
    other = submit(&command).schedule;
    assert_settings(other, "{\"n\":1}");
    assert_settings(world.namespace, "");
    assert_int_equal(submit_ok(COMMAND_NAMESPACE, "other").schedule, other);
    assert_settings(other, "{\"n\":1}");
    command.settings = STR("{\"n\":2}");
    assert_int_equal(submit(&command).schedule, other);
    assert_settings(other, "{\"n\":2}");
}

/* A repeated request gets its first answer; later changes stay. */
static void row_143_a_repeated_request_does_not_set_old_settings_again(void **state)
{
    struct command first = command_for(COMMAND_NAMESPACE, "other"), second = first;

    (void)state;
    first.settings = STR("{\"n\":1}");
    first.request = STR("key");
    second.settings = STR("{\"n\":2}");
    assert_int_equal(submit(&first).rc, RC_OK);
    assert_int_equal(submit(&second).rc, RC_OK);
    assert_true(submit(&first).is_repeated);
    assert_settings(submit(&first).schedule, "{\"n\":2}");
}

static void row_145_audit_fields(void **state)
{
    struct command command = command_for(COMMAND_UPDATE, "job");
    struct test_schedule w = every(5 * SPAN_MIN);

    (void)state;
    create("job", w);
    run_to("00:02");
    command.by = STR("another");
    command.save.draft = draft_of(&w);
    assert_int_equal(submit(&command).rc, RC_OK);
    assert_at(row_of("job").created_at, "00:00");
    assert_at(row_of("job").updated_at, "00:02");
    assert_string_equal(row_of("job").created_by.ptr, "someone");
    assert_string_equal(row_of("job").updated_by.ptr, "another");
    run_to("00:06");
    assert_at(row_of("job").updated_at, "00:02");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(row_50_create),
        TIMELINE(row_51_upsert_by_name),
        TIMELINE(row_52_update_raises_the_version),
        TIMELINE(row_53_optimistic_version),
        TIMELINE(row_54_delete_drops_waiting_runs),
        TIMELINE(row_54_delete_cancels_ready_runs),
        TIMELINE(row_54_a_deleted_name_is_free_again),
        TIMELINE(row_54_a_name_is_free_in_the_turn_that_deletes_it),
        TIMELINE(row_55_pause_with_reason_and_resume),
        TIMELINE(row_56_disabled_never_runs),
        TIMELINE(row_57_resume_skips_missed_slots),
        TIMELINE(row_58_resume_replays_with_catch_up),
        TIMELINE(row_59_pause_keeps_running_work),
        TIMELINE(row_60_closed_state),
        TIMELINE(row_61_global_pause),
        TIMELINE(row_63_update_discards_older_slots),
        TIMELINE(row_64_archive_keeps_history),
        TIMELINE(row_134_durable_schedules_queue_and_history),
        TIMELINE(row_135_restart_does_not_duplicate),
        TIMELINE(row_136_restart_does_not_backfill),
        TIMELINE(row_137_execution_pruning),
        TIMELINE(row_139_history_expires),
        TIMELINE(row_142_ended_runs_are_in_another_table_than_open_ones),
        TIMELINE(row_143_tenancy),
        TIMELINE(row_143_a_tenant_cannot_change_runs_of_another),
        TIMELINE(row_143_a_tenant_has_settings_of_its_own),
        TIMELINE(row_143_a_repeated_request_does_not_set_old_settings_again),
        TIMELINE(row_145_audit_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
