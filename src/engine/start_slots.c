/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns due slots into starts, advances backfills, and computes when a schedule wakes next.
 */
#include "engine/start_slots.h"

#include "base/must.h"
#include "core/backfill.h"
#include "core/policy/governor.h"
#include "engine/engine_internal.h"
#include "engine/ledger_write.h"
#include "engine/transitions.h"

void sched_start(struct turn *turn, struct work_schedule *sched, const struct start *start)
{
    struct start *copy = arena_take(turn->arena, sizeof(*copy));

    must(sched->state == SCHED_HELD);
    must(!(sched->cursor.flags & (CURSOR_CLOSED | CURSOR_DELETED)));
    must(start->kind != RUN_SLOT || start->due <= turn->now);
    *copy = *start;
    copy->next = NULL;
    *sched->starts_end = copy;
    sched->starts_end = &copy->next;
    sched->is_touched = true;
}

/* Deletes the exceptions that are accounted for. */
static void forget_exceptions(struct turn *turn, struct work_schedule *sched, instant mark)
{
    int count = sched->exception_count;

    exceptions_forget(turn->db, sched->id, mark);
    if (count == 0 || sched->exceptions[count - 1] <= mark)
        sched->cursor.flags &= ~(int64_t)CURSOR_EXCEPTIONS;
}

/* The result lies in (mark, new mark], in order: no slot is accounted for twice. */
static void check_advance(const struct cursor *c, const struct advance *a)
{
    must(a->mark >= c->mark);
    must(a->next_at == INSTANT_NEVER || (a->next_at > a->mark && a->next_due >= a->next_at));
    for (int i = 0; i < a->account_count; i++)
        must(a->accounts[i].first > (i > 0 ? a->accounts[i - 1].last : c->mark));
    for (int i = 0; i < a->slot_count; i++)
        must(a->slots[i].at > (i > 0 ? a->slots[i - 1].at : c->mark));
    must(a->account_count == 0 || a->accounts[a->account_count - 1].last <= a->mark);
    must(a->slot_count == 0 || a->slots[a->slot_count - 1].at <= a->mark);
}

/* Applies the result of an advance. */
static void adopt_advance(struct turn *turn, struct work_schedule *sched,
                          const struct advance *a)
{
    struct cursor *c = &sched->cursor;

    check_advance(c, a);
    for (int i = 0; i < a->account_count; i++)
        ledger_note(turn, sched, &a->accounts[i]);
    for (int i = 0; i < a->slot_count; i++)
        sched_start(turn, sched,
                    &(struct start){
                        .kind = RUN_SLOT,
                        .slot = a->slots[i].at,
                        .due = a->slots[i].due,
                        .overlap = OVERLAP_DEFAULT,
                        .source = sched->plan.is_governed ? c->source + 1 : 0,
                    });
    if ((c->flags & CURSOR_EXCEPTIONS) && a->mark > c->mark)
        forget_exceptions(turn, sched, a->mark);
    c->mark = a->mark;
    c->next_at = a->next_at;
    sched->next_due = a->next_due;
    sched->has_next_due = true;
    sched->is_touched = true;
}

static struct advance advance_of(struct work_schedule *sched, instant now)
{
    return (struct advance){
        .plan = &sched->plan,
        .ctx = sched->ctx,
        .cursor = &sched->cursor,
        .now = now,
        .exceptions = sched->exceptions,
        .exception_count = sched->exception_count,
    };
}

void sched_account_until(struct turn *turn, struct work_schedule *sched, instant until,
                         enum outcome outcome, enum reason reason)
{
    struct advance a = advance_of(sched, until);

    advance_account_due(&a, outcome, reason);
    adopt_advance(turn, sched, &a);
}

bool sched_must_advance_first(const struct turn *turn, const struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;

    return sched->plan.follows && !turn->in->hold && sched->starts && c->open == 0 &&
           c->next_at <= turn->now;
}

/* Slots whose runs wait already: each will use one of the remaining starts. */
static int64_t waiting_slots(const struct work_schedule *sched)
{
    int64_t count = 0;

    for (const struct work_run *p = sched->runs; p; p = p->next)
        count += (p->state == WORK_READ || p->state == WORK_NEW) && p->run.state == RUN_HELD &&
                 p->run.kind == RUN_SLOT;
    return count;
}

/* How many more slots the buffer can hold; where slots never wait, there is no limit. */
static int64_t buffer_room(const struct work_schedule *sched)
{
    const struct policies *p = &sched->plan.policies;
    bool queues_up = p->overlap == OVERLAP_BUFFER_ALL || p->overlap == OVERLAP_CANCEL_OTHER ||
                     p->overlap == OVERLAP_TERMINATE_OTHER;

    if (p->buffer_limit == 0 || !(queues_up || p->drop_when_full))
        return ADVANCE_SLOTS_MAX;
    return p->buffer_limit - sched->cursor.waiting;
}

/* Starts that are left after those that wait, when starts are limited. */
static int64_t remaining_room(const struct work_schedule *sched)
{
    if (sched->cursor.remaining < 0)
        return ADVANCE_SLOTS_MAX;
    return sched->cursor.remaining - waiting_slots(sched);
}

static void advance_slots(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;
    struct advance a = advance_of(sched, turn->now);
    struct cursor limited = *c;
    int64_t buffer = buffer_room(sched), left = remaining_room(sched);

    sched->is_touched = true;
    c->flags |= CURSOR_FULL;
    if (left <= 0 && c->remaining > 0)
        return; /* the waiting runs may use the last starts */
    if (buffer <= 0 && !sched->plan.policies.drop_when_full)
        return;
    if (c->remaining > 0)
        limited.remaining = left;
    /* A run may have ended while its zone was not known: search for the next slot again. */
    if (sched->plan.follows && !sched->plan.is_governed)
        limited.next_at = c->mark;
    a.cursor = &limited;
    a.slots_max = buffer < 0 ? 0 : buffer > ADVANCE_SLOTS_MAX ? ADVANCE_SLOTS_MAX : (int)buffer;
    if (!turn->slots)
        turn->slots = arena_array_raw(turn->arena, ADVANCE_SLOTS_MAX, sizeof(*turn->slots));
    a.slots = turn->slots;
    advance(&a);
    must(a.slot_count <= a.slots_max);
    must(c->remaining < 0 || a.slot_count <= (left > 0 ? left : 0));
    adopt_advance(turn, sched, &a);
    c->flags &= ~(int64_t)CURSOR_FULL;
}

static bool is_idle(const struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;

    return c->next_at == INSTANT_NEVER && c->open == 0 && c->waiting == 0 &&
           c->backfills == 0 && !(c->flags & CURSOR_BARRED) && !sched->starts;
}

static void close_if_idle(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;
    span after = sched->plan.policies.idle_close;

    if (after == 0 || !is_idle(sched) || turn->now - c->active_at < after)
        return;
    c->flags |= CURSOR_CLOSED;
    sched->is_touched = true;
    turn_schedule_event(turn, EVENT_SCHEDULE_CLOSED, sched->id, c->version);
}

/* Starts a batch of one backfill; true when it is done. */
static bool start_backfill_batch(struct turn *turn, struct work_schedule *sched,
                                 struct backfill *b, int room)
{
    struct due_slot *slots = arena_array_raw(turn->arena, (size_t)room, sizeof(*slots));
    int count = backfill_slots(&sched->plan, &sched->ctx, b->mark, b->until, slots, room);

    must(count <= room && b->schedule == sched->id);
    must(count == 0 || (slots[0].at > b->mark && slots[count - 1].at <= b->until));
    for (int i = 0; i < count; i++)
        sched_start(turn, sched,
                    &(struct start){
                        .kind = RUN_BACKFILL,
                        .slot = slots[i].at,
                        .due = turn->now,
                        .pass = b->pass,
                        .overlap = (uint8_t)b->overlap,
                    });
    if (count > 0)
        b->mark = slots[count - 1].at;
    b->started += count;
    sched->backfilled += count;
    if (count == room)
        backfills_update(turn->db, b);
    else
        backfills_delete(turn->db, b->id);
    return count < room;
}

static int room_for_backfill(const struct work_schedule *sched)
{
    const struct policies *p = &sched->plan.policies;
    int limit = p->buffer_limit > 0 ? p->buffer_limit : BUFFER_LIMIT_DEFAULT;
    int waiting = (int)sched->cursor.waiting;
    int room = backfill_capacity(limit, waiting, BUFFER_FREE, BUFFER_RESERVE,
                                 sched->backfill_count);

    if (limit / 2 <= BUFFER_RESERVE && waiting < (limit + 1) / 2)
        room = 1; /* a small buffer must not stop the backfill */
    return room;
}

/* How many of `room` this turn may still start; a turn may visit a schedule twice. */
static int size_batch(const struct turn *turn, const struct work_schedule *sched, int room)
{
    int batch = turn->engine->options.backfill_portion;
    int left = batch - sched->backfilled;

    return batch > 0 && left < room ? left : room;
}

static void advance_backfills(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;
    int room = sched->backfill_count > 0 ? room_for_backfill(sched) : 0;

    for (int i = 0; i < sched->backfill_count; i++) {
        struct backfill *b = &sched->backfills[i];
        int batch = size_batch(turn, sched, room);

        if (batch <= 0)
            break;
        if (b->id == 0 || !start_backfill_batch(turn, sched, b, batch))
            continue;
        b->id = 0; /* done; a turn may come here twice */
        turn_count_down(turn, &c->backfills, sched->id,
                        "a cursor counts fewer backfills than there are");
        c->active_at = turn->now;
        sched->is_touched = true;
    }
}

void sched_resume(struct turn *turn, struct work_schedule *sched, struct str note,
                  struct str by)
{
    struct cursor *c = &sched->cursor;
    bool replays = sched->plan.policies.catchup_paused || sched->plan.is_governed;
    /* Slots at or after the end of the pause were not paused, however late it is now. */
    instant until = c->paused_until <= turn->now ? c->paused_until - 1 : turn->now;

    must(sched->state == SCHED_HELD && sched->has_plan);
    must(c->flags & (CURSOR_PAUSED | CURSOR_QUARANTINED));
    c->flags &= ~(int64_t)(CURSOR_PAUSED | CURSOR_QUARANTINED);
    c->paused_until = INSTANT_NEVER;
    c->version++;
    c->active_at = turn->now;
    schedules_set_reason(turn->db, sched->id, c->version, note, turn->now, by);
    turn_schedule_event(turn, EVENT_SCHEDULE_RESUMED, sched->id, c->version);
    sched->is_touched = sched->open_changed = sched->is_edited = true;
    if (c->flags & CURSOR_BARRED)
        return;
    if (!replays)
        sched_account_until(turn, sched, until, OUTCOME_MISSED, REASON_PAUSED);
    if (sched->plan.is_governed && c->next_at < turn->now) {
        c->next_at = turn->now / SPAN_MS * SPAN_MS; /* overdue: it runs at once */
        c->source = SOURCE_PAUSED;
    }
    sched->is_due = true;
}

void sched_end_pause(struct turn *turn, struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;

    if ((c->flags & CURSOR_PAUSED) && c->paused_until <= turn->now)
        sched_resume(turn, sched, (struct str){NULL, 0}, STR("belfry"));
}

void sched_advance(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;

    must(sched->state == SCHED_HELD);
    if (c->flags & CURSOR_DELETED) {
        sched_clear(turn, sched);
        return;
    }
    if (c->flags & CURSOR_CLOSED)
        return;
    sched_end_pause(turn, sched);
    if (!(c->flags & CURSOR_BARRED) && turn->memory.clock_skip > c->mark)
        sched_account_until(turn, sched, turn->memory.clock_skip, OUTCOME_MISSED, REASON_CLOCK);
    if (c->flags & CURSOR_BARRED)
        sched->is_touched = true;
    else if (c->flags & CURSOR_QUARANTINED)
        sched_account_until(turn, sched, turn->now, OUTCOME_DROPPED, REASON_QUARANTINED);
    else
        advance_slots(turn, sched);
    advance_backfills(turn, sched);
    close_if_idle(turn, sched);
}

void sched_clear(struct turn *turn, struct work_schedule *sched)
{
    bool left = sched->has_more || sched->rows_held.rows == BUFFER_LIMIT_MAX;

    must(sched->state == SCHED_HELD && (sched->cursor.flags & CURSOR_DELETED));
    must(!sched->starts);
    for (struct work_run *p = sched->runs; p; p = p->next) {
        if (p->state != WORK_READ && p->state != WORK_NEW)
            continue;
        if (p->run.state == RUN_HELD)
            held_end(turn, p, OUTCOME_DROPPED, REASON_DELETED);
        else if (!run_is_claimed(p->run.state))
            run_end(turn, p,
                    &(struct ending){.outcome = OUTCOME_CANCELLED, .reason = REASON_DELETED});
    }
    sched->is_touched = true;
    if (left)
        return;
    must(sched->cursor.waiting == 0 || turn->damage); /* see check_complete() */
    sched_write(turn, sched);                         /* the last rows of the ledger */
    cursors_delete(turn->db, sched->id);
    exceptions_forget(turn->db, sched->id, INSTANT_NEVER);
    backfills_delete_all(turn->db, sched->id);
    results_delete(turn->db, sched->id);
    sched->state = SCHED_NO_CURSOR;
}

/* When the next slot is due, with jitter. */
static instant due_of(const struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;
    struct slot slot;

    if (sched->has_next_due)
        return sched->next_due;
    if (c->next_at == INSTANT_NEVER || sched->plan.is_governed || sched->plan.spec.jitter == 0)
        return c->next_at;
    return spec_next(&sched->plan.spec, &sched->ctx, c->next_at - 1, &slot) ? slot.due
                                                                            : c->next_at;
}

static instant wake_of(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;
    instant wake = INSTANT_NEVER;

    if (c->flags & CURSOR_DELETED)
        return turn->now;
    if (c->flags & CURSOR_CLOSED)
        return INSTANT_NEVER;
    if (sched->plan.is_governed && c->next_at == INSTANT_NEVER && c->waiting == 0)
        sched_set_next(turn, sched, INSTANT_NONE); /* its last slot did not start */
    if ((c->flags & CURSOR_FULL) && buffer_room(sched) > 0 && remaining_room(sched) > 0)
        c->flags &= ~(int64_t)CURSOR_FULL;
    if (c->flags & CURSOR_PAUSED)
        wake = c->paused_until;
    else if (!(c->flags & (CURSOR_BARRED | CURSOR_FULL)) && c->remaining != 0)
        wake = due_of(sched);
    if (c->backfills > 0 && room_for_backfill(sched) > 0)
        wake = turn->now;
    if (wake == INSTANT_NEVER && sched->plan.policies.idle_close > 0 && is_idle(sched))
        wake = c->active_at + sched->plan.policies.idle_close;
    return wake;
}

/* True when the next slot will start by itself, without a command or the end of a run. */
static bool has_slot_to_start(const struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;

    return c->next_at != INSTANT_NEVER && c->remaining != 0 &&
           !(c->flags & (CURSOR_BARRED | CURSOR_CLOSED | CURSOR_FULL | CURSOR_DELETED));
}

void sched_wake(struct turn *turn, struct work_schedule *sched)
{
    instant wake = wake_of(turn, sched);

    must(sched->state == SCHED_HELD);
    must(wake != INSTANT_NEVER || !has_slot_to_start(sched)); /* else it would be lost */
    sched->cursor.wake_at = wake;
    if (wake > turn->now || turn->in->hold)
        return;
    turn->turn_again = true; /* there is more to do */
    if (wake < turn->memory.floor)
        turn->memory.floor = wake;
}
