/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the record.  See judge_facts.h. */
#include "sim/judge_facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

enum rc judge_fail(struct err *reterr, int number, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return err_set(reterr, RC_CORRUPT, -1, 0, "%d: %s", number, text);
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* ---- turns and commands ---- */

static int by_turn(const void *a, const void *b)
{
    const struct rec_turn *const *x = a, *const *y = b;

    return compare((*x)->order, (*y)->order);
}

static int by_command(const void *a, const void *b)
{
    const struct rec_command *const *x = a, *const *y = b;
    int c = compare((*x)->order, (*y)->order);

    c = c ? c : compare((*x)->position, (*y)->position);
    return c ? c : (*x > *y) - (*x < *y);
}

static void sort_turns(struct facts *facts)
{
    const struct record *record = facts->record;
    size_t count = (size_t)record->turn_count;

    facts->turns = arena_array(facts->arena, count, sizeof *facts->turns);
    facts->latest = arena_array(facts->arena, count, sizeof *facts->latest);
    facts->turn_count = record->turn_count;
    for (size_t i = 0; i < count; i++)
        facts->turns[i] = &record->turns[i];
    qsort(facts->turns, count, sizeof *facts->turns, by_turn);
    facts->last = record->begin;
    for (size_t i = 0; i < count; i++) {
        facts->last = facts->turns[i]->now > facts->last ? facts->turns[i]->now : facts->last;
        facts->latest[i] = facts->last;
    }
    facts->skew = record->node_count > 1 ? JUDGE_SKEW : 0;
    facts->now = count > 0 ? facts->turns[count - 1]->now : record->begin;
}

static void sort_commands(struct facts *facts)
{
    const struct record *record = facts->record;

    facts->commands = arena_array(facts->arena, (size_t)record->command_count,
                                  sizeof *facts->commands);
    for (int i = 0; i < record->command_count; i++)
        if (record->commands[i].order >= 0)
            facts->commands[facts->command_count++] = &record->commands[i];
    qsort(facts->commands, (size_t)facts->command_count, sizeof *facts->commands, by_command);
}

/* The latest clock of any turn up to one. */
static instant latest_by(const struct facts *facts, int64_t order)
{
    instant latest = facts->record->begin;

    for (int i = 0; i < facts->turn_count && facts->turns[i]->order <= order; i++)
        latest = facts->latest[i];
    return latest;
}

int64_t facts_order(const struct facts *facts, instant at, int64_t from)
{
    int low = 0, high = facts->turn_count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (facts->turns[middle]->order < from)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < facts->turn_count && facts->turns[low]->now != at)
        low++;
    return low < facts->turn_count ? facts->turns[low]->order : from;
}

/* ---- schedules ---- */

static int by_key(const void *a, const void *b)
{
    const struct schedule *x = a, *y = b;

    return compare(x->key, y->key);
}

struct schedule *facts_schedule(const struct facts *facts, int64_t key)
{
    struct schedule wanted = {.key = key};

    return bsearch(&wanted, facts->schedules, (size_t)facts->schedule_count, sizeof wanted,
                   by_key);
}

/* Every key that a command created, each once. */
static void list_schedules(struct facts *facts)
{
    int count = 0;

    facts->schedules = arena_array(facts->arena, (size_t)facts->command_count + 1,
                                   sizeof *facts->schedules);
    for (int i = 0; i < facts->command_count; i++)
        if (command_is_edit(facts->commands[i]))
            facts->schedules[count++] = (struct schedule){
                .key = facts->commands[i]->reply.schedule,
                .deleted = INSTANT_NEVER,
                .closed = INSTANT_NEVER};
    qsort(facts->schedules, (size_t)count, sizeof *facts->schedules, by_key);
    for (int i = 0; i < count; i++)
        if (i == 0 || facts->schedules[i].key != facts->schedules[i - 1].key)
            facts->schedules[facts->schedule_count++] = facts->schedules[i];
}

static void end_version(const struct facts *facts, struct schedule *s,
                        const struct rec_command *by)
{
    struct version *last = s->version_count ? &s->versions[s->version_count - 1] : NULL;

    if (last) {
        last->until = by->at;
        last->latest_until = latest_by(facts, by->order);
    }
}

static enum rc add_version(struct facts *facts, struct schedule *s,
                           const struct rec_command *command, struct err *reterr)
{
    const struct rec_draft *draft = &facts->record->drafts[command->draft];
    struct version *v = &s->versions[s->version_count];
    const struct policies *p = &draft->policies;

    end_version(facts, s, command);
    *v = (struct version){.from = command->at,
                          .until = INSTANT_NEVER,
                          .latest_from = latest_by(facts, command->order),
                          .latest_until = facts->last,
                          .from_order = command->order,
                          .draft = draft};
    if (s->version_count++ == 0)
        s->created = command->at;
    else
        s->is_edited = true;
    s->is_governed = s->is_governed || draft->is_governed;
    s->is_pruned = s->is_pruned || p->retention_count > 0 ||
                   (p->retention_age > 0 &&
                    facts->last - facts->record->begin > p->retention_age);
    return judge_spec_make(&draft->def, facts->zones, facts->arena, &v->spec, reterr);
}

static enum rc read_versions(struct facts *facts, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->command_count; i++) {
        struct schedule *s = facts_schedule(facts, facts->commands[i]->reply.schedule);

        if (!command_is_edit(facts->commands[i]))
            continue;
        must(s); /* list_schedules() listed the schedule of every edit */
        s->version_count++;
    }
    for (int i = 0; i < facts->schedule_count; i++) {
        struct schedule *s = &facts->schedules[i];

        s->versions = arena_array(facts->arena, (size_t)s->version_count, sizeof *s->versions);
        s->version_count = 0;
    }
    for (int i = 0; i < facts->command_count && rc == RC_OK; i++) {
        const struct rec_command *command = facts->commands[i];
        struct schedule *s = facts_schedule(facts, command->reply.schedule);

        if (s && command_is_edit(command)) {
            rc = add_version(facts, s, command, reterr);
        } else if (s && command_is_done(command) && command->command.kind == COMMAND_CLOSE) {
            end_version(facts, s, command);
            s->closed = command->at;
        } else if (s && command_is_done(command) && command->command.kind == COMMAND_DELETE) {
            if (s->closed == INSTANT_NEVER)
                end_version(facts, s, command);
            s->deleted = command->at;
        }
    }
    return rc;
}

/* ---- runs ---- */

enum run_fact_kind { FACT_ROW, FACT_OPEN, FACT_SENT, FACT_REPORT };

/* Any evidence about a run. */
struct run_fact {
    int64_t schedule;
    instant slot;
    int64_t pass;
    enum run_fact_kind kind;
    int64_t order; /* within its kind */
    int index;
};

static int by_run(const struct run_fact *x, const struct run_fact *y)
{
    int c = compare(x->schedule, y->schedule);

    c = c ? c : compare(x->slot, y->slot);
    return c ? c : compare(x->pass, y->pass);
}

static int by_evidence(const void *a, const void *b)
{
    const struct run_fact *x = a, *y = b;
    int c = by_run(x, y);

    c = c ? c : compare((int64_t)x->kind, (int64_t)y->kind);
    c = c ? c : compare(x->order, y->order);
    return c ? c : compare(x->index, y->index);
}

static int list_evidence(const struct record *record, struct run_fact *ret)
{
    int n = 0;

    for (int i = 0; i < record->history_count; i++) {
        const struct history_row *h = &record->history[i];

        ret[n++] = (struct run_fact){
            h->schedule, h->slot, h->pass, FACT_ROW, 2 * h->fence + h->last, i};
    }
    for (int i = 0; i < record->run_count; i++) {
        const struct run *r = &record->runs[i];

        ret[n++] = (struct run_fact){r->schedule, r->slot, r->pass, FACT_OPEN, r->id, i};
    }
    for (int i = 0; i < record->delivery_count; i++) {
        const struct rec_delivery *d = &record->deliveries[i];

        ret[n++] = (struct run_fact){d->run.schedule, d->run.slot, d->run.pass,
                                     FACT_SENT,       d->order,    i};
    }
    for (int i = 0; i < record->report_count; i++) {
        const struct rec_report *r = &record->reports[i];

        ret[n++] = (struct run_fact){
            r->run.schedule, r->run.slot_ms * SPAN_MS, r->run.pass, FACT_REPORT, r->order, i};
    }
    return n;
}

/* Describes the run by the best evidence available. */
static void describe(struct run_facts *rf, int64_t kind, instant created_at, instant due)
{
    if (rf->kind < 0) {
        rf->kind = kind;
        rf->created_at = created_at;
        rf->due = due;
    }
}

static void set_began(struct run_facts *rf, instant at)
{
    if (at > INSTANT_NONE && at < rf->began)
        rf->began = at;
}

/* The evidence is sorted, so that items about one run are adjacent. */
struct buckets {
    const struct history_row **rows;
    const struct rec_delivery **sent;
    const struct rec_report **reports;
};

static void add_row(struct buckets *buckets, struct run_facts *rf,
                    const struct history_row *row)
{
    if (rf->row_count++ == 0)
        rf->rows = buckets->rows;
    *buckets->rows++ = row;
    describe(rf, row->kind, row->created_at, row->due);
    if (row->attempt > 0)
        set_began(rf, row->started_at);
    if (row->last)
        rf->ended = row->ended_at;
}

static void add_open(struct run_facts *rf, const struct run *run)
{
    rf->open = run;
    rf->open_count++;
    describe(rf, (int64_t)run->kind, run->created_at, run->due);
    if (run->attempt > 0)
        set_began(rf, run->started_at);
}

static void add_sent(struct buckets *buckets, struct run_facts *rf,
                     const struct rec_delivery *sent)
{
    if (rf->sent_count++ == 0)
        rf->sent = buckets->sent;
    *buckets->sent++ = sent;
    set_began(rf, sent->at);
}

static void add_report(struct buckets *buckets, struct run_facts *rf,
                       const struct rec_report *report)
{
    if (rf->report_count++ == 0)
        rf->reports = buckets->reports;
    *buckets->reports++ = report;
}

static void add_evidence(const struct record *record, struct buckets *buckets,
                         struct run_facts *rf, const struct run_fact *e)
{
    switch (e->kind) {
    case FACT_ROW:
        add_row(buckets, rf, &record->history[e->index]);
        break;
    case FACT_OPEN:
        add_open(rf, &record->runs[e->index]);
        break;
    case FACT_SENT:
        add_sent(buckets, rf, &record->deliveries[e->index]);
        break;
    case FACT_REPORT:
        add_report(buckets, rf, &record->reports[e->index]);
        break;
    }
}

static void list_runs(struct facts *facts)
{
    const struct record *record = facts->record;
    size_t rows = (size_t)record->history_count, sent = (size_t)record->delivery_count;
    size_t reports = (size_t)record->report_count;
    size_t room = rows + sent + reports + (size_t)record->run_count;
    struct buckets buckets = {arena_array(facts->arena, rows, sizeof *buckets.rows),
                              arena_array(facts->arena, sent, sizeof *buckets.sent),
                              arena_array(facts->arena, reports, sizeof *buckets.reports)};
    struct run_fact *evidence = arena_array(facts->arena, room, sizeof *evidence);
    int count = list_evidence(record, evidence);

    qsort(evidence, (size_t)count, sizeof *evidence, by_evidence);
    facts->runs = arena_array(facts->arena, room, sizeof *facts->runs);
    for (int i = 0; i < count; i++) {
        const struct run_fact *e = &evidence[i];

        if (i == 0 || by_run(e, e - 1) != 0)
            facts->runs[facts->run_count++] = (struct run_facts){.schedule = e->schedule,
                                                                 .slot = e->slot,
                                                                 .pass = e->pass,
                                                                 .kind = -1,
                                                                 .began = INSTANT_NEVER,
                                                                 .ended = INSTANT_NEVER};
        add_evidence(record, &buckets, &facts->runs[facts->run_count - 1], e);
    }
}

static int by_run_facts(const void *a, const void *b)
{
    const struct run_facts *x = a, *y = b;
    int c = compare(x->schedule, y->schedule);

    c = c ? c : compare(x->slot, y->slot);
    return c ? c : compare(x->pass, y->pass);
}

struct run_facts *facts_run(const struct facts *facts, int64_t schedule, instant slot,
                            int64_t pass)
{
    struct run_facts wanted = {.schedule = schedule, .slot = slot, .pass = pass};

    return bsearch(&wanted, facts->runs, (size_t)facts->run_count, sizeof wanted, by_run_facts);
}

const struct rec_report *run_facts_release(const struct run_facts *rf, int64_t fence)
{
    for (int i = 0; i < rf->report_count; i++) {
        const struct rec_report *r = rf->reports[i];

        if (r->kind == REPORT_RELEASE && r->fence == fence &&
            (r->rc == RC_OK || r->rc == RC_UNKNOWN))
            return r;
    }
    return NULL;
}

/* ---- rows of a schedule ---- */

static int by_ledger(const void *a, const void *b)
{
    const struct ledger_entry *const *x = a, *const *y = b;
    int c = compare((*x)->schedule, (*y)->schedule);

    c = c ? c : compare((*x)->pass, (*y)->pass);
    return c ? c : compare((*x)->account.first, (*y)->account.first);
}

static void attach_ledger(struct facts *facts)
{
    size_t count = (size_t)facts->record->ledger_count;
    const struct ledger_entry **all = arena_array(facts->arena, count, sizeof *all);

    for (size_t i = 0; i < count; i++)
        all[i] = &facts->record->ledger[i];
    qsort(all, count, sizeof *all, by_ledger);
    for (size_t i = 0; i < count; i++) {
        struct schedule *s = facts_schedule(facts, all[i]->schedule);

        if (s && s->ledger_count++ == 0)
            s->ledger = &all[i];
    }
}

const struct ledger_entry *schedule_row(const struct schedule *s, instant slot, int64_t pass)
{
    const struct ledger_entry wanted = {
        .schedule = s->key, .pass = pass, .account = {.first = slot}};
    const struct ledger_entry *key = &wanted, **found = NULL;

    if (s->ledger_count > 0)
        found = bsearch(&key, s->ledger, (size_t)s->ledger_count, sizeof key, by_ledger);
    return found ? *found : NULL;
}

static void attach_runs(struct facts *facts)
{
    for (int i = 0; i < facts->run_count; i++) {
        struct schedule *s = facts_schedule(facts, facts->runs[i].schedule);

        if (s && s->run_count++ == 0)
            s->runs = &facts->runs[i];
    }
}

static void attach_cursors(struct facts *facts)
{
    for (int i = 0; i < facts->record->cursor_count; i++) {
        struct schedule *s = facts_schedule(facts, facts->record->cursors[i].id);

        if (s)
            s->cursor = &facts->record->cursors[i];
    }
}

static void attach_events(struct facts *facts)
{
    for (int i = 0; i < facts->record->event_count; i++) {
        const struct event *e = &facts->record->events[i].event;
        struct run_facts *rf = facts_run(facts, e->schedule, e->slot, e->pass);

        if (rf && e->type == EVENT_LEASE_STALE) {
            rf->stale_events++;
        } else if (rf && (e->type == EVENT_RUN_ENDED || e->type == EVENT_RUN_CANCELLED)) {
            rf->end_events++;
            rf->end_detail = e->detail;
        }
    }
}

/* Events are pruned by age; if the first event of every node is present, all are. */
static bool has_all_events(const struct record *record)
{
    for (int i = 0; i < record->event_count; i++)
        if ((i == 0 || record->events[i].node != record->events[i - 1].node) &&
            record->events[i].number != 1)
            return false;
    return true;
}

enum rc facts_open(struct facts *facts, struct err *reterr)
{
    enum rc rc;

    sort_turns(facts);
    sort_commands(facts);
    list_schedules(facts);
    rc = read_versions(facts, reterr);
    if (rc != RC_OK)
        return rc;
    list_runs(facts);
    attach_ledger(facts);
    attach_runs(facts);
    attach_cursors(facts);
    attach_events(facts);
    facts_read_pauses(facts);
    facts->has_all_events = has_all_events(facts->record);
    return RC_OK;
}
