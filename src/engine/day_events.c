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

enum { WALK_MAX = 32 }; /* slots: walking more of them takes longer than counting the day */

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
 * there are more than WALK_MAX.  *ret_last is the last slot of the day.
 */
static bool walk_day(const struct work_schedule *sched, instant end, int64_t *ret_count,
                     instant *ret_last)
{
    instant at = sched->cursor.next_at;
    struct slot slot;

    for (int n = 1; n <= WALK_MAX; n++) {
        if (!spec_next(&sched->plan.spec, &sched->ctx, at, &slot) || slot.at >= end) {
            *ret_count = n;
            *ret_last = at;
            return true;
        }
        at = slot.at;
    }
    return false;
}

/*
 * Counts the slots of the day from the next one on; where they depend on runs, only that one.
 */
static void count_day(const struct work_schedule *sched, struct event *event)
{
    const struct spec *spec = &sched->plan.spec;
    const struct cursor *c = &sched->cursor;
    const struct tz *tz = zone_of(sched);
    instant end = local_day_start(tz, local_day(tz, c->next_at) + 1);
    struct slot last;

    event->slot = event->detail = c->next_at;
    event->count = 1;
    if (sched->plan.follows)
        return;
    if (!walk_day(sched, end, &event->count, &event->detail)) {
        event->count += spec_count(spec, &sched->ctx, c->next_at, end - 1);
        if (spec_prev(spec, &sched->ctx, end, &last))
            event->detail = last.at;
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
