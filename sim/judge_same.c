/* SPDX-License-Identifier: Apache-2.0 */
/* Invariant 30: the same seed gives the same world.  Two records are compared row by row. */
#include <stdlib.h>

#include "base/hash.h"
#include "sim/judge_facts.h"

/* A digest of a row's values; texts count by their bytes, addresses do not count. */
typedef void summary(struct digest *digest, const struct record *record, int index);

#define SUM(digest, ...)                                                                  \
    do {                                                                                  \
        const int64_t sum_values[] = {__VA_ARGS__};                                       \
        for (size_t sum_i = 0; sum_i < sizeof sum_values / sizeof sum_values[0]; sum_i++) \
            digest_int((digest), sum_values[sum_i]);                                      \
    } while (0)

static void sum_text(struct digest *digest, struct str text)
{
    digest_add(digest, text.ptr, text.len);
}

static void sum_command(struct digest *d, const struct record *record, int i)
{
    const struct rec_command *c = &record->commands[i];

    SUM(d, c->order, c->at, c->node, c->command.kind, c->draft);
    if (c->order >= 0)
        SUM(d, c->reply.rc, c->reply.schedule, c->reply.version, c->reply.run.schedule,
            c->reply.run.slot_ms, c->reply.run.pass, c->reply.count, c->reply.is_repeated);
}

static void sum_run_row(struct digest *d, const struct run *r)
{
    SUM(d, r->id, r->schedule, r->slot, r->pass, r->kind, r->state, r->flags, r->overlap,
        r->lane, r->queue, r->gate, r->priority, r->due, r->rank, r->attempt, r->losses,
        r->fence, r->node, r->lease_until, r->wake_at, r->created_at, r->started_at,
        r->attempt_at, r->source);
    sum_text(d, r->worker);
    sum_text(d, r->input);
    sum_text(d, r->progress);
}

static void sum_delivery(struct digest *d, const struct record *record, int i)
{
    const struct rec_delivery *s = &record->deliveries[i];

    SUM(d, s->order, s->at, s->node, s->is_grant);
    sum_run_row(d, &s->run);
    sum_text(d, str_of(s->id));
}

static void sum_report(struct digest *d, const struct record *record, int i)
{
    const struct rec_report *r = &record->reports[i];

    SUM(d, r->order, r->at, r->node, r->kind, r->run.schedule, r->run.slot_ms, r->run.pass,
        r->fence, r->outcome, r->rc);
}

static void sum_turn(struct digest *d, const struct record *record, int i)
{
    const struct rec_turn *t = &record->turns[i];

    SUM(d, t->order, t->node, t->boot, t->turn, t->now, t->in_doubt, t->is_partial);
}

static void sum_fault(struct digest *d, const struct record *record, int i)
{
    const struct rec_fault *f = &record->faults[i];

    SUM(d, f->order, f->at, f->kind, f->node, f->by);
}

static void sum_cursor(struct digest *d, const struct record *record, int i)
{
    const struct cursor *c = &record->cursors[i];

    SUM(d, c->id, c->wake_at, c->mark, c->next_at, c->version, c->flags, c->tail, c->source,
        c->paused_until, c->open, c->waiting, c->failures, c->remaining, c->pass, c->backfills,
        c->last_slot, c->last_held, c->last_start, c->last_end, c->last_ok, c->last_late,
        c->recent, c->last_outcome, c->active_at, c->hint_interval, c->hint_at, c->hint_expires,
        c->started, c->skipped, c->missed, c->dropped, c->cancelled, c->succeeded, c->failed,
        c->unstarted);
}

static void sum_run(struct digest *d, const struct record *record, int i)
{
    sum_run_row(d, &record->runs[i]);
}

static void sum_history(struct digest *d, const struct record *record, int i)
{
    const struct history_row *h = &record->history[i];

    SUM(d, h->id, h->schedule, h->slot, h->pass, h->attempt, h->fence, h->kind, h->source,
        h->node, h->queue, h->due, h->created_at, h->started_at, h->ended_at, h->expire_at,
        h->outcome, h->reason, h->last);
    sum_text(d, h->worker);
    sum_text(d, h->error);
    sum_text(d, h->result);
}

static void sum_ledger(struct digest *d, const struct record *record, int i)
{
    const struct ledger_entry *l = &record->ledger[i];
    const struct account *a = &l->account;

    SUM(d, l->id, l->schedule, l->pass, a->first, a->last, a->count, a->outcome, a->reason,
        l->written_at, l->expire_at);
}

static void sum_backfill(struct digest *d, const struct record *record, int i)
{
    const struct backfill *b = &record->backfills[i];

    SUM(d, b->id, b->schedule, b->pass, b->from, b->until, b->mark, b->overlap, b->requested,
        b->created_at, b->stage, b->flags, b->slots, b->begun, b->skipped, b->withdrawn,
        b->cancelled, b->succeeded, b->failed, b->ended_at);
    sum_text(d, b->created_by);
}

static void sum_gate(struct digest *d, const struct record *record, int i)
{
    const struct gate *g = &record->gates[i];

    SUM(d, g->id, g->most, g->open, g->waiting);
}

static void sum_node(struct digest *d, const struct record *record, int i)
{
    const struct node *n = &record->nodes[i];

    SUM(d, n->id, n->boot, n->turn, n->lease_until, n->key_ms, n->event, n->started_at,
        n->state);
    sum_text(d, n->name);
}

static void sum_event(struct digest *d, const struct record *record, int i)
{
    const struct rec_event *e = &record->events[i];

    SUM(d, e->node, e->number, e->at, e->event.type, e->event.schedule, e->event.slot,
        e->event.pass, e->event.fence, e->event.attempt, e->event.detail, e->event.count);
}

static uint64_t sum_of(summary *sum, const struct record *record, int index)
{
    struct digest digest = {0};

    sum(&digest, record, index);
    return digest.sum;
}

enum rc judge_same(const struct record *one, const struct record *other, struct err *reterr)
{
    const struct {
        const char *what;
        int count, other_count;
        summary *sum;
    } tables[] = {
        {"command", one->command_count, other->command_count, sum_command},
        {"turn", one->turn_count, other->turn_count, sum_turn},
        {"fault", one->fault_count, other->fault_count, sum_fault},
        {"delivery", one->delivery_count, other->delivery_count, sum_delivery},
        {"report", one->report_count, other->report_count, sum_report},
        {"cursor", one->cursor_count, other->cursor_count, sum_cursor},
        {"run", one->run_count, other->run_count, sum_run},
        {"history row", one->history_count, other->history_count, sum_history},
        {"ledger row", one->ledger_count, other->ledger_count, sum_ledger},
        {"backfill", one->backfill_count, other->backfill_count, sum_backfill},
        {"gate", one->gate_count, other->gate_count, sum_gate},
        {"node", one->node_count, other->node_count, sum_node},
        {"event", one->event_count, other->event_count, sum_event},
    };

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        int count = tables[i].count < tables[i].other_count ? tables[i].count
                                                            : tables[i].other_count;

        for (int k = 0; k < count; k++)
            if (sum_of(tables[i].sum, one, k) != sum_of(tables[i].sum, other, k))
                return judge_fail(reterr, 30, "%s %d differs", tables[i].what, k);
        if (tables[i].count != tables[i].other_count)
            return judge_fail(reterr, 30, "the records have %d and %d of: %s", tables[i].count,
                              tables[i].other_count, tables[i].what);
    }
    return RC_OK;
}
