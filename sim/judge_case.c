/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting the record.  See judge_case.h.
 */
#include "sim/judge_case.h"

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

static void sort_turns(struct court *court)
{
    const struct record *record = court->record;
    size_t count = (size_t)record->turn_count;

    court->turns = arena_array(court->arena, count, sizeof *court->turns);
    court->latest = arena_array(court->arena, count, sizeof *court->latest);
    court->turn_count = record->turn_count;
    for (size_t i = 0; i < count; i++)
        court->turns[i] = &record->turns[i];
    qsort(court->turns, count, sizeof *court->turns, by_turn);
    court->last = record->begin;
    for (size_t i = 0; i < count; i++) {
        court->last = court->turns[i]->now > court->last ? court->turns[i]->now : court->last;
        court->latest[i] = court->last;
    }
    court->skew = record->node_count > 1 ? JUDGE_SKEW : 0;
    court->now = count > 0 ? court->turns[count - 1]->now : record->begin;
}

static void sort_commands(struct court *court)
{
    const struct record *record = court->record;

    court->commands = arena_array(court->arena, (size_t)record->command_count,
                                  sizeof *court->commands);
    for (int i = 0; i < record->command_count; i++)
        if (record->commands[i].order >= 0)
            court->commands[court->command_count++] = &record->commands[i];
    qsort(court->commands, (size_t)court->command_count, sizeof *court->commands, by_command);
}

/* The latest clock of any turn up to one. */
static instant latest_by(const struct court *court, int64_t order)
{
    instant latest = court->record->begin;

    for (int i = 0; i < court->turn_count && court->turns[i]->order <= order; i++)
        latest = court->latest[i];
    return latest;
}

int64_t court_order(const struct court *court, instant at, int64_t from)
{
    int low = 0, high = court->turn_count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (court->turns[middle]->order < from)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < court->turn_count && court->turns[low]->now != at)
        low++;
    return low < court->turn_count ? court->turns[low]->order : from;
}

/* ---- schedules ---- */

static int by_key(const void *a, const void *b)
{
    const struct schedule *x = a, *y = b;

    return compare(x->key, y->key);
}

struct schedule *court_schedule(const struct court *court, int64_t key)
{
    struct schedule wanted = {.key = key};

    return bsearch(&wanted, court->schedules, (size_t)court->schedule_count, sizeof wanted,
                   by_key);
}

/* Every key that a command made, each once. */
static void list_schedules(struct court *court)
{
    int count = 0;

    court->schedules = arena_array(court->arena, (size_t)court->command_count + 1,
                                   sizeof *court->schedules);
    for (int i = 0; i < court->command_count; i++)
        if (command_is_edit(court->commands[i]))
            court->schedules[count++] = (struct schedule){
                .key = court->commands[i]->reply.schedule,
                .deleted = INSTANT_NEVER,
                .closed = INSTANT_NEVER};
    qsort(court->schedules, (size_t)count, sizeof *court->schedules, by_key);
    for (int i = 0; i < count; i++)
        if (i == 0 || court->schedules[i].key != court->schedules[i - 1].key)
            court->schedules[court->schedule_count++] = court->schedules[i];
}

static void end_version(const struct court *court, struct schedule *s,
                        const struct rec_command *by)
{
    struct version *last = s->version_count ? &s->versions[s->version_count - 1] : NULL;

    if (last) {
        last->until = by->at;
        last->latest_until = latest_by(court, by->order);
    }
}

static enum rc add_version(struct court *court, struct schedule *s,
                           const struct rec_command *command, struct err *reterr)
{
    const struct rec_draft *draft = &court->record->drafts[command->draft];
    struct version *v = &s->versions[s->version_count];
    const struct policies *p = &draft->policies;

    end_version(court, s, command);
    *v = (struct version){.from = command->at,
                          .until = INSTANT_NEVER,
                          .latest_from = latest_by(court, command->order),
                          .latest_until = court->last,
                          .from_order = command->order,
                          .draft = draft};
    if (s->version_count++ == 0)
        s->created = command->at;
    else
        s->is_edited = true;
    s->is_governed = s->is_governed || draft->is_governed;
    s->is_pruned = s->is_pruned || p->retention_count > 0 ||
                   (p->retention_age > 0 &&
                    court->last - court->record->begin > p->retention_age);
    return judge_spec_make(&draft->def, court->zones, court->arena, &v->spec, reterr);
}

static enum rc read_versions(struct court *court, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < court->command_count; i++)
        if (command_is_edit(court->commands[i]))
            court_schedule(court, court->commands[i]->reply.schedule)->version_count++;
    for (int i = 0; i < court->schedule_count; i++) {
        struct schedule *s = &court->schedules[i];

        s->versions = arena_array(court->arena, (size_t)s->version_count, sizeof *s->versions);
        s->version_count = 0;
    }
    for (int i = 0; i < court->command_count && rc == RC_OK; i++) {
        const struct rec_command *command = court->commands[i];
        struct schedule *s = court_schedule(court, command->reply.schedule);

        if (s && command_is_edit(command)) {
            rc = add_version(court, s, command, reterr);
        } else if (s && command_is_done(command) && command->command.kind == COMMAND_CLOSE) {
            end_version(court, s, command);
            s->closed = command->at;
        } else if (s && command_is_done(command) && command->command.kind == COMMAND_DELETE) {
            if (s->closed == INSTANT_NEVER)
                end_version(court, s, command);
            s->deleted = command->at;
        }
    }
    return rc;
}

/* ---- runs ---- */

enum exhibit_kind { EXHIBIT_ROW, EXHIBIT_OPEN, EXHIBIT_SENT, EXHIBIT_REPORT };

/* Anything that speaks of a run. */
struct exhibit {
    int64_t schedule;
    instant slot;
    int64_t pass;
    enum exhibit_kind kind;
    int64_t order; /* within its kind */
    int index;
};

static int by_run(const struct exhibit *x, const struct exhibit *y)
{
    int c = compare(x->schedule, y->schedule);

    c = c ? c : compare(x->slot, y->slot);
    return c ? c : compare(x->pass, y->pass);
}

static int by_exhibit(const void *a, const void *b)
{
    const struct exhibit *x = a, *y = b;
    int c = by_run(x, y);

    c = c ? c : compare((int64_t)x->kind, (int64_t)y->kind);
    c = c ? c : compare(x->order, y->order);
    return c ? c : compare(x->index, y->index);
}

static int gather(const struct record *record, struct exhibit *ret)
{
    int n = 0;

    for (int i = 0; i < record->history_count; i++) {
        const struct history_row *h = &record->history[i];

        ret[n++] = (struct exhibit){
            h->schedule, h->slot, h->pass, EXHIBIT_ROW, 2 * h->fence + h->last, i};
    }
    for (int i = 0; i < record->run_count; i++) {
        const struct run *r = &record->runs[i];

        ret[n++] = (struct exhibit){r->schedule, r->slot, r->pass, EXHIBIT_OPEN, r->id, i};
    }
    for (int i = 0; i < record->delivery_count; i++) {
        const struct rec_delivery *d = &record->deliveries[i];

        ret[n++] = (struct exhibit){d->run.schedule, d->run.slot, d->run.pass,
                                    EXHIBIT_SENT,    d->order,    i};
    }
    for (int i = 0; i < record->report_count; i++) {
        const struct rec_report *r = &record->reports[i];

        ret[n++] = (struct exhibit){r->run.schedule, r->run.slot_ms * SPAN_MS,
                                    r->run.pass,     EXHIBIT_REPORT,
                                    r->order,        i};
    }
    return n;
}

/* Who is this run, by the best witness that there is. */
static void describe(struct life *life, int64_t kind, instant created_at, instant due)
{
    if (life->kind < 0) {
        life->kind = kind;
        life->created_at = created_at;
        life->due = due;
    }
}

static void began(struct life *life, instant at)
{
    if (at > INSTANT_NONE && at < life->began)
        life->began = at;
}

/* Exhibits come sorted, so what speaks of one run stands together. */
struct piles {
    const struct history_row **rows;
    const struct rec_delivery **sent;
    const struct rec_report **reports;
};

static void add_row(struct piles *piles, struct life *life, const struct history_row *row)
{
    if (life->row_count++ == 0)
        life->rows = piles->rows;
    *piles->rows++ = row;
    describe(life, row->kind, row->created_at, row->due);
    if (row->attempt > 0)
        began(life, row->started_at);
    if (row->last)
        life->ended = row->ended_at;
}

static void add_open(struct life *life, const struct run *run)
{
    life->open = run;
    life->open_count++;
    describe(life, (int64_t)run->kind, run->created_at, run->due);
    if (run->attempt > 0)
        began(life, run->started_at);
}

static void add_sent(struct piles *piles, struct life *life, const struct rec_delivery *sent)
{
    if (life->sent_count++ == 0)
        life->sent = piles->sent;
    *piles->sent++ = sent;
    began(life, sent->at);
}

static void add_report(struct piles *piles, struct life *life, const struct rec_report *report)
{
    if (life->report_count++ == 0)
        life->reports = piles->reports;
    *piles->reports++ = report;
}

static void add_exhibit(const struct record *record, struct piles *piles, struct life *life,
                        const struct exhibit *e)
{
    switch (e->kind) {
    case EXHIBIT_ROW:
        add_row(piles, life, &record->history[e->index]);
        break;
    case EXHIBIT_OPEN:
        add_open(life, &record->runs[e->index]);
        break;
    case EXHIBIT_SENT:
        add_sent(piles, life, &record->deliveries[e->index]);
        break;
    case EXHIBIT_REPORT:
        add_report(piles, life, &record->reports[e->index]);
        break;
    }
}

static void list_lives(struct court *court)
{
    const struct record *record = court->record;
    size_t rows = (size_t)record->history_count, sent = (size_t)record->delivery_count;
    size_t reports = (size_t)record->report_count;
    size_t room = rows + sent + reports + (size_t)record->run_count;
    struct piles piles = {arena_array(court->arena, rows, sizeof *piles.rows),
                          arena_array(court->arena, sent, sizeof *piles.sent),
                          arena_array(court->arena, reports, sizeof *piles.reports)};
    struct exhibit *exhibits = arena_array(court->arena, room, sizeof *exhibits);
    int count = gather(record, exhibits);

    qsort(exhibits, (size_t)count, sizeof *exhibits, by_exhibit);
    court->lives = arena_array(court->arena, room, sizeof *court->lives);
    for (int i = 0; i < count; i++) {
        const struct exhibit *e = &exhibits[i];

        if (i == 0 || by_run(e, e - 1) != 0)
            court->lives[court->life_count++] = (struct life){.schedule = e->schedule,
                                                              .slot = e->slot,
                                                              .pass = e->pass,
                                                              .kind = -1,
                                                              .began = INSTANT_NEVER,
                                                              .ended = INSTANT_NEVER};
        add_exhibit(record, &piles, &court->lives[court->life_count - 1], e);
    }
}

static int by_life(const void *a, const void *b)
{
    const struct life *x = a, *y = b;
    int c = compare(x->schedule, y->schedule);

    c = c ? c : compare(x->slot, y->slot);
    return c ? c : compare(x->pass, y->pass);
}

struct life *court_life(const struct court *court, int64_t schedule, instant slot, int64_t pass)
{
    struct life wanted = {.schedule = schedule, .slot = slot, .pass = pass};

    return bsearch(&wanted, court->lives, (size_t)court->life_count, sizeof wanted, by_life);
}

const struct rec_report *life_release(const struct life *life, int64_t fence)
{
    for (int i = 0; i < life->report_count; i++) {
        const struct rec_report *r = life->reports[i];

        if (r->kind == REPORT_RELEASE && r->fence == fence &&
            (r->rc == RC_OK || r->rc == RC_UNKNOWN))
            return r;
    }
    return NULL;
}

/* ---- what hangs on a schedule ---- */

static int by_ledger(const void *a, const void *b)
{
    const struct ledger_entry *const *x = a, *const *y = b;
    int c = compare((*x)->schedule, (*y)->schedule);

    c = c ? c : compare((*x)->pass, (*y)->pass);
    return c ? c : compare((*x)->account.first, (*y)->account.first);
}

static void hang_ledger(struct court *court)
{
    size_t count = (size_t)court->record->ledger_count;
    const struct ledger_entry **all = arena_array(court->arena, count, sizeof *all);

    for (size_t i = 0; i < count; i++)
        all[i] = &court->record->ledger[i];
    qsort(all, count, sizeof *all, by_ledger);
    for (size_t i = 0; i < count; i++) {
        struct schedule *s = court_schedule(court, all[i]->schedule);

        if (s && s->ledger_count++ == 0)
            s->ledger = &all[i];
    }
}

static void hang_lives(struct court *court)
{
    for (int i = 0; i < court->life_count; i++) {
        struct schedule *s = court_schedule(court, court->lives[i].schedule);

        if (s && s->life_count++ == 0)
            s->lives = &court->lives[i];
    }
}

static void hang_cursors(struct court *court)
{
    for (int i = 0; i < court->record->cursor_count; i++) {
        struct schedule *s = court_schedule(court, court->record->cursors[i].id);

        if (s)
            s->cursor = &court->record->cursors[i];
    }
}

static void hang_events(struct court *court)
{
    for (int i = 0; i < court->record->event_count; i++) {
        const struct event *e = &court->record->events[i].event;
        struct life *l = court_life(court, e->schedule, e->slot, e->pass);

        if (l && e->type == EVENT_LEASE_STALE) {
            l->stale_events++;
        } else if (l && (e->type == EVENT_RUN_ENDED || e->type == EVENT_RUN_CANCELLED)) {
            l->end_events++;
            l->end_detail = e->detail;
        }
    }
}

/* Events are pruned by age; whoever has the first of every node has them all. */
static bool has_all_events(const struct record *record)
{
    for (int i = 0; i < record->event_count; i++)
        if ((i == 0 || record->events[i].node != record->events[i - 1].node) &&
            record->events[i].number != 1)
            return false;
    return true;
}

enum rc court_open(struct court *court, struct err *reterr)
{
    enum rc rc;

    sort_turns(court);
    sort_commands(court);
    list_schedules(court);
    rc = read_versions(court, reterr);
    if (rc != RC_OK)
        return rc;
    list_lives(court);
    hang_ledger(court);
    hang_lives(court);
    hang_cursors(court);
    hang_events(court);
    court_read_pauses(court);
    court->has_all_events = has_all_events(court->record);
    return RC_OK;
}
