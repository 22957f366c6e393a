/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariant 10: runs of one gate, or of one queue with workers, in the order of commits.
 * Clocks matter only for what another node may not know yet.
 */
#include <stdlib.h>

#include "sim/judge_facts.h"

/* A run is claimed or released. */
struct step {
    int64_t order;
    int by;
    const struct run_facts *rf;
    const struct rec_delivery *sent;
};

/* Whose runs are counted: those of a gate, or those that workers have claimed from a queue. */
struct limiter {
    int64_t gate, queue; /* one of them is 0 */
};

static bool is_limited_by(const struct run *run, const struct limiter *limiter)
{
    return limiter->gate != 0 ? run->gate == limiter->gate
                              : run->lane == LANE_PULL && run->queue == limiter->queue;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Within a turn, places are released before others are claimed. */
static int by_step(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    int c = compare(x->order, y->order);

    return c ? c : compare(x->by, y->by);
}

/*
 * The turn of the holder's own report; INT64_MAX: none.  A report whose turn was lost may not
 * have arrived; then something else was the end.
 */
static int64_t own_report(const struct run_facts *rf, int64_t fence, bool *ret_is_sure)
{
    for (int i = 0; i < rf->report_count; i++) {
        const struct rec_report *r = rf->reports[i];

        *ret_is_sure = r->rc == RC_OK;
        if (r->kind != REPORT_ALIVE && r->fence == fence &&
            (r->rc == RC_OK || r->rc == RC_UNKNOWN))
            return r->order;
    }
    *ret_is_sure = false;
    return INT64_MAX;
}

/*
 * The turn in which the holder of a delivery released it; INT64_MAX: not yet, or unknown.  A
 * report of the holder is the best evidence.  The last row of the run may mislead, because a
 * run that was handed back, or waits for its next attempt, ends under the same fence without a
 * holder.  If rows were pruned, that last row counts only if the holder was lost: then there is
 * no report.
 */
static int64_t released_at(const struct facts *facts, const struct run_facts *rf,
                           const struct rec_delivery *sent)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);
    bool is_pruned = s && s->is_pruned, is_sure;
    int64_t reported = own_report(rf, sent->run.fence, &is_sure);

    for (int i = 0; i < rf->row_count && !is_sure; i++) {
        const struct history_row *row = rf->rows[i];
        int64_t order;

        if (row->fence != sent->run.fence ||
            (is_pruned && row->last && row->outcome != OUTCOME_UNKNOWN))
            continue;
        order = facts_order(facts, row->ended_at, sent->order);
        return order < reported ? order : reported;
    }
    return reported;
}

static int list_steps(const struct facts *facts, const struct limiter *limiter,
                      struct step *ret)
{
    int count = 0;

    for (int i = 0; i < facts->run_count; i++) {
        const struct run_facts *rf = &facts->runs[i];

        for (int k = 0; k < rf->sent_count; k++) {
            const struct rec_delivery *sent = rf->sent[k];
            bool is_held = rf->open && rf->open->fence == sent->run.fence;
            int64_t end = released_at(facts, rf, sent);

            /*
             * Two nodes may have turns at the same time; the run's next claim tells them apart.
             */
            if (end != INT64_MAX && k + 1 < rf->sent_count && rf->sent[k + 1]->order < end)
                end = rf->sent[k + 1]->order;
            /* An end that was pruned is unknown. */
            if (!is_limited_by(&sent->run, limiter) || (end == INT64_MAX && !is_held))
                continue;
            ret[count++] = (struct step){sent->order, 1, rf, sent};
            if (end != INT64_MAX)
                ret[count++] = (struct step){end, -1, rf, sent};
        }
    }
    qsort(ret, (size_t)count, sizeof *ret, by_step);
    return count;
}

/* ---- limits ---- */

/* The name of a gate whose limit was set by a command; empty: none was. */
static struct str name_of(const struct facts *facts, const struct gate *gate)
{
    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];

        if (c->command.kind == COMMAND_GATE && c->reply.rc == RC_OK &&
            c->reply.schedule == gate->id)
            return c->command.name;
    }
    return (struct str){NULL, 0};
}

/* An edit that repeats the previous version's gate does not change the limit. */
static bool is_repeated(const struct facts *facts, const struct rec_command *c)
{
    const struct policies *p = &facts->record->drafts[c->draft].policies, *before = NULL;

    for (int i = 0; i < facts->command_count && facts->commands[i] != c; i++)
        if (command_is_edit(facts->commands[i]) &&
            facts->commands[i]->reply.schedule == c->reply.schedule)
            before = &facts->record->drafts[facts->commands[i]->draft].policies;
    return before && str_eq(before->gate, p->gate) && before->gate_limit == p->gate_limit;
}

/* Whether a command sets the limit of a gate: a gate command, or a draft that names it. */
static bool sets_limit(const struct facts *facts, const struct rec_command *c, struct str name,
                       int64_t *ret)
{
    const struct rec_draft *draft = c->draft >= 0 ? &facts->record->drafts[c->draft] : NULL;

    if (!command_is_done(c))
        return false;
    if (c->command.kind == COMMAND_GATE && str_eq(c->command.name, name)) {
        *ret = c->command.limit;
        return true;
    }
    if (!draft || !str_eq(draft->policies.gate, name) || is_repeated(facts, c))
        return false;
    *ret = draft->policies.gate_limit;
    return true;
}

/* ---- a gate over time ---- */

static enum rc check_course(const struct facts *facts, const struct gate *gate,
                            struct err *reterr)
{
    size_t room = 2 * (size_t)facts->record->delivery_count;
    struct step *steps = arena_array(facts->arena, room, sizeof *steps);
    int count = list_steps(facts, &(struct limiter){.gate = gate->id}, steps), next = 0;
    struct str name = name_of(facts, gate);
    int64_t most = gate->most, open = 0;

    for (int i = 0; i < count; i++) {
        for (; next < facts->command_count && facts->commands[next]->order <= steps[i].order;
             next++)
            if (name.len > 0)
                (void)sets_limit(facts, facts->commands[next], name, &most);
        open += steps[i].by;
        if (steps[i].by > 0 && open > most)
            return judge_fail(reterr, 10,
                              RUN_FACTS_FMT " was sent in turn %" PRId64 " as number %" PRId64
                                            " of gate %" PRId64 ", whose limit is %" PRId64,
                              RUN_FACTS_ARG(steps[i].rf), steps[i].order, open, gate->id, most);
    }
    return RC_OK;
}

static enum rc check_gate(const struct facts *facts, const struct gate *gate,
                          struct err *reterr)
{
    int64_t open = 0, waiting = 0;

    for (int i = 0; i < facts->record->run_count; i++) {
        const struct run *r = &facts->record->runs[i];

        open += r->gate == gate->id && run_is_claimed(r->state);
        waiting += r->gate == gate->id && r->state == RUN_GATED;
    }
    if (open != gate->open || waiting != gate->waiting)
        return judge_fail(reterr, 10,
                          "gate %" PRId64 " counts %" PRId64 " open and %" PRId64
                          " waiting; there are %" PRId64 " and %" PRId64,
                          gate->id, gate->open, gate->waiting, open, waiting);
    return check_course(facts, gate, reterr);
}

/* ---- a queue over time ---- */

/* A limit that was set while none was in force. */
struct limit {
    int64_t most; /* 0: none */
    const struct rec_command *since;
};

static void set_limit(struct limit *limit, const struct rec_command *c)
{
    if (limit->most == 0)
        limit->since = c;
    limit->most = c->command.limit;
}

/*
 * Whether a node knew about the limit in a turn: it set it itself, or has taken turns for at
 * least a second since, in which it must have read it.
 */
static bool is_known(const struct facts *facts, const struct limit *limit,
                     const struct rec_delivery *sent)
{
    if (limit->since->node == sent->node)
        return true;
    for (int i = 0; i < facts->turn_count; i++) {
        const struct rec_turn *t = facts->turns[i];

        if (t->node == sent->node && t->order > limit->since->order &&
            t->order <= sent->order && t->now <= sent->at - SPAN_S)
            return true;
    }
    return false;
}

/*
 * Runs that were claimed before a limit was lowered stay claimed; no further run is claimed
 * before there is room.
 */
static enum rc check_queue(const struct facts *facts, int64_t queue, struct err *reterr)
{
    size_t room = 2 * (size_t)facts->record->delivery_count;
    struct step *steps = arena_array(facts->arena, room, sizeof *steps);
    int count = list_steps(facts, &(struct limiter){.queue = queue}, steps), next = 0;
    struct limit limit = {0};
    int64_t open = 0;

    for (int i = 0; i < count; i++) {
        for (; next < facts->command_count && facts->commands[next]->order <= steps[i].order;
             next++) {
            const struct rec_command *c = facts->commands[next];

            if (c->command.kind == COMMAND_QUEUE_LIMIT && command_is_done(c) &&
                c->reply.schedule == queue)
                set_limit(&limit, c);
        }
        open += steps[i].by;
        if (steps[i].by > 0 && limit.most > 0 && open > limit.most &&
            is_known(facts, &limit, steps[i].sent))
            return judge_fail(reterr, 10,
                              RUN_FACTS_FMT " was sent in turn %" PRId64 " as number %" PRId64
                                            " of queue %" PRId64 ", whose limit is %" PRId64,
                              RUN_FACTS_ARG(steps[i].rf), steps[i].order, open, queue,
                              limit.most);
    }
    return RC_OK;
}

/* Each queue once: at the first command that sets its limit. */
static bool is_first_of_queue(const struct facts *facts, int command)
{
    const struct rec_command *c = facts->commands[command];

    if (c->command.kind != COMMAND_QUEUE_LIMIT || !command_is_done(c))
        return false;
    for (int i = 0; i < command; i++)
        if (facts->commands[i]->command.kind == COMMAND_QUEUE_LIMIT &&
            command_is_done(facts->commands[i]) &&
            facts->commands[i]->reply.schedule == c->reply.schedule)
            return false;
    return true;
}

enum rc judge_gates(struct facts *facts, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->record->gate_count && rc == RC_OK; i++)
        rc = check_gate(facts, &facts->record->gates[i], reterr);
    for (int i = 0; i < facts->command_count && rc == RC_OK; i++)
        if (is_first_of_queue(facts, i))
            rc = check_queue(facts, facts->commands[i]->reply.schedule, reterr);
    return rc;
}
