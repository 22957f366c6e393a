/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a range that were not started: see native_backfill.h.
 */
#include "api/native/native_backfill.h"
#include "core/backfill.h"
#include "store/slots.h"

enum {
    BATCH_SLOTS = 1000, /* of one batch                                        */
    BATCH_STEPS = 2000, /* of struct budget: the statements of one batch       */
    ROW_STEPS = 20,     /* of struct budget: one row of the ledger, or one run */
};

struct missed_slots missed_slots_new(const struct call *call, struct db *db,
                                     const struct schedule_times *schedule, int times)
{
    return (struct missed_slots){
        .call = call,
        .db = db,
        .schedule = schedule,
        .times = arena_array(call->arena, (size_t)times, sizeof(instant)),
        .time_max = times,
    };
}

/* Slots of a pause are missed, but the ledger has them only after a resume or a backfill. */
static void add_pause(const struct call *call, const struct schedule_times *p,
                      struct backfill_known *known)
{
    const struct cursor *c = &p->view.cursor;
    struct account *all;

    if (!(c->flags & CURSOR_BARRED) || p->plan.policies.catchup_paused || p->plan.is_governed ||
        known->until != INSTANT_NEVER || c->mark >= call->now)
        return;
    all = arena_array(call->arena, (size_t)known->account_count + 1, sizeof *all);
    for (int i = 0; i < known->account_count; i++)
        all[i] = known->accounts[i];
    all[known->account_count++] = (struct account){
        .first = c->mark + 1,
        .last = call->now,
        .count = 1,
        .outcome = OUTCOME_MISSED,
        .reason = REASON_PAUSED,
    };
    known->accounts = all;
}

static enum rc read_known(const struct missed_slots *missed, const struct range *range,
                          instant after, struct backfill_known *ret, struct err *reterr)
{
    const struct schedule_times *p = missed->schedule;
    struct slot_evidence evidence;
    enum rc rc;

    slots_evidence(missed->db, p->view.cursor.id, after, range->until, &evidence);
    rc = db_flush(missed->db, missed->call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    (void)budget_spend(missed->call->budget,
                       BATCH_STEPS + ROW_STEPS * (int64_t)(evidence.accounts.rows +
                                                           evidence.taken_open.rows +
                                                           evidence.taken_ended.rows));
    *ret = (struct backfill_known){
        .created = p->plan.created,
        .with_cancelled = range->flags & BACKFILL_CANCELLED,
        .with_governor = range->flags & BACKFILL_GOVERNOR,
    };
    if (!slots_evidence_read(&evidence, missed->call->arena, ret))
        return err_set(reterr, RC_CORRUPT, -1, 0, "two rows of the ledger have the same slot");
    add_pause(missed->call, p, ret);
    return RC_OK;
}

/* Adds one batch of slots to the count and to the list. */
static void add_slots(const struct due_slot *slots, int count, struct missed_slots *missed,
                      struct schedule_times_count *sum)
{
    if (count == 0)
        return;
    if (sum->count == 0)
        sum->first = slots[0].at;
    sum->last = slots[count - 1].at;
    sum->count += count;
    for (int i = 0; i < count && missed->time_count < missed->time_max; i++)
        missed->times[missed->time_count++] = slots[i].at;
}

/* The budget is used up; the result will be discarded, see call_limit_budget(). */
static bool missed_is_over(const struct missed_slots *missed)
{
    return missed->call->budget && missed->call->budget->is_over;
}

enum rc missed_slots_count(struct missed_slots *missed, const struct range *range,
                           struct schedule_times_count *ret, struct err *reterr)
{
    const struct schedule_times *p = missed->schedule;
    struct due_slot *slots = arena_array(missed->call->arena, BATCH_SLOTS, sizeof *slots);
    struct schedule_times_count sum = {0};
    instant mark = range->from - 1;

    while (mark < range->until && !missed_is_over(missed)) {
        struct backfill_part part = {mark, range->until, BATCH_SLOTS};
        struct backfill_known known;
        enum rc rc = read_known(missed, range, mark, &known, reterr);
        int count;

        if (rc != RC_OK)
            return rc;
        count = backfill_missed(&p->plan, &p->ctx, &part, &known, slots, &mark);
        add_slots(slots, count, missed, &sum);
    }
    *ret = sum;
    return RC_OK;
}
