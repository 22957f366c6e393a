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

    must(sched->state == SCHED_HELD);
    must(account->outcome >= OUTCOME_STARTED && account->outcome <= OUTCOME_SLOT_CANCELLED);
    must(account->count == 1 ? account->first == account->last
                             : account->count > 1 && account->first < account->last);
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

    must(sched->state == SCHED_HELD);
    must(!extends || pass == 0);
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
    for (int i = 1; i < count; i++)
        must(list[i].first > list[i - 1].last); /* no slot has two outcomes */
    for (int i = 0; i < count; i++) {
        struct account a = list[i];

        for (; i + 1 < count && tail_of(&list[i + 1]) == tail_of(&a); i++) {
            a.last = list[i + 1].last;
            a.count += list[i + 1].count;
        }
        must(a.last <= sched->cursor.mark);
        if (tail_of(&a) != 0)
            ledger_write(turn, sched, &a, 0, tail_of(&a) == sched->cursor.tail);
        sched->cursor.tail = tail_of(&a);
    }
    sched->noted = NULL;
    sched->noted_end = &sched->noted;
}

/* The changes of the cursor are consistent, and mark, version and counters did not decrease. */
static void check_cursor(const struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor, *old = &sched->stored;

    must(c->id == sched->id);
    must(c->version >= old->version && c->pass >= old->pass);
    must(sched->is_new || c->mark >= old->mark);
    must(c->next_at == INSTANT_NEVER || c->next_at > c->mark);
    must(c->open - old->open == c->started - old->started - sched->ended);
    must(c->waiting - old->waiting == sched->waiting_change);
    must(c->skipped >= old->skipped && c->missed >= old->missed && c->dropped >= old->dropped);
    must(c->cancelled >= old->cancelled && c->started >= old->started);
    must(c->succeeded + c->failed - old->succeeded - old->failed <= sched->ended);
}

void sched_write(struct turn *turn, struct work_schedule *sched)
{
    if (sched->state != SCHED_HELD || !sched->is_touched || turn->damage)
        return;
    must(!sched->starts); /* every start has been decided */
    write_noted(turn, sched);
    check_cursor(sched);
    if (sched->is_new)
        cursors_insert(turn->db, &sched->cursor);
    else
        cursors_change(turn->db, &sched->stored, &sched->cursor);
}
