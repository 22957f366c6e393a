/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of operators compared with the events of the store: invariant 13.
 *
 * Every accepted request has its event, no rejected one has, and one whose answer was lost may
 * have one.  No schedule has an event that no request explains.  An executed request becomes a
 * command of the turn of its event.
 */
#include <stdlib.h>

#include "base/must.h"
#include "db/db.h"
#include "evidence.h"
#include "model/schedule_json.h"
#include "sim/judge_facts.h"

/* An event this close to a request is its effect, rather than that of an earlier one. */
#define SKEW_CLOSE (100 * SPAN_MS)

#define APPEND(record, array, count)                                   \
    ((record)->array = recorder_room((record)->array, (record)->count, \
                                     sizeof *(record)->array),         \
     &(record)->array[(record)->count++])

static bool is_schedule_event(int64_t type)
{
    return type == EVENT_SCHEDULE_CREATED || type == EVENT_SCHEDULE_UPDATED ||
           type == EVENT_SCHEDULE_PAUSED || type == EVENT_SCHEDULE_RESUMED ||
           type == EVENT_SCHEDULE_DELETED;
}

static bool may_cause(enum op_kind kind, int64_t type)
{
    switch (kind) {
    case OP_CREATE:
        return type == EVENT_SCHEDULE_CREATED;
    case OP_PUT:
        return type == EVENT_SCHEDULE_CREATED || type == EVENT_SCHEDULE_UPDATED;
    case OP_PAUSE:
        return type == EVENT_SCHEDULE_PAUSED;
    case OP_RESUME:
        return type == EVENT_SCHEDULE_RESUMED;
    case OP_DELETE:
        return type == EVENT_SCHEDULE_DELETED;
    case OP_TRIGGER:
    case OP_CANCEL:
    case OP_TERMINATE:
    case OP_KINDS:
        break;
    }
    return false;
}

/* Whether it can have been executed at a time; a lost one perhaps after the client gave up. */
static bool is_timely(const struct op *w, instant at, span skew)
{
    instant latest = w->answered > INSTANT_NEVER - skew ? INSTANT_NEVER : w->answered + skew;

    return at >= w->asked - skew && (at <= latest || (w->end == OP_INFO && skew > SKEW_CLOSE));
}

/* Whether an event can result from a request: same schedule, kind and time. */
static bool fits(const struct evidence *e, const struct op *w, int64_t key, int i)
{
    const struct event *event = &e->recorder->record.events[i].event;

    return !e->is_taken[i] && event->schedule == key && may_cause(w->kind, event->type) &&
           (w->version == 0 || w->kind == OP_DELETE || event->count == w->version);
}

static int find_event(const struct evidence *e, const struct op *w, span skew)
{
    int64_t key = evidence_key(e, w->schedule);

    for (int i = 0; key != 0 && i < e->recorder->record.event_count; i++)
        if (fits(e, w, key, i) && is_timely(w, e->recorder->record.events[i].at, skew))
            return i;
    return -1;
}

/* ---- drafts ---- */

/* The jitter depends on it, as in schedule_draft(). */
static struct str seed_of(const struct schedule_doc *doc, struct str id, struct arena *arena)
{
    struct buf seed = arena_buf(arena, doc->namespace.len + id.len + 2);

    buf_str(&seed, doc->namespace);
    buf_char(&seed, '/');
    buf_str(&seed, id);
    return buf_as_str(&seed);
}

static enum rc add_draft(struct evidence *e, const struct op *w, int *ret, struct err *reterr)
{
    struct schedule_doc doc = schedule_doc_default();
    enum rc rc = schedule_from_text(w->body, e->recorder->arena, false, &doc, reterr);

    if (rc != RC_OK)
        return rc;
    *ret = recorder_draft(
        e->recorder,
        &(struct rec_draft){.def = doc.spec,
                            .policies = doc.policies,
                            .lane = doc.action.type == ACTION_HTTP ? LANE_HTTP : LANE_PULL,
                            .seed = seed_of(&doc, w->schedule, e->recorder->arena),
                            .is_disabled = !doc.is_enabled});
    return RC_OK;
}

static enum command_kind command_of(enum op_kind kind)
{
    static const enum command_kind kinds[OP_KINDS] = {
        [OP_CREATE] = COMMAND_CREATE,   [OP_PUT] = COMMAND_PUT,
        [OP_PAUSE] = COMMAND_PAUSE,     [OP_RESUME] = COMMAND_RESUME,
        [OP_TRIGGER] = COMMAND_TRIGGER, [OP_DELETE] = COMMAND_DELETE,
        [OP_CANCEL] = COMMAND_CANCEL,   [OP_TERMINATE] = COMMAND_TERMINATE,
    };

    return kinds[kind];
}

/* A command that was executed in the turn of a time. */
static struct rec_command *add_command(struct evidence *e, const struct op *w, int64_t key,
                                       instant at)
{
    struct rec_command *c = APPEND(&e->recorder->record, commands, command_count);

    *c = (struct rec_command){.order = evidence_order(e, at),
                              .at = at,
                              .command = command_new(command_of(w->kind)),
                              .draft = -1,
                              .reply = {.rc = RC_OK, .schedule = key, .version = w->version},
                              .is_heard = w->end == OP_OK};
    c->command.namespace = 1;
    c->command.name = w->schedule;
    return c;
}

static enum rc take_event(struct evidence *e, const struct op *w, int i, struct err *reterr)
{
    const struct rec_event *event = &e->recorder->record.events[i];
    struct rec_command *c;
    int draft = -1;
    enum rc rc = RC_OK;

    e->is_taken[i] = true;
    if (w->kind == OP_CREATE || w->kind == OP_PUT)
        rc = add_draft(e, w, &draft, reterr);
    if (rc != RC_OK)
        return rc;
    c = add_command(e, w, event->event.schedule, event->at);
    c->position = i; /* events of one turn are in the order of its commands */
    c->node = event->node;
    c->draft = draft;
    c->reply.version = w->kind == OP_DELETE ? 0 : event->event.count;
    c->command.tag = (uint64_t)event->event.count; /* to order the versions */
    return RC_OK;
}

/* ---- the order of versions ---- */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_version(const void *a, const void *b)
{
    const struct rec_command *const *x = a, *const *y = b;
    int c = compare((*x)->reply.schedule, (*y)->reply.schedule);

    c = c ? c : compare((int64_t)(*x)->command.tag, (int64_t)(*y)->command.tag);
    return c ? c
             : compare((*x)->command.kind == COMMAND_DELETE,
                       (*y)->command.kind == COMMAND_DELETE);
}

/* The lock of a schedule orders its changes, regardless of the clocks of two nodes. */
static void order_versions(struct evidence *e)
{
    struct record *r = &e->recorder->record;
    struct rec_command **all = arena_array(e->recorder->arena, (size_t)r->command_count,
                                           sizeof *all);
    int count = 0;

    for (int i = 0; i < r->command_count; i++)
        if (r->commands[i].command.tag > 0)
            all[count++] = &r->commands[i];
    qsort(all, (size_t)count, sizeof *all, by_version);
    for (int i = 1; i < count; i++) {
        const struct rec_command *before = all[i - 1];

        if (before->reply.schedule != all[i]->reply.schedule || all[i]->order > before->order ||
            (all[i]->order == before->order && all[i]->position > before->position))
            continue;
        all[i]->order = before->order;
        all[i]->position = before->position + 1;
    }
}

/* ---- triggers ---- */

static bool is_claimed_by(const struct record *r, int64_t key, instant slot, int64_t pass)
{
    for (int i = 0; i < r->command_count; i++) {
        const struct reply *reply = &r->commands[i].reply;

        if (r->commands[i].command.kind == COMMAND_TRIGGER && reply->schedule == key &&
            reply->run.slot_ms == slot / SPAN_MS && reply->run.pass == pass)
            return true;
    }
    return false;
}

static void add_trigger(struct evidence *e, const struct op *w, const struct run_id *run,
                        instant at)
{
    struct rec_command *c = add_command(e, w, run->schedule, at);

    c->reply.run = *run;
    c->reply.version = 0; /* a trigger changes none */
}

/* A manual run that no answer reported: the result of a trigger whose answer was lost. */
static void find_trigger(struct evidence *e, const struct op *w, span skew)
{
    const struct record *r = &e->recorder->record;
    int64_t key = evidence_key(e, w->schedule);

    for (int i = 0; i < r->history_count; i++) {
        const struct history_row *h = &r->history[i];

        if (h->schedule == key && h->kind == RUN_TRIGGER && is_timely(w, h->created_at, skew) &&
            !is_claimed_by(r, key, h->slot, h->pass)) {
            add_trigger(e, w, &(struct run_id){key, h->slot / SPAN_MS, (uint32_t)h->pass},
                        h->created_at);
            return;
        }
    }
}

/* ---- ends ---- */

/* In history, or in the ledger if it never started. */
static bool has_ended(const struct record *r, const struct run_id *run)
{
    instant slot = run->slot_ms * SPAN_MS;

    for (int i = 0; i < r->history_count; i++) {
        const struct history_row *h = &r->history[i];

        if (h->last && h->schedule == run->schedule && h->slot == slot && h->pass == run->pass)
            return true;
    }
    for (int i = 0; i < r->ledger_count; i++) {
        const struct ledger_entry *l = &r->ledger[i];

        if (l->schedule == run->schedule && l->account.first == slot && l->pass == run->pass)
            return true;
    }
    return false;
}

static bool is_stop(const struct op *w)
{
    return w->kind == OP_CANCEL || w->kind == OP_TERMINATE;
}

/* If an answer said that a run is being stopped, the run must have ended. */
static enum rc match_stop(struct evidence *e, const struct op *w, struct err *reterr)
{
    struct rec_command *c;
    struct run_id run;
    enum rc rc = run_id_parse(w->body, &run, reterr);

    if (rc != RC_OK)
        return rc;
    if (w->end == OP_OK && !has_ended(&e->recorder->record, &run))
        return judge_fail(reterr, 13, "%s of %.*s was acknowledged, and the run has not ended",
                          op_names[w->kind], STR_ARG(w->body));
    c = add_command(e, w, run.schedule, w->end == OP_OK ? w->answered : w->asked);
    c->command.run.id = run;
    c->reply.version = 0;
    return RC_OK;
}

/* ---- all of them ---- */

/* Resuming a schedule that is not paused causes no event, nor does pausing a paused one. */
static bool needs_no_event(const struct evidence *e, const struct op *w, int64_t key)
{
    const struct record *r = &e->recorder->record;
    int64_t latest = 0;
    bool is_paused = false;

    if ((w->kind != OP_RESUME && w->kind != OP_PAUSE) || key == 0)
        return false;
    for (int i = 0; i < r->event_count; i++) {
        const struct event *event = &r->events[i].event;
        bool says = event->type == EVENT_SCHEDULE_PAUSED ||
                    event->type == EVENT_SCHEDULE_RESUMED;

        if (event->schedule == key && says && event->count <= w->version &&
            event->count > latest) {
            latest = event->count;
            is_paused = event->type == EVENT_SCHEDULE_PAUSED;
        }
    }
    return is_paused == (w->kind == OP_PAUSE);
}

static enum rc match_answered(struct evidence *e, const struct op *w, struct err *reterr)
{
    int64_t key = evidence_key(e, w->schedule);
    int event;

    if (w->kind == OP_TRIGGER) {
        if (!w->has_run || w->run.schedule != key)
            return judge_fail(reterr, 13,
                              "the answer to trigger %lld of `%.*s` has no run of it",
                              (long long)w->number, STR_ARG(w->schedule));
        add_trigger(e, w, &w->run, w->answered);
        return RC_OK;
    }
    if (is_stop(w))
        return match_stop(e, w, reterr);
    event = find_event(e, w, EVIDENCE_SKEW);
    if (event >= 0)
        return take_event(e, w, event, reterr);
    if (needs_no_event(e, w, key))
        return RC_OK;
    return judge_fail(
        reterr, 13, "%s %lld of `%.*s` was acknowledged with version %lld and has no event",
        op_names[w->kind], (long long)w->number, STR_ARG(w->schedule), (long long)w->version);
}

/* Explains at most one event by a request whose answer was lost. */
static enum rc match_unanswered(struct evidence *e, int i, span skew, struct err *reterr)
{
    const struct op *w = &e->book->ops[i];
    int event, before = e->recorder->record.command_count;
    enum rc rc = RC_OK;

    if (w->end != OP_INFO || e->is_used[i])
        return RC_OK;
    event = find_event(e, w, skew);
    if (w->kind == OP_TRIGGER)
        find_trigger(e, w, skew);
    else if (is_stop(w))
        rc = match_stop(e, w, reterr);
    else if (event >= 0)
        rc = take_event(e, w, event, reterr);
    e->is_used[i] = e->recorder->record.command_count > before;
    return rc;
}

static enum rc check_explained(const struct evidence *e, struct err *reterr)
{
    const struct record *r = &e->recorder->record;

    for (int i = 0; i < r->event_count; i++)
        if (is_schedule_event(r->events[i].event.type) && !e->is_taken[i])
            return judge_fail(reterr, 13, "schedule %lld: no request explains %s, version %lld",
                              (long long)r->events[i].event.schedule,
                              event_text((enum event_type)r->events[i].event.type),
                              (long long)r->events[i].event.count);
    return RC_OK;
}

enum rc evidence_ops(struct evidence *e, struct err *reterr)
{
    const struct book *book = e->book;
    enum rc rc = RC_OK;

    e->is_taken = arena_array(e->recorder->arena, (size_t)e->recorder->record.event_count,
                              sizeof *e->is_taken);
    e->is_used = arena_array(e->recorder->arena, (size_t)book->op_count, sizeof *e->is_used);
    /* Answered requests are certain; the others explain the rest. */
    for (int i = 0; i < book->op_count && rc == RC_OK; i++)
        if (book->ops[i].end == OP_OK)
            rc = match_answered(e, &book->ops[i], reterr);
    for (int i = 0; i < book->op_count && rc == RC_OK; i++)
        rc = match_unanswered(e, i, SKEW_CLOSE, reterr);
    for (int i = 0; i < book->op_count && rc == RC_OK; i++)
        rc = match_unanswered(e, i, EVIDENCE_SKEW, reterr);
    order_versions(e);
    return rc == RC_OK ? check_explained(e, reterr) : rc;
}
