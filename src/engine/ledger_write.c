/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the ledger and the cursor of a schedule: see ledger_write.h.
 */
#include "engine/ledger_write.h"

#include <stdlib.h>

#include "base/must.h"
#include "core/day_sums.h"
#include "core/spec/local.h"

enum {
    SPLIT_DAYS_MAX = 32, /* a month; a longer range stays one row */
    /* Of struct budget: a day of a schedule of one entry takes about fifty. */
    SPLIT_STEPS = 10000,
};

instant ledger_expires_at(const struct turn *turn, const struct work_schedule *sched)
{
    span age = sched->has_plan ? sched->plan.policies.retention_age : 0;

    return age == 0 ? INSTANT_NEVER : turn->now + age;
}

static const struct tz *zone_of(const struct work_schedule *sched)
{
    const struct spec *spec = &sched->plan.spec;

    return sched->has_plan && spec->zone_count > 0 ? spec->zones[0].tz : NULL;
}

int64_t sched_day(const struct work_schedule *sched, instant slot)
{
    const struct tz *tz = zone_of(sched);

    return tz ? local_day(tz, slot) : day_in_utc(slot);
}

static void note_days(struct turn *turn, struct work_schedule *sched,
                      const struct account *account, struct day_range days)
{
    struct noted *noted = arena_take(turn->arena, sizeof(*noted));

    noted->account = *account;
    noted->days = days;
    *sched->noted_end = noted;
    sched->noted_end = &noted->next;
}

/*
 * Notes a range for each day, so that days can be counted from rows of the ledger.  False, and
 * nothing is noted: there are too many days, or the spec does not give the slots, because they
 * depend on runs.
 */
static bool split_by_day(struct turn *turn, struct work_schedule *sched,
                         const struct account *account, struct day_range days)
{
    const struct spec *spec = &sched->plan.spec;
    const struct tz *tz = zone_of(sched);
    struct budget budget = {.left = SPLIT_STEPS};
    struct spec_ctx ctx = sched->ctx;
    struct noted pieces[SPLIT_DAYS_MAX];
    instant after = account->first - 1;
    int64_t left = account->count;
    int count = 0;

    if (!tz || days.count > SPLIT_DAYS_MAX || sched->plan.follows)
        return false;
    ctx.budget = &budget;
    for (int64_t i = 0; i < days.count; i++) {
        instant end = i + 1 < days.count ? local_day_start(tz, days.first + i + 1) - 1
                                         : account->last;
        int64_t slots = spec_count(spec, &ctx, after, end);
        struct noted *piece = &pieces[count];
        struct slot first = {0}, last = {0};

        if (slots > 0 &&
            (!spec_next(spec, &ctx, after, &first) || !spec_prev(spec, &ctx, end + 1, &last)))
            return false;
        piece->account = *account;
        piece->account.first = first.at;
        piece->account.last = last.at;
        piece->account.count = slots;
        piece->days = (struct day_range){days.first + i, 1};
        count += slots > 0;
        left -= slots;
        after = end;
    }
    if (budget.is_over || left != 0 || pieces[0].account.first != account->first ||
        pieces[count - 1].account.last != account->last)
        return false;
    for (int i = 0; i < count; i++)
        note_days(turn, sched, &pieces[i].account, pieces[i].days);
    return true;
}

void ledger_note(struct turn *turn, struct work_schedule *sched, const struct account *account)
{
    struct day_range days = {0, 1};

    must(sched->state == SCHED_HELD);
    must(account->outcome >= OUTCOME_STARTED && account->outcome <= OUTCOME_SLOT_CANCELLED);
    must(account->count == 1 ? account->first == account->last
                             : account->count > 1 && account->first < account->last);
    sched->is_touched = true;
    if (account->outcome != OUTCOME_STARTED) {
        days.first = sched_day(sched, account->first);
        days.count = sched_day(sched, account->last) - days.first + 1;
    }
    if (days.count <= 1 || !split_by_day(turn, sched, account, days))
        note_days(turn, sched, account, days);
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

static void write_entry(struct turn *turn, struct work_schedule *sched,
                        struct ledger_entry *entry, bool extends)
{
    must(sched->state == SCHED_HELD);
    must(!extends || entry->pass == 0);
    entry->id = turn_key(turn);
    entry->schedule = sched->id;
    entry->written_at = turn->now;
    entry->expire_at = ledger_expires_at(turn, sched);
    count_account(turn, sched, &entry->account, entry->pass);
    turn->memory.walks[PRUNE_LEDGER].written++;
    turn->memory.days_written++;
    turn->memory.days_recent++;
    if (extends)
        ledger_extend(turn->db, entry, turn->memory.days_frozen);
    else
        ledger_insert(turn->db, entry);
}

void ledger_write_held(struct turn *turn, const struct work_run *work,
                       const struct account *account)
{
    struct ledger_entry entry = {.pass = work->run.pass,
                                 .account = *account,
                                 .day = sched_day(work->sched, account->first),
                                 .days = 1,
                                 .kind = work->run.kind};

    write_entry(turn, work->sched, &entry, false);
}

static int by_first(const void *a, const void *b)
{
    instant x = ((const struct noted *)a)->account.first;
    instant y = ((const struct noted *)b)->account.first;

    return (x > y) - (x < y);
}

static int64_t tail_of(const struct account *a)
{
    return a->outcome == OUTCOME_STARTED ? 0 : (int64_t)a->outcome * 256 + (int64_t)a->reason;
}

/* The second range is of the same day and outcome as the first. */
static bool continues_row(const struct noted *first, const struct noted *second)
{
    return tail_of(&first->account) == tail_of(&second->account) && first->days.count == 1 &&
           second->days.count == 1 && first->days.first == second->days.first;
}

/* Writes the noted ranges in order of time; equal neighbours of a day become one row. */
static void write_noted(struct turn *turn, struct work_schedule *sched)
{
    struct noted *list;
    int count = 0;

    for (const struct noted *n = sched->noted; n; n = n->next)
        count++;
    list = arena_array(turn->arena, (size_t)count, sizeof(*list));
    count = 0;
    for (const struct noted *n = sched->noted; n; n = n->next)
        list[count++] = *n;
    if (count > 1)
        qsort(list, (size_t)count, sizeof(*list), by_first);
    for (int i = 1; i < count; i++)
        must(list[i].account.first > list[i - 1].account.last); /* no slot has two outcomes */
    for (int i = 0; i < count; i++) {
        struct noted n = list[i];
        struct ledger_entry entry;

        for (; i + 1 < count && continues_row(&n, &list[i + 1]); i++) {
            n.account.last = list[i + 1].account.last;
            n.account.count += list[i + 1].account.count;
        }
        must(n.account.last <= sched->cursor.mark);
        entry = (struct ledger_entry){
            .account = n.account, .day = n.days.first, .days = n.days.count};
        if (tail_of(&n.account) != 0)
            write_entry(turn, sched, &entry,
                        n.days.count == 1 && tail_of(&n.account) == sched->cursor.tail);
        sched->cursor.tail = tail_of(&n.account);
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
