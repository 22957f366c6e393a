/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command cannot fail its turn: of a thousand, the one that the database rejects gets an
 * error as its reply, and the others are done.
 */
#include "harness.h"

enum { MANY = TURN_COMMANDS_MAX, POISON = 613 };

/* Not UTF-8: the engine does not check it, the database does. */
#define BAD_TEXT ((struct str){"caf\xE9", 4})

static struct command commands[MANY];
static char names[MANY][16];

static void turn_with_all(struct turn_out *out)
{
    struct turn_in in = {
        .now = world.now, .rows = TURN_ROWS_MAX, .commands = commands, .command_count = MANY};
    struct err err = {.text = ""};
    enum rc rc = engine_turn(world.nodes[0].engine, &in, out, &err);

    if (rc != RC_OK)
        fail_msg("%s: %s", rc_name(rc), err.text);
    assert_int_equal(out->reply_count, MANY);
    /* The events of all transactions, without a gap. */
    assert_int_equal(out->first_event, world.nodes[0].last_event + 1);
    world.nodes[0].last_event += out->event_count;
}

static void assert_only_the_poisoned_failed(const struct turn_out *out)
{
    for (int i = 0; i < MANY; i++) {
        const struct reply *reply = &out->replies[i];

        assert_int_equal(reply->tag, (uint64_t)i + 1);
        if (i != POISON && reply->rc != RC_OK)
            fail_msg("command %d: %s: %.*s", i, rc_name(reply->rc), STR_ARG(reply->text));
    }
    assert_int_equal(out->replies[POISON].rc, RC_INVALID);
    assert_true(out->replies[POISON].text.len > 0);
}

static void fill(enum command_kind kind, const struct draft *good)
{
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "job-%04d", i);
        commands[i] = command_for(kind, names[i]);
        commands[i].tag = (uint64_t)i + 1;
        commands[i].save.draft = good;
    }
}

static int64_t found(int i)
{
    struct db_result result = {0};
    struct err err;
    struct db *db = world.nodes[0].db;

    schedules_find(db, world.namespace, str_of(names[i]), &result);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    return result.rows > 0 ? db_int_at(&result, 0, 0) : 0;
}

static struct schedule_row row(int i)
{
    struct db_result result = {0};
    struct schedule_row read;
    struct err err;
    struct db *db = world.nodes[0].db;

    schedules_get(db, found(i), &result);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    assert_int_equal(result.rows, 1);
    schedules_read(&result, 0, &read);
    return read;
}

static void one_poisoned_create_of_a_thousand(void **state)
{
    struct test_schedule good = every(SPAN_H), bad = good;
    struct turn_out out;

    (void)state;
    bad.draft.description = BAD_TEXT;
    fill(COMMAND_CREATE, draft_of(&good));
    commands[POISON].save.draft = draft_of(&bad);
    turn_with_all(&out);
    assert_only_the_poisoned_failed(&out);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(found(i) != 0, i != POISON);
    world.capacity = MANY;
    run_to("01:00");
    assert_int_equal(count_calls(), MANY - 1);
}

static void make_all(void)
{
    struct test_schedule good = every(SPAN_H);
    struct turn_out out;

    fill(COMMAND_CREATE, draft_of(&good));
    turn_with_all(&out);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(out.replies[i].rc, RC_OK);
}

static void one_poisoned_update_of_a_thousand(void **state)
{
    struct test_schedule good = every(SPAN_MIN), bad = good;
    struct turn_out out;

    (void)state;
    make_all();
    good.draft.description = STR("new");
    bad.draft.description = BAD_TEXT;
    fill(COMMAND_UPDATE, draft_of(&good));
    commands[POISON].save.draft = draft_of(&bad);
    turn_with_all(&out);
    assert_only_the_poisoned_failed(&out);
    assert_int_equal(row(POISON).version, 1);
    assert_int_equal(row(POISON).description.len, 0);
    assert_int_equal(row(POISON - 1).version, 2);
    assert_string_equal(row(POISON + 1).description.ptr, "new");
}

static void one_poisoned_command_among_other_kinds(void **state)
{
    static const enum command_kind kinds[] = {COMMAND_PAUSE, COMMAND_TRIGGER, COMMAND_RESET,
                                              COMMAND_DELETE};
    struct turn_out out;

    (void)state;
    make_all();
    for (int i = 0; i < MANY; i++) {
        commands[i] = command_for(kinds[i % 4], names[i]);
        commands[i].tag = (uint64_t)i + 1;
        if (commands[i].kind == COMMAND_PAUSE)
            commands[i].pause.reason = STR("reason");
    }
    commands[POISON] = command_for(COMMAND_PAUSE, names[POISON]);
    commands[POISON].tag = POISON + 1;
    commands[POISON].pause.reason = BAD_TEXT;
    turn_with_all(&out);
    assert_only_the_poisoned_failed(&out);
    assert_int_equal(row(POISON).version, 1);
    assert_string_equal(row(0).reason.ptr, "reason");
    assert_int_equal(found(3), 0);
    /* Each trigger was done once, although the turn was repeated. */
    settle();
    assert_int_equal(count_calls(), MANY / 4 - (POISON % 4 == 1));
}

/* Reports of the turn are neither lost nor doubled when it is repeated. */
static void a_poisoned_command_beside_reports(void **state)
{
    struct command command = command_for(COMMAND_PAUSE, "job");

    (void)state;
    world.call_length = SPAN_S;
    create("job", every(SPAN_H));
    run_to("01:00");
    world.now += SPAN_S;
    command.pause.reason = BAD_TEXT;
    assert_int_equal(submit(&command).rc, RC_INVALID);
    assert_history("job", "01:00 succeeded");
    assert_counts("job", "started 1");
    assert_false(cursor_of("job").flags & CURSOR_PAUSED);
}

/* A report that the database rejects gets an error; the others are applied. */
static void a_poisoned_result_of_a_run(void **state)
{
    (void)state;
    ends("00:30", "01:10", OUTCOME_SUCCEEDED);
    ends_with("01:00", "01:10", OUTCOME_SUCCEEDED, "caf\xE9");
    create("good", cron("30 0 * * *"));
    create("bad", cron("0 1 * * *"));
    run_to("01:11");
    assert_history("good", "00:30 succeeded");
    assert_history("bad", "");
    assert_counts("bad", "started 1, open 1");
    end_now(call_of("01:00"), OUTCOME_SUCCEEDED);
    assert_history("bad", "01:00 succeeded");
}

static void a_stop_beside_a_poisoned_command(void **state)
{
    struct command pair[2];
    struct turn_in in = {.rows = TURN_ROWS_MAX, .commands = pair, .command_count = 2};
    struct turn_out out;
    struct err err = {.text = ""};

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", every(SPAN_H));
    run_to("01:00");
    pair[0] = command_for(COMMAND_TERMINATE, "");
    pair[0].run.id = run_of("job", "01:00");
    pair[1] = command_for(COMMAND_PAUSE, "job");
    pair[1].pause.reason = BAD_TEXT;
    in.now = world.now;
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.replies[0].rc, RC_OK);
    assert_int_equal(out.replies[1].rc, RC_INVALID);
    assert_int_equal(out.stop_count, 1);
    assert_true(out.stops[0].is_terminated);
    assert_history("job", "01:00 terminated(user)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(one_poisoned_create_of_a_thousand),
        TIMELINE(one_poisoned_update_of_a_thousand),
        TIMELINE(one_poisoned_command_among_other_kinds),
        TIMELINE(a_poisoned_command_beside_reports),
        TIMELINE(a_poisoned_result_of_a_run),
        TIMELINE(a_stop_beside_a_poisoned_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
