/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that do not name a schedule: namespaces, gates, calendars and tokens here; queues
 * and direct runs in their own files.
 */
#include "base/must.h"
#include "engine/apply.h"
#include "store/zones.h"

static void apply_gate(struct turn *turn, const struct command_state *s, struct reply *reply)
{
    const struct work_gate *gate;

    if (s->gate_row.rows == 0) { /* another node has just deleted it */
        refuse(turn, reply, RC_BUSY, "another node holds the gate");
        return;
    }
    gate = workset_gate(turn, db_int_at(&s->gate_row, 0, 0));
    reply->schedule = gate->gate.id;
    if (!gate->is_held)
        refuse(turn, reply, RC_BUSY, "another node holds the gate");
}

/* True when a draft of this turn names the gate, or the turn has changed it. */
static bool is_used_in_turn(struct turn *turn, const struct work_gate *gate)
{
    int users = 0;

    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command_state *s = &turn->commands[i];

        users += s->gate_row.rows == 1 && db_int_at(&s->gate_row, 0, 0) == gate->gate.id;
    }
    return users > 1 || gate->is_changed;
}

/*
 * The turn holds the row of the gate, so no schedule can start to name it before the commit.
 * The caller has checked all schedules that were changed before c->slot.
 */
static void apply_ungate(struct turn *turn, const struct command *c, struct command_state *s,
                         struct reply *reply)
{
    const struct gate_use use = {c->namespace, c->slot, c->text};
    const struct work_gate *gate;

    if (s->gate_row.rows == 0) {
        refuse(turn, reply, RC_NOT_FOUND, "gate \"%.*s\" does not exist", STR_ARG(c->name));
        return;
    }
    gate = workset_gate(turn, db_int_at(&s->gate_row, 0, 0));
    reply->schedule = gate->gate.id;
    if (!gate->is_held || is_used_in_turn(turn, gate)) {
        refuse(turn, reply, RC_BUSY, "the gate is in use");
        return;
    }
    s->is_written = true;
    gates_delete(turn->db, gate->gate.id, &use, &s->changed);
}

static void applied_ungate(struct turn *turn, const struct command *c,
                           const struct command_state *s, struct reply *reply)
{
    if (s->changed.changed == 0)
        refuse(turn, reply, RC_CONFLICT,
               "gate \"%.*s\" has open or waiting runs, or a schedule has just started to use "
               "it; delete it when they have ended",
               STR_ARG(c->name));
}

/*
 * Sets the limit that a command or its draft brings, if the command has succeeded: for a new
 * schedule only the row count of its insert shows that.
 */
void apply_set_gate_limit(struct turn *turn, const struct command *c,
                          const struct command_state *s)
{
    struct work_gate *gate;
    int64_t limit;

    if (s->gate_row.rows == 0 || s->keeps_gate || c->kind == COMMAND_UNGATE)
        return;
    gate = workset_gate(turn, db_int_at(&s->gate_row, 0, 0));
    must(gate->is_held);
    limit = c->kind == COMMAND_GATE ? c->count : c->draft->plan.policies.gate_limit;
    gate->is_changed |= gate->gate.most != limit;
    gate->gate.most = limit;
}

/* Not sent with the first statements: a repeated request must not create a second token. */
static void apply_token(struct turn *turn, const struct command *c, struct command_state *s,
                        struct reply *reply)
{
    struct token token = *c->token;

    reply->schedule = token.id;
    s->is_written = true;
    if (c->kind == COMMAND_TOKEN_DELETE) {
        tokens_delete(turn->db, token.id, token.namespace, &s->changed);
        return;
    }
    token.namespace = token.namespace_name.len > 0 ? c->namespace : 0;
    token.created_at = turn->now;
    token.created_by = c->by;
    token.used_at = INSTANT_NONE;
    tokens_insert(turn->db, &token, &s->changed);
}

static void applied_token(struct turn *turn, const struct command *c,
                          const struct command_state *s, struct reply *reply)
{
    if (s->changed.changed == 1)
        return;
    if (c->kind == COMMAND_TOKEN)
        refuse(turn, reply, RC_LIMIT, "there are %d tokens; that is the limit", TOKENS_MAX);
    else
        refuse(turn, reply, RC_NOT_FOUND,
               "the token no longer exists, or it is the last one that can create others");
}

/* Likewise.  The version guards against overwriting a change that the client has not seen. */
static void apply_calendar(struct turn *turn, const struct command *c, struct command_state *s)
{
    const struct calendar_row row = {c->version, c->name, c->text, turn->now};

    turn->memory.replan_after = 0;
    zones_planned_drop(turn->db); /* until some node has planned all schedules again */
    if (c->kind == COMMAND_CALENDAR && c->version == 0) {
        calendars_put(turn->db, turn_key(turn), c->namespace, c->name, c->text, turn->now);
        return;
    }
    s->is_written = true;
    if (c->kind == COMMAND_CALENDAR)
        calendars_replace(turn->db, c->namespace, &row, &s->changed);
    else
        calendars_delete(turn->db, c->namespace, c->name, c->version, &s->changed);
}

static void applied_calendar(struct turn *turn, const struct command *c,
                             const struct command_state *s, struct reply *reply)
{
    if (s->changed.changed == 1)
        return;
    if (c->version == 0 || s->name_row.rows == 0) {
        refuse(turn, reply, RC_NOT_FOUND, "calendar \"%.*s\" does not exist", STR_ARG(c->name));
        return;
    }
    reply->schedule = db_int_at(&s->name_row, 0, 0);
    refuse(turn, reply, RC_CONFLICT, "the calendar is not at version %lld; read it again",
           (long long)c->version);
}

void apply_named(struct turn *turn, const struct command *c, struct command_state *s,
                 struct reply *reply)
{
    switch (c->kind) {
    case COMMAND_NAMESPACE:
        reply->schedule = db_int_at(&s->name_row, 0, 0);
        reply->count = s->changed.changed;
        if (c->text.len > 0)
            namespaces_set(turn->db, reply->schedule, c->text);
        break;
    case COMMAND_QUEUE:
        reply->schedule = db_int_at(&s->name_row, 0, 0);
        break;
    case COMMAND_QUEUE_PAUSE:
    case COMMAND_QUEUE_RESUME:
    case COMMAND_QUEUE_LIMIT:
        apply_queue(turn, c, s, reply);
        break;
    case COMMAND_GATE:
        apply_gate(turn, s, reply);
        break;
    case COMMAND_UNGATE:
        apply_ungate(turn, c, s, reply);
        break;
    case COMMAND_CALENDAR:
    case COMMAND_UNCALENDAR:
        apply_calendar(turn, c, s);
        break;
    case COMMAND_CLOCK:
        turn->memory.clock_skip = turn->now;
        *VEC_ADD(turn, &turn->events) = (struct event){
            .type = EVENT_CLOCK_JUMP, .detail = turn->node, .slot = turn->now, .count = 0};
        break;
    case COMMAND_TOKEN:
    case COMMAND_TOKEN_DELETE:
        apply_token(turn, c, s, reply);
        break;
    case COMMAND_TOKEN_USED:
    case COMMAND_DENIED:
        break;
    default:
        apply_direct(turn, c, s, reply);
        break;
    }
}

void applied_named(struct turn *turn, const struct command *c, const struct command_state *s,
                   struct reply *reply)
{
    if (c->kind == COMMAND_CALENDAR || c->kind == COMMAND_UNCALENDAR)
        applied_calendar(turn, c, s, reply);
    else if (c->kind == COMMAND_UNGATE)
        applied_ungate(turn, c, s, reply);
    else
        applied_token(turn, c, s, reply);
}
