/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a schedule that follows its runs, computed again from the spec and the recorded
 * inputs: edits, and the starts and ends of runs.  Invariants 1, 2, 11 and 25.
 *
 * Written from docs/semantics.md [P-16] alone.  The judge goes from one input to the next.  A
 * slot whose time has come stays a slot, also if a manual run begins; the start of a slot moves
 * those after it, except those that the same decision accounted for.
 */
#include <stdlib.h>

#include "base/must.h"
#include "sim/judge_account.h"

/* In this order if they have the same time: what one turn does. */
enum step_kind { STEP_END, STEP_SLOT, STEP_MANUAL, STEP_END_AT_ONCE, STEP_EDIT };

struct step {
    instant at;
    enum step_kind kind;
    instant slot;                  /* STEP_SLOT */
    const struct version *version; /* STEP_EDIT */
};

struct walk {
    const struct facts *facts;
    const struct schedule *s;
    struct expected_slots *slots;
    const struct version *v;
    struct judge_origin origin; /* without last_end */
    instant ended;              /* the last end; INSTANT_NONE: none */
    int open;
    instant at;           /* slots up to here are listed */
    instant after, until; /* of the slots that are required */
};

/* ---- what can be judged ---- */

/* A slot that got its outcome after its run had waited in vain, or at once. */
static bool may_have_waited(const struct ledger_entry *l)
{
    enum reason reason = l->account.reason;

    return l->pass == 0 && l->account.count == 1 &&
           (reason == REASON_OVERLAP || reason == REASON_WINDOW || reason == REASON_PAUSED ||
            reason == REASON_USER || reason == REASON_DELETED);
}

bool judge_follow_is_exact(const struct facts *facts, const struct schedule *s)
{
    bool from_starts = false;

    if (facts->record->clock_stepped || facts->skew > 0 || s->is_pruned)
        return false;
    if (judge_starts_at_once(facts, s))
        return true;
    for (int i = 0; i < s->version_count; i++) {
        from_starts = from_starts || judge_spec_counts_from(s->versions[i].spec, ANCHOR_START);
        if (s->versions[i].draft->policies.catchup_paused)
            return false;
    }
    for (int i = 0; i < s->ledger_count && from_starts; i++)
        if (may_have_waited(s->ledger[i]))
            return false;
    return true;
}

/* ---- the inputs ---- */

static int by_step(const void *a, const void *b)
{
    const struct step *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

static struct step *list_steps(const struct facts *facts, const struct schedule *s,
                               int *ret_count)
{
    size_t room = 2 * (size_t)s->run_count + (size_t)s->version_count;
    struct step *list = arena_array(facts->arena, room, sizeof *list);
    int count = 0;

    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];
        bool is_slot = run_facts_is_automatic(rf);

        if (rf->kind == RUN_TEST || rf->kind < 0)
            continue;
        list[count++] = (struct step){
            .at = rf->created_at, .kind = is_slot ? STEP_SLOT : STEP_MANUAL, .slot = rf->slot};
        if (rf->ended != INSTANT_NEVER)
            list[count++] = (struct step){
                .at = rf->ended,
                .kind = rf->ended > rf->created_at ? STEP_END : STEP_END_AT_ONCE};
    }
    for (int i = 1; i < s->version_count; i++)
        list[count++] = (struct step){
            .at = s->versions[i].from, .kind = STEP_EDIT, .version = &s->versions[i]};
    qsort(list, (size_t)count, sizeof *list, by_step);
    *ret_count = count;
    return list;
}

/* ---- the walk ---- */

static struct judge_origin origin_of(const struct walk *w)
{
    struct judge_origin origin = w->origin;

    origin.last_end = w->open > 0                       ? INSTANT_NEVER
                      : w->ended > w->origin.last_start ? w->ended
                                                        : w->origin.last_start;
    return origin;
}

static void use_version(struct walk *w, const struct version *v)
{
    bool is_first = v == w->s->versions;

    w->v = v;
    w->at = is_first ? v->from - SPAN_MS : v->from - v->draft->def.jitter - 1;
    judge_bounds(w->facts, w->s, v, &w->after, &w->until);
}

static enum rc list_to(struct walk *w, instant t, struct err *reterr)
{
    struct judge_origin origin = origin_of(w);
    enum rc rc = RC_OK;
    instant at = w->at;

    while (rc == RC_OK && judge_spec_next(w->v->spec, &origin, at, t, &at)) {
        bool is_required = at > w->after && at <= w->until;

        rc = judge_add_slot(w->slots, (struct expected_slot){at, is_required, false, w->v},
                            reterr);
    }
    w->at = t > w->at ? t : w->at;
    return rc;
}

/* Whether a command changed the schedule in the turn of a start: then either was first. */
static bool is_tied(const struct walk *w, instant t)
{
    for (int i = 0; i < w->facts->command_count; i++) {
        const struct rec_command *c = w->facts->commands[i];

        if (c->at == t && c->reply.schedule == w->s->key && command_is_done(c) &&
            c->command.kind != COMMAND_TRIGGER)
            return true;
    }
    return false;
}

static bool is_cancelled(const struct schedule *s, instant at)
{
    for (int i = 0; i < s->ledger_count; i++) {
        const struct account *a = &s->ledger[i]->account;

        if (s->ledger[i]->pass == 0 && a->first <= at && a->last >= at &&
            a->reason == REASON_USER)
            return true;
    }
    return false;
}

/*
 * The run of a slot was created.  Later slots whose time had come count from this start
 * instead, unless the same decision accounted for them: those that were due, if the policy does
 * not start all.
 */
static void start_slot(struct walk *w, const struct step *step, bool is_last)
{
    bool is_tie = is_tied(w, step->at);
    bool is_all = w->v->draft->policies.catchup == CATCHUP_ALL;
    const struct judge_origin origin = origin_of(w);
    int first = w->slots->count, count;

    while (first > 0 && w->slots->at[first - 1].version == w->v &&
           w->slots->at[first - 1].at > step->slot && w->slots->at[first - 1].at > w->v->from)
        first--;
    count = first;
    w->at = step->slot > w->v->from ? step->slot : w->v->from;
    for (int i = first; i < w->slots->count; i++) {
        struct expected_slot slot = w->slots->at[i];
        bool was_due = judge_spec_due(w->v->spec, &origin, w->v->draft->seed, slot.at) <=
                       step->at;
        bool is_decided = is_cancelled(w->s, slot.at) ||
                          (was_due && !is_all && is_last && !is_tie);

        if (!is_decided && !is_tie)
            continue;
        if (is_decided)
            w->at = slot.at;
        slot.is_required = slot.is_required && is_decided;
        slot.is_doubtful = !is_decided;
        w->slots->at[count++] = slot;
    }
    w->slots->count = count;
    if (step->slot > w->origin.last_start)
        w->origin.last_start = step->slot;
    w->open++;
}

static void take_step(struct walk *w, const struct step *step, bool is_last)
{
    switch (step->kind) {
    case STEP_SLOT:
        start_slot(w, step, is_last);
        break;
    case STEP_MANUAL:
        w->open++;
        break;
    case STEP_END:
    case STEP_END_AT_ONCE:
        w->open--;
        w->ended = step->at;
        break;
    case STEP_EDIT:
        use_version(w, step->version);
        break;
    }
}

enum rc judge_follow(const struct facts *facts, const struct schedule *s,
                     struct expected_slots *slots, struct judge_origin *ret_origin,
                     struct err *reterr)
{
    struct walk w = {.facts = facts,
                     .s = s,
                     .slots = slots,
                     .origin = {s->created, INSTANT_NONE, INSTANT_NONE},
                     .ended = INSTANT_NONE};
    enum rc rc = RC_OK;
    struct step *steps;
    int count;

    steps = list_steps(facts, s, &count);
    use_version(&w, s->versions);
    for (int i = 0; i < count && rc == RC_OK; i++) {
        bool is_last = i + 1 == count || steps[i + 1].at != steps[i].at ||
                       steps[i + 1].kind != STEP_SLOT;

        rc = list_to(&w, steps[i].at, reterr);
        if (rc == RC_OK)
            take_step(&w, &steps[i], is_last);
    }
    if (rc == RC_OK)
        rc = list_to(&w, w.v->latest_until, reterr);
    *ret_origin = origin_of(&w);
    return rc;
}
