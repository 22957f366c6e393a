/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine itself, for its own files.
 */
#pragma once

#include "engine/committed_cache.h"
#include "engine/inflight.h"
#include "engine/plan_cache.h"
#include "engine/workset.h"

struct engine {
    struct arena *lifetime; /* holds this, and lives as long */
    struct engine_options options;
    char zones_version[ZONES_VERSION_MAX]; /* options.zones_version is in here */
    struct db *db;
    struct node node; /* as of the last commit; its turn and event are in memory */
    bool booted;
    struct engine_memory memory;
    struct plan_cache *plan_cache;
    struct inflight *inflight;
    struct committed_cache committed;
    struct map *sched_map, *work_map, *gate_map, *queue_map;
    struct arena *arenas[2]; /* of this turn and of the one in doubt, or before */
    int arena;               /* which of them is this turn's                    */
    bool in_doubt;           /* whether `doubt` was committed is not known      */
    char *pack;              /* PLAN_PACKED_MAX bytes to pack into */
    struct turn doubt;
    struct turn_out doubt_out;
    int doubt_arena;
    struct turn turn;
    struct turn_in part; /* of what was handed in, with fewer rows */
    int rows_most;       /* rows of a turn that the database can answer, as far as is known */
};

/* One transaction: engine.c. */
enum rc engine_once(struct engine *engine, const struct turn_in *in, struct turn_out *out,
                    struct err *reterr);
/* The same in many, after the one was refused: alone.c. */
enum rc engine_retry_alone(struct engine *engine, const struct turn_in *in,
                           struct turn_out *out, struct err *reterr);
