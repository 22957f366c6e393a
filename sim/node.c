/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated node: the server's loop around the real engine, with faults.
 */
#include "sim/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "db/disk.h"
#include "sim/faults.h"
#include "sim/trace.h"
#include "store/nodes.h"
#include "store/schema.h"

enum {
    START_BYTES_MAX = 16 << 20, /* of results while the tables are migrated */
    PLAN_BYTES = 1024, /* of cache per plan of the profile; small caches may hold none */
    WAL_PAGES = 250,   /* a dozen turns, so that faults strike while the WAL is written back */
};

void node_init(struct world *world, int index)
{
    struct sim_node *node = &world->nodes[index];

    node->world = world;
    node->index = index;
    snprintf(node->name, sizeof node->name, "n%d", index);
    node->fault = (struct db_fault){.ask = faults_ask, .arg = node};
    node->wake_at = INSTANT_NEVER;
    node->stalled_until = INSTANT_NONE;
    node->waiting_commands = calloc(WORLD_WAITING_MAX, sizeof *node->waiting_commands);
    node->waiting_reports = calloc(WORLD_WAITING_MAX, sizeof *node->waiting_reports);
    must(node->waiting_commands && node->waiting_reports);
}

void node_free(struct sim_node *node)
{
    node->engine = engine_free(node->engine);
    node->db = db_close(node->db);
    free(node->waiting_commands);
    free(node->waiting_reports);
}

struct sim_node *node_any(struct world *world)
{
    int count = world->profile.nodes;
    int first = (int)prng_below(&world->prng, (uint64_t)count);

    for (int i = 0; i < count; i++) {
        struct sim_node *node = &world->nodes[(first + i) % count];

        if (node_is_up(node))
            return node;
    }
    return NULL;
}

void node_wake(struct world *world, struct sim_node *node, instant at)
{
    if (at <= world->now)
        at = world->now + SPAN_MS;
    if (at >= node->wake_at)
        return;
    node->wake_at = at;
    world_at(world, at, HAPPEN_TURN, node->index, 0);
}

static void wake_soon(struct world *world, struct sim_node *node)
{
    node_wake(world, node, world->now + world_delay(world, 20 * SPAN_MS));
}

void node_hand_in(struct world *world, struct sim_node *node, int command)
{
    must(node->waiting_command_count < WORLD_WAITING_MAX);
    node->waiting_commands[node->waiting_command_count++] = command;
    wake_soon(world, node);
}

void node_report(struct world *world, struct sim_node *node, const struct report *report)
{
    must(node->waiting_report_count < WORLD_WAITING_MAX);
    node->waiting_reports[node->waiting_report_count++] = *report;
    wake_soon(world, node);
}

/* Start and end. */

static instant clock_of(const struct world *world, const struct sim_node *node)
{
    return world_clock(world) - node->lag;
}

static enum rc connect(struct sim_node *node, struct err *err)
{
    struct db_options options = {.fault = &node->fault, .wal_pages = WAL_PAGES};

    must(!node->db);
    return db_open(WORLD_URL, &options, &node->db, err);
}

static enum rc open_store(struct world *world, struct sim_node *node, struct err *err)
{
    struct arena *arena = arena_new(START_BYTES_MAX);
    enum rc rc = connect(node, err);

    if (rc == RC_OK)
        rc = schema_migrate(node->db, clock_of(world, node), arena, err);
    arena_free(arena);
    return rc;
}

void node_start(struct world *world, struct sim_node *node)
{
    struct engine_options options = {
        .node = str_of(node->name),
        .zones = world->zones,
        .node_lease = world->profile.node_lease,
        .dispatch_jitter = world->profile.jitter,
        .plan_bytes = (size_t)world->profile.plans * PLAN_BYTES,
        .committed = world->profile.plans,
        .backfill_portion = world->profile.backfill_portion,
    };
    struct err err = {.text = ""};
    enum rc rc;

    must(!node->engine);
    node->lag = world->profile.lag > 0 ? world_delay(world, world->profile.lag) : 0;
    rc = open_store(world, node, &err);
    if (rc == RC_OK) {
        node->engine = engine_new(&options);
        rc = engine_boot(node->engine, node->db, clock_of(world, node), &err);
    }
    if (rc == RC_OK) {
        world_say(world, "%s is up", node->name);
        wake_soon(world, node);
        return;
    }
    node->engine = engine_free(node->engine);
    node->db = db_close(node->db);
    if (rc != RC_LIMIT && rc != RC_BUSY)
        world_fail(world, "%s did not start: %s: %s", node->name, rc_name(rc), err.text);
    world_at(world, world->now + world_delay(world, world->profile.unit), HAPPEN_UP,
             node->index, 0);
}

/* Unanswered commands go to another node, or are lost. */
static void drop_waiting(struct world *world, struct sim_node *node)
{
    int commands = node->is_trying ? node->in.command_count : 0;
    int reports = node->is_trying ? node->in.report_count : 0;

    node->is_trying = false;
    for (int i = 0; i < commands; i++)
        operator_unheard(world, node->tried[i]);
    for (int i = 0; i < reports; i++)
        workers_unheard(world, node->reports[i].tag);
    for (int i = 0; i < node->waiting_command_count; i++)
        operator_unheard(world, node->waiting_commands[i]);
    for (int i = 0; i < node->waiting_report_count; i++)
        workers_unheard(world, node->waiting_reports[i].tag);
    node->waiting_command_count = node->waiting_report_count = 0;
    workers_node_died(world, node->index);
}

static void end_process(struct world *world, struct sim_node *node)
{
    if (!node->engine)
        return;
    world_say(world, "%s is gone", node->name);
    node->engine = engine_free(node->engine);
    node->db = db_close(node->db);
    node->trap = (struct trap){.is_set = false};
    node->stalls = false;
    node->wake_at = INSTANT_NEVER;
    node->stalled_until = INSTANT_NONE;
    node->boot++;
    node->dispatches = 0;
    drop_waiting(world, node);
    world_at(world, world_back_at(world, 2 * world->profile.node_lease), HAPPEN_UP, node->index,
             0);
}

void node_kill(struct world *world, struct sim_node *node)
{
    /* The last process leaves its log on the disk; closing would remove it. */
    if (world->profile.nodes == 1)
        sim_vfs_process_kill(world->vfs);
    end_process(world, node);
}

void node_kill_all(struct world *world, bool power)
{
    if (power)
        sim_vfs_power_loss(world->vfs, &world->prng, NULL);
    else
        sim_vfs_process_kill(world->vfs);
    for (int i = 0; i < world->profile.nodes; i++)
        end_process(world, &world->nodes[i]);
}

void node_up(struct world *world, struct sim_node *node)
{
    if (!node->engine) {
        node_start(world, node);
    } else if (node->stalled_until != INSTANT_NONE && node->stalled_until <= world->now) {
        node->stalled_until = INSTANT_NONE;
        node->wake_at = INSTANT_NEVER; /* planned events of the meantime did not happen */
        world_say(world, "%s goes on", node->name);
        wake_soon(world, node);
    }
}

/* The turn. */

static void take_inputs(struct world *world, struct sim_node *node)
{
    struct turn_in *in = &node->in;
    int commands = node->waiting_command_count < WORLD_BOX_MAX ? node->waiting_command_count
                                                               : WORLD_BOX_MAX;
    int reports = node->waiting_report_count < WORLD_BOX_MAX ? node->waiting_report_count
                                                             : WORLD_BOX_MAX;
    int room = world->profile.capacity - node->dispatches;

    for (int i = 0; i < commands; i++) {
        int index = node->tried[i] = node->waiting_commands[i];

        node->commands[i] = world->recorder.record.commands[index].command;
        if (command_saves(node->commands[i].kind))
            node->commands[i].save.draft = operator_draft(world, index);
    }
    memcpy(node->reports, node->waiting_reports, (size_t)reports * sizeof *node->reports);
    node->waiting_command_count -= commands;
    node->waiting_report_count -= reports;
    memmove(node->waiting_commands, node->waiting_commands + commands,
            (size_t)node->waiting_command_count * sizeof *node->waiting_commands);
    memmove(node->waiting_reports, node->waiting_reports + reports,
            (size_t)node->waiting_report_count * sizeof *node->waiting_reports);
    *in = (struct turn_in){
        .rows = world->profile.rows,
        .hold = world->now < world->held_until,
        .commands = node->commands,
        .command_count = commands,
        .reports = node->reports,
        .report_count = reports,
        .polls = node->polls,
        .poll_count = workers_polls(world, node->index, node->polls),
    };
    in->capacity[LANE_HTTP] = room > 0 ? room : 0;
    in->capacity[LANE_EXEC] = room > 0 ? room : 0;
    workers_seen(world, node->index);
    node->is_trying = true;
}

static void record_reports(struct world *world, const struct sim_node *node,
                           const struct turn_out *out)
{
    for (int i = 0; i < node->in.report_count; i++) {
        const struct report *report = &node->reports[i];

        recorder_report(&world->recorder,
                        &(struct rec_report){
                            .order = recorder_current(&world->recorder)->order,
                            .at = node->done_at,
                            .node = node->id,
                            .kind = report->kind,
                            .run = report->run,
                            .fence = report->fence,
                            .outcome = report->outcome,
                            .rc = out ? out->report_replies[i].rc : RC_UNKNOWN,
                        });
    }
}

static int record_turn(struct world *world, const struct sim_node *node, int boot)
{
    return recorder_turn(&world->recorder, &(struct rec_turn){
                                               .node = node->id,
                                               .boot = boot,
                                               .turn = node->turn,
                                               .now = node->done_at,
                                               .in_doubt = node->in_doubt,
                                               .is_partial = true,
                                           });
}

/* It stalled after its commit: it hands back the runs that it should have started. */
static void hand_back(struct world *world, struct sim_node *node, const struct turn_out *out)
{
    faults_stall(world, node);
    for (int i = 0; i < out->dispatch_count; i++)
        workers_hand_back(world, &out->dispatches[i], node->index, node->stalled_until);
    for (int i = 0; i < out->grant_count; i++)
        workers_hand_back(world, &out->grants[i], node->index, node->stalled_until);
}

static void send_out(struct world *world, struct sim_node *node, const struct turn_out *out)
{
    for (int i = 0; i < out->dispatch_count; i++) {
        recorder_delivery(&world->recorder, &out->dispatches[i], node->id, false);
        workers_take(world, &out->dispatches[i], node->index, false);
    }
    for (int i = 0; i < out->grant_count; i++) {
        recorder_delivery(&world->recorder, &out->grants[i], node->id, true);
        workers_take(world, &out->grants[i], node->index, true);
    }
}

/* Delivers the results of a turn. */
static void hand_out(struct world *world, struct sim_node *node, const struct turn_out *out)
{
    if (node->stalls && out->dispatch_count + out->grant_count > 0)
        hand_back(world, node, out);
    else
        send_out(world, node, out);
    node->stalls = false;
    for (int i = 0; i < out->report_count; i++)
        workers_heard(world, &out->report_replies[i]);
    for (int i = 0; i < out->stop_count; i++)
        workers_stop(world, &out->stops[i]);
}

/* Timers end at the next millisecond. */
static instant whole_ms(instant t)
{
    return (t + SPAN_MS - 1) / SPAN_MS * SPAN_MS;
}

static void plan_next(struct world *world, struct sim_node *node, const struct turn_out *out)
{
    instant latest = world->now + world->profile.tick;
    instant wake = latest;

    if (out->wake_at < world_clock(world) + world->profile.tick)
        wake = whole_ms(out->wake_at - world->offset + node->lag);
    if (node->waiting_command_count > 0 || node->waiting_report_count > 0)
        wake = world->now;
    node_wake(world, node, wake < latest ? wake : latest);
    for (int i = 0; out->made_ready && i < world->profile.nodes; i++) {
        if (i == node->index || !node_answers(&world->nodes[i]))
            continue;
        workers_hear(world, i);
        wake_soon(world, &world->nodes[i]);
    }
}

static void committed(struct world *world, struct sim_node *node, const struct turn_out *out)
{
    bool dies;

    must(out->reply_count == node->in.command_count);
    must(out->report_count == node->in.report_count);
    node->id = out->node;
    node->turn = out->turn;
    if (node->is_done)
        recorder_return(&world->recorder, node->done_turn);
    else
        (void)record_turn(world, node, node->boot);
    recorder_asked(&world->recorder, out->wake_at - node->done_at);
    record_reports(world, node, out);
    recorder_digest(&world->recorder, out);
    trace_turn(world, node, out);
    dies = faults_after(world, node);
    node->is_trying = node->in_doubt = node->is_done = false;
    for (int i = 0; i < out->reply_count; i++) {
        world->recorder.record.commands[node->tried[i]].position = i;
        operator_heard(world, node->tried[i], &out->replies[i], !dies);
    }
    if (dies) {
        for (int i = 0; i < out->report_count; i++)
            workers_unheard(world, node->reports[i].tag);
        node_kill(world, node);
        return;
    }
    hand_out(world, node, out);
    plan_next(world, node, out);
}

/*
 * Whether the last tried turn was committed; sets the node to that turn.  Only the simulator
 * can check this.  It opens the database read-only, because a writer would write back the log.
 */
static bool find_turn(struct world *world, struct sim_node *node)
{
    struct db_options options = {.readonly = true};
    struct db_result found = {0};
    struct arena *arena = arena_new(START_BYTES_MAX);
    struct db *db = NULL;
    struct err err = {.text = ""};
    struct node row = {0};
    enum rc rc = db_open(WORLD_URL, &options, &db, &err);

    if (rc == RC_OK) {
        nodes_find(db, str_of(node->name), &found);
        rc = db_flush(db, arena, &err);
    }
    if (rc != RC_OK)
        world_fail(world, "the store cannot be read after a fault: %s", err.text);
    else if (found.rows == 1)
        nodes_read(&found, 0, &row);
    db_close(db);
    arena_free(arena);
    if (row.turn != node->turn + 1)
        return false;
    node->id = row.id;
    node->turn = row.turn;
    return true;
}

/* A turn whose end was not seen may have been committed. */
static void finish_after_stop(struct world *world, struct sim_node *node)
{
    if (!find_turn(world, node))
        return;
    (void)record_turn(world, node, node->boot - 1);
    record_reports(world, node, NULL);
}

static void reconnect(struct world *world, struct sim_node *node)
{
    struct err err = {.text = ""};

    node->db = db_close(node->db);
    if (connect(node, &err) == RC_OK)
        engine_attach(node->engine, node->db);
    else
        world_fail(world, "%s cannot connect again: %s", node->name, err.text);
}

static void declared_dead(struct world *world, struct sim_node *node)
{
    struct err err = {.text = ""};
    enum rc rc;

    must(!node->is_done);
    node->in_doubt = false;
    rc = engine_boot(node->engine, node->db, clock_of(world, node), &err);
    node->boot++;
    node->dispatches = 0;
    if (rc == RC_LIMIT && world->disk_is_full)
        node_kill(world, node);
    else if (rc != RC_OK)
        world_fail(world, "%s cannot boot again: %s: %s", node->name, rc_name(rc), err.text);
}

static void failed(struct world *world, struct sim_node *node, enum rc rc,
                   const struct err *err)
{
    span delay = world_delay(world, 50 * SPAN_MS);

    world_say(world, "%s: turn failed: %s: %s", node->name, rc_name(rc), err->text);
    if (rc == RC_LOST || rc == RC_UNKNOWN) {
        node->in_doubt = node->in_doubt || rc == RC_UNKNOWN;
        if (rc == RC_UNKNOWN && !node->is_done && find_turn(world, node)) {
            node->is_done = true;
            node->done_turn = record_turn(world, node, node->boot);
        }
        reconnect(world, node);
    } else if (rc == RC_CONFLICT) {
        declared_dead(world, node);
    } else if (rc == RC_LIMIT && world->disk_is_full) {
        delay = world_back_at(world, world->profile.unit) - world->now;
    } else if (rc != RC_BUSY) {
        world_fail(world, "a turn of %s failed: %s: %s", node->name, rc_name(rc), err->text);
    }
    if (node_is_up(node))
        node_wake(world, node, world->now + delay);
}

/*
 * As the server does: a second connection writes back most of the WAL, and after a later turn
 * the writer writes back the rest.
 */
static enum rc write_back(struct sim_node *node, struct err *err)
{
    struct db *second = NULL;
    struct err why = {.text = ""};
    int pages = -1;
    enum rc rc;

    if (!db_lend_wal(node->db))
        return db_checkpoint(node->db, err);
    rc = db_open(WORLD_URL, &(struct db_options){.writes_back = true}, &second, &why);
    if (rc == RC_OK)
        rc = db_write_back_wal(second, &pages, &why);
    db_close(second);
    db_take_wal(node->db, pages);
    return rc == RC_CORRUPT ? db_distrust(node->db, &why, err) : RC_OK;
}

void node_turn(struct world *world, struct sim_node *node)
{
    struct turn_out out;
    struct err err = {.text = ""};
    enum rc rc;
    bool is_known;

    node->wake_at = INSTANT_NEVER;
    if (!node->is_trying)
        take_inputs(world, node);
    if (!faults_before(world, node))
        return;
    if (++world->turns > WORLD_TURNS_MAX) {
        world_fail(world, "no end: more than %d turns", WORLD_TURNS_MAX);
        return;
    }
    node->in.now = clock_of(world, node);
    if (!node->is_done)
        node->done_at = node->in.now;
    rc = engine_turn(node->engine, &node->in, &out, &err);
    node->trap.is_set = false;
    is_known = rc == RC_OK;
    if (is_known)
        committed(world, node, &out);
    if (is_known && node->db)
        rc = write_back(node, &err);
    if (faults_check_disk(world, node, rc)) {
        if (!is_known)
            finish_after_stop(world, node);
        return;
    }
    if (node->trap.has_struck && node->trap.kind == FAULT_KILL_INSIDE)
        node_kill(world, node);
    else if (rc != RC_OK)
        failed(world, node, rc, &err);
}
