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

/*
 * Of one call of sched_account_until(): enough if every second slot is cancelled, and for more
 * than half a million slots that must be counted one by one.
 */
enum { ACCOUNT_ROUNDS_MAX = 2 * EXCEPTIONS_MAX / ADVANCE_ACCOUNTS_MAX + 2 };

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
    int rounds = ACCOUNT_ROUNDS_MAX;

    /* What is left after an edit, a deletion or a pause would be lost, or would start. */
    do {
        advance_account_due(&a, outcome, reason);
        adopt_advance(turn, sched, &a);
    } while (--rounds > 0 && a.has_more);
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

static int64_t buffer_room(const struct work_schedule *sched)
{
    return policies_buffer_room(&sched->plan.policies, sched->cursor.waiting,
                                ADVANCE_SLOTS_MAX);
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
    a.slots_max = buffer < 0 ? 0 : (int)buffer;
    if (!turn->slots)
        turn->slots = arena_array_raw(turn->arena, ADVANCE_SLOTS_MAX, sizeof(*turn->slots));
    a.slots = turn->slots;
    advance(&a);
    must(a.slot_count <= a.slots_max);
    must(c->remaining < 0 || a.slot_count <= (left > 0 ? left : 0));
    adopt_advance(turn, sched, &a);
    c->flags &= ~(int64_t)CURSOR_FULL;
}

/*
 * A governed schedule whose pick did not start gets another one, and so does one whose last
 * slot passed while a run was open [P-31].
 */
static void replace_pick(struct turn *turn, struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;

    if (sched->plan.is_governed && c->next_at == INSTANT_NEVER && c->waiting == 0 &&
        !sched->starts)
        sched_set_next(turn, sched, INSTANT_NONE);
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

/* ---- backfills ---- */

static int count_filling(const struct work_schedule *sched)
{
    int count = 0;

    for (int i = 0; i < sched->backfill_count; i++)
        count += sched->backfills[i].row.stage == BACKFILL_FILLING;
    return count;
}

static bool is_for_missed(const struct backfill *b)
{
    return b->stage == BACKFILL_FILLING && (b->flags & BACKFILL_MISSED);
}

/* Only for the first one: two that search at the same time would find the same slots. */
void sched_send_missed(struct turn *turn, struct work_schedule *sched)
{
    for (int i = 0; sched->is_due && i < sched->backfill_count; i++) {
        struct work_backfill *w = &sched->backfills[i];

        if (!is_for_missed(&w->row))
            continue;
        slots_evidence(turn->db, sched->id, w->row.mark, w->row.until, &w->evidence);
        w->is_known = true;
        return;
    }
}

/* True when this turn requests a start of the slot, which may still be skipped. */
static bool is_undecided(const struct work_schedule *sched, instant slot)
{
    for (const struct start *s = sched->starts; s; s = s->next)
        if (s->slot == slot && s->pass > 0)
            return true;
    return false;
}

/* True when this turn has already created a run of the slot. */
static bool has_new_run(const struct work_schedule *sched, instant slot)
{
    for (const struct work_run *p = sched->runs; p; p = p->next)
        if (p->run.slot == slot && p->run.pass > 0 && p->run.kind != RUN_TEST)
            return true;
    return false;
}

/* True when the run of an earlier backfill may have been deleted, to keep a number of runs. */
static bool may_be_forgotten(const struct work_schedule *sched, const struct backfill *b,
                             instant slot)
{
    if (sched->plan.policies.retention_count == 0)
        return false;
    for (int i = 0; i < sched->backfill_count; i++) {
        const struct backfill *other = &sched->backfills[i].row;

        if (other->id != b->id && slot >= other->from && slot <= other->mark)
            return true;
    }
    return false;
}

/* The outcomes of slots before this time may have been deleted. */
static instant kept_since(const struct turn *turn, const struct work_schedule *sched)
{
    span age = sched->plan.policies.retention_age;

    return age > 0 ? turn->now - age : INSTANT_NONE;
}

/* True when it is not known any more whether the next slot was started. */
static bool has_expired_slot(const struct work_schedule *sched, const struct backfill *b,
                             instant since)
{
    struct slot next;

    return b->mark + 1 < since && spec_next(&sched->plan.spec, &sched->ctx, b->mark, &next) &&
           next.at < since && next.at <= b->until;
}

static int find_missed(struct turn *turn, struct work_schedule *sched, struct work_backfill *w,
                       struct due_slot *slots, int room)
{
    struct backfill *b = &w->row;
    struct backfill_known known = {
        .created = sched->plan.created,
        .with_cancelled = b->flags & BACKFILL_CANCELLED,
        .with_governor = b->flags & BACKFILL_GOVERNOR,
    };
    instant since = kept_since(turn, sched);
    int found, count = 0;

    if (!w->is_known)
        return 0;
    w->is_known = false; /* a turn may come here twice */
    if (has_expired_slot(sched, b, since)) {
        b->flags |= BACKFILL_EXPIRED;
        b->mark = since <= b->until ? since - 1 : b->until;
    }
    if (!slots_evidence_read(&w->evidence, turn->arena, &known)) {
        turn_damage(turn, sched->id, "two rows of the ledger have the same slot");
        return 0;
    }
    found = backfill_missed(&sched->plan, &sched->ctx,
                            &(struct backfill_part){b->mark, b->until, room}, &known, slots,
                            &b->mark);
    for (int i = 0; i < found; i++) {
        if (is_undecided(sched, slots[i].at)) {
            b->mark = slots[i].at - 1; /* the next turn knows whether it was started */
            break;
        }
        if (!has_new_run(sched, slots[i].at) && !may_be_forgotten(sched, b, slots[i].at))
            slots[count++] = slots[i];
    }
    return count;
}

static int find_all(struct work_schedule *sched, struct backfill *b, struct due_slot *slots,
                    int room)
{
    int count = backfill_slots(&sched->plan, &sched->ctx, b->mark, b->until, slots, room);

    must(count <= room);
    must(count == 0 || (slots[0].at > b->mark && slots[count - 1].at <= b->until));
    b->mark = count < room ? b->until : slots[count - 1].at;
    return count;
}

/* Requests the starts of one batch. */
static void start_backfill_batch(struct turn *turn, struct work_schedule *sched,
                                 struct work_backfill *w, int room)
{
    struct backfill *b = &w->row;
    struct due_slot *slots = arena_array_raw(turn->arena, (size_t)room, sizeof(*slots));
    instant mark = b->mark;
    int count = b->flags & BACKFILL_MISSED ? find_missed(turn, sched, w, slots, room)
                                           : find_all(sched, b, slots, room);

    must(b->schedule == sched->id && b->mark >= mark);
    for (int i = 0; i < count; i++)
        sched_start(turn, sched,
                    &(struct start){
                        .kind = RUN_BACKFILL,
                        .slot = slots[i].at,
                        .due = turn->now,
                        .pass = b->pass,
                        .overlap = (uint8_t)b->overlap,
                    });
    b->requested += count;
    sched->backfilled += count;
    if (b->mark >= b->until)
        b->stage = BACKFILL_FILLED;
    w->is_changed = true;
    sched->is_touched = true;
}

static int room_for_backfill(const struct work_schedule *sched, int filling)
{
    const struct policies *p = &sched->plan.policies;
    int limit = p->buffer_limit > 0 ? p->buffer_limit : BUFFER_LIMIT_DEFAULT;
    int waiting = (int)sched->cursor.waiting;
    int room = backfill_capacity(limit, waiting, BUFFER_FREE, BUFFER_RESERVE, filling);

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
    int filling = count_filling(sched);
    int room = filling > 0 ? room_for_backfill(sched, filling) : 0;

    for (int i = 0; i < sched->backfill_count; i++) {
        int batch = size_batch(turn, sched, room);

        if (batch <= 0)
            break;
        if (sched->backfills[i].row.stage == BACKFILL_FILLING)
            start_backfill_batch(turn, sched, &sched->backfills[i], batch);
    }
}

void sched_release(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;

    must(sched->state == SCHED_HELD && (c->flags & CURSOR_QUARANTINED));
    if (!(c->flags & CURSOR_BARRED))
        sched_account_until(turn, sched, turn->now, OUTCOME_DROPPED, REASON_QUARANTINED);
    c->flags &= ~(int64_t)CURSOR_QUARANTINED;
    c->version++;
    c->active_at = turn->now;
    turn_schedule_event(turn, EVENT_SCHEDULE_RELEASED, sched->id, c->version);
    sched->is_touched = sched->open_changed = sched->is_edited = true;
    sched->is_due |= !(c->flags & CURSOR_BARRED);
}

/* A pick that was due in the pause runs at once, as its own slot only with whilePaused. */
static void resume_governed(struct turn *turn, struct work_schedule *sched, instant end)
{
    struct cursor *c = &sched->cursor;
    bool is_overdue = c->next_at < end;

    if (sched->plan.policies.catchup_paused)
        sched_account_passed(turn, sched, end - 1);
    else
        sched_account_until(turn, sched, end - 1, OUTCOME_MISSED, REASON_PAUSED);
    if (is_overdue && c->next_at == INSTANT_NEVER)
        sched_pick_paused(sched, end);
    else if (is_overdue)
        c->source = SOURCE_PAUSED;
}

void sched_resume(struct turn *turn, struct work_schedule *sched, struct str note,
                  struct str by)
{
    struct cursor *c = &sched->cursor;
    instant end = c->paused_until <= turn->now ? c->paused_until : turn->now;
    /* Slots at or after the end of the pause were not paused, however late it is now. */
    instant until = c->paused_until <= turn->now ? c->paused_until - 1 : turn->now;

    must(sched->state == SCHED_HELD && sched->has_plan);
    must(c->flags & CURSOR_PAUSED);
    c->flags &= ~(int64_t)CURSOR_PAUSED;
    c->paused_until = INSTANT_NEVER;
    c->version++;
    c->active_at = turn->now;
    schedules_set_reason(turn->db, sched->id, c->version, note, turn->now, by);
    turn_schedule_event(turn, EVENT_SCHEDULE_RESUMED, sched->id, c->version);
    sched->is_touched = sched->open_changed = sched->is_edited = true;
    if (c->flags & (CURSOR_BARRED | CURSOR_QUARANTINED))
        return;
    if (sched->plan.is_governed)
        resume_governed(turn, sched, end);
    else if (!sched->plan.policies.catchup_paused)
        sched_account_until(turn, sched, until, OUTCOME_MISSED, REASON_PAUSED);
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
    if (!(c->flags & CURSOR_BARRED) && turn->memory.clock_skip > c->mark) {
        sched_account_passed(turn, sched, turn->memory.clock_skip);
        sched_account_until(turn, sched, turn->memory.clock_skip, OUTCOME_MISSED, REASON_CLOCK);
    }
    if (c->flags & CURSOR_BARRED)
        sched->is_touched = true;
    else if (c->flags & CURSOR_QUARANTINED)
        sched_account_until(turn, sched, turn->now, OUTCOME_DROPPED, REASON_QUARANTINED);
    else
        advance_slots(turn, sched);
    advance_backfills(turn, sched);
    replace_pick(turn, sched);
    close_if_idle(turn, sched);
}

void sched_clear(struct turn *turn, struct work_schedule *sched)
{
    bool left = sched->has_unread || sched->rows_held.rows == BUFFER_LIMIT_MAX;

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

instant sched_next_due(const struct work_schedule *sched)
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
    int filling = count_filling(sched);
    instant wake = INSTANT_NEVER;

    if (c->flags & CURSOR_DELETED)
        return turn->now;
    if (c->flags & CURSOR_CLOSED)
        return INSTANT_NEVER;
    replace_pick(turn, sched);
    if ((c->flags & CURSOR_FULL) && buffer_room(sched) > 0 && remaining_room(sched) > 0)
        c->flags &= ~(int64_t)CURSOR_FULL;
    if (c->flags & CURSOR_PAUSED)
        wake = c->paused_until;
    else if (!(c->flags & (CURSOR_BARRED | CURSOR_FULL)) && c->remaining != 0)
        wake = sched_next_due(sched);
    if (filling > 0 && room_for_backfill(sched, filling) > 0)
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

bool sched_can_start_slot(const struct work_schedule *sched)
{
    return has_slot_to_start(sched) && !(sched->cursor.flags & CURSOR_QUARANTINED) &&
           buffer_room(sched) > 0 && remaining_room(sched) > 0;
}

void sched_wake(struct turn *turn, struct work_schedule *sched)
{
    instant wake;

    must(sched->state == SCHED_HELD);
    sched_settle_backfills(turn, sched);
    wake = wake_of(turn, sched);
    must(wake != INSTANT_NEVER || !has_slot_to_start(sched)); /* else it would be lost */
    sched->cursor.wake_at = wake;
    if (wake > turn->now || turn->in->hold)
        return;
    turn->turn_again = true; /* there is more to do */
    if (wake < turn->memory.floor)
        turn->memory.floor = wake;
}
