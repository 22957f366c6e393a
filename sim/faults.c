/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Before a turn at most one fault is drawn, and none while it is unknown whether an earlier
 * turn was committed.  If a node dies or stalls while that is unknown, the store is the same
 * as if it had done so before or after the commit; the faults of other turns cover both cases.
 */
#include "sim/faults.h"

#include <inttypes.h>

#include "sim/node.h"

enum {
    SKIP_MAX = 6,     /* a turn has about six round trips */
    CHANGES_MAX = 60, /* of the disk in a turn; the rest are in between */
    READS_MAX = 20,   /* most pages are in memory */
    SYNCS_MAX = 2,    /* one for a commit, one more when the log restarts */
};

/* Disk faults other than a stop. */
static const enum sim_fault errors[] = {SIM_READ_ERROR, SIM_WRITE_ERROR, SIM_SYNC_ERROR};
enum { ERRORS = sizeof errors / sizeof *errors };

enum rc faults_ask(void *arg, enum db_point point)
{
    struct sim_node *node = arg;
    struct trap *trap = &node->trap;

    if (!trap->is_set || trap->point != point || trap->skip-- > 0)
        return RC_OK;
    trap->is_set = false;
    trap->has_struck = true;
    return trap->rc;
}

static void record_fault(struct world *world, const struct sim_node *node,
                         enum rec_fault_kind kind, span by)
{
    world_say(world, "FAULT %s%s%s, by %" PRId64 " ms", fault_text(kind), node ? " at " : "",
              node ? node->name : "", by / SPAN_MS);
    recorder_fault(&world->recorder, &(struct rec_fault){.at = world_clock(world),
                                                         .kind = kind,
                                                         .node = node ? node->id : 0,
                                                         .by = by});
}

static void set_trap(struct world *world, struct sim_node *node, enum rec_fault_kind kind,
                     enum db_point point)
{
    bool is_flush = point == DB_BEFORE_FLUSH;

    node->trap = (struct trap){
        .is_set = true,
        .kind = kind,
        .point = point,
        .skip = is_flush ? (int)prng_below(&world->prng, SKIP_MAX) : 0,
        .rc = kind == FAULT_LOST_REPLY_COMMITTED || kind == FAULT_LOST_REPLY_NOT ? RC_UNKNOWN
                                                                                 : RC_LOST,
    };
}

/* A node whose clock jumped ahead may wait until an operator decides about the slots. */
static void hold_turns(struct world *world)
{
    struct command command = {.kind = COMMAND_CLOCK, .namespace = world->operator.namespace };

    if (world->profile.nodes > 1 || !prng_chance(&world->prng, 1, 3))
        return;
    world->held_until = world_back_at(world, 5 * world->profile.unit);
    if (prng_chance(&world->prng, 1, 2))
        operator_ask(world, &command, -1, NULL);
}

/*
 * Far ahead, or a little back: everything recorded must be in the past before the world ends.
 */
static void step_clock(struct world *world, enum rec_fault_kind kind)
{
    bool is_small = prng_chance(&world->prng, 1, 2);
    span unit = world->profile.unit;
    span by = kind == FAULT_CLOCK_FORWARD ? world_delay(world, is_small ? SPAN_S : 100 * unit)
                                          : -world_delay(world, is_small ? SPAN_S : 30 * unit);

    if (world->offset + by < -20 * unit || world->offset + by > 100 * unit)
        return;
    world->offset += by;
    record_fault(world, NULL, kind, by);
    if (kind == FAULT_CLOCK_FORWARD && !is_small)
        hold_turns(world);
    world->recorder.record.clock_stepped = true;
    for (int i = 0; i < world->profile.nodes; i++)
        if (node_answers(&world->nodes[i]))
            node_wake(world, &world->nodes[i], world->now + world_delay(world, SPAN_S));
}

static void fill_disk(struct world *world)
{
    world->disk_is_full = true;
    sim_vfs_arm(world->vfs, SIM_FULL, 1, true);
    world_at(world, world_back_at(world, 10 * world->profile.unit), HAPPEN_ROOM, 0, 0);
}

static bool lose_power(struct world *world, struct sim_node *node)
{
    /* In the middle of an operation only if no client waits: its answer would be unknown. */
    if (node->in.command_count == 0 && prng_chance(&world->prng, 2, 3)) {
        sim_vfs_arm(world->vfs, SIM_STOP, 1 + prng_below(&world->prng, CHANGES_MAX), false);
        return true;
    }
    record_fault(world, NULL, FAULT_POWER, 0);
    node_kill_all(world, true);
    return false;
}

/* In a turn that no client waits for: whether it was committed cannot be known. */
static void break_disk(struct world *world, const struct sim_node *node)
{
    static const uint64_t most[ERRORS] = {READS_MAX, CHANGES_MAX, SYNCS_MAX};
    uint64_t which = prng_below(&world->prng, ERRORS);
    uint64_t n = 1 + prng_below(&world->prng, most[which]);

    if (node->in.command_count == 0)
        sim_vfs_arm(world->vfs, errors[which], n, false);
}

void faults_stall(struct world *world, struct sim_node *node)
{
    node->stalls = false;
    node->stalled_until = world_back_at(world, 4 * world->profile.node_lease);
    world_at(world, node->stalled_until, HAPPEN_UP, node->index, 0);
    record_fault(world, node, FAULT_PAUSE, node->stalled_until - world->now);
}

/* True if the node continues with its turn. */
static bool apply_fault(struct world *world, struct sim_node *node, enum rec_fault_kind kind)
{
    switch (kind) {
    case FAULT_KILL:
        record_fault(world, node, kind, 0);
        node_kill(world, node);
        return false;
    case FAULT_KILL_INSIDE:
    case FAULT_LOST_CONNECTION:
        set_trap(world, node, kind,
                 prng_chance(&world->prng, 1, 3) ? DB_BEFORE_COMMIT : DB_BEFORE_FLUSH);
        return true;
    case FAULT_LOST_REPLY_COMMITTED:
        set_trap(world, node, kind, DB_AFTER_COMMIT);
        return true;
    case FAULT_LOST_REPLY_NOT:
        set_trap(world, node, kind, DB_BEFORE_COMMIT);
        return true;
    case FAULT_POWER:
        return lose_power(world, node);
    case FAULT_CLOCK_FORWARD:
    case FAULT_CLOCK_BACK:
        step_clock(world, kind);
        return true;
    case FAULT_PAUSE:
        /* Or in between: after the commit, while it holds the dispatches. */
        node->stalls = prng_chance(&world->prng, 1, 2);
        if (!node->stalls)
            faults_stall(world, node);
        return node->stalls;
    case FAULT_WORKER_DIES:
        record_fault(world, NULL, kind, 0);
        workers_die(world, (int)prng_below(&world->prng, (uint64_t)world->profile.workers));
        return true;
    case FAULT_DISK_FULL:
        record_fault(world, NULL, kind, 0);
        fill_disk(world);
        return true;
    case FAULT_DISK_ERROR:
        break_disk(world, node);
        return true;
    case FAULT_KILL_AFTER: /* see faults_after() */
    case FAULT_COUNT:
        break;
    }
    return true;
}

/* A retried turn has already had its fault; a full disk is one, too. */
static bool may_strike(const struct world *world)
{
    if (world_is_calm(world) || world->disk_is_full)
        return false;
    for (int i = 0; i < world->profile.nodes; i++)
        if (world->nodes[i].in_doubt)
            return false;
    return true;
}

bool faults_before(struct world *world, struct sim_node *node)
{
    int struck = FAULT_COUNT;

    node->trap = (struct trap){.is_set = false};
    if (!may_strike(world))
        return true;
    for (int i = FAULT_COUNT - 1; i >= 0; i--)
        if (i != FAULT_KILL_AFTER && world->profile.odds[i] > 0 &&
            prng_chance(&world->prng, 1, (uint64_t)world->profile.odds[i]))
            struck = i;
    return struck == FAULT_COUNT || apply_fault(world, node, (enum rec_fault_kind)struck);
}

bool faults_after(struct world *world, struct sim_node *node)
{
    int32_t odds = world->profile.odds[FAULT_KILL_AFTER];

    if (!may_strike(world) || node->trap.has_struck || odds == 0 ||
        !prng_chance(&world->prng, 1, (uint64_t)odds))
        return false;
    record_fault(world, node, FAULT_KILL_AFTER, 0);
    return true;
}

/* Whether the disk failed in the turn.  Disarms faults that did not strike. */
static bool has_erred(struct world *world)
{
    uint64_t before = world->errors;

    world->errors = 0;
    for (int i = 0; i < ERRORS; i++) {
        world->errors += sim_vfs_struck(world->vfs, errors[i]);
        sim_vfs_arm(world->vfs, errors[i], 0, false);
    }
    return world->errors > before;
}

static bool has_stopped(struct world *world)
{
    uint64_t before = world->stops;

    world->stops = sim_vfs_struck(world->vfs, SIM_STOP);
    sim_vfs_arm(world->vfs, SIM_STOP, 0, false);
    return world->stops > before;
}

bool faults_check_disk(struct world *world, struct sim_node *node, enum rc rc)
{
    bool has_failed = has_erred(world);
    bool power;

    if (node->trap.has_struck)
        record_fault(world, node, node->trap.kind, 0);
    if (has_failed) {
        if (rc != RC_OK && rc != RC_CORRUPT)
            world_fail(world, "a disk error was reported as %s", rc_name(rc));
        record_fault(world, NULL, FAULT_DISK_ERROR, 0);
        node_kill_all(world, false);
        return true;
    }
    if (!has_stopped(world))
        return false;
    power = prng_chance(&world->prng, 3, 4);
    record_fault(world, NULL, power ? FAULT_POWER : FAULT_KILL_INSIDE, 0);
    node_kill_all(world, power);
    return true;
}
