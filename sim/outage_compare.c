/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares forecasts with what the engine did, in three ways: from the creation of the schedule
 * to the end of the world with every outcome; from its state when the world stopped; and from
 * the stop alone, as if all earlier slots had been decided in time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sim/outage.h"
#include "sim/recorder.h"

/* The notes of a play, those of one slot in its last state. */
struct notes {
    struct outage_items items;  /* every outcome                               */
    struct forecast_note *list; /* all, if they are kept                      */
    int count;
    instant since; /* only notes from then on are kept */
};

struct outage_item *outage_add(struct outage_items *items)
{
    items->list = recorder_room(items->list, items->count, sizeof *items->list);
    return &items->list[items->count++];
}

/* The entry of a slot that was listed before. */
static struct outage_item *find_listed(struct outage_items *items, instant slot)
{
    for (int i = items->count - 1; i >= 0; i--)
        if (items->list[i].first == slot && items->list[i].outcome == OUTCOME_NONE)
            return &items->list[i];
    return NULL;
}

static void take_item(struct outage_items *items, const struct forecast_note *note)
{
    const struct account *a = &note->account;
    bool is_new = note->kind == FORECAST_ACCOUNT || note->kind == FORECAST_LISTED;
    struct outage_item *item = is_new ? outage_add(items) : find_listed(items, a->first);

    if (!item)
        return; /* it was listed before the play began */
    *item = (struct outage_item){a->first, a->last, a->count, a->outcome, a->reason};
    if (note->kind == FORECAST_LISTED)
        item->outcome = OUTCOME_NONE;
}

static bool take_note(void *arg, const struct forecast_note *note)
{
    struct notes *notes = arg;

    take_item(&notes->items, note);
    if (note->at < notes->since)
        return true;
    notes->list = recorder_room(notes->list, notes->count, sizeof *notes->list);
    notes->list[notes->count++] = *note;
    return true;
}

static void free_notes(struct notes *notes)
{
    free(notes->items.list);
    free(notes->list);
}

static struct forecast forecast_of(const struct outage_plan *plan,
                                   const struct outage_schedule *s, const struct cursor *cursor,
                                   struct notes *notes)
{
    return (struct forecast){
        .plan = &s->plan,
        .calendars = plan->calendars,
        .exceptions = s->cancelled,
        .exception_count = s->cancelled_count,
        .duration = s->duration,
        .down_from = plan->down_from,
        .down_to = plan->down_to,
        .until = plan->end,
        .room = plan->room,
        .note = take_note,
        .arg = notes,
        .cursor = *cursor,
    };
}

/* ---- against the store ---- */

static int by_first(const void *a, const void *b)
{
    const struct outage_item *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts, and makes one of consecutive slots without a run that have the same outcome. */
static void normalize(struct outage_items *items)
{
    int count = 0;

    if (items->count > 1)
        qsort(items->list, (size_t)items->count, sizeof *items->list, by_first);
    for (int i = 0; i < items->count; i++) {
        const struct outage_item *item = &items->list[i];
        struct outage_item *last = count > 0 ? &items->list[count - 1] : NULL;

        if (last && last->outcome == item->outcome && last->reason == item->reason &&
            item->outcome > OUTCOME_STARTED) {
            last->last = item->last;
            last->count += item->count;
        } else {
            items->list[count++] = *item;
        }
    }
    items->count = count;
}

static const char *outcome_name(const struct outage_item *item)
{
    return !item                            ? "nothing"
           : item->outcome == OUTCOME_NONE  ? "waits"
           : item->reason == REASON_NONE    ? outcome_text(item->outcome)
           : item->reason == REASON_OVERLAP ? "skipped(overlap)"
                                            : reason_text(item->reason);
}

/* For --verbose. */
static void print_items(const struct outage_schedule *s, const char *what,
                        const struct outage_items *items)
{
    const struct policies *p = &s->plan.policies;

    printf("%s %s: overlap %s, catch-up %s, window %" PRId64
           " ms, buffer %d, runs take %" PRId64 " ms\n",
           s->name, what, overlap_text(p->overlap), catchup_text(p->catchup),
           p->catchup_window / SPAN_MS, p->buffer_limit, s->duration / SPAN_MS);
    for (int i = 0; i < items->count; i++)
        printf("  %s %" PRId64 " to %" PRId64 " ms (%" PRId64 ")\n",
               outcome_name(&items->list[i]), items->list[i].first / SPAN_MS,
               items->list[i].last / SPAN_MS, items->list[i].count);
}

static enum rc compare_items(const struct outage_schedule *s, const struct outage_items *wanted,
                             struct err *reterr)
{
    const struct outage_items *played = &s->played;

    for (int i = 0; i < wanted->count || i < played->count; i++) {
        const struct outage_item *x = i < wanted->count ? &wanted->list[i] : NULL;
        const struct outage_item *y = i < played->count ? &played->list[i] : NULL;

        if (x && y && memcmp(x, y, sizeof *x) == 0)
            continue;
        return err_set(reterr, RC_CORRUPT, -1, 0,
                       "%s: forecast %s, slots %" PRId64 " to %" PRId64 " ms (%" PRId64
                       "); played %s, %" PRId64 " to %" PRId64 " ms (%" PRId64 ")",
                       s->name, outcome_name(x), x ? x->first / SPAN_MS : 0,
                       x ? x->last / SPAN_MS : 0, x ? x->count : 0, outcome_name(y),
                       y ? y->first / SPAN_MS : 0, y ? y->last / SPAN_MS : 0, y ? y->count : 0);
    }
    return RC_OK;
}

/* ---- against the play from the creation ---- */

static enum rc compare_notes(const struct outage_schedule *s, const char *what,
                             const struct notes *wanted, const struct notes *got,
                             struct err *reterr)
{
    for (int i = 0; i < wanted->count || i < got->count; i++) {
        const struct forecast_note *x = i < wanted->count ? &wanted->list[i] : NULL;
        const struct forecast_note *y = i < got->count ? &got->list[i] : NULL;

        if (x && y && x->kind == y->kind && x->at == y->at && x->due == y->due &&
            memcmp(&x->account, &y->account, sizeof x->account) == 0)
            continue;
        return err_set(reterr, RC_CORRUPT, -1, 0,
                       "%s: the forecast from %s has note %d of slot %" PRId64
                       " ms, the one from its creation note %d of slot %" PRId64 " ms",
                       s->name, what, y ? (int)y->kind : -1, y ? y->account.first / SPAN_MS : 0,
                       x ? (int)x->kind : -1, x ? x->account.first / SPAN_MS : 0);
    }
    return RC_OK;
}

static void add_open(struct forecast *f, const struct outage_open *open)
{
    for (int i = 0; i < open->count; i++)
        forecast_add_open(f, open->runs[i]);
}

static void play_stopped(const struct outage_plan *plan, const struct outage_schedule *s,
                         struct notes *notes)
{
    struct forecast f = forecast_of(plan, s, &s->stopped, notes);

    forecast_begin(&f, plan->down_from - 1);
    add_open(&f, &s->open);
    for (int i = 0; i < s->waiting_count; i++)
        forecast_add_waiting(&f, s->waiting[i]);
    forecast_play(&f);
}

/* Keeps decisions about slots that are due from the stop on. */
static void keep_decisions(struct notes *notes, instant from)
{
    int count = 0;

    for (int i = 0; i < notes->count; i++) {
        const struct forecast_note *note = &notes->list[i];

        if ((note->kind == FORECAST_ACCOUNT || note->kind == FORECAST_LISTED) &&
            note->due >= from)
            notes->list[count++] = *note;
    }
    notes->count = count;
}

/* True if the decisions about its slots do not depend on what was before. */
static bool is_free(const struct outage_schedule *s)
{
    const struct policies *p = &s->plan.policies;

    return !forecast_depends_on_runs(&s->plan, &s->cursor) &&
           (s->stopped.flags & ~CURSOR_EXCEPTIONS) == 0 &&
           policies_buffer_room(p, BUFFER_LIMIT_MAX, 1) == 1;
}

static enum rc compare_any_instant(const struct outage_plan *plan,
                                   const struct outage_schedule *s, struct notes *wanted,
                                   struct err *reterr)
{
    struct notes notes = {.since = plan->down_from};
    struct forecast f = forecast_of(plan, s, &s->cursor, &notes);
    enum rc rc;

    if (!is_free(s))
        return RC_OK;
    f.cursor.flags = 0;
    forecast_begin_at(&f, plan->down_from);
    forecast_play(&f);
    keep_decisions(&notes, plan->down_from);
    keep_decisions(wanted, plan->down_from);
    rc = compare_notes(s, "any instant", wanted, &notes, reterr);
    free_notes(&notes);
    return rc;
}

enum rc outage_compare(const struct outage_plan *plan, const struct outage_schedule *s,
                       struct err *reterr)
{
    struct notes all = {.since = plan->down_from}, stopped = {.since = plan->down_from};
    struct forecast f = forecast_of(plan, s, &s->cursor, &all);
    struct outage_schedule copy = *s;
    enum rc rc;

    forecast_begin(&f, s->created);
    add_open(&f, &s->opened);
    forecast_play(&f);
    normalize(&all.items);
    normalize(&copy.played);
    if (plan->is_verbose) {
        print_items(s, "forecast", &all.items);
        print_items(s, "played", &copy.played);
    }
    rc = f.is_cut ? err_set(reterr, RC_CORRUPT, -1, 0, "%s: the forecast was cut", s->name)
                  : compare_items(&copy, &all.items, reterr);
    if (rc == RC_OK) {
        play_stopped(plan, s, &stopped);
        rc = compare_notes(s, "the stop", &all, &stopped, reterr);
    }
    if (rc == RC_OK)
        rc = compare_any_instant(plan, s, &all, reterr);
    free_notes(&all);
    free_notes(&stopped);
    return rc;
}
