/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges runs, history, ledger ranges and the plan into one list of slots.
 */
#include "api/schedules/slot_entries.h"

#include <stdlib.h>

enum {
    SOURCES = 5,   /* lists that are merged, each as long as the answer may be    */
    CUTS_MAX = 20, /* after so many ranges that are too long, no more are counted */
};

/* The entries before sorting; if a slot has two entries, the first one counts. */
struct gathering {
    const struct call *call;
    const struct schedule_times *p;
    const struct slot_range *stretch;
    struct slot_entry *list;
    int count;
    int cuts;
    bool is_scan_cut;
};

static void add_entry(struct gathering *g, const struct slot_entry *entry)
{
    g->list[g->count++] = *entry;
}

static void add_runs(struct gathering *g, const struct db_result *rows, bool is_open)
{
    for (int i = 0; i < rows->rows; i++) {
        struct slot_entry entry = {.outcome = OUTCOME_STARTED, .has_run = true, .count = 1};

        if (is_open)
            slots_open_read(rows, i, &entry.run);
        else
            slots_ended_read(rows, i, &entry.run);
        entry.slot = entry.last = entry.run.slot;
        entry.due = entry.run.due;
        add_entry(g, &entry);
    }
}

/* The ledger. */

/* The current spec has exactly the slots of the range, or the range has at most two slots. */
static bool can_expand(struct gathering *g, const struct account *range)
{
    const struct schedule_times *p = g->p;
    struct schedule_times_count today;

    if (range->count <= 2)
        return true;
    if (p->plan.follows || p->plan.is_governed || g->cuts == CUTS_MAX)
        return false;
    today = schedule_times_count(&p->plan, &p->ctx, range->first - 1, range->last, 1);
    g->cuts += today.is_cut;
    return !today.is_cut && today.count == range->count && today.first == range->first &&
           today.last == range->last;
}

static void add_range_slot(struct gathering *g, const struct account *range, instant slot)
{
    add_entry(g, &(struct slot_entry){.slot = slot,
                                      .due = INSTANT_NONE,
                                      .outcome = range->outcome,
                                      .reason = range->reason,
                                      .count = 1,
                                      .last = slot});
}

/* Adds at most `room` slots of the range. */
static int expand(struct gathering *g, const struct account *range, int room)
{
    const struct slot_range *s = g->stretch;
    instant ends[2] = {range->first, range->last};
    struct spec_walk walk;
    struct slot slot;
    int added = 0;

    for (int i = 0; range->count <= 2 && i < range->count; i++)
        if (ends[i] > s->after && ends[i] <= s->until && added < room) {
            add_range_slot(g, range, ends[i]);
            added++;
        }
    if (range->count <= 2)
        return added;
    spec_walk_begin(&walk, &g->p->plan.spec, &g->p->ctx,
                    range->first - 1 > s->after ? range->first - 1 : s->after);
    while (added < room && spec_walk_next(&walk, &slot) && slot.at <= range->last &&
           slot.at <= s->until) {
        add_range_slot(g, range, slot.at);
        added++;
    }
    return added;
}

static void add_ledger(struct gathering *g, const struct db_result *rows)
{
    int room = g->stretch->limit;

    for (int i = 0; i < rows->rows && room > 0; i++) {
        struct account range;

        slots_not_started_read(rows, i, &range);
        if (range.last <= g->stretch->after)
            continue;
        if (can_expand(g, &range)) {
            room -= expand(g, &range, room);
            continue;
        }
        /* A range that begins before the stretch is listed at the stretch's beginning. */
        add_range_slot(g, &range,
                       range.first > g->stretch->after ? range.first : g->stretch->after + 1);
        g->list[g->count - 1].count = range.count;
        g->list[g->count - 1].first = range.first;
        g->list[g->count - 1].last = range.last;
        room--;
    }
}

/* The plan. */

/* Sets why a planned slot would not start, or its outcome if that is already decided. */
static void set_planned_outcome(const struct gathering *g, const struct slot *slot,
                                struct slot_entry *entry)
{
    const struct cursor *cursor = &g->p->view.cursor;
    bool is_paused = (cursor->flags & CURSOR_PAUSED) && slot->due < cursor->paused_until;

    if (schedule_times_is_cancelled(g->p, slot->at)) {
        entry->outcome = OUTCOME_SLOT_CANCELLED;
        entry->reason = REASON_USER;
    } else if (is_paused || (cursor->flags & CURSOR_DISABLED)) {
        entry->reason = REASON_PAUSED;
        if (slot->due <= g->call->now && !g->p->plan.policies.catchup_paused)
            entry->outcome = OUTCOME_MISSED;
    } else if (cursor->flags & CURSOR_QUARANTINED) {
        entry->reason = REASON_QUARANTINED;
    }
}

static void add_planned(struct gathering *g, const struct slot *slot)
{
    struct slot_entry entry = {
        .slot = slot->at, .due = slot->due, .count = 1, .last = slot->at};

    set_planned_outcome(g, slot, &entry);
    add_entry(g, &entry);
}

static void add_plan(struct gathering *g)
{
    const struct slot_range *s = g->stretch;
    const struct cursor *cursor = &g->p->view.cursor;
    instant after = s->after > cursor->mark ? s->after : cursor->mark;
    int64_t before = 0; /* slots between the mark and the stretch, if runs are limited */
    struct spec_walk walk;
    struct slot slot;
    int added = 0;

    if (cursor->flags & (CURSOR_CLOSED | CURSOR_DELETED))
        return;
    if (g->p->plan.follows || g->p->plan.is_governed) {
        slot = schedule_times_only(g->p);
        if (slot.at != INSTANT_NEVER && slot.at > s->after && slot.at <= s->until)
            add_planned(g, &slot);
        return;
    }
    if (cursor->remaining >= 0)
        before = schedule_times_count(&g->p->plan, &g->p->ctx, cursor->mark, after, 1).count;
    spec_walk_begin(&walk, &g->p->plan.spec, &g->p->ctx, after);
    while (added < s->limit && (cursor->remaining < 0 || before < cursor->remaining) &&
           spec_walk_next(&walk, &slot) && slot.at <= s->until) {
        add_planned(g, &slot);
        before += !schedule_times_is_cancelled(g->p, slot.at);
        added++;
    }
}

/*
 * If history has too many attempts to read: a slot of the current spec that is before the mark
 * but not in the ledger was started.
 */
static void add_unread(struct gathering *g)
{
    const struct policies *policies = &g->p->plan.policies;
    const struct schedule_view *view = &g->p->view;
    instant after = g->stretch->after, until = g->stretch->until;
    struct spec_walk walk;
    struct slot slot;
    int added = 0;

    if (!g->is_scan_cut || g->p->plan.follows || g->p->plan.is_governed ||
        policies->retention_count > 0)
        return;
    if (policies->retention_age > 0 && after < g->call->now - policies->retention_age)
        after = g->call->now - policies->retention_age;
    after = after > view->row.updated_at ? after : view->row.updated_at;
    until = until < view->cursor.mark ? until : view->cursor.mark;
    spec_walk_begin(&walk, &g->p->plan.spec, &g->p->ctx, after);
    while (added++ < g->stretch->limit && spec_walk_next(&walk, &slot) && slot.at <= until)
        add_entry(g, &(struct slot_entry){.slot = slot.at,
                                          .due = slot.due,
                                          .outcome = OUTCOME_STARTED,
                                          .count = 1,
                                          .last = slot.at});
}

/* Merging. */

struct keyed {
    instant slot;
    int index; /* of equal slots, the one added first counts */
};

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return x->index - y->index;
}

static void merge_entries(const struct gathering *g, struct slot_entries *ret)
{
    struct arena *arena = g->call->arena;
    struct keyed *keys = arena_array(arena, (size_t)g->count, sizeof *keys);
    int limit = g->stretch->limit - 1; /* one more was read than is shown */

    for (int i = 0; i < g->count; i++)
        keys[i] = (struct keyed){g->list[i].slot, i};
    if (g->count > 0)
        qsort(keys, (size_t)g->count, sizeof *keys, compare);
    ret->list = arena_array(arena, (size_t)g->count, sizeof *ret->list);
    ret->count = 0;
    ret->has_more = false;
    for (int i = 0; i < g->count && !ret->has_more; i++) {
        if (i > 0 && keys[i].slot == keys[i - 1].slot)
            continue;
        ret->has_more = ret->count == limit;
        if (!ret->has_more)
            ret->list[ret->count++] = g->list[keys[i].index];
    }
}

enum rc slot_entries_read(const struct call *call, struct db *db,
                          const struct schedule_times *p, const struct slot_range *stretch,
                          struct slot_entries *ret, struct err *reterr)
{
    struct slot_range more = *stretch;
    struct gathering g = {.call = call, .p = p, .stretch = &more};
    struct db_result open = {0}, ended = {0}, scanned = {0}, ranges = {0};
    enum rc rc;

    more.limit++;
    slots_open(db, &more, &open);
    slots_ended(db, &more, &ended);
    slots_scanned(db, &more, &scanned);
    more.limit++; /* the first range may begin before the stretch */
    slots_not_started(db, &more, &ranges);
    more.limit--;
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    g.list = arena_array(call->arena, (size_t)SOURCES * ((size_t)more.limit + 2),
                         sizeof *g.list);
    g.is_scan_cut = db_int_at(&scanned, 0, 0) >= SLOTS_SCAN;
    add_runs(&g, &open, true);
    add_runs(&g, &ended, false);
    add_ledger(&g, &ranges);
    add_plan(&g);
    add_unread(&g);
    merge_entries(&g, ret);
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
