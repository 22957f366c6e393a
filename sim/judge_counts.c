/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums and numbers: counters match history and ledger (invariant 15), events are numbered
 * without gaps and report every end correctly (19), the database is intact (24).
 */
#include "sim/judge_facts.h"

struct sums {
    int64_t started, skipped, missed, dropped, cancelled, succeeded, failed, open, waiting;
};

static void add_run(struct sums *sums, const struct run_facts *rf)
{
    const struct history_row *last = run_facts_last(rf);

    if (rf->kind == RUN_TEST || rf->kind < 0)
        return;
    sums->started += run_facts_is_started(rf);
    sums->open += rf->open && rf->open->state != RUN_HELD;
    sums->waiting += rf->open && rf->open->state == RUN_HELD;
    if (!last)
        return;
    sums->succeeded += last->outcome == OUTCOME_SUCCEEDED;
    sums->failed += last->outcome == OUTCOME_FAILED || last->outcome == OUTCOME_TIMED_OUT ||
                    last->outcome == OUTCOME_UNKNOWN;
}

static void add_ledger(struct sums *sums, const struct account *a)
{
    if (a->outcome == OUTCOME_SKIPPED)
        sums->skipped += a->count;
    else if (a->outcome == OUTCOME_MISSED)
        sums->missed += a->count;
    else if (a->outcome == OUTCOME_DROPPED)
        sums->dropped += a->count;
    else
        sums->cancelled += a->count;
}

static enum rc check_sum(const struct schedule *s, const char *what, int64_t counted,
                         int64_t found, struct err *reterr)
{
    if (counted == found)
        return RC_OK;
    return judge_fail(reterr, 15,
                      "schedule %" PRId64 " counts %" PRId64 " %s; there are %" PRId64, s->key,
                      counted, what, found);
}

/* Backfills that the table has and that have not ended. */
static int64_t count_backfills(const struct facts *facts, int64_t key)
{
    int64_t count = 0;

    for (int i = 0; i < facts->record->backfill_count; i++)
        count += facts->record->backfills[i].schedule == key &&
                 facts->record->backfills[i].stage != BACKFILL_ENDED;
    return count;
}

/* Automatic starts that are left, if their number was never changed. */
static enum rc check_remaining(const struct schedule *s, struct err *reterr)
{
    int64_t left = s->versions[0].draft->policies.remaining_runs;

    if (left < 0 || s->is_edited || s->is_pruned)
        return RC_OK;
    for (int i = 0; i < s->run_count; i++)
        left -= run_facts_is_automatic(&s->runs[i]) && run_facts_is_started(&s->runs[i]);
    return check_sum(s, "remaining starts", s->cursor->remaining, left, reterr);
}

static enum rc check_counters(const struct facts *facts, const struct schedule *s,
                              struct err *reterr)
{
    const struct cursor *c = s->cursor;
    struct sums sums = {0};

    for (int i = 0; i < s->run_count; i++)
        add_run(&sums, &s->runs[i]);
    for (int i = 0; i < s->ledger_count; i++)
        add_ledger(&sums, &s->ledger[i]->account);
    const struct {
        const char *what;
        int64_t counted, found;
        bool is_lasting; /* pruning does not change it */
    } all[] = {
        {"open runs", c->open, sums.open, true},
        {"waiting runs", c->waiting, sums.waiting, true},
        {"backfills", c->backfills, count_backfills(facts, s->key), true},
        {"started", c->started, sums.started, false},
        {"skipped", c->skipped, sums.skipped, false},
        {"missed", c->missed, sums.missed, false},
        {"dropped", c->dropped, sums.dropped, false},
        {"cancelled", c->cancelled, sums.cancelled, false},
        {"succeeded", c->succeeded, sums.succeeded, false},
        {"failed", c->failed, sums.failed, false},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        enum rc rc = s->is_pruned && !all[i].is_lasting
                         ? RC_OK
                         : check_sum(s, all[i].what, all[i].counted, all[i].found, reterr);

        if (rc != RC_OK)
            return rc;
    }
    return check_remaining(s, reterr);
}

/* ---- events ---- */

static enum rc check_numbers(const struct record *record, struct err *reterr)
{
    for (int i = 1; i < record->event_count; i++) {
        const struct rec_event *a = &record->events[i - 1], *b = &record->events[i];

        if (a->node == b->node && b->number != a->number + 1)
            return judge_fail(reterr, 19,
                              "node %" PRId64 ": event %" PRId64 " comes after %" PRId64,
                              a->node, b->number, a->number);
    }
    return RC_OK;
}

/* A node writes its row first in a turn: it has the events of the previous turns. */
static enum rc check_last(const struct record *record, const struct node *node,
                          struct err *reterr)
{
    int64_t last = 0;

    for (int i = 0; i < record->event_count; i++)
        if (record->events[i].node == node->id)
            last = record->events[i].number;
    if (node->event > last && last != 0)
        return judge_fail(reterr, 19,
                          "node %" PRId64 " has event number %" PRId64
                          "; its last event is %" PRId64,
                          node->id, node->event, last);
    return RC_OK;
}

static enum rc check_end_told(const struct run_facts *rf, struct err *reterr)
{
    const struct history_row *last = run_facts_last(rf);
    int64_t detail = last ? (int64_t)last->outcome * 256 + (int64_t)last->reason : 0;

    if (!last)
        return RC_OK;
    if (rf->end_events != 1)
        return judge_fail(reterr, 19, RUN_FACTS_FMT " ended, and %d events report it",
                          RUN_FACTS_ARG(rf), rf->end_events);
    if (rf->end_detail != detail)
        return judge_fail(reterr, 19,
                          RUN_FACTS_FMT " ended as %d (%d) by history, as %d (%d) by its event",
                          RUN_FACTS_ARG(rf), (int)last->outcome, (int)last->reason,
                          (int)(rf->end_detail / 256), (int)(rf->end_detail % 256));
    return RC_OK;
}

/* The reverse: a reported end is in history. */
static enum rc check_end_kept(const struct facts *facts, const struct event *e,
                              struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, e->schedule);
    const struct run_facts *rf = facts_run(facts, e->schedule, e->slot, e->pass);

    if (e->type != EVENT_RUN_ENDED && e->type != EVENT_RUN_CANCELLED)
        return RC_OK;
    if ((rf && run_facts_last(rf)) || (s && s->is_pruned))
        return RC_OK;
    return judge_fail(reterr, 19,
                      "run (%" PRId64 ", %" PRId64 " ms, pass %" PRId64
                      ") has an event of its end and no row in history",
                      e->schedule, MS(e->slot), e->pass);
}

static bool is_slot_event(enum event_type type)
{
    return type == EVENT_SLOT_SKIPPED || type == EVENT_SLOT_MISSED ||
           type == EVENT_SLOT_DROPPED || type == EVENT_SLOT_CANCELLED;
}

/* Slots of a row of the ledger by events: each event is about slots of one row. */
static int64_t count_slots(const struct record *record, const struct ledger_entry *l)
{
    int64_t detail = (int64_t)l->account.outcome * 256 + (int64_t)l->account.reason, count = 0;

    for (int i = 0; i < record->event_count; i++) {
        const struct event *e = &record->events[i].event;

        if (e->schedule == l->schedule && e->pass == l->pass && is_slot_event(e->type) &&
            e->detail == detail && e->slot >= l->account.first && e->slot <= l->account.last)
            count += e->count;
    }
    return count;
}

/* Slots that were not started: as many by events as by the ledger, row by row and together. */
static enum rc check_slot_events(const struct facts *facts, const struct schedule *s,
                                 struct err *reterr)
{
    int64_t left = 0;

    for (int i = 0; i < facts->record->event_count; i++) {
        const struct event *e = &facts->record->events[i].event;

        if (e->schedule == s->key && is_slot_event(e->type))
            left += e->count;
    }
    for (int i = 0; i < s->ledger_count; i++) {
        const struct account *a = &s->ledger[i]->account;
        int64_t count = count_slots(facts->record, s->ledger[i]);

        if (count != a->count)
            return judge_fail(reterr, 19,
                              "schedule %" PRId64 ": %" PRId64 " slots from %" PRId64
                              " ms are %s(%s); events report %" PRId64,
                              s->key, a->count, MS(a->first), outcome_text(a->outcome),
                              reason_text(a->reason), count);
        left -= count;
    }
    if (left != 0)
        return judge_fail(reterr, 19,
                          "schedule %" PRId64 ": events report %" PRId64
                          " slots that the ledger does not have",
                          s->key, left);
    return RC_OK;
}

enum rc judge_counts(struct facts *facts, struct err *reterr)
{
    const struct record *record = facts->record;
    enum rc rc = RC_OK;

    if (!record->integrity_ok)
        return judge_fail(reterr, 24,
                          "the database is damaged, or its schema is not the expected one");
    for (int i = 0; i < facts->schedule_count && rc == RC_OK; i++)
        if (facts->schedules[i].cursor && facts->schedules[i].deleted == INSTANT_NEVER)
            rc = check_counters(facts, &facts->schedules[i], reterr);
    if (rc == RC_OK)
        rc = check_numbers(record, reterr);
    for (int i = 0; i < record->node_count && rc == RC_OK; i++)
        rc = check_last(record, &record->nodes[i], reterr);
    for (int i = 0; i < facts->schedule_count && rc == RC_OK && facts->has_all_events; i++)
        if (!facts->schedules[i].is_pruned)
            rc = check_slot_events(facts, &facts->schedules[i], reterr);
    for (int i = 0; i < facts->run_count && rc == RC_OK && facts->has_all_events; i++)
        rc = check_end_told(&facts->runs[i], reterr);
    for (int i = 0; i < record->event_count && rc == RC_OK; i++)
        rc = check_end_kept(facts, &record->events[i].event, reterr);
    return rc;
}
