/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans all schedules again after zones or calendars have changed: see replan.h.
 */
#include "engine/replan.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/must.h"
#include "engine/engine_internal.h"
#include "engine/start_slots.h"
#include "store/zones.h"

enum { PASS_TEXT_MAX = 32 }; /* "pass " and a key */

/* The value that marks a pass as unfinished: no version of zone files begins like this. */
static struct str pass_text(char room[static PASS_TEXT_MAX], int64_t pass)
{
    struct buf text = {.ptr = room, .cap = PASS_TEXT_MAX};

    must(pass > 0);
    buf_printf(&text, "pass %" PRId64, pass);
    return buf_as_str(&text);
}

/*
 * A pass is marked before anything is read for it: if another node changes a calendar later, it
 * drops the mark, and this pass does not count as planning.
 */
static void mark_pass(struct turn *turn)
{
    char room[PASS_TEXT_MAX];

    turn->memory.replan_pass = turn_key(turn);
    zones_planned_put(turn->db, pass_text(room, turn->memory.replan_pass));
}

void replan_send(struct turn *turn)
{
    const struct engine_memory *m = &turn->memory;

    if (m->replan_after == 0)
        mark_pass(turn);
    if (m->replan_after != INT64_MAX)
        cursors_list_keys(turn->db, m->replan_after, BATCH_ROWS, &turn->replan_rows);
    if (turn->reclaim_queried != 0 && turn->reclaim_queried != turn->node)
        zones_planned_find(turn->db, &turn->planned_row);
}

bool replan_is_open(const struct turn *turn)
{
    char room[PASS_TEXT_MAX];
    const struct engine_memory *m = &turn->memory;
    struct str value;

    if (turn->planned_row.rows == 0)
        return true;
    value = db_blob_at(&turn->planned_row, 0, 0);
    if (m->replan_after != INT64_MAX && m->replan_pass > 0 &&
        str_eq(value, pass_text(room, m->replan_pass)))
        return false; /* this node finishes it */
    return !str_eq(value, turn->engine->options.zones_version);
}

void replan_want(struct turn *turn)
{
    for (int i = 0; i < turn->replan_rows.rows; i++)
        workset_schedule(turn, db_int_at(&turn->replan_rows, i, 0))->needs_replan = true;
}

/* Moves the position of the pass, but not beyond a schedule that another node holds. */
void replan_advance(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    int rows = turn->replan_rows.rows;
    char room[PASS_TEXT_MAX];

    if (m->replan_after == INT64_MAX)
        return;
    for (int i = 0; i < rows; i++) {
        int64_t id = db_int_at(&turn->replan_rows, i, 0);

        if (workset_find(turn, id)->state == SCHED_BUSY)
            return;
        m->replan_after = id;
    }
    turn->turn_again |= rows == BATCH_ROWS;
    if (rows == BATCH_ROWS)
        return;
    m->replan_after = INT64_MAX;
    zones_planned_end(turn->db, pass_text(room, m->replan_pass),
                      turn->engine->options.zones_version);
}

/*
 * If nothing is overdue, the mark moves to now.  Otherwise times in the past that become slots
 * with the new zones or calendars would start runs.
 */
void replan_schedule(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;
    const struct spec *spec = &sched->plan.spec;
    struct slot slot;
    bool any;

    must(sched->state == SCHED_HELD && sched->has_plan);
    if (sched->plan.is_governed) {
        sched_account_passed(turn, sched, turn->now);
        if (c->next_at > turn->now && c->next_at != INSTANT_NEVER)
            sched_pick_again(sched);
        return;
    }
    if (c->remaining == 0 || (c->flags & (CURSOR_CLOSED | CURSOR_DELETED)))
        return; /* it has no more slots */
    any = spec_next(spec, &sched->ctx, c->mark, &slot);
    if (spec->jitter == 0 && c->next_at == (any ? slot.at : INSTANT_NEVER))
        return;
    if (c->next_at > turn->now && c->mark < turn->now && !(c->flags & CURSOR_BARRED))
        c->mark = turn->now;
    any = spec_next(spec, &sched->ctx, c->mark, &slot);
    must(!any || slot.at > c->mark);
    c->next_at = any ? slot.at : INSTANT_NEVER;
    sched->next_due = any ? slot.due : INSTANT_NEVER;
    sched->has_next_due = sched->is_touched = true;
}
