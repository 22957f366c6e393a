/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains why no run of a schedule is planned: its state first, then its spec.
 */
#include "api/schedules/no_next.h"

#include "base/must.h"
#include "core/explain/explain.h"
#include "core/time/text.h"

enum { NO_NEXT_STEPS = 100000 }; /* of struct budget: some milliseconds */

bool no_next_stopped(const struct schedule_view *view, enum no_next_stop stop, struct buf *out)
{
    static const struct {
        int64_t flags;
        const char *text;
    } stops[NO_NEXT_STOPS] = {
        [NO_NEXT_CLOSED] = {CURSOR_CLOSED | CURSOR_DELETED,
                            "it is closed and will not run again"},
        [NO_NEXT_QUARANTINED] = {CURSOR_QUARANTINED,
                                 "it is quarantined, because its program ran whenever its "
                                 "server died; correct it, then release it: "
                                 "belfry schedule release"},
        [NO_NEXT_DISABLED] = {CURSOR_DISABLED, "it is not enabled"},
        [NO_NEXT_PAUSED] = {CURSOR_PAUSED, "it is paused"},
    };
    const struct cursor *cursor = &view->cursor;

    must(stop < NO_NEXT_STOPS);
    if (!(cursor->flags & stops[stop].flags))
        return false;
    buf_text(out, stops[stop].text);
    if (stop != NO_NEXT_PAUSED)
        return true;
    if (cursor->paused_until != INSTANT_NEVER) {
        buf_text(out, " until ");
        instant_format(cursor->paused_until, out);
    }
    if (view->row.reason.len > 0) {
        buf_text(out, ": ");
        buf_str(out, view->row.reason);
    }
    return true;
}

static bool explain_stop(const struct schedule_view *view, struct buf *out)
{
    if (!schedule_times_is_at_rest(&view->cursor))
        return false;
    for (int i = 0; i < NO_NEXT_STOPS; i++)
        if (no_next_stopped(view, (enum no_next_stop)i, out))
            return true;
    return false;
}

/* The next time of such a schedule is set when a run ends. */
static bool explain_open(const struct schedule_times *p, struct buf *out)
{
    if ((!p->plan.follows && !p->plan.is_governed) || p->view.cursor.open == 0)
        return false;
    buf_text(out, "its next run is planned when the open run ends");
    return true;
}

void no_next_explain(const struct schedule_times *p, instant from, struct buf *out)
{
    const struct spec *spec = &p->plan.spec;
    struct slot slot;

    if (explain_stop(&p->view, out) || explain_open(p, out))
        return;
    if (p->view.cursor.remaining == 0) {
        buf_text(out, "its number of runs is used up (policies.remainingRuns)");
    } else if (spec->end < from) {
        buf_text(out, "its end, ");
        instant_format(spec->end, out);
        buf_text(out, ", has passed");
    } else if (!spec_next(spec, &p->ctx, from - 1, &slot)) {
        explain_never(spec, &p->ctx, from - 1, out);
    } else if (p->view.cursor.remaining > 0 && p->view.cursor.next_at < from) {
        buf_text(out, "its remaining runs are planned before that time");
    } else if (p->exception_count > 0) {
        buf_text(out, p->plan.follows
                          ? "its next slot is cancelled; the time after it is not known yet"
                          : "all its remaining slots are cancelled");
    } else {
        buf_text(out, "its next time depends on runs");
    }
}

enum rc no_next_read(const struct call *call, struct db *db, const struct schedule_view *view,
                     struct str *ret, struct err *reterr)
{
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct buf out = arena_buf(call->arena, NO_NEXT_TEXT_MAX);
    struct budget budget = budget_part(call->budget, NO_NEXT_STEPS);
    int64_t given = budget.left;
    struct call inner = *call;
    instant from = call->now;
    enum rc rc;

    *ret = (struct str){NULL, 0};
    if (schedule_next_at(&view->cursor) != INSTANT_NEVER)
        return RC_OK;
    p->view = *view;
    if (explain_stop(view, &out)) {
        *ret = buf_as_str(&out);
        return RC_OK;
    }
    inner.budget = &budget;
    rc = schedule_times_fill(&inner, db, p, reterr);
    if (rc != RC_OK && rc != RC_CONFLICT)
        return rc;
    if ((view->cursor.flags & CURSOR_PAUSED) && view->cursor.paused_until > from)
        from = view->cursor.paused_until;
    if (rc == RC_CONFLICT)
        buf_text(&out, reterr->text); /* its time zone is missing */
    else
        no_next_explain(p, from, &out);
    budget_join(call->budget, given, &budget);
    if (!budget.is_over) /* a reason that is hard to find must not make a write fail */
        *ret = buf_as_str(&out);
    return RC_OK;
}
