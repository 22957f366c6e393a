/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry schedule ...` with a server: each command with its options and errors.
 */
#include "command.h"
#include "request.h"

/* -o json must print exactly what the API answers. */
static void assert_equals_api(struct server *d, const char *path, struct command_result result)
{
    json_t *direct = api(d, 200, "GET", path, NULL);

    assert_non_null(result.json);
    if (!json_equal(direct, result.json))
        fail_msg("not what %s answers: %s", path, result.out);
}

static void a_schedule_is_created_from_flags(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result = BELFRY(
        d, "schedule", "create", "nightly", "--cron", "30 2 * * MON-FRI", "--tz",
        "Europe/Berlin", "--http", "https://example.com/x", "--method", "PUT", "--header",
        "X-A: b c", "--input", "{\"n\":1}", "--overlap", "bufferOne", "--attempts", "3",
        "--catchup", "none", "--priority", "7", "--label", "team=billing");
    const json_t *s = api(d, 200, "GET", "/api/v1/schedules/nightly", NULL);

    assert_has(result.out, "nightly: created; next run ");
    assert_has(result.out, "Z (in ");
    assert_string_equal(text_at(s, "spec.cron[0].expr"), "30 2 * * MON-FRI");
    assert_string_equal(text_at(s, "spec.timezone"), "Europe/Berlin");
    assert_string_equal(text_at(s, "action.type"), "http");
    assert_string_equal(text_at(s, "action.url"), "https://example.com/x");
    assert_string_equal(text_at(s, "action.method"), "PUT");
    assert_string_equal(text_at(s, "action.headers.X-A"), "b c");
    assert_int_equal(number_at(s, "action.input.n"), 1);
    assert_string_equal(text_at(s, "policies.overlap"), "bufferOne");
    assert_int_equal(number_at(s, "policies.retry.attempts"), 3);
    assert_string_equal(text_at(s, "policies.catchup.mode"), "none");
    assert_int_equal(number_at(s, "policies.priority"), 7);
    result = BELFRY(d, "schedule", "create", "once", "--at", "now", "--queue", "q");
    assert_string_equal(result.out,
                        "once: created; a run is open, no further run is planned\n");
    assert_string_equal(text_at(s, "labels.team"), "billing");

    BELFRY(d, "schedule", "create", "two", "--every", "15m", "--every", "1h", "--daily",
           "09:00", "--at", "2030-01-01T00:00:00Z", "--at", "+30m", "--queue", "q", "--kind",
           "k", "--jitter", "2s");
    s = api(d, 200, "GET", "/api/v1/schedules/two", NULL);
    assert_string_equal(text_at(s, "spec.intervals[1].every"), "1h");
    assert_string_equal(text_at(s, "spec.timesOfDay[0]"), "09:00");
    assert_string_equal(text_at(s, "spec.at[0]"), "2030-01-01T00:00:00.000Z");
    assert_int_equal(json_array_size(at(s, "spec.at")), 2);
    assert_string_equal(text_at(s, "spec.jitter"), "2s");
    assert_string_equal(text_at(s, "action.kind"), "k");

    result = BELFRY(d, "schedule", "create", "program", "--every", "1h", "--exec", "--",
                    "/bin/echo", "-n", "--x", "a b");
    assert_has(result.out,
               "\n! its runs fail, because this server runs no programs"); /* no --exec */
    s = api(d, 200, "GET", "/api/v1/schedules/program", NULL);
    assert_string_equal(text_at(s, "action.argv[2]"), "--x");
    assert_string_equal(text_at(s, "action.argv[3]"), "a b");

    BELFRY(d, "schedule", "create", "flow", "--every", "1h", "--workflow", "wf");
    s = api(d, 200, "GET", "/api/v1/schedules/flow", NULL);
    assert_string_equal(text_at(s, "action.name"), "wf");
}

static void errors_of_the_server_are_shown_with_their_position(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result = REFUSED(d, 1, "schedule", "create", "x", "--cron",
                                           "0 9 * * *", "--cron", "5 61 * * *", "--queue", "q");

    assert_has(result.err, "belfry: spec.cron[1]");
    assert_has(result.err, "61");
    assert_has(result.err, "\n  5 61 * * *\n    ^");
    assert_string_equal(result.out, "");
    result = REFUSED(d, 1, "schedule", "create", "x", "--every", "1h", "--queue", "q",
                     "--overlap", "skp");
    assert_has(result.err, "policies.overlap");
    assert_has(result.err, "skip");
    BELFRY(d, "schedule", "create", "x", "--every", "1h", "--queue", "q");
    result = REFUSED(d, 1, "schedule", "create", "x", "--every", "1h", "--queue", "q");
    assert_has(result.err, "schedule \"x\" already exists");
    result = REFUSED(d, 1, "schedule", "get", "y");
    assert_has(result.err, "schedule \"y\" does not exist");
}

static void invalid_arguments_are_not_sent(void **state)
{
    struct server *d = server_start(*state, NULL);

    assert_has(REFUSED(d, 2, "schedule", "create", "x", "--every", "1h").err,
               "no action given; use --http URL");
    assert_has(REFUSED(d, 2, "schedule", "create", "x", "--http", "u", "--queue", "q").err,
               "--http and --queue are two actions");
    assert_has(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--input", "{").err,
               "--input: line 1");
    assert_has(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--label", "a").err,
               "--label must be KEY=VALUE");
    assert_has(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--priority", "a").err,
               "--priority must be a whole number");
    assert_has(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--start", "a").err,
               "--start: invalid time \"a\"; use ");
    assert_has(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--at", "-x").err,
               "--at: invalid time \"-x\"; use ");
    assert_has(
        REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--idempotency-key", "a\nb: c")
            .err,
        "--idempotency-key must be");
    assert_has(REFUSED(d, 2, "schedule", "create", "x", "y", "--queue", "q").err,
               "unexpected argument \"y\"");
    assert_has(REFUSED(d, 2, "schedule", "get").err, "missing argument: ID\n");
    assert_has(REFUSED(d, 2, "gate", "set", "x").err, "missing argument: LIMIT\n");
    assert_has(REFUSED(d, 2, "schedule", "gt", "x").err,
               "unknown command \"schedule gt\"; did you mean \"schedule get\"?");
    assert_has(REFUSED(d, 2, "schedule", "get", "x", "--outptu", "json").err,
               "did you mean --output?");
    assert_has(REFUSED(d, 2, "schedule", "get", "x", "-o", "yaml").err,
               "--output must be table, json or name, not \"yaml\"");
    assert_int_equal(
        json_array_size(at(api(d, 200, "GET", "/api/v1/schedules", NULL), "schedules")), 0);
}

static void flags_change_the_document_of_a_file(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    const char *document = "{\"id\":\"f\",\"spec\":{\"cron\":[\"0 1 * * *\"],"
                           "\"timezone\":\"Asia/Tokyo\"},"
                           "\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}";
    const char *path = world_write(world, "f.json", document);
    struct command command = {
        .server = d,
        .words = WORDS("schedule", "create", "g", "-f", "-", "--cron", "0 2 * * *"),
        .input = document};
    const json_t *s;

    BELFRY(d, "schedule", "create", "-f", path);
    s = api(d, 200, "GET", "/api/v1/schedules/f", NULL);
    assert_string_equal(text_at(s, "spec.timezone"), "Asia/Tokyo");
    assert_int_equal(command_run(world, &command).status, 0);
    s = api(d, 200, "GET", "/api/v1/schedules/g", NULL);
    assert_string_equal(text_at(s, "spec.cron[0].expr"), "0 2 * * *");
    assert_string_equal(text_at(s, "spec.timezone"), "Asia/Tokyo");
    assert_has(REFUSED(d, 2, "schedule", "create", "-f", "/nowhere/x.json").err,
               "cannot read /nowhere/x.json");
    path = world_write(world, "bad.json", "{\n  \"id\": \"f\",\n  spec\n}");
    assert_has(REFUSED(d, 2, "schedule", "create", "-f", path).err, "line 3");
}

/* No run may start between the creation and the pause. */
static void a_schedule_can_be_created_paused(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *s;

    assert_has(
        BELFRY(d, "schedule", "create", "p", "--every", "1s", "--queue", "q", "--paused").out,
        "p: created, paused");
    s = schedule_state(d, "p");
    assert_string_equal(text_at(s, "status"), "paused");
    assert_int_equal(number_at(s, "counters.started"), 0);
    s = api(d, 200, "GET", "/api/v1/schedules/p", NULL);
    assert_true(json_is_true(at(s, "enabled")));
    BELFRY(d, "schedule", "resume", "p", "--yes");
    assert_string_equal(text_at(schedule_state(d, "p"), "status"), "active");
}

/* The slots of the hour before the schedule was created were not started. */
static void a_resume_from_a_past_time_runs_earlier_slots(void **state)
{
    struct server *d = server_start(*state, NULL);

    BELFRY(d, "schedule", "create", "p", "--every", "10m", "--queue", "q", "--paused",
           "--overlap", "allowAll");
    assert_has(REFUSED(d, 2, "schedule", "resume", "p", "--from", "-1h", "--dry-run").err,
               "--from cannot be combined with --dry-run");
    assert_has(BELFRY(d, "schedule", "resume", "p", "--from", "-1h").out, "p: resumed");
    UNTIL(number_at(schedule_state(d, "p"), "counters.started") >= 6);
    assert_has(REFUSED(d, 1, "schedule", "resume", "p", "--from", "-1h").err, "not paused");
}

static void an_idempotency_key_makes_a_command_repeatable(void **state)
{
    struct server *d = server_start(*state, NULL);

    for (int i = 0; i < 2; i++)
        BELFRY(d, "schedule", "create", "x", "--every", "1h", "--queue", "q",
               "--idempotency-key", "once");
    REFUSED(d, 1, "schedule", "create", "x", "--every", "1h", "--queue", "q");
    /* Without an ID the server generates one. */
    BELFRY(d, "schedule", "create", "--every", "1h", "--queue", "q");
    assert_int_equal(
        json_array_size(at(api(d, 200, "GET", "/api/v1/schedules", NULL), "schedules")), 2);
}

static void a_dry_run_creates_nothing(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result = BELFRY(d, "schedule", "create", "x", "--cron", "0 9 * * *",
                                          "--queue", "q", "--dry-run");

    assert_has(result.out, "At 09:00 every day");
    assert_has(result.out, " 09:00:00Z");
    REFUSED(d, 1, "schedule", "get", "x");
}

static void json_is_what_the_api_answers(void **state)
{
    struct server *d = server_start(*state, NULL);

    make_schedule(d, "a",
                  "'spec':{'cron':['0 0 1 1 *']},'action':{'type':'queue','queue':'q'}");
    make_schedule(d, "b",
                  "'spec':{'cron':['0 0 1 1 *']},'action':{'type':'queue','queue':'q'}");
    assert_equals_api(d, "/api/v1/schedules/a",
                      BELFRY(d, "schedule", "get", "a", "-o", "json"));
    assert_equals_api(d, "/api/v1/schedules", BELFRY(d, "schedule", "list", "-o", "json"));
    assert_equals_api(d, "/api/v1/schedules?limit=1",
                      BELFRY(d, "schedule", "list", "-o", "json", "--limit", "1"));
    assert_equals_api(d, "/api/v1/schedules/a/next?count=2",
                      BELFRY(d, "schedule", "next", "a", "--count", "2", "-o", "json"));
    assert_equals_api(
        d, "/api/v1/schedules/a/explain?at=2027-01-01T00:00:00Z",
        BELFRY(d, "schedule", "explain", "a", "--at", "2027-01-01T00:00:00Z", "-o", "json"));
    assert_equals_api(d, "/api/v1/schedules/a/health",
                      BELFRY(d, "schedule", "health", "a", "-o", "json"));
}

static void all_pages_are_printed_as_one_list(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    for (int i = 0; i < 7; i++) {
        char id[8];

        snprintf(id, sizeof id, "s%d", i);
        make_schedule(d, id,
                      "'labels':{'odd':'%d'},'spec':{},"
                      "'action':{'type':'queue','queue':'q'}",
                      i % 2);
    }
    result = BELFRY(d, "schedule", "list", "--limit", "3");
    assert_has(result.out, "s2");
    assert_lacks(result.out, "s3");
    assert_has(result.err, "more schedules; use --all, or --cursor ");
    result = BELFRY(d, "schedule", "list", "--all", "--limit", "2", "-o", "json");
    assert_int_equal(json_array_size(result.json), 7);
    assert_string_equal(text_at(result.json, "[6].id"), "s6");
    result = BELFRY(d, "schedule", "list", "--all", "--limit", "2", "-o", "name");
    assert_string_equal(result.out, "s0\ns1\ns2\ns3\ns4\ns5\ns6\n");
    assert_string_equal(BELFRY(d, "schedule", "list", "-l", "odd=1", "-o", "name").out,
                        "s1\ns3\ns5\n");
    assert_string_equal(
        BELFRY(d, "schedule", "list", "--sort", "-id", "--limit", "1", "-o", "name").out,
        "s6\n");
    assert_string_equal(BELFRY(d, "schedule", "list", "--search", "zzz").out, "");
    assert_has(REFUSED(d, 1, "schedule", "list", "--status", "asleep").err, "active");
}

static void pause_and_resume_print_their_effects(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{'intervals':[{'every':'1s'}]},"
                  "'action':{'type':'queue','queue':'q'}");
    result = BELFRY(d, "schedule", "pause", "a", "--reason", "tea", "--until", "+2h");
    assert_has(result.out, "a: paused until ");
    assert_has(result.out, "(in 1h59m)");
    assert_string_equal(text_at(schedule_state(d, "a"), "pausedReason"), "tea");
    result = BELFRY(d, "schedule", "get", "a");
    assert_has(result.out, "Pause reason          tea\n");
    UNTIL(number_at(api(d, 200, "POST", "/api/v1/schedules/a/resume", "{'dryRun':true}"),
                    "missed") > 0);
    result = BELFRY(d, "schedule", "resume", "a", "--dry-run");
    assert_has(result.out, "would be recorded and not run");
    assert_string_equal(text_at(schedule_state(d, "a"), "status"), "paused");
    result = BELFRY(d, "schedule", "resume", "a");
    assert_has(result.err, "would be recorded and not run");
    assert_has(result.out, "a: resumed; next run ");
    result = REFUSED(d, 1, "schedule", "pause", "no", "a");
    assert_has(result.err, "schedule \"no\" does not exist");
    assert_has(result.out, "a: paused");
    assert_has(REFUSED(d, 1, "schedule", "pause", "a", "--until", "-1h").err, "until");
}

static int count_backfilled(const json_t *runs)
{
    const json_t *run;
    size_t i;
    int count = 0;

    json_array_foreach(runs, i, run) count += strcmp(text_at(run, "kind"), "backfill") == 0;
    return count;
}

#define SKIPPED "no run started: skipped (overlap); another run of the schedule is open\n"

/* While a run is open, no other is started; the exit status is 75. */
static void assert_skipped(struct server *d, const char *open)
{
    struct command_result result = REFUSED(d, 75, "schedule", "trigger", "a");
    char run[64];

    assert_string_equal(result.out, "");
    assert_string_equal(result.err, "belfry: a: " SKIPPED);
    result = REFUSED(d, 75, "schedule", "trigger", "a", "-o", "name");
    assert_string_equal(result.out, ""); /* no run to print */
    result = REFUSED(d, 75, "schedule", "trigger", "a", "-o", "json");
    assert_string_equal(text_at(result.json, "outcome"), "skipped");
    assert_string_equal(result.err, "belfry: a: " SKIPPED);
    snprintf(run, sizeof run, "%.*s", (int)strcspn(open, "\n"), open);
    BELFRY(d, "run", "terminate", run);
    BELFRY(d, "schedule", "trigger", "a");
    result = REFUSED(d, 75, "run", "retry", run);
    assert_string_equal(result.out, "");
    assert_has(result.err, SKIPPED);
}

static void runs_are_triggered_tested_skipped_and_backfilled(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{'cron':['0 3 * * *']},"
                  "'action':{'type':'queue','queue':'q','input':{'x':1}}");
    result = BELFRY(d, "schedule", "trigger", "a", "--input", "{\"y\":2}", "-o", "name");
    assert_memory_equal(result.out, "r_", 2);
    assert_skipped(d, result.out);
    assert_has(BELFRY(d, "schedule", "trigger", "a", "--overlap", "allowAll").out,
               "a: created run r_");
    assert_has(BELFRY(d, "schedule", "test", "a").out, "a: created run r_");
    result = BELFRY(d, "schedule", "skip-next", "a", "--count", "2");
    assert_has(result.out, " 03:00:00Z");
    assert_int_equal(
        json_array_size(
            at(api(d, 200, "GET", "/api/v1/schedules/a/exceptions", NULL), "exceptions")),
        2);
    result = BELFRY(d, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
                    "2026-01-03T00:00:00Z", "--dry-run");
    assert_has(result.out, "a: 2 runs\n");
    assert_has(result.out, "2026-01-01 03:00:00Z  2026-01-02 03:00:00Z     2");
    result = REFUSED(d, 2, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z",
                     "--to", "2026-01-03T00:00:00Z");
    assert_has(result.err, "Start 2 runs of a?");
    assert_has(result.err, "not a terminal; use --yes");
    BELFRY(d, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
           "2026-01-03T00:00:00Z", "--overlap", "allowAll", "--yes");
    UNTIL(count_backfilled(BELFRY(d, "run", "list", "--all", "-o", "json").json) == 2);
    assert_has(REFUSED(d, 1, "schedule", "backfill", "a", "--from", "+1h", "--to", "+2h").err,
               "is in the future");
    assert_has(REFUSED(d, 2, "schedule", "backfill", "a", "--to", "-1h").err, "--from");
    assert_has(BELFRY(d, "schedule", "reset-failures", "a").out, "a: failure count reset");
}

static void past_and_future_slots_are_shown(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct command there = {.server = d,
                            .words = WORDS("schedule", "next", "a", "--count", "2", "--from",
                                           "2027-03-28T00:00:00Z"),
                            .env = WORDS("TZ=Europe/Berlin")};
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{'cron':['30 3 * * *'],'timezone':'Europe/Berlin'},"
                  "'action':{'type':'queue','queue':'q'}");
    result = command_run(world, &there);
    assert_has(result.out, "2027-03-28 03:30:00 +02:00");
    result = BELFRY(d, "schedule", "next", "a", "--count", "1", "--from",
                    "2027-03-28T00:00:00Z", "--utc");
    assert_has(result.out, "2027-03-28 01:30:00Z");
    result = BELFRY(d, "schedule", "explain", "a", "--at", "2027-03-28T02:30:00");
    assert_has(result.out, "Next slot");
    result = BELFRY(d, "schedule", "slots", "a", "--to", "+2d");
    assert_has(result.out, "planned  r_");
    BELFRY(d, "schedule", "skip-next", "a");
    result = BELFRY(d, "schedule", "slots", "a", "--to", "+2d");
    assert_has(result.out, "cancelled  user\n"); /* without a run */
    assert_has(result.out, "planned            r_");
    result = BELFRY(d, "schedule", "health", "a");
    assert_has(result.out, "Health                ok\n");
    BELFRY(d, "schedule", "pause", "a");
    assert_has(BELFRY(d, "schedule", "next", "a").out, "a has no planned runs: it is paused");
    assert_has(REFUSED(d, 2, "schedule", "slots", "a", "--from", "soon").err,
               "--from: invalid time \"soon\"");
    BELFRY(d, "schedule", "slots", "a", "--from", "2026-01-01", "--to", "2026-01-02 08:30");
    assert_has(BELFRY(d, "schedule", "backfill", "a", "--from", "2025-01-01", "--to",
                      "2025-01-02", "--dry-run")
                   .out,
               "2025-01-01 ");
    /* The schedule has a zone, and so has the user: a date without a zone is ambiguous. */
    assert_has(
        REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--start", "2031-01-01").err,
        "--start: invalid time \"2031-01-01\"");
    REFUSED(d, 1, "schedule", "slots", "no");
    REFUSED(d, 1, "schedule", "explain", "a", "--at", "soon");
}

/* ---- edit ---- */

static struct command_result edit(struct server *d, const char *script)
{
    char editor[WORLD_PATH_MAX], temporary[WORLD_PATH_MAX];
    const char *path = world_write(d->world, "editor.sh", script);
    struct command command = {.server = d, .words = WORDS("schedule", "edit", "a")};

    snprintf(editor, sizeof editor, "EDITOR=/bin/sh %s", path);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", d->world->dir);
    command.env = WORDS(editor, temporary);
    return command_run(d->world, &command);
}

static void a_schedule_is_edited_as_text(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    make_schedule(d, "a",
                  "'description':'old','spec':{'cron':['30 3 * * *']},"
                  "'action':{'type':'queue','queue':'q'}");
    result = edit(d, "sed -i s/old/new/ \"$1\"");
    assert_int_equal(result.status, 0);
    assert_string_equal(text_at(api(d, 200, "GET", "/api/v1/schedules/a", NULL), "description"),
                        "new");
    result = edit(d, "true");
    assert_int_equal(result.status, 0);
    assert_has(result.err, "nothing was changed");
    assert_int_equal(number_at(schedule_state(d, "a"), "version"), 2);
    result = edit(d, "exit 3");
    assert_int_equal(result.status, 1);
    assert_has(result.err, "failed; nothing was changed");
    result = edit(d, "sed -i 's/30 3/99 3/' \"$1\"");
    assert_int_equal(result.status, 1);
    assert_has(result.err, "\n  99 3 * * *\n  ^");
    assert_has(result.err, "your text is saved in ");
    result = edit(d, "echo '{' > \"$1\"");
    assert_int_equal(result.status, 1);
    assert_has(result.err, "your text is saved in ");
}

static void a_hint_is_set_shown_and_removed(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{'intervals':[{'every':'1h'}]},'governor':{},"
                  "'action':{'type':'queue','queue':'q'}");
    assert_has(BELFRY(d, "schedule", "show-hint", "a").out, "a: no hint\n");
    result = BELFRY(d, "schedule", "hint", "a", "--interval", "5m", "--at", "+10m", "--reason",
                    "load");
    assert_has(result.out, "a: hint set; next run ");
    assert_has(result.out, "! its hint has both interval and at");
    result = BELFRY(d, "schedule", "show-hint", "a");
    assert_has(result.out, "5m");
    assert_has(result.out, "load");
    assert_has(result.out, "ai-interval");
    assert_has(REFUSED(d, 1, "schedule", "hint", "a", "--at", "+12s", "--expires", "+4s").err,
               "expires: must be later than at");
    assert_has(BELFRY(d, "schedule", "clear-hint", "a").out, "a: hint removed");
    assert_has(BELFRY(d, "schedule", "show-hint", "a").out, "a: no hint\n");
}

static void an_edit_does_not_overwrite_another_change(void **state)
{
    struct server *d = server_start(*state, NULL);
    char script[512], kept[WORLD_PATH_MAX], *end;
    const char *from;
    struct command_result result;

    make_schedule(d, "a",
                  "'description':'old','spec':{'cron':['30 3 * * *']},"
                  "'action':{'type':'queue','queue':'q'}");
    snprintf(script, sizeof script,
             "BELFRY_SERVER=http://127.0.0.1:%u %s schedule pause a && sed -i s/old/mine/ "
             "\"$1\"",
             d->port, d->world->program);
    result = edit(d, script);
    assert_int_equal(result.status, 1);
    assert_has(result.err, "a was changed by another client in the meantime");
    from = strstr(result.err, "your text is saved in ");
    assert_non_null(from);
    snprintf(kept, sizeof kept, "%s", from + strlen("your text is saved in "));
    end = strchr(kept, '\n');
    assert_non_null(end);
    *end = '\0';
    assert_int_equal(access(kept, R_OK), 0);
    assert_string_equal(text_at(api(d, 200, "GET", "/api/v1/schedules/a", NULL), "description"),
                        "old");
}

static void many_ids_and_short_options_are_accepted(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    for (int i = 1; i <= 9; i++) {
        char id[] = {'s', (char)('0' + i), '\0'};

        make_schedule(d, id,
                      "'spec':{'cron':['@daily']},'action':{'type':'queue','queue':'q'}");
    }
    result = BELFRY(d, "schedule", "next", "s1", "-n", "3", "-o", "json");
    assert_int_equal(json_array_size(at(result.json, "times")), 3);
    assert_string_equal(BELFRY(d, "schedule", "list", "-n", "1", "-o", "name").out, "s1\n");
    assert_has(BELFRY(d, "schedule", "explain", "s1").out, " (now)\n");
    result = BELFRY(d, "schedule", "delete", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8",
                    "s9");
    assert_has(result.out, "s1: deleted\n");
    assert_has(result.out, "s9: deleted\n");
    assert_string_equal(BELFRY(d, "schedule", "list", "-o", "name").out, "");
    assert_has(REFUSED(d, 2, "serve", "--port", "8080").err,
               "unknown option \"--port\"; use --listen");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_schedule_is_created_from_flags),
        E2E_TEST(errors_of_the_server_are_shown_with_their_position),
        E2E_TEST(invalid_arguments_are_not_sent),
        E2E_TEST(flags_change_the_document_of_a_file),
        E2E_TEST(a_schedule_can_be_created_paused),
        E2E_TEST(a_resume_from_a_past_time_runs_earlier_slots),
        E2E_TEST(an_idempotency_key_makes_a_command_repeatable),
        E2E_TEST(a_dry_run_creates_nothing),
        E2E_TEST(json_is_what_the_api_answers),
        E2E_TEST(all_pages_are_printed_as_one_list),
        E2E_TEST(pause_and_resume_print_their_effects),
        E2E_TEST(runs_are_triggered_tested_skipped_and_backfilled),
        E2E_TEST(past_and_future_slots_are_shown),
        E2E_TEST(a_schedule_is_edited_as_text),
        E2E_TEST(many_ids_and_short_options_are_accepted),
        E2E_TEST(an_edit_does_not_overwrite_another_change),
        E2E_TEST(a_hint_is_set_shown_and_removed),
    };

    return cmocka_run_group_tests_name("cli_schedules", tests, NULL, NULL);
}
