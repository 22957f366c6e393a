/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The play: which instant comes next, and stretches in which nothing needs a decision.
 */
#include "core/forecast.h"

#include "base/must.h"
#include "core/forecast_turn.h"

enum { TURN_STEPS = 4 }; /* of struct budget */

bool forecast_depends_on_runs(const struct plan *plan, const struct cursor *cursor)
{
    return plan_follows(plan) || cursor->remaining >= 0;
}

/* True if every slot begins when it is due, regardless of earlier runs. */
static bool is_steady(struct forecast *f, instant now)
{
    const struct cursor *c = &f->cursor;
    bool is_free = f->plan->policies.overlap == OVERLAP_ALLOW_ALL;

    if (forecast_depends_on_runs(f->plan, c) || c->waiting > 0 || now < f->next_due ||
        now > f->next_due || (c->flags & (CURSOR_FULL | CURSOR_PAUSED)))
        return false;
    if (is_free)
        return true;
    forecast_end_runs(f, now);
    f->open_changed = false;
    return f->duration == 0 && c->open == 0;
}

static bool is_exception(const struct forecast *f, instant at)
{
    int low = 0, high = f->exception_count;

    while (low < high) {
        int mid = low + (high - low) / 2;

        if (f->exceptions[mid] < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low < f->exception_count && f->exceptions[low] == at;
}

/* All slots that are due before `until`, each in time. */
static void walk(struct forecast *f, instant until)
{
    struct spec_walk walk;
    struct slot slot;
    bool has_slot;

    spec_walk_begin(&walk, &f->plan->spec, &f->ctx, f->cursor.mark);
    while ((has_slot = spec_walk_next(&walk, &slot)) && slot.due < until && !f->is_stopped &&
           budget_spend(f->budget, 1)) {
        struct due_slot start = {slot.at, slot.due};

        f->now = slot.due;
        f->cursor.mark = slot.at;
        if (is_exception(f, slot.at)) {
            forecast_say_slot(f, FORECAST_ACCOUNT, &start, OUTCOME_SLOT_CANCELLED, REASON_USER);
            continue;
        }
        forecast_say_slot(f, FORECAST_LISTED, &start, OUTCOME_STARTED, REASON_NONE);
        forecast_say_slot(f, FORECAST_BEGUN, &start, OUTCOME_STARTED, REASON_NONE);
    }
    f->cursor.next_at = has_slot ? slot.at : INSTANT_NEVER;
    f->next_due = has_slot ? slot.due : INSTANT_NEVER;
}

static bool is_down(const struct forecast *f, instant t)
{
    return t >= f->down_from && t < f->down_to;
}

void forecast_play(struct forecast *f)
{
    if (f->plan->follows && !f->plan->is_governed)
        forecast_find_next(f); /* the caller may have added open runs */
    while (!forecast_is_over(f)) {
        const struct forecast_run *open = forecast_first_open(f);
        instant wake = forecast_wake(f), now = wake;

        if (open && open->ends < now && (f->cursor.waiting > 0 || f->plan->follows))
            now = open->ends;
        now = now < f->now ? f->now : now;
        now = is_down(f, now) ? f->down_to : now;
        f->rounds = now == f->now ? f->rounds + 1 : 0;
        f->is_cut |= f->rounds > FORECAST_ROUNDS_MAX;
        if (now >= f->until || f->is_cut || !budget_spend(f->budget, TURN_STEPS))
            return;
        if (is_steady(f, now))
            walk(f, now < f->down_from && f->down_from < f->until ? f->down_from : f->until);
        else
            forecast_take_turn(f, now, wake <= now);
    }
}

/* ---- the beginning ---- */

void forecast_begin(struct forecast *f, instant now)
{
    struct cursor *c = &f->cursor;

    must(f->plan->follows || !plan_follows(f->plan));
    c->open = c->waiting = 0;
    f->now = now;
    f->open_first = f->start_count = f->rounds = 0;
    f->open_changed = f->is_cut = f->is_stopped = false;
    forecast_update_context(f);
    if (f->plan->is_governed || c->next_at > c->mark)
        forecast_set_next(f, c->next_at);
    else
        forecast_find_next(f);
}

void forecast_add_open(struct forecast *f, struct forecast_run run)
{
    struct cursor *c = &f->cursor;

    if (c->open == FORECAST_OPEN_MAX) {
        f->open_first = (f->open_first + 1) % FORECAST_OPEN_MAX;
        c->open--;
    }
    f->room->open[(f->open_first + c->open) % FORECAST_OPEN_MAX] = run;
    c->open++;
}

void forecast_add_waiting(struct forecast *f, struct due_slot slot)
{
    must(f->cursor.waiting < FORECAST_WAITING_MAX);
    f->room->waiting[f->cursor.waiting++] = slot;
}

/* The mark before the last slot that was due before `at`. */
static instant mark_before(const struct forecast *f, instant at)
{
    struct slot slot;
    bool has_slot = spec_prev(&f->plan->spec, &f->ctx, at, &slot);

    if (has_slot && slot.due >= at) {
        instant pending = slot.at;

        has_slot = spec_prev(&f->plan->spec, &f->ctx, pending, &slot);
        return has_slot ? slot.at - 1 : pending - 1;
    }
    return has_slot ? slot.at - 1 : at - 1;
}

void forecast_begin_at(struct forecast *f, instant at)
{
    struct cursor *c = &f->cursor;

    c->flags &= ~(int64_t)CURSOR_FULL;
    if ((c->flags & CURSOR_PAUSED) && c->paused_until <= at)
        c->flags &= ~(int64_t)CURSOR_PAUSED;
    if (plan_follows(f->plan)) {
        c->mark = at - 1;
        c->last_slot = c->last_start = c->last_end = at - 1;
        c->last_held = INSTANT_NONE;
        c->next_at = f->plan->is_governed ? INSTANT_NEVER : c->mark;
    } else if (!(c->flags & CURSOR_PAUSED) || c->mark >= at) {
        forecast_update_context(f);
        c->mark = c->next_at = mark_before(f, at);
    }
    forecast_begin(f, at - 1);
    if (!plan_follows(f->plan) && !(c->flags & CURSOR_PAUSED))
        f->now = c->mark;
}
