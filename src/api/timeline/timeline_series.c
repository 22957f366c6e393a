/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combines slots into series.  The slots of a single interval are counted by a division; those
 * of other specs are visited.
 */
#include "api/timeline/timeline_series.h"

/* The series that grows. */
struct growth {
    struct timeline_series series;
    instant last;
    timeline_series_fn *add;
    void *arg;
};

static void end_series(struct growth *g)
{
    if (g->series.count > 0)
        g->add(g->arg, &g->series);
    g->series.count = 0;
}

static bool grow(void *arg, const struct slot_planned *slot)
{
    struct growth *g = arg;
    struct timeline_series *s = &g->series;
    span step = slot->at - g->last;
    bool is_same = s->count > 0 && slot->outcome == s->outcome && slot->reason == s->reason &&
                   step > 0 && (s->count == 1 || step == s->step);

    g->last = slot->at;
    if (is_same) {
        s->step = step;
        s->count++;
        return true;
    }
    end_series(g);
    *s = (struct timeline_series){
        .first = slot->at, .count = 1, .outcome = slot->outcome, .reason = slot->reason};
    return true;
}

/* True if all slots of the spec have the distance of its only interval. */
static bool has_equal_distances(const struct spec *spec)
{
    return spec->entry_count == 1 && spec->entries[0].kind == ENTRY_INTERVAL &&
           spec->entries[0].interval.anchor != ANCHOR_MIDNIGHT && spec->at_count == 0 &&
           !spec->window.is_set && spec->shift == SHIFT_NONE && spec->jitter == 0 &&
           spec->not_cron_count + spec->not_date_count + spec->not_named_count == 0;
}

/* The first slot after range[0] up to the last one until range[1]; false: there are none. */
static bool count_series(const struct schedule_times *p, const instant range[2],
                         struct timeline_series *ret)
{
    const struct spec *spec = &p->plan.spec;
    struct slot first, last;
    span every = spec->entries[0].interval.every;

    if (!spec_next(spec, &p->ctx, range[0], &first) || first.at > range[1] ||
        !spec_prev(spec, &p->ctx, range[1] + 1, &last))
        return false;
    must(last.at >= first.at && (last.at - first.at) % every == 0);
    ret->first = first.at;
    ret->count = (last.at - first.at) / every + 1;
    ret->step = ret->count > 1 ? every : 0;
    return true;
}

/* Nothing but the spec, or a pause, decides about the slots. */
static bool is_plain(const struct schedule_times *p)
{
    const struct cursor *c = &p->view.cursor;

    return (c->flags & (CURSOR_QUARANTINED | CURSOR_CLOSED | CURSOR_DELETED)) == 0 &&
           c->remaining < 0 && !p->plan.is_governed && !p->plan.follows &&
           p->exception_count == 0 && has_equal_distances(&p->plan.spec);
}

static bool is_barred_until(const struct cursor *c, instant until)
{
    return (c->flags & CURSOR_DISABLED) ||
           ((c->flags & CURSOR_PAUSED) && c->paused_until > until);
}

/* The slots of a range within a pause: those until now are missed already. */
static void add_barred(const struct schedule_times *p, instant now, const instant range[2],
                       timeline_series_fn *add, void *arg)
{
    instant border = now > range[1] ? range[1] : now > range[0] ? now : range[0];
    const instant past[2] = {range[0], border}, future[2] = {border, range[1]};
    struct slot_planned like = {.reason = REASON_PAUSED};

    if (!p->plan.policies.catchup_paused)
        like.outcome = OUTCOME_MISSED;
    timeline_series_spec(p, &like, past, add, arg);
    like.outcome = OUTCOME_NONE;
    timeline_series_spec(p, &like, future, add, arg);
}

void timeline_series_plan(const struct schedule_times *p, instant now,
                          const struct timeline_window *w, timeline_series_fn *add, void *arg)
{
    instant mark = p->view.cursor.mark;
    const instant range[2] = {mark < w->from ? w->from - 1 : mark, w->to - 1};
    struct growth growth = {.add = add, .arg = arg};

    bool is_barred = (p->view.cursor.flags & CURSOR_BARRED) != 0;

    if (is_plain(p) && is_barred_until(&p->view.cursor, range[1])) {
        if (range[0] < range[1])
            add_barred(p, now, range, add, arg);
    } else if (!is_plain(p) || is_barred) {
        slot_plan_visit(p, now, range, grow, &growth);
        end_series(&growth);
    } else if (range[0] < range[1] && count_series(p, range, &growth.series)) {
        end_series(&growth);
    }
}

void timeline_series_spec(const struct schedule_times *p, const struct slot_planned *like,
                          const instant range[2], timeline_series_fn *add, void *arg)
{
    struct growth growth = {.add = add, .arg = arg};
    struct slot_planned planned = *like;
    struct spec_walk walk;
    struct slot slot;

    if (has_equal_distances(&p->plan.spec) && !p->plan.is_governed) {
        growth.series.outcome = like->outcome;
        growth.series.reason = like->reason;
        if (count_series(p, range, &growth.series))
            end_series(&growth);
        return;
    }
    spec_walk_begin(&walk, &p->plan.spec, &p->ctx, range[0]);
    while (budget_spend(p->ctx.budget, 1) && spec_walk_next(&walk, &slot) &&
           slot.at <= range[1]) {
        planned.at = slot.at;
        (void)grow(&growth, &planned);
    }
    end_series(&growth);
}

void timeline_series_range(const struct schedule_times *p, const struct account *account,
                           const struct timeline_window *w, timeline_series_fn *add, void *arg)
{
    const instant range[2] = {account->first < w->from ? w->from - 1 : account->first - 1,
                              account->last < w->to ? account->last : w->to - 1};
    const instant ends[2] = {account->first, account->last};
    struct slot_planned like = {.outcome = account->outcome, .reason = account->reason};
    struct growth growth = {.add = add, .arg = arg};

    if (account->count > 2) {
        timeline_series_spec(p, &like, range, add, arg);
        return;
    }
    for (int i = 0; i < account->count; i++) {
        like.at = ends[i];
        if (timeline_window_has(w, like.at))
            (void)grow(&growth, &like);
    }
    end_series(&growth);
}

void timeline_series_spread(const struct timeline_series *s, const struct timeline_window *w,
                            timeline_bucket_fn *add, void *arg)
{
    for (int64_t i = 0; i < s->count;) {
        instant at = s->first + i * s->step;
        int bucket = timeline_window_bucket(w, at);
        instant end = timeline_window_start(w, bucket + 1);
        int64_t next = s->step == 0 ? s->count : (end - 1 - s->first) / s->step + 1;

        next = next < s->count ? next : s->count;
        add(arg, bucket, next - i);
        i = next;
    }
}
