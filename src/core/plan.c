/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packed form: version, switches, small numbers, spans, keys, texts, and last the packed
 * spec.  Packing, unpacking and checking use the same lists of members.
 */
#include "core/plan.h"

#include <stddef.h>

#include "base/must.h"
#include "base/unpack.h"
#include "core/limits.h"
#include "core/spec/interval.h"
#include "core/spec/spec_pack.h"

/*
 * One bit each, in this order.  Add only at the end: a switch that a stored plan does not have
 * reads as false.
 */
static const size_t switches[] = {
    offsetof(struct plan, policies.catchup_paused),
    offsetof(struct plan, policies.drop_when_full),
    offsetof(struct plan, policies.pause_on_failure),
    offsetof(struct plan, policies.approval),
    offsetof(struct plan, policies.at_most_once),
    offsetof(struct plan, policies.wants_last),
    offsetof(struct plan, is_governed),
    offsetof(struct plan, governor_backoff),
    offsetof(struct plan, policies.gate_until_started),
    offsetof(struct plan, policies.expires_at_start),
};

/* Eight bytes each.  Add only at the end, and with a new version. */
static const size_t spans[] = {
    offsetof(struct plan, policies.start_within),
    offsetof(struct plan, policies.retry.delay),
    offsetof(struct plan, policies.retry.max),
    offsetof(struct plan, policies.retry.jitter),
    offsetof(struct plan, policies.timeout),
    offsetof(struct plan, policies.max_run_time),
    offsetof(struct plan, policies.lease),
    offsetof(struct plan, policies.heartbeat),
    offsetof(struct plan, policies.grace),
    offsetof(struct plan, policies.lateness_budget),
    offsetof(struct plan, policies.retention_age),
    offsetof(struct plan, policies.idle_close),
    offsetof(struct plan, governor_interval),
    offsetof(struct plan, governor_min),
    offsetof(struct plan, governor_max),
};

#define OLD_MAXIMUM (24 * SPAN_H) /* the default of workflows in the first version */

enum {
    SWITCHES = sizeof switches / sizeof *switches,
    SPANS = sizeof spans / sizeof *spans,
};

_Static_assert(SWITCHES <= 16, "the switches are packed into two bytes");

static bool switch_of(const struct plan *plan, int i)
{
    return *(const bool *)((const char *)plan + switches[i]);
}

static span span_of(const struct plan *plan, int i)
{
    return *(const span *)(const void *)((const char *)plan + spans[i]);
}

static bool is_span(span s)
{
    return s >= 0 && s <= DURATION_DAYS_MAX * SPAN_DAY;
}

static bool is_between(int64_t n, int64_t low, int64_t high)
{
    return n >= low && n <= high;
}

static bool policies_are_valid(const struct policies *p)
{
    return is_between((int64_t)p->overlap, 0, OVERLAP_COUNT - 1) &&
           is_between((int64_t)p->catchup, 0, CATCHUP_COUNT - 1) &&
           is_between((int64_t)p->retry.backoff, 0, BACKOFF_EXPONENTIAL) &&
           is_between(p->priority, PRIORITY_MIN, PRIORITY_MAX) &&
           is_between(p->buffer_limit, 0, BUFFER_LIMIT_MAX) && p->retry.attempts >= 1 &&
           is_between(p->gate_limit, 0, GATE_LIMIT_MAX) && p->retention_count >= 0 &&
           p->remaining_runs >= -1 &&
           (p->catchup_window == CATCHUP_WINDOW_NONE || is_span(p->catchup_window)) &&
           p->gate.len <= PLAN_TEXT_MAX && str_is_utf8(p->gate);
}

bool plan_is_valid(const struct plan *plan)
{
    for (int i = 0; i < SPANS; i++)
        if (!is_span(span_of(plan, i)))
            return false;
    return policies_are_valid(&plan->policies) &&
           is_between((int64_t)plan->lane, 0, LANE_COUNT - 1) && plan->queue >= 0 &&
           plan->gate >= 0 && is_between(plan->created, INSTANT_MIN, INSTANT_MAX) &&
           plan->seed.len <= SEED_MAX && str_is_utf8(plan->seed);
}

void plan_drop_old_maximum(struct plan *plan, struct str action)
{
    if (plan->is_first_version && plan->policies.max_run_time == OLD_MAXIMUM &&
        str_starts(action, STR("{\"type\":\"workflow\"")))
        plan->policies.max_run_time = 0;
}

bool plan_follows(const struct plan *plan)
{
    return plan->is_governed || spec_follows(&plan->spec);
}

bool plan_has_grid(const struct plan *plan)
{
    const struct spec *spec = &plan->spec;

    if (plan->governor_interval > 0)
        return false;
    for (int i = 0; i < spec->entry_count; i++)
        if (spec->entries[i].kind != ENTRY_INTERVAL ||
            !interval_follows(&spec->entries[i].interval))
            return true;
    return spec->at_count > 0;
}

struct spec_ctx plan_grid_ctx(const struct spec_ctx *ctx)
{
    struct spec_ctx grid = *ctx;

    grid.last_start = INSTANT_NEVER;
    grid.last_end = INSTANT_NONE;
    grid.kept = INSTANT_NONE;
    return grid;
}

void plan_pack(const struct plan *plan, struct buf *out)
{
    const struct policies *p = &plan->policies;
    size_t start = out->len;
    unsigned bits = 0;

    /* Bytes that plan_unpack() rejects would be a schedule that never runs again. */
    must(plan_is_valid(plan));
    must(plan->spec.zone_count > 0);
    for (int i = 0; i < SWITCHES; i++)
        bits |= (unsigned)switch_of(plan, i) << i;
    buf_le(out, PLAN_PACK_VERSION, 1);
    buf_le(out, bits, 2);
    buf_le(out, (uint64_t)p->overlap, 1);
    buf_le(out, (uint64_t)p->catchup, 1);
    buf_le(out, (uint64_t)p->retry.backoff, 1);
    buf_le(out, (uint64_t)p->priority, 1);
    buf_le(out, (uint64_t)plan->lane, 1);
    buf_le(out, (uint64_t)p->buffer_limit, 4);
    buf_le(out, (uint64_t)p->retry.attempts, 4);
    buf_le(out, (uint64_t)p->gate_limit, 4);
    buf_le(out, (uint64_t)p->retention_count, 4);
    buf_le(out, (uint64_t)p->remaining_runs, 8);
    buf_le(out, (uint64_t)p->catchup_window, 8);
    for (int i = 0; i < SPANS; i++)
        buf_le(out, (uint64_t)span_of(plan, i), 8);
    buf_le(out, (uint64_t)plan->queue, 8);
    buf_le(out, (uint64_t)plan->gate, 8);
    buf_le(out, (uint64_t)plan->created, 8);
    buf_le(out, p->gate.len, 2);
    buf_str(out, p->gate);
    buf_le(out, plan->seed.len, 2);
    buf_str(out, plan->seed);
    spec_pack(&plan->spec, out);
    must(out->cut || out->len - start <= PLAN_PACKED_MAX);
}

/* A number of four bytes; one that does not fit becomes -1, which every check rejects. */
static int32_t read_count(struct unpack *in)
{
    uint64_t value = unpack_le(in, 4);

    return value > INT32_MAX ? -1 : (int32_t)value;
}

static void read_plan(struct unpack *in, struct plan *plan)
{
    struct policies *p = &plan->policies;
    unsigned bits = (unsigned)unpack_le(in, 2);

    in->is_bad = in->is_bad || bits >> SWITCHES != 0;
    for (int i = 0; i < SWITCHES; i++)
        *(bool *)((char *)plan + switches[i]) = bits >> i & 1;
    p->overlap = (enum overlap)unpack_le(in, 1);
    p->catchup = (enum catchup)unpack_le(in, 1);
    p->retry.backoff = (enum backoff)unpack_le(in, 1);
    p->priority = (int32_t)unpack_le(in, 1);
    plan->lane = (enum lane)unpack_le(in, 1);
    p->buffer_limit = read_count(in);
    p->retry.attempts = read_count(in);
    p->gate_limit = read_count(in);
    p->retention_count = read_count(in);
    p->remaining_runs = (int64_t)unpack_le(in, 8);
    p->catchup_window = (span)unpack_le(in, 8);
    for (int i = 0; i < SPANS; i++)
        *(span *)(void *)((char *)plan + spans[i]) = (span)unpack_le(in, 8);
    plan->queue = (int64_t)unpack_le(in, 8);
    plan->gate = (int64_t)unpack_le(in, 8);
    plan->created = (instant)unpack_le(in, 8);
    p->gate = unpack_bytes(in, unpack_le(in, 2));
    plan->seed = unpack_bytes(in, unpack_le(in, 2));
}

enum rc plan_unpack(struct str bytes, struct arena *arena, struct plan *ret, struct err *reterr)
{
    struct unpack in = {.left = bytes};
    uint64_t version = unpack_le(&in, 1);
    struct plan plan = {.is_first_version = version == PLAN_PACK_VERSION_FIRST};
    enum rc rc;

    if ((version != PLAN_PACK_VERSION && version != PLAN_PACK_VERSION_FIRST) ||
        bytes.len > PLAN_PACKED_MAX)
        in.is_bad = true;
    if (!in.is_bad)
        read_plan(&in, &plan);
    if (in.is_bad || !plan_is_valid(&plan))
        return err_set(reterr, RC_CORRUPT, (int)(bytes.len - in.left.len), 0,
                       "not a packed plan of version %d", PLAN_PACK_VERSION);
    /* Every byte before the spec was read once: a wrong offset would give other times. */
    must(in.left.ptr + in.left.len == bytes.ptr + bytes.len);
    rc = spec_unpack(in.left.ptr, in.left.len, arena, &plan.spec, reterr);
    if (rc != RC_OK) {
        reterr->at += (int)(bytes.len - in.left.len);
        return rc;
    }
    plan.policies.gate = arena_str(arena, plan.policies.gate);
    plan.seed = arena_str(arena, plan.seed);
    plan.follows = plan_follows(&plan);
    must(plan.spec.zone_count > 0); /* the zone of the spec itself */
    *ret = plan;
    return RC_OK;
}
