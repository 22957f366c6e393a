/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does what the engine does in the turns of one schedule, on a copy of its cursor: ends of
 * runs, the end of a pause, due slots, the overlap policy; see src/engine/start_slots.c,
 * decide.c and next_slot.c, which do the same with rows, commands and several schedules.
 */
#include "core/forecast_turn.h"

#include <string.h>

#include "base/must.h"
#include "core/pick.h"

enum {
    AT_REST = CURSOR_DISABLED | CURSOR_CLOSED | CURSOR_QUARANTINED | CURSOR_DELETED,
    DECIDE_PASSES_MAX = 3, /* as in the engine */
    CANDIDATES_PER_STEP = 8,
};

void forecast_update_context(struct forecast *f)
{
    f->ctx = advance_ctx(f->plan, &f->cursor);
    f->ctx.calendars = f->calendars;
    f->ctx.budget = f->budget;
}

static void say(struct forecast *f, enum forecast_kind kind, const struct account *account,
                instant due)
{
    if (!f->is_stopped)
        f->is_stopped = !f->note(f->arg, &(struct forecast_note){kind, f->now, *account, due});
}

void forecast_say_slot(struct forecast *f, enum forecast_kind kind, const struct due_slot *slot,
                       enum outcome outcome, enum reason reason)
{
    say(f, kind, &(struct account){slot->at, slot->at, 1, outcome, reason}, slot->due);
}

void forecast_set_next(struct forecast *f, instant at)
{
    struct slot slot;

    f->cursor.next_at = f->next_due = at;
    if (at != INSTANT_NEVER && !f->plan->is_governed && f->plan->spec.jitter > 0 &&
        spec_next(&f->plan->spec, &f->ctx, at - 1, &slot))
        f->next_due = slot.due;
}

void forecast_find_next(struct forecast *f)
{
    struct slot slot;

    forecast_update_context(f);
    if (f->cursor.remaining == 0 || !spec_next(&f->plan->spec, &f->ctx, f->cursor.mark, &slot))
        slot = (struct slot){.at = INSTANT_NEVER, .due = INSTANT_NEVER};
    f->cursor.next_at = slot.at;
    f->next_due = slot.due;
}

/* ---- slots that get an outcome ---- */

static struct advance *prepare_advance(struct forecast *f, const struct cursor *cursor,
                                       instant now)
{
    struct advance *a = &f->room->advance;

    a->plan = f->plan;
    a->ctx = f->ctx;
    a->cursor = cursor;
    a->now = now;
    a->exceptions = f->exceptions;
    a->exception_count = f->exception_count;
    a->slots_max = 0;
    a->slots = f->room->waiting + f->cursor.waiting;
    return a;
}

static void adopt(struct forecast *f, const struct advance *a)
{
    int slot = 0;

    for (int i = 0; i <= a->account_count; i++) {
        const struct account *account = i < a->account_count ? &a->accounts[i] : NULL;

        for (; slot < a->slot_count && (!account || a->slots[slot].at < account->first); slot++)
            forecast_say_slot(f, FORECAST_LISTED, &a->slots[slot], OUTCOME_STARTED,
                              REASON_NONE);
        if (account)
            say(f, FORECAST_ACCOUNT, account, account->first);
    }
    f->start_count = a->slot_count;
    f->cursor.mark = a->mark;
    f->cursor.next_at = a->next_at;
    f->next_due = a->next_due;
}

static void account_until(struct forecast *f, instant until, enum outcome outcome,
                          enum reason reason)
{
    struct advance *a = prepare_advance(f, &f->cursor, until);

    do {
        advance_account_due(a, outcome, reason);
        adopt(f, a);
    } while (a->has_more && a->account_count > 0 && !forecast_is_over(f));
}

/* ---- governed schedules ---- */

static struct pick pick_of(const struct forecast *f)
{
    return (struct pick){
        .plan = f->plan,
        .ctx = &f->ctx,
        .mark = f->cursor.mark,
        .governor = pick_governor(f->plan, &f->cursor),
    };
}

/* The times of the grid that the governor has passed over. */
static void account_passed(struct forecast *f, instant until)
{
    const struct cursor *c = &f->cursor;
    instant last = until < c->next_at - 1 ? until : c->next_at - 1;

    if (c->remaining != 0 && last > c->mark && !(c->flags & CURSOR_BARRED))
        account_until(f, last, OUTCOME_SKIPPED, REASON_GOVERNOR);
}

static void govern(struct forecast *f, instant started)
{
    struct cursor *c = &f->cursor;
    struct governor governor = pick_governor(f->plan, c);
    struct governed chosen;
    struct pick pick;

    governor_tidy(&governor, started, f->now);
    c->hint_interval = governor.hint_interval;
    c->hint_at = governor.hint_at;
    c->hint_expires = governor.hint_expires;
    forecast_set_next(f, INSTANT_NEVER);
    if (c->remaining == 0)
        return;
    account_passed(f, f->now - 1);
    forecast_update_context(f);
    pick = pick_of(f);
    chosen = pick_next(&pick, started, f->now);
    c->source = (int64_t)chosen.source;
    forecast_set_next(f, chosen.at);
    account_passed(f, f->now);
}

/* The next slot after a run from `started` to now; INSTANT_NONE: there was no run. */
static void follow(struct forecast *f, instant started)
{
    if (f->cursor.open > 0)
        return;
    if (!f->plan->is_governed)
        forecast_find_next(f);
    else if (f->cursor.next_at == INSTANT_NEVER)
        govern(f, started == INSTANT_NONE ? f->now : started);
}

/* A governed schedule whose pick did not start gets another one. */
static void replace_pick(struct forecast *f)
{
    const struct cursor *c = &f->cursor;

    if (f->plan->is_governed && c->next_at == INSTANT_NEVER && c->waiting == 0)
        follow(f, INSTANT_NONE);
}

static void resume_governed(struct forecast *f, instant end)
{
    struct cursor *c = &f->cursor;
    bool is_overdue = c->next_at < end;

    if (f->plan->policies.catchup_paused)
        account_passed(f, end - 1);
    else
        account_until(f, end - 1, OUTCOME_MISSED, REASON_PAUSED);
    if (!is_overdue)
        return;
    c->source = SOURCE_PAUSED;
    if (c->next_at == INSTANT_NEVER) {
        struct pick pick = pick_of(f);

        forecast_set_next(f, pick_allowed(&pick, end / SPAN_MS * SPAN_MS));
    }
}

static void end_pause(struct forecast *f)
{
    struct cursor *c = &f->cursor;
    instant end = c->paused_until;

    if (!(c->flags & CURSOR_PAUSED) || end > f->now)
        return;
    c->flags &= ~(int64_t)CURSOR_PAUSED;
    c->paused_until = INSTANT_NEVER;
    if (f->plan->is_governed)
        resume_governed(f, end);
    else if (!f->plan->policies.catchup_paused)
        account_until(f, end - 1, OUTCOME_MISSED, REASON_PAUSED);
}

/* ---- due slots ---- */

static int64_t buffer_room(const struct forecast *f)
{
    return policies_buffer_room(&f->plan->policies, f->cursor.waiting, ADVANCE_SLOTS_MAX);
}

/* Starts that are left after those that wait, when starts are limited. */
static int64_t remaining_room(const struct forecast *f)
{
    const struct cursor *c = &f->cursor;

    return c->remaining < 0 ? ADVANCE_SLOTS_MAX : c->remaining - c->waiting;
}

static void advance_slots(struct forecast *f)
{
    struct cursor *c = &f->cursor;
    struct cursor limited = *c;
    int64_t buffer = buffer_room(f), left = remaining_room(f);
    struct advance *a;

    c->flags |= CURSOR_FULL;
    f->is_cut |= c->waiting >= FORECAST_WAITING_MAX;
    if ((left <= 0 && c->remaining > 0) || c->waiting >= FORECAST_WAITING_MAX ||
        (buffer <= 0 && !f->plan->policies.drop_when_full))
        return;
    if (c->remaining > 0)
        limited.remaining = left;
    if (f->plan->follows && !f->plan->is_governed)
        limited.next_at = c->mark;
    a = prepare_advance(f, &limited, f->now);
    a->slots_max = buffer < 0 ? 0 : (int)buffer;
    advance(a);
    adopt(f, a);
    c->flags &= ~(int64_t)CURSOR_FULL;
}

/* ---- runs ---- */

static void end_first(struct forecast *f)
{
    struct cursor *c = &f->cursor;
    instant started = forecast_first_open(f)->started;

    f->open_first = (f->open_first + 1) % FORECAST_OPEN_MAX;
    c->open--;
    c->last_end = f->now;
    c->failures = 0;
    f->open_changed = true;
    if (f->plan->follows)
        follow(f, started);
}

void forecast_end_runs(struct forecast *f, instant until)
{
    while (f->cursor.open > 0 && forecast_first_open(f)->ends <= until)
        end_first(f);
}

/* If slots depend on runs, each run that is created or begins moves the next slot. */
static void recompute_next(struct forecast *f, bool is_new)
{
    struct cursor *c = &f->cursor;

    if (!f->plan->follows)
        return;
    if (f->plan->is_governed) {
        forecast_set_next(f, INSTANT_NEVER);
        return;
    }
    if (is_new)
        c->next_at = c->mark;
    forecast_find_next(f);
}

static void begin_run(struct forecast *f, const struct due_slot *slot, bool is_new)
{
    struct cursor *c = &f->cursor;

    forecast_say_slot(f, FORECAST_BEGUN, slot, OUTCOME_STARTED, REASON_NONE);
    forecast_add_open(f, (struct forecast_run){f->now, instant_after(f->now, f->duration)});
    c->started++;
    c->last_start = f->now;
    c->last_slot = slot->at;
    if (c->remaining > 0 && --c->remaining == 0)
        forecast_set_next(f, INSTANT_NEVER);
    recompute_next(f, is_new);
}

/* The window counts when the turn of a waiting start comes: docs/semantics.md. */
static bool expires_at_start(const struct forecast *f)
{
    const struct policies *p = &f->plan->policies;

    return p->expires_at_start && p->catchup_window != CATCHUP_WINDOW_NONE && !f->plan->follows;
}

/* True if a new slot will start soon, so that what waits need not start now. */
static bool awaits_slot(const struct forecast *f)
{
    const struct policies *p = &f->plan->policies;
    const struct cursor *c = &f->cursor;
    bool is_near = f->next_due - f->now <= p->catchup_window;

    if (c->next_at == INSTANT_NEVER || (c->flags & (AT_REST | CURSOR_BARRED | CURSOR_FULL)) ||
        buffer_room(f) <= 0 || remaining_room(f) <= 0)
        return false;
    for (int i = 0; i < c->waiting && !is_near; i++)
        if (!policies_is_too_late(p, f->room->waiting[i].due, f->now))
            return false;
    return true;
}

static bool is_stranded(const struct forecast *f)
{
    return expires_at_start(f) && f->cursor.waiting > 0 && f->cursor.open == 0 &&
           !awaits_slot(f);
}

/* Removes what has waited for too long. */
static void expire_waiting(struct forecast *f)
{
    struct due_slot *list = f->room->waiting;
    int kept = 0;

    for (int i = 0; i < f->cursor.waiting; i++)
        if (policies_is_too_late(&f->plan->policies, list[i].due, f->now))
            forecast_say_slot(f, FORECAST_EXPIRED, &list[i], OUTCOME_MISSED, REASON_WINDOW);
        else
            list[kept++] = list[i];
    memmove(list + kept, list + f->cursor.waiting, (size_t)f->start_count * sizeof *list);
    f->cursor.waiting = kept;
}

/* One candidate by its verdict; true if it waits from now on. */
static bool apply_verdict(struct forecast *f, const struct due_slot *slot, enum verdict verdict,
                          bool is_new)
{
    if (verdict == VERDICT_HOLD) {
        if (is_new) {
            f->cursor.last_held = slot->at;
            recompute_next(f, true);
        }
        return true;
    }
    if (verdict != VERDICT_START)
        forecast_say_slot(f, FORECAST_SKIPPED, slot, OUTCOME_SKIPPED, REASON_OVERLAP);
    else if (!is_new && policies_is_too_late(&f->plan->policies, slot->due, f->now))
        forecast_say_slot(f, FORECAST_EXPIRED, slot, OUTCOME_MISSED, REASON_WINDOW);
    else
        begin_run(f, slot, is_new);
    return false;
}

/* One pass; true if open runs were ended, so that another pass may start more. */
static bool decide_once(struct forecast *f)
{
    struct forecast_room *room = f->room;
    bool at_start = expires_at_start(f), is_open = f->cursor.open > 0;
    /* A new start begins before those that did not when the last run ended. */
    bool is_passed_over = at_start && !is_open && f->start_count > 0 && !f->open_changed;
    struct overlap_effects effects;
    int waited, count, held;

    if (!at_start || !(is_open || is_passed_over || awaits_slot(f)))
        expire_waiting(f);
    waited = (int)f->cursor.waiting;
    held = is_passed_over ? waited : 0;
    count = waited + f->start_count;
    f->start_count = 0;
    f->open_changed = false;
    if (count == held || !budget_spend(f->budget, count / CANDIDATES_PER_STEP))
        return false;
    memset(room->policy, OVERLAP_DEFAULT, (size_t)count);
    effects = overlap_decide(room->policy, count - held, f->plan->policies.overlap, is_open,
                             room->verdict);
    for (int i = held, first = held; i < count; i++) {
        struct due_slot slot = room->waiting[i];

        if (apply_verdict(f, &slot, (enum verdict)room->verdict[i - first], i >= waited))
            room->waiting[held++] = slot;
    }
    f->cursor.waiting = held;
    if (!effects.cancel && !effects.terminate)
        return false;
    while (f->cursor.open > 0)
        end_first(f);
    return true;
}

static void decide(struct forecast *f)
{
    for (int i = 0; i < DECIDE_PASSES_MAX && decide_once(f); i++)
        ;
}

/* ---- the turn ---- */

instant forecast_wake(struct forecast *f)
{
    struct cursor *c = &f->cursor;

    if (c->flags & AT_REST)
        return INSTANT_NEVER;
    replace_pick(f);
    if (buffer_room(f) > 0 && remaining_room(f) > 0 && c->waiting < FORECAST_WAITING_MAX)
        c->flags &= ~(int64_t)CURSOR_FULL;
    if (c->flags & CURSOR_PAUSED)
        return c->paused_until;
    return c->remaining == 0 || (c->flags & CURSOR_FULL) ? INSTANT_NEVER : f->next_due;
}

void forecast_take_turn(struct forecast *f, instant now, bool is_due)
{
    bool is_full = (f->cursor.flags & CURSOR_FULL) != 0;

    f->now = now;
    forecast_end_runs(f, now);
    end_pause(f);
    if (!(f->cursor.flags & CURSOR_BARRED) && (is_due || (is_full && f->open_changed)))
        advance_slots(f);
    if (f->start_count > 0 || f->open_changed || is_stranded(f))
        decide(f);
}
