/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the row of a mutation, and changes copies of the tables that have accounts, or that
 * count them.
 */
#include "sim/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sim/ends.h"

enum { MUTATE_BYTES_MAX = 64 << 20 }; /* the turns and the history of a world */

/* A row of the ledger, or a started slot. */
struct target {
    int64_t schedule;
    instant slot;
    int ledger;   /* its index; -1: a started slot */
    bool is_open; /* a started slot whose run has not ended */
};

enum kind {
    KIND_DROP,
    KIND_DOUBLE,
    KIND_FORGET, /* with its counters, events, deliveries and reports */
    KIND_MOVE,
    KIND_REASON,
    KIND_COUNT,
    KIND_MARK,
    KIND_COUNT_OF
};

/* ---- what must be noticed ---- */

static bool is_plain_world(const struct record *r)
{
    for (int i = 0; i < r->turn_count; i++)
        if (r->turns[i].node != r->turns[0].node)
            return false;
    return !r->clock_stepped && r->turn_count > 0;
}

static bool keeps_all(const struct record *r, const struct policies *p)
{
    return p->retention_count == 0 &&
           (p->retention_age == 0 || p->retention_age > r->end - r->begin);
}

/* Every version keeps all rows. */
static bool is_plain_schedule(const struct record *r, int64_t schedule)
{
    bool is_known = false;

    for (int i = 0; i < r->command_count; i++) {
        const struct rec_command *c = &r->commands[i];

        if (c->draft < 0 || c->order < 0 || c->reply.schedule != schedule ||
            c->reply.rc != RC_OK)
            continue;
        if (!keeps_all(r, &r->drafts[c->draft].policies))
            return false;
        is_known = true;
    }
    return is_known;
}

static int list_targets(const struct record *r, struct target *ret)
{
    int count = 0;

    for (int i = 0; i < r->ledger_count; i++)
        ret[count++] = (struct target){r->ledger[i].schedule, r->ledger[i].account.first, i,
                                       false};
    for (int i = 0; i < r->history_count; i++)
        if (r->history[i].last && r->history[i].kind == RUN_SLOT)
            ret[count++] = (struct target){r->history[i].schedule, r->history[i].slot, -1,
                                           false};
    for (int i = 0; i < r->run_count; i++)
        if (r->runs[i].kind == RUN_SLOT)
            ret[count++] = (struct target){r->runs[i].schedule, r->runs[i].slot, -1, true};
    return count;
}

static bool decides_at_once(enum overlap overlap)
{
    return overlap == OVERLAP_SKIP || overlap == OVERLAP_ALLOW_ALL || overlap >= OVERLAP_COUNT;
}

static bool follows(const struct spec_def *def)
{
    for (int i = 0; i < def->interval_count; i++)
        if (def->intervals[i].anchor == ANCHOR_START ||
            def->intervals[i].anchor == ANCHOR_COMPLETION)
            return true;
    return false;
}

/*
 * The judge knows every slot of the schedule: no pick, no limit of starts, and if slots follow
 * runs, none waits.
 */
static bool is_determined(const struct record *r, int64_t schedule)
{
    bool waits = false, is_follower = false;

    for (int i = 0; i < r->command_count; i++) {
        const struct rec_command *c = &r->commands[i];
        const struct rec_draft *d = c->draft >= 0 ? &r->drafts[c->draft] : NULL;

        if (c->order < 0 || c->reply.schedule != schedule || c->reply.rc != RC_OK)
            continue;
        if (d && (d->is_governed || d->policies.remaining_runs >= 0))
            return false;
        waits = waits || c->command.kind == COMMAND_BACKFILL ||
                (c->command.kind == COMMAND_RESUME && c->command.pause.replays) ||
                (c->command.kind == COMMAND_TRIGGER &&
                 !decides_at_once(c->command.start.overlap)) ||
                (d && (!decides_at_once(d->policies.overlap) ||
                       !decides_at_once(c->command.save.start.overlap) ||
                       c->command.save.backfill.count > 0));
        is_follower = is_follower || (d && follows(&d->def));
    }
    return !waits || !is_follower;
}

static const struct cursor *cursor_of(const struct record *r, int64_t schedule)
{
    for (int i = 0; i < r->cursor_count; i++)
        if (r->cursors[i].id == schedule)
            return &r->cursors[i];
    return NULL;
}

/* Whether this kind of change of the target must be noticed. */
static bool fits(const struct record *r, enum kind kind, const struct target *t)
{
    const struct cursor *c = cursor_of(r, t->schedule);

    switch (kind) {
    case KIND_DROP:
    case KIND_DOUBLE:
        return true;
    case KIND_FORGET:
        return !t->is_open && (t->ledger < 0 || r->ledger[t->ledger].pass == 0) &&
               is_determined(r, t->schedule);
    case KIND_MARK:
        return c && c->next_at != INSTANT_NEVER && is_determined(r, t->schedule);
    default:
        return t->ledger >= 0;
    }
}

static bool choose(const struct record *r, enum kind kind, struct prng *prng,
                   struct target *ret)
{
    size_t room = (size_t)(r->ledger_count + r->history_count + r->run_count) + 1;
    struct target *all = calloc(room, sizeof *all);
    int count, plain = 0;

    must(all);
    count = list_targets(r, all);
    for (int i = 0; i < count; i++)
        if (is_plain_schedule(r, all[i].schedule) && fits(r, kind, &all[i]))
            all[plain++] = all[i];
    if (plain > 0)
        *ret = all[prng_below(prng, (uint64_t)plain)];
    free(all);
    return plain > 0;
}

/* ---- the changes ---- */

static void *copy(const void *from, int count, size_t size)
{
    void *to = calloc((size_t)count + 1, size); /* one more row fits */

    must(to);
    if (count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

static void drop_row(void *rows, int *count, int index, size_t size)
{
    char *at = (char *)rows + (size_t)index * size;

    --*count;
    memmove(at, at + size, (size_t)(*count - index) * size);
}

static void double_row(void *rows, int *count, int index, size_t size)
{
    char *at = (char *)rows + (size_t)index * size;

    memmove(at + size, at, (size_t)(*count - index) * size);
    ++*count;
}

static bool is_started_slot(const struct target *t, int64_t schedule, instant slot,
                            int64_t pass)
{
    return schedule == t->schedule && slot == t->slot && pass == 0;
}

static void drop_start(struct record *r, const struct target *t)
{
    for (int i = r->history_count; i-- > 0;)
        if (is_started_slot(t, r->history[i].schedule, r->history[i].slot, r->history[i].pass))
            drop_row(r->history, &r->history_count, i, sizeof *r->history);
    for (int i = r->run_count; i-- > 0;)
        if (is_started_slot(t, r->runs[i].schedule, r->runs[i].slot, r->runs[i].pass))
            drop_row(r->runs, &r->run_count, i, sizeof *r->runs);
}

/* The last attempt, or the open run, is there twice. */
static void double_start(struct record *r, const struct target *t)
{
    for (int i = 0; i < r->run_count; i++)
        if (is_started_slot(t, r->runs[i].schedule, r->runs[i].slot, r->runs[i].pass)) {
            double_row(r->runs, &r->run_count, i, sizeof *r->runs);
            return;
        }
    for (int i = 0; i < r->history_count; i++)
        if (r->history[i].last && is_started_slot(t, r->history[i].schedule, r->history[i].slot,
                                                  r->history[i].pass)) {
            double_row(r->history, &r->history_count, i, sizeof *r->history);
            return;
        }
}

static struct cursor *counters_of(struct record *r, int64_t schedule)
{
    for (int i = 0; i < r->cursor_count; i++)
        if (r->cursors[i].id == schedule)
            return &r->cursors[i];
    return NULL;
}

/* Nothing counts the row any more: only the spec shows that slots are missing. */
static void forget_row(struct record *r, int index)
{
    struct ledger_entry l = r->ledger[index];
    struct cursor *c = counters_of(r, l.schedule);
    int64_t *const counters[] = {
        [OUTCOME_SKIPPED] = c ? &c->skipped : NULL,
        [OUTCOME_MISSED] = c ? &c->missed : NULL,
        [OUTCOME_DROPPED] = c ? &c->dropped : NULL,
        [OUTCOME_SLOT_CANCELLED] = c ? &c->cancelled : NULL,
    };

    if (c)
        *counters[l.account.outcome] -= l.account.count;
    for (int i = 0; i < r->event_count; i++) {
        struct event *e = &r->events[i].event;

        if (e->schedule == l.schedule && e->pass == l.pass && e->type >= EVENT_SLOT_SKIPPED &&
            e->type <= EVENT_SLOT_CANCELLED && e->slot >= l.account.first &&
            e->slot <= l.account.last)
            e->count = 0;
    }
    drop_row(r->ledger, &r->ledger_count, index, sizeof *r->ledger);
}

/* The ends of the cursor's last runs are those that history still has. */
static void forget_end(const struct record *r, struct cursor *c)
{
    struct arena *arena = arena_new(MUTATE_BYTES_MAX);
    struct ends_turns turns;
    struct ends ends;

    ends_turns_make(r, arena, &turns);
    ends_read(r, &turns, c->id, arena, &ends);
    c->recent = (int64_t)ends.recent;
    c->last_ok = ends.last_ok;
    c->last_late = ends.last_late;
    arena_free(arena);
}

static void forget_start(struct record *r, const struct target *t)
{
    struct cursor *c = counters_of(r, t->schedule);

    for (int i = 0; i < r->history_count && c; i++) {
        const struct history_row *h = &r->history[i];

        if (!h->last || !is_started_slot(t, h->schedule, h->slot, h->pass))
            continue;
        c->started--;
        c->succeeded -= h->outcome == OUTCOME_SUCCEEDED;
        c->failed -= outcome_is_failure(h->outcome);
    }
    drop_start(r, t);
    if (c)
        forget_end(r, c);
    for (int i = r->delivery_count; i-- > 0;)
        if (is_started_slot(t, r->deliveries[i].run.schedule, r->deliveries[i].run.slot,
                            r->deliveries[i].run.pass))
            drop_row(r->deliveries, &r->delivery_count, i, sizeof *r->deliveries);
    for (int i = r->report_count; i-- > 0;)
        if (is_started_slot(t, r->reports[i].run.schedule, r->reports[i].run.slot_ms * SPAN_MS,
                            r->reports[i].run.pass))
            drop_row(r->reports, &r->report_count, i, sizeof *r->reports);
    for (int i = 0; i < r->event_count; i++)
        if (is_started_slot(t, r->events[i].event.schedule, r->events[i].event.slot,
                            r->events[i].event.pass))
            r->events[i].event = (struct event){.type = EVENT_PLAN_MIDNIGHT};
}

static enum reason other_reason(enum outcome outcome, enum reason reason)
{
    static const enum reason missed[] = {REASON_WINDOW, REASON_COALESCED, REASON_PAUSED,
                                         REASON_EDITED, REASON_CLOCK};

    if (outcome == OUTCOME_SKIPPED)
        return reason == REASON_OVERLAP ? REASON_GOVERNOR : REASON_OVERLAP;
    if (outcome == OUTCOME_DROPPED)
        return reason == REASON_BUFFER ? REASON_DELETED : REASON_BUFFER;
    if (outcome == OUTCOME_SLOT_CANCELLED)
        return reason == REASON_USER ? REASON_DELETED : REASON_USER;
    for (size_t i = 0; i + 1 < sizeof missed / sizeof *missed; i++)
        if (missed[i] == reason)
            return missed[i + 1];
    return missed[0];
}

static void move_row(struct account *a)
{
    span by = a->count > 1 ? (a->last - a->first) / (a->count - 1) : SPAN_MIN;

    a->first += by;
    a->last += by;
}

static void pass_a_slot(struct record *r, int64_t schedule)
{
    struct cursor *c = counters_of(r, schedule);

    c->mark = c->next_at;
    c->next_at = INSTANT_NEVER;
}

static const char *change_row(struct record *r, enum kind kind, int index, bool is_up)
{
    struct account *a = &r->ledger[index].account;

    switch (kind) {
    case KIND_DROP:
        drop_row(r->ledger, &r->ledger_count, index, sizeof *r->ledger);
        return "a dropped row of the ledger";
    case KIND_DOUBLE:
        double_row(r->ledger, &r->ledger_count, index, sizeof *r->ledger);
        return "a doubled row of the ledger";
    case KIND_FORGET:
        forget_row(r, index);
        return "a forgotten row of the ledger";
    case KIND_MOVE:
        move_row(a);
        return "a moved row of the ledger";
    case KIND_REASON:
        a->reason = other_reason(a->outcome, a->reason);
        return "another reason";
    default:
        a->count += is_up ? 1 : -1;
        return "another count";
    }
}

static const char *change_start(struct record *r, enum kind kind, const struct target *t)
{
    if (kind == KIND_DROP) {
        drop_start(r, t);
        return "a dropped start";
    }
    if (kind == KIND_DOUBLE) {
        double_start(r, t);
        return "a doubled start";
    }
    forget_start(r, t);
    return "a forgotten start";
}

static void copy_tables(struct record *r)
{
    r->ledger = copy(r->ledger, r->ledger_count, sizeof *r->ledger);
    r->history = copy(r->history, r->history_count, sizeof *r->history);
    r->runs = copy(r->runs, r->run_count, sizeof *r->runs);
    r->cursors = copy(r->cursors, r->cursor_count, sizeof *r->cursors);
    r->events = copy(r->events, r->event_count, sizeof *r->events);
    r->deliveries = copy(r->deliveries, r->delivery_count, sizeof *r->deliveries);
    r->reports = copy(r->reports, r->report_count, sizeof *r->reports);
}

bool mutate(struct record *r, struct prng *prng, struct mutation *ret)
{
    enum kind kind = (enum kind)prng_below(prng, KIND_COUNT_OF);
    bool is_up = prng_below(prng, 2) == 0;
    struct target target;

    if (!is_plain_world(r))
        return false;
    if (!choose(r, kind, prng, &target)) {
        kind = is_up ? KIND_DROP : KIND_DOUBLE;
        if (!choose(r, kind, prng, &target))
            return false;
    }
    *ret = (struct mutation){.schedule = target.schedule, .slot = target.slot, .original = *r};
    copy_tables(r);
    if (kind == KIND_MARK) {
        pass_a_slot(r, target.schedule);
        ret->what = "a mark that passed a slot";
    } else if (target.ledger >= 0) {
        ret->what = change_row(r, kind, target.ledger, is_up);
    } else {
        ret->what = change_start(r, kind, &target);
    }
    return true;
}

void mutate_back(struct record *r, struct mutation *mutation)
{
    free(r->ledger);
    free(r->history);
    free(r->runs);
    free(r->cursors);
    free(r->events);
    free(r->deliveries);
    free(r->reports);
    *r = mutation->original;
}
