/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the small world.  See judging.h. */
#include "judging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 64 << 20 };

static void link_arrays(struct world *w)
{
    struct record *r = &w->record;

    r->drafts = w->drafts;
    r->commands = w->commands;
    r->deliveries = w->deliveries;
    r->reports = w->reports;
    r->turns = w->turns;
    r->faults = w->faults;
    r->cursors = w->cursors;
    r->runs = w->runs;
    r->history = w->history;
    r->ledger = w->ledger;
    r->backfills = w->backfills;
    r->gates = w->gates;
    r->nodes = w->nodes;
    r->events = w->events;
}

static int64_t turn_at(struct world *w, instant at)
{
    int n = w->record.turn_count++;

    assert_true(n < ROOM);
    w->turns[n] = (struct rec_turn){.order = n, .node = NODE, .boot = 1, .turn = n, .now = at};
    return n;
}

struct rec_command *world_command(struct world *w, instant at, enum command_kind kind)
{
    struct rec_command *c = &w->commands[w->record.command_count++];

    *c = (struct rec_command){.order = turn_at(w, at),
                              .at = at,
                              .node = NODE,
                              .command = {.kind = kind, .namespace = 1, .schedule = SCHEDULE},
                              .draft = -1,
                              .reply = {.rc = RC_OK, .schedule = SCHEDULE}};
    return c;
}

void world_event(struct world *w, instant at, enum event_type type, instant slot, int64_t pass)
{
    int n = w->record.event_count++;

    assert_true(n < ROOM);
    w->events[n] = (struct rec_event){
        .node = NODE,
        .number = n + 1,
        .at = at,
        .event = {.type = type, .schedule = SCHEDULE, .slot = slot, .pass = pass}};
    w->nodes[0].event = n + 1;
}

/* The next attempt of a run, after the earlier deliveries. */
struct rec_delivery *world_send(struct world *w, instant at, instant slot, int64_t pass)
{
    struct rec_delivery *d = &w->deliveries[w->record.delivery_count];
    int attempt = 1;
    instant created = at;

    for (int i = 0; i < w->record.delivery_count; i++)
        if (w->deliveries[i].run.slot == slot && w->deliveries[i].run.pass == pass) {
            attempt = w->deliveries[i].run.attempt + 1;
            created = w->deliveries[i].run.created_at;
        }
    w->record.delivery_count++;
    *d = (struct rec_delivery){.order = turn_at(w, at), .at = at, .node = NODE};
    d->run = (struct run){.id = 1000 + w->record.delivery_count,
                          .schedule = SCHEDULE,
                          .slot = slot,
                          .pass = pass,
                          .kind = pass ? RUN_TRIGGER : RUN_SLOT,
                          .state = RUN_LEASED,
                          .overlap = OVERLAP_DEFAULT,
                          .lane = LANE_HTTP,
                          .queue = 1,
                          .gate = GATE,
                          .priority = PRIORITY_DEFAULT,
                          .due = slot,
                          .rank = slot - PRIORITY_DEFAULT * RANK_STEP,
                          .attempt = attempt,
                          .fence = attempt,
                          .node = NODE,
                          .lease_until = INSTANT_NEVER,
                          .wake_at = INSTANT_NEVER,
                          .created_at = created,
                          .started_at = created,
                          .attempt_at = at};
    snprintf(d->id, sizeof d->id, "r_%lld_%lld", (long long)(slot / SPAN_MS), (long long)pass);
    return d;
}

/* When the first attempt of this run began. */
static instant begin_of(const struct world *w, const struct history_row *end)
{
    for (int i = 0; i < w->record.history_count; i++) {
        const struct history_row *h = &w->history[i];

        if (h->slot == end->slot && h->pass == end->pass && h->attempt == 1)
            return h->started_at;
    }
    fail_msg("the run has no first attempt");
    return INSTANT_NONE;
}

static void note_end(struct world *w, const struct history_row *row)
{
    struct cursor *c = &w->cursors[0];

    c->recent = (int64_t)((uint64_t)c->recent << 2 |
                          (row->outcome == OUTCOME_SUCCEEDED ? 1U : 2U));
    if (row->outcome == OUTCOME_SUCCEEDED)
        c->last_ok = row->ended_at;
    if (row->kind == RUN_SLOT)
        c->last_late = begin_of(w, row) - row->due;
}

struct history_row *world_end(struct world *w, instant at, const struct rec_delivery *sent,
                              enum outcome outcome, bool last)
{
    const struct run *run = &sent->run;
    struct history_row *row = &w->history[w->record.history_count++];
    int64_t order = turn_at(w, at);
    enum reason reason = outcome == OUTCOME_FAILED ? REASON_TARGET : REASON_NONE;

    w->reports[w->record.report_count++] = (struct rec_report){
        .order = order,
        .at = at,
        .node = NODE,
        .kind = REPORT_DONE,
        .run = {SCHEDULE, run->slot / SPAN_MS, (uint32_t)run->pass},
        .fence = run->fence,
        .outcome = outcome,
        .rc = RC_OK};
    *row = (struct history_row){.id = 5000 + w->record.history_count,
                                .schedule = SCHEDULE,
                                .pass = run->pass,
                                .attempt = run->attempt,
                                .fence = run->fence,
                                .kind = run->kind,
                                .node = NODE,
                                .queue = run->queue,
                                .slot = run->slot,
                                .due = run->due,
                                .created_at = run->created_at,
                                .started_at = run->attempt_at,
                                .ended_at = at,
                                .expire_at = INSTANT_NEVER,
                                .outcome = outcome,
                                .reason = reason,
                                .last = last};
    if (!last)
        return row;
    world_event(w, at, EVENT_RUN_ENDED, run->slot, run->pass);
    w->events[w->record.event_count - 1].event.detail = (int64_t)outcome * 256 +
                                                        (int64_t)reason;
    if (outcome == OUTCOME_SUCCEEDED)
        w->cursors[0].succeeded++;
    else
        w->cursors[0].failed++;
    note_end(w, row);
    return row;
}

struct ledger_entry *world_ledger(struct world *w, instant at, instant slot,
                                  enum outcome outcome, enum reason reason)
{
    struct ledger_entry *l = &w->ledger[w->record.ledger_count++];

    (void)turn_at(w, at);
    *l = (struct ledger_entry){.id = 7000 + w->record.ledger_count,
                               .schedule = SCHEDULE,
                               .account = {slot, slot, 1, outcome, reason},
                               .written_at = at,
                               .expire_at = INSTANT_NEVER};
    return l;
}

static void stale_report(struct world *w, instant at, instant slot)
{
    w->reports[w->record.report_count++] = (struct rec_report){
        .order = turn_at(w, at),
        .at = at,
        .node = NODE,
        .kind = REPORT_DONE,
        .run = {SCHEDULE, slot / SPAN_MS, 0},
        .fence = 1,
        .outcome = OUTCOME_SUCCEEDED,
        .rc = RC_CONFLICT};
    world_event(w, at, EVENT_LEASE_STALE, slot, 0);
}

static struct rec_command *trigger(struct world *w, instant at)
{
    struct rec_command *c = world_command(w, at, COMMAND_TRIGGER);

    c->command.request = STR("once");
    c->command.start.overlap = OVERLAP_DEFAULT;
    c->reply.run = (struct run_id){SCHEDULE, AT(2, 30) / SPAN_MS, 1};
    c->reply.version = 1;
    c->reply.count = 1;
    return c;
}

void world_close(struct world *w, instant now, instant mark)
{
    struct cursor *c = &w->cursors[0];

    (void)turn_at(w, now);
    w->record.end = now;
    c->mark = mark;
    c->next_at = c->wake_at = mark - mark % SPAN_MIN + SPAN_MIN;
    w->nodes[0].lease_until = now + 10 * SPAN_S;
}

void world_make_empty(struct world *w)
{
    struct rec_command *c;

    memset(w, 0, sizeof *w);
    link_arrays(w);
    w->record.seed = 1;
    w->record.begin = w->record.healed = BEGIN;
    w->record.integrity_ok = true;
    w->interval = (struct interval_def){.every = SPAN_MIN, .anchor = ANCHOR_EPOCH};
    w->record.draft_count = w->record.cursor_count = w->record.gate_count =
        w->record.node_count = 1;
    w->drafts[0].def = spec_def_empty();
    w->drafts[0].def.intervals = &w->interval;
    w->drafts[0].def.interval_count = 1;
    w->drafts[0].lane = LANE_HTTP;
    w->drafts[0].policies = (struct policies){
        .overlap = OVERLAP_SKIP,
        .catchup = CATCHUP_LATEST,
        .buffer_limit = BUFFER_LIMIT_DEFAULT,
        .catchup_window = CATCHUP_WINDOW_NONE,
        .priority = PRIORITY_DEFAULT,
        .remaining_runs = -1,
        .retry = {3, BACKOFF_FIXED, 10 * SPAN_S, 60 * SPAN_S, 0},
        .gate = STR("one"),
        .gate_limit = 1,
    };
    w->gates[0] = (struct gate){.id = GATE, .most = 1};
    w->nodes[0] = (struct node){.id = NODE, .boot = 1, .state = NODE_UP};
    w->cursors[0] = (struct cursor){.id = SCHEDULE,
                                    .version = 1,
                                    .remaining = -1,
                                    .paused_until = INSTANT_NEVER,
                                    .last_held = INSTANT_NONE,
                                    .last_ok = INSTANT_NONE,
                                    .last_late = CURSOR_LATE_UNKNOWN};
    (void)turn_at(w, BEGIN);
    c = world_command(w, AT(0, 30), COMMAND_CREATE);
    c->draft = 0;
    c->reply.version = 1;
    world_event(w, AT(0, 30), EVENT_SCHEDULE_CREATED, 0, 0);
}

void world_make(struct world *w)
{
    const struct rec_delivery *d;
    struct cursor *c = &w->cursors[0];

    world_make_empty(w);
    d = world_send(w, AT(1, 0), AT(1, 0), 0);
    world_end(w, AT(1, 10), d, OUTCOME_SUCCEEDED, true);
    stale_report(w, AT(1, 12), AT(1, 0));
    d = world_send(w, AT(2, 0), AT(2, 0), 0);
    world_end(w, AT(2, 5), d, OUTCOME_FAILED, false);
    d = world_send(w, AT(2, 15), AT(2, 0), 0);
    world_end(w, AT(2, 20), d, OUTCOME_SUCCEEDED, true);
    (void)trigger(w, AT(2, 30));
    d = world_send(w, AT(2, 30), AT(2, 30), 1);
    trigger(w, AT(2, 35))->reply.is_repeated = true;
    world_end(w, AT(2, 40), d, OUTCOME_SUCCEEDED, true);
    d = world_send(w, AT(3, 0), AT(3, 0), 0);
    world_ledger(w, AT(4, 0), AT(4, 0), OUTCOME_SKIPPED, REASON_OVERLAP);
    world_end(w, AT(4, 20), d, OUTCOME_SUCCEEDED, true);
    d = world_send(w, AT(5, 0), AT(5, 0), 0);
    w->runs[w->record.run_count++] = d->run;
    c->started = 5;
    c->skipped = 1;
    c->open = w->gates[0].open = 1;
    c->pass = 1;
    world_close(w, AT(5, 30), AT(5, 0));
    assert_int_equal(w->record.delivery_count, D_COUNT);
    assert_int_equal(w->record.history_count, H_COUNT);
    assert_int_equal(w->record.report_count, R_COUNT);
    assert_int_equal(w->record.command_count, C_COUNT);
}

/* A copy of the record with an event for each row of the ledger, as the engine writes them. */
static struct record with_slot_events(const struct world *w, struct arena *arena)
{
    static const enum event_type types[] = {
        [OUTCOME_SKIPPED] = EVENT_SLOT_SKIPPED,
        [OUTCOME_MISSED] = EVENT_SLOT_MISSED,
        [OUTCOME_DROPPED] = EVENT_SLOT_DROPPED,
        [OUTCOME_SLOT_CANCELLED] = EVENT_SLOT_CANCELLED,
    };
    struct record r = w->record;
    int before = r.event_count;

    r.events = arena_array(arena, (size_t)(before + r.ledger_count) + 1, sizeof *r.events);
    memcpy(r.events, w->record.events, (size_t)before * sizeof *r.events);
    r.nodes = arena_array(arena, (size_t)r.node_count + 1, sizeof *r.nodes);
    memcpy(r.nodes, w->record.nodes, (size_t)r.node_count * sizeof *r.nodes);
    for (int i = 0; i < r.ledger_count && before > 0; i++) {
        const struct ledger_entry *l = &r.ledger[i];
        struct rec_event *e = &r.events[r.event_count++];

        if (l->account.outcome < OUTCOME_SKIPPED ||
            l->account.outcome > OUTCOME_SLOT_CANCELLED) {
            r.event_count--;
            continue;
        }
        *e = (struct rec_event){
            .node = e[-1].node, .number = e[-1].number + 1, .at = l->written_at};
        e->event = (struct event){.type = types[l->account.outcome],
                                  .schedule = l->schedule,
                                  .slot = l->account.first,
                                  .pass = l->pass,
                                  .detail = (int64_t)l->account.outcome * 256 +
                                            (int64_t)l->account.reason,
                                  .count = l->account.count};
        r.nodes[0].event++;
    }
    return r;
}

static enum rc judged(const struct world *w, struct err *err)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct record record = with_slot_events(w, arena);
    enum rc rc = judge(&record, arena, err);

    arena_free(arena);
    return rc;
}

void assert_accepted(const struct world *w)
{
    struct err err = {0};

    if (judged(w, &err) != RC_OK)
        fail_msg("rejected: %s", err.text);
}

void assert_rejected(const struct world *w, int invariant)
{
    struct err err = {0};

    if (judged(w, &err) != RC_CORRUPT)
        fail_msg("not rejected for invariant %d: %s", invariant, err.text);
    if (atoi(err.text) != invariant)
        fail_msg("not invariant %d: %s", invariant, err.text);
}
