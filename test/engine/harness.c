/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock, the nodes and their turns.  Commands are in harness_commands.c, results in
 * harness_read.c.
 */
#include "harness.h"

#include <stdlib.h>
#include <unistd.h>

#include "../db/empty.h"
#include "core/time/text.h"
#include "harness_internal.h"
#include "store/schema.h"
#include "zones.h"

enum {
    DEADLINE_MS = 60 * 1000, /* of a statement: machines may be busy */
    ARENA_MAX = 1 << 30,
    SETTLE_MAX = 20000, /* turns without a step of the clock    */
    STEPS_MAX = 500000, /* steps of one timeline                */
    BOOTS_MAX = 10,     /* attempts while other nodes boot, too */
};

struct world world;
static char dir[64], url[256];
static struct report reports[TURN_REPORTS_MAX];
static int reported[TURN_REPORTS_MAX]; /* index of its call, -1: next_input.report */
static bool is_postgres;

struct next_input next_input;

void fail_test(const char *fmt, ...)
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
        fail_test("%s: %s", full, err.text);
    return t;
}

static enum rc break_connection(void *arg, enum db_point point)
{
    struct test_node *node = arg;
    enum rc rc = RC_OK;

    if (!node->is_turning)
        return RC_OK;
    if (world.draw_break)
        rc = world.draw_break(point);
    else if (point == node->break_at)
        rc = node->break_with;
    if (rc != RC_OK) {
        node->break_with = RC_OK;
        node->breaks++;
    }
    return rc;
}

void node_open(struct test_node *node)
{
    struct err err = {.text = ""};
    struct db_options options = {.fault = &node->fault, .deadline_ms = DEADLINE_MS};

    db_close(node->db);
    node->db = NULL;
    node->fault = (struct db_fault){break_connection, node};
    if (db_open(url, &options, &node->db, &err) != RC_OK)
        fail_test("%s: %s", url, err.text);
    if (!is_postgres && db_exec(node->db, STR("PRAGMA synchronous=OFF"), &err) != RC_OK)
        fail_test("%s", err.text);
}

static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    if (world.changed_zone && str_eq(name, str_of(world.changed_zone)))
        name = str_of(world.changed_to ? world.changed_to : "gone");
    return zone_find(user, name, reterr);
}

void node_boot(struct test_node *node)
{
    struct err err = {.text = ""};
    struct engine_options options = {.node = str_of(node->name),
                                     .zones = {.find = find_zone},
                                     .zones_version = str_of(world.changed_to ? "2" : "1"),
                                     .backfill_portion = world.backfill_portion};
    enum rc rc = RC_BUSY;

    node->break_with = RC_OK;
    node->is_pending = false;
    node->last_event = 0; /* the process before it may have missed some */
    node_open(node);
    node->engine = engine_free(node->engine);
    node->engine = engine_new(&options);
    for (int i = 0; i < BOOTS_MAX && rc == RC_BUSY; i++)
        rc = engine_boot(node->engine, node->db, world.now, &err);
    if (rc != RC_OK)
        fail_test("boot of %s: %s", node->name, err.text);
    node->is_up = true;
    node->wake_at = world.now;
}

void node_kill(struct test_node *node)
{
    node->is_up = false;
    node->db = db_close(node->db);
    node->engine = engine_free(node->engine);
    for (int i = 0; i < world.call_count; i++)
        if (world.calls[i].node == node && !world.calls[i].is_granted)
            world.calls[i].is_open = false;
}

struct test_node *world_join(const char *name)
{
    struct test_node *node = &world.nodes[world.node_count++];

    must(world.node_count <= TEST_NODES_MAX);
    *node = (struct test_node){0};
    snprintf(node->name, sizeof node->name, "%s", name);
    node_boot(node);
    return node;
}

void world_fork(const char *name)
{
    world.is_child = true;
    world.node_count = 0;
    world.call_count = 0;
    world_join(name);
}

static void make_database(void)
{
    const char *kind = getenv("BELFRY_TEST_DB"), *server = getenv("BELFRY_TEST_URL");

    is_postgres = kind && strcmp(kind, "postgres") == 0;
    if (is_postgres) {
        if (!server)
            fail_test("run this through test/db/with_postgres.sh");
        snprintf(url, sizeof url, "%s", server);
        return;
    }
    snprintf(dir, sizeof dir, "/tmp/belfry-engine-XXXXXX");
    if (!mkdtemp(dir))
        fail_test("no directory below /tmp");
    /* A URL with a VFS takes no lock file, so that several nodes can open the database. */
    snprintf(url, sizeof url, "sqlite:%s/test.db?vfs=unix", dir);
}

static void make_tables(void)
{
    struct err err = {.text = ""};
    struct db *db = NULL;

    if (is_postgres && empty_database(url, &err) != RC_OK)
        fail_test("%s: %s", url, err.text);
    if (db_open(url, &(struct db_options){.deadline_ms = DEADLINE_MS}, &db, &err) != RC_OK)
        fail_test("%s: %s", url, err.text);
    if (schema_migrate(db, world.now, world.arena, &err) != RC_OK)
        fail_test("%s", err.text);
    db_close(db);
}

int world_begin(void **state)
{
    static struct call calls[CALLS_MAX];

    (void)state;
    world = (struct world){.capacity = CAPACITY,
                           .rows = TURN_ROWS_MAX,
                           .arena = arena_new(ARENA_MAX),
                           .calls = calls};
    next_input_begin();
    world.base = when("00:00");
    world.now = world.base;
    make_database();
    make_tables();
    world_join("a");
    world.namespace = submit_ok(COMMAND_NAMESPACE, "default").schedule;
    return 0;
}

int world_end(void **state)
{
    static const char *const names[] = {"test.db", "test.db-wal", "test.db-shm"};
    char path[128];

    (void)state;
    for (int i = 0; i < world.node_count; i++)
        node_kill(&world.nodes[i]);
    world.arena = arena_free(world.arena);
    for (size_t i = 0; !is_postgres && i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    if (!is_postgres)
        rmdir(dir);
    return 0;
}

struct test_node *first_up(void)
{
    for (int i = 0; i < world.node_count; i++)
        if (world.nodes[i].is_up)
            return &world.nodes[i];
    fail_test("no node is up");
}

/* Workers report to any node; calls of a node report only to that node. */
static bool reports_to(const struct call *call, const struct test_node *node)
{
    return call->is_granted ? node == first_up() : node == call->node;
}

static struct report report_of_end(const struct call *call)
{
    struct report done = make_report(call, REPORT_DONE, call->outcome);

    done.is_retryable = true;
    if (call->outcome == OUTCOME_SUCCEEDED)
        done.result = str_of(call->text);
    else
        done.error = str_of(call->text);
    return done;
}

static void prepare(struct test_node *node)
{
    int count = 0, in_flight = 0;

    for (int i = 0; i < world.call_count; i++) {
        const struct call *call = &world.calls[i];

        if (!call->is_open)
            continue;
        if (call->ends_at > world.now || !reports_to(call, node) || count == TURN_REPORTS_MAX) {
            in_flight += call->node == node && !call->is_granted;
            continue;
        }
        reported[count] = i;
        reports[count++] = report_of_end(call);
    }
    if (next_input.report && count < TURN_REPORTS_MAX) {
        reported[count] = -1;
        reports[count++] = *next_input.report;
    }
    node->in = (struct turn_in){.rows = world.rows,
                                .commands = next_input.commands,
                                .command_count = next_input.command_count,
                                .reports = reports,
                                .report_count = count,
                                .polls = node == first_up() ? next_input.polls : NULL,
                                .poll_count = node == first_up() ? next_input.poll_count : 0};
    for (int i = LANE_HTTP; i < LANE_COUNT; i++)
        node->in.capacity[i] = world.capacity > in_flight ? world.capacity - in_flight : 0;
}

static void read_report_replies(const struct test_node *node)
{
    const struct turn_out *out = &node->out;

    if (out->report_count != node->in.report_count)
        fail_test("%d reports, %d replies", node->in.report_count, out->report_count);
    for (int i = 0; i < out->report_count; i++) {
        struct call *call = reported[i] < 0 ? NULL : &world.calls[reported[i]];

        world.last_report = out->report_replies[i];
        if (!call || world.last_report.rc == RC_BUSY)
            continue;
        if (world.last_report.rc == RC_INVALID) {
            call->ends_at =
                INSTANT_NEVER; /* rejected because of its text: the run stays claimed */
            continue;
        }
        if (world.last_report.rc != RC_OK)
            fail_test("the report of a call at %s was rejected: %s", clock_text(call->at),
                      rc_name(world.last_report.rc));
        call->is_open = false;
    }
}

static void apply_stop(const struct stop *stop)
{
    for (int i = 0; i < world.call_count; i++) {
        struct call *call = &world.calls[i];

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

static void apply_out(struct test_node *node)
{
    struct turn_out *out = &node->out;

    node->wake_at = out->wake_at;
    world.ready_turns += out->made_ready;
    read_report_replies(node);
    if (out->reply_count != node->in.command_count)
        fail_test("%d commands, %d replies", node->in.command_count, out->reply_count);
    for (int i = 0; i < out->stop_count; i++)
        apply_stop(&out->stops[i]);
    for (int i = 0; i < out->dispatch_count; i++)
        add_call(node, &out->dispatches[i], false);
    for (int i = 0; i < out->grant_count; i++)
        add_call(node, &out->grants[i], true);
    for (int i = 0; i < next_input.poll_count && node->in.poll_count > 0; i++)
        next_input.polls[i].is_new = false;
    if (out->event_count > 0 && node->last_event > 0 &&
        out->first_event != node->last_event + 1)
        fail_test("event %lld follows %lld", (long long)out->first_event,
                  (long long)node->last_event);
    if (out->event_count > 0)
        node->last_event = out->first_event + out->event_count - 1;
    for (int i = 0; i < out->event_count; i++) {
        must(out->events[i].type > 0 && out->events[i].type < EVENTS_MAX);
        world.events[out->events[i].type]++;
        world.last_event[out->events[i].type] = out->events[i];
    }
}

enum rc turn_try(struct test_node *node, struct err *reterr)
{
    enum rc rc;

    if (!node->is_pending)
        prepare(node);
    node->in.now = world.now;
    node->is_turning = true;
    rc = engine_turn(node->engine, &node->in, &node->out, reterr);
    node->is_turning = false;
    node->is_pending = rc != RC_OK;
    if (rc == RC_OK)
        apply_out(node);
    if (rc == RC_OK && node->out.started[RUN_BACKFILL] > world.backfill_most)
        world.backfill_most = node->out.started[RUN_BACKFILL];
    return rc;
}

/* True when the turn can be tried again; opens a new connection if the test broke it. */
static bool may_retry(struct test_node *node, enum rc rc)
{
    if (rc == RC_BUSY)
        return true;
    if (node->breaks == 0 || (rc != RC_LOST && rc != RC_UNKNOWN))
        return false;
    node_open(node);
    engine_attach(node->engine, node->db);
    return true;
}

void turn(struct test_node *node)
{
    struct err err = {.text = ""};
    enum rc rc = turn_try(node, &err);

    for (int i = 0; i < SETTLE_MAX && rc != RC_OK && may_retry(node, rc); i++)
        rc = turn_try(node, &err);
    if (rc != RC_OK)
        fail_test("turn of %s at %s: %s: %s", node->name, clock_text(world.now), rc_name(rc),
                  err.text);
}

static bool has_due_report(void)
{
    for (int i = 0; i < world.call_count; i++)
        if (world.calls[i].is_open && world.calls[i].ends_at <= world.now)
            return true;
    return false;
}

void settle(void)
{
    for (int i = 0; i < SETTLE_MAX; i++) {
        bool is_busy = false;

        for (int k = 0; k < world.node_count; k++) {
            struct test_node *node = &world.nodes[k];

            if (!node->is_up)
                continue;
            turn(node);
            is_busy |= node->wake_at <= world.now;
        }
        if (!is_busy && !has_due_report())
            return;
    }
    fail_test("at %s the nodes never finish their work", clock_text(world.now));
}

static instant next_step(instant until)
{
    instant next = until;

    for (int i = 0; i < world.node_count; i++)
        if (world.nodes[i].is_up && world.nodes[i].wake_at < next)
            next = world.nodes[i].wake_at;
    for (int i = 0; i < world.call_count; i++)
        if (world.calls[i].is_open && world.calls[i].ends_at < next)
            next = world.calls[i].ends_at;
    if (world.tick > 0 && world.now + world.tick < next)
        next = world.now + world.tick;
    return next;
}

void run_until(instant t)
{
    settle();
    for (int i = 0; world.now < t; i++) {
        if (i == STEPS_MAX)
            fail_test("%s is too many steps away", clock_text(t));
        world.now = next_step(t);
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
