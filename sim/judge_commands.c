/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acknowledged commands took effect: invariants 13 and 14; for backfills see judge_backfills.c.
 */
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

/* ---- triggers and cancelled slots ---- */

static enum rc check_trigger(const struct facts *facts, const struct rec_command *c,
                             struct err *reterr)
{
    const struct run_id *run = &c->reply.run;
    const struct schedule *s = facts_schedule(facts, run->schedule);
    const struct run_facts *rf = facts_run(facts, run->schedule, run->slot_ms * SPAN_MS,
                                           run->pass);

    if ((s && s->is_pruned) || (rf && (rf->open || rf->row_count > 0)))
        return RC_OK;
    if (s && schedule_row(s, run->slot_ms * SPAN_MS, run->pass))
        return RC_OK;
    return judge_fail(reterr, 13,
                      "run (%" PRId64 ", %" PRId64 " ms, pass %d) was asked for, "
                      "acknowledged, and left no trace",
                      run->schedule, run->slot_ms, (int)run->pass);
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
    return rc;
}
