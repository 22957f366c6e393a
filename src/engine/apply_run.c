/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: asked for, planned slots cancelled, open ones approved, cancelled, terminated.
 */
#include "engine/apply.h"
#include "engine/engine_internal.h"
#include "engine/reports.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

/* The next free pass; a run's name has room for 32 bits of it. */
static int64_t next_pass(struct seat *seat)
{
    seat->is_touched = true;
    return ++seat->cursor.pass;
}

void apply_trigger(struct turn *turn, const struct command *c, struct seat *seat,
                   struct reply *reply)
{
    instant slot = (c->slot != 0 ? c->slot : turn->now) / SPAN_MS * SPAN_MS;
    struct start start = {
        .kind = c->kind == COMMAND_TEST ? RUN_TEST : RUN_TRIGGER,
        .slot = slot,
        .due = turn->now,
        .pass = next_pass(seat),
        .overlap = c->overlap < OVERLAP_COUNT ? (uint8_t)c->overlap : OVERLAP_DEFAULT,
        .priority = c->priority,
        .input = c->input,
        .trace = c->trace,
        .is_untraced = c->is_untraced,
        .reply = reply,
    };

    seat->cursor.active_at = turn->now;
    reply->run = (struct run_id){seat->id, slot / SPAN_MS, (uint32_t)start.pass};
    reply->count = 1;
    if (start.kind == RUN_TEST)
        run_ready(turn, run_create(turn, seat, &start, false));
    else
        seat_start(turn, seat, &start);
}

void apply_backfill(struct turn *turn, const struct command *c, struct seat *seat,
                    struct reply *reply)
{
    struct cursor *cursor = &seat->cursor;
    struct backfill *all;

    if (cursor->backfills + c->range_count > BACKFILLS_MAX) {
        refuse(turn, reply, RC_LIMIT,
               "the schedule has %lld backfills at work; %d is the most, wait for some to end",
               (long long)cursor->backfills, BACKFILLS_MAX);
        return;
    }
    all = arena_array(turn->arena, (size_t)(seat->backfill_count + c->range_count),
                      sizeof(*all));
    for (int i = 0; i < seat->backfill_count; i++)
        all[i] = seat->backfills[i];
    for (int i = 0; i < c->range_count; i++) {
        const struct range *range = &c->ranges[i];
        struct backfill *b = &all[seat->backfill_count + i];

        *b = (struct backfill){
            .id = turn_key(turn),
            .schedule = seat->id,
            .pass = next_pass(seat),
            .from = range->from,
            .until = range->until,
            .mark = range->from - 1,
            .overlap = range->overlap < OVERLAP_COUNT ? (int64_t)range->overlap
                                                      : OVERLAP_DEFAULT,
            .created_at = turn->now,
            .created_by = c->by,
        };
        backfills_insert(turn->db, b);
    }
    seat->backfills = all;
    seat->backfill_count += c->range_count;
    cursor->backfills += c->range_count;
    cursor->active_at = turn->now;
    reply->count = c->range_count;
    seat->is_due = true;
}

static bool is_planned(const struct seat *seat, const struct command *c)
{
    instant slot = c->run.slot_ms * SPAN_MS;
    struct slot found;

    if (c->run.pass != 0 || slot <= seat->cursor.mark)
        return false;
    if (seat->plan.is_governed)
        return slot == seat->cursor.next_at;
    return spec_next(&seat->plan.spec, &seat->ctx, slot - 1, &found) && found.at == slot;
}

/* Where a slot stands among the cancelled ones, or where it would. */
static int exception_index(const struct seat *seat, instant slot)
{
    int i = 0;

    while (i < seat->exception_count && seat->exceptions[i] < slot)
        i++;
    return i;
}

static void remove_exception(struct turn *turn, struct seat *seat, int index)
{
    exceptions_delete(turn->db, seat->id, seat->exceptions[index], NULL);
    seat->exception_count--;
    for (int i = index; i < seat->exception_count; i++)
        seat->exceptions[i] = seat->exceptions[i + 1];
}

static void add_exception(struct turn *turn, struct seat *seat, int index, instant slot)
{
    instant *all = arena_array(turn->arena, (size_t)seat->exception_count + 1, sizeof(*all));

    for (int i = 0; i < seat->exception_count; i++)
        all[i < index ? i : i + 1] = seat->exceptions[i];
    all[index] = slot;
    seat->exceptions = all;
    seat->exception_count++;
    seat->cursor.flags |= CURSOR_EXCEPTIONS;
    seat->is_touched = true;
}

void apply_skip(struct turn *turn, const struct command *c, struct command_state *s,
                struct reply *reply)
{
    struct seat *seat = s->seat;
    instant slot = c->run.slot_ms * SPAN_MS;
    int index = exception_index(seat, slot);
    bool known = index < seat->exception_count && seat->exceptions[index] == slot;

    reply->run = c->run;
    reply->count = (c->kind == COMMAND_UNSKIP) == known; /* 0: it was so before */
    if (c->kind == COMMAND_UNSKIP) {
        if (known)
            remove_exception(turn, seat, index);
        return;
    }
    if (!is_planned(seat, c)) {
        refuse(turn, reply, RC_NOT_FOUND, "this is not a time at which the schedule will run");
        return;
    }
    if (known)
        return;
    if (seat->exception_count >= EXCEPTIONS_MAX) {
        refuse(turn, reply, RC_LIMIT,
               "%d planned times are cancelled already, the most there can be", EXCEPTIONS_MAX);
        return;
    }
    exceptions_insert(turn->db, seat->id, slot, turn->now, c->by, NULL);
    add_exception(turn, seat, index, slot);
}

static void terminate(struct turn *turn, struct place *place, struct reply *reply)
{
    struct run *run = &place->run;

    reply->count = 1;
    if (run->state == RUN_HELD) {
        held_end(turn, place, OUTCOME_SLOT_CANCELLED, REASON_USER);
        return;
    }
    run_stop(turn, run, true);
    run_end(turn, place,
            &(struct ending){.outcome = OUTCOME_TERMINATED, .reason = REASON_USER});
}

static void cancel(struct turn *turn, const struct command *c, struct place *place,
                   struct reply *reply)
{
    enum run_state state = place->run.state;

    if (c->is_gentle && state == RUN_RUNNING) {
        refuse(turn, reply, RC_CONFLICT, "the run has begun");
        return;
    }
    if (c->is_gentle && state == RUN_LEASED) {
        terminate(turn, place, reply);
        return;
    }
    reply->count = 1;
    if (state == RUN_HELD)
        held_end(turn, place, OUTCOME_SLOT_CANCELLED, REASON_USER);
    else if (run_is_claimed(state))
        run_ask_to_stop(turn, place, false);
    else
        run_end(turn, place,
                &(struct ending){.outcome = OUTCOME_CANCELLED, .reason = REASON_USER});
}

static void approve(struct turn *turn, const struct command *c, struct place *place,
                    struct reply *reply)
{
    if (place->run.state != RUN_APPROVAL) {
        refuse(turn, reply, RC_CONFLICT, "the run does not wait for approval: it is %s",
               run_state_text(place->run.state));
        return;
    }
    reply->count = 1;
    if (c->kind == COMMAND_APPROVE) {
        settle_keep_log(turn, place, c->text);
        run_ready(turn, place);
        return;
    }
    run_end(turn, place,
            &(struct ending){
                .outcome = OUTCOME_CANCELLED, .reason = REASON_REJECTED, .error = c->text});
}

/* Also of a run that is somebody else's: nobody can tell the two apart. */
void apply_no_run(struct turn *turn, struct reply *reply)
{
    refuse(turn, reply, RC_NOT_FOUND, "the run is not open: it has ended, or there is none");
}

void apply_run(struct turn *turn, const struct command *c, struct command_state *s,
               struct reply *reply)
{
    struct place *place = s->place;

    reply->run = c->run;
    if (place->state == PLACE_AWAY || place->seat->state == SEAT_AWAY) {
        refuse(turn, reply, RC_BUSY, "another node is working on this run");
        return;
    }
    if (place->state != PLACE_READ && place->state != PLACE_NEW) {
        if (c->kind == COMMAND_CANCEL && seat_is_held(s->seat) && is_planned(s->seat, c))
            apply_skip(turn, c, s, reply);
        else
            apply_no_run(turn, reply);
        return;
    }
    if (c->kind == COMMAND_CANCEL)
        cancel(turn, c, place, reply);
    else if (c->kind == COMMAND_TERMINATE)
        terminate(turn, place, reply);
    else
        approve(turn, c, place, reply);
}
