/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets from their making to their end, and on their way to other threads and back.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "server/frontend/frontend_parts.h"

enum { SPARE_TICKETS = 256 }; /* kept with their arenas, so that a request allocates nothing */

struct ticket *door_ticket_new(struct door *door, struct exchange *x)
{
    struct ticket *t = door->spare;
    struct arena *arena;

    if (t) {
        door->spare = t->next;
        door->spares--;
        arena = t->call.arena;
    } else {
        t = malloc(sizeof *t);
        must(t);
        arena = arena_new(CALL_ARENA_MAX);
    }
    memset(t, 0, sizeof *t);
    t->call.arena = arena;
    t->x = x;
    t->before = door->all.before;
    t->behind = &door->all;
    t->before->behind = t->behind->before = t;
    door->count++;
    return t;
}

void door_ticket_end(struct door *door, struct ticket *t)
{
    must(!t->x && !t->is_away);
    t->before->behind = t->behind;
    t->behind->before = t->before;
    door->count--;
    if (door->spares == SPARE_TICKETS) {
        arena_free(t->call.arena);
        free(t);
        return;
    }
    arena_reset(t->call.arena);
    t->next = door->spare;
    door->spare = t;
    door->spares++;
}

int door_items_of(const struct ticket *t, enum call_step step)
{
    return step == CALL_COMMANDS  ? t->call.command_count
           : step == CALL_REPORTS ? t->call.report_count
                                  : 0;
}

void door_leave(struct door *door, struct ticket *t, enum call_step step)
{
    t->is_away = true;
    t->sent_for = step;
    t->has_key = step == CALL_COMMANDS && t->call.command_count > 0 &&
                 t->call.commands[0].request.len > 0;
    door->away++;
    door->items += door_items_of(t, step);
}

/* Whoever had it may have set what is to be done next. */
void door_back(struct door *door, struct ticket *t)
{
    t->is_away = false;
    door->away--;
    door->items -= door_items_of(t, t->sent_for);
}

void door_send_off(struct door *door, struct ticket *t, enum memo_kind kind)
{
    door_leave(door, t, kind == MEMO_SPACES ? CALL_READ : t->step);
    door_memo(door, &(struct memo){.kind = kind, .ticket = t});
}

void door_read(struct door *door, struct ticket *t)
{
    t->step = CALL_READ;
    door_leave(door, t, CALL_READ);
    reader_ask(door->readers[door->reader_next++ % door->reader_count], t);
}
