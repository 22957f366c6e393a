/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock, the nodes and their turns.  What is said and read is in harness_say.c and
 * harness_read.c.
 */
#include "harness.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/time/text.h"
#include "harness_parts.h"
#include "store/schema.h"
#include "zones.h"

enum {
    ARENA_MAX = 1 << 30,
    SETTLE_MAX = 20000, /* turns at one moment     */
    STEPS_MAX = 500000, /* moments of one timeline */
    BOOTS_MAX = 10,     /* while others boot too   */
};

struct world world;
static char dir[64], url[256];
static struct report reports[TURN_REPORTS_MAX];
static int reported[TURN_REPORTS_MAX]; /* index of its call, -1: parts.report */
static bool is_postgres;

struct parts parts;

void broken(const char *fmt, ...)
{
    static char text[4096];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (world.is_child) {
        fprintf(stderr, "child: %s\n", text);
        _exit(1);
    }
    fail_msg("%s", text);
    abort();
}

instant when(const char *text)
{
    char full[64];
    instant t = 0;
    struct err err;

    if (strlen(text) > 2 && text[2] == ':')
        snprintf(full, sizeof full, "2022-06-01T%s%sZ", text, strlen(text) == 5 ? ":00" : "");
    else if (strlen(text) > 8 && text[2] == '-')
        snprintf(full, sizeof full, "2022-%.5sT%s%sZ", text, text + 6,
                 strlen(text) == 11 ? ":00" : "");
    else
        snprintf(full, sizeof full, "%s", text);
    if (instant_parse(str_of(full), &t, &err) != RC_OK)
        broken("%s: %s", full, err.text);
    return t;
}

static enum rc ask_fault(void *arg, enum db_point point)
{
    struct bench *bench = arg;
    enum rc rc = RC_OK;

    if (!bench->is_turning)
        return RC_OK;
    if (world.chance)
        rc = world.chance(point);
    else if (point == bench->break_at)
        rc = bench->break_with;
    if (rc != RC_OK) {
        bench->break_with = RC_OK;
        bench->breaks++;
    }
    return rc;
}

void bench_open(struct bench *bench)
{
    struct err err = {.text = ""};
    struct db_options options = {.fault = &bench->fault};

    db_close(bench->db);
    bench->db = NULL;
    bench->fault = (struct db_fault){ask_fault, bench};
    if (db_open(url, &options, &bench->db, &err) != RC_OK)
        broken("%s: %s", url, err.text);
    if (!is_postgres && db_exec(bench->db, STR("PRAGMA synchronous=OFF"), &err) != RC_OK)
        broken("%s", err.text);
}

static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    if (world.lost && str_eq(name, str_of(world.lost)))
        name = str_of(world.instead ? world.instead : "gone");
    return zone_find(user, name, reterr);
}

void bench_boot(struct bench *bench)
{
    struct err err = {.text = ""};
    struct engine_options options = {.node = str_of(bench->name),
                                     .zones = {.find = find_zone},
                                     .zones_version = str_of(world.instead ? "2" : "1"),
                                     .backfill_portion = world.portion};
    enum rc rc = RC_BUSY;

    bench->break_with = RC_OK;
    bench->is_pending = false;
    bench->events = 0; /* what the process before it did not hear of */
    bench_open(bench);
    bench->engine = engine_free(bench->engine);
    bench->engine = engine_new(&options);
    for (int i = 0; i < BOOTS_MAX && rc == RC_BUSY; i++)
        rc = engine_boot(bench->engine, bench->db, world.now, &err);
    if (rc != RC_OK)
        broken("boot of %s: %s", bench->name, err.text);
    bench->is_up = true;
    bench->wake_at = world.now;
}

void bench_kill(struct bench *bench)
{
    bench->is_up = false;
    bench->db = db_close(bench->db);
    bench->engine = engine_free(bench->engine);
    for (int i = 0; i < world.dispatch_count; i++)
        if (world.dispatches[i].bench == bench && !world.dispatches[i].is_granted)
            world.dispatches[i].is_open = false;
}

struct bench *world_join(const char *name)
{
    struct bench *bench = &world.benches[world.bench_count++];

    must(world.bench_count <= BENCHES_MAX);
    *bench = (struct bench){0};
    snprintf(bench->name, sizeof bench->name, "%s", name);
    bench_boot(bench);
    return bench;
}

void world_fork(const char *name)
{
    world.is_child = true;
    world.bench_count = 0;
    world.dispatch_count = 0;
    world_join(name);
}

static void make_database(void)
{
    const char *kind = getenv("BELFRY_TEST_DB"), *server = getenv("BELFRY_TEST_URL");

    is_postgres = kind && strcmp(kind, "postgres") == 0;
    if (is_postgres) {
        if (!server)
            broken("run this through test/db/with_postgres.sh");
        snprintf(url, sizeof url, "%s", server);
        return;
    }
    snprintf(dir, sizeof dir, "/tmp/belfry-engine-XXXXXX");
    if (!mkdtemp(dir))
        broken("no directory below /tmp");
    /* Named, so that several nodes may write in turn. */
    snprintf(url, sizeof url, "sqlite:%s/test.db?vfs=unix", dir);
}

static void make_tables(void)
{
    struct err err = {.text = ""};
    struct db *db = NULL;

    if (db_open(url, NULL, &db, &err) != RC_OK)
        broken("%s: %s", url, err.text);
    if (is_postgres && (db_exec(db, STR("DROP SCHEMA public CASCADE"), &err) != RC_OK ||
                        db_exec(db, STR("CREATE SCHEMA public"), &err) != RC_OK))
        broken("%s", err.text);
    if (schema_migrate(db, world.now, world.arena, &err) != RC_OK)
        broken("%s", err.text);
    db_close(db);
}

int world_begin(void **state)
{
    static struct call dispatches[CALLS_MAX];

    (void)state;
    world = (struct world){.capacity = CAPACITY,
                           .rows = TURN_ROWS_MAX,
                           .arena = arena_new(ARENA_MAX),
                           .dispatches = dispatches};
    parts_begin();
    world.base = when("00:00");
    world.now = world.base;
    make_database();
    make_tables();
    world_join("a");
    world.namespace = said(COMMAND_NAMESPACE, "default").schedule;
    return 0;
}

int world_end(void **state)
{
    static const char *const names[] = {"test.db", "test.db-wal", "test.db-shm"};
    char path[128];

    (void)state;
    for (int i = 0; i < world.bench_count; i++)
        bench_kill(&world.benches[i]);
    world.arena = arena_free(world.arena);
    for (size_t i = 0; !is_postgres && i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    if (!is_postgres)
        rmdir(dir);
    return 0;
}

struct bench *first_up(void)
{
    for (int i = 0; i < world.bench_count; i++)
        if (world.benches[i].is_up)
            return &world.benches[i];
    broken("no node is up");
}

/* Workers report to any node, a node's own calls only to it. */
static bool reports_to(const struct call *call, const struct bench *bench)
{
    return call->is_granted ? bench == first_up() : bench == call->bench;
}

static struct report report_of(const struct call *call)
{
    struct report told = report_on(call, REPORT_DONE, call->outcome);

    told.is_retryable = true;
    if (call->outcome == OUTCOME_SUCCEEDED)
        told.result = str_of(call->text);
    else
        told.error = str_of(call->text);
    return told;
}

static void prepare(struct bench *bench)
{
    int count = 0, in_flight = 0;

    for (int i = 0; i < world.dispatch_count; i++) {
        const struct call *call = &world.dispatches[i];

        if (!call->is_open)
            continue;
        if (call->ends_at > world.now || !reports_to(call, bench) ||
            count == TURN_REPORTS_MAX) {
            in_flight += call->bench == bench && !call->is_granted;
            continue;
        }
        reported[count] = i;
        reports[count++] = report_of(call);
    }
    if (parts.report && count < TURN_REPORTS_MAX) {
        reported[count] = -1;
        reports[count++] = *parts.report;
    }
    bench->in = (struct turn_in){.rows = world.rows,
                                 .commands = parts.commands,
                                 .command_count = parts.command_count,
                                 .reports = reports,
                                 .report_count = count,
                                 .polls = bench == first_up() ? parts.polls : NULL,
                                 .poll_count = bench == first_up() ? parts.poll_count : 0};
    for (int i = LANE_HTTP; i < LANE_COUNT; i++)
        bench->in.capacity[i] = world.capacity > in_flight ? world.capacity - in_flight : 0;
}

static void take_reports(const struct bench *bench)
{
    const struct turn_out *out = &bench->out;

    if (out->report_count != bench->in.report_count)
        broken("%d reports, %d replies", bench->in.report_count, out->report_count);
    for (int i = 0; i < out->report_count; i++) {
        struct call *call = reported[i] < 0 ? NULL : &world.dispatches[reported[i]];

        world.last_report = out->report_replies[i];
        if (!call || world.last_report.rc == RC_BUSY)
            continue;
        if (world.last_report.rc == RC_INVALID) {
            call->ends_at = INSTANT_NEVER; /* refused for its text: still its holder's */
            continue;
        }
        if (world.last_report.rc != RC_OK)
            broken("the report of a call at %s was refused: %s", clock_text(call->at),
                   rc_name(world.last_report.rc));
        call->is_open = false;
    }
}

static void take_stop(const struct stop *stop)
{
    for (int i = 0; i < world.dispatch_count; i++) {
        struct call *call = &world.dispatches[i];

        if (!call->is_open || call->work.run.schedule != stop->run.schedule ||
            call->work.run.slot != stop->run.slot_ms * SPAN_MS ||
            call->work.run.pass != stop->run.pass)
            continue;
        call->is_stopping = true;
        call->is_terminated = stop->is_terminated;
        call->is_open = !stop->is_terminated;
        event_stop(call);
    }
}

static void take(struct bench *bench)
{
    struct turn_out *out = &bench->out;

    bench->wake_at = out->wake_at;
    world.hints += out->made_ready;
    take_reports(bench);
    if (out->reply_count != bench->in.command_count)
        broken("%d commands, %d replies", bench->in.command_count, out->reply_count);
    for (int i = 0; i < out->stop_count; i++)
        take_stop(&out->stops[i]);
    for (int i = 0; i < out->dispatch_count; i++)
        take_work(bench, &out->dispatches[i], false);
    for (int i = 0; i < out->grant_count; i++)
        take_work(bench, &out->grants[i], true);
    for (int i = 0; i < parts.poll_count && bench->in.poll_count > 0; i++)
        parts.polls[i].is_new = false;
    if (out->event_count > 0 && bench->events > 0 && out->first_event != bench->events + 1)
        broken("event %lld follows %lld", (long long)out->first_event,
               (long long)bench->events);
    if (out->event_count > 0)
        bench->events = out->first_event + out->event_count - 1;
    for (int i = 0; i < out->event_count; i++) {
        must(out->events[i].type > 0 && out->events[i].type < EVENTS_MAX);
        world.events[out->events[i].type]++;
        world.last_event[out->events[i].type] = out->events[i];
    }
}

enum rc turn_try(struct bench *bench, struct err *reterr)
{
    enum rc rc;

    if (!bench->is_pending)
        prepare(bench);
    bench->in.now = world.now;
    bench->is_turning = true;
    rc = engine_turn(bench->engine, &bench->in, &bench->out, reterr);
    bench->is_turning = false;
    bench->is_pending = rc != RC_OK;
    if (rc == RC_OK)
        take(bench);
    if (rc == RC_OK && bench->out.started[RUN_BACKFILL] > world.backfill_most)
        world.backfill_most = bench->out.started[RUN_BACKFILL];
    return rc;
}

/* Where a test broke the connection, a new one is made and the turn is asked for again. */
static bool may_go_on(struct bench *bench, enum rc rc)
{
    if (rc == RC_BUSY)
        return true;
    if (bench->breaks == 0 || (rc != RC_LOST && rc != RC_UNKNOWN))
        return false;
    bench_open(bench);
    engine_attach(bench->engine, bench->db);
    return true;
}

void turn(struct bench *bench)
{
    struct err err = {.text = ""};
    enum rc rc = turn_try(bench, &err);

    for (int i = 0; i < SETTLE_MAX && rc != RC_OK && may_go_on(bench, rc); i++)
        rc = turn_try(bench, &err);
    if (rc != RC_OK)
        broken("turn of %s at %s: %s: %s", bench->name, clock_text(world.now), rc_name(rc),
               err.text);
}

static bool has_due_report(void)
{
    for (int i = 0; i < world.dispatch_count; i++)
        if (world.dispatches[i].is_open && world.dispatches[i].ends_at <= world.now)
            return true;
    return false;
}

void settle(void)
{
    for (int i = 0; i < SETTLE_MAX; i++) {
        bool is_busy = false;

        for (int k = 0; k < world.bench_count; k++) {
            struct bench *bench = &world.benches[k];

            if (!bench->is_up)
                continue;
            turn(bench);
            is_busy |= bench->wake_at <= world.now;
        }
        if (!is_busy && !has_due_report())
            return;
    }
    broken("at %s there is always something left to do", clock_text(world.now));
}

static instant next_moment(instant until)
{
    instant next = until;

    for (int i = 0; i < world.bench_count; i++)
        if (world.benches[i].is_up && world.benches[i].wake_at < next)
            next = world.benches[i].wake_at;
    for (int i = 0; i < world.dispatch_count; i++)
        if (world.dispatches[i].is_open && world.dispatches[i].ends_at < next)
            next = world.dispatches[i].ends_at;
    if (world.tick > 0 && world.now + world.tick < next)
        next = world.now + world.tick;
    return next;
}

void run_until(instant t)
{
    settle();
    for (int i = 0; world.now < t; i++) {
        if (i == STEPS_MAX)
            broken("%s is too many moments away", clock_text(t));
        world.now = next_moment(t);
        settle();
    }
}

void run_to(const char *text)
{
    run_until(when(text));
}

void down_to(const char *text)
{
    world.now = when(text);
    settle();
}
