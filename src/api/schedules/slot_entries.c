/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges runs, history, ledger ranges and the plan into one list of slots.
 */
#include "api/schedules/slot_entries.h"

#include <stdlib.h>

enum {
    SOURCES = 5,        /* lists that are merged, each as long as the answer may be          */
    UNCOUNTED_MAX = 20, /* ranges with too many slots to count; further ones are not tried   */
};

/* The entries before sorting; if a slot has several, the one added first counts. */
struct slot_merge {
    const struct call *call;
    const struct schedule_times *p;
    const struct slot_range *period;
    struct slot_entry *list;
    int count;
    int uncounted;
    bool is_scan_cut;
};

static void add_entry(struct slot_merge *m, const struct slot_entry *entry)
{
    m->list[m->count++] = *entry;
}

static void add_runs(struct slot_merge *m, const struct db_result *rows, bool is_open)
{
    for (int i = 0; i < rows->rows; i++) {
        struct slot_entry entry = {.outcome = OUTCOME_STARTED, .has_run = true, .count = 1};

        if (is_open)
            slots_open_read(rows, i, &entry.run);
        else
            slots_ended_read(rows, i, &entry.run);
        entry.slot = entry.last = entry.run.slot;
        entry.due = entry.run.due;
        add_entry(m, &entry);
    }
}

/* The ledger. */

/* The current spec has exactly the slots of the range, or the range has at most two slots. */
static bool can_expand(struct slot_merge *m, const struct account *range)
{
    const struct schedule_times *p = m->p;
    struct schedule_times_count current;

    if (range->count <= 2)
        return true;
    if (spec_follows(&p->plan.spec) || (p->plan.is_governed && !plan_has_grid(&p->plan)) ||
        m->uncounted == UNCOUNTED_MAX)
        return false;
    current = schedule_times_count(&p->plan, &p->ctx, range->first - 1, range->last, 1);
    m->uncounted += current.is_cut;
    return !current.is_cut && current.count == range->count && current.first == range->first &&
           current.last == range->last;
}

static void add_range_slot(struct slot_merge *m, const struct account *range, instant slot)
{
    add_entry(m, &(struct slot_entry){.slot = slot,
                                      .due = INSTANT_NONE,
                                      .outcome = range->outcome,
                                      .reason = range->reason,
                                      .count = 1,
                                      .last = slot});
}

/* Adds at most `room` slots of the range. */
static int expand(struct slot_merge *m, const struct account *range, int room)
{
    const struct slot_range *s = m->period;
    instant ends[2] = {range->first, range->last};
    struct spec_walk walk;
    struct slot slot;
    int added = 0;

    for (int i = 0; range->count <= 2 && i < range->count; i++)
        if (ends[i] > s->after && ends[i] <= s->until && added < room) {
            add_range_slot(m, range, ends[i]);
            added++;
        }
    if (range->count <= 2)
        return added;
    spec_walk_begin(&walk, &m->p->plan.spec, &m->p->ctx,
                    range->first - 1 > s->after ? range->first - 1 : s->after);
    while (added < room && spec_walk_next(&walk, &slot) && slot.at <= range->last &&
           slot.at <= s->until) {
        add_range_slot(m, range, slot.at);
        added++;
    }
    return added;
}

static void add_ledger(struct slot_merge *m, const struct db_result *rows)
{
    int room = m->period->limit;

    for (int i = 0; i < rows->rows && room > 0; i++) {
        struct account range;

        slots_not_started_read(rows, i, &range);
        if (range.last <= m->period->after)
            continue;
        if (can_expand(m, &range)) {
            room -= expand(m, &range, room);
            continue;
        }
        /* A range that begins before the period is listed at the start of the period. */
        add_range_slot(m, &range,
                       range.first > m->period->after ? range.first : m->period->after + 1);
        m->list[m->count - 1].count = range.count;
        m->list[m->count - 1].first = range.first;
        m->list[m->count - 1].last = range.last;
        room--;
    }
}

/* The plan. */

/* Sets why a planned slot would not start, or its outcome if that is already decided. */
static void set_planned_outcome(const struct slot_merge *m, const struct slot *slot,
                                struct slot_entry *entry)
{
    const struct cursor *cursor = &m->p->view.cursor;
    bool is_paused = (cursor->flags & CURSOR_PAUSED) && slot->due < cursor->paused_until;

    if (schedule_times_is_cancelled(m->p, slot->at)) {
        entry->outcome = OUTCOME_SLOT_CANCELLED;
        entry->reason = REASON_USER;
    } else if (is_paused || (cursor->flags & CURSOR_DISABLED)) {
        entry->reason = REASON_PAUSED;
        if (slot->due <= m->call->now && !m->p->plan.policies.catchup_paused)
            entry->outcome = OUTCOME_MISSED;
    } else if (cursor->flags & CURSOR_QUARANTINED) {
        entry->reason = REASON_QUARANTINED;
    }
}

static void add_planned(struct slot_merge *m, const struct slot *slot)
{
    struct slot_entry entry = {
        .slot = slot->at, .due = slot->due, .count = 1, .last = slot->at};

    set_planned_outcome(m, slot, &entry);
    add_entry(m, &entry);
}

/* Of a time of the spec that the governor did not choose: docs/semantics.md [P-33]. */
static void set_passed_outcome(const struct slot_merge *m, struct slot_entry *entry)
{
    const struct cursor *c = &m->p->view.cursor;
    bool is_paused = (c->flags & CURSOR_PAUSED) && entry->slot < c->paused_until &&
                     !m->p->plan.policies.catchup_paused;

    entry->outcome = OUTCOME_SKIPPED;
    entry->reason = REASON_GOVERNOR;
    if (schedule_times_is_cancelled(m->p, entry->slot)) {
        entry->outcome = OUTCOME_SLOT_CANCELLED;
        entry->reason = REASON_USER;
    } else if (is_paused || (c->flags & CURSOR_DISABLED)) {
        entry->outcome = OUTCOME_MISSED;
        entry->reason = REASON_PAUSED;
    } else if (c->flags & CURSOR_QUARANTINED) {
        entry->outcome = OUTCOME_DROPPED;
        entry->reason = REASON_QUARANTINED;
    }
}

/* The time that the governor chose, and past times that the engine has not recorded yet. */
static void add_governed(struct slot_merge *m, instant after)
{
    const struct schedule_times *p = m->p;
    instant until = m->period->until < m->call->now ? m->period->until : m->call->now;
    struct slot pick = schedule_times_known(p), slot;
    struct spec_ctx ctx = plan_grid_ctx(&p->ctx);
    struct spec_walk walk;

    if (pick.at != INSTANT_NEVER && pick.at > m->period->after && pick.at <= m->period->until)
        add_planned(m, &pick);
    if (!plan_has_grid(&p->plan) || p->view.cursor.remaining == 0)
        return;
    spec_walk_begin(&walk, &p->plan.spec, &ctx, after);
    for (int i = 0; i < m->period->limit && spec_walk_next(&walk, &slot) && slot.at <= until;
         i++) {
        struct slot_entry entry = {
            .slot = slot.at, .due = INSTANT_NONE, .count = 1, .last = slot.at};

        set_passed_outcome(m, &entry);
        if (slot.at != pick.at)
            add_entry(m, &entry);
    }
}

static void add_plan(struct slot_merge *m)
{
    const struct slot_range *s = m->period;
    const struct cursor *cursor = &m->p->view.cursor;
    instant after = s->after > cursor->mark ? s->after : cursor->mark;
    int64_t planned = 0; /* slots since the mark that will run, if runs are limited */
    struct spec_walk walk;
    struct slot slot;
    int added = 0;

    if (cursor->flags & (CURSOR_CLOSED | CURSOR_DELETED))
        return;
    if (m->p->plan.is_governed) {
        add_governed(m, after);
        return;
    }
    if (m->p->plan.follows) {
        slot = schedule_times_known(m->p);
        if (slot.at != INSTANT_NEVER && slot.at > s->after && slot.at <= s->until)
            add_planned(m, &slot);
        return;
    }
    if (cursor->remaining >= 0)
        planned = schedule_times_planned(m->p, cursor->mark, after);
    spec_walk_begin(&walk, &m->p->plan.spec, &m->p->ctx, after);
    while (added < s->limit && (cursor->remaining < 0 || planned < cursor->remaining) &&
           spec_walk_next(&walk, &slot) && slot.at <= s->until) {
        add_planned(m, &slot);
        planned += !schedule_times_is_cancelled(m->p, slot.at);
        added++;
    }
}

/*
 * If history has too many attempts to read: a slot of the current spec that is before the mark
 * but not in the ledger was started.
 */
static void add_assumed(struct slot_merge *m)
{
    const struct policies *policies = &m->p->plan.policies;
    const struct schedule_view *view = &m->p->view;
    instant after = m->period->after, until = m->period->until;
    struct spec_walk walk;
    struct slot slot;
    int added = 0;

    if (!m->is_scan_cut || m->p->plan.follows || policies->retention_count > 0)
        return;
    if (policies->retention_age > 0 && after < m->call->now - policies->retention_age)
        after = m->call->now - policies->retention_age;
    after = after > view->row.updated_at ? after : view->row.updated_at;
    until = until < view->cursor.mark ? until : view->cursor.mark;
    spec_walk_begin(&walk, &m->p->plan.spec, &m->p->ctx, after);
    while (added++ < m->period->limit && spec_walk_next(&walk, &slot) && slot.at <= until)
        add_entry(m, &(struct slot_entry){.slot = slot.at,
                                          .due = slot.due,
                                          .outcome = OUTCOME_STARTED,
                                          .count = 1,
                                          .last = slot.at});
}

/* Merging. */

struct keyed {
    instant slot;
    int index;
};

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return x->index - y->index;
}

static void merge_entries(const struct slot_merge *m, struct slot_entries *ret)
{
    struct arena *arena = m->call->arena;
    struct keyed *keys = arena_array(arena, (size_t)m->count, sizeof *keys);
    int limit = m->period->limit - 1; /* one more was read than is shown */

    for (int i = 0; i < m->count; i++)
        keys[i] = (struct keyed){m->list[i].slot, i};
    if (m->count > 0)
        qsort(keys, (size_t)m->count, sizeof *keys, compare);
    ret->list = arena_array(arena, (size_t)m->count, sizeof *ret->list);
    ret->count = 0;
    ret->has_more = false;
    for (int i = 0; i < m->count && !ret->has_more; i++) {
        if (i > 0 && keys[i].slot == keys[i - 1].slot)
            continue;
        ret->has_more = ret->count == limit;
        if (!ret->has_more)
            ret->list[ret->count++] = m->list[keys[i].index];
    }
}

enum rc slot_entries_read(const struct call *call, struct db *db,
                          const struct schedule_times *p, const struct slot_range *period,
                          struct slot_entries *ret, struct err *reterr)
{
    struct slot_range more = *period;
    struct slot_merge m = {.call = call, .p = p, .period = &more};
    struct db_result open = {0}, ended = {0}, scanned = {0}, ranges = {0};
    enum rc rc;

    more.limit++;
    slots_open(db, &more, &open);
    slots_ended(db, &more, &ended);
    slots_scanned(db, &more, &scanned);
    more.limit++; /* the first range may begin before the period */
    slots_not_started(db, &more, &ranges);
    more.limit--;
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    m.list = arena_array(call->arena, (size_t)SOURCES * ((size_t)more.limit + 2),
                         sizeof *m.list);
    m.is_scan_cut = db_int_at(&scanned, 0, 0) >= SLOTS_SCAN;
    add_runs(&m, &open, true);
    add_runs(&m, &ended, false);
    add_ledger(&m, &ranges);
    add_plan(&m);
    add_assumed(&m);
    merge_entries(&m, ret);
    return RC_OK;
}

/* Printing. */

static const char *reason_word(enum reason reason)
{
    return reason == REASON_NONE ? NULL : reason_text(reason);
}

static void print_run(const struct slot_run *run, struct answer *out)
{
    answer_text(out, ",\"run\":{");
    answer_put_word(out, "state", run_state_text(run->state));
    answer_put_int(out, "attempt", run->attempt);
    answer_put_instant(out, "startedAt", run->started_at);
    answer_put_instant(out, "endedAt", run->ended_at);
    answer_put_word(out, "outcome",
                    run->outcome == OUTCOME_NONE ? NULL : outcome_text(run->outcome));
    answer_put_word(out, "reason", reason_word(run->reason));
    answer_text(out, "}");
}

void slot_entry_print(const struct schedule_times *p, const struct slot_entry *entry,
                      struct answer *out)
{
    struct run_id run = {p->view.cursor.id, entry->slot / SPAN_MS, 0};
    char id[RUN_ID_TEXT_MAX];

    answer_open(out);
    answer_put_instant(out, "slot", entry->count > 1 ? entry->first : entry->slot);
    if (entry->count > 1) {
        answer_put_instant(out, "last", entry->last);
        answer_put_int(out, "count", entry->count);
    } else {
        run_id_format(&run, id);
        answer_put_word(out, "id", id);
        answer_put_instant(out, "due", entry->due);
    }
    answer_put_word(out, "outcome",
                    entry->outcome == OUTCOME_NONE ? NULL : outcome_text(entry->outcome));
    answer_put_word(out, "reason", reason_word(entry->reason));
    if (entry->has_run)
        print_run(&entry->run, out);
    else
        answer_text(out, ",\"run\":null");
    answer_text(out, "}");
}
