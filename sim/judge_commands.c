/* SPDX-License-Identifier: Apache-2.0 */
/* Acknowledged commands took effect: invariants 13 and 14. */
#include "engine/engine.h"
#include "sim/judge_facts.h"

/* ---- schedules ---- */

static enum rc check_exists(const struct schedule *s, struct err *reterr)
{
    if (s->deleted == INSTANT_NEVER && !s->cursor)
        return judge_fail(reterr, 13, "schedule %" PRId64 " was created and is gone", s->key);
    return RC_OK;
}

/* Versions of a schedule only grow, in every answer that contains one. */
static enum rc check_versions(const struct facts *facts, const struct schedule *s,
                              struct err *reterr)
{
    int64_t version = 0;

    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];
        bool edits = c->draft >= 0 && c->command.kind <= COMMAND_PUT;

        if (c->reply.schedule != s->key || !command_is_done(c) || c->reply.version == 0)
            continue;
        if (c->reply.version < version || (edits && c->reply.version == version))
            return judge_fail(reterr, 14,
                              "schedule %" PRId64 " went from version %" PRId64 " to %" PRId64,
                              s->key, version, c->reply.version);
        if (edits && c->command.version != 0 && c->command.version < version)
            return judge_fail(reterr, 14,
                              "schedule %" PRId64 ": an edit of version %" PRId64
                              " was taken when it had %" PRId64,
                              s->key, c->command.version, version);
        version = c->reply.version;
    }
    if (s->cursor && s->cursor->version < version)
        return judge_fail(reterr, 13,
                          "schedule %" PRId64 " has version %" PRId64 ", %" PRId64
                          " was acknowledged",
                          s->key, s->cursor->version, version);
    return RC_OK;
}

/* ---- requests ---- */

static bool is_same_request(const struct rec_command *a, const struct rec_command *b)
{
    return a->command.namespace == b->command.namespace &&
           str_eq(a->command.request, b->command.request) &&
           a->command.fingerprint == b->command.fingerprint;
}

static bool is_same_answer(const struct reply *a, const struct reply *b)
{
    return a->rc == b->rc && a->schedule == b->schedule && a->version == b->version &&
           a->run.schedule == b->run.schedule && a->run.slot_ms == b->run.slot_ms &&
           a->run.pass == b->run.pass && a->count == b->count;
}

/*
 * The last command with the same key that was executed before it.  Rejected commands are not
 * stored, and a repeated answer does not extend the lifetime.
 */
static const struct rec_command *earlier(const struct facts *facts, int index)
{
    const struct rec_command *c = facts->commands[index];

    for (int i = index - 1; i >= 0; i--)
        if (command_is_done(facts->commands[i]) && is_same_request(facts->commands[i], c))
            return facts->commands[i];
    return NULL;
}

static enum rc check_request(const struct facts *facts, int index, struct err *reterr)
{
    const struct rec_command *c = facts->commands[index], *before;

    if (c->command.request.len == 0 || c->reply.rc == RC_BUSY)
        return RC_OK;
    before = earlier(facts, index);
    if (!before) {
        if (c->reply.is_repeated)
            return judge_fail(reterr, 13,
                              "request %.*s is new and was answered as a repetition",
                              STR_ARG(c->command.request));
        return RC_OK;
    }
    /* An answer is stored for a day, by clocks that may have been stepped. */
    if (c->at - before->at >= REQUESTS_AGE || facts->record->clock_stepped)
        return RC_OK;
    if (!c->reply.is_repeated)
        return judge_fail(reterr, 13, "request %.*s was executed twice",
                          STR_ARG(c->command.request));
    if (!is_same_answer(&c->reply, &before->reply))
        return judge_fail(reterr, 13, "request %.*s was answered in two ways",
                          STR_ARG(c->command.request));
    return RC_OK;
}

/* ---- triggers and backfills ---- */

static const struct ledger_entry *ledger_of_pass(const struct schedule *s, instant slot,
                                                 int64_t pass)
{
    for (int i = 0; i < s->ledger_count; i++)
        if (s->ledger[i]->pass == pass && s->ledger[i]->account.first == slot)
            return s->ledger[i];
    return NULL;
}

static enum rc check_trigger(const struct facts *facts, const struct rec_command *c,
                             struct err *reterr)
{
    const struct run_id *run = &c->reply.run;
    const struct schedule *s = facts_schedule(facts, run->schedule);
    const struct run_facts *rf = facts_run(facts, run->schedule, run->slot_ms * SPAN_MS,
                                           run->pass);

    if ((s && s->is_pruned) || (rf && (rf->open || rf->row_count > 0)))
        return RC_OK;
    if (s && ledger_of_pass(s, run->slot_ms * SPAN_MS, run->pass))
        return RC_OK;
    return judge_fail(reterr, 13,
                      "run (%" PRId64 ", %" PRId64 " ms, pass %d) was asked for, "
                      "acknowledged, and left no trace",
                      run->schedule, run->slot_ms, (int)run->pass);
}

/* Whether some backfill processed the slot: as a run or as a ledger row. */
static bool is_filled(const struct schedule *s, instant slot)
{
    for (int i = 0; i < s->run_count; i++)
        if (s->runs[i].slot == slot && s->runs[i].kind == RUN_BACKFILL)
            return true;
    for (int i = 0; i < s->ledger_count; i++)
        if (s->ledger[i]->pass > 0 && s->ledger[i]->account.first == slot)
            return true;
    return false;
}

static bool is_at_work(const struct facts *facts, const struct schedule *s)
{
    for (int i = 0; i < facts->record->backfill_count; i++)
        if (facts->record->backfills[i].schedule == s->key &&
            facts->record->backfills[i].stage == BACKFILL_FILLING)
            return true;
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

/*
 * Whether a backfill of missed slots that was requested at `at` must have filled the slot: it
 * is older than the schedule, or its row in the ledger is older than the request.
 */
static bool is_missed(const struct facts *facts, const struct schedule *s,
                      const struct range *range, instant slot, instant at)
{
    if (slot < s->created)
        return true;
    for (int i = 0; i < s->ledger_count; i++) {
        const struct ledger_entry *l = s->ledger[i];
        bool is_wanted = l->account.outcome != OUTCOME_SLOT_CANCELLED ||
                         (range->flags & BACKFILL_CANCELLED);

        if (l->pass == 0 && l->account.first <= slot && l->account.last >= slot)
            return is_wanted && l->written_at + facts->skew < at;
    }
    return false;
}

/* Whether a trigger has started the slot, so that it is not missed. */
static bool is_triggered(const struct schedule *s, instant slot)
{
    for (int i = 0; i < s->run_count; i++)
        if (s->runs[i].slot == slot && s->runs[i].kind == RUN_TRIGGER)
            return true;
    return false;
}

/* Both ends of a range are in it, and every slot between is processed. */
static enum rc check_range(const struct facts *facts, const struct schedule *s,
                           const struct range *range, instant at_request, struct err *reterr)
{
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    struct judge_spec *spec = s->versions[0].spec;
    instant at = range->from - 1;

    while (judge_spec_next(spec, &origin, at, range->until, &at)) {
        if ((range->flags & BACKFILL_MISSED) &&
            (facts->record->clock_stepped || is_triggered(s, at) ||
             !is_missed(facts, s, range, at, at_request)))
            continue;
        if (!is_filled(s, at))
            return judge_fail(reterr, 13,
                              "schedule %" PRId64 ": a backfill that is done left out %" PRId64
                              " ms",
                              s->key, MS(at));
    }
    return RC_OK;
}

static enum rc check_backfill(const struct facts *facts, const struct rec_command *c,
                              struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, c->reply.schedule);
    enum rc rc = RC_OK;

    /* An edit meanwhile changes the slots. */
    if (!s || s->is_edited || s->is_pruned || s->is_governed || !s->cursor ||
        s->deleted != INSTANT_NEVER || judge_spec_follows(s->versions[0].spec) ||
        is_at_work(facts, s))
        return RC_OK;
    for (int i = 0; i < c->command.backfill.count && rc == RC_OK; i++)
        if (!is_stopped(facts, s, (int64_t)c->reply.run.pass + i))
            rc = check_range(facts, s, &c->command.backfill.ranges[i], c->at, reterr);
    return rc;
}

/* The range of the backfill with this pass; NULL: the command has none. */
static const struct range *range_of(const struct rec_command *c, int64_t pass)
{
    int64_t index = pass - c->reply.run.pass;

    if (c->command.kind != COMMAND_BACKFILL || index < 0 || index >= c->command.backfill.count)
        return NULL;
    return &c->command.backfill.ranges[index];
}

/* Whether a user has cancelled the slot; slots that are not decided yet are not filled. */
static bool is_cancelled(const struct schedule *s, instant slot)
{
    for (int i = 0; i < s->ledger_count; i++)
        if (s->ledger[i]->pass == 0 && s->ledger[i]->account.first <= slot &&
            s->ledger[i]->account.last >= slot)
            return s->ledger[i]->account.outcome == OUTCOME_SLOT_CANCELLED;
    return false;
}

/* A backfill of missed slots runs none that was started or cancelled before. */
static enum rc check_once(const struct facts *facts, const struct run_facts *rf,
                          const struct range *range, struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    if (s && range->flags == BACKFILL_MISSED && is_cancelled(s, rf->slot))
        return judge_fail(reterr, 2, RUN_FACTS_FMT " fills a slot that was cancelled",
                          RUN_FACTS_ARG(rf));
    for (int i = 0; s && !facts->record->clock_stepped && (range->flags & BACKFILL_MISSED) &&
                    i < s->run_count;
         i++) {
        const struct run_facts *other = &s->runs[i];
        bool is_run = other->open || other->row_count > 0;

        if (other->slot != rf->slot || other->pass == rf->pass || !is_run ||
            other->kind == RUN_TEST)
            continue;
        if (other->pass == 0 || other->created_at + facts->skew < rf->created_at)
            return judge_fail(reterr, 2, RUN_FACTS_FMT " fills a slot that was started before",
                              RUN_FACTS_ARG(rf));
    }
    return RC_OK;
}

/* A manual run has a slot that was requested. */
static enum rc check_asked(const struct facts *facts, const struct run_facts *rf,
                           struct err *reterr)
{
    if (rf->kind != RUN_BACKFILL && rf->kind != RUN_TRIGGER)
        return RC_OK;
    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];
        const struct range *range;

        if (c->reply.rc != RC_OK)
            continue;
        if (c->reply.run.schedule == rf->schedule && c->reply.run.pass == rf->pass &&
            c->reply.run.slot_ms == rf->slot / SPAN_MS)
            return RC_OK;
        range = range_of(c, rf->pass);
        if (range && c->reply.schedule == rf->schedule && rf->slot >= range->from &&
            rf->slot <= range->until)
            return check_once(facts, rf, range, reterr);
    }
    return judge_fail(reterr, 2, RUN_FACTS_FMT " was not requested by any command",
                      RUN_FACTS_ARG(rf));
}

static bool is_given_back(const struct facts *facts, int index)
{
    const struct run_id *run = &facts->commands[index]->command.run.id;

    for (int i = index + 1; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];

        if (c->command.kind == COMMAND_UNSKIP && command_is_done(c) &&
            c->command.run.id.schedule == run->schedule &&
            c->command.run.id.slot_ms == run->slot_ms)
            return true;
    }
    return false;
}

/* A cancelled slot has no run, unless a later command gave it back. */
static enum rc check_skip(const struct facts *facts, int index, struct err *reterr)
{
    const struct run_id *run = &facts->commands[index]->command.run.id;
    const struct run_facts *rf = facts_run(facts, run->schedule, run->slot_ms * SPAN_MS,
                                           run->pass);

    if (!rf || (!rf->open && rf->row_count == 0) || is_given_back(facts, index))
        return RC_OK;
    return judge_fail(reterr, 13, RUN_FACTS_FMT " ran although its slot was cancelled before",
                      RUN_FACTS_ARG(rf));
}

static enum rc check_done(const struct facts *facts, int index, struct err *reterr)
{
    const struct rec_command *c = facts->commands[index];
    enum rc rc = check_request(facts, index, reterr);

    if (rc != RC_OK || !command_is_done(c))
        return rc;
    if (c->command.kind == COMMAND_TRIGGER || c->command.kind == COMMAND_DIRECT)
        return check_trigger(facts, c, reterr);
    if (c->command.kind == COMMAND_BACKFILL)
        return check_backfill(facts, c, reterr);
    return c->command.kind == COMMAND_SKIP ? check_skip(facts, index, reterr) : RC_OK;
}

enum rc judge_commands(struct facts *facts, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->schedule_count && rc == RC_OK; i++) {
        rc = check_exists(&facts->schedules[i], reterr);
        if (rc == RC_OK)
            rc = check_versions(facts, &facts->schedules[i], reterr);
    }
    for (int i = 0; i < facts->command_count && rc == RC_OK; i++)
        rc = check_done(facts, i, reterr);
    for (int i = 0; i < facts->run_count && rc == RC_OK; i++)
        rc = check_asked(facts, &facts->runs[i], reterr);
    return rc;
}
