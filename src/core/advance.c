/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides slots in ascending order: `mark` moves with each slot that is listed or accounted
 * for, so stopping anywhere omits no slot and counts none twice.
 *
 * Every slot is due before the nominal time of the next slot.  So the slots that are due at a
 * given time are all slots up to some nominal time, called "bound" below.
 */
#include "core/advance.h"

#include "base/must.h"

enum {
    /* Stepping over up to this many slots is cheaper than counting them day by day. */
    STEP_OVER_MAX = 100,
    /* Slots that one turn steps over if there is no faster way to count them. */
    STEP_OVER_SLOW_MAX = 20000,
};

static instant later(instant a, instant b)
{
    return a > b ? a : b;
}

struct spec_ctx advance_ctx(const struct plan *plan, const struct cursor *cursor)
{
    struct spec_ctx ctx = {.created = plan->created, .kept = INSTANT_NONE, .seed = plan->seed};
    bool is_open = cursor->open > 0;
    instant next = cursor->next_at;

    /* The creation of a run that has to wait counts as its start; its real start does not. */
    ctx.last_start = later(cursor->last_slot, cursor->last_held);
    /* The end may be missing, or before the start if the clock was set back. */
    ctx.last_end = later(cursor->last_end, ctx.last_start);
    /* A run can be open before the first automatic start: then count from the creation. */
    if (is_open && ctx.last_start == INSTANT_NONE)
        ctx.last_start = plan->created;
    if (is_open)
        ctx.last_end = INSTANT_NONE;
    /* A run that starts after the time of the next slot does not move that slot. */
    if (!plan->is_governed && next > cursor->mark && next <= cursor->last_start)
        ctx.kept = next;
    return ctx;
}

static void reset_output(struct advance *a)
{
    must(a->slots_max >= 0 && a->slots_max <= ADVANCE_SLOTS_MAX);
    must(a->exception_count >= 0 && a->exception_count <= EXCEPTIONS_MAX);
    /* Otherwise several slots would start before the first one moves the others. */
    must(a->plan->follows || !plan_follows(a->plan));
    if (a->plan->is_governed)
        a->ctx = plan_grid_ctx(&a->ctx);
    a->slot_count = 0;
    a->account_count = 0;
    a->mark = a->cursor->mark;
    a->next_at = INSTANT_NEVER;
    a->next_due = INSTANT_NEVER;
    a->has_more = false;
}

static bool next_slot(const struct advance *a, instant after, struct slot *ret)
{
    if (!spec_next(&a->plan->spec, &a->ctx, after, ret))
        return false;
    must(ret->at > after);     /* or a slot would start twice       */
    must(ret->due >= ret->at); /* or it would start before its time */
    return true;
}

static void set_next(struct advance *a, const struct slot *slot)
{
    a->next_at = slot->at;
    a->next_due = slot->due;
}

static void find_next(struct advance *a)
{
    struct slot slot;

    if (next_slot(a, a->mark, &slot))
        set_next(a, &slot);
}

/* Slots at or before the result are due at `t`; later slots are not. */
static instant due_bound(const struct advance *a, instant t)
{
    struct slot slot;

    if (a->plan->spec.jitter == 0 || t <= a->mark)
        return t;
    if (!spec_prev(&a->plan->spec, &a->ctx, t + 1, &slot))
        return t;
    return slot.due <= t ? t : slot.at - 1;
}

/* The index of the first exception after `t`. */
static int exception_after(const struct advance *a, instant t)
{
    int low = 0, high = a->exception_count;

    while (low < high) {
        int mid = low + (high - low) / 2;

        if (a->exceptions[mid] <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool is_exception(const struct advance *a, instant at)
{
    int i = exception_after(a, at);

    return i > 0 && a->exceptions[i - 1] == at;
}

static bool has_room(const struct advance *a)
{
    return a->slot_count < a->slots_max;
}

/*
 * The time of a governed slot comes from the cursor, that is from a stored row, so only the
 * slots that this file computes are known to be after the mark.
 */
static bool is_after_mark(const struct advance *a, instant at)
{
    return a->plan->is_governed || at > a->mark;
}

static void list_slot(struct advance *a, const struct slot *slot)
{
    must(has_room(a));
    must(slot->at <= a->now);         /* or it would start before its time */
    must(is_after_mark(a, slot->at)); /* or it would start twice           */
    a->slots[a->slot_count++] = (struct due_slot){.at = slot->at, .due = slot->due};
    a->mark = slot->at;
}

/* Accounts for a range that begins with the first slot after the mark; false: no room. */
static bool add_account(struct advance *a, const struct account *range)
{
    struct account *last = a->account_count > 0 ? &a->accounts[a->account_count - 1] : NULL;

    must(is_after_mark(a, range->first)); /* or a slot would have two outcomes */
    must(range->count > 0 && (range->count == 1) == (range->first == range->last));
    must(range->first <= range->last && range->last <= a->now);
    /* A reason of NONE is for callers that only count. */
    must(range->reason == REASON_NONE || outcome_is_of_slot(range->outcome, range->reason));
    /* The mark is the last decided slot: if `last` ends there, no slot lies between. */
    if (last && last->last == a->mark && last->outcome == range->outcome &&
        last->reason == range->reason) {
        last->last = range->last;
        last->count += range->count;
    } else if (a->account_count < ADVANCE_ACCOUNTS_MAX) {
        a->accounts[a->account_count++] = *range;
    } else {
        return false;
    }
    a->mark = range->last;
    return true;
}

static bool account_slot(struct advance *a, instant at, enum outcome outcome,
                         enum reason reason)
{
    return add_account(a, &(struct account){at, at, 1, outcome, reason});
}

static bool is_whole_second(span d)
{
    return d % SPAN_S == 0;
}

static bool is_on_whole_seconds(const struct entry *entry)
{
    const struct interval_def *interval = &entry->interval;

    if (entry->kind == ENTRY_CRON)
        return !(entry->cron.flags & CRON_FRACTION);
    return entry->kind == ENTRY_INTERVAL && is_whole_second(interval->every) &&
           is_whole_second(interval->phase) &&
           (interval->anchor == ANCHOR_EPOCH || interval->anchor == ANCHOR_MIDNIGHT);
}

/* True if spec_count() needs only a division. */
static bool is_single_interval(const struct spec *spec)
{
    return spec->entry_count == 1 && spec->entries[0].kind == ENTRY_INTERVAL &&
           spec->entries[0].interval.anchor != ANCHOR_MIDNIGHT && spec->at_count == 0 &&
           !spec->window.is_set && spec->not_cron_count == 0 && spec->not_date_count == 0 &&
           spec->not_named_count == 0;
}

/* True if spec_count() may have to step over each slot. */
static bool is_slow_to_count(const struct spec *spec)
{
    if (spec->shift != SHIFT_NONE)
        return true;
    if (is_single_interval(spec))
        return false;
    for (int i = 0; i < spec->entry_count; i++)
        if (!is_on_whole_seconds(&spec->entries[i]))
            return true;
    for (int i = 0; i < spec->at_count; i++)
        if (!is_whole_second(spec->at[i].at))
            return true;
    return false;
}

/* Adds slots up to `until` to a range until it has `max`; false if there are no more. */
static bool step_over(struct spec_walk *walk, instant until, int64_t max, struct account *range)
{
    struct slot slot;

    while (range->count < max) {
        if (!spec_walk_next(walk, &slot) || slot.at > until)
            return false;
        if (range->count++ == 0)
            range->first = slot.at;
        range->last = slot.at;
    }
    return true;
}

/*
 * The slots in (mark, until] as one range: steps over the first few and counts the rest.
 * Returns false if there may be more of them than one turn can step over.
 */
static bool find_range(const struct advance *a, instant until, struct account *range)
{
    const struct spec *spec = &a->plan->spec;
    struct spec_walk walk;
    struct slot slot;

    spec_walk_begin(&walk, spec, &a->ctx, a->mark);
    if (!step_over(&walk, until, STEP_OVER_MAX, range))
        return true;
    if (is_slow_to_count(spec))
        return !step_over(&walk, until, STEP_OVER_SLOW_MAX, range);
    if (spec_prev(spec, &a->ctx, until + 1, &slot) && slot.at > range->last) {
        range->count += spec_count(spec, &a->ctx, range->last, slot.at);
        range->last = slot.at;
    }
    return true;
}

/* Accounts for all slots up to `until`, none of them an exception; false if it stops early. */
static bool account_range(struct advance *a, instant until, enum outcome outcome,
                          enum reason reason)
{
    struct account range = {.outcome = outcome, .reason = reason};
    bool is_whole;

    if (until <= a->mark)
        return true;
    is_whole = find_range(a, until, &range);
    return (range.count == 0 || add_account(a, &range)) && is_whole;
}

/* Accounts for all slots up to `until`: exceptions as cancelled, the others as given. */
static bool account_until(struct advance *a, instant until, enum outcome outcome,
                          enum reason reason)
{
    int i = exception_after(a, a->mark);

    for (; i < a->exception_count && a->exceptions[i] <= until; i++) {
        instant at = a->exceptions[i];
        struct slot slot;

        /* After an edit some exceptions may no longer be slots. */
        if (at <= a->mark || !next_slot(a, at - 1, &slot) || slot.at != at)
            continue;
        if (!account_range(a, at - 1, outcome, reason) ||
            !account_slot(a, at, OUTCOME_SLOT_CANCELLED, REASON_USER))
            return false;
    }
    return account_range(a, until, outcome, reason);
}

/* How late a slot may still start; CATCHUP_WINDOW_NONE: no limit. */
static span catchup_window(const struct policies *policies)
{
    span window = policies->catchup_window;

    if (policies->catchup != CATCHUP_NONE)
        return window;
    return window == CATCHUP_WINDOW_NONE || window > CATCHUP_GRACE ? CATCHUP_GRACE : window;
}

/* Lists a slot that should run, or drops it; false: there is no room, and the slot waits. */
static bool list_or_drop(struct advance *a, const struct slot *slot)
{
    if (has_room(a)) {
        list_slot(a, slot);
        return true;
    }
    return a->plan->policies.drop_when_full &&
           account_slot(a, slot->at, OUTCOME_DROPPED, REASON_BUFFER);
}

/* Exactly one slot is due, the usual case; false: there is no room, and the slot waits. */
static bool decide_single(struct advance *a, const struct slot *slot)
{
    span window = catchup_window(&a->plan->policies);

    if (is_exception(a, slot->at))
        return account_slot(a, slot->at, OUTCOME_SLOT_CANCELLED, REASON_USER);
    if (window != CATCHUP_WINDOW_NONE && a->now - slot->due > window)
        return account_slot(a, slot->at, OUTCOME_MISSED, REASON_WINDOW);
    return list_or_drop(a, slot);
}

/* How many slots may be listed before the caller must report which of them started. */
static int64_t list_max(const struct advance *a)
{
    /* Each start moves the slots that follow it. */
    int64_t max = a->plan->follows ? 1 : ADVANCE_SLOTS_MAX;

    return a->cursor->remaining >= 0 && a->cursor->remaining < max ? a->cursor->remaining : max;
}

static void advance_all(struct advance *a, instant bound)
{
    int64_t max = list_max(a);
    struct spec_walk walk;
    struct slot slot;

    spec_walk_begin(&walk, &a->plan->spec, &a->ctx, a->mark);
    while (spec_walk_next(&walk, &slot) && slot.at <= bound) {
        if (is_exception(a, slot.at)) {
            if (!account_slot(a, slot.at, OUTCOME_SLOT_CANCELLED, REASON_USER))
                return;
        } else if (a->slot_count >= max) {
            return;
        } else if (has_room(a)) {
            list_slot(a, &slot);
        } else {
            if (a->plan->policies.drop_when_full)
                (void)account_until(a, bound, OUTCOME_DROPPED, REASON_BUFFER);
            return;
        }
    }
}

/* The first slot in (mark, bound] that is not an exception; accounts for those before it. */
static bool find_oldest(struct advance *a, instant bound, struct slot *ret)
{
    while (next_slot(a, a->mark, ret) && ret->at <= bound) {
        if (!is_exception(a, ret->at))
            return true;
        if (!account_slot(a, ret->at, OUTCOME_SLOT_CANCELLED, REASON_USER))
            return false;
    }
    return false;
}

/* The last slot in (mark, bound] that is not an exception. */
static bool find_latest(const struct advance *a, instant bound, struct slot *ret)
{
    instant before = bound + 1;

    while (spec_prev(&a->plan->spec, &a->ctx, before, ret) && ret->at > a->mark) {
        if (!is_exception(a, ret->at))
            return true;
        before = ret->at;
    }
    return false;
}

static void advance_oldest(struct advance *a, instant bound)
{
    struct slot oldest;

    if (find_oldest(a, bound, &oldest) && list_or_drop(a, &oldest))
        (void)account_until(a, bound, OUTCOME_MISSED, REASON_COALESCED);
}

static void advance_latest(struct advance *a, instant bound)
{
    struct slot oldest, latest;

    if (!find_oldest(a, bound, &oldest) || !find_latest(a, bound, &latest))
        return;
    if (!has_room(a) && !a->plan->policies.drop_when_full)
        return;
    /* The slots after the latest one are all cancelled. */
    if (account_until(a, latest.at - 1, OUTCOME_MISSED, REASON_COALESCED) &&
        list_or_drop(a, &latest))
        (void)account_until(a, bound, OUTCOME_MISSED, REASON_COALESCED);
}

static void advance_several(struct advance *a)
{
    const struct policies *policies = &a->plan->policies;
    span window = catchup_window(policies);
    instant bound = due_bound(a, a->now);

    if (window != CATCHUP_WINDOW_NONE &&
        !account_until(a, due_bound(a, a->now - window - 1), OUTCOME_MISSED, REASON_WINDOW))
        return;
    if (policies->catchup == CATCHUP_ALL)
        advance_all(a, bound);
    else if (policies->catchup == CATCHUP_OLDEST)
        advance_oldest(a, bound);
    else
        advance_latest(a, bound);
}

/* Accounts for the grid times of a governed plan up to `until`; false if it stops early. */
static bool account_grid(struct advance *a, instant until, enum outcome outcome,
                         enum reason reason)
{
    return !plan_has_grid(a->plan) || account_until(a, until, outcome, reason);
}

/* The same for those before the pick, which comes from a stored row. */
static bool account_before(struct advance *a, instant pick, enum outcome outcome,
                           enum reason reason)
{
    return pick <= a->mark || account_grid(a, pick - 1, outcome, reason);
}

/* The pick of a governed plan, which is due at its time, without jitter; false: not due. */
static bool find_pick(struct advance *a, struct slot *ret)
{
    instant at = a->cursor->next_at;

    *ret = (struct slot){.at = at, .due = at};
    set_next(a, ret);
    return at <= a->now;
}

static void forget_pick(struct advance *a)
{
    a->next_at = a->next_due = INSTANT_NEVER;
}

/* Grid times that are not the pick are written when the pick is decided, or later. */
static void advance_governed(struct advance *a)
{
    struct slot pick;
    bool is_done;

    if (!find_pick(a, &pick) || !account_before(a, pick.at, OUTCOME_SKIPPED, REASON_GOVERNOR))
        return;
    is_done = is_exception(a, pick.at)
                  ? account_slot(a, pick.at, OUTCOME_SLOT_CANCELLED, REASON_USER)
                  : list_or_drop(a, &pick);
    if (is_done)
        forget_pick(a);
}

/* Gives the grid times and the pick that are due this outcome. */
static void account_governed(struct advance *a, enum outcome outcome, enum reason reason)
{
    struct slot pick;

    if (find_pick(a, &pick)) {
        bool is_cancelled = is_exception(a, pick.at);

        a->has_more = true;
        if (!account_before(a, pick.at, outcome, reason) ||
            !account_slot(a, pick.at, is_cancelled ? OUTCOME_SLOT_CANCELLED : outcome,
                          is_cancelled ? REASON_USER : reason))
            return;
        forget_pick(a);
    }
    a->has_more = !account_grid(a, a->now, outcome, reason);
}

/* The first slot after the mark.  Without jitter cursor->next_at is enough. */
static bool first_slot(const struct advance *a, struct slot *ret)
{
    instant at = a->cursor->next_at;

    if (at == INSTANT_NEVER)
        return false;
    if (at <= a->mark || a->plan->spec.jitter > 0)
        return next_slot(a, a->mark, ret);
    *ret = (struct slot){.at = at, .due = at};
    return true;
}

/* No slot is decided twice, and the mark moves exactly with the decided slots. */
static void check_result(const struct advance *a)
{
    must(a->slot_count <= a->slots_max && a->account_count <= ADVANCE_ACCOUNTS_MAX);
    must(a->next_due >= a->next_at);
    if (a->plan->is_governed)
        return;
    must(a->mark >= a->cursor->mark);
    must(a->mark == a->cursor->mark || a->mark <= a->now);
    must(a->next_at == INSTANT_NEVER || a->next_at > a->mark);
    must((a->mark > a->cursor->mark) == (a->slot_count + a->account_count > 0));
}

/* The slots of a plan that is not governed. */
static void advance_spec(struct advance *a)
{
    struct slot first, second;
    bool has_second;

    if (!first_slot(a, &first))
        return;
    if (first.due > a->now) {
        set_next(a, &first);
        return;
    }
    has_second = next_slot(a, first.at, &second);
    if (has_second && second.due <= a->now) {
        advance_several(a);
        find_next(a);
    } else if (!decide_single(a, &first)) {
        set_next(a, &first);
    } else if (has_second) {
        set_next(a, &second);
    }
    must(a->slot_count <= list_max(a));
}

void advance(struct advance *a)
{
    reset_output(a);
    if (a->cursor->remaining == 0)
        return;
    if (a->plan->is_governed)
        advance_governed(a);
    else
        advance_spec(a);
    check_result(a);
}

void advance_account_due(struct advance *a, enum outcome outcome, enum reason reason)
{
    reset_output(a);
    if (a->cursor->remaining == 0)
        return;
    if (a->plan->is_governed) {
        account_governed(a, outcome, reason);
    } else {
        a->has_more = !account_until(a, due_bound(a, a->now), outcome, reason);
        find_next(a);
    }
    must(a->slot_count == 0);
    check_result(a);
}

/* The slot of "now" is the moment of creation itself, so the mark must be before it. */
static bool starts_at_once(const struct advance *a)
{
    const struct spec *spec = &a->plan->spec;

    return a->now == a->plan->created && spec->at_count > 0 && spec->at[0].at == INSTANT_NONE;
}

/* A slot whose nominal time has passed but that is not yet due: an edit must not lose it. */
static bool find_pending(const struct advance *a, struct slot *ret)
{
    return a->plan->spec.jitter > 0 && spec_prev(&a->plan->spec, &a->ctx, a->now + 1, ret) &&
           ret->due > a->now && ret->at > a->plan->created && ret->at > a->cursor->mark;
}

void advance_begin(struct advance *a)
{
    struct slot slot;

    reset_output(a);
    if (starts_at_once(a))
        a->mark = a->now - SPAN_MS;
    else if (a->mark < a->now)
        a->mark = !a->plan->is_governed && find_pending(a, &slot) ? slot.at - 1 : a->now;
    if (!a->plan->is_governed && a->cursor->remaining != 0)
        find_next(a);
    must(a->mark >= a->cursor->mark || starts_at_once(a));
    must(a->next_at > a->mark || a->next_at == INSTANT_NEVER);
}
