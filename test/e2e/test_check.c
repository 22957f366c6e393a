/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of backups of a running server, and of `belfry check` on intact and damaged databases:
 * each is damaged in one way, which the check must report.
 */
#include <fcntl.h>

#include "request.h"

#include "../cli/run.h"
#include "base/instant.h"
#include "db/db.h"

enum { SLOTS = 3 };

/* A schedule for every second whose runs succeed, one with an open run, a gate, a calendar. */
static struct server *start_busy_server(struct world *w)
{
    struct server *d = server_start(w, NULL);
    int done = 0;

    api(d, 201, "PUT", "/api/v1/calendars/holidays", "{'dates':['2031-12-25','2032-01-01']}");
    make_schedule(d, "each-second",
                  "'spec':{'intervals':[{'every':'1s'}]},"
                  "'action':{'type':'queue','queue':'q'},'policies':{'overlap':'allowAll'}");
    make_schedule(d, "by-hand",
                  "'spec':{'exclude':{'named':['holidays']}},"
                  "'action':{'type':'queue','queue':'other'},"
                  "'policies':{'concurrency':{'key':'db','limit':1}}");
    trigger(d, "by-hand");
    assert_int_equal(json_array_size(claim(d, "other", 1, "10s")), 1);
    while (done < SLOTS) {
        const json_t *runs = claim(d, "q", 1, "10s");

        if (json_array_size(runs) == 1)
            assert_int_equal(tell_run(d, "complete", json_array_get(runs, 0), "").status, 200);
        done += (int)json_array_size(runs);
    }
    return d;
}

static const struct run *check_url(const char *url)
{
    return RUN("check", "--db", url);
}

static void assert_no_problems(const char *url)
{
    const struct run *run = check_url(url);

    if (run->status != 0 || !strstr(run->out, "\nno problems found\n"))
        fail_msg("%s: status %d\n%s%s", url, run->status, run->out, run->err);
}

/* The log must report the same migrations as the database. */
static void the_log_has_the_migrations_and_the_version(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    int version = (int)world_number(w, "SELECT max(number) FROM migrations");
    char line[64];

    for (int i = 1; i <= version; i++) {
        snprintf(line, sizeof line, "msg=\"migration applied\" number=%d name=", i);
        UNTIL(server_has_logged(d, line));
    }
    snprintf(line, sizeof line, "msg=\"schema is up to date\" schema=%d\n", version);
    UNTIL(server_has_logged(d, line));
    assert_true(server_has_logged(d, " took_ms="));
    assert_int_equal(server_stop(d), 0);
    d = server_restart(d, NULL);
    UNTIL(server_has_logged(d, line));
    assert_false(server_has_logged(d, "migration applied"));
    assert_int_equal(server_stop(d), 0);
}

static void the_check_accepts_a_running_server(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w);

    assert_no_problems(w->url);
    assert_int_equal(server_stop(d), 0);
    assert_no_problems(w->url);
    d = server_restart(d, NULL);
    server_kill(d);
    assert_no_problems(w->url);
}

/* With dispatch_jitter, cursors wake up after their slots. */
static void the_check_accepts_dispatch_jitter(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(
        w, &(struct server_start){.args = WORDS("--dispatch-jitter", "1m")});

    for (int i = 0; i < 20; i++) {
        char name[16];

        snprintf(name, sizeof name, "herd-%d", i);
        make_schedule(d, name,
                      "'spec':{'cron':['0 * * * *']},'action':{'type':'queue','queue':'q'}");
    }
    make_schedule(d, "each-second",
                  "'spec':{'intervals':[{'every':'1s'}]},"
                  "'action':{'type':'queue','queue':'q'},'policies':{'overlap':'allowAll'}");
    for (int done = 0; done < SLOTS;)
        done += (int)json_array_size(claim(d, "q", 1, "10s"));
    assert_no_problems(w->url);
    assert_int_equal(server_stop(d), 0);
    assert_no_problems(w->url);
}

static const char *url_of(const char *path)
{
    static char url[WORLD_PATH_MAX + 16];

    snprintf(url, sizeof url, "sqlite:%s", path);
    return url;
}

static void a_backup_of_a_running_server_is_consistent_and_starts(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w), *restored;
    char path[WORLD_PATH_MAX], url[WORLD_PATH_MAX + 16];
    const struct run *run;
    int64_t before = number_at(schedule_state(d, "each-second"), "counters.succeeded");

    snprintf(path, sizeof path, "%s", world_path(w, "backup.db"));
    snprintf(url, sizeof url, "sqlite:%s", path);
    run = RUN("backup", "--db", w->url, path);
    if (run->status != 0)
        fail_msg("%s", run->err);
    assert_string_equal(run->out, "");
    assert_string_equal(run->err, "");
    assert_no_problems(url);
    run = RUN("backup", "--db", w->url, path);
    assert_int_equal(run->status, 2);
    assert_non_null(strstr(run->err, "--force"));
    assert_int_equal(server_stop(d), 0);

    restored = server_start(
        w, &(struct server_start){
               .is_bare = true,
               .args = WORDS("--db", url, "--listen", "127.0.0.1:0", "--grpc", "none")});
    assert_true(number_at(schedule_state(restored, "each-second"), "counters.succeeded") >=
                before);
    assert_int_equal(
        json_array_size(at(api(restored, 200, "GET", "/api/v1/calendars", NULL), "calendars")),
        1);
    assert_int_equal(server_stop(restored), 0);
    assert_no_problems(url);
}

static void backup_on_postgres_names_pg_dump(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w);
    const struct run *run = RUN("backup", "--db", w->url, world_path(w, "backup"));

    assert_int_equal(run->status, 1);
    assert_non_null(strstr(run->err, "pg_dump"));
    assert_int_equal(server_stop(d), 0);
}

/* ---- damage ---- */

#define OF(name) "(SELECT id FROM schedules WHERE name = '" name "')"
/* The second slot of the schedule that runs every second. */
#define SECOND                                        \
    "(SELECT slot FROM history WHERE schedule = " OF( \
        "each-second") " AND last = 1"                \
                       " ORDER BY slot LIMIT 1 OFFSET 1)"

static const struct damage {
    const char *sql, *finding;
} damages[] = {
    {"DELETE FROM history WHERE slot = " SECOND, "has no account"},
    {"INSERT INTO ledger (id, schedule, pass, first, last, count, outcome, reason, written_at,"
     " expire_at) SELECT 77, schedule, 0, slot, slot, 1, 3, 2, ended_at, expire_at FROM history"
     " WHERE slot = " SECOND,
     "has two accounts"},
    {"INSERT INTO ledger (id, schedule, pass, first, last, count, outcome, reason, written_at,"
     " expire_at) SELECT 79, schedule, 0, slot + 500000, slot + 500000, 1, 3, 2, ended_at,"
     " expire_at FROM history WHERE slot = " SECOND,
     "is not a slot of the schedule"},
    {"UPDATE cursors SET mark = mark + 60000000 WHERE id = " OF("each-second"),
     "has no account, and the cursor's mark has passed it"},
    {"UPDATE cursors SET mark = mark - 2000000 WHERE id = " OF("each-second"),
     "lies after the cursor's mark"},
    {"UPDATE cursors SET started = started + 1 WHERE id = " OF("each-second"),
     " started runs; there are"},
    {"UPDATE cursors SET succeeded = 0 WHERE id = " OF("each-second"),
     "counts 0 succeeded runs; there are"},
    {"UPDATE cursors SET recent = 4 WHERE id = " OF("each-second"), "have a gap"},
    {"UPDATE cursors SET recent = 0 WHERE id = " OF("each-second"),
     "the cursor has the ends of 0 runs; there are"},
    {"UPDATE cursors SET recent = recent + 1 WHERE id = " OF("each-second"),
     "the cursor has another end of this run"},
    {"UPDATE cursors SET last_ok = -9223372036854775807 - 1 WHERE id = " OF("each-second"),
     "the cursor knows no success; there is one"},
    {"UPDATE cursors SET last_ok = last_ok + 1 WHERE id = " OF("each-second"),
     "no run succeeded at the last success of the cursor"},
    {"UPDATE cursors SET last_late = -1 WHERE id = " OF("each-second"),
     "the cursor has no valid lateness"},
    {"UPDATE cursors SET last_late = last_late + 1000 WHERE id = " OF("each-second"),
     " us late; the cursor has"},
    {"UPDATE cursors SET open = open + 1 WHERE id = " OF("by-hand"),
     "counts 2 open runs; there are 1"},
    {"UPDATE cursors SET wake_at = 9223372036854775807 WHERE id = " OF("each-second"),
     "wakes after its next slot"},
    {"UPDATE cursors SET next_at = next_at + 1000000 WHERE id = " OF("each-second"),
     "another next slot"},
    {"UPDATE cursors SET version = 9 WHERE id = " OF("by-hand"), "at version 9"},
    {"UPDATE schedules SET packed = $BLOB WHERE name = 'by-hand'", "invalid packed plan: "},
    {"UPDATE schedules SET spec = 'x' WHERE name = 'by-hand'", "invalid document: "},
    {"DELETE FROM schedules WHERE name = 'by-hand'", "an open run has no schedule"},
    {"DELETE FROM cursors WHERE id = " OF("each-second"), "a schedule has no cursor"},
    {"UPDATE gates SET open = 0", "gate db counts 0 open runs and 0 waiting ones; there are 1"},
    {"DELETE FROM gates", "names a gate that does not exist"},
    {"UPDATE calendars SET days = $BLOB", "calendar holidays cannot be read"},
    {"DELETE FROM events WHERE seq = (SELECT seq FROM events ORDER BY seq LIMIT 1 OFFSET 2)",
     "events of node"},
    {"UPDATE events SET body = $BLOB", "cannot be read"},
    {"UPDATE nodes SET event = 1000000", "has counted 1000000 events"},
    {"UPDATE audit SET at = at + 1 WHERE seq = (SELECT max(seq) FROM audit)", "was changed"},
    {"DELETE FROM audit WHERE seq = (SELECT seq FROM audit ORDER BY seq LIMIT 1 OFFSET 1)",
     "follows missing entries"},
    {"UPDATE history SET last = 0 WHERE slot = " SECOND, "has no account"},
    {"UPDATE history SET outcome = 3 WHERE slot = " SECOND, "it has an invalid outcome"},
    {"UPDATE runs SET state = 9 WHERE schedule = " OF("by-hand"), "has an invalid state"},
    {"UPDATE runs SET fence = 0 WHERE schedule = " OF("by-hand"), "claimed but has no attempt"},
};

static void exec_on(const char *url, const char *text)
{
    const char *blob = strstr(text, "$BLOB");
    char sql[1024];
    struct db *db = NULL;
    struct err err;

    snprintf(sql, sizeof sql, "%.*s%s%s", blob ? (int)(blob - text) : (int)strlen(text), text,
             !blob                            ? ""
             : strncmp(url, "sqlite", 6) == 0 ? "x'010203'"
                                              : "'\\x010203'",
             blob ? blob + strlen("$BLOB") : "");
    if (db_open(url, NULL, &db, &err) != RC_OK || db_exec(db, str_of(sql), &err) != RC_OK)
        fail_msg("%s: %s", sql, err.text);
    db_close(db);
}

static void every_damage_is_found(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w);
    char path[WORLD_PATH_MAX];

    snprintf(path, sizeof path, "%s", world_path(w, "damaged.db"));
    assert_int_equal(server_stop(d), 0);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const struct run *run = RUN("backup", "--force", "--db", w->url, path);

        if (run->status != 0)
            fail_msg("%s", run->err);
        exec_on(url_of(path), damages[i].sql);
        run = check_url(url_of(path));
        if (run->status != 1 || strstr(run->out, "no problems found") ||
            (!strstr(run->out, damages[i].finding) && !strstr(run->err, damages[i].finding)))
            fail_msg("%s:\nstatus %d\n%s%s", damages[i].sql, run->status, run->out, run->err);
    }
    assert_no_problems(w->url);
}

static const struct run *try_to_start(struct world *w)
{
    return RUN("serve", "--db", w->url, "--state-dir", world_path(w, "none"), "--listen",
               "127.0.0.1:0");
}

static void the_minimum_versions_decide_who_uses_a_newer_database(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w);
    const struct run *run;

    assert_int_equal(server_stop(d), 0);
    exec_on(w->url, "INSERT INTO migrations (number, name, at)"
                    " SELECT max(number) + 1, 'of a newer program', 0 FROM migrations");
    assert_no_problems(w->url);
    d = server_restart(d, NULL);
    UNTIL(server_has_logged(d, "msg=\"schema is newer than this program\" schema="));
    assert_int_equal(server_stop(d), 0);

    exec_on(w->url, "UPDATE minimum_versions SET writer = writer + 1");
    assert_no_problems(w->url);
    run = try_to_start(w);
    assert_int_equal(run->status, 1);
    assert_non_null(strstr(run->err, "may only read it, because only programs with version"));

    exec_on(w->url, "UPDATE minimum_versions SET reader = writer");
    run = check_url(w->url);
    assert_int_equal(run->status, 1);
    assert_non_null(strstr(run->err, "or later may read it; run a newer Belfry"));
    run = try_to_start(w);
    assert_int_equal(run->status, 1);
    assert_non_null(strstr(run->err, "or later may read it; run a newer Belfry"));
}

/* Forty turns with half a megabyte of events each: more than one read of the database holds. */
#define LARGE_TURNS                                                                      \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39),"      \
    " e AS (SELECT *, 500000 / length(body) AS k FROM events ORDER BY seq DESC LIMIT 1)" \
    " INSERT INTO events (node, seq, count, at, body)"                                   \
    " SELECT node, seq + count + i * count * k, count * k, at,"                          \
    " CAST(replace(printf('%.*c', k, 'x'), 'x', body) AS BLOB) FROM e, n"

static void the_check_accepts_large_turns(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w);

    assert_int_equal(server_stop(d), 0);
    exec_on(w->url, LARGE_TURNS);
    assert_no_problems(w->url);
}

static void findings_are_printed_as_json(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w);
    const struct run *run;
    json_t *json;

    assert_int_equal(server_stop(d), 0);
    exec_on(w->url, "UPDATE cursors SET open = open + 1 WHERE id = " OF("by-hand"));
    exec_on(w->url, "DELETE FROM history WHERE slot = " SECOND);
    run = RUN("check", "--db", w->url, "-o", "json");
    assert_int_equal(run->status, 1);
    json = world_keep(w, json_loads(run->out, 0, NULL));
    assert_non_null(json);
    assert_int_equal(number_at(json, "findingCount"),
                     (int64_t)json_array_size(at(json, "findings")));
    assert_true(json_array_size(at(json, "findings")) >= 2);
    assert_string_equal(text_at(json, "findings[0].schedule"), "each-second");
}

/* Overwrites four pages in the middle of the file, which SQLite must detect. */
static void a_broken_page_is_found(void **state)
{
    struct world *w = *state;
    struct server *d = start_busy_server(w);
    char path[WORLD_PATH_MAX], rubbish[4096];
    const struct run *run;
    int fd;

    snprintf(path, sizeof path, "%s", world_path(w, "damaged.db"));
    assert_int_equal(RUN("backup", "--db", w->url, path)->status, 0);
    assert_int_equal(server_stop(d), 0);
    memset(rubbish, 'x', sizeof rubbish);
    for (off_t page = 10; page < 14; page++) {
        fd = open(path, O_WRONLY);
        assert_true(fd >= 0);
        assert_int_equal(pwrite(fd, rubbish, sizeof rubbish, page * 4096), 4096);
        close(fd);
    }
    run = check_url(url_of(path));
    if (run->status != 1 || !strstr(run->out, "database disk image is malformed"))
        fail_msg("status %d\n%s%s", run->status, run->out, run->err);
}

static void invalid_arguments_are_refused(void **state)
{
    struct world *w = *state;
    const struct run *run;

    assert_int_equal(RUN("check", "x")->status, 2);
    assert_int_equal(RUN("check", "-o", "xml")->status, 2);
    run = RUN("backup");
    assert_int_equal(run->status, 2);
    assert_non_null(strstr(run->err, "missing argument: FILE"));
    run = RUN("backup", "--db", w->url, world_path(w, "x"), "y");
    assert_int_equal(run->status, 2);
    assert_non_null(strstr(run->err, "unexpected argument \"y\""));
    assert_int_equal(RUN("check", "--db", url_of(world_path(w, "none.db")))->status, 1);
    assert_int_equal(
        RUN("backup", "--db", url_of(world_path(w, "none.db")), world_path(w, "x"))->status, 1);
}

int main(void)
{
    const struct CMUnitTest sqlite[] = {
        E2E_TEST(the_log_has_the_migrations_and_the_version),
        E2E_TEST(the_check_accepts_a_running_server),
        E2E_TEST(the_check_accepts_dispatch_jitter),
        E2E_TEST(a_backup_of_a_running_server_is_consistent_and_starts),
        E2E_TEST(every_damage_is_found),
        E2E_TEST(the_minimum_versions_decide_who_uses_a_newer_database),
        E2E_TEST(the_check_accepts_large_turns),
        E2E_TEST(findings_are_printed_as_json),
        E2E_TEST(a_broken_page_is_found),
        E2E_TEST(invalid_arguments_are_refused),
    };
    const struct CMUnitTest postgres[] = {
        E2E_TEST(the_check_accepts_a_running_server),
        E2E_TEST(backup_on_postgres_names_pg_dump),
        E2E_TEST(findings_are_printed_as_json),
    };
    const char *kind = getenv("BELFRY_TEST_DB");

    if (kind && strcmp(kind, "postgres") == 0)
        return cmocka_run_group_tests(postgres, NULL, NULL);
    return cmocka_run_group_tests(sqlite, NULL, NULL);
}
