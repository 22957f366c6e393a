/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated world: nodes with the real engine on one real database, workers, targets, an
 * operator, faults, and one clock that jumps from event to event.
 *
 * One process, one thread; all randomness comes from one seed.  Times in the world are true
 * times; world_clock() is what the nodes read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "engine/engine.h"
#include "sim/heap.h"
#include "sim/operator.h"
#include "sim/recorder.h"
#include "sim/tally.h"
#include "sim/vfs.h"
#include "sim/workers.h"
#include "sim/world_profile.h"

enum {
    WORLD_BOX_MAX = 64,       /* commands, and reports, per turn */
    WORLD_WAITING_MAX = 8192, /* of each that may wait for a node */
    WORLD_TURNS_MAX = 60000,  /* ten times the busiest world: more is an endless loop */
};

#define WORLD_URL "sqlite:world.db?vfs=world"

enum happening_kind {
    HAPPEN_TURN,    /* who: node */
    HAPPEN_UP,      /* who: node; it starts, or ends its stall */
    HAPPEN_OPERATE, /* the operator acts */
    HAPPEN_HAND_IN, /* who: command */
    HAPPEN_HOLDER,  /* who: holding; serial: identifies it */
    HAPPEN_POLL,    /* who: worker; serial likewise */
    HAPPEN_ROOM,    /* the disk has space again */
};

struct happening {
    enum happening_kind kind;
    int who;
    uint64_t serial;
    int next_free; /* in the list of free entries */
};

/* A fault that the simulator plans inside a turn; see db.h. */
struct trap {
    bool is_set, has_struck;
    enum rec_fault_kind kind;
    enum db_point point;
    int skip; /* number of points to pass first */
    enum rc rc;
};

struct sim_node {
    struct world *world;
    int index;
    char name[16];
    struct engine *engine; /* NULL: it is down */
    struct db *db;
    struct db_fault fault;
    struct trap trap;
    span lag;
    int boot;              /* number of starts */
    int64_t id, turn;      /* as of its last turn */
    instant wake_at;       /* of the turn to come; INSTANT_NEVER: none is planned */
    instant stalled_until; /* INSTANT_NONE: it is not stalled */
    bool stalls;           /* it will stall between its commit and the delivery */
    int dispatches;        /* that it currently holds */
    /* The turn that is being tried, until its result is known. */
    bool is_trying, in_doubt;
    bool is_done;    /* it was committed, which only the simulator knows */
    int done_turn;   /* then: its index in the record */
    instant done_at; /* `now` of the attempt that was, or may have been, committed */
    struct turn_in in;
    struct command commands[WORLD_BOX_MAX];
    struct report reports[WORLD_BOX_MAX];
    struct poll polls[SIM_WORKERS_MAX];
    int tried[WORLD_BOX_MAX]; /* indexes of the commands in the record */
    /* The input of the next turn. */
    int *waiting_commands;
    struct report *waiting_reports;
    int waiting_command_count, waiting_report_count;
};

struct world {
    struct world_profile profile;
    struct prng prng;
    instant now;
    span offset;        /* of the nodes' clocks; one database, one clock */
    instant held_until; /* until then turns have turn_in.hold */
    instant healed, end;
    struct heap *heap;
    struct happening *happenings;
    int happening_count, free_happening;
    uint64_t pushed;
    struct sim_vfs *vfs;
    bool disk_is_full;
    uint64_t stops, errors; /* of the disk so far */
    struct zone_source zones;
    struct sim_node nodes[SIM_NODES_MAX];
    struct workers workers;
    struct operator operator;
    struct recorder recorder;
    int64_t turns;
    struct world_options options;
    bool has_failed;
    struct err why;
};

/*
 * Runs the world of one seed and judges it.  RC_OK: it kept every promise.  Adds to *tally in
 * any case.
 */
MUST_USE enum rc world_run(uint64_t seed, const struct zone_source *zones,
                           const struct world_options *options, struct tally *tally,
                           struct err *reterr);

/* The time that a node's clock shows. */
static inline instant world_clock(const struct world *world)
{
    return world->now + world->offset;
}

/* Between 0 and `most`, whole milliseconds; at least one. */
span world_delay(struct world *world, span most);

/* When a failed part works again: within `most`, and at the latest when all is healed. */
instant world_back_at(struct world *world, span most);

/* Plans an event. */
void world_at(struct world *world, instant at, enum happening_kind kind, int who,
              uint64_t serial);

/* No faults now: not before the operator has begun, and not after the healing. */
bool world_is_calm(const struct world *world);

/* The seed has failed: the first reason counts. */
void world_fail(struct world *world, const char *fmt, ...) PRINTF(2, 3);

/* For --verbose: prints one line preceded by the time. */
void world_say(const struct world *world, const char *fmt, ...) PRINTF(2, 3);
