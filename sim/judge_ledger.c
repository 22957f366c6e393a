/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots that were not started: the reason is valid, and it has a cause.
 *
 * written_at is the clock of the turn that decided about the last slot of a row; the slots
 * before it may have been decided earlier.
 */
#include "base/must.h"
#include "sim/judge_facts.h"

static bool is_legal(enum outcome outcome, enum reason reason)
{
    switch (outcome) {
    case OUTCOME_SKIPPED:
        return reason == REASON_OVERLAP || reason == REASON_GOVERNOR;
    case OUTCOME_MISSED:
        return reason == REASON_WINDOW || reason == REASON_COALESCED ||
               reason == REASON_PAUSED || reason == REASON_EDITED || reason == REASON_CLOCK;
    case OUTCOME_DROPPED:
        return reason == REASON_BUFFER || reason == REASON_DELETED ||
               reason == REASON_QUARANTINED;
    case OUTCOME_SLOT_CANCELLED:
        return reason == REASON_USER || reason == REASON_DELETED;
    default:
        return false;
    }
}

/* Whether some version that was in force between two times matches. */
static bool any_version(const struct schedule *s, const struct ledger_entry *l,
                        bool (*allows)(const struct policies *policies))
{
    for (int i = 0; i < s->version_count; i++) {
        const struct version *v = &s->versions[i];

        if (v->from <= l->written_at && v->latest_until >= l->account.first &&
            allows(&v->draft->policies))
            return true;
    }
    return false;
}

static bool allows_coalescing(const struct policies *p)
{
    return p->catchup != CATCHUP_ALL;
}

static bool allows_dropping(const struct policies *p)
{
    return p->drop_when_full && p->buffer_limit > 0;
}

static bool has_window(const struct policies *p)
{
    return p->catchup == CATCHUP_NONE || p->catchup_window != CATCHUP_WINDOW_NONE;
}

/* ---- causes ---- */

/* A run of the schedule that was open or waiting when the slots were decided. */
static bool was_occupied(const struct facts *facts, const struct schedule *s,
                         const struct ledger_entry *l)
{
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *o = &s->runs[i];

        if (o->kind >= 0 && o->created_at <= l->written_at + facts->skew &&
            o->ended >= l->account.first - facts->skew)
            return true;
    }
    return false;
}

/*
 * Whether `slot` may represent these late slots: under `oldest` it is before them, else after.
 */
static bool may_represent(const struct schedule *s, const struct account *a, instant slot)
{
    for (int i = 0; i < s->version_count; i++) {
        enum catchup mode = s->versions[i].draft->policies.catchup;

        if (mode == CATCHUP_OLDEST ? slot < a->first : slot > a->last)
            return true;
    }
    return false;
}

/* Of several late slots one represents all: it has its own account, on the right side. */
static bool has_sibling(const struct facts *facts, const struct schedule *s,
                        const struct ledger_entry *l)
{
    for (int i = 0; i < s->run_count; i++)
        if (run_facts_is_automatic(&s->runs[i]) &&
            s->runs[i].created_at <= l->written_at + facts->skew &&
            may_represent(s, &l->account, s->runs[i].slot))
            return true;
    for (int i = 0; i < s->ledger_count; i++)
        if (s->ledger[i]->pass == 0 && s->ledger[i]->account.reason != REASON_COALESCED &&
            may_represent(s, &l->account, s->ledger[i]->account.first))
            return true;
    return facts->record->clock_stepped;
}

/* Whether the last slot was later than some version allows. */
static bool was_too_late(const struct schedule *s, const struct ledger_entry *l)
{
    span late = l->written_at - l->account.last;

    for (int i = 0; i < s->version_count; i++) {
        const struct policies *p = &s->versions[i].draft->policies;
        span window = p->catchup_window;

        if (p->catchup == CATCHUP_NONE &&
            (window == CATCHUP_WINDOW_NONE || window > CATCHUP_GRACE))
            window = CATCHUP_GRACE;
        if (window != CATCHUP_WINDOW_NONE && late > window)
            return true;
    }
    return false;
}

/* A stepped clock may show any time of a pause. */
static bool was_paused(const struct facts *facts, const struct schedule *s,
                       const struct ledger_entry *l)
{
    for (int i = 0; i < s->pause_count; i++)
        if (facts->record->clock_stepped ||
            (s->pauses[i].from <= l->written_at + facts->skew &&
             s->pauses[i].until >= l->account.last - facts->skew))
            return true;
    return false;
}

/* Not before the first slot, as far as clocks can show. */
static bool is_not_before(const struct facts *facts, instant at, const struct ledger_entry *l)
{
    return facts->record->clock_stepped || at + facts->skew >= l->account.first;
}

/* A command of some kind that was executed for the schedule, not before the first slot. */
static bool was_commanded(const struct facts *facts, const struct ledger_entry *l,
                          bool about_all, bool (*is_wanted)(enum command_kind kind))
{
    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];

        if (c->reply.rc == RC_OK && is_wanted(c->command.kind) &&
            is_not_before(facts, c->at, l) && (about_all || c->reply.schedule == l->schedule))
            return true;
    }
    return false;
}

static bool is_edit_kind(enum command_kind kind)
{
    return kind == COMMAND_UPDATE || kind == COMMAND_PUT;
}

static bool is_clock_kind(enum command_kind kind)
{
    return kind == COMMAND_CLOCK;
}

/* How many commands cancelled slots of the row; a slot may count twice. */
static int64_t cancelled_slots(const struct facts *facts, const struct ledger_entry *l)
{
    int64_t count = 0;

    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];
        instant slot = c->command.run.id.slot_ms * SPAN_MS;
        bool is_stop = c->command.kind == COMMAND_UNBACKFILL;

        if (is_stop && c->reply.rc == RC_OK && c->reply.schedule == l->schedule &&
            c->command.key == l->pass) /* of the whole pass, which is never 0 */
            count += l->account.count;
        if (!is_stop && c->reply.rc == RC_OK && c->command.run.id.schedule == l->schedule &&
            c->command.run.id.pass == l->pass && slot >= l->account.first &&
            slot <= l->account.last &&
            (c->command.kind == COMMAND_SKIP || c->command.kind == COMMAND_CANCEL ||
             c->command.kind == COMMAND_TERMINATE || c->command.kind == COMMAND_REJECT))
            count++;
    }
    return count;
}

static bool lost_a_node(const struct schedule *s)
{
    for (int i = 0; i < s->run_count; i++)
        for (int k = 0; k < s->runs[i].row_count; k++)
            if (s->runs[i].rows[k]->reason == REASON_NODE)
                return true;
    return s->cursor && s->cursor->flags & CURSOR_QUARANTINED;
}

/* The number of the invariant that a reason without a cause violates; 0: there is a cause. */
static int without_cause(const struct facts *facts, const struct schedule *s,
                         const struct ledger_entry *l)
{
    switch (l->account.reason) {
    case REASON_OVERLAP:
        return s->is_pruned || facts->record->clock_stepped || was_occupied(facts, s, l) ? 0
                                                                                         : 10;
    case REASON_BUFFER:
        return any_version(s, l, allows_dropping) ? 0 : 10;
    case REASON_COALESCED:
        return any_version(s, l, allows_coalescing) &&
                       (s->is_pruned || has_sibling(facts, s, l))
                   ? 0
                   : 1;
    case REASON_WINDOW:
        return any_version(s, l, has_window) && was_too_late(s, l) ? 0 : 1;
    case REASON_PAUSED:
        return !facts->has_all_events || was_paused(facts, s, l) ? 0 : 9;
    case REASON_EDITED:
        return was_commanded(facts, l, false, is_edit_kind) ? 0 : 1;
    case REASON_CLOCK:
        return was_commanded(facts, l, true, is_clock_kind) ? 0 : 1;
    case REASON_DELETED:
        return (s->deleted != INSTANT_NEVER && is_not_before(facts, s->deleted, l)) ||
                       (s->closed != INSTANT_NEVER && is_not_before(facts, s->closed, l))
                   ? 0
                   : 1;
    case REASON_QUARANTINED:
        return s->is_pruned || lost_a_node(s) ? 0 : 1;
    case REASON_GOVERNOR:
        return s->is_governed ? 0 : 1;
    case REASON_USER:
        return cancelled_slots(facts, l) >= l->account.count ? 0 : 1;
    default:
        return 1;
    }
}

static enum rc check_row(const struct facts *facts, const struct schedule *s,
                         const struct ledger_entry *l, struct err *reterr)
{
    const struct account *a = &l->account;
    int broken;

    if (!is_legal(a->outcome, a->reason))
        return judge_fail(reterr, 1,
                          "schedule %" PRId64 ": slot %" PRId64 " ms has outcome %d, reason %d",
                          s->key, MS(a->first), (int)a->outcome, (int)a->reason);
    /* A run that was held before a clock went back may be decided at an earlier time. */
    if (l->pass == 0 && l->written_at < a->last - facts->skew && !facts->record->clock_stepped)
        return judge_fail(reterr, 12,
                          "schedule %" PRId64 ": slot %" PRId64 " ms was decided at %" PRId64
                          " ms, before its time",
                          s->key, MS(a->last), MS(l->written_at));
    broken = without_cause(facts, s, l);
    if (broken)
        return judge_fail(reterr, broken,
                          "schedule %" PRId64 ": slot %" PRId64 " ms (of %" PRId64
                          ") is %s(%s) without a cause",
                          s->key, MS(a->first), a->count, outcome_text(a->outcome),
                          reason_text(a->reason));
    return RC_OK;
}

/* Rows of triggers and backfills have one slot each, and belong to requests. */
static enum rc check_pass(const struct schedule *s, const struct ledger_entry *l,
                          struct err *reterr)
{
    if (l->pass > 0 && l->account.count != 1)
        return judge_fail(
            reterr, 1, "schedule %" PRId64 ": pass %" PRId64 " has a row of %" PRId64 " slots",
            s->key, l->pass, l->account.count);
    return RC_OK;
}

enum rc judge_ledger(struct facts *facts, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->schedule_count; i++) {
        const struct schedule *s = &facts->schedules[i];

        for (int k = 0; k < s->ledger_count && rc == RC_OK; k++) {
            rc = check_pass(s, s->ledger[k], reterr);
            if (rc == RC_OK)
                rc = check_row(facts, s, s->ledger[k], reterr);
        }
    }
    return rc;
}
