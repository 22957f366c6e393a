/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the ledger and the cursor of a schedule: see ledger_write.h.
 */
#include "engine/ledger_write.h"

#include <stdlib.h>

#include "base/must.h"

instant ledger_expires_at(const struct turn *turn, const struct work_schedule *sched)
{
    span age = sched->has_plan ? sched->plan.policies.retention_age : 0;

    return age == 0 ? INSTANT_NEVER : turn->now + age;
}

void ledger_note(struct turn *turn, struct work_schedule *sched, const struct account *account)
{
    struct noted *noted = arena_take(turn->arena, sizeof(*noted));

    noted->account = *account;
    *sched->noted_end = noted;
    sched->noted_end = &noted->next;
    sched->is_touched = true;
}

void ledger_note_one(struct turn *turn, struct work_schedule *sched, instant slot,
                     enum outcome outcome, enum reason reason)
{
    ledger_note(
        turn, sched,
        &(struct account){
            .first = slot, .last = slot, .count = 1, .outcome = outcome, .reason = reason});
}

/* Adds an account to the counters of the cursor, and writes its event. */
static void count_account(struct turn *turn, struct work_schedule *sched,
                          const struct account *a, int64_t pass)
{
    struct cursor *c = &sched->cursor;
    enum event_type type;

    switch (a->outcome) {
    case OUTCOME_SKIPPED:
        c->skipped += a->count;
        type = EVENT_SLOT_SKIPPED;
        break;
    case OUTCOME_MISSED:
        c->missed += a->count;
        type = EVENT_SLOT_MISSED;
        break;
    case OUTCOME_DROPPED:
        c->dropped += a->count;
        type = EVENT_SLOT_DROPPED;
        break;
    default:
        must(a->outcome == OUTCOME_SLOT_CANCELLED);
        c->cancelled += a->count;
        type = EVENT_SLOT_CANCELLED;
        break;
    }
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = type,
        .schedule = sched->id,
        .slot = a->first,
        .pass = pass,
        .detail = (int64_t)a->outcome * 256 + (int64_t)a->reason,
        .count = a->count,
    };
}

void ledger_write(struct turn *turn, struct work_schedule *sched, const struct account *account,
                  int64_t pass, bool extends)
{
    struct ledger_entry entry = {
        .id = turn_key(turn),
        .schedule = sched->id,
        .pass = pass,
        .account = *account,
        .written_at = turn->now,
        .expire_at = ledger_expires_at(turn, sched),
    };

    count_account(turn, sched, account, pass);
    turn->memory.walks[PRUNE_LEDGER].written++;
    if (extends)
        ledger_extend(turn->db, &entry);
    else
        ledger_insert(turn->db, &entry);
}

static int by_first(const void *a, const void *b)
{
    const struct account *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static int64_t tail_of(const struct account *a)
{
    return a->outcome == OUTCOME_STARTED ? 0 : (int64_t)a->outcome * 256 + (int64_t)a->reason;
}

/* Writes the noted ranges in order of time; equal neighbours become one row. */
static void write_noted(struct turn *turn, struct work_schedule *sched)
{
    struct account *list;
    int count = 0;

    for (const struct noted *n = sched->noted; n; n = n->next)
        count++;
    list = arena_array(turn->arena, (size_t)count, sizeof(*list));
    count = 0;
    for (const struct noted *n = sched->noted; n; n = n->next)
        list[count++] = n->account;
    if (count > 1)
        qsort(list, (size_t)count, sizeof(*list), by_first);
    for (int i = 0; i < count; i++) {
        struct account a = list[i];

        for (; i + 1 < count && tail_of(&list[i + 1]) == tail_of(&a); i++) {
            a.last = list[i + 1].last;
            a.count += list[i + 1].count;
        }
        if (tail_of(&a) != 0)
            ledger_write(turn, sched, &a, 0, tail_of(&a) == sched->cursor.tail);
        sched->cursor.tail = tail_of(&a);
    }
    sched->noted = NULL;
    sched->noted_end = &sched->noted;
}

void sched_write(struct turn *turn, struct work_schedule *sched)
{
    if (sched->state != SCHED_HELD || !sched->is_touched)
        return;
    write_noted(turn, sched);
    if (sched->is_new)
        cursors_insert(turn->db, &sched->cursor);
    else
        cursors_change(turn->db, &sched->stored, &sched->cursor);
}
