/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs the events of a turn into one row, numbered after those of the turn before.
 */
#include "base/must.h"
#include "engine/engine_internal.h"

void event_write(struct turn *turn)
{
    size_t room = (size_t)turn->events.count * EVENT_PACKED_MAX + 1;
    struct buf buf = {.cap = room};
    int64_t first = turn->memory.event + 1;

    if (turn->events.count == 0)
        return;
    buf.ptr = arena_take_raw(turn->arena, room);
    for (int i = 0; i < turn->events.count; i++)
        event_pack(&turn->events.at[i], &buf);
    must(!buf.cut);
    must(first == turn->engine->memory.event + 1); /* numbered without gaps */
    events_insert(turn->db, turn->node, first, turn->events.count, turn->now, buf_as_str(&buf));
    turn->memory.event += turn->events.count;
}

void event_node_up(struct turn *turn)
{
    if (!turn->memory.is_node_up_sent)
        *VEC_ADD(turn, &turn->events) = (struct event){
            .type = EVENT_NODE_UP, .detail = turn->node, .count = 1};
    turn->memory.is_node_up_sent = true;
    if (turn->in->jump != 0)
        *VEC_ADD(turn, &turn->events) = (struct event){
            .type = EVENT_CLOCK_JUMP,
            .slot = turn->now,
            .detail = turn->node,
            .count = turn->in->jump / SPAN_MS,
        };
}
