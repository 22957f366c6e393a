/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints one schedule of a timeline.
 */
#include "api/timeline/timeline_row.h"

#include <stdlib.h>

#include "api/timeline/timeline.h"
#include "core/time/text.h"
#include "model/schedule_state.h"
#include "wire/json/json_text.h"

enum {
    ROW_STEPS = 500 * 1000, /* of struct budget: some 20 ms */
    PROBE_SLOTS = 50,       /* that show how dense the slots are */
};

static const char too_slow[] = "its times take too long to compute; use a shorter window";
static const char too_many[] =
    "it has more runs or ledger rows than one answer reads; use a shorter window";
static const char other_spec[] =
    "slots of an earlier spec are counted where their range begins";
static const char no_plan[] = "its plan cannot be used: its time zone is missing or its row "
                              "is damaged";

/* ---- reading ---- */

enum rc timeline_row_begin(const struct call *call, struct db *db, struct timeline_row *row,
                           struct err *reterr)
{
    struct call inner = *call;
    enum rc rc;

    row->budget = budget_part(call->budget, ROW_STEPS);
    row->steps = row->budget.left;
    inner.budget = &row->budget;
    row->cut = NULL;
    rc = view_count(call, &row->times.view.row, reterr);
    if (rc == RC_OK)
        rc = schedule_times_fill(&inner, db, &row->times, reterr);
    if (rc != RC_CONFLICT && rc != RC_CORRUPT)
        return rc;
    row->cut = no_plan;
    return RC_OK;
}

void timeline_row_end(const struct call *call, struct timeline_row *row)
{
    budget_join(call->budget, row->steps, &row->budget);
    if (row->budget.is_over && !row->cut)
        row->cut = too_slow;
}

static bool has_free_slots(const struct timeline_row *row)
{
    return !row->cut && !row->times.plan.is_governed && !row->times.plan.follows;
}

int64_t timeline_row_expected(const struct timeline_row *row, const struct timeline_window *w,
                              instant now)
{
    const struct cursor *c = &row->times.view.cursor;
    instant until = instant_after(w->to, TIMELINE_END_AFTER);
    int64_t most = c->started + c->pass;
    struct spec_walk walk;
    struct slot slot;
    int64_t count = 0;

    until = until < now ? until : now;
    if (most <= PROBE_SLOTS || until <= w->from || !has_free_slots(row))
        return most < PROBE_SLOTS ? most : PROBE_SLOTS;
    spec_walk_begin(&walk, &row->times.plan.spec, &row->times.ctx, w->from - 1);
    while (count < PROBE_SLOTS && spec_walk_next(&walk, &slot) && slot.at < until)
        count++;
    if (count == PROBE_SLOTS)
        count = (until - w->from) / ((slot.at - w->from) / PROBE_SLOTS + 1);
    return count < most ? count : most;
}

void timeline_row_ranges(struct timeline_row *row, const struct timeline_past *past,
                         const struct timeline_ranges *to)
{
    int uncounted = 0;

    for (int i = 0; i < past->range_count; i++) {
        const struct account *range = &past->ranges[i];

        if (range->last < to->window->from || range->first >= to->window->to)
            continue;
        if (row->cut != no_plan && slot_entries_can_expand(&row->times, range, &uncounted)) {
            timeline_series_range(&row->times, range, to->window, to->add, to->arg);
        } else {
            to->lump(to->arg, range);
            row->cut = row->cut ? row->cut : other_spec;
        }
    }
}

/* ---- a list of slots ---- */

static bool is_run_in(const struct timeline_window *w, const struct slot_attempt *a)
{
    return (a->is_open || a->is_last) && timeline_window_has(w, a->run.slot);
}

/* Runs of the slots themselves, and others. */
struct runs {
    struct slot_run *open, *ended;
    int open_count, ended_count;
    struct slot_entry *extra; /* of triggers and backfills, ascending */
    int extra_count;
};

static int compare_entries(const void *a, const void *b)
{
    const struct slot_entry *x = a, *y = b;

    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return (x->pass > y->pass) - (x->pass < y->pass);
}

static struct slot_entry extra_entry(const struct slot_attempt *a)
{
    return (struct slot_entry){.slot = a->run.slot,
                               .due = a->run.due,
                               .outcome = OUTCOME_STARTED,
                               .pass = (uint32_t)a->pass,
                               .has_run = true,
                               .run = a->run,
                               .count = 1,
                               .last = a->run.slot};
}

static int count_runs(const struct timeline_past *past, const struct timeline_window *w)
{
    int count = 0;

    for (int i = 0; i < past->attempt_count; i++)
        count += is_run_in(w, &past->attempts[i]);
    return count;
}

static struct runs sort_runs(const struct timeline_past *past, const struct timeline_window *w,
                             int count, struct arena *arena)
{
    struct runs runs = {
        .open = arena_array_raw(arena, (size_t)count, sizeof *runs.open),
        .ended = arena_array_raw(arena, (size_t)count, sizeof *runs.ended),
        .extra = arena_array_raw(arena, (size_t)count, sizeof *runs.extra),
    };

    for (int i = 0; i < past->attempt_count; i++) {
        const struct slot_attempt *a = &past->attempts[i];

        if (!is_run_in(w, a))
            continue;
        if (a->pass > 0)
            runs.extra[runs.extra_count++] = extra_entry(a);
        else if (a->is_open)
            runs.open[runs.open_count++] = a->run;
        else
            runs.ended[runs.ended_count++] = a->run;
    }
    if (runs.extra_count > 1)
        qsort(runs.extra, (size_t)runs.extra_count, sizeof *runs.extra, compare_entries);
    return runs;
}

static void print_entry(const struct schedule_times *p, const struct slot_entry *entry,
                        const struct timeline_past *past, struct answer *out)
{
    const char *kind = "slot";

    for (int i = 0; entry->pass > 0 && i < past->attempt_count; i++)
        if (past->attempts[i].pass == (int64_t)entry->pass &&
            past->attempts[i].run.slot == entry->slot)
            kind = past->attempts[i].kind == RUN_BACKFILL ? "backfill" : "trigger";
    answer_open(out);
    slot_entry_members(p, entry, out);
    answer_put_word(out, "kind", kind);
    answer_text(out, "}");
}

/* False: it has more than `most` slots and runs. */
static bool print_slots(const struct call *call, struct timeline_row *row,
                        const struct timeline_past *past, const struct timeline_window *w,
                        int64_t most, struct answer *out)
{
    int count = count_runs(past, w), extra = 0;
    struct slot_range period = {.schedule = row->times.view.cursor.id,
                                .after = w->from - 1,
                                .until = w->to - 1,
                                .limit = (int)most};
    struct slot_entries found = {0};
    struct slot_sources sources;
    struct runs runs;

    if (count > most)
        return false;
    runs = sort_runs(past, w, count, call->arena);
    sources = (struct slot_sources){
        .open = runs.open,
        .open_count = runs.open_count,
        .ended = runs.ended,
        .ended_count = runs.ended_count,
        .ranges = past->ranges,
        .range_count = past->range_count,
        .is_cut = past->is_cut || instant_after(w->to, TIMELINE_END_AFTER) < call->now,
    };
    slot_entries_merge(call, &row->times, &period, &sources, &found);
    if (found.has_more || found.count + runs.extra_count > most)
        return false;
    answer_name(out, "slots");
    answer_text(out, "[");
    for (int i = 0; i < found.count || extra < runs.extra_count;) {
        bool is_extra = extra < runs.extra_count &&
                        (i == found.count || runs.extra[extra].slot < found.list[i].slot);

        print_entry(&row->times, is_extra ? &runs.extra[extra++] : &found.list[i++], past, out);
    }
    answer_text(out, "]");
    return true;
}

/* ---- buckets ---- */

struct series_list {
    struct timeline_buckets *buckets;
    struct timeline_series list[TIMELINE_SERIES_MAX];
    int count;
    bool has_more; /* then all are in the buckets */
};

static void add_planned(void *arg, const struct timeline_series *series)
{
    struct series_list *p = arg;

    if (series->outcome != OUTCOME_NONE || p->has_more) {
        timeline_buckets_series(p->buckets, series);
        return;
    }
    if (p->count < TIMELINE_SERIES_MAX) {
        p->list[p->count++] = *series;
        return;
    }
    p->has_more = true;
    for (int i = 0; i < p->count; i++)
        timeline_buckets_series(p->buckets, &p->list[i]);
    timeline_buckets_series(p->buckets, series);
    p->count = 0;
}

static void add_range_series(void *arg, const struct timeline_series *series)
{
    struct series_list *p = arg;

    timeline_buckets_series(p->buckets, series);
}

static void add_lump(void *arg, const struct account *range)
{
    struct series_list *p = arg;

    timeline_buckets_lump(p->buckets, range);
}

static void print_series(const struct timeline_series *s, struct answer *out)
{
    char text[DURATION_TEXT_MAX];
    struct buf step = BUF(text);

    if (s->step > 0)
        duration_format(s->step, &step);
    answer_open(out);
    answer_put_instant(out, "first", s->first);
    answer_put_some(out, "step", buf_as_str(&step));
    answer_put_int(out, "count", s->count);
    if (s->reason != REASON_NONE)
        answer_put_word(out, "reason", reason_text(s->reason));
    answer_text(out, "}");
}

static void print_buckets(const struct call *call, struct timeline_row *row,
                          const struct timeline_past *past, struct timeline_buckets *buckets,
                          struct answer *out)
{
    struct series_list planned = {.buckets = buckets};
    const struct timeline_ranges ranges = {
        .window = buckets->window, .add = add_range_series, .lump = add_lump, .arg = &planned};

    timeline_buckets_clear(buckets);
    for (int i = 0; i < past->attempt_count; i++)
        timeline_buckets_attempt(buckets, &past->attempts[i]);
    timeline_row_ranges(row, past, &ranges);
    if (row->cut != no_plan)
        timeline_series_plan(&row->times, call->now, buckets->window, add_planned, &planned);
    answer_name(out, "buckets");
    timeline_buckets_print(buckets, out);
    if (planned.count == 0)
        return;
    answer_name(out, "planned");
    answer_text(out, "[");
    for (int i = 0; i < planned.count; i++)
        print_series(&planned.list[i], out);
    answer_text(out, "]");
}

/* ---- printing ---- */

/* A workflow without a queue waits in the queue that has the workflow's name. */
struct str timeline_row_queue(struct str action)
{
    struct str queue = json_find_member(action, STR("queue"));

    if (queue.len == 0 && str_eq(json_find_member(action, STR("type")), STR("\"workflow\"")))
        queue = json_find_member(action, STR("name"));
    return queue;
}

static void put_stored(struct answer *out, const char *name, struct str stored)
{
    answer_name(out, name);
    answer_str(out, stored.len > 0 ? stored : STR("null"));
}

void timeline_row_print(const struct call *call, struct timeline_row *row,
                        const struct timeline_past *past, struct timeline_buckets *buckets,
                        int64_t slots, struct answer *out)
{
    const struct schedule_view *view = &row->times.view;
    bool has_plan = row->cut != no_plan;

    answer_open(out);
    answer_put_text(out, "id", view->row.name);
    answer_put_some(out, "timezone",
                    has_plan ? row->times.plan.spec.zones[0].name : (struct str){NULL, 0});
    put_stored(out, "queue", timeline_row_queue(view->row.action));
    put_stored(out, "action", json_find_member(view->row.action, STR("type")));
    answer_put_word(out, "status", schedule_status(&view->cursor));
    if (slots == 0 || !has_plan || !print_slots(call, row, past, buckets->window, slots, out))
        print_buckets(call, row, past, buckets, out);
    timeline_row_end(call, row);
    if (past->is_cut && !row->cut)
        row->cut = too_many;
    answer_put_word(out, "cut", row->cut);
    answer_text(out, "}");
}
