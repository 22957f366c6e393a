/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/start_slots.h"

#include "core/backfill.h"
#include "core/policy/governor.h"
#include "engine/engine_internal.h"
#include "engine/transitions.h"

void seat_start(struct turn *turn, struct seat *seat, const struct start *start)
{
    struct start *copy = arena_take(turn->arena, sizeof(*copy));

    *copy = *start;
    copy->next = NULL;
    *seat->starts_end = copy;
    seat->starts_end = &copy->next;
    seat->is_touched = true;
}

/* Those that are accounted for. */
static void forget_exceptions(struct turn *turn, struct seat *seat, instant mark)
{
    int count = seat->exception_count;

    exceptions_forget(turn->db, seat->id, mark);
    if (count == 0 || seat->exceptions[count - 1] <= mark)
        seat->cursor.flags &= ~(int64_t)CURSOR_EXCEPTIONS;
}

/* Takes over what an advance has found. */
static void adopt(struct turn *turn, struct seat *seat, const struct advance *a)
{
    struct cursor *c = &seat->cursor;

    for (int i = 0; i < a->account_count; i++)
        note(turn, seat, &a->accounts[i]);
    for (int i = 0; i < a->slot_count; i++)
        seat_start(turn, seat,
                   &(struct start){
                       .kind = RUN_SLOT,
                       .slot = a->slots[i].at,
                       .due = a->slots[i].due,
                       .overlap = OVERLAP_DEFAULT,
                       .source = seat->plan.is_governed ? c->source + 1 : 0,
                   });
    if ((c->flags & CURSOR_EXCEPTIONS) && a->mark > c->mark)
        forget_exceptions(turn, seat, a->mark);
    c->mark = a->mark;
    c->next_at = a->next_at;
    seat->next_due = a->next_due;
    seat->moved = true;
    seat->is_touched = true;
}

static struct advance advance_of(struct seat *seat, instant now)
{
    return (struct advance){
        .plan = &seat->plan,
        .ctx = seat->ctx,
        .cursor = &seat->cursor,
        .now = now,
        .exceptions = seat->exceptions,
        .exception_count = seat->exception_count,
    };
}

void seat_pass(struct turn *turn, struct seat *seat, instant until, enum outcome outcome,
               enum reason reason)
{
    struct advance a = advance_of(seat, until);

    advance_past(&a, outcome, reason);
    adopt(turn, seat, &a);
}

bool seat_is_overtaken(const struct turn *turn, const struct seat *seat)
{
    const struct cursor *c = &seat->cursor;

    return seat->plan.follows && !turn->in->hold && seat->starts && c->open == 0 &&
           c->next_at <= turn->now;
}

/* Automatic runs that wait already: they will take from the remaining ones. */
static int64_t waiting_slots(const struct seat *seat)
{
    int64_t count = 0;

    for (const struct place *p = seat->places; p; p = p->next)
        count += (p->state == PLACE_READ || p->state == PLACE_NEW) &&
                 p->run.state == RUN_HELD && p->run.kind == RUN_SLOT;
    return count;
}

/* Places that the buffer has for slots; slots that can wait nowhere need none. */
static int64_t buffer_room(const struct seat *seat)
{
    const struct policies *p = &seat->plan.policies;
    bool piles_up = p->overlap == OVERLAP_BUFFER_ALL || p->overlap == OVERLAP_CANCEL_OTHER ||
                    p->overlap == OVERLAP_TERMINATE_OTHER;

    if (p->buffer_limit == 0 || !(piles_up || p->drop_when_full))
        return ADVANCE_SLOTS_MAX;
    return p->buffer_limit - seat->cursor.waiting;
}

/* Starts that are left, when they are limited and those that wait take theirs. */
static int64_t remaining_room(const struct seat *seat)
{
    if (seat->cursor.remaining < 0)
        return ADVANCE_SLOTS_MAX;
    return seat->cursor.remaining - waiting_slots(seat);
}

static void advance_slots(struct turn *turn, struct seat *seat)
{
    struct cursor *c = &seat->cursor;
    struct advance a = advance_of(seat, turn->now);
    struct cursor view = *c;
    int64_t buffer = buffer_room(seat), left = remaining_room(seat);

    seat->is_touched = true;
    c->flags |= CURSOR_FULL;
    if (left <= 0 && c->remaining > 0)
        return; /* what waits will take the last ones, or leave them */
    if (buffer <= 0 && !seat->plan.policies.drop_when_full)
        return;
    if (c->remaining > 0)
        view.remaining = left;
    /* A run may have ended while its zone was not known: what follows is to be looked for. */
    if (seat->plan.follows && !seat->plan.is_governed)
        view.next_at = c->mark;
    a.cursor = &view;
    a.slots_max = buffer < 0 ? 0 : buffer > ADVANCE_SLOTS_MAX ? ADVANCE_SLOTS_MAX : (int)buffer;
    if (!turn->slots)
        turn->slots = arena_array_room(turn->arena, ADVANCE_SLOTS_MAX, sizeof(*turn->slots));
    a.slots = turn->slots;
    advance(&a);
    adopt(turn, seat, &a);
    c->flags &= ~(int64_t)CURSOR_FULL;
}

static bool is_idle(const struct seat *seat)
{
    const struct cursor *c = &seat->cursor;

    return c->next_at == INSTANT_NEVER && c->open == 0 && c->waiting == 0 &&
           c->backfills == 0 && !(c->flags & CURSOR_BARRED) && !seat->starts;
}

static void close_if_idle(struct turn *turn, struct seat *seat)
{
    struct cursor *c = &seat->cursor;
    span after = seat->plan.policies.idle_close;

    if (after == 0 || !is_idle(seat) || turn->now - c->active_at < after)
        return;
    c->flags |= CURSOR_CLOSED;
    seat->is_touched = true;
    desk_schedule_event(turn, EVENT_SCHEDULE_CLOSED, seat->id, c->version);
}

/* A portion of one backfill; true when it is done. */
static bool take_backfill(struct turn *turn, struct seat *seat, struct backfill *b, int room)
{
    struct due_slot *slots = arena_array_room(turn->arena, (size_t)room, sizeof(*slots));
    int count = advance_backfill(&seat->plan, &seat->ctx, b->mark, b->until, slots, room);

    for (int i = 0; i < count; i++)
        seat_start(turn, seat,
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
    seat->backfilled += count;
    if (count == room)
        backfills_update(turn->db, b);
    else
        backfills_delete(turn->db, b->id);
    return count < room;
}

static int room_for_backfill(const struct seat *seat)
{
    const struct policies *p = &seat->plan.policies;
    int limit = p->buffer_limit > 0 ? p->buffer_limit : BUFFER_LIMIT_DEFAULT;
    int waiting = (int)seat->cursor.waiting;
    int room = backfill_capacity(limit, waiting, BUFFER_FREE, BUFFER_RESERVE,
                                 seat->backfill_count);

    if (limit / 2 <= BUFFER_RESERVE && waiting < (limit + 1) / 2)
        room = 1; /* a small buffer is no reason to stand still */
    return room;
}

/* Of `room` what the turn may still start; it may come to a seat twice. */
static int portion_of(const struct turn *turn, const struct seat *seat, int room)
{
    int portion = turn->engine->options.backfill_portion;
    int left = portion - seat->backfilled;

    return portion > 0 && left < room ? left : room;
}

static void advance_backfills(struct turn *turn, struct seat *seat)
{
    struct cursor *c = &seat->cursor;
    int room = seat->backfill_count > 0 ? room_for_backfill(seat) : 0;

    for (int i = 0; i < seat->backfill_count; i++) {
        struct backfill *b = &seat->backfills[i];
        int portion = portion_of(turn, seat, room);

        if (portion <= 0)
            break;
        if (b->id == 0 || !take_backfill(turn, seat, b, portion))
            continue;
        b->id = 0; /* done: a turn may come here twice */
        c->backfills--;
        c->active_at = turn->now;
        seat->is_touched = true;
    }
}

void seat_resume(struct turn *turn, struct seat *seat, struct str note, struct str by)
{
    struct cursor *c = &seat->cursor;
    bool replays = seat->plan.policies.catchup_paused || seat->plan.is_governed;
    /* What comes at the end of the pause or after it was not paused, however late it is now. */
    instant until = c->paused_until <= turn->now ? c->paused_until - 1 : turn->now;

    c->flags &= ~(int64_t)(CURSOR_PAUSED | CURSOR_QUARANTINED);
    c->paused_until = INSTANT_NEVER;
    c->version++;
    c->active_at = turn->now;
    schedules_set_reason(turn->db, seat->id, c->version, note, turn->now, by);
    desk_schedule_event(turn, EVENT_SCHEDULE_RESUMED, seat->id, c->version);
    seat->is_touched = seat->open_changed = seat->is_edited = true;
    if (c->flags & CURSOR_BARRED)
        return;
    if (!replays)
        seat_pass(turn, seat, until, OUTCOME_MISSED, REASON_PAUSED);
    if (seat->plan.is_governed && c->next_at < turn->now) {
        c->next_at = turn->now / SPAN_MS * SPAN_MS; /* overdue: it runs right away */
        c->source = SOURCE_PAUSED;
    }
    seat->is_due = true;
}

void seat_end_pause(struct turn *turn, struct seat *seat)
{
    const struct cursor *c = &seat->cursor;

    if ((c->flags & CURSOR_PAUSED) && c->paused_until <= turn->now)
        seat_resume(turn, seat, (struct str){NULL, 0}, STR("belfry"));
}

void seat_advance(struct turn *turn, struct seat *seat)
{
    struct cursor *c = &seat->cursor;

    if (c->flags & CURSOR_DELETED) {
        seat_clear(turn, seat);
        return;
    }
    if (c->flags & CURSOR_CLOSED)
        return;
    seat_end_pause(turn, seat);
    if (!(c->flags & CURSOR_BARRED) && turn->memory.clock_skip > c->mark)
        seat_pass(turn, seat, turn->memory.clock_skip, OUTCOME_MISSED, REASON_CLOCK);
    if (c->flags & CURSOR_BARRED)
        seat->is_touched = true;
    else if (c->flags & CURSOR_QUARANTINED)
        seat_pass(turn, seat, turn->now, OUTCOME_DROPPED, REASON_QUARANTINED);
    else
        advance_slots(turn, seat);
    advance_backfills(turn, seat);
    close_if_idle(turn, seat);
}

void seat_clear(struct turn *turn, struct seat *seat)
{
    bool left = seat->has_more;

    for (struct place *p = seat->places; p; p = p->next) {
        if (p->state != PLACE_READ && p->state != PLACE_NEW)
            continue;
        if (p->run.state == RUN_HELD)
            held_end(turn, p, OUTCOME_DROPPED, REASON_DELETED);
        else if (!run_is_claimed(p->run.state))
            run_end(turn, p,
                    &(struct ending){.outcome = OUTCOME_CANCELLED, .reason = REASON_DELETED});
    }
    seat->is_touched = true;
    if (left)
        return;
    seat_write(turn, seat); /* the ledger's last lines */
    cursors_delete(turn->db, seat->id);
    exceptions_forget(turn->db, seat->id, INSTANT_NEVER);
    backfills_delete_all(turn->db, seat->id);
    results_delete(turn->db, seat->id);
    seat->state = SEAT_BARE;
}

/* The time with jitter of the next slot. */
static instant due_of(const struct seat *seat)
{
    const struct cursor *c = &seat->cursor;
    struct slot slot;

    if (seat->moved)
        return seat->next_due;
    if (c->next_at == INSTANT_NEVER || seat->plan.is_governed || seat->plan.spec.jitter == 0)
        return c->next_at;
    return spec_next(&seat->plan.spec, &seat->ctx, c->next_at - 1, &slot) ? slot.due
                                                                          : c->next_at;
}

static instant wake_of(struct turn *turn, struct seat *seat)
{
    struct cursor *c = &seat->cursor;
    instant wake = INSTANT_NEVER;

    if (c->flags & CURSOR_DELETED)
        return turn->now;
    if (c->flags & CURSOR_CLOSED)
        return INSTANT_NEVER;
    if (seat->plan.is_governed && c->next_at == INSTANT_NEVER && c->waiting == 0)
        seat_follow(turn, seat, INSTANT_NONE); /* its slot came to nothing */
    if ((c->flags & CURSOR_FULL) && buffer_room(seat) > 0 && remaining_room(seat) > 0)
        c->flags &= ~(int64_t)CURSOR_FULL;
    if (c->flags & CURSOR_PAUSED)
        wake = c->paused_until;
    else if (!(c->flags & (CURSOR_BARRED | CURSOR_FULL)) && c->remaining != 0)
        wake = due_of(seat);
    if (c->backfills > 0 && room_for_backfill(seat) > 0)
        wake = turn->now;
    if (wake == INSTANT_NEVER && seat->plan.policies.idle_close > 0 && is_idle(seat))
        wake = c->active_at + seat->plan.policies.idle_close;
    return wake;
}

void seat_wake(struct turn *turn, struct seat *seat)
{
    instant wake = wake_of(turn, seat);

    seat->cursor.wake_at = wake;
    if (wake > turn->now || turn->in->hold)
        return;
    turn->is_full = true; /* there is more to do at once */
    if (wake < turn->memory.floor)
        turn->memory.floor = wake;
}
