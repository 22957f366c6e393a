/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scan for due schedules.  It begins at the floor, the smallest wake_at that the last scan
 * found: in PostgreSQL, many index entries before it may belong to dead row versions.  Every
 * FULL_SCAN_EVERY the scan begins at the start of the index.
 */
#include "engine/due.h"

#include <string.h>

#include "base/must.h"
#include "engine/turn_state.h"
#include "store/cursors.h"

/* A turn without a scan must not move the floor: overdue cursors would be below it. */
static bool is_scanning(const struct turn *turn)
{
    return !turn->in->hold && turn->due_batch > 0;
}

/* How many runs the waiting workers have room for, in any queue. */
static int64_t room_left(const struct turn *turn)
{
    int64_t room = 0;

    for (int i = 0; i < turn->in->poll_count; i++) {
        must(turn->poll_room[i] >= 0); /* no poll got more than it asked for */
        room += turn->poll_room[i];
    }
    return room;
}

/* False also when `at` is in the future: after the clock was set back nothing waits for it. */
static bool is_within(const struct turn *turn, instant at, span most)
{
    return at <= turn->now && turn->now - at < most;
}

/*
 * A run that is claimed in the turn that creates it is written once; a run that must wait is
 * written, found, and written again.  So, while workers claim every run at once, a turn creates
 * only as many runs as they ask for.  It creates none while all workers are busy, because they
 * will poll again soon; POLL_AGAIN_MAX and DUE_WAIT_MAX limit that delay.
 */
static int size_batch(const struct turn *turn)
{
    const struct turn_in *in = turn->in;
    const struct engine_memory *m = &turn->memory;
    int64_t room = room_left(turn);

    if (m->all_claimed && m->has_more_due && room == 0 &&
        is_within(turn, m->granted_at, POLL_AGAIN_MAX) &&
        is_within(turn, m->floor, DUE_WAIT_MAX))
        return 0;
    if (!m->all_claimed || room == 0)
        return in->rows;
    room = room < BATCH_ROWS ? BATCH_ROWS : room;
    return room < in->rows ? (int)room : in->rows;
}

void due_send(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    bool is_full = m->scanned_at == INSTANT_NONE || turn->now < m->scanned_at ||
                   turn->now - m->scanned_at >= FULL_SCAN_EVERY;

    turn->due_batch = size_batch(turn);
    must(turn->due_batch >= 0 && turn->due_batch <= turn->in->rows);
    if (!is_scanning(turn))
        return;
    cursors_due(turn->db, is_full ? INSTANT_NONE : m->floor, turn->now, turn->due_batch,
                &turn->due_rows);
    if (is_full)
        m->scanned_at = turn->now;
}

void due_read(struct turn *turn)
{
    instant floor = turn->now;

    if (!is_scanning(turn))
        return;
    for (int i = 0; i < turn->due_rows.rows; i++) {
        struct cursor cursor;
        struct work_schedule *sched;

        if (!turn_read_cursor(turn, &turn->due_rows, i, &cursor))
            continue;
        sched = workset_schedule(turn, cursor.id);
        if (sched->state == SCHED_HELD && memcmp(&sched->stored, &cursor, sizeof(cursor)) != 0)
            turn_damage(turn, cursor.id, "a cursor differs from what this node has written");
        sched->cursor = cursor;
        sched->stored = cursor;
        sched->state = SCHED_HELD;
        sched->is_due = true;
        if (i == 0)
            floor = cursor.wake_at;
    }
    must(floor <= turn->now); /* the next scan must not miss what is due */
    turn->memory.floor = floor;
    turn->memory.has_more_due = turn->due_rows.rows == turn->due_batch;
}

void due_set_claimed(struct turn *turn, bool all)
{
    const struct work_run *first = turn->fresh.count > 0 ? turn->fresh.at[0] : NULL;

    if (turn->due_rows.rows == 0 || !first)
        return;
    /* With different priorities a later run may rank first: all must be visible at once. */
    for (int i = 0; i < turn->fresh.count; i++) {
        const struct run *run = &turn->fresh.at[i]->run;

        all = all && run->lane == LANE_PULL && run->priority == first->run.priority;
    }
    turn->memory.all_claimed = all;
}

instant due_again(const struct turn *turn)
{
    if (turn->in->hold || turn->in->rows == 0)
        return INSTANT_NEVER;
    if (!turn->memory.has_more_due)
        return INSTANT_NEVER;
    return turn->memory.all_claimed && room_left(turn) == 0 ? turn->now + DUE_RECHECK
                                                            : turn->now;
}
