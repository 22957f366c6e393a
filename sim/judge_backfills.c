/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts that users requested: each has exactly one account, and no other start has one.
 * Invariants 1, 2 and 13.
 *
 * The slots of a backfill follow from its range and from the versions of the schedule that were
 * in force since the request.  Each backfill is judged by its own pass: the account of one pass
 * says nothing about another one.
 */
#include "sim/judge_facts.h"

/* A backfill as it was requested. */
struct request {
    const struct rec_command *command;
    struct range range;
    bool has_range; /* false: it is a trigger */
    int64_t pass;
};

/* ---- requests ---- */

/* How many backfills a command requested. */
static int range_count(const struct rec_command *c)
{
    if (c->command.kind == COMMAND_RESUME)
        return c->command.pause.replays;
    return c->command.kind == COMMAND_BACKFILL ? c->command.backfill.count : 0;
}

/* A resume from a past time requests the missed slots up to its turn. */
static struct range range_at(const struct rec_command *c, int i)
{
    if (c->command.kind == COMMAND_RESUME)
        return (struct range){.from = c->command.pause.from,
                              .until = c->at,
                              .overlap = OVERLAP_DEFAULT,
                              .flags = BACKFILL_MISSED};
    return c->command.backfill.ranges[i];
}

/* The range of the backfill with this pass; false: the command has none. */
static bool find_range(const struct rec_command *c, int64_t pass, struct range *ret)
{
    int64_t index = pass - c->reply.run.pass;

    if (index < 0 || index >= range_count(c))
        return false;
    *ret = range_at(c, (int)index);
    return true;
}

/* Finds the request for a manual start.  False: there is none. */
static bool find_request(const struct facts *facts, const struct schedule *s, instant slot,
                         int64_t pass, struct request *ret)
{
    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];

        if (c->reply.rc != RC_OK)
            continue;
        *ret = (struct request){.command = c, .pass = pass};
        if (c->reply.run.schedule == s->key && c->reply.run.pass == pass &&
            c->reply.run.slot_ms == slot / SPAN_MS)
            return true;
        ret->has_range = c->reply.schedule == s->key && find_range(c, pass, &ret->range);
        if (ret->has_range && slot >= ret->range.from && slot <= ret->range.until)
            return true;
    }
    return false;
}

/* Whether a version was in force at some time after the request. */
static bool is_in_force(const struct version *v, const struct rec_command *request)
{
    return v->until >= request->at || v->latest_until >= request->at;
}

static bool has_slot(const struct schedule *s, const struct version *v, instant slot)
{
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    instant found;

    return judge_spec_next(v->spec, &origin, slot - 1, slot, &found);
}

/* Slots that follow runs are not known here: the batches saw different runs. */
static bool is_fixed(const struct schedule *s)
{
    for (int i = 0; i < s->version_count; i++)
        if (judge_spec_follows(s->versions[i].spec))
            return false;
    return true;
}

/* ---- which slots were missed ---- */

/* The row of the ledger that has the slot; NULL: it has none. */
static const struct ledger_entry *row_with(const struct schedule *s, instant slot)
{
    for (int i = 0; i < s->ledger_count && s->ledger[i]->pass == 0; i++)
        if (s->ledger[i]->account.first <= slot && s->ledger[i]->account.last >= slot)
            return s->ledger[i];
    return NULL;
}

/* Whether a backfill of missed slots with these flags takes slots of the row. */
static bool is_wanted(const struct account *a, int64_t flags)
{
    if (a->outcome == OUTCOME_SLOT_CANCELLED && a->reason == REASON_USER)
        return flags & BACKFILL_CANCELLED;
    if (a->outcome == OUTCOME_SKIPPED && a->reason == REASON_GOVERNOR)
        return flags & BACKFILL_GOVERNOR;
    return true;
}

static bool is_run(const struct run_facts *rf)
{
    return rf->kind != RUN_TEST && (rf->open || rf->row_count > 0);
}

/* A backfill of missed slots takes none that was started before. */
static enum rc check_once(const struct facts *facts, const struct schedule *s, instant slot,
                          const struct request *request, struct err *reterr)
{
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (rf->slot != slot || rf->pass == request->pass || !is_run(rf))
            continue;
        if (rf->pass == 0 || rf->created_at + facts->skew < request->command->at)
            return judge_fail(reterr, 2,
                              "schedule %" PRId64 ": pass %" PRId64
                              " of missed slots has %" PRId64 " ms, which was started before",
                              s->key, request->pass, MS(slot));
    }
    return RC_OK;
}

/* It takes only slots that were missed, and cancelled ones only if it was asked to. */
static enum rc check_missed(const struct facts *facts, const struct schedule *s, instant slot,
                            const struct request *request, struct err *reterr)
{
    const struct ledger_entry *row = row_with(s, slot);
    bool is_known = row || slot < s->created || s->is_pruned || facts->record->clock_stepped;

    if (!is_known || (row && !is_wanted(&row->account, request->range.flags)))
        return judge_fail(reterr, 2,
                          "schedule %" PRId64 ": pass %" PRId64 " of missed slots has %" PRId64
                          " ms, which was %s",
                          s->key, request->pass, MS(slot),
                          row ? "not asked for" : "not missed");
    return facts->record->clock_stepped ? RC_OK : check_once(facts, s, slot, request, reterr);
}

/* ---- accounts that exist ---- */

/* An account was requested, and it has a slot of the schedule. */
static enum rc check_account(const struct facts *facts, const struct schedule *s, instant slot,
                             int64_t pass, struct err *reterr)
{
    struct request request;
    bool is_slot = false;

    if (!find_request(facts, s, slot, pass, &request))
        return judge_fail(reterr, 2,
                          "schedule %" PRId64 ": %" PRId64 " ms of pass %" PRId64
                          " was not requested by any command",
                          s->key, MS(slot), pass);
    if (!request.has_range)
        return RC_OK;
    for (int i = 0; i < s->version_count && !is_slot; i++)
        is_slot = is_in_force(&s->versions[i], request.command) &&
                  has_slot(s, &s->versions[i], slot);
    if (!is_slot && is_fixed(s))
        return judge_fail(reterr, 2,
                          "schedule %" PRId64 ": pass %" PRId64 " has %" PRId64
                          " ms, which is not a slot",
                          s->key, pass, MS(slot));
    return request.range.flags & BACKFILL_MISSED
               ? check_missed(facts, s, slot, &request, reterr)
               : RC_OK;
}

static bool is_manual(const struct run_facts *rf)
{
    return rf->kind == RUN_BACKFILL || rf->kind == RUN_TRIGGER;
}

static enum rc check_accounts(const struct facts *facts, const struct schedule *s,
                              struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < s->run_count && rc == RC_OK; i++)
        if (is_manual(&s->runs[i]))
            rc = check_account(facts, s, s->runs[i].slot, s->runs[i].pass, reterr);
    for (int i = 0; i < s->ledger_count && rc == RC_OK; i++) {
        const struct ledger_entry *l = s->ledger[i];
        bool is_double = i > 0 && s->ledger[i - 1]->pass == l->pass &&
                         s->ledger[i - 1]->account.first == l->account.first;

        if (l->pass == 0)
            continue;
        if (is_double)
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": %" PRId64 " ms of pass %" PRId64
                              " has two rows in the ledger",
                              s->key, MS(l->account.first), l->pass);
        rc = check_account(facts, s, l->account.first, l->pass, reterr);
    }
    return rc;
}

/* ---- accounts that must exist ---- */

static bool is_filling(const struct facts *facts, const struct schedule *s, int64_t pass)
{
    for (int i = 0; i < facts->record->backfill_count; i++) {
        const struct backfill *b = &facts->record->backfills[i];

        if (b->schedule == s->key && b->pass == pass && b->stage == BACKFILL_FILLING)
            return true;
    }
    return false;
}

static bool is_stopped(const struct facts *facts, const struct schedule *s, int64_t pass)
{
    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];

        if (c->command.kind == COMMAND_UNBACKFILL && command_is_done(c) &&
            c->reply.schedule == s->key && c->command.key == pass)
            return true;
    }
    return false;
}

/* Whether a manual start that was not started may have been a run that waited. */
static bool may_have_waited(const struct facts *facts, const struct schedule *s,
                            const struct ledger_entry *l)
{
    struct request request;
    enum overlap overlap;

    if (!find_request(facts, s, l->account.first, l->pass, &request))
        return true;
    overlap = request.has_range ? request.range.overlap
                                : request.command->command.start.overlap;
    return overlap != OVERLAP_SKIP && overlap != OVERLAP_ALLOW_ALL;
}

/* Whether a run of another pass may have been the reason not to fill a missed slot. */
static bool may_be_taken(const struct facts *facts, const struct schedule *s, instant slot,
                         int64_t pass)
{
    for (int i = 0; i < s->run_count; i++)
        if (s->runs[i].slot == slot && s->runs[i].pass != pass && is_run(&s->runs[i]))
            return true;
    for (int i = 0; i < s->ledger_count; i++) {
        const struct ledger_entry *l = s->ledger[i];

        if (l->pass > 0 && l->pass != pass && l->account.first == slot &&
            may_have_waited(facts, s, l))
            return true;
    }
    return false;
}

/* Whether a backfill that is done must have an account of a slot of its range. */
static bool is_required(const struct facts *facts, const struct schedule *s, instant slot,
                        const struct request *request)
{
    const struct ledger_entry *row;

    for (int i = 0; i < s->version_count; i++)
        if (is_in_force(&s->versions[i], request->command) &&
            !has_slot(s, &s->versions[i], slot))
            return false;
    if (!(request->range.flags & BACKFILL_MISSED))
        return true;
    if (facts->record->clock_stepped || may_be_taken(facts, s, slot, request->pass))
        return false;
    row = row_with(s, slot);
    if (!row)
        return slot < s->created;
    if (request->command->command.kind == COMMAND_RESUME &&
        row->account.reason == REASON_PAUSED && row->written_at == request->command->at)
        return true; /* the turn that ends the pause writes its slots first */
    return is_wanted(&row->account, request->range.flags) &&
           row->written_at + facts->skew < request->command->at;
}

static bool has_account(const struct facts *facts, const struct schedule *s, instant slot,
                        int64_t pass)
{
    const struct run_facts *rf = facts_run(facts, s->key, slot, pass);

    return (rf && is_run(rf)) || schedule_row(s, slot, pass);
}

/* Both ends of a range are in it, and every slot between is processed. */
static enum rc check_range(const struct facts *facts, const struct schedule *s,
                           const struct request *request, struct err *reterr)
{
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    const struct version *v = s->versions;
    instant at = request->range.from - 1;

    while (!is_in_force(v, request->command))
        v++; /* the last version always is */
    while (judge_spec_next(v->spec, &origin, at, request->range.until, &at))
        if (is_required(facts, s, at, request) && !has_account(facts, s, at, request->pass))
            return judge_fail(reterr, 13,
                              "schedule %" PRId64 ": backfill %" PRId64
                              ", which is done, left out %" PRId64 " ms",
                              s->key, request->pass, MS(at));
    return RC_OK;
}

static enum rc check_backfill(const struct facts *facts, const struct rec_command *c,
                              struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, c->reply.schedule);
    enum rc rc = RC_OK;

    if (!s || s->is_pruned || !s->cursor || s->deleted != INSTANT_NEVER || !is_fixed(s))
        return RC_OK;
    for (int i = 0; i < range_count(c) && rc == RC_OK; i++) {
        struct request request = {c, range_at(c, i), true, (int64_t)c->reply.run.pass + i};

        if (!is_stopped(facts, s, request.pass) && !is_filling(facts, s, request.pass))
            rc = check_range(facts, s, &request, reterr);
    }
    return rc;
}

enum rc judge_backfills(struct facts *facts, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->schedule_count && rc == RC_OK; i++)
        rc = check_accounts(facts, &facts->schedules[i], reterr);
    for (int i = 0; i < facts->command_count && rc == RC_OK; i++)
        if (range_count(facts->commands[i]) > 0 && command_is_done(facts->commands[i]))
            rc = check_backfill(facts, facts->commands[i], reterr);
    return rc;
}
