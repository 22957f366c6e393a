/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events about days: see day_events.h.  A zone whose midnights are reported has a row in table
 * zones, shared by all nodes.
 */
#include "engine/day_events.h"

#include "base/hash.h"
#include "base/must.h"
#include "core/spec/local.h"
#include "engine/engine_internal.h"
#include "store/zones.h"

enum {
    WALK_MAX = 32, /* slots: walking more of them takes longer than counting the day */
    /* Of struct budget, half a millisecond or more each: they must not delay the turn. */
    WALK_STEPS = 5000,
    COUNT_STEPS = 10000,
    UNPLAN_STEPS = 10000, /* enough for UNPLAN_MAX slots of a spec with a few entries */
    UNPLAN_MAX = 1500,    /* slots that an edit compares: one per minute of the longest day */
};

/* Other nodes may have added zones; most midnights are at multiples of this. */
#define ZONES_POLL_EVERY (15 * SPAN_MIN)

static const struct tz *zone_of(const struct work_schedule *sched)
{
    return sched->plan.spec.zones[0].tz;
}

static bool is_other_day(const struct tz *tz, instant a, instant b)
{
    return a == INSTANT_NEVER || a == INSTANT_NONE || local_day(tz, a) != local_day(tz, b);
}

/*
 * Most schedules have a few slots a day, and walking them is faster than counting.  False when
 * there are more than WALK_MAX.  *ret_last is the last slot of the day; INSTANT_NONE if the
 * walk takes too long, and then *ret_count is only a lower limit.
 */
static bool walk_day(const struct work_schedule *sched, instant end, int64_t *ret_count,
                     instant *ret_last)
{
    struct budget budget = {.left = WALK_STEPS};
    struct spec_ctx ctx = sched->ctx;
    instant at = sched->cursor.next_at;
    struct slot slot;

    ctx.budget = &budget;
    for (int n = 1; n <= WALK_MAX; n++) {
        if (!spec_next(&sched->plan.spec, &ctx, at, &slot) || slot.at >= end) {
            *ret_count = n;
            *ret_last = budget.is_over ? INSTANT_NONE : at;
            return true;
        }
        at = slot.at;
    }
    return false;
}

/* False if the count takes too long. */
static bool count_rest(const struct work_schedule *sched, instant end, struct event *event)
{
    const struct spec *spec = &sched->plan.spec;
    struct budget budget = {.left = COUNT_STEPS};
    struct spec_ctx ctx = sched->ctx;
    struct slot last;

    ctx.budget = &budget;
    event->count += spec_count(spec, &ctx, sched->cursor.next_at, end - 1);
    if (spec_prev(spec, &ctx, end, &last))
        event->detail = last.at;
    return !budget.is_over;
}

/*
 * Counts the slots of the day from the next one on; where they depend on runs, only that one.
 * A count that takes too long is only a lower limit, without the last slot.
 */
static void count_day(const struct work_schedule *sched, struct event *event)
{
    const struct cursor *c = &sched->cursor;
    const struct tz *tz = zone_of(sched);
    instant end = local_day_start(tz, local_day(tz, c->next_at) + 1);

    event->slot = event->detail = c->next_at;
    event->count = 1;
    if (sched->plan.follows)
        return;
    if (!walk_day(sched, end, &event->count, &event->detail) &&
        !count_rest(sched, end, event)) {
        event->count = WALK_MAX + 1;
        event->detail = INSTANT_NONE;
    }
    if (c->remaining < 0 || event->count <= c->remaining)
        return;
    event->count = c->remaining;
    event->detail = event->count > 1 ? INSTANT_NONE : c->next_at; /* not all of them will run */
}

static void poll_zones_by(struct turn *turn, instant midnight)
{
    if (midnight < turn->memory.midnight_at)
        turn->memory.midnight_at = midnight;
}

/*
 * Makes sure that the midnights of the schedule's zone are reported.  The cache only saves
 * inserts: two zones may share an entry.
 */
static void register_zone(struct turn *turn, const struct work_schedule *sched)
{
    const struct spec_zone *zone = &sched->plan.spec.zones[0];
    uint64_t fingerprint = hash_u64(
        hash_bytes(zone->name.ptr, zone->name.len, (uint64_t)sched->namespace));
    uint64_t *cached = &turn->memory.zones[fingerprint % ZONES_KNOWN];
    struct zone_row row = {.namespace = sched->namespace, .name = zone->name};

    if (*cached == fingerprint || !zone->tz)
        return;
    *cached = fingerprint;
    row.next_at = local_day_start(zone->tz, local_day(zone->tz, turn->now) + 1);
    poll_zones_by(turn, row.next_at);
    row.id = turn_key(turn);
    zones_insert(turn->db, &row);
}

void day_events_plan(struct turn *turn, const struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;
    struct event event = {.type = EVENT_RUN_PLANNED, .schedule = sched->id};

    if (!sched->has_plan || c->next_at == INSTANT_NEVER || c->remaining == 0 ||
        (c->flags & (CURSOR_BARRED | CURSOR_CLOSED | CURSOR_QUARANTINED | CURSOR_DELETED)))
        return;
    if (!sched->is_edited && (c->next_at == sched->stored.next_at ||
                              !is_other_day(zone_of(sched), sched->stored.next_at, c->next_at)))
        return;
    count_day(sched, &event);
    must(event.count >= 1 && event.slot > c->mark);
    *VEC_ADD(turn, &turn->events) = event;
    register_zone(turn, sched);
}

/* ---- edits ---- */

struct day_plan day_events_plan_of(const struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;
    int64_t none = CURSOR_BARRED | CURSOR_CLOSED | CURSOR_QUARANTINED | CURSOR_DELETED;
    struct day_plan old = {.next_at = INSTANT_NEVER, .most = UNPLAN_MAX};

    if (!sched->has_plan || sched->plan.follows || sched->plan.is_governed || (c->flags & none))
        return old;
    old.plan = sched->plan;
    old.ctx = sched->ctx;
    old.next_at = c->next_at;
    if (c->remaining >= 0 && c->remaining < old.most)
        old.most = c->remaining;
    return old;
}

static bool is_exception(const struct work_schedule *sched, instant slot)
{
    for (int i = 0; i < sched->exception_count; i++)
        if (sched->exceptions[i] == slot)
            return true;
    return false;
}

/* True if the schedule has this slot now; *next caches its first slot that is not before. */
static bool has_slot(const struct work_schedule *sched, const struct spec_ctx *ctx,
                     instant slot, instant *next)
{
    struct slot found;

    if (sched->plan.follows || sched->plan.is_governed)
        *next = sched->cursor.next_at;
    else if (*next < slot)
        *next = spec_next(&sched->plan.spec, ctx, slot - 1, &found) ? found.at : INSTANT_NEVER;
    return *next == slot;
}

/* A slot that a user had cancelled was not planned. */
void day_events_unplan(struct turn *turn, const struct work_schedule *sched,
                       const struct day_plan *old)
{
    const struct tz *tz = old->next_at == INSTANT_NEVER ? NULL : old->plan.spec.zones[0].tz;
    struct event event = {.type = EVENT_RUN_UNPLANNED, .schedule = sched->id};
    struct budget budget = {.left = UNPLAN_STEPS};
    struct spec_ctx old_ctx = old->ctx, ctx = sched->ctx;
    struct spec_walk walk;
    struct slot slot;
    instant next = INSTANT_NONE, end;
    int64_t seen = 0;
    bool any;

    if (!tz)
        return;
    old_ctx.budget = ctx.budget = &budget;
    end = local_day_start(tz, local_day(tz, old->next_at) + 1);
    spec_walk_begin(&walk, &old->plan.spec, &old_ctx, old->next_at - 1);
    any = spec_walk_next(&walk, &slot);
    for (; any && slot.at < end && seen < old->most; seen++) {
        bool has = has_slot(sched, &ctx, slot.at, &next);

        if (!has && !budget.is_over && !is_exception(sched, slot.at)) {
            event.slot = event.count == 0 ? slot.at : event.slot;
            event.detail = slot.at;
            event.count++;
        }
        any = spec_walk_next(&walk, &slot);
    }
    if (event.count == 0)
        return;
    must(event.slot >= old->next_at && event.detail >= event.slot && event.detail < end);
    /* How many, and the last, is not known. */
    if (budget.is_over || (any && slot.at < end && seen == UNPLAN_MAX)) {
        event.count = 0;
        event.detail = INSTANT_NONE;
    }
    *VEC_ADD(turn, &turn->events) = event;
}

/* ---- midnights ---- */

void day_events_send(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    if (turn->in->hold || turn->now < m->midnight_at)
        return;
    m->midnight_at = (turn->now / ZONES_POLL_EVERY + 1) * ZONES_POLL_EVERY;
    zones_due(turn->db, turn->now, BATCH_ROWS, &turn->zone_rows);
}

/* If several midnights have passed, only the latest is reported. */
static void write_midnight(struct turn *turn, const struct zone_row *zone)
{
    const struct zone_source *zones = &turn->engine->options.zones;
    struct err err;
    const struct tz *tz = zones->find(zones->user, zone->name, &err);
    int64_t today;

    if (!tz) {
        zones_move(turn->db, zone->id,
                   turn->now + SPAN_DAY); /* its zone file may be restored */
        return;
    }
    today = local_day(tz, turn->now);
    zones_move(turn->db, zone->id, local_day_start(tz, today + 1));
    poll_zones_by(turn, local_day_start(tz, today + 1));
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = EVENT_PLAN_MIDNIGHT,
        .slot = local_day_start(tz, today),
        .detail = zone->id,
        .count = 1,
    };
}

void day_events_read(struct turn *turn)
{
    for (int i = 0; i < turn->zone_rows.rows; i++) {
        struct zone_row zone;

        zones_read(&turn->zone_rows, i, &zone);
        write_midnight(turn, &zone);
    }
    if (turn->zone_rows.rows == BATCH_ROWS)
        turn->memory.midnight_at = turn->now; /* there may be more */
}
