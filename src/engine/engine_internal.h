/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's own state, for its source files.
 */
#pragma once

#include "engine/committed_cache.h"
#include "engine/inflight.h"
#include "engine/plan_cache.h"
#include "engine/workset.h"

struct engine {
    struct arena *lifetime; /* holds this struct and everything of its lifetime */
    struct engine_options options;
    char zones_version[ZONES_VERSION_MAX]; /* options.zones_version points here */
    struct db *db;
    struct node node; /* as read at boot; the current turn and event are in `memory` */
    bool booted;
    struct engine_memory memory;
    struct plan_cache *plan_cache;
    struct inflight *inflight;
    struct committed_cache committed;
    struct day_samples *day_samples; /* of schedule_days.c */
    struct map *sched_map, *work_map, *gate_map, *queue_map;
    struct arena *arenas[2]; /* of this turn, and of the turn before or in doubt     */
    int arena;               /* index of this turn's arena                           */
    bool in_doubt;           /* it is unknown whether the turn `doubt` was committed */
    char *pack;              /* PLAN_PACKED_MAX bytes, to pack plans                 */
    struct turn doubt;
    struct turn_out doubt_out;
    int doubt_arena;
    struct turn turn;
    struct turn_in
        limited_in; /* the caller's input, with fewer rows                              */
    int rows_limit; /* maximum rows per turn: more did not fit into one database answer */
};

/* event_write.c: adds the events that this node is up, once per boot, and of clock steps. */
void event_node_up(struct turn *turn);
/* Writes all events of the turn as one row. */
void event_write(struct turn *turn);

/* engine.c: one transaction. */
enum rc engine_transaction(struct engine *engine, const struct turn_in *in,
                           struct turn_out *out, struct err *reterr);
/* retry_alone.c: one transaction per report and command, after the database rejected `in`. */
enum rc engine_retry_alone(struct engine *engine, const struct turn_in *in,
                           struct turn_out *out, struct err *reterr);
