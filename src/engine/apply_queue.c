/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about queues: pauses and limits.
 *
 * They lock the row of the queue without waiting, because a turn that claims runs of a limited
 * queue holds it.
 */
#include "engine/apply.h"
#include "engine/claim.h"
#include "engine/restricted_queues.h"

void apply_send_queue(struct turn *turn, const struct command *c, struct command_state *s)
{
    if (c->kind == COMMAND_QUEUE_LIMIT) {
        queues_insert(turn->db, turn_key(turn), c->namespace, c->name);
        queues_lock_name(turn->db, c->namespace, c->name, &s->lock_row);
        queues_find(turn->db, c->namespace, c->name, &s->name_row);
    } else {
        queues_lock(turn->db, c->schedule, &s->lock_row);
        queues_get(turn->db, c->schedule, &s->name_row);
    }
}

/* The limit holds from this turn on.  Claimed runs stay claimed; new room is used at once. */
static void set_limit(struct turn *turn, int64_t queue, int64_t most)
{
    queues_limit(turn->db, queue, most);
    if (most > 0)
        restricted_add(&turn->memory, queue);
    claim_make_hot(&turn->memory, LANE_PULL, queue);
    turn->made_ready = true;
}

void apply_queue(struct turn *turn, const struct command *c, const struct command_state *s,
                 struct reply *reply)
{
    if (s->name_row.rows == 0) {
        refuse(turn, reply, RC_NOT_FOUND, "the queue does not exist");
        return;
    }
    reply->schedule = db_int_at(&s->name_row, 0, 0);
    if (s->lock_row.rows == 0) {
        refuse(turn, reply, RC_BUSY, "another node is claiming runs of this queue");
        return;
    }
    if (c->kind == COMMAND_QUEUE_LIMIT) {
        set_limit(turn, reply->schedule, c->count);
        return;
    }
    queues_pause(turn->db, reply->schedule, c->kind == COMMAND_QUEUE_PAUSE);
    turn->memory.periodic_at = INSTANT_NONE; /* read the list of paused queues again */
}
