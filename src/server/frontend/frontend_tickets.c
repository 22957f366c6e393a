/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets from their making to their end, and on their way to other threads and back.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "server/frontend/frontend_parts.h"

enum { SPARE_TICKETS = 256 }; /* kept with their arenas, so that a request allocates nothing */

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
    t->before = frontend->all.before;
    t->behind = &frontend->all;
    t->before->behind = t->behind->before = t;
    frontend->count++;
    return t;
}

void frontend_ticket_end(struct frontend *frontend, struct ticket *t)
{
    must(!t->x && !t->is_away);
    t->before->behind = t->behind;
    t->behind->before = t->before;
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

void frontend_leave(struct frontend *frontend, struct ticket *t, enum call_step step)
{
    t->is_away = true;
    t->sent_for = step;
    t->has_key = step == CALL_COMMANDS && t->call.command_count > 0 &&
                 t->call.commands[0].request.len > 0;
    frontend->away++;
    frontend->items += frontend_items_of(t, step);
}

/* Whoever had it may have set what is to be done next. */
void frontend_back(struct frontend *frontend, struct ticket *t)
{
    t->is_away = false;
    frontend->away--;
    frontend->items -= frontend_items_of(t, t->sent_for);
}

void frontend_send_off(struct frontend *frontend, struct ticket *t, enum writer_msg_kind kind)
{
    frontend_leave(frontend, t, kind == WRITER_MSG_NAMESPACES ? CALL_READ : t->step);
    frontend_post(frontend, &(struct writer_msg){.kind = kind, .ticket = t});
}

void frontend_read(struct frontend *frontend, struct ticket *t)
{
    t->step = CALL_READ;
    frontend_leave(frontend, t, CALL_READ);
    reader_ask(frontend->readers[frontend->reader_next++ % frontend->reader_count], t);
}
