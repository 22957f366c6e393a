/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of all commands in a turn: send queries, want rows, apply, store replies; and the
 * table of what each command does in each step.  The functions that carry commands out are in
 * apply_named.c, apply_run.c and apply_schedule.c.
 */
#include "engine/apply.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/must.h"
#include "engine/engine_internal.h"

enum { REPLY_TEXT_MAX = 192, REPLY_NUMBERS = 9 }; /* of a stored reply, without the name */

void refuse(struct turn *turn, struct reply *reply, enum rc rc, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    reply->rc = rc;
    reply->text = arena_str(turn->arena, str_whole(str_of(text)));
}

/* ---- first statements ---- */

/* Queries the rows that a draft names; creates the queue and the gate if they do not exist. */
static void send_draft(struct turn *turn, const struct command *c, struct command_state *s)
{
    const struct draft *draft = c->save.draft;

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
        s->sets_gate = true;
        s->gate_limit = draft->plan.policies.gate_limit;
        gates_find(turn->db, c->namespace, draft->plan.policies.gate, &s->gate_row);
    }
}

static void send_find(struct turn *turn, const struct command *c, struct command_state *s)
{
    if (c->schedule == 0)
        schedules_find(turn->db, c->namespace, c->name, &s->name_row);
}

/* Finds the schedule unless the run id has its key. */
static void send_run(struct turn *turn, const struct command *c, struct command_state *s)
{
    if (c->run.id.schedule == 0)
        send_find(turn, c, s);
}

/* Without a quota the insert shows whether the name is taken; a quota is checked before it. */
static void send_create(struct turn *turn, const struct command *c, struct command_state *s)
{
    if (c->quota > 0)
        schedules_find(turn->db, c->namespace, c->name, &s->name_row);
    send_draft(turn, c, s);
    quota_send(turn, c);
}

static void send_update(struct turn *turn, const struct command *c, struct command_state *s)
{
    send_find(turn, c, s);
    send_draft(turn, c, s);
}

static void send_put(struct turn *turn, const struct command *c, struct command_state *s)
{
    send_update(turn, c, s);
    quota_send(turn, c);
}

/* ---- rows ---- */

static void want_key(struct turn *turn, const struct command *c, int64_t key,
                     struct command_state *s)
{
    if (key == 0 && s->name_row.rows == 1)
        key = db_int_at(&s->name_row, 0, 0);
    if (key == 0)
        return;
    s->sched = workset_schedule(turn, key);
    s->sched->want_row |= c->audit && apply_is_edit(c->kind);
}

static void want_schedule(struct turn *turn, const struct command *c, struct command_state *s)
{
    want_key(turn, c, c->schedule, s);
}

static void want_delete(struct turn *turn, const struct command *c, struct command_state *s)
{
    want_schedule(turn, c, s);
    if (s->sched)
        s->sched->want_open = true;
}

/* A start may end the open runs of the schedule. */
static void want_for_overlap(struct command_state *s, enum overlap overlap)
{
    if (s->sched)
        s->sched->want_open |= overlap == OVERLAP_CANCEL_OTHER ||
                               overlap == OVERLAP_TERMINATE_OTHER;
}

static void want_start(struct turn *turn, const struct command *c, struct command_state *s)
{
    want_schedule(turn, c, s);
    want_for_overlap(s, c->start.overlap);
}

static void want_backfill(struct turn *turn, const struct command *c, struct command_state *s)
{
    want_schedule(turn, c, s);
    for (int i = 0; i < c->backfill.count; i++)
        want_for_overlap(s, c->backfill.ranges[i].overlap);
}

static void want_run(struct turn *turn, const struct command *c, struct command_state *s)
{
    const struct run_id *id = &c->run.id;

    want_key(turn, c, c->schedule != 0 ? c->schedule : id->schedule, s);
    if (s->sched)
        s->work = workset_run(turn, s->sched, id->slot_ms * SPAN_MS, (int64_t)id->pass);
}

/* ---- the table ---- */

struct command_rule {
    apply_send_fn *send; /* queues its first statements; NULL: none                   */
    apply_send_fn *want; /* adds what it needs to the workset; NULL: nothing          */
    apply_fn *apply;     /* NULL: nothing is left to do                               */
    apply_fn *applied;   /* after the flush, if is_created or is_written is set       */
    bool names_schedule; /* the schedule must exist and be held before `apply`        */
    bool names_run;      /* it need not: direct runs and runs of deleted schedules    */
    bool is_edit;        /* changes the definition; allowed if the schedule has no plan */
};

static const struct command_rule rules[COMMAND_COUNT] = {
    [COMMAND_CREATE] = {send_create, want_schedule, apply_create, applied_create,
                        .names_schedule = true, .is_edit = true},
    [COMMAND_UPDATE] = {send_update, want_schedule, apply_update, .names_schedule = true,
                        .is_edit = true},
    [COMMAND_PUT] = {send_put, want_schedule, apply_update, applied_create,
                     .names_schedule = true, .is_edit = true},
    [COMMAND_DELETE] = {send_find, want_delete, apply_delete, .names_schedule = true,
                        .is_edit = true},
    [COMMAND_PAUSE] = {send_find, want_schedule, apply_pause, .names_schedule = true},
    [COMMAND_RESUME] = {send_find, want_schedule, apply_resume, .names_schedule = true},
    [COMMAND_TRIGGER] = {send_find, want_start, apply_trigger, .names_schedule = true},
    [COMMAND_TEST] = {send_find, want_start, apply_trigger, .names_schedule = true},
    [COMMAND_BACKFILL] = {send_find, want_backfill, apply_backfill, .names_schedule = true},
    [COMMAND_UNBACKFILL] = {send_find, want_schedule, apply_unbackfill, .names_schedule = true},
    [COMMAND_SKIP] = {send_run, want_run, apply_skip, .names_schedule = true},
    [COMMAND_UNSKIP] = {send_run, want_run, apply_unskip, .names_schedule = true},
    [COMMAND_CANCEL] = {send_run, want_run, apply_cancel, .names_schedule = true,
                        .names_run = true},
    [COMMAND_TERMINATE] = {send_run, want_run, apply_terminate, .names_schedule = true,
                           .names_run = true},
    [COMMAND_APPROVE] = {send_run, want_run, apply_approve, .names_schedule = true,
                         .names_run = true},
    [COMMAND_REJECT] = {send_run, want_run, apply_reject, .names_schedule = true,
                        .names_run = true},
    [COMMAND_HINT] = {send_find, want_schedule, apply_hint, .names_schedule = true},
    [COMMAND_UNHINT] = {send_find, want_schedule, apply_unhint, .names_schedule = true},
    [COMMAND_RESET] = {send_find, want_schedule, apply_reset, .names_schedule = true},
    [COMMAND_RELEASE] = {send_find, want_schedule, apply_release, .names_schedule = true},
    [COMMAND_CLOSE] = {send_find, want_schedule, apply_close, .names_schedule = true},
    [COMMAND_DIRECT] = {send_draft, NULL, apply_direct},
    [COMMAND_NAMESPACE] = {send_namespace, NULL, apply_namespace},
    [COMMAND_QUEUE] = {send_queue, NULL, apply_queue},
    [COMMAND_QUEUE_PAUSE] = {send_queue_key, NULL, apply_queue_pause},
    [COMMAND_QUEUE_RESUME] = {send_queue_key, NULL, apply_queue_pause},
    [COMMAND_QUEUE_LIMIT] = {send_queue_limit, NULL, apply_queue_limit},
    [COMMAND_GATE] = {send_gate, NULL, apply_gate},
    [COMMAND_UNGATE] = {send_gate_find, NULL, apply_ungate, applied_ungate},
    [COMMAND_CALENDAR] = {send_calendar, NULL, apply_calendar, applied_calendar},
    [COMMAND_UNCALENDAR] = {send_calendar, NULL, apply_calendar, applied_calendar},
    [COMMAND_CLOCK] = {NULL, NULL, apply_clock},
    [COMMAND_TOKEN] = {NULL, NULL, apply_token, applied_token},
    [COMMAND_TOKEN_DELETE] = {NULL, NULL, apply_token_delete, applied_token},
    [COMMAND_TOKEN_USED] = {send_token_used},
    [COMMAND_SESSION] = {NULL, NULL, apply_session, applied_session},
    [COMMAND_SESSION_END] = {NULL, NULL, apply_session_end, applied_session},
    [COMMAND_DENIED] = {NULL},
};

bool apply_is_edit(enum command_kind kind)
{
    return rules[kind].is_edit;
}

/* ---- steps ---- */

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
        must(c->kind >= 0 && c->kind < COMMAND_COUNT);
        if (rules[c->kind].send)
            rules[c->kind].send(turn, c, s);
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
    reply->started = n[6];
    reply->skipped = n[7];
    reply->buffered = n[8];
}

/* True when the key of the request is in use: the reply is stored, or says so. */
static bool reply_if_repeated(struct turn *turn, const struct command *c,
                              struct command_state *s, struct reply *reply)
{
    struct request request;

    if (c->request.len == 0 || s->request_taken.changed == 1)
        return false;
    if (s->request_row.rows == 0) { /* it was pruned in between: the key is free again */
        refuse(turn, reply, RC_BUSY,
               "the idempotency key has just expired; send the request again");
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

void apply_want(struct turn *turn)
{
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct command_state *s = &turn->commands[i];

        s->is_done = reply_if_repeated(turn, c, s, &turn->replies[i]);
        if (s->is_done)
            continue;
        if (rules[c->kind].want)
            rules[c->kind].want(turn, c, s);
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
    if (!sched->has_plan && !apply_is_edit(c->kind)) {
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

/* Keys and run ids can be guessed: they give no access to another namespace. */
static bool is_foreign(const struct command *c, const struct work_schedule *sched)
{
    return sched && sched->namespace != 0 && sched->namespace != c->namespace;
}

/* Checks the schedule of a command, and carries the command out. */
static void apply_to_schedule(struct turn *turn, const struct command *c,
                              struct command_state *s, struct reply *reply)
{
    const struct command_rule *rule = &rules[c->kind];
    bool is_absent = !s->sched || s->sched->state == SCHED_NO_CURSOR;

    if (is_foreign(c, s->sched) && rule->names_run) {
        refuse_run(turn, reply);
    } else if (is_foreign(c, s->sched)) {
        (void)check_schedule(turn, c, NULL, reply);
    } else if (c->kind == COMMAND_CREATE || (c->kind == COMMAND_PUT && is_absent)) {
        apply_create(turn, c, s, reply);
    } else if (rule->names_run && s->sched && is_absent) {
        rule->apply(turn, c, s, reply);
    } else if (check_schedule(turn, c, s->sched, reply)) {
        must(sched_is_held(s->sched) && !(s->sched->cursor.flags & CURSOR_DELETED));
        audit_write_before(c, s);
        rule->apply(turn, c, s, reply);
        audit_write_after(c, s, reply);
    }
}

static void apply_one(struct turn *turn, const struct command *c, struct command_state *s,
                      struct reply *reply)
{
    const struct command_rule *rule = &rules[c->kind];

    if (rule->names_schedule)
        apply_to_schedule(turn, c, s, reply);
    else if (rule->apply)
        rule->apply(turn, c, s, reply);
    must(!(s->is_created || s->is_written) || rule->applied); /* else its result is unknown */
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
        if (s->is_created || s->is_written)
            rules[c->kind].applied(turn, c, s, &turn->replies[i]);
        if (s->is_created)
            audit_write_after(c, s, &turn->replies[i]);
        if (!s->is_done && turn->replies[i].rc == RC_OK)
            apply_set_gate_limit(turn, s);
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
    buf_printf(&text, " %" PRId64 " %" PRId64 " %" PRId64, reply->started, reply->skipped,
               reply->buffered);
    if (created.len > 0) {
        buf_char(&text, '/');
        buf_str(&text, created);
    }
    must(!text.cut);
    return buf_as_str(&text);
}

/* What became of the starts of a backfill in this turn. */
static void count_started(const struct work_schedule *sched, struct reply *reply)
{
    for (int i = 0; i < sched->backfill_count; i++) {
        const struct backfill *b = &sched->backfills[i].row;

        if (b->pass < reply->run.pass || b->pass >= reply->run.pass + reply->count)
            continue;
        reply->started += b->begun;
        reply->skipped += b->skipped;
        reply->buffered += backfill_buffered(b);
    }
}

void apply_store_replies(struct turn *turn)
{
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        struct reply *reply = &turn->replies[i];
        bool was_created = turn->commands[i].is_created && reply->rc == RC_OK;

        must(reply->tag == c->tag);
        must(!was_created || reply->schedule == turn->commands[i].sched->id);
        if (was_created)
            reply->cursor = &turn->commands[i].sched->cursor;
        if (c->kind == COMMAND_BACKFILL && reply->rc == RC_OK && !turn->commands[i].is_done)
            count_started(turn->commands[i].sched, reply);
        if (c->request.len == 0 || turn->commands[i].is_done)
            continue;
        if (reply->rc != RC_OK) {
            requests_delete(turn->db, c->namespace, c->request);
            continue;
        }
        requests_finish(
            turn->db,
            &(struct request){
                .namespace = c->namespace,
                .name = c->request,
                .rc = RC_OK,
                .reply = print_reply(turn, reply, was_created ? c->name : (struct str){0})});
    }
}

void apply_cache_queues(struct turn *turn)
{
    for (int i = 0; i < turn->in->command_count; i++) {
        const struct command *c = &turn->in->commands[i];
        const struct command_state *s = &turn->commands[i];

        if (s->queue_row.rows == 1)
            committed_put_queue(&turn->engine->committed, c->namespace, c->save.draft->queue,
                                db_int_at(&s->queue_row, 0, 0));
    }
}
