/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry schedule ...` with a server: each command with its options and errors.
 */
#include "command.h"
#include "request.h"

/* -o json must print exactly what the API answers. */
static void is_the_apis_own(struct server *d, const char *path, struct said said)
{
    json_t *direct = api(d, 200, "GET", path, NULL);

    assert_non_null(said.json);
    if (!json_equal(direct, said.json))
        fail_msg("not what %s answers: %s", path, said.out);
}

static void a_schedule_is_made_of_flags(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said = SAY(d, "schedule", "create", "nightly", "--cron", "30 2 * * MON-FRI",
                           "--tz", "Europe/Berlin", "--http", "https://example.com/x",
                           "--method", "PUT", "--header", "X-A: b c", "--input", "{\"n\":1}",
                           "--overlap", "bufferOne", "--attempts", "3", "--catchup", "none",
                           "--priority", "7", "--label", "team=billing");
    const json_t *s = api(d, 200, "GET", "/api/v1/schedules/nightly", NULL);

    has_text(said.out, "nightly: created; next run ");
    has_text(said.out, "Z (in ");
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
    said = SAY(d, "schedule", "create", "once", "--at", "now", "--queue", "q");
    assert_string_equal(said.out, "once: created; a run is open, no further run is planned\n");
    assert_string_equal(text_at(s, "labels.team"), "billing");

    SAY(d, "schedule", "create", "two", "--every", "15m", "--every", "1h", "--daily", "09:00",
        "--at", "2030-01-01T00:00:00Z", "--at", "+30m", "--queue", "q", "--kind", "k",
        "--jitter", "2s");
    s = api(d, 200, "GET", "/api/v1/schedules/two", NULL);
    assert_string_equal(text_at(s, "spec.intervals[1].every"), "1h");
    assert_string_equal(text_at(s, "spec.timesOfDay[0]"), "09:00");
    assert_string_equal(text_at(s, "spec.at[0]"), "2030-01-01T00:00:00.000Z");
    assert_int_equal(json_array_size(at(s, "spec.at")), 2);
    assert_string_equal(text_at(s, "spec.jitter"), "2s");
    assert_string_equal(text_at(s, "action.kind"), "k");

    said = SAY(d, "schedule", "create", "program", "--every", "1h", "--exec", "--", "/bin/echo",
               "-n", "--x", "a b");
    has_text(said.out,
             "\n! its runs fail, because this server runs no programs"); /* no --exec */
    s = api(d, 200, "GET", "/api/v1/schedules/program", NULL);
    assert_string_equal(text_at(s, "action.argv[2]"), "--x");
    assert_string_equal(text_at(s, "action.argv[3]"), "a b");

    SAY(d, "schedule", "create", "flow", "--every", "1h", "--workflow", "wf");
    s = api(d, 200, "GET", "/api/v1/schedules/flow", NULL);
    assert_string_equal(text_at(s, "action.name"), "wf");
}

static void what_the_server_refuses_is_a_sentence_with_its_place(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said = REFUSED(d, 1, "schedule", "create", "x", "--cron", "0 9 * * *", "--cron",
                               "5 61 * * *", "--queue", "q");

    has_text(said.err, "belfry: spec.cron[1]");
    has_text(said.err, "61");
    has_text(said.err, "\n  5 61 * * *\n    ^");
    assert_string_equal(said.out, "");
    said = REFUSED(d, 1, "schedule", "create", "x", "--every", "1h", "--queue", "q",
                   "--overlap", "skp");
    has_text(said.err, "policies.overlap");
    has_text(said.err, "skip");
    SAY(d, "schedule", "create", "x", "--every", "1h", "--queue", "q");
    said = REFUSED(d, 1, "schedule", "create", "x", "--every", "1h", "--queue", "q");
    has_text(said.err, "x");
    said = REFUSED(d, 1, "schedule", "get", "y");
    has_text(said.err, "schedule \"y\" does not exist");
}

static void what_is_wrong_here_is_not_sent(void **state)
{
    struct server *d = server_start(*state, NULL);

    has_text(REFUSED(d, 2, "schedule", "create", "x", "--every", "1h").err,
             "no action given; use --http URL");
    has_text(REFUSED(d, 2, "schedule", "create", "x", "--http", "u", "--queue", "q").err,
             "--http and --queue are two actions");
    has_text(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--input", "{").err,
             "--input: line 1");
    has_text(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--label", "a").err,
             "--label must be KEY=VALUE");
    has_text(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--priority", "a").err,
             "--priority must be a whole number");
    has_text(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--start", "a").err,
             "--start: invalid time \"a\"; use ");
    has_text(REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--at", "-x").err,
             "--at: invalid time \"-x\"; use ");
    has_text(
        REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--idempotency-key", "a\nb: c")
            .err,
        "--idempotency-key must be");
    has_text(REFUSED(d, 2, "schedule", "create", "x", "y", "--queue", "q").err,
             "unexpected argument \"y\"");
    has_text(REFUSED(d, 2, "schedule", "get").err, "missing argument: ID\n");
    has_text(REFUSED(d, 2, "gate", "set", "x").err, "missing argument: LIMIT\n");
    has_text(REFUSED(d, 2, "schedule", "gt", "x").err,
             "unknown command \"schedule gt\"; did you mean \"schedule get\"?");
    has_text(REFUSED(d, 2, "schedule", "get", "x", "--outptu", "json").err,
             "did you mean --output?");
    has_text(REFUSED(d, 2, "schedule", "get", "x", "-o", "yaml").err,
             "--output must be table, json or name, not \"yaml\"");
    assert_int_equal(
        json_array_size(at(api(d, 200, "GET", "/api/v1/schedules", NULL), "schedules")), 0);
}

static void a_file_is_a_document_that_flags_change(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    const char *document = "{\"id\":\"f\",\"spec\":{\"cron\":[\"0 1 * * *\"],"
                           "\"timezone\":\"Asia/Tokyo\"},"
                           "\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}";
    const char *path = world_write(world, "f.json", document);
    struct saying saying = {
        .server = d,
        .words = WORDS("schedule", "create", "g", "-f", "-", "--cron", "0 2 * * *"),
        .input = document};
    const json_t *s;

    SAY(d, "schedule", "create", "-f", path);
    s = api(d, 200, "GET", "/api/v1/schedules/f", NULL);
    assert_string_equal(text_at(s, "spec.timezone"), "Asia/Tokyo");
    assert_int_equal(say_all(world, &saying).status, 0);
    s = api(d, 200, "GET", "/api/v1/schedules/g", NULL);
    assert_string_equal(text_at(s, "spec.cron[0].expr"), "0 2 * * *");
    assert_string_equal(text_at(s, "spec.timezone"), "Asia/Tokyo");
    has_text(REFUSED(d, 2, "schedule", "create", "-f", "/nowhere/x.json").err,
             "cannot read /nowhere/x.json");
    path = world_write(world, "bad.json", "{\n  \"id\": \"f\",\n  spec\n}");
    has_text(REFUSED(d, 2, "schedule", "create", "-f", path).err, "line 3");
}

/* No run may start between the creation and the pause. */
static void a_schedule_can_be_born_paused(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *s;

    has_text(SAY(d, "schedule", "create", "p", "--every", "1s", "--queue", "q", "--paused").out,
             "p: created, paused");
    s = schedule_state(d, "p");
    assert_string_equal(text_at(s, "status"), "paused");
    assert_int_equal(number_at(s, "counters.started"), 0);
    s = api(d, 200, "GET", "/api/v1/schedules/p", NULL);
    assert_true(json_is_true(at(s, "enabled")));
    SAY(d, "schedule", "resume", "p", "--yes");
    assert_string_equal(text_at(schedule_state(d, "p"), "status"), "active");
}

static void a_key_makes_a_command_safe_to_repeat(void **state)
{
    struct server *d = server_start(*state, NULL);

    for (int i = 0; i < 2; i++)
        SAY(d, "schedule", "create", "x", "--every", "1h", "--queue", "q", "--idempotency-key",
            "once");
    REFUSED(d, 1, "schedule", "create", "x", "--every", "1h", "--queue", "q");
    /* Without an ID the server generates one. */
    SAY(d, "schedule", "create", "--every", "1h", "--queue", "q");
    assert_int_equal(
        json_array_size(at(api(d, 200, "GET", "/api/v1/schedules", NULL), "schedules")), 2);
}

static void a_dry_run_creates_nothing(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said = SAY(d, "schedule", "create", "x", "--cron", "0 9 * * *", "--queue", "q",
                           "--dry-run");

    has_text(said.out, "At 09:00 every day");
    has_text(said.out, " 09:00:00Z");
    REFUSED(d, 1, "schedule", "get", "x");
}

static void json_is_what_the_api_answers(void **state)
{
    struct server *d = server_start(*state, NULL);

    make_schedule(d, "a",
                  "'spec':{'cron':['0 0 1 1 *']},'action':{'type':'queue','queue':'q'}");
    make_schedule(d, "b",
                  "'spec':{'cron':['0 0 1 1 *']},'action':{'type':'queue','queue':'q'}");
    is_the_apis_own(d, "/api/v1/schedules/a", SAY(d, "schedule", "get", "a", "-o", "json"));
    is_the_apis_own(d, "/api/v1/schedules", SAY(d, "schedule", "list", "-o", "json"));
    is_the_apis_own(d, "/api/v1/schedules?limit=1",
                    SAY(d, "schedule", "list", "-o", "json", "--limit", "1"));
    is_the_apis_own(d, "/api/v1/schedules/a/next?count=2",
                    SAY(d, "schedule", "next", "a", "--count", "2", "-o", "json"));
    is_the_apis_own(
        d, "/api/v1/schedules/a/explain?at=2027-01-01T00:00:00Z",
        SAY(d, "schedule", "explain", "a", "--at", "2027-01-01T00:00:00Z", "-o", "json"));
    is_the_apis_own(d, "/api/v1/schedules/a/health",
                    SAY(d, "schedule", "health", "a", "-o", "json"));
}

static void pages_become_one_list(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said;

    for (int i = 0; i < 7; i++) {
        char id[8];

        snprintf(id, sizeof id, "s%d", i);
        make_schedule(d, id,
                      "'labels':{'odd':'%d'},'spec':{},"
                      "'action':{'type':'queue','queue':'q'}",
                      i % 2);
    }
    said = SAY(d, "schedule", "list", "--limit", "3");
    has_text(said.out, "s2");
    lacks_text(said.out, "s3");
    has_text(said.err, "more schedules; use --all, or --cursor ");
    said = SAY(d, "schedule", "list", "--all", "--limit", "2", "-o", "json");
    assert_int_equal(json_array_size(said.json), 7);
    assert_string_equal(text_at(said.json, "[6].id"), "s6");
    said = SAY(d, "schedule", "list", "--all", "--limit", "2", "-o", "name");
    assert_string_equal(said.out, "s0\ns1\ns2\ns3\ns4\ns5\ns6\n");
    assert_string_equal(SAY(d, "schedule", "list", "-l", "odd=1", "-o", "name").out,
                        "s1\ns3\ns5\n");
    assert_string_equal(
        SAY(d, "schedule", "list", "--sort", "-id", "--limit", "1", "-o", "name").out, "s6\n");
    assert_string_equal(SAY(d, "schedule", "list", "--search", "zzz").out, "");
    has_text(REFUSED(d, 1, "schedule", "list", "--status", "asleep").err, "active");
}

static void pausing_and_resuming_say_what_they_do(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said;

    make_schedule(d, "a",
                  "'spec':{'intervals':[{'every':'1s'}]},"
                  "'action':{'type':'queue','queue':'q'}");
    said = SAY(d, "schedule", "pause", "a", "--reason", "tea", "--until", "+2h");
    has_text(said.out, "a: paused until ");
    has_text(said.out, "(in 1h59m)");
    assert_string_equal(text_at(schedule_state(d, "a"), "pausedReason"), "tea");
    said = SAY(d, "schedule", "get", "a");
    has_text(said.out, "Pause reason          tea\n");
    UNTIL(number_at(api(d, 200, "POST", "/api/v1/schedules/a/resume", "{'dryRun':true}"),
                    "missed") > 0);
    said = SAY(d, "schedule", "resume", "a", "--dry-run");
    has_text(said.out, "would be recorded and not run");
    assert_string_equal(text_at(schedule_state(d, "a"), "status"), "paused");
    said = SAY(d, "schedule", "resume", "a");
    has_text(said.err, "would be recorded and not run");
    has_text(said.out, "a: resumed; next run ");
    said = REFUSED(d, 1, "schedule", "pause", "no", "a");
    has_text(said.err, "schedule \"no\" does not exist");
    has_text(said.out, "a: paused");
    has_text(REFUSED(d, 1, "schedule", "pause", "a", "--until", "-1h").err, "until");
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
    struct said said = REFUSED(d, 75, "schedule", "trigger", "a");
    char run[64];

    assert_string_equal(said.out, "");
    assert_string_equal(said.err, "belfry: a: " SKIPPED);
    said = REFUSED(d, 75, "schedule", "trigger", "a", "-o", "name");
    assert_string_equal(said.out, ""); /* no run to print */
    said = REFUSED(d, 75, "schedule", "trigger", "a", "-o", "json");
    assert_string_equal(text_at(said.json, "outcome"), "skipped");
    assert_string_equal(said.err, "belfry: a: " SKIPPED);
    snprintf(run, sizeof run, "%.*s", (int)strcspn(open, "\n"), open);
    SAY(d, "run", "terminate", run);
    SAY(d, "schedule", "trigger", "a");
    said = REFUSED(d, 75, "run", "retry", run);
    assert_string_equal(said.out, "");
    has_text(said.err, SKIPPED);
}

static void runs_are_triggered_tested_skipped_and_backfilled(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said;

    make_schedule(d, "a",
                  "'spec':{'cron':['0 3 * * *']},"
                  "'action':{'type':'queue','queue':'q','input':{'x':1}}");
    said = SAY(d, "schedule", "trigger", "a", "--input", "{\"y\":2}", "-o", "name");
    assert_memory_equal(said.out, "r_", 2);
    assert_skipped(d, said.out);
    has_text(SAY(d, "schedule", "trigger", "a", "--overlap", "allowAll").out,
             "a: created run r_");
    has_text(SAY(d, "schedule", "test", "a").out, "a: created run r_");
    said = SAY(d, "schedule", "skip-next", "a", "--count", "2");
    has_text(said.out, " 03:00:00Z");
    assert_int_equal(
        json_array_size(
            at(api(d, 200, "GET", "/api/v1/schedules/a/exceptions", NULL), "exceptions")),
        2);
    said = SAY(d, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
               "2026-01-03T00:00:00Z", "--dry-run");
    has_text(said.out, "a: 2 runs\n");
    has_text(said.out, "2026-01-01 03:00:00Z  2026-01-02 03:00:00Z     2");
    said = REFUSED(d, 2, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
                   "2026-01-03T00:00:00Z");
    has_text(said.err, "Start 2 runs of a?");
    has_text(said.err, "not a terminal; use --yes");
    SAY(d, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
        "2026-01-03T00:00:00Z", "--overlap", "allowAll", "--yes");
    UNTIL(count_backfilled(SAY(d, "run", "list", "--all", "-o", "json").json) == 2);
    has_text(REFUSED(d, 1, "schedule", "backfill", "a", "--from", "+1h", "--to", "+2h").err,
             "is in the future");
    has_text(REFUSED(d, 1, "schedule", "backfill", "a", "--to", "-1h").err, "from");
    has_text(SAY(d, "schedule", "reset-failures", "a").out, "a: failure count reset");
}

static void a_backfill_can_be_waited_for(void **state)
{
    static const char *const exec[] = {"--exec", NULL};
    struct server *d = server_start(*state, &(struct server_start){.args = exec});

    make_schedule(d, "a",
                  "'spec':{'cron':['0 3 * * *']},"
                  "'action':{'type':'exec','argv':['/bin/true']}");
    SAY(d, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
        "2026-01-11T00:00:00Z", "--overlap", "allowAll", "--yes", "--wait");
    assert_int_equal(number_at(schedule_state(d, "a"), "open"), 0);
    assert_int_equal(
        json_array_size(SAY(d, "run", "list", "--state", "ended", "--all", "-o", "json").json),
        10);
}

static void the_past_and_the_plan_are_shown(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct saying there = {.server = d,
                           .words = WORDS("schedule", "next", "a", "--count", "2", "--from",
                                          "2027-03-28T00:00:00Z"),
                           .env = WORDS("TZ=Europe/Berlin")};
    struct said said;

    make_schedule(d, "a",
                  "'spec':{'cron':['30 3 * * *'],'timezone':'Europe/Berlin'},"
                  "'action':{'type':'queue','queue':'q'}");
    said = say_all(world, &there);
    has_text(said.out, "2027-03-28 03:30:00 +02:00");
    said = SAY(d, "schedule", "next", "a", "--count", "1", "--from", "2027-03-28T00:00:00Z",
               "--utc");
    has_text(said.out, "2027-03-28 01:30:00Z");
    said = SAY(d, "schedule", "explain", "a", "--at", "2027-03-28T02:30:00");
    has_text(said.out, "Next slot");
    said = SAY(d, "schedule", "slots", "a", "--to", "+2d");
    has_text(said.out, "planned  r_");
    SAY(d, "schedule", "skip-next", "a");
    said = SAY(d, "schedule", "slots", "a", "--to", "+2d");
    has_text(said.out, "cancelled  user\n"); /* without a run */
    has_text(said.out, "planned            r_");
    said = SAY(d, "schedule", "health", "a");
    has_text(said.out, "Health                ok\n");
    SAY(d, "schedule", "pause", "a");
    has_text(SAY(d, "schedule", "next", "a").out, "a has no planned runs: it is paused");
    has_text(REFUSED(d, 2, "schedule", "slots", "a", "--from", "soon").err,
             "--from: invalid time \"soon\"");
    SAY(d, "schedule", "slots", "a", "--from", "2026-01-01", "--to", "2026-01-02 08:30");
    has_text(SAY(d, "schedule", "backfill", "a", "--from", "2025-01-01", "--to", "2025-01-02",
                 "--dry-run")
                 .out,
             "2025-01-01 ");
    /* The schedule has a zone, and so has the user: a date without a zone is ambiguous. */
    has_text(
        REFUSED(d, 2, "schedule", "create", "x", "--queue", "q", "--start", "2031-01-01").err,
        "--start: invalid time \"2031-01-01\"");
    REFUSED(d, 1, "schedule", "slots", "no");
    REFUSED(d, 1, "schedule", "explain", "a", "--at", "soon");
}

/* ---- edit ---- */

static struct said edit(struct server *d, const char *script)
{
    char editor[WORLD_PATH_MAX], temporary[WORLD_PATH_MAX];
    const char *path = world_write(d->world, "editor.sh", script);
    struct saying saying = {.server = d, .words = WORDS("schedule", "edit", "a")};

    snprintf(editor, sizeof editor, "EDITOR=/bin/sh %s", path);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", d->world->dir);
    saying.env = WORDS(editor, temporary);
    return say_all(d->world, &saying);
}

static void a_schedule_is_edited_as_text(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said;

    make_schedule(d, "a",
                  "'description':'old','spec':{'cron':['30 3 * * *']},"
                  "'action':{'type':'queue','queue':'q'}");
    said = edit(d, "sed -i s/old/new/ \"$1\"");
    assert_int_equal(said.status, 0);
    assert_string_equal(text_at(api(d, 200, "GET", "/api/v1/schedules/a", NULL), "description"),
                        "new");
    said = edit(d, "true");
    assert_int_equal(said.status, 0);
    has_text(said.err, "nothing was changed");
    assert_int_equal(number_at(schedule_state(d, "a"), "version"), 2);
    said = edit(d, "exit 3");
    assert_int_equal(said.status, 1);
    has_text(said.err, "failed; nothing was changed");
    said = edit(d, "sed -i 's/30 3/99 3/' \"$1\"");
    assert_int_equal(said.status, 1);
    has_text(said.err, "\n  99 3 * * *\n  ^");
    has_text(said.err, "your text is saved in ");
    said = edit(d, "echo '{' > \"$1\"");
    assert_int_equal(said.status, 1);
    has_text(said.err, "your text is saved in ");
}

static void an_edit_does_not_undo_that_of_another(void **state)
{
    struct server *d = server_start(*state, NULL);
    char script[512], kept[WORLD_PATH_MAX], *end;
    const char *from;
    struct said said;

    make_schedule(d, "a",
                  "'description':'old','spec':{'cron':['30 3 * * *']},"
                  "'action':{'type':'queue','queue':'q'}");
    snprintf(script, sizeof script,
             "BELFRY_SERVER=http://127.0.0.1:%u %s schedule pause a && sed -i s/old/mine/ "
             "\"$1\"",
             d->port, d->world->program);
    said = edit(d, script);
    assert_int_equal(said.status, 1);
    has_text(said.err, "a was changed by another client in the meantime");
    from = strstr(said.err, "your text is saved in ");
    assert_non_null(from);
    snprintf(kept, sizeof kept, "%s", from + strlen("your text is saved in "));
    end = strchr(kept, '\n');
    assert_non_null(end);
    *end = '\0';
    assert_int_equal(access(kept, R_OK), 0);
    assert_string_equal(text_at(api(d, 200, "GET", "/api/v1/schedules/a", NULL), "description"),
                        "old");
}

static void many_are_named_at_once_and_few_times_asked_for(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said;

    for (int i = 1; i <= 9; i++) {
        char id[] = {'s', (char)('0' + i), '\0'};

        make_schedule(d, id,
                      "'spec':{'cron':['@daily']},'action':{'type':'queue','queue':'q'}");
    }
    said = SAY(d, "schedule", "next", "s1", "-n", "3", "-o", "json");
    assert_int_equal(json_array_size(at(said.json, "times")), 3);
    assert_string_equal(SAY(d, "schedule", "list", "-n", "1", "-o", "name").out, "s1\n");
    has_text(SAY(d, "schedule", "explain", "s1").out, " (now)\n");
    said = SAY(d, "schedule", "delete", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9");
    has_text(said.out, "s1: deleted\n");
    has_text(said.out, "s9: deleted\n");
    assert_string_equal(SAY(d, "schedule", "list", "-o", "name").out, "");
    has_text(REFUSED(d, 2, "serve", "--port", "8080").err,
             "unknown option \"--port\"; use --listen");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_schedule_is_made_of_flags),
        E2E_TEST(what_the_server_refuses_is_a_sentence_with_its_place),
        E2E_TEST(what_is_wrong_here_is_not_sent),
        E2E_TEST(a_file_is_a_document_that_flags_change),
        E2E_TEST(a_schedule_can_be_born_paused),
        E2E_TEST(a_key_makes_a_command_safe_to_repeat),
        E2E_TEST(a_dry_run_creates_nothing),
        E2E_TEST(json_is_what_the_api_answers),
        E2E_TEST(pages_become_one_list),
        E2E_TEST(pausing_and_resuming_say_what_they_do),
        E2E_TEST(runs_are_triggered_tested_skipped_and_backfilled),
        E2E_TEST(a_backfill_can_be_waited_for),
        E2E_TEST(the_past_and_the_plan_are_shown),
        E2E_TEST(a_schedule_is_edited_as_text),
        E2E_TEST(many_are_named_at_once_and_few_times_asked_for),
        E2E_TEST(an_edit_does_not_undo_that_of_another),
    };

    return cmocka_run_group_tests_name("cli_schedules", tests, NULL, NULL);
}
