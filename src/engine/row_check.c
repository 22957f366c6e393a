/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks rows of cursors and runs when they are read, and counters that come from the database.
 *
 * Other nodes and damaged databases can store wrong values.  So no must() tests a value that
 * was just read: damage fails the turn with RC_CORRUPT.  After these checks, must() may rely on
 * them.
 */
#include "engine/workset.h"

#define PASS_MAX (UINT32_MAX - (1 << 20)) /* a run id has 32 bits; leaves room for one turn */

void turn_damage(struct turn *turn, int64_t key, const char *what)
{
    if (turn->damage)
        return;
    turn->damage = what;
    turn->damaged_key = key;
}

void turn_count_down(struct turn *turn, int64_t *count, int64_t key, const char *damage)
{
    if (*count > 0)
        --*count;
    else
        turn_damage(turn, key, damage);
}

/* A node holds a run under the node's lease; a run of a worker has a time when to check it. */
static bool holder_is_sound(const struct run *run)
{
    if (!run_is_claimed(run->state))
        return run->node == 0 && run->worker.len == 0 && run->lease_until == INSTANT_NEVER;
    if (run->losses >= run->attempt || run->fence < 1 || run->started_at == INSTANT_NONE ||
        run->attempt_at == INSTANT_NONE)
        return false;
    return run->node != 0 ? run->state == RUN_RUNNING : run->wake_at != INSTANT_NEVER;
}

static bool run_is_sound(const struct run *run)
{
    if (run->state < RUN_HELD || run->state >= RUN_ENDED || run->kind >= RUN_KINDS ||
        run->lane >= LANE_COUNT || run->overlap > OVERLAP_DEFAULT)
        return false;
    if (run->slot % SPAN_MS != 0 || run->pass < 0 || run->pass > UINT32_MAX)
        return false;
    if (run->fence < 0 || run->losses > run->attempt || run->node < 0)
        return false;
    if ((run->state == RUN_HELD || run->state == RUN_APPROVAL) && run->attempt > 0)
        return false;
    return holder_is_sound(run);
}

static bool cursor_is_sound(const struct cursor *c)
{
    return c->next_at > c->mark && c->version >= 1 && c->flags >= 0 && c->open >= 0 &&
           c->waiting >= 0 && c->backfills >= 0 && c->failures >= 0 && c->remaining >= -1 &&
           c->pass >= 0 && c->pass < PASS_MAX && c->started >= 0 && c->skipped >= 0 &&
           c->missed >= 0 && c->dropped >= 0 && c->cancelled >= 0 && c->succeeded >= 0 &&
           c->failed >= 0;
}

bool turn_read_run(struct turn *turn, const struct db_result *rows, int row, struct run *ret)
{
    runs_read(rows, row, ret);
    if (run_is_sound(ret))
        return true;
    turn_damage(turn, ret->id, "a run is damaged");
    return false;
}

bool turn_read_cursor(struct turn *turn, const struct db_result *rows, int row,
                      struct cursor *ret)
{
    cursors_read(rows, row, ret);
    if (cursor_is_sound(ret))
        return true;
    turn_damage(turn, ret->id, "a cursor is damaged");
    return false;
}
