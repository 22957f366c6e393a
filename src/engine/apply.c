/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of all commands in a turn: send queries, want rows, apply, store replies.  What
 * each command does is in apply_named.c, apply_queue.c, apply_run.c and apply_schedule.c.
 */
#include "engine/apply.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/must.h"
#include "engine/engine_internal.h"

enum { REPLY_TEXT_MAX = 128, REPLY_NUMBERS = 6 }; /* of a stored reply, without the name */

void refuse(struct turn *turn, struct reply *reply, enum rc rc, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    reply->rc = rc;
    reply->text = arena_str(turn->arena, str_of(text));
}

static bool has_draft(enum command_kind kind)
{
    return kind == COMMAND_CREATE || kind == COMMAND_UPDATE || kind == COMMAND_PUT ||
           kind == COMMAND_DIRECT;
}

/* Queries the rows that a draft names; creates the queue and the gate if they do not exist. */
static void send_draft(struct turn *turn, const struct command *c, struct command_state *s)
{
    const struct draft *draft = c->draft;

    if (draft->plan.lane == LANE_PULL)
        s->queue = committed_queue(&turn->engine->committed, c->namespace, draft->queue);
    if (draft->plan.lane == LANE_PULL && s->queue == 0) {
        queues_insert(turn->db, turn_key(turn), c->namespace, draft->queue);
        queues_find(turn->db, c->namespace, draft->queue, &s->queue_row);
    }
    s->calendar_rows = workset_send_calendars(turn, c->namespace, &draft->plan.spec);
    if (draft->plan.policies.gate.len > 0) {
        gates_insert(turn->db, turn_key(turn), c->namespace, draft->plan.policies.gate,
                     draft->plan.policies.gate_limit);
        gates_find(turn->db, c->namespace, draft->plan.policies.gate, &s->gate_row);
    }
}

static void send_named(struct turn *turn, const struct command *c, struct command_state *s)
{
    switch (c->kind) {
    case COMMAND_NAMESPACE:
        namespaces_insert(turn->db, turn_key(turn), c->name, turn->now, &s->changed);
        namespaces_find(turn->db, c->name, &s->name_row);
        break;
    case COMMAND_QUEUE:
        queues_insert(turn->db, turn_key(turn), c->namespace, c->name);
        queues_find(turn->db, c->namespace, c->name, &s->name_row);
        break;
    case COMMAND_QUEUE_PAUSE:
    case COMMAND_QUEUE_RESUME:
    case COMMAND_QUEUE_LIMIT:
        apply_send_queue(turn, c, s);
        break;
    case COMMAND_GATE:
        gates_insert(turn->db, turn_key(turn), c->namespace, c->name, c->count);
        gates_find(turn->db, c->namespace, c->name, &s->gate_row);
        break;
    case COMMAND_UNGATE:
        gates_find(turn->db, c->namespace, c->name, &s->gate_row);
        break;
    case COMMAND_CALENDAR:
    case COMMAND_UNCALENDAR:
        calendars_find(turn->db, c->namespace, c->name, &s->name_row);
        break;
    case COMMAND_TOKEN_USED:
        tokens_use(turn->db, c->schedule, c->slot);
        break;
    case COMMAND_CREATE: /* the insert shows it, too, but only after the quota was taken */
        if (c->quota > 0)
            schedules_find(turn->db, c->namespace, c->name, &s->name_row);
        break;
    case COMMAND_CLOCK:
    case COMMAND_DIRECT:
    case COMMAND_TOKEN:
    case COMMAND_TOKEN_DELETE:
    case COMMAND_DENIED:
        break;
    default:
        if (c->schedule == 0 && c->run.schedule == 0)
            schedules_find(turn->db, c->namespace, c->name, &s->name_row);
        break;
    }
}

void apply_send(struct turn *turn)
{
    turn->commands = arena_array(turn->arena, (size_t)turn->in->command_count,
                                 sizeof(*turn->commands));
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct command_state *s = &turn->commands[i];

        turn->replies[i] = (struct reply){.tag = c->tag, .rc = RC_OK};
        if (c->request.len > 0) {
            struct request request = {
                .namespace = c->namespace,
                .name = c->request,
                .fingerprint = c->fingerprint,
                .reply = STR(""),
                .expire_at = turn->now + REQUESTS_AGE,
            };

            turn->memory.requests++;
            requests_insert(turn->db, &request, &s->request_taken);
            requests_find(turn->db, c->namespace, c->request, &s->request_row);
        }
        send_named(turn, c, s);
        if (has_draft(c->kind))
            send_draft(turn, c, s);
        if (c->kind == COMMAND_CREATE || c->kind == COMMAND_PUT)
            quota_send(turn, c);
    }
}

/* Parses what print_reply() has written. */
static void read_reply(struct turn *turn, struct str text, struct reply *reply)
{
    int64_t n[REPLY_NUMBERS] = {0};
    struct str name;

    if (str_cut(text, '/', &text, &name))
        reply->text = arena_str(turn->arena, name);
    for (int i = 0; i < REPLY_NUMBERS; i++) {
        bool negative = text.len > 0 && text.ptr[0] == '-';

        if (negative)
            text = str_from(text, 1);
        str_take_number(&text, INT64_MAX - 1, &n[i]);
        n[i] = negative ? -n[i] : n[i];
        text = str_trim(text);
    }
    reply->schedule = n[0];
    reply->version = n[1];
    reply->run = (struct run_id){n[2], n[3], (uint32_t)n[4]};
    reply->count = n[5];
}

/* True when the command needs no further work: it was done before, or is in progress. */
static bool is_repeated(struct turn *turn, const struct command *c, struct command_state *s,
                        struct reply *reply)
{
    struct request request;

    if (c->request.len == 0 || s->request_taken.changed == 1)
        return false;
    if (s->request_row.rows == 0) { /* it was pruned in between: the key is free again */
        refuse(turn, reply, RC_BUSY, "the same request is in progress");
        return true;
    }
    requests_read(&s->request_row, 0, &request);
    if (request.fingerprint != c->fingerprint) {
        refuse(turn, reply, RC_CONFLICT,
               "the idempotency key was used for another request; use a new key");
    } else if (request.reply.len == 0) {
        refuse(turn, reply, RC_BUSY, "the same request is in progress");
    } else {
        read_reply(turn, request.reply, reply);
        reply->rc = (enum rc)request.rc;
        reply->is_repeated = true;
    }
    return true;
}

static void want_schedule(struct turn *turn, const struct command *c, struct command_state *s)
{
    bool is_run = c->kind >= COMMAND_SKIP && c->kind <= COMMAND_REJECT;
    int64_t key = c->schedule != 0 ? c->schedule : c->run.schedule;

    if (key == 0 && s->name_row.rows == 1)
        key = db_int_at(&s->name_row, 0, 0);
    if (key == 0)
        return;
    s->sched = workset_schedule(turn, key);
    s->sched->want_row |= audit_wants_fingerprint(c);
    s->sched->want_open |= c->kind == COMMAND_DELETE || c->overlap == OVERLAP_CANCEL_OTHER ||
                           c->overlap == OVERLAP_TERMINATE_OTHER;
    for (int i = 0; i < c->range_count; i++)
        s->sched->want_open |= c->ranges[i].overlap == OVERLAP_CANCEL_OTHER ||
                               c->ranges[i].overlap == OVERLAP_TERMINATE_OTHER;
    if (is_run)
        s->work = workset_run(turn, s->sched, c->run.slot_ms * SPAN_MS, (int64_t)c->run.pass);
}

static bool names_schedule(enum command_kind kind)
{
    return kind < COMMAND_DIRECT;
}

void apply_want(struct turn *turn)
{
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct command_state *s = &turn->commands[i];

        s->is_done = is_repeated(turn, c, s, &turn->replies[i]);
        if (s->is_done)
            continue;
        if (names_schedule(c->kind))
            want_schedule(turn, c, s);
        if (s->gate_row.rows == 1)
            workset_gate(turn, db_int_at(&s->gate_row, 0, 0));
    }
}

/* True when the schedule exists, is held, and has the version that the command expects. */
static bool check_schedule(struct turn *turn, const struct command *c,
                           const struct work_schedule *sched, struct reply *reply)
{
    if (!sched || sched->state == SCHED_NO_CURSOR) {
        refuse(turn, reply, RC_NOT_FOUND, "schedule \"%.*s\" does not exist", STR_ARG(c->name));
        return false;
    }
    if (sched->state == SCHED_BUSY) {
        refuse(turn, reply, RC_BUSY, "another node is working on this schedule");
        return false;
    }
    reply->schedule = sched->id;
    reply->version = sched->cursor.version;
    if (sched->cursor.flags & CURSOR_DELETED) {
        refuse(turn, reply, RC_NOT_FOUND, "schedule \"%.*s\" does not exist", STR_ARG(c->name));
        return false;
    }
    if (c->version != 0 && c->version != sched->cursor.version) {
        refuse(turn, reply, RC_CONFLICT,
               "the schedule is at version %lld, not %lld; read it again",
               (long long)sched->cursor.version, (long long)c->version);
        return false;
    }
    if (!sched->has_plan && c->kind != COMMAND_DELETE && c->kind != COMMAND_UPDATE &&
        c->kind != COMMAND_PUT) {
        refuse(turn, reply, RC_CONFLICT,
               "the time zone of the schedule is no longer known; edit or delete it");
        return false;
    }
    if ((sched->cursor.flags & CURSOR_CLOSED) && c->kind != COMMAND_DELETE) {
        refuse(turn, reply, RC_CONFLICT, "the schedule is closed");
        return false;
    }
    return true;
}

static void apply_to_schedule(struct turn *turn, const struct command *c,
                              struct command_state *s, struct reply *reply)
{
    struct work_schedule *sched = s->sched;

    must(sched_is_held(sched) && !(sched->cursor.flags & CURSOR_DELETED));
    switch (c->kind) {
    case COMMAND_UPDATE:
    case COMMAND_PUT:
        apply_update(turn, c, s, reply);
        break;
    case COMMAND_DELETE:
        apply_delete(turn, c, sched, reply);
        break;
    case COMMAND_CLOSE:
        apply_close(turn, c, sched, reply);
        break;
    case COMMAND_PAUSE:
    case COMMAND_RESUME:
        apply_pause(turn, c, sched, reply);
        break;
    case COMMAND_TRIGGER:
    case COMMAND_TEST:
        apply_trigger(turn, c, sched, reply);
        break;
    case COMMAND_BACKFILL:
        apply_backfill(turn, c, sched, reply);
        break;
    case COMMAND_SKIP:
    case COMMAND_UNSKIP:
        apply_skip(turn, c, s, reply);
        break;
    case COMMAND_HINT:
    case COMMAND_UNHINT:
    case COMMAND_RESET:
        apply_hint(turn, c, sched, reply);
        break;
    default:
        apply_run(turn, c, s, reply);
        break;
    }
}

/* Keys and run ids can be guessed: they give no access to another namespace. */
static bool is_foreign(const struct command *c, const struct work_schedule *sched)
{
    return sched && sched->namespace != 0 && sched->namespace != c->namespace;
}

static void apply_one(struct turn *turn, const struct command *c, struct command_state *s,
                      struct reply *reply)
{
    bool is_run = c->kind >= COMMAND_CANCEL && c->kind <= COMMAND_REJECT;
    bool absent = !s->sched || s->sched->state == SCHED_NO_CURSOR;

    if (!names_schedule(c->kind)) {
        apply_named(turn, c, s, reply);
    } else if (is_foreign(c, s->sched) && is_run) {
        apply_no_run(turn, reply);
    } else if (is_foreign(c, s->sched)) {
        (void)check_schedule(turn, c, NULL, reply);
    } else if (c->kind == COMMAND_CREATE || (c->kind == COMMAND_PUT && absent)) {
        apply_create(turn, c, s, reply);
    } else if (is_run && s->sched && s->sched->state == SCHED_NO_CURSOR) {
        apply_run(turn, c, s, reply); /* a direct run, or a run of a deleted schedule */
    } else if (check_schedule(turn, c, s->sched, reply)) {
        audit_write_before(c, s);
        apply_to_schedule(turn, c, s, reply);
        audit_write_after(c, s, reply);
    }
}

enum rc apply_commands(struct turn *turn, struct err *reterr)
{
    bool any = false;
    enum rc rc = RC_OK;

    for (int i = 0; i < turn->in->command_count; i++) {
        if (!turn->commands[i].is_done)
            apply_one(turn, &turn->in->commands[i], &turn->commands[i], &turn->replies[i]);
        any |= turn->commands[i].is_created || turn->commands[i].is_written;
    }
    if (any)
        rc = db_flush(turn->db, turn->arena, reterr);
    for (int i = 0; rc == RC_OK && i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct command_state *s = &turn->commands[i];

        must(!s->is_done || !(s->is_created || s->is_written)); /* else it is done twice */
        if (s->is_created) {
            apply_created(turn, c, s, &turn->replies[i]);
            audit_write_after(c, s, &turn->replies[i]);
        }
        if (s->is_written)
            applied_named(turn, c, s, &turn->replies[i]);
        if (!s->is_done && turn->replies[i].rc == RC_OK)
            apply_set_gate_limit(turn, c, s);
    }
    return rc;
}

/* Numbers separated by blanks; then, if a schedule was created, "/" and its name. */
static struct str print_reply(struct turn *turn, const struct reply *reply, struct str created)
{
    struct buf text = {.cap = REPLY_TEXT_MAX + created.len};

    text.ptr = arena_take(turn->arena, text.cap);
    buf_printf(&text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu32 " %" PRId64,
               reply->schedule, reply->version, reply->run.schedule, reply->run.slot_ms,
               reply->run.pass, reply->count);
    if (created.len > 0) {
        buf_char(&text, '/');
        buf_str(&text, created);
    }
    must(!text.cut);
    return buf_as_str(&text);
}

void apply_store_replies(struct turn *turn)
{
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct reply *reply = &turn->replies[i];
        bool is_made = turn->commands[i].is_created && reply->rc == RC_OK;

        must(reply->tag == c->tag);
        must(!is_made || reply->schedule == turn->commands[i].sched->id);
        if (is_made)
            reply->cursor = &turn->commands[i].sched->cursor;
        if (c->request.len == 0 || turn->commands[i].is_done)
            continue;
        if (reply->rc != RC_OK) {
            requests_delete(turn->db, c->namespace, c->request);
            continue;
        }
        requests_finish(
            turn->db, &(struct request){.namespace = c->namespace,
                                        .name = c->request,
                                        .rc = RC_OK,
                                        .reply = print_reply(
                                            turn, reply, is_made ? c->name : (struct str){0})});
    }
}

void apply_cache_queues(struct turn *turn)
{
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        const struct command_state *s = &turn->commands[i];

        if (s->queue_row.rows == 1)
            committed_put_queue(&turn->engine->committed, c->namespace, c->draft->queue,
                                db_int_at(&s->queue_row, 0, 0));
    }
}
