/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The central promise: every slot of every schedule has exactly one account, and no other time
 * has one.  Invariants 1, 2, 11, and 25 for slots.
 *
 * The slots of each version are listed by brute force, both required and possible ones.  If the
 * jitter of a slot spans an edit, the slot may belong to the old version, to the new one, or to
 * none.  If a clock went back, the engine keeps the slots that it has accounted for.
 */
#include "sim/judge_account.h"

#include <stdlib.h>

#include "base/must.h"

enum { SLOTS_MAX = 8 << 20 }; /* of one schedule in one record; more are not judged */

struct expected_slot {
    instant at;
    bool is_required;
    const struct version *version;
};

struct expected_slots {
    struct expected_slot *at;
    int count, room;
};

/* ---- the slots of the versions ---- */

static void add_slot(struct expected_slots *slots, struct expected_slot slot)
{
    if (slots->count == slots->room) {
        slots->room = slots->room ? slots->room * 2 : 1024;
        slots->at = realloc(slots->at, (size_t)slots->room * sizeof *slots->at);
        must(slots->at != NULL);
    }
    slots->at[slots->count++] = slot;
}

/* Slots up to this one must be accounted for. */
static instant horizon(const struct facts *facts, const struct schedule *s)
{
    const struct cursor *c = s->cursor;
    instant due = facts->now - JUDGE_SLACK;
    int64_t excused = CURSOR_BARRED | CURSOR_CLOSED | CURSOR_QUARANTINED | CURSOR_FULL;

    if (!c)
        return INSTANT_NONE;
    if (c->flags & excused || c->remaining == 0 || c->mark > due)
        return c->mark;
    return due;
}

/* The required slots of a version: nominal times in (ret_after, ret_until]. */
static void bounds(const struct facts *facts, const struct schedule *s, const struct version *v,
                   instant *ret_after, instant *ret_until)
{
    bool is_first = v == s->versions;

    *ret_after = is_first ? v->from : v->latest_from;
    if (v->until != INSTANT_NEVER)
        *ret_until = v->until - v->draft->def.jitter;
    else if (s->cursor && s->cursor->mark >= horizon(facts, s))
        *ret_until = s->cursor->mark;
    else
        *ret_until = horizon(facts, s) - v->draft->def.jitter;
}

static enum rc list_version(const struct facts *facts, const struct schedule *s,
                            const struct version *v, struct expected_slots *slots,
                            struct err *reterr)
{
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    bool is_first = v == s->versions;
    /* The entry "now" of a new schedule is a slot at its creation, in whole milliseconds. */
    instant at = is_first ? v->from - SPAN_MS : v->from - v->draft->def.jitter - 1;
    instant after, until;

    bounds(facts, s, v, &after, &until);
    while (judge_spec_next(v->spec, &origin, at, v->latest_until, &at)) {
        add_slot(slots, (struct expected_slot){at, at > after && at <= until, v});
        if (slots->count > SLOTS_MAX)
            return err_set(reterr, RC_LIMIT, -1, 0,
                           "schedule %" PRId64 " has more slots than the judge counts", s->key);
    }
    return RC_OK;
}

static int by_slot(const void *a, const void *b)
{
    const struct expected_slot *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static enum rc list_slots(const struct facts *facts, const struct schedule *s,
                          struct expected_slots *slots, struct err *reterr)
{
    int count = 0;

    for (int i = 0; i < s->version_count; i++) {
        enum rc rc = list_version(facts, s, &s->versions[i], slots, reterr);

        if (rc != RC_OK)
            return rc;
    }
    if (s->version_count > 1 && slots->count > 1)
        qsort(slots->at, (size_t)slots->count, sizeof *slots->at, by_slot);
    for (int i = 0; i < slots->count; i++) {
        struct expected_slot *last = count ? &slots->at[count - 1] : NULL;

        if (!last || last->at != slots->at[i].at)
            slots->at[count++] = slots->at[i];
        else if (slots->at[i].is_required)
            *last = slots->at[i];
    }
    slots->count = count;
    return RC_OK;
}

/* ---- the accounts in the store ---- */

static int by_entry(const void *a, const void *b)
{
    const struct account_entry *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static struct account_entries list_entries(const struct schedule *s, struct arena *arena)
{
    size_t room = (size_t)(s->run_count + s->ledger_count);
    struct account_entries entries = {arena_array(arena, room, sizeof(struct account_entry)),
                                      0};

    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (run_facts_is_automatic(rf))
            entries.at[entries.count++] = (struct account_entry){
                .first = rf->slot, .last = rf->slot, .count = 1, .rf = rf};
    }
    for (int i = 0; i < s->ledger_count; i++) {
        const struct ledger_entry *l = s->ledger[i];

        if (l->pass == 0)
            entries.at[entries.count++] = (struct account_entry){.first = l->account.first,
                                                                 .last = l->account.last,
                                                                 .count = l->account.count,
                                                                 .ledger = l};
    }
    qsort(entries.at, (size_t)entries.count, sizeof *entries.at, by_entry);
    return entries;
}

static enum rc check_apart(const struct schedule *s, const struct account_entries *entries,
                           struct err *reterr)
{
    for (int i = 0; i < entries->count; i++) {
        const struct account_entry *e = &entries->at[i];

        if (e->count < 1 || e->last < e->first || (e->count == 1) != (e->first == e->last))
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": a range of %" PRId64 " slots from %" PRId64
                              " to %" PRId64 " ms",
                              s->key, e->count, MS(e->first), MS(e->last));
        if (i > 0 && e[-1].last >= e->first)
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": slot %" PRId64
                              " ms has two accounts (%s and %s)",
                              s->key, MS(e->first), e[-1].rf ? "a run" : "the ledger",
                              e->rf ? "a run" : "the ledger");
        if (s->cursor && e->last > s->cursor->mark)
            return judge_fail(reterr, 11,
                              "schedule %" PRId64 ": slot %" PRId64
                              " ms has an account but the mark is %" PRId64 " ms",
                              s->key, MS(e->last), MS(s->cursor->mark));
    }
    return RC_OK;
}

/* ---- the comparison ---- */

static enum rc unaccounted(const struct facts *facts, const struct schedule *s, instant at,
                           struct err *reterr)
{
    const struct cursor *c = s->cursor;

    if (c && at <= c->mark)
        return judge_fail(reterr, 11,
                          "schedule %" PRId64 ": the mark %" PRId64 " ms passed slot %" PRId64
                          " ms, which has no account",
                          s->key, MS(c->mark), MS(at));
    if (c && at > s->versions[s->version_count - 1].latest_from)
        return judge_fail(reterr, 25,
                          "schedule %" PRId64 ": slot %" PRId64
                          " ms is due and has no account; the clock is at %" PRId64 " ms",
                          s->key, MS(at), MS(facts->now));
    return judge_fail(reterr, 1, "schedule %" PRId64 ": slot %" PRId64 " ms has no account",
                      s->key, MS(at));
}

/* After the last automatic start that was allowed there are no slots. */
static bool is_exhausted(const struct expected_slot *slot, int64_t started)
{
    int64_t most = slot->version->draft->policies.remaining_runs;

    return most >= 0 && started >= most;
}

static enum rc match_slots(const struct facts *facts, const struct schedule *s,
                           const struct expected_slots *slots, struct account_entries *entries,
                           struct err *reterr)
{
    struct account_entry *e = entries->at, *end = e + entries->count;
    int64_t started = 0;

    for (int i = 0; i < slots->count; i++) {
        const struct expected_slot *slot = &slots->at[i];
        bool is_required;

        for (; e < end && e->last < slot->at; e++)
            started += e->rf && e->possible == 0; /* a pick that is not on the grid */
        is_required = slot->is_required && !s->is_pruned && !is_exhausted(slot, started);
        if (e < end && e->first <= slot->at) {
            e->required += is_required;
            e->possible++;
            e->has_first = e->has_first || slot->at == e->first;
            e->has_last = e->has_last || slot->at == e->last;
            started += e->rf != NULL;
        } else if (is_required) {
            return unaccounted(facts, s, slot->at, reterr);
        }
    }
    return RC_OK;
}

static enum rc check_entries(const struct schedule *s, const struct account_entries *entries,
                             struct err *reterr)
{
    for (int i = 0; i < entries->count; i++) {
        const struct account_entry *e = &entries->at[i];

        if (!e->has_first || !e->has_last)
            return judge_fail(
                reterr, 2,
                "schedule %" PRId64 ": %s has %" PRId64 " ms, which is not a slot of it",
                s->key, e->rf ? "a run" : "the ledger", MS(e->has_first ? e->last : e->first));
        if (e->count < e->required || e->count > e->possible)
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": %" PRId64 " slots from %" PRId64
                              " to %" PRId64 " ms are accounted for as %" PRId64,
                              s->key, e->possible, MS(e->first), MS(e->last), e->count);
    }
    return RC_OK;
}

/* The next slot after the mark is that of the cursor, if it has been computed. */
static enum rc check_next(const struct facts *facts, const struct schedule *s,
                          struct err *reterr)
{
    const struct cursor *c = s->cursor;
    const struct version *v = &s->versions[s->version_count - 1];
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    instant next = INSTANT_NEVER;
    int64_t excused = CURSOR_BARRED | CURSOR_CLOSED | CURSOR_QUARANTINED;

    instant until;

    if (!c || s->deleted != INSTANT_NEVER || c->flags & excused || c->remaining == 0 ||
        c->next_at <= c->mark)
        return RC_OK;
    until = c->next_at == INSTANT_NEVER ? facts->last + SPAN_DAY : c->next_at;
    (void)judge_spec_next(v->spec, &origin, c->mark, until, &next);
    if (next != c->next_at)
        return judge_fail(reterr, 11,
                          "schedule %" PRId64 ": after %" PRId64 " ms it awaits %" PRId64
                          " ms, which is not its next slot",
                          s->key, MS(c->mark), MS(c->next_at));
    return RC_OK;
}

/* One clock, one plan, no jitter: then a turn's time determines what was due in it. */
static bool has_plain_time(const struct facts *facts, const struct schedule *s)
{
    return s->version_count == 1 && s->versions[0].draft->def.jitter == 0 && facts->skew == 0 &&
           !facts->record->clock_stepped && !s->is_pruned;
}

/* The last slot of an entry and of the cancelled slots directly after it. */
static instant past_cancelled(const struct account_entries *entries, int index)
{
    instant last = entries->at[index].first;

    for (int i = index + 1; i < entries->count; i++) {
        const struct ledger_entry *l = entries->at[i].ledger;

        if (!l || l->account.outcome != OUTCOME_SLOT_CANCELLED)
            break;
        last = l->account.last;
    }
    return last;
}

/* Of the slots that are due at once the last one starts, under `latest`. */
static enum rc check_latest(const struct facts *facts, const struct schedule *s,
                            const struct account_entries *entries, struct err *reterr)
{
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    instant later;

    if (!has_plain_time(facts, s) || s->versions[0].draft->policies.catchup != CATCHUP_LATEST)
        return RC_OK;
    for (int i = 0; i + 1 < entries->count; i++) {
        const struct account_entry *e = &entries->at[i], *next = e + 1;

        if (!e->ledger || e->ledger->account.reason != REASON_COALESCED || !next->rf)
            continue;
        if (next->rf->created_at != e->ledger->written_at ||
            judge_spec_next(s->versions[0].spec, &origin, past_cancelled(entries, i + 1),
                            e->ledger->written_at, &later))
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": slots up to %" PRId64
                              " ms are missed(coalesced) at %" PRId64 " ms, and %" PRId64
                              " ms, made at %" PRId64 " ms, was not the last one then",
                              s->key, MS(e->last), MS(e->ledger->written_at), MS(next->first),
                              MS(next->rf->created_at));
    }
    return RC_OK;
}

static enum rc account_fixed(const struct facts *facts, const struct schedule *s,
                             struct expected_slots *slots, struct err *reterr)
{
    struct account_entries entries = list_entries(s, facts->arena);
    enum rc rc = check_apart(s, &entries, reterr);

    slots->count = 0;
    if (rc == RC_OK)
        rc = list_slots(facts, s, slots, reterr);
    if (rc == RC_OK)
        rc = match_slots(facts, s, slots, &entries, reterr);
    if (rc == RC_OK)
        rc = check_entries(s, &entries, reterr);
    if (rc == RC_OK)
        rc = check_latest(facts, s, &entries, reterr);
    if (rc == RC_OK)
        rc = check_next(facts, s, reterr);
    return rc;
}

/* ---- schedules that follow their runs ---- */

/* Whether `at` can be a slot if intervals count from `start`, a slot with a run, or any end. */
static bool can_follow_from(const struct schedule *s, const struct version *v, instant start,
                            instant at)
{
    struct judge_origin origin = {s->created, start, start};
    instant slot;

    if (judge_spec_next(v->spec, &origin, at - 1, at, &slot))
        return true;
    for (int i = 0; i < s->run_count; i++) {
        origin.last_end = s->runs[i].ended;
        if (origin.last_end < at && judge_spec_next(v->spec, &origin, at - 1, at, &slot))
            return true;
    }
    return false;
}

/* The last slot before this one that had a run; INSTANT_NONE: none. */
static instant last_slot_with_run(const struct schedule *s, instant at)
{
    instant last = INSTANT_NONE;

    for (int i = 0; i < s->run_count; i++)
        if (run_facts_is_automatic(&s->runs[i]) && s->runs[i].slot < at)
            last = s->runs[i].slot;
    return last;
}

/* Slots that are due in one turn are accounted for together, before one of them has a run. */
static bool is_accounted_together(const struct account_entry *e)
{
    return e->ledger && (e->ledger->account.reason == REASON_COALESCED ||
                         e->ledger->account.reason == REASON_BUFFER);
}

/*
 * Intervals from starts count from the last slot that has a run, even if that run is held.
 * They also count from a slot whose held run never started: it has a ledger row.
 */
static bool can_follow(const struct schedule *s, const struct version *v,
                       const struct account_entry *e, instant at)
{
    instant start = last_slot_with_run(s, at);

    if (can_follow_from(s, v, start, at))
        return true;
    if (is_accounted_together(e)) {
        start = last_slot_with_run(s, start);
        if (can_follow_from(s, v, start, at))
            return true;
    }
    for (int i = 0; i < s->ledger_count; i++) {
        const struct account *a = &s->ledger[i]->account;

        if ((a->first > start && a->first < at && can_follow_from(s, v, a->first, at)) ||
            (a->last > start && a->last < at && can_follow_from(s, v, a->last, at)))
            return true;
    }
    return false;
}

static enum rc check_follows(const struct schedule *s, const struct account_entry *e,
                             instant at, struct err *reterr)
{
    for (int i = 0; i < s->version_count; i++) {
        const struct version *v = &s->versions[i];

        if (at >= v->from - v->draft->def.jitter - SPAN_MS && at <= v->latest_until &&
            can_follow(s, v, e, at))
            return RC_OK;
    }
    return judge_fail(reterr, 2,
                      "schedule %" PRId64 ": %" PRId64
                      " ms is not a slot: it does not follow from any start or end",
                      s->key, MS(at));
}

/* The slot that must follow the last start and end, if nothing is open. */
static enum rc check_continues(const struct facts *facts, const struct schedule *s,
                               struct err *reterr)
{
    const struct version *v = &s->versions[s->version_count - 1];
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    instant until = horizon(facts, s) - v->draft->def.jitter, next;

    if (!s->cursor || s->deleted != INSTANT_NEVER || s->is_pruned || until <= s->cursor->mark)
        return RC_OK;
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (rf->open && rf->kind != RUN_TEST)
            return RC_OK;
        if (run_facts_is_automatic(rf) && rf->slot > origin.last_start)
            origin.last_start = rf->slot;
        if (rf->ended != INSTANT_NEVER && rf->ended > origin.last_end && rf->kind != RUN_TEST)
            origin.last_end = rf->ended;
    }
    /* Only the cursor knows which of the slots without a start had been held. */
    if (s->cursor->last_held > origin.last_start)
        origin.last_start = s->cursor->last_held;
    if (origin.last_start > origin.last_end)
        origin.last_end = origin.last_start;
    if (judge_spec_next(v->spec, &origin, s->cursor->mark, until, &next))
        return judge_fail(reterr, 25,
                          "schedule %" PRId64 ": slot %" PRId64
                          " ms follows from its last run and has no account",
                          s->key, MS(next));
    return RC_OK;
}

static enum rc account_follower(const struct facts *facts, const struct schedule *s,
                                struct err *reterr)
{
    struct account_entries entries = list_entries(s, facts->arena);
    enum rc rc = check_apart(s, &entries, reterr);

    for (int i = 0; i < entries.count && rc == RC_OK && !s->is_pruned; i++) {
        const struct account_entry *e = &entries.at[i];

        rc = check_follows(s, e, e->first, reterr);
        if (rc == RC_OK && e->last != e->first)
            rc = check_follows(s, e, e->last, reterr);
    }
    return rc == RC_OK ? check_continues(facts, s, reterr) : rc;
}

/* Grid times are skipped by the governor one by one; other ranges may also contain picks. */
static enum rc check_governed(const struct schedule *s, const struct account_entries *entries,
                              struct err *reterr)
{
    for (int i = 0; i < entries->count; i++) {
        const struct account_entry *e = &entries->at[i];
        bool is_grid = e->ledger && e->ledger->account.reason == REASON_GOVERNOR;

        if (is_grid && (!e->has_first || !e->has_last))
            return judge_fail(reterr, 2,
                              "schedule %" PRId64 ": %" PRId64
                              " ms was skipped by its governor and is not in its grid",
                              s->key, MS(e->has_first ? e->last : e->first));
        if (e->count < e->required || (is_grid && e->count > e->possible))
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": %" PRId64 " grid times from %" PRId64
                              " to %" PRId64 " ms are accounted for as %" PRId64,
                              s->key, e->possible, MS(e->first), MS(e->last), e->count);
    }
    return RC_OK;
}

/* A pause or the like that may end after `at`: what passed before may not be written yet. */
static bool may_be_barred(const struct schedule *s, instant at)
{
    for (int i = 0; i < s->pause_count; i++)
        if (s->pauses[i].from <= at && s->pauses[i].latest >= at)
            return true;
    return false;
}

/*
 * Up to here the grid of the last version is written: up to the last automatic start, and up to
 * the last end of a run after which none was open.
 */
static instant grid_written(const struct schedule *s)
{
    instant until = INSTANT_NONE, end = INSTANT_NONE;
    bool is_open = false;

    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (run_facts_is_automatic(rf) && rf->slot > until)
            until = rf->slot;
        if (rf->kind == RUN_TEST)
            continue;
        is_open = is_open || rf->ended == INSTANT_NEVER;
        if (rf->ended != INSTANT_NEVER && run_facts_is_automatic(rf) && rf->ended > end)
            end = rf->ended;
    }
    if (!is_open && end > until && !may_be_barred(s, end))
        until = end - 1;
    return until;
}

static enum rc account_governed(const struct facts *facts, const struct schedule *s,
                                struct expected_slots *slots, struct err *reterr)
{
    struct account_entries entries = list_entries(s, facts->arena);
    const struct version *last = &s->versions[s->version_count - 1];
    instant written = grid_written(s);
    enum rc rc = check_apart(s, &entries, reterr);

    for (int i = 0; i < s->version_count; i++)
        if (judge_spec_follows(s->versions[i].spec))
            return rc;
    slots->count = 0;
    if (rc == RC_OK)
        rc = list_slots(facts, s, slots, reterr);
    for (int i = 0; i < slots->count; i++)
        if (slots->at[i].version == last && last->until == INSTANT_NEVER &&
            slots->at[i].at > written)
            slots->at[i].is_required = false;
    if (rc == RC_OK)
        rc = match_slots(facts, s, slots, &entries, reterr);
    if (rc == RC_OK)
        rc = check_governed(s, &entries, reterr);
    return rc == RC_OK ? judge_picks(facts, s, &entries, reterr) : rc;
}

static bool is_fixed(const struct schedule *s)
{
    if (s->version_count == 1 && judge_spec_is_grid(s->versions[0].spec))
        return true;
    for (int i = 0; i < s->version_count; i++)
        if (judge_spec_follows(s->versions[i].spec))
            return false;
    return true;
}

enum rc judge_account(struct facts *facts, struct err *reterr)
{
    struct expected_slots slots = {0};
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->schedule_count && rc == RC_OK; i++) {
        const struct schedule *s = &facts->schedules[i];

        if (s->is_governed)
            rc = account_governed(facts, s, &slots, reterr);
        else if (is_fixed(s))
            rc = account_fixed(facts, s, &slots, reterr);
        else
            rc = account_follower(facts, s, reterr);
    }
    free(slots.at);
    return rc;
}
