/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules: created, edited, deleted, paused, hinted at.
 */
#include <string.h>

#include "base/must.h"
#include "core/spec/spec_pack.h"
#include "engine/apply.h"
#include "engine/engine_internal.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

/* The plan of a draft with the keys that it names; false when a row is in other hands. */
static bool complete_plan(struct turn *turn, const struct command *c,
                          const struct command_state *s, struct plan *ret)
{
    struct plan plan = c->draft->plan;

    plan.queue = c->namespace;
    if (plan.lane == LANE_PULL)
        plan.queue = s->queue != 0 ? s->queue : db_int_at(&s->queue_row, 0, 0);
    plan.gate = 0;
    if (s->gate_row.rows == 1) {
        struct gate_seat *gate = desk_gate(turn, db_int_at(&s->gate_row, 0, 0));

        plan.gate = gate->gate.id;
        if (!gate->is_held)
            return false;
    }
    plan.follows = plan_follows(&plan);
    *ret = plan;
    return true;
}

static struct str packed(struct turn *turn, const struct plan *plan)
{
    struct engine *engine = turn->engine;
    struct buf buf = {.ptr = engine->pack, .cap = PLAN_PACKED_MAX};

    plan_pack(plan, &buf);
    return buf.cut ? (struct str){NULL, 0} : arena_str(turn->arena, buf_as_str(&buf));
}

/* After its plan, action and version have changed. */
static void keep_text(struct seat *seat, struct str plan)
{
    seat->text = (struct plan_text){seat->namespace, plan, seat->action, seat->name};
    seat->has_new_text = true;
}

static struct schedule_row row_of(const struct turn *turn, const struct command *c)
{
    const struct draft *d = c->draft;

    return (struct schedule_row){
        .namespace = c->namespace,
        .action = d->action,
        .name = c->name,
        .spec = d->spec,
        .policies = d->policies,
        .governor = d->governor,
        .labels = d->labels,
        .extra = d->extra,
        .description = d->description,
        .dialect = d->dialect,
        .created_at = turn->now,
        .created_by = c->by,
        .updated_at = turn->now,
        .updated_by = c->by,
    };
}

static struct cursor new_cursor(const struct turn *turn, int64_t id, const struct command *c)
{
    const struct draft *draft = c->draft;

    return (struct cursor){
        .id = id,
        .wake_at = INSTANT_NEVER,
        .mark = turn->now,
        .next_at = INSTANT_NEVER,
        .version = 1,
        .flags = (draft->is_disabled ? CURSOR_DISABLED : 0) |
                 (draft->is_paused ? CURSOR_PAUSED : 0),
        .paused_until = draft->is_paused && draft->sets_pause ? c->until : INSTANT_NEVER,
        .remaining = draft->plan.policies.remaining_runs,
        .last_slot = INSTANT_NONE,
        .last_held = INSTANT_NONE,
        .last_start = INSTANT_NONE,
        .last_end = INSTANT_NONE,
        .active_at = turn->now,
        .hint_at = INSTANT_NEVER,
        .hint_expires = INSTANT_NONE,
    };
}

/* The seat of a schedule that this turn makes. */
static struct seat *make_seat(struct turn *turn, const struct command *c,
                              struct command_state *s, const struct plan *plan)
{
    struct seat *seat = desk_seat(turn, turn_key(turn));

    seat->state = SEAT_HELD;
    seat->is_new = seat->is_loaded = seat->is_touched = true;
    seat->has_plan = true;
    seat->plan = *plan;
    seat->plan.created = turn->now;
    seat->namespace = c->namespace;
    seat->name = arena_str(turn->arena, c->name);
    seat->action = arena_str(turn->arena, c->draft->action);
    seat->cursor = new_cursor(turn, seat->id, c);
    seat->ctx = advance_ctx(&seat->plan, &seat->cursor);
    seat->rows_calendars = s->calendar_rows;
    desk_read_calendars(turn, seat);
    return seat;
}

void apply_create(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct schedule_row row = row_of(turn, c);
    struct plan plan;

    if (s->seat && s->seat->state != SEAT_BARE) {
        refuse(turn, reply, RC_CONFLICT, "there is a schedule `%.*s` already",
               STR_ARG(c->name));
        return;
    }
    if (c->range_count > BACKFILLS_MAX) {
        refuse(turn, reply, RC_LIMIT,
               "%d backfills are too many for one schedule; %d is the most", c->range_count,
               BACKFILLS_MAX);
        return;
    }
    if (!complete_plan(turn, c, s, &plan)) {
        refuse(turn, reply, RC_BUSY, "another node holds the limit of its concurrency key");
        return;
    }
    plan.created = turn->now;
    row.packed = packed(turn, &plan);
    row.version = 1;
    row.reason = c->text;
    if (row.packed.len == 0) {
        refuse(turn, reply, RC_LIMIT, "the schedule is too large");
        return;
    }
    if (!quota_take(turn, c, reply))
        return;
    s->seat = make_seat(turn, c, s, &plan);
    keep_text(s->seat, row.packed);
    s->is_created = true;
    row.id = s->seat->id;
    schedules_insert(turn->db, &row, &s->changed);
}

/*
 * The name may have been taken by another command of this turn, or by another node in this
 * moment: the insert has told.
 */
void apply_created(struct turn *turn, const struct command *c, struct command_state *s,
                   struct reply *reply)
{
    struct seat *seat = s->seat;

    if (s->changed.changed == 0) {
        seat->state = SEAT_BARE;
        refuse(turn, reply, c->kind == COMMAND_PUT ? RC_BUSY : RC_CONFLICT,
               "there is a schedule `%.*s` already", STR_ARG(c->name));
        return;
    }
    reply->schedule = seat->id;
    reply->version = 1;
    seat_begin(turn, seat);
    desk_schedule_event(turn, EVENT_SCHEDULE_CREATED, seat->id, 1);
    seat->is_edited = true;
    seat->is_due = true; /* "now" is due at once */
    if (c->draft->trigger)
        apply_trigger(turn, c, seat, reply);
    if (c->range_count > 0)
        apply_backfill(turn, c, seat, reply);
}

/*
 * Before the schedule is barred: those of its slots that wait would be left out later, and
 * one that was due now would take their place.
 */
static void decide_before(struct turn *turn, struct seat *seat)
{
    if (!(seat->cursor.flags & CURSOR_BARRED) && (seat->starts || seat->open_changed))
        seat_decide(turn, seat);
}

/* One whose end has passed is over at once: what waits was never paused by it. */
static void pause(struct turn *turn, struct seat *seat, const struct command *c)
{
    seat_pause(turn, seat, c->until, c->text, c->by);
    seat_end_pause(turn, seat);
}

/* What was due under the old plan, before the new one counts. */
static void settle_overdue(struct turn *turn, struct seat *seat)
{
    struct cursor *c = &seat->cursor;

    if (!seat->has_plan)
        return;
    seat_end_pause(turn, seat);
    if (c->flags & CURSOR_BARRED) {
        if (!seat->plan.is_governed) /* else the slot that waits for the resume moves */
            seat_pass(turn, seat, turn->now, OUTCOME_MISSED, REASON_PAUSED);
        return;
    }
    if (c->next_at > turn->now)
        return;
    seat_pass(turn, seat, turn->now - EDIT_GRACE, OUTCOME_MISSED, REASON_EDITED);
    seat_advance(turn, seat);
    seat_pass(turn, seat, turn->now, OUTCOME_MISSED, REASON_EDITED); /* for want of room */
}

/* As COMMAND_RESUME does it, by the plan that it was paused under. */
static void lift_pause(struct turn *turn, struct seat *seat, const struct command *c)
{
    if (!c->draft->sets_pause || c->draft->is_paused || !(seat->cursor.flags & CURSOR_PAUSED))
        return;
    seat_resume(turn, seat, (struct str){NULL, 0}, c->by);
    seat_advance(turn, seat);
    decide_before(turn, seat);
}

static void change_flags(struct turn *turn, struct seat *seat, const struct command *c)
{
    struct cursor *cursor = &seat->cursor;
    bool was = (cursor->flags & CURSOR_DISABLED) != 0;

    cursor->flags &= ~(int64_t)(CURSOR_DISABLED | CURSOR_QUARANTINED | CURSOR_FULL);
    if (c->draft->is_disabled)
        cursor->flags |= CURSOR_DISABLED;
    if (c->draft->is_disabled && !was)
        desk_schedule_event(turn, EVENT_SCHEDULE_DISABLED, seat->id, cursor->version);
}

/*
 * With the jitter of all schedules, as the plan is when it is read: a slot that has passed and
 * waits for its moment is then still there.
 */
static void spread(struct turn *turn, struct str packed, struct plan *plan)
{
    const struct engine_options *options = &turn->engine->options;
    struct plan fresh;
    struct err err;

    if (options->dispatch_jitter == 0 || plan->spec.jitter > 0)
        return;
    must(plan_unpack(packed, turn->arena, &fresh, &err) == RC_OK);
    fresh.spec.jitter = options->dispatch_jitter;
    if (spec_bind(&fresh.spec, &options->zones, &err) == RC_OK)
        *plan = fresh;
}

void apply_update(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct seat *seat = s->seat;
    struct schedule_row row = row_of(turn, c);
    struct plan plan;
    instant created = seat->has_plan ? seat->plan.created : turn->now;
    int64_t remaining = seat->plan.policies.remaining_runs;
    bool pauses;

    if (!complete_plan(turn, c, s, &plan)) {
        refuse(turn, reply, RC_BUSY, "another node holds the limit of its concurrency key");
        return;
    }
    plan.created = created;
    row.packed = packed(turn, &plan);
    if (row.packed.len == 0) {
        refuse(turn, reply, RC_LIMIT, "the schedule is too large");
        return;
    }
    pauses = c->draft->sets_pause && c->draft->is_paused;
    if (seat->has_plan)
        lift_pause(turn, seat, c);
    settle_overdue(turn, seat);
    if (c->draft->is_disabled || pauses)
        decide_before(turn, seat);
    row.id = seat->id;
    row.version = ++seat->cursor.version;
    schedules_update(turn->db, &row, row.version - 1, NULL);
    if (plan.policies.remaining_runs != remaining)
        seat->cursor.remaining = plan.policies.remaining_runs;
    change_flags(turn, seat, c);
    /* Else an edit of something else would undo what somebody has set since. */
    s->keeps_gate = seat->has_plan && seat->plan.gate == plan.gate &&
                    seat->plan.policies.gate_limit == plan.policies.gate_limit;
    seat->plan = plan;
    spread(turn, row.packed, &seat->plan);
    seat->has_plan = true;
    seat->action = arena_str(turn->arena, c->draft->action);
    keep_text(seat, row.packed);
    seat->cursor.active_at = turn->now;
    seat->ctx = advance_ctx(&seat->plan, &seat->cursor);
    seat->rows_calendars = s->calendar_rows;
    desk_read_calendars(turn, seat);
    seat_begin(turn, seat);
    seat->open_changed = true; /* other policies, or enabled again: what waits may start */
    desk_schedule_event(turn, EVENT_SCHEDULE_UPDATED, seat->id, row.version);
    seat->is_edited = true;
    if (pauses)
        pause(turn, seat, c);
    else
        lift_pause(turn, seat, c); /* without a plan nothing was to be made up for */
    reply->version = seat->cursor.version;
}

void apply_delete(struct turn *turn, const struct command *c, struct seat *seat,
                  struct reply *reply)
{
    struct cursor *cursor = &seat->cursor;

    if (seat->has_plan && (cursor->flags & CURSOR_BARRED))
        seat_pass(turn, seat, turn->now, OUTCOME_MISSED, REASON_PAUSED);
    else if (seat->has_plan && !(cursor->flags & CURSOR_CLOSED))
        seat_pass(turn, seat, turn->now, OUTCOME_DROPPED, REASON_DELETED);
    seat_decide(turn, seat); /* what this turn was asked to start before */
    reply->count = cursor->open + cursor->waiting;
    cursor->flags |= CURSOR_DELETED;
    turn->memory.walks[PRUNE_SCHEDULES].written++;
    schedules_mark_deleted(turn->db, seat->id, turn->now, c->by);
    desk_schedule_event(turn, EVENT_SCHEDULE_DELETED, seat->id, cursor->version);
    seat_clear(turn, seat);
}

/* What was due before still starts, and then the schedule is not at rest. */
void apply_close(struct turn *turn, const struct command *c, struct seat *seat,
                 struct reply *reply)
{
    struct cursor *cursor = &seat->cursor;
    bool is_barred = (cursor->flags & CURSOR_BARRED) != 0;

    if (!is_barred && cursor->wake_at <= turn->now)
        seat_advance(turn, seat);
    seat_decide(turn, seat);
    if (cursor->open + cursor->waiting + cursor->backfills > 0) {
        refuse(turn, reply, RC_CONFLICT,
               "the schedule has runs or backfills that are open; pause it, and archive it "
               "when they have ended");
        return;
    }
    seat_pass(turn, seat, turn->now, is_barred ? OUTCOME_MISSED : OUTCOME_DROPPED,
              is_barred ? REASON_PAUSED : REASON_DELETED);
    cursor->flags &= ~(int64_t)(CURSOR_BARRED | CURSOR_QUARANTINED | CURSOR_FULL);
    cursor->flags |= CURSOR_CLOSED;
    cursor->next_at = INSTANT_NEVER;
    cursor->version++;
    schedules_set_reason(turn->db, seat->id, cursor->version, c->text, turn->now, c->by);
    desk_schedule_event(turn, EVENT_SCHEDULE_CLOSED, seat->id, cursor->version);
    seat->is_touched = seat->is_edited = true;
    reply->version = cursor->version;
}

/* Words beside a schedule that is not paused. */
static void keep_note(struct turn *turn, struct seat *seat, const struct command *c)
{
    seat->cursor.version++;
    seat->is_touched = true;
    schedules_set_reason(turn->db, seat->id, seat->cursor.version, c->text, turn->now, c->by);
}

void apply_pause(struct turn *turn, const struct command *c, struct seat *seat,
                 struct reply *reply)
{
    struct cursor *cursor = &seat->cursor;

    if (c->kind == COMMAND_RESUME) {
        if (cursor->flags & (CURSOR_PAUSED | CURSOR_QUARANTINED))
            seat_resume(turn, seat, c->text, c->by);
        else if (c->text.ptr)
            keep_note(turn, seat, c);
    } else {
        seat_end_pause(turn, seat);
        if (!(cursor->flags & CURSOR_BARRED) && cursor->wake_at <= turn->now)
            seat_advance(turn, seat); /* what was due before */
        decide_before(turn, seat);
        pause(turn, seat, c);
    }
    reply->version = cursor->version;
}

/* False: a clamp of the governor would take it back, so it is refused. */
static bool check_hint(struct turn *turn, const struct command *c, const struct plan *plan,
                       struct reply *reply)
{
    bool is_below = c->hint_interval > 0 && c->hint_interval < plan->governor_min;
    bool is_above = plan->governor_max > 0 && c->hint_interval > plan->governor_max;

    if (is_below || is_above)
        refuse(turn, reply, RC_INVALID, "the interval is %s than the governor's %s",
               is_below ? "shorter" : "longer", is_below ? "minInterval" : "maxInterval");
    return !is_below && !is_above;
}

void apply_hint(struct turn *turn, const struct command *c, struct seat *seat,
                struct reply *reply)
{
    struct cursor *cursor = &seat->cursor;
    instant wanted = c->hint_at;

    if (c->kind != COMMAND_RESET && !seat->plan.is_governed) {
        refuse(turn, reply, RC_INVALID, "only a schedule with a governor takes hints");
        return;
    }
    seat->is_touched = true;
    if (c->kind == COMMAND_RESET) {
        cursor->failures = 0;
        return;
    }
    if (c->kind == COMMAND_UNHINT) {
        cursor->hint_interval = 0;
        cursor->hint_at = INSTANT_NEVER;
        cursor->hint_expires = INSTANT_NONE;
        schedules_set_hint(turn->db, seat->id, (struct str){NULL, 0});
        return;
    }
    if (!check_hint(turn, c, &seat->plan, reply))
        return;
    schedules_set_hint(turn->db, seat->id, c->text);
    cursor->hint_expires = c->until;
    if (c->hint_at != INSTANT_NEVER)
        cursor->hint_at = c->hint_at;
    if (c->hint_interval > 0) {
        instant from = cursor->last_start == INSTANT_NONE ? turn->now : cursor->last_start;

        cursor->hint_interval = c->hint_interval;
        if (from + c->hint_interval < wanted)
            wanted = from + c->hint_interval;
    }
    seat_nudge(turn, seat, wanted);
}

/* A run of its own: its schedule is born deleted and goes when its history does. */
void apply_direct(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct schedule_row row = row_of(turn, c);
    struct plan plan;
    struct seat *seat;
    struct place *place;
    char name[RUN_ID_TEXT_MAX];

    if (!complete_plan(turn, c, s, &plan)) {
        refuse(turn, reply, RC_BUSY, "another node holds the limit of its concurrency key");
        return;
    }
    plan.created = turn->now;
    seat = make_seat(turn, c, s, &plan);
    seat->state = SEAT_BARE;
    reply->schedule = seat->id;
    reply->run = (struct run_id){seat->id, turn->now / SPAN_MS, 0};
    run_id_format(&reply->run, name);
    row.id = seat->id;
    row.version = 1;
    row.name = str_of(name);
    row.packed = packed(turn, &plan);
    row.deleted_at = turn->now;
    turn->memory.walks[PRUNE_SCHEDULES].written++;
    schedules_insert(turn->db, &row, NULL);
    place = run_create(turn, seat,
                       &(struct start){.kind = RUN_DIRECT,
                                       .slot = turn->now / SPAN_MS * SPAN_MS,
                                       .due = turn->now,
                                       .overlap = OVERLAP_ALLOW_ALL,
                                       .priority = c->priority,
                                       .input = c->input,
                                       .trace = c->trace,
                                       .is_untraced = c->is_untraced},
                       false);
    turn->started[RUN_DIRECT]++;
    run_ready(turn, place);
    reply->count = 1;
}
