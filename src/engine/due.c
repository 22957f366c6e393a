/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scan begins at the floor, the least that the last one saw, so that index entries of what
 * has gone cost nothing; now and then it begins at the beginning.
 */
#include "engine/due.h"

#include <string.h>

#include "base/must.h"
#include "engine/making.h"
#include "store/cursors.h"

/* One that does not must not move the floor: what is overdue would lie below it. */
static bool looks(const struct turn *turn)
{
    return !turn->in->hold && turn->in->rows > 0;
}

void due_send(struct turn *turn)
{
    struct memory *m = &turn->memory;
    bool is_full = m->scanned_at == INSTANT_NONE || turn->now < m->scanned_at ||
                   turn->now - m->scanned_at >= FULL_SCAN_EVERY;

    if (!looks(turn))
        return;
    cursors_due(turn->db, is_full ? INSTANT_NONE : m->floor, turn->now, turn->in->rows,
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
        struct seat *seat;

        cursors_read(&turn->due_rows, i, &cursor);
        seat = desk_seat(turn, cursor.id);
        must(seat->state != SEAT_HELD || memcmp(&seat->was, &cursor, sizeof(cursor)) == 0);
        seat->cursor = cursor;
        seat->was = cursor;
        seat->state = SEAT_HELD;
        seat->is_due = true;
        if (i == 0)
            floor = cursor.wake_at;
    }
    turn->memory.floor = floor;
}
