/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that do not name a schedule: namespaces, queues, gates, calendars, the clock and
 * tokens.
 */
#include "base/must.h"
#include "engine/apply.h"
#include "engine/claim.h"
#include "engine/restricted_queues.h"
#include "store/zones.h"

/* ---- namespaces ---- */

void send_namespace(struct turn *turn, const struct command *c, struct command_state *s)
{
    namespaces_insert(turn->db, turn_key(turn), c->name, turn->now, &s->changed);
    namespaces_find(turn->db, c->name, &s->name_row);
}

void apply_namespace(struct turn *turn, const struct command *c, struct command_state *s,
                     struct reply *reply)
{
    reply->schedule = db_int_at(&s->name_row, 0, 0);
    reply->count = s->changed.changed;
    if (c->settings.len > 0)
        namespaces_set(turn->db, reply->schedule, c->settings);
}

/* ---- queues ---- */

void send_queue(struct turn *turn, const struct command *c, struct command_state *s)
{
    queues_insert(turn->db, turn_key(turn), c->namespace, c->name);
    queues_find(turn->db, c->namespace, c->name, &s->name_row);
}

void apply_queue(struct turn *turn, const struct command *c, struct command_state *s,
                 struct reply *reply)
{
    (void)turn;
    (void)c;
    reply->schedule = db_int_at(&s->name_row, 0, 0);
}

/* Locks without waiting, because a turn that claims runs of a limited queue holds its row. */
void send_queue_limit(struct turn *turn, const struct command *c, struct command_state *s)
{
    queues_insert(turn->db, turn_key(turn), c->namespace, c->name);
    queues_lock_name(turn->db, c->namespace, c->name, &s->lock_row);
    queues_find(turn->db, c->namespace, c->name, &s->name_row);
}

void send_queue_key(struct turn *turn, const struct command *c, struct command_state *s)
{
    queues_lock(turn->db, c->key, &s->lock_row);
    queues_get(turn->db, c->key, &s->name_row);
}

/* False after a refusal: the queue does not exist, or another node holds it. */
static bool check_queue(struct turn *turn, const struct command_state *s, struct reply *reply)
{
    if (s->name_row.rows == 0) {
        refuse(turn, reply, RC_NOT_FOUND, "the queue does not exist");
        return false;
    }
    reply->schedule = db_int_at(&s->name_row, 0, 0);
    if (s->lock_row.rows == 0)
        refuse(turn, reply, RC_BUSY, "another node is claiming runs of this queue");
    return s->lock_row.rows > 0;
}

/* Claimed runs stay claimed, even above the limit; this turn claims as many as it allows. */
void apply_queue_limit(struct turn *turn, const struct command *c, struct command_state *s,
                       struct reply *reply)
{
    if (!check_queue(turn, s, reply))
        return;
    queues_limit(turn->db, reply->schedule, c->limit);
    if (c->limit > 0)
        restricted_add(&turn->memory, reply->schedule);
    claim_add_queue(&turn->memory, LANE_PULL, reply->schedule);
    turn->made_ready = true;
}

void apply_queue_pause(struct turn *turn, const struct command *c, struct command_state *s,
                       struct reply *reply)
{
    if (!check_queue(turn, s, reply))
        return;
    queues_pause(turn->db, reply->schedule, c->kind == COMMAND_QUEUE_PAUSE);
    turn->memory.periodic_at = INSTANT_NONE; /* read the list of paused queues again */
}

/* ---- gates ---- */

void send_gate(struct turn *turn, const struct command *c, struct command_state *s)
{
    gates_insert(turn->db, turn_key(turn), c->namespace, c->name, c->limit);
    s->sets_gate = true;
    s->gate_limit = c->limit;
    send_gate_find(turn, c, s);
}

void send_gate_find(struct turn *turn, const struct command *c, struct command_state *s)
{
    gates_find(turn->db, c->namespace, c->name, &s->gate_row);
}

void apply_gate(struct turn *turn, const struct command *c, struct command_state *s,
                struct reply *reply)
{
    const struct work_gate *gate;

    (void)c;
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
 * The caller has checked all schedules that were changed before c->ungate.since.
 */
void apply_ungate(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    const struct gate_use use = {c->namespace, c->ungate.since, c->ungate.policy};
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

void applied_ungate(struct turn *turn, const struct command *c, struct command_state *s,
                    struct reply *reply)
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
void apply_set_gate_limit(struct turn *turn, const struct command_state *s)
{
    struct work_gate *gate;

    if (s->gate_row.rows == 0 || !s->sets_gate)
        return;
    gate = workset_gate(turn, db_int_at(&s->gate_row, 0, 0));
    must(gate->is_held);
    gate->is_changed |= gate->gate.most != s->gate_limit;
    gate->gate.most = s->gate_limit;
}

/* ---- tokens ---- */

void send_token_used(struct turn *turn, const struct command *c, struct command_state *s)
{
    (void)s;
    tokens_use(turn->db, c->token_used.id, c->token_used.at);
}

/* Not sent with the first statements: a repeated request must not create a second token. */
void apply_token(struct turn *turn, const struct command *c, struct command_state *s,
                 struct reply *reply)
{
    struct token token = *c->token;

    reply->schedule = token.id;
    token.namespace = token.namespace_name.len > 0 ? c->namespace : 0;
    token.created_at = turn->now;
    token.created_by = c->by;
    token.used_at = INSTANT_NONE;
    s->is_written = true;
    tokens_insert(turn->db, &token, &s->changed);
    tokens_find(turn->db, token.id, &s->name_row);
}

void apply_token_delete(struct turn *turn, const struct command *c, struct command_state *s,
                        struct reply *reply)
{
    reply->schedule = c->token->id;
    s->is_written = true;
    tokens_delete(turn->db, c->token->id, c->token->namespace, &s->changed);
    sessions_delete_of(turn->db, c->token->id);
}

void applied_token(struct turn *turn, const struct command *c, struct command_state *s,
                   struct reply *reply)
{
    if (s->changed.changed == 1)
        return;
    if (c->kind == COMMAND_TOKEN && s->name_row.rows > 0)
        refuse(turn, reply, RC_CONFLICT,
               "another token has the same id; send the request again");
    else if (c->kind == COMMAND_TOKEN)
        refuse(turn, reply, RC_LIMIT, "there are %d tokens; that is the limit", TOKENS_MAX);
    else
        refuse(turn, reply, RC_NOT_FOUND,
               "the token no longer exists, or it is the last one that can create others");
}

/* ---- sessions ---- */

void apply_session(struct turn *turn, const struct command *c, struct command_state *s,
                   struct reply *reply)
{
    struct session session = *c->session;

    (void)reply;
    must(session.token != 0);
    session.created_at = turn->now;
    s->is_written = true;
    sessions_insert(turn->db, &session, &s->changed);
    tokens_find(turn->db, session.token, &s->name_row);
}

void apply_session_end(struct turn *turn, const struct command *c, struct command_state *s,
                       struct reply *reply)
{
    (void)reply;
    s->is_written = true;
    sessions_delete(turn->db, c->session->id, &s->changed);
}

void applied_session(struct turn *turn, const struct command *c, struct command_state *s,
                     struct reply *reply)
{
    if (s->changed.changed == 1)
        return;
    if (c->kind == COMMAND_SESSION_END)
        refuse(turn, reply, RC_NOT_FOUND, "the session has ended");
    else if (s->name_row.rows == 0)
        refuse(turn, reply, RC_NOT_FOUND, "the token was revoked");
    else
        refuse(turn, reply, RC_LIMIT, "there are %d sessions; that is the limit", SESSIONS_MAX);
}

/* ---- calendars and the clock ---- */

void send_calendar(struct turn *turn, const struct command *c, struct command_state *s)
{
    calendars_find(turn->db, c->namespace, c->name, &s->name_row);
}

/*
 * Not sent with the first statements, as in apply_token().  The version guards against
 * overwriting a change that the client has not seen.
 */
void apply_calendar(struct turn *turn, const struct command *c, struct command_state *s,
                    struct reply *reply)
{
    (void)reply;
    turn->memory.replan_after = 0;
    zones_planned_drop(turn->db); /* until some node has planned all schedules again */
    s->is_written = c->kind == COMMAND_UNCALENDAR || c->version != 0;
    if (c->kind == COMMAND_UNCALENDAR)
        calendars_delete(turn->db, c->namespace, c->name, c->version, &s->changed);
    else if (c->version == 0)
        calendars_put(turn->db, turn_key(turn), c->namespace, c->name, c->days, turn->now);
    else
        calendars_replace(turn->db, c->namespace,
                          &(struct calendar_row){c->version, c->name, c->days, turn->now},
                          &s->changed);
}

void applied_calendar(struct turn *turn, const struct command *c, struct command_state *s,
                      struct reply *reply)
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

void apply_clock(struct turn *turn, const struct command *c, struct command_state *s,
                 struct reply *reply)
{
    (void)c;
    (void)s;
    (void)reply;
    turn->memory.clock_skip = turn->now;
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = EVENT_CLOCK_JUMP, .detail = turn->node, .slot = turn->now, .count = 0};
}
