/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends to the record of a world, and computes its digest.
 */
#include "sim/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum { RECORDER_BYTES_MAX = 256 << 20 }; /* the largest world takes a tenth of it */

#define AT_ONCE SPAN_S /* an engine that left something to do waits a few milliseconds */

void recorder_begin(struct recorder *recorder, uint64_t seed)
{
    *recorder = (struct recorder){.record = {.seed = seed},
                                  .arena = arena_new(RECORDER_BYTES_MAX)};
}

void recorder_end(struct recorder *recorder)
{
    free(recorder->record.drafts);
    free(recorder->record.commands);
    free(recorder->record.deliveries);
    free(recorder->record.reports);
    free(recorder->record.turns);
    free(recorder->record.faults);
    free(recorder->record.cursors);
    free(recorder->record.runs);
    free(recorder->record.history);
    free(recorder->record.ledger);
    free(recorder->record.backfills);
    free(recorder->record.gates);
    free(recorder->record.nodes);
    free(recorder->record.events);
    arena_free(recorder->arena);
}

/* Grows when the count is a power of two. */
void *recorder_room(void *array, int count, size_t size)
{
    void *grown;

    if ((count & (count - 1)) != 0)
        return array;
    grown = realloc(array, (count > 0 ? 2 * (size_t)count : 1) * size);
    must(grown);
    return grown;
}

int recorder_draft(struct recorder *recorder, const struct rec_draft *draft)
{
    struct record *r = &recorder->record;

    r->drafts = recorder_room(r->drafts, r->draft_count, sizeof *r->drafts);
    r->drafts[r->draft_count] = *draft;
    return r->draft_count++;
}

int recorder_command(struct recorder *recorder, const struct command *command, int draft)
{
    struct record *r = &recorder->record;
    struct rec_command *c;

    r->commands = recorder_room(r->commands, r->command_count, sizeof *r->commands);
    c = &r->commands[r->command_count];
    *c = (struct rec_command){.order = -1, .command = *command, .draft = draft};
    if (command_saves(command->kind))
        c->command.save.draft = NULL;
    c->command.tag = (uint64_t)r->command_count;
    return r->command_count++;
}

void recorder_report(struct recorder *recorder, const struct rec_report *report)
{
    struct record *r = &recorder->record;

    r->reports = recorder_room(r->reports, r->report_count, sizeof *r->reports);
    r->reports[r->report_count++] = *report;
}

void recorder_fault(struct recorder *recorder, const struct rec_fault *fault)
{
    struct record *r = &recorder->record;

    r->faults = recorder_room(r->faults, r->fault_count, sizeof *r->faults);
    r->faults[r->fault_count] = *fault;
    r->faults[r->fault_count++].order = recorder->order;
    digest_int(&recorder->digest, fault->kind);
    digest_int(&recorder->digest, fault->at);
}

int recorder_turn(struct recorder *recorder, const struct rec_turn *turn)
{
    struct record *r = &recorder->record;

    r->turns = recorder_room(r->turns, r->turn_count, sizeof *r->turns);
    r->turns[r->turn_count] = *turn;
    r->turns[r->turn_count].order = ++recorder->order;
    recorder->turn = r->turn_count++;
    return recorder->turn;
}

void recorder_asked(struct recorder *recorder, span wait)
{
    recorder->record.turns[recorder->turn].is_partial = wait < AT_ONCE;
}

void recorder_return(struct recorder *recorder, int turn)
{
    recorder->turn = turn;
}

const struct rec_turn *recorder_current(const struct recorder *recorder)
{
    return &recorder->record.turns[recorder->turn];
}

void recorder_delivery(struct recorder *recorder, const struct assignment *assignment,
                       int64_t node, bool is_grant)
{
    struct record *r = &recorder->record;
    struct rec_delivery *d;

    r->deliveries = recorder_room(r->deliveries, r->delivery_count, sizeof *r->deliveries);
    d = &r->deliveries[r->delivery_count++];
    *d = (struct rec_delivery){
        .order = recorder_current(recorder)->order,
        .at = recorder_current(recorder)->now,
        .node = node,
        .run = assignment->run,
        .is_grant = is_grant,
    };
    d->run.worker = arena_str(recorder->arena, assignment->run.worker);
    d->run.input = arena_str(recorder->arena, assignment->run.input);
    d->run.progress = arena_str(recorder->arena, assignment->run.progress);
    must(assignment->id.len < sizeof d->id);
    memcpy(d->id, assignment->id.ptr, assignment->id.len);
}

/* The digest: values only, so that padding and addresses do not matter. */

static void add_str(struct digest *digest, struct str s)
{
    digest_add(digest, s.ptr, s.len);
}

static void add_ints(struct digest *digest, const int64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        digest_int(digest, values[i]);
}

#define INTS(digest, ...)                              \
    add_ints((digest), (const int64_t[]){__VA_ARGS__}, \
             (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

static void add_id(struct digest *digest, const struct run_id *id)
{
    INTS(digest, id->schedule, id->slot_ms, id->pass);
}

static void add_run(struct digest *digest, const struct run *run)
{
    INTS(digest, run->id, run->schedule, run->slot, run->pass, run->kind, run->state,
         run->flags, run->overlap, run->lane, run->queue, run->gate, run->priority, run->due,
         run->rank, run->attempt, run->losses, run->fence, run->node, run->lease_until,
         run->wake_at, run->created_at, run->started_at, run->attempt_at, run->source);
    add_str(digest, run->worker);
    add_str(digest, run->input);
    add_str(digest, run->progress);
}

static void add_work(struct digest *digest, const struct assignment *assignment, int count)
{
    for (int i = 0; i < count; i++) {
        add_run(digest, &assignment[i].run);
        add_str(digest, assignment[i].id);
        add_str(digest, assignment[i].action);
        add_str(digest, assignment[i].last_result);
        add_str(digest, assignment[i].last_failure);
        INTS(digest, assignment[i].namespace, assignment[i].timeout, assignment[i].deadline,
             (int64_t)assignment[i].poll);
    }
}

static void add_replies(struct digest *digest, const struct turn_out *out)
{
    for (int i = 0; i < out->reply_count; i++) {
        const struct reply *r = &out->replies[i];

        INTS(digest, (int64_t)r->tag, r->rc, r->schedule, r->version, r->count, r->is_repeated);
        add_id(digest, &r->run);
        add_str(digest, r->text);
    }
    for (int i = 0; i < out->report_count; i++) {
        const struct report_reply *r = &out->report_replies[i];

        INTS(digest, (int64_t)r->tag, r->rc, r->is_cancelled, r->lease_until);
    }
}

void recorder_digest(struct recorder *recorder, const struct turn_out *out)
{
    struct digest *digest = &recorder->digest;

    INTS(digest, out->reply_count, out->report_count, out->dispatch_count, out->grant_count,
         out->stop_count, out->event_count, out->first_event, out->wake_at, out->made_ready,
         out->node, out->turn);
    add_replies(digest, out);
    add_work(digest, out->dispatches, out->dispatch_count);
    add_work(digest, out->grants, out->grant_count);
    for (int i = 0; i < out->stop_count; i++) {
        add_id(digest, &out->stops[i].run);
        INTS(digest, out->stops[i].fence, out->stops[i].is_terminated);
    }
    for (int i = 0; i < out->event_count; i++) {
        const struct event *e = &out->events[i];

        INTS(digest, e->type, e->schedule, e->slot, e->pass, e->fence, e->attempt, e->detail,
             e->count);
    }
}

static void add_cursors(struct digest *digest, const struct record *r)
{
    for (int i = 0; i < r->cursor_count; i++) {
        const struct cursor *c = &r->cursors[i];

        INTS(digest, c->id, c->wake_at, c->mark, c->next_at, c->version, c->flags, c->tail,
             c->source, c->paused_until, c->open, c->waiting, c->failures, c->remaining,
             c->pass, c->backfills, c->last_slot, c->last_held, c->last_start, c->last_end,
             c->last_outcome, c->active_at, c->hint_interval, c->hint_at, c->hint_expires,
             c->started, c->skipped, c->missed, c->dropped, c->cancelled, c->succeeded,
             c->failed, c->unstarted, c->last_ok, c->last_late, c->recent);
    }
}

static void add_history_and_ledger(struct digest *digest, const struct record *r)
{
    for (int i = 0; i < r->history_count; i++) {
        const struct history_row *h = &r->history[i];

        INTS(digest, h->id, h->schedule, h->pass, h->attempt, h->fence, h->kind, h->source,
             h->node, h->queue, h->slot, h->due, h->created_at, h->started_at, h->ended_at,
             h->expire_at, h->outcome, h->reason, h->last);
        add_str(digest, h->worker);
        add_str(digest, h->error);
        add_str(digest, h->result);
    }
    for (int i = 0; i < r->ledger_count; i++) {
        const struct ledger_entry *l = &r->ledger[i];

        INTS(digest, l->id, l->schedule, l->pass, l->account.first, l->account.last,
             l->account.count, l->account.outcome, l->account.reason, l->written_at,
             l->expire_at);
    }
}

static void add_events(struct digest *digest, const struct record *r)
{
    for (int i = 0; i < r->event_count; i++) {
        const struct event *e = &r->events[i].event;

        INTS(digest, r->events[i].node, r->events[i].number, r->events[i].at, e->type,
             e->schedule, e->slot, e->pass, e->fence, e->attempt, e->detail, e->count);
    }
}

void recorder_digest_store(struct recorder *recorder)
{
    const struct record *r = &recorder->record;
    struct digest *digest = &recorder->digest;

    add_cursors(digest, r);
    for (int i = 0; i < r->run_count; i++)
        add_run(digest, &r->runs[i]);
    add_history_and_ledger(digest, r);
    for (int i = 0; i < r->backfill_count; i++)
        INTS(digest, r->backfills[i].id, r->backfills[i].schedule, r->backfills[i].pass,
             r->backfills[i].from, r->backfills[i].until, r->backfills[i].mark,
             r->backfills[i].overlap, r->backfills[i].requested, r->backfills[i].stage,
             r->backfills[i].flags, r->backfills[i].begun, r->backfills[i].skipped,
             r->backfills[i].withdrawn, r->backfills[i].cancelled, r->backfills[i].succeeded,
             r->backfills[i].failed);
    for (int i = 0; i < r->gate_count; i++)
        INTS(digest, r->gates[i].id, r->gates[i].most, r->gates[i].open, r->gates[i].waiting);
    for (int i = 0; i < r->node_count; i++)
        INTS(digest, r->nodes[i].id, r->nodes[i].boot, r->nodes[i].turn,
             r->nodes[i].lease_until, r->nodes[i].event, r->nodes[i].state);
    add_events(digest, r);
    digest_int(digest, r->integrity_ok);
}
