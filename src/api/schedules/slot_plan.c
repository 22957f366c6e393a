/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over the plan of a schedule.
 */
#include "api/schedules/slot_plan.h"

/* What every slot of a walk needs. */
struct plan_walk {
    const struct schedule_times *p;
    instant now, after, until;
    slot_plan_fn *visit;
    void *arg;
};

/* Sets why a planned slot would not start, or its outcome if that is already decided. */
static void set_planned_outcome(const struct plan_walk *w, struct slot_planned *slot)
{
    const struct cursor *cursor = &w->p->view.cursor;
    bool is_paused = (cursor->flags & CURSOR_PAUSED) && slot->due < cursor->paused_until;

    if (schedule_times_is_cancelled(w->p, slot->at)) {
        slot->outcome = OUTCOME_SLOT_CANCELLED;
        slot->reason = REASON_USER;
    } else if (is_paused || (cursor->flags & CURSOR_DISABLED)) {
        slot->reason = REASON_PAUSED;
        if (slot->due <= w->now && !w->p->plan.policies.catchup_paused)
            slot->outcome = OUTCOME_MISSED;
    } else if (cursor->flags & CURSOR_QUARANTINED) {
        slot->reason = REASON_QUARANTINED;
    }
}

/* Of a time of the spec that the governor did not choose: docs/semantics.md [P-33]. */
static void set_passed_outcome(const struct plan_walk *w, struct slot_planned *slot)
{
    const struct cursor *c = &w->p->view.cursor;
    bool is_paused = (c->flags & CURSOR_PAUSED) && slot->at < c->paused_until &&
                     !w->p->plan.policies.catchup_paused;

    slot->outcome = OUTCOME_SKIPPED;
    slot->reason = REASON_GOVERNOR;
    if (schedule_times_is_cancelled(w->p, slot->at)) {
        slot->outcome = OUTCOME_SLOT_CANCELLED;
        slot->reason = REASON_USER;
    } else if (is_paused || (c->flags & CURSOR_DISABLED)) {
        slot->outcome = OUTCOME_MISSED;
        slot->reason = REASON_PAUSED;
    } else if (c->flags & CURSOR_QUARANTINED) {
        slot->outcome = OUTCOME_DROPPED;
        slot->reason = REASON_QUARANTINED;
    }
}

static bool visit_planned(const struct plan_walk *w, const struct slot *slot)
{
    struct slot_planned planned = {.at = slot->at, .due = slot->due};

    set_planned_outcome(w, &planned);
    return w->visit(w->arg, &planned);
}

/* The only slot that is known of a schedule that follows its runs or has a governor. */
static bool visit_known(const struct plan_walk *w, const struct slot *known)
{
    return known->at == INSTANT_NEVER || known->at <= w->after || known->at > w->until ||
           visit_planned(w, known);
}

/* The time that the governor chose, and past times that the engine has not recorded yet. */
static void visit_governed(const struct plan_walk *w, instant after)
{
    const struct schedule_times *p = w->p;
    instant until = w->until < w->now ? w->until : w->now;
    struct slot pick = schedule_times_known(p), slot;
    struct spec_ctx ctx = plan_grid_ctx(&p->ctx);
    struct spec_walk walk;

    if (!visit_known(w, &pick) || !plan_has_grid(&p->plan) || p->view.cursor.remaining == 0)
        return;
    spec_walk_begin(&walk, &p->plan.spec, &ctx, after);
    while (budget_spend(p->ctx.budget, 1) && spec_walk_next(&walk, &slot) && slot.at <= until) {
        struct slot_planned passed = {.at = slot.at, .due = INSTANT_NONE};

        set_passed_outcome(w, &passed);
        if (slot.at != pick.at && !w->visit(w->arg, &passed))
            return;
    }
}

static void visit_spec(const struct plan_walk *w, instant after)
{
    const struct schedule_times *p = w->p;
    const struct cursor *cursor = &p->view.cursor;
    int64_t planned = 0; /* slots since the mark that will run, if runs are limited */
    struct spec_walk walk;
    struct slot slot;

    if (cursor->remaining >= 0)
        planned = schedule_times_planned(p, cursor->mark, after);
    spec_walk_begin(&walk, &p->plan.spec, &p->ctx, after);
    while ((cursor->remaining < 0 || planned < cursor->remaining) &&
           budget_spend(p->ctx.budget, 1) && spec_walk_next(&walk, &slot) &&
           slot.at <= w->until) {
        if (!visit_planned(w, &slot))
            return;
        planned += !schedule_times_is_cancelled(p, slot.at);
    }
}

void slot_plan_visit(const struct schedule_times *p, instant now, const instant range[2],
                     slot_plan_fn *visit, void *arg)
{
    const struct cursor *cursor = &p->view.cursor;
    const struct plan_walk w = {
        .p = p, .now = now, .after = range[0], .until = range[1], .visit = visit, .arg = arg};
    instant after = w.after > cursor->mark ? w.after : cursor->mark;

    if (cursor->flags & (CURSOR_CLOSED | CURSOR_DELETED))
        return;
    if (p->plan.is_governed) {
        visit_governed(&w, after);
    } else if (p->plan.follows) {
        struct slot known = schedule_times_known(p);

        (void)visit_known(&w, &known);
    } else {
        visit_spec(&w, after);
    }
}
