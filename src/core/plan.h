/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule as the engine sees it: spec, policies, governor and where its runs go.
 *
 * Pure.  The packed form is what the store keeps beside the JSON that people wrote, so that
 * no JSON is parsed in a fire.  It is versioned, little-endian and checked when unpacked.
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
    PLAN_PACK_VERSION = 1,
    PLAN_PACKED_MAX = SPEC_PACKED_MAX + 4096, /* policies and texts beside the spec */
    PLAN_TEXT_MAX = 255,                      /* bytes of a gate's key              */
};

/* Who carries out a run. */
enum lane {
    LANE_PULL = 0, /* a worker that asks for it                    */
    LANE_HTTP = 1, /* the node itself, with a call                 */
    LANE_EXEC = 2, /* the node itself, with a program              */
    LANE_FLOW = 3, /* the node itself, with an upstream's workflow */
    LANE_COUNT
};

struct plan {
    struct spec spec;
    struct policies policies;
    bool is_governed;
    bool governor_backoff;
    span governor_interval;          /* the baseline is this interval; 0: the spec's slots */
    span governor_min, governor_max; /* 0: none */
    bool follows; /* the next slot hangs on when runs start and end: anchors, governor */
    enum lane lane;
    int64_t queue;   /* key: of the queue for LANE_PULL, of the namespace for the others */
    int64_t gate;    /* key of policies.gate; 0: none    */
    instant created; /* of the schedule: spec_ctx.created */
    struct str seed; /* of jitter                         */
};

/* The next slot hangs on when runs start and end: anchors, governor. */
bool plan_follows(const struct plan *plan);

/* Every member beside the spec is in its range: what is packed, and what unpacking gives. */
bool plan_is_valid(const struct plan *plan);

/* Appends to *out; out->cut tells when it did not fit (PLAN_PACKED_MAX always does). */
void plan_pack(const struct plan *plan, struct buf *out);

/* RC_CORRUPT when the bytes are not a packed plan.  Zones are names until spec_bind(). */
MUST_USE enum rc plan_unpack(struct str bytes, struct arena *arena, struct plan *ret,
                             struct err *reterr);
