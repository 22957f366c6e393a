/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The central promise: every slot of every schedule has exactly one account, and no other time
 * has one.  Invariants 1, 2, 11, and 25 for slots.
 *
 * The slots of each version are listed by brute force, both required and possible ones.  If
 * the jitter of a slot spans an edit, its due times by both versions decide whose it is
 * [P-14]; with several nodes or a stepped clock, it may belong to either or to none.  If a
 * clock went back, the engine keeps the slots that it has accounted for.
 */
#include "sim/judge_account.h"

#include <stdlib.h>

#include "base/must.h"

enum { SLOTS_MAX = 8 << 20 }; /* of one schedule in one record; more are not judged */

/* ---- the slots of the versions ---- */

enum rc judge_add_slot(struct expected_slots *slots, struct expected_slot slot,
                       struct err *reterr)
{
    if (slots->count == SLOTS_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "a schedule has more than %d slots", SLOTS_MAX);
    if (slots->count == slots->room) {
        slots->room = slots->room ? slots->room * 2 : 1024;
        slots->at = realloc(slots->at, (size_t)slots->room * sizeof *slots->at);
        must(slots->at != NULL);
    }
    slots->at[slots->count++] = slot;
    return RC_OK;
}

/* When a slot is due under a version. */
static instant due_of(const struct schedule *s, const struct version *v, instant at)
{
    const struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};

    return judge_spec_due(v->spec, &origin, v->draft->seed, at);
}

/* Whether a version ran a pick at or after a time, which its spec alone does not tell. */
static bool has_picked(const struct schedule *s, const struct version *v, instant at)
{
    for (int i = 0; i < s->run_count && v->draft->is_governed; i++)
        if (run_facts_is_automatic(&s->runs[i]) && s->runs[i].slot >= at &&
            s->runs[i].created_at <= v->until)
            return true;
    return false;
}

/* Whether the version before decided a slot at or after a time, or began after it. */
static bool has_passed(const struct schedule *s, const struct version *v, instant at)
{
    const struct version *before = v - 1;
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    instant later = at - 1;

    return before->from >= at || has_picked(s, before, at) ||
           (judge_spec_next(before->spec, &origin, at - 1, v->from, &later) &&
            due_of(s, before, later) <= v->from);
}

/*
 * A slot whose jitter may span the begin or the end of a version.  Slots that were due by an
 * edit belong to the version before it, the others to the version after it.  In the last
 * version, only those up to `until` are required.
 */
static bool is_in_version(const struct schedule *s, const struct version *v, instant until,
                          struct expected_slot *slot)
{
    instant due = due_of(s, v, slot->at);

    if (v == s->versions && slot->at == s->created / SPAN_MS * SPAN_MS)
        return true; /* "now": the default jitter of a node does not delay it */
    if (due > v->until || (v > s->versions && due <= v->from))
        return false;
    slot->is_required = v->until != INSTANT_NEVER || slot->at <= until;
    if (v > s->versions && slot->at <= v->from && has_passed(s, v, slot->at))
        slot->is_required = false;
    return true;
}

static enum rc list_version(const struct facts *facts, const struct schedule *s,
                            const struct version *v, struct expected_slots *slots,
                            struct err *reterr)
{
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    bool is_first = v == s->versions;
    bool is_exact = facts->skew == 0 && !facts->record->clock_stepped;
    span jitter = v->draft->def.jitter;
    /* The entry "now" of a new schedule is a slot at its creation, in whole milliseconds. */
    instant at = is_first ? v->from - SPAN_MS : v->from - jitter - 1;
    instant after, until;
    enum rc rc = RC_OK;

    judge_bounds(facts, s, v, &after, &until);
    while (rc == RC_OK && judge_spec_next(v->spec, &origin, at, v->latest_until, &at)) {
        struct expected_slot slot = {at, at > after && at <= until, false, v};
        bool is_near = (!is_first && at <= v->from) ||
                       (v->until != INSTANT_NEVER && at + jitter > v->until);

        if (!is_exact || jitter == 0 || !is_near || is_in_version(s, v, until, &slot))
            rc = judge_add_slot(slots, slot, reterr);
    }
    return rc;
}

static int by_slot(const void *a, const void *b)
{
    const struct expected_slot *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static enum rc list_versions(const struct facts *facts, const struct schedule *s,
                             struct expected_slots *slots, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < s->version_count && rc == RC_OK; i++)
        rc = list_version(facts, s, &s->versions[i], slots, reterr);
    return rc;
}

/* In order of time, each once; what one version requires is required. */
static void sort_slots(struct expected_slots *slots)
{
    int count = 0;
    bool is_sorted = true;

    for (int i = 1; i < slots->count; i++)
        is_sorted = is_sorted && slots->at[i - 1].at <= slots->at[i].at;
    if (!is_sorted)
        qsort(slots->at, (size_t)slots->count, sizeof *slots->at, by_slot);
    for (int i = 0; i < slots->count; i++) {
        struct expected_slot *last = count ? &slots->at[count - 1] : NULL;

        if (!last || last->at != slots->at[i].at)
            slots->at[count++] = slots->at[i];
        else if (slots->at[i].is_required)
            *last = slots->at[i];
    }
    slots->count = count;
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

/* Whether a slot counts after the starts of its version are limited [P-15]. */
static bool is_within(const struct judge_budget *budget, struct expected_slot *slot)
{
    if (!budget->is_spent || slot->at <= budget->last)
        return true;
    slot->is_required = false;
    return !budget->is_exact || slot->at <= budget->made;
}

/* Removes the slots for which no start is left. */
static void limit_slots(const struct facts *facts, const struct schedule *s,
                        struct expected_slots *slots)
{
    struct judge_budget *budgets = arena_array(facts->arena, (size_t)s->version_count,
                                               sizeof *budgets);
    int count = 0;

    for (int i = 0; i < s->version_count; i++)
        budgets[i] = judge_budget_of(facts, s, &s->versions[i]);
    for (int i = 0; i < slots->count; i++) {
        struct expected_slot slot = slots->at[i];

        if (is_within(&budgets[slot.version - s->versions], &slot))
            slots->at[count++] = slot;
    }
    slots->count = count;
}

static enum rc match_slots(const struct facts *facts, const struct schedule *s,
                           const struct expected_slots *slots, struct account_entries *entries,
                           struct err *reterr)
{
    struct account_entry *e = entries->at, *end = e + entries->count;

    for (int i = 0; i < slots->count; i++) {
        const struct expected_slot *slot = &slots->at[i];
        bool is_required = slot->is_required && !s->is_pruned;

        while (e < end && e->last < slot->at)
            e++;
        if (e < end && e->first <= slot->at) {
            e->required += is_required;
            e->possible++;
            e->has_first = e->has_first || slot->at == e->first;
            e->has_last = e->has_last || slot->at == e->last;
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

/* The first slot after the mark; one that may exist counts if the cursor awaits it. */
static instant next_after_mark(const struct schedule *s, const struct expected_slots *slots,
                               const struct judge_origin *origin)
{
    const struct version *v = &s->versions[s->version_count - 1];
    const struct cursor *c = s->cursor;
    instant after = c->mark > v->latest_until ? c->mark : v->latest_until;
    instant until = c->next_at == INSTANT_NEVER ? after + SPAN_DAY : c->next_at;
    instant next = INSTANT_NEVER;

    for (int i = 0; i < slots->count; i++) {
        const struct expected_slot *slot = &slots->at[i];
        bool is_fixed = slot->version == v && slot->at > v->latest_from && !slot->is_doubtful;

        if (slot->at > c->mark && (slot->at == c->next_at || is_fixed))
            return slot->at;
    }
    (void)judge_spec_next(v->spec, origin, after, until, &next);
    return next;
}

/* The cursor awaits the next slot after its mark. */
static enum rc check_next(const struct schedule *s, const struct expected_slots *slots,
                          const struct judge_origin *origin, struct err *reterr)
{
    const struct cursor *c = s->cursor;
    instant next;

    if (!c || s->deleted != INSTANT_NEVER)
        return RC_OK;
    next = c->flags & CURSOR_CLOSED || c->remaining == 0 ? INSTANT_NEVER
                                                         : next_after_mark(s, slots, origin);
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

/* Each slot of the list has an account, and each account is of slots in it. */
static enum rc compare(const struct facts *facts, const struct schedule *s,
                       struct expected_slots *slots, struct account_entries *entries,
                       struct err *reterr)
{
    enum rc rc;

    sort_slots(slots);
    limit_slots(facts, s, slots);
    rc = match_slots(facts, s, slots, entries, reterr);
    return rc == RC_OK ? check_entries(s, entries, reterr) : rc;
}

static enum rc account_fixed(const struct facts *facts, const struct schedule *s,
                             struct expected_slots *slots, struct account_entries *entries,
                             struct err *reterr)
{
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    enum rc rc = list_versions(facts, s, slots, reterr);

    if (rc == RC_OK)
        rc = compare(facts, s, slots, entries, reterr);
    if (rc == RC_OK)
        rc = check_latest(facts, s, entries, reterr);
    return rc == RC_OK ? check_next(s, slots, &origin, reterr) : rc;
}

static enum rc account_follower(const struct facts *facts, const struct schedule *s,
                                struct expected_slots *slots, struct account_entries *entries,
                                struct err *reterr)
{
    struct judge_origin origin;
    enum rc rc;

    if (!judge_follow_is_exact(facts, s))
        return judge_follow_loosely(facts, s, entries, reterr);
    rc = judge_follow(facts, s, slots, &origin, reterr);
    if (rc == RC_OK)
        rc = compare(facts, s, slots, entries, reterr);
    return rc == RC_OK ? check_next(s, slots, &origin, reterr) : rc;
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
                                struct expected_slots *slots, struct account_entries *entries,
                                struct err *reterr)
{
    const struct version *last = &s->versions[s->version_count - 1];
    instant written = grid_written(s);
    enum rc rc;

    for (int i = 0; i < s->version_count; i++)
        if (judge_spec_follows(s->versions[i].spec))
            return RC_OK;
    rc = list_versions(facts, s, slots, reterr);
    for (int i = 0; i < slots->count; i++)
        if (slots->at[i].version == last && last->until == INSTANT_NEVER &&
            slots->at[i].at > written)
            slots->at[i].is_required = false;
    sort_slots(slots);
    limit_slots(facts, s, slots);
    if (rc == RC_OK)
        rc = match_slots(facts, s, slots, entries, reterr);
    if (rc == RC_OK)
        rc = check_governed(s, entries, reterr);
    return rc == RC_OK ? judge_picks(facts, s, entries, reterr) : rc;
}

/* All slots have fixed times: those of a single interval from starts lie on one grid. */
static bool is_fixed(const struct schedule *s)
{
    if (s->version_count == 1 && judge_spec_is_grid(s->versions[0].spec))
        return true;
    for (int i = 0; i < s->version_count; i++)
        if (judge_spec_follows(s->versions[i].spec))
            return false;
    return true;
}

static enum rc account_schedule(const struct facts *facts, const struct schedule *s,
                                struct expected_slots *slots, struct err *reterr)
{
    struct account_entries entries = list_entries(s, facts->arena);
    enum rc rc = check_apart(s, &entries, reterr);

    slots->count = 0;
    if (rc == RC_OK && s->cursor && s->cursor->mark > facts->last)
        rc = judge_fail(reterr, 11,
                        "schedule %" PRId64 ": the mark %" PRId64 " ms has not come yet",
                        s->key, MS(s->cursor->mark));
    if (rc != RC_OK)
        return rc;
    if (s->is_governed)
        return account_governed(facts, s, slots, &entries, reterr);
    if (is_fixed(s))
        return account_fixed(facts, s, slots, &entries, reterr);
    return account_follower(facts, s, slots, &entries, reterr);
}

enum rc judge_account(struct facts *facts, struct err *reterr)
{
    struct expected_slots slots = {0};
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->schedule_count && rc == RC_OK; i++)
        rc = account_schedule(facts, &facts->schedules[i], &slots, reterr);
    free(slots.at);
    return rc;
}
