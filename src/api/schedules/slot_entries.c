/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges runs, history, ledger ranges and the plan into one list of slots.
 */
#include "api/schedules/slot_entries.h"

#include <stdlib.h>

enum {
    COMPUTED = 3,       /* lists other than runs, each as long as the answer may be           */
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
};

static void add_entry(struct slot_merge *m, const struct slot_entry *entry)
{
    m->list[m->count++] = *entry;
}

static void add_runs(struct slot_merge *m, const struct slot_run *runs, int count)
{
    for (int i = 0; i < count; i++)
        add_entry(m, &(struct slot_entry){.slot = runs[i].slot,
                                          .due = runs[i].due,
                                          .outcome = OUTCOME_STARTED,
                                          .has_run = true,
                                          .run = runs[i],
                                          .count = 1,
                                          .last = runs[i].slot});
}

/* The ledger. */

bool slot_entries_can_expand(const struct schedule_times *p, const struct account *range,
                             int *uncounted)
{
    struct schedule_times_count current;

    if (range->count <= 2)
        return true;
    if (spec_follows(&p->plan.spec) || (p->plan.is_governed && !plan_has_grid(&p->plan)) ||
        *uncounted == UNCOUNTED_MAX)
        return false;
    current = schedule_times_count(&p->plan, &p->ctx, range->first - 1, range->last, 1);
    *uncounted += current.is_cut;
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

static void add_ledger(struct slot_merge *m, const struct account *ranges, int count)
{
    int room = m->period->limit;

    for (int i = 0; i < count && room > 0; i++) {
        const struct account *range = &ranges[i];

        if (range->last <= m->period->after)
            continue;
        if (slot_entries_can_expand(m->p, range, &m->uncounted)) {
            room -= expand(m, range, room);
            continue;
        }
        /* A range that begins before the period is listed at the start of the period. */
        add_range_slot(m, range,
                       range->first > m->period->after ? range->first : m->period->after + 1);
        m->list[m->count - 1].count = range->count;
        m->list[m->count - 1].first = range->first;
        m->list[m->count - 1].last = range->last;
        room--;
    }
}

/* The plan. */

struct plan_target {
    struct slot_merge *m;
    int room;
};

static bool add_planned(void *arg, const struct slot_planned *slot)
{
    struct plan_target *to = arg;

    if (to->room == 0)
        return false;
    to->room--;
    add_entry(to->m, &(struct slot_entry){.slot = slot->at,
                                          .due = slot->due,
                                          .outcome = slot->outcome,
                                          .reason = slot->reason,
                                          .count = 1,
                                          .last = slot->at});
    return to->room > 0;
}

static void add_plan(struct slot_merge *m)
{
    const struct slot_range *s = m->period;
    struct plan_target target = {m, s->limit};

    slot_plan_visit(m->p, m->call->now, (instant[]){s->after, s->until}, add_planned, &target);
}

/*
 * If history was not read to its end: a slot of the current spec that is before the mark but
 * not in the ledger was started.
 */
static void add_assumed(struct slot_merge *m)
{
    const struct policies *policies = &m->p->plan.policies;
    const struct schedule_view *view = &m->p->view;
    instant after = m->period->after, until = m->period->until;
    struct spec_walk walk;
    struct slot slot;
    int added = 0;

    if (m->p->plan.follows || policies->retention_count > 0)
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

static void merge_entries(const struct slot_merge *m, struct arena *arena,
                          struct slot_entries *ret)
{
    struct keyed *keys = arena_array_raw(arena, (size_t)m->count, sizeof *keys);
    int limit = m->period->limit - 1; /* one more was read than is shown */

    for (int i = 0; i < m->count; i++)
        keys[i] = (struct keyed){m->list[i].slot, i};
    if (m->count > 0)
        qsort(keys, (size_t)m->count, sizeof *keys, compare);
    ret->list = arena_array_raw(arena, (size_t)m->count, sizeof *ret->list);
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

void slot_entries_merge(const struct call *call, const struct schedule_times *p,
                        const struct slot_range *period, const struct slot_sources *sources,
                        struct slot_entries *ret)
{
    struct slot_range more = *period;
    struct slot_merge m = {.call = call, .p = p, .period = &more};
    size_t runs = (size_t)sources->open_count + (size_t)sources->ended_count;

    more.limit++;
    m.list = arena_array_raw(call->arena, runs + (size_t)COMPUTED * ((size_t)more.limit + 1),
                             sizeof *m.list);
    add_runs(&m, sources->open, sources->open_count);
    add_runs(&m, sources->ended, sources->ended_count);
    add_ledger(&m, sources->ranges, sources->range_count);
    add_plan(&m);
    if (sources->is_cut)
        add_assumed(&m);
    merge_entries(&m, call->arena, ret);
}

/* Reads the rows into arrays of their own. */
static struct slot_sources copy_rows(const struct db_result *open,
                                     const struct db_result *ended,
                                     const struct db_result *ranges, struct arena *arena)
{
    struct slot_run *opens = arena_array_raw(arena, (size_t)open->rows, sizeof *opens);
    struct slot_run *ends = arena_array_raw(arena, (size_t)ended->rows, sizeof *ends);
    struct account *accounts = arena_array_raw(arena, (size_t)ranges->rows, sizeof *accounts);

    for (int i = 0; i < open->rows; i++)
        slots_open_read(open, i, &opens[i]);
    for (int i = 0; i < ended->rows; i++)
        slots_ended_read(ended, i, &ends[i]);
    for (int i = 0; i < ranges->rows; i++)
        slots_not_started_read(ranges, i, &accounts[i]);
    return (struct slot_sources){.open = opens,
                                 .open_count = open->rows,
                                 .ended = ends,
                                 .ended_count = ended->rows,
                                 .ranges = accounts,
                                 .range_count = ranges->rows};
}

enum rc slot_entries_read(const struct call *call, struct db *db,
                          const struct schedule_times *p, const struct slot_range *period,
                          struct slot_entries *ret, struct err *reterr)
{
    struct slot_range more = *period;
    struct db_result open = {0}, ended = {0}, scanned = {0}, ranges = {0};
    struct slot_sources sources;
    enum rc rc;

    more.limit++;
    slots_open(db, &more, &open);
    slots_ended(db, &more, &ended);
    slots_scanned(db, &more, &scanned);
    more.limit++; /* the first range may begin before the period */
    slots_not_started(db, &more, &ranges);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    sources = copy_rows(&open, &ended, &ranges, call->arena);
    sources.is_cut = db_int_at(&scanned, 0, 0) >= SLOTS_SCAN;
    slot_entries_merge(call, p, period, &sources, ret);
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
    answer_open(out);
    slot_entry_members(p, entry, out);
    answer_text(out, "}");
}

void slot_entry_members(const struct schedule_times *p, const struct slot_entry *entry,
                        struct answer *out)
{
    struct run_id run = {p->view.cursor.id, entry->slot / SPAN_MS, entry->pass};
    char id[RUN_ID_TEXT_MAX];

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
}
