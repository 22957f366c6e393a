/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates, ends, sends and takes back tickets.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "server/frontend/frontend_parts.h"

enum { SPARE_TICKETS = 256 }; /* kept with their arenas, to save allocations */

struct ticket *frontend_ticket_new(struct frontend *frontend, struct exchange *x)
{
    struct ticket *t = frontend->spare;
    struct arena *arena;

    if (t) {
        frontend->spare = t->next;
        frontend->spares--;
        arena = t->call.arena;
    } else {
        t = malloc(sizeof *t);
        must(t);
        arena = arena_new(CALL_ARENA_MAX);
    }
    memset(t, 0, sizeof *t);
    t->call.arena = arena;
    t->x = x;
    t->prev_open = frontend->all.prev_open;
    t->next_open = &frontend->all;
    t->prev_open->next_open = t->next_open->prev_open = t;
    frontend->count++;
    return t;
}

void frontend_ticket_end(struct frontend *frontend, struct ticket *t)
{
    must(!t->x && !t->is_away);
    t->prev_open->next_open = t->next_open;
    t->next_open->prev_open = t->prev_open;
    frontend->count--;
    if (frontend->spares == SPARE_TICKETS) {
        arena_free(t->call.arena);
        free(t);
        return;
    }
    arena_reset(t->call.arena);
    t->next = frontend->spare;
    frontend->spare = t;
    frontend->spares++;
}

int frontend_items_of(const struct ticket *t, enum call_step step)
{
    return step == CALL_COMMANDS  ? t->call.command_count
           : step == CALL_REPORTS ? t->call.report_count
                                  : 0;
}

static void mark_sent(struct frontend *frontend, struct ticket *t, enum call_step step)
{
    t->is_away = true;
    t->sent_for = step;
    t->has_key = step == CALL_COMMANDS && t->call.command_count > 0 &&
                 t->call.commands[0].request.len > 0;
    frontend->items += frontend_items_of(t, step);
}

/* The previous owner may have set the next step. */
void frontend_take_back(struct frontend *frontend, struct ticket *t)
{
    t->is_away = false;
    frontend->items -= frontend_items_of(t, t->sent_for);
}

void frontend_send_to_writer(struct frontend *frontend, struct ticket *t,
                             enum writer_msg_kind kind)
{
    mark_sent(frontend, t, kind == WRITER_MSG_NAMESPACES ? CALL_READ : t->step);
    frontend_post(frontend, &(struct writer_msg){.kind = kind, .ticket = t});
}

void frontend_send_to_reader(struct frontend *frontend, struct ticket *t, enum call_step step)
{
    t->step = step;
    mark_sent(frontend, t, step);
    read_queue_add(frontend->reads, t);
}
