/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scan begins at the floor, the least that the last one saw, so that index entries of what
 * has gone cost nothing; now and then it begins at the beginning.
 */
#include "engine/due.h"

#include <string.h>

#include "base/must.h"
#include "engine/turn_state.h"
#include "store/cursors.h"

/* One that does not must not move the floor: what is overdue would lie below it. */
static bool looks(const struct turn *turn)
{
    return !turn->in->hold && turn->due_batch > 0;
}

/* What workers who wait can take, if it is of their queues. */
static int64_t room_left(const struct turn *turn)
{
    int64_t room = 0;

    for (int i = 0; i < turn->in->poll_count; i++)
        room += turn->poll_room[i];
    return room;
}

/* A clock that was set back is no reason to wait until it has come again. */
static bool is_within(const struct turn *turn, instant at, span most)
{
    return at <= turn->now && turn->now - at < most;
}

/*
 * A run that is taken in the turn that makes it is written once; one that has to wait is
 * written, found, and written again.  So while workers take all that becomes due, no more is
 * made than they ask for; and while they are at work on what they got, none: they will be back
 * in a moment, and if not, nobody is kept waiting for long.
 */
static int portion(const struct turn *turn)
{
    const struct turn_in *in = turn->in;
    const struct engine_memory *m = &turn->memory;
    int64_t room = room_left(turn);

    if (m->is_taken && m->is_more && room == 0 && is_within(turn, m->granted_at, BACK_SOON) &&
        is_within(turn, m->floor, DUE_PATIENCE))
        return 0;
    if (!m->is_taken || room == 0)
        return in->rows;
    room = room < BATCH_ROWS ? BATCH_ROWS : room;
    return room < in->rows ? (int)room : in->rows;
}

void due_send(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    bool is_full = m->scanned_at == INSTANT_NONE || turn->now < m->scanned_at ||
                   turn->now - m->scanned_at >= FULL_SCAN_EVERY;

    turn->due_batch = portion(turn);
    if (!looks(turn))
        return;
    cursors_due(turn->db, is_full ? INSTANT_NONE : m->floor, turn->now, turn->due_batch,
                &turn->due_rows);
    if (is_full)
        m->scanned_at = turn->now;
}

void due_seat(struct turn *turn)
{
    instant floor = turn->now;

    if (!looks(turn))
        return;
    for (int i = 0; i < turn->due_rows.rows; i++) {
        struct cursor cursor;
        struct work_schedule *sched;

        cursors_read(&turn->due_rows, i, &cursor);
        sched = workset_schedule(turn, cursor.id);
        must(sched->state != SCHED_HELD || memcmp(&sched->was, &cursor, sizeof(cursor)) == 0);
        sched->cursor = cursor;
        sched->was = cursor;
        sched->state = SCHED_HELD;
        sched->is_due = true;
        if (i == 0)
            floor = cursor.wake_at;
    }
    turn->memory.floor = floor;
    turn->memory.is_more = turn->due_rows.rows == turn->due_batch;
}

void due_taken(struct turn *turn, bool all)
{
    const struct work_run *first = turn->fresh.count > 0 ? turn->fresh.at[0] : NULL;

    if (turn->due_rows.rows == 0 || !first)
        return;
    /* Of other ranks a later one may come first: they are all to be seen at once. */
    for (int i = 0; i < turn->fresh.count; i++) {
        const struct run *run = &turn->fresh.at[i]->run;

        all = all && run->lane == LANE_PULL && run->priority == first->run.priority;
    }
    turn->memory.is_taken = all;
}

instant due_again(const struct turn *turn)
{
    if (turn->in->hold || turn->in->rows == 0)
        return INSTANT_NEVER;
    if (!turn->memory.is_more)
        return INSTANT_NEVER;
    return turn->memory.is_taken && room_left(turn) == 0 ? turn->now + DUE_PAUSE : turn->now;
}
