/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picks of governed schedules, computed again from the spec and the recorded inputs: edits,
 * hints, resets, and the starts, ends and outcomes of runs.  Invariants 1 and 2.
 *
 * Written from docs/semantics.md [P-30] to [P-33] alone.  The judge follows the pick from one
 * input to the next.  Where the order of two inputs, or the turn that decided about a pick
 * without a run, is not known, the pick is unknown until the next input that determines it.
 */
#include <stdlib.h>

#include "sim/judge_account.h"

#define REST_MIN SPAN_S         /* after a run that took longer than its interval */
#define FAR      (2 * SPAN_DAY) /* after the end of the world nothing is due      */

enum { DOUBLINGS_MAX = 5 };

enum input_kind { INPUT_EDIT, INPUT_HINT, INPUT_UNHINT, INPUT_RESET, INPUT_END };

struct input {
    instant at;
    int number; /* of the commands of one turn, in the order of their effect */
    enum input_kind kind;
    const struct version *version;
    const struct hint_args *hint;
    const struct run_facts *rf;
};

enum pick_state { PICK_NONE, PICK_KNOWN, PICK_UNKNOWN };

struct sweep {
    const struct facts *facts;
    const struct schedule *s;
    const struct account_entries *entries;
    const struct version *v;
    struct judge_spec *seconds; /* each second that the version allows; NULL: all */
    enum pick_state state;
    instant pick, since; /* since: when the pick became unknown */
    struct hint_args hint;
    int failures;
    bool *is_explained; /* of each entry: its run was expected */
};

/* ---- what can be judged ---- */

static bool is_exact(const struct facts *facts, const struct schedule *s)
{
    if (facts->record->clock_stepped || facts->skew > 0 || s->is_pruned ||
        !judge_starts_at_once(facts, s))
        return false;
    for (int i = 0; i < s->version_count; i++) {
        const struct rec_draft *d = s->versions[i].draft;

        if (!d->is_governed || (d->policies.remaining_runs >= 0 && s->version_count > 1))
            return false;
    }
    return true;
}

/* ---- the inputs ---- */

static int by_time(const void *a, const void *b)
{
    const struct input *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if ((x->kind == INPUT_END) != (y->kind == INPUT_END))
        return x->kind == INPUT_END ? 1 : -1;
    return x->number - y->number;
}

static bool input_of_command(const struct schedule *s, const struct rec_command *c,
                             struct input *ret)
{
    *ret = (struct input){.at = c->at, .hint = &c->command.hint};
    if (c->reply.schedule != s->key || !command_is_done(c))
        return false;
    if (command_is_edit(c)) {
        ret->kind = INPUT_EDIT;
        for (int i = 0; i < s->version_count; i++)
            if (s->versions[i].from == c->at && s->versions[i].from_order == c->order)
                ret->version = &s->versions[i];
        return true;
    }
    ret->kind = c->command.kind == COMMAND_HINT     ? INPUT_HINT
                : c->command.kind == COMMAND_UNHINT ? INPUT_UNHINT
                                                    : INPUT_RESET;
    return ret->kind != INPUT_RESET || c->command.kind == COMMAND_RESET;
}

static struct input *list_inputs(const struct facts *facts, const struct schedule *s,
                                 int *ret_count)
{
    size_t room = (size_t)(facts->command_count + s->run_count) + 1;
    struct input *list = arena_array(facts->arena, room, sizeof *list);
    int count = 0;

    for (int i = 0; i < facts->command_count; i++)
        if (input_of_command(s, facts->commands[i], &list[count])) {
            list[count].number = count;
            count++;
        }
    for (int i = 0; i < s->run_count; i++) {
        if (s->runs[i].kind == RUN_TEST || s->runs[i].ended == INSTANT_NEVER)
            continue;
        list[count] = (struct input){
            .at = s->runs[i].ended, .number = count, .kind = INPUT_END, .rf = &s->runs[i]};
        count++;
    }
    qsort(list, (size_t)count, sizeof *list, by_time);
    *ret_count = count;
    return list;
}

/* ---- the governor ---- */

static instant min_of(instant a, instant b)
{
    return a < b ? a : b;
}

static instant grid_after(const struct sweep *w, instant after)
{
    struct judge_origin origin = {w->s->created, INSTANT_NONE, INSTANT_NONE};
    instant next = INSTANT_NEVER;

    if (w->v->draft->governor_interval == 0)
        (void)judge_spec_next(w->v->spec, &origin, after, w->facts->last + FAR, &next);
    return next;
}

static enum rc use_version(struct sweep *w, const struct version *v, struct err *reterr)
{
    static struct cron_def every_second = {.expr = {"* * * * * *", sizeof "* * * * * *" - 1},
                                           .dialect = DIALECT_BELFRY};
    struct spec_def *def = arena_take(w->facts->arena, sizeof *def);

    w->v = v;
    w->seconds = NULL;
    if (!v->draft->def.window.is_set && v->draft->def.not_date_count == 0 &&
        v->draft->def.not_calendar_count == 0)
        return RC_OK;
    *def = spec_def_empty();
    def->zone = v->draft->def.zone;
    def->cron = &every_second;
    def->cron_count = 1;
    def->not_dates = v->draft->def.not_dates;
    def->not_date_count = v->draft->def.not_date_count;
    def->not_calendars = v->draft->def.not_calendars;
    def->not_calendar_count = v->draft->def.not_calendar_count;
    def->window = v->draft->def.window;
    def->window.rule = WINDOW_FILTER;
    return judge_spec_make(def, w->facts->zones, w->facts->arena, &w->seconds, reterr);
}

static bool is_allowed_second(const struct sweep *w, instant second)
{
    struct judge_origin origin = {w->s->created, INSTANT_NONE, INSTANT_NONE};
    instant found;

    return judge_spec_next(w->seconds, &origin, second - 1, second, &found);
}

/*
 * The first allowed instant at or after `t`, in whole milliseconds.  False if the judge does
 * not know whether a fraction of a second at the edge of a window is inside.
 */
static bool allow(const struct sweep *w, instant t, instant *ret)
{
    struct judge_origin origin = {w->s->created, INSTANT_NONE, INSTANT_NONE};
    const struct spec_def *def = &w->v->draft->def;
    instant second, next = INSTANT_NEVER;

    *ret = INSTANT_NEVER;
    if (t > w->facts->last + FAR)
        return true;
    t = (t + SPAN_MS - 1) / SPAN_MS * SPAN_MS;
    if (t < def->start)
        t = (def->start + SPAN_MS - 1) / SPAN_MS * SPAN_MS;
    if (w->seconds) {
        second = t / SPAN_S * SPAN_S;
        if (!is_allowed_second(w, second)) {
            (void)judge_spec_next(w->seconds, &origin, second, w->facts->last + FAR, &next);
            t = next;
        } else if (t != second && !is_allowed_second(w, second + SPAN_S)) {
            return false;
        }
    }
    *ret = t <= def->end ? t : INSTANT_NEVER;
    return true;
}

/* [P-30], rules 1 to 6, without the expiry of the run for which a hint asks. */
static instant propose(const struct sweep *w, const struct hint_args *hint, instant started,
                       bool *ret_on_grid)
{
    const struct rec_draft *d = w->v->draft;
    bool is_valid = hint->expires > started;
    instant at = grid_after(w, started), interval = INSTANT_NEVER, shot = INSTANT_NEVER;

    *ret_on_grid = d->governor_interval == 0;
    if (d->governor_interval > 0)
        at = started +
             (d->governor_interval << (!d->governor_backoff          ? 0
                                       : w->failures < DOUBLINGS_MAX ? w->failures
                                                                     : DOUBLINGS_MAX));
    if (is_valid && hint->interval > 0)
        interval = started + hint->interval;
    if (is_valid)
        shot = hint->at;
    if (interval != INSTANT_NEVER) {
        at = min_of(interval, shot);
        *ret_on_grid = false;
    } else if (shot < at) {
        at = shot;
        *ret_on_grid = false;
    }
    at = at < started ? started : at;
    if (d->governor_min > 0 && at < started + d->governor_min) {
        at = started + d->governor_min;
        *ret_on_grid = false;
    }
    if (d->governor_max > 0 && at > started + d->governor_max) {
        at = started + d->governor_max;
        *ret_on_grid = false;
    }
    return at;
}

/* [P-31]: the pick after a run; false if it is not known. */
static bool pick_after(const struct sweep *w, const struct hint_args *hint, instant started,
                       instant ended, instant *ret)
{
    bool is_on_grid;
    instant at = propose(w, hint, started, &is_on_grid);
    span rest = at - started;

    if (at < ended && is_on_grid)
        at = grid_after(w, ended);
    else if (at < ended)
        at = ended + (rest > REST_MIN ? rest : REST_MIN);
    return allow(w, at, ret);
}

static int64_t starts_by(const struct schedule *s, instant t)
{
    int64_t count = 0;

    for (int i = 0; i < s->run_count; i++)
        count += run_facts_is_automatic(&s->runs[i]) && s->runs[i].created_at <= t;
    return count;
}

static void lose_pick(struct sweep *w, instant since)
{
    if (w->state != PICK_UNKNOWN)
        w->since = since;
    w->state = PICK_UNKNOWN;
}

/* While the pick was unknown, any run could have been one. */
static void set_state(struct sweep *w, enum pick_state state, instant now)
{
    for (int i = 0; i < w->entries->count && w->state == PICK_UNKNOWN; i++)
        if (w->entries->at[i].first >= w->since && w->entries->at[i].first <= now)
            w->is_explained[i] = true;
    w->state = state;
}

/* False if the pick is not known. */
static bool pick_with_hint(struct sweep *w, instant started, instant ended)
{
    const struct hint_args none = {.at = INSTANT_NEVER, .expires = INSTANT_NONE};

    if (!pick_after(w, &w->hint, started, ended, &w->pick))
        return false;
    return w->pick < w->hint.expires || pick_after(w, &none, started, ended, &w->pick);
}

static void pick_again(struct sweep *w, instant started, instant ended)
{
    int64_t most = w->v->draft->policies.remaining_runs;
    bool is_known = pick_with_hint(w, started, ended);

    if (is_known && w->pick == INSTANT_NEVER && started < ended) {
        if (w->hint.at <= ended)
            w->hint.at = INSTANT_NEVER;
        is_known = pick_with_hint(w, ended, ended); /* no slot is left after the end */
    }
    if (most >= 0 && starts_by(w->s, ended) >= most)
        w->pick = INSTANT_NEVER;
    set_state(w, PICK_KNOWN, ended);
    if (!is_known)
        lose_pick(w, ended);
}

/* ---- the runs ---- */

/* Runs that were open at a time, without one of them; *ret_tie: one began at that time. */
static bool is_open(const struct schedule *s, const struct run_facts *without, instant t,
                    bool *ret_tie)
{
    bool any = false;

    *ret_tie = false;
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (rf == without || rf->kind == RUN_TEST || rf->kind < 0 || rf->created_at > t)
            continue;
        *ret_tie = *ret_tie || rf->created_at == t || rf->ended == t;
        any = any || (rf->created_at < t && rf->ended > t);
    }
    return any;
}

static bool may_be_paused(const struct schedule *s, instant t)
{
    for (int i = 0; i < s->pause_count; i++)
        if (s->pauses[i].from <= t && s->pauses[i].latest >= t)
            return true;
    return false;
}

static instant last_start(const struct schedule *s, instant t)
{
    instant last = INSTANT_NONE;

    for (int i = 0; i < s->run_count; i++)
        if (s->runs[i].kind != RUN_TEST && s->runs[i].kind >= 0 && s->runs[i].created_at <= t &&
            s->runs[i].created_at > last)
            last = s->runs[i].created_at;
    return last;
}

/* When the first attempt began; without one, when the run ended. */
static instant start_of(const struct run_facts *rf)
{
    const struct history_row *first = rf->row_count > 0 ? rf->rows[0] : NULL;

    return first && first->attempt > 0 && first->started_at > 0 ? first->started_at : rf->ended;
}

/* ---- the inputs, one by one ---- */

static enum rc apply_edit(struct sweep *w, const struct input *in, struct err *reterr)
{
    bool is_tie, was_open = is_open(w->s, NULL, in->at, &is_tie);
    enum rc rc = in->version ? use_version(w, in->version, reterr) : RC_OK;

    if (!was_open && w->hint.at <= in->at)
        w->hint.at = INSTANT_NEVER; /* its time has passed */
    if (rc != RC_OK || !in->version || is_tie)
        lose_pick(w, in->at);
    else if (was_open)
        set_state(w, PICK_NONE, in->at);
    else
        pick_again(w, in->at, in->at);
    return rc;
}

static void apply_hint(struct sweep *w, const struct input *in)
{
    const struct rec_draft *d = w->v->draft;
    instant from = last_start(w->s, in->at), wanted = in->hint->at, moved;

    w->hint = *in->hint;
    if (w->state != PICK_KNOWN)
        return;
    if (may_be_paused(w->s, in->at) || from == in->at || w->pick == INSTANT_NEVER) {
        lose_pick(w, in->at);
        return;
    }
    if (in->hint->interval > 0)
        wanted = min_of(wanted, (from == INSTANT_NONE ? in->at : from) + in->hint->interval);
    wanted = wanted < in->at ? in->at : wanted;
    if (d->governor_min > 0 && wanted < in->at + d->governor_min)
        wanted = in->at + d->governor_min;
    if (d->governor_max > 0 && wanted > in->at + d->governor_max)
        wanted = in->at + d->governor_max;
    if (!allow(w, wanted, &moved))
        lose_pick(w, in->at);
    else if (moved < w->pick && moved < w->hint.expires)
        w->pick = moved;
}

static void forget_hint(struct hint_args *hint)
{
    *hint = (struct hint_args){.at = INSTANT_NEVER, .expires = INSTANT_NONE};
}

static void apply_end(struct sweep *w, const struct input *in)
{
    const struct history_row *last = run_facts_last(in->rf);
    instant started = start_of(in->rf);
    bool is_tie;

    if (last && last->outcome == OUTCOME_SUCCEEDED)
        w->failures = 0;
    else if (last && outcome_is_failure(last->outcome))
        w->failures++;
    if (is_open(w->s, in->rf, in->at, &is_tie) ||
        (w->state != PICK_NONE && !run_facts_is_automatic(in->rf)))
        return;
    if (is_tie) {
        lose_pick(w, in->at);
        return;
    }
    if (w->hint.expires <= in->at)
        forget_hint(&w->hint);
    else if (w->hint.at <= started)
        w->hint.at = INSTANT_NEVER;
    pick_again(w, started, in->at);
}

static enum rc apply_input(struct sweep *w, const struct input *in, struct err *reterr)
{
    switch (in->kind) {
    case INPUT_EDIT:
        return apply_edit(w, in, reterr);
    case INPUT_HINT:
        apply_hint(w, in);
        break;
    case INPUT_UNHINT:
        forget_hint(&w->hint);
        break;
    case INPUT_RESET:
        w->failures = 0;
        break;
    case INPUT_END:
        apply_end(w, in);
        break;
    }
    return RC_OK;
}

/* ---- picks that came due ---- */

/* A pick that came due before `t` has an account; `t` is at most the end of the judged time. */
static enum rc check_due(struct sweep *w, instant t, struct err *reterr)
{
    if (w->state != PICK_KNOWN || w->pick >= t)
        return RC_OK;
    for (int i = 0; i < w->entries->count; i++) {
        const struct account_entry *e = &w->entries->at[i];

        if (e->first > w->pick || e->last < w->pick)
            continue;
        if (e->ledger && e->ledger->account.reason == REASON_GOVERNOR)
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": its governor chose %" PRId64
                              " ms and skipped it",
                              w->s->key, MS(w->pick));
        w->is_explained[i] = true;
        if (e->rf && e->rf->created_at <= t)
            set_state(w, PICK_NONE, t);
        else /* decided without a run, or it waits for the end of a pause */
            lose_pick(w, w->pick);
        return RC_OK;
    }
    return judge_fail(reterr, 1,
                      "schedule %" PRId64 ": its governor chose %" PRId64
                      " ms, which has no account",
                      w->s->key, MS(w->pick));
}

static enum rc check_explained(const struct sweep *w, struct err *reterr)
{
    for (int i = 0; i < w->entries->count; i++)
        if (w->entries->at[i].rf && !w->is_explained[i])
            return judge_fail(reterr, 2,
                              "schedule %" PRId64 ": a run has %" PRId64
                              " ms, which its governor did not choose",
                              w->s->key, MS(w->entries->at[i].first));
    return RC_OK;
}

/* Up to here every pick has an account. */
static instant judged_until(const struct facts *facts, const struct schedule *s)
{
    instant until = min_of(s->deleted, s->closed);

    return until != INSTANT_NEVER ? until : judge_until(facts, s);
}

enum rc judge_picks(const struct facts *facts, const struct schedule *s,
                    const struct account_entries *entries, struct err *reterr)
{
    struct sweep w = {.facts = facts, .s = s, .entries = entries, .state = PICK_NONE};
    instant end = judged_until(facts, s);
    enum rc rc = RC_OK;
    struct input *inputs;
    int count;

    if (!is_exact(facts, s))
        return RC_OK;
    forget_hint(&w.hint);
    w.is_explained = arena_array(facts->arena, (size_t)entries->count + 1,
                                 sizeof *w.is_explained);
    inputs = list_inputs(facts, s, &count);
    for (int i = 0; i < count && rc == RC_OK; i++) {
        bool is_tie = i > 0 && inputs[i - 1].at == inputs[i].at;

        rc = check_due(&w, min_of(inputs[i].at, end), reterr);
        if (rc == RC_OK && w.state == PICK_KNOWN && w.pick <= inputs[i].at)
            lose_pick(&w, w.pick);
        if (rc == RC_OK)
            rc = apply_input(&w, &inputs[i], reterr);
        if (is_tie)
            lose_pick(&w, inputs[i].at);
    }
    if (rc == RC_OK)
        rc = check_due(&w, end, reterr);
    if (w.state == PICK_KNOWN && w.pick <= facts->last)
        lose_pick(&w, w.pick);
    set_state(&w, PICK_NONE, INSTANT_NEVER);
    return rc == RC_OK ? check_explained(&w, reterr) : rc;
}
