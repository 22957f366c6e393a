/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule as the engine uses it: spec, policies, governor and the target of its runs.
 *
 * Pure.  The store keeps the packed form in addition to the JSON of the user, so that the
 * engine parses no JSON when it starts a run.  The packed form is versioned, little-endian and
 * checked when it is unpacked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/policy/governor.h"
#include "core/policy/policies.h"
#include "core/spec/spec.h"

enum {
    PLAN_PACK_VERSION = 2,       /* of new plans */
    PLAN_PACK_VERSION_FIRST = 1, /* can still be read; workflows have a maximum run time */
    PLAN_PACKED_MAX = SPEC_PACKED_MAX + 4096, /* the spec, policies and texts */
    PLAN_TEXT_MAX = 255,                      /* bytes of policies.gate       */
};

/* What executes a run. */
enum lane {
    LANE_PULL = 0, /* a worker that polls for it                */
    LANE_HTTP = 1, /* this node, with an HTTP request           */
    LANE_EXEC = 2, /* this node, with a program                 */
    LANE_FLOW = 3, /* this node, with a workflow of an upstream */
    LANE_COUNT
};

struct plan {
    struct spec spec;
    struct policies policies;
    bool is_governed;
    bool governor_backoff;           /* failures lengthen the interval              */
    span governor_interval;          /* baseline interval; 0: the slots of the spec */
    span governor_min, governor_max; /* 0: none                                     */
    bool follows;                    /* its runs, see plan_follows()                */
    bool is_first_version;           /* as unpacked: PLAN_PACK_VERSION_FIRST        */
    enum lane lane;
    int64_t queue;   /* key of the queue for LANE_PULL, of the namespace for other lanes */
    int64_t gate;    /* key of the row of policies.gate; 0: none */
    instant created; /* of the schedule: spec_ctx.created                                */
    struct str seed; /* of jitter                                                        */
};

/*
 * Removes the maximum run time that every workflow had before version 2 of plans: its owner did
 * not ask for it.  `action` is the stored JSON.
 */
void plan_drop_old_maximum(struct plan *plan, struct str action);

/* True if the next slot depends on when runs start and end: anchors, governor. */
bool plan_follows(const struct plan *plan);

/*
 * The grid of a governed plan: the times of its spec that do not count from runs, without
 * jitter.  It is empty if the baseline is an interval.  docs/semantics.md [P-33].
 */
bool plan_has_grid(const struct plan *plan);
struct spec_ctx plan_grid_ctx(const struct spec_ctx *ctx); /* of a search in the grid */

/* True if every member except the spec is in its range; packing requires it. */
bool plan_is_valid(const struct plan *plan);

/* Appends to *out; sets out->cut if the plan does not fit (PLAN_PACKED_MAX is enough). */
void plan_pack(const struct plan *plan, struct buf *out);

/* Returns RC_CORRUPT if the bytes are not a packed plan.  Zones are names until spec_bind(). */
MUST_USE enum rc plan_unpack(struct str bytes, struct arena *arena, struct plan *ret,
                             struct err *reterr);
