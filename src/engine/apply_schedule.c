/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about schedules: create, update, delete, close, pause, resume, hint, unhint, reset;
 * and direct runs.
 */
#include <string.h>

#include "base/must.h"
#include "core/spec/spec_pack.h"
#include "engine/apply.h"
#include "engine/day_events.h"
#include "engine/engine_internal.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

/* Adds the keys of queue and gate to a draft's plan; false when another node holds the gate. */
static bool complete_plan(struct turn *turn, const struct command *c,
                          const struct command_state *s, struct plan *ret)
{
    struct plan plan = c->save.draft->plan;

    plan.queue = c->namespace;
    if (plan.lane == LANE_PULL)
        plan.queue = s->queue != 0 ? s->queue : db_int_at(&s->queue_row, 0, 0);
    must(plan.lane != LANE_PULL || plan.queue != 0); /* else no worker could claim its runs */
    if (plan.policies.gate.len > 0 && s->gate_row.rows == 0)
        return false; /* another node has just deleted the gate */
    plan.gate = 0;
    if (s->gate_row.rows == 1) {
        struct work_gate *gate = workset_gate(turn, db_int_at(&s->gate_row, 0, 0));

        plan.gate = gate->gate.id;
        if (!gate->is_held)
            return false;
    }
    plan.follows = plan_follows(&plan);
    *ret = plan;
    return true;
}

static struct str pack_plan(struct turn *turn, const struct plan *plan)
{
    struct engine *engine = turn->engine;
    struct buf buf = {.ptr = engine->pack, .cap = PLAN_PACKED_MAX};

    plan_pack(plan, &buf);
    return buf.cut ? (struct str){NULL, 0} : arena_str(turn->arena, buf_as_str(&buf));
}

/* Called after plan, action and version have changed. */
static void set_plan_text(struct work_schedule *sched, struct str plan)
{
    sched->text = (struct plan_text){sched->namespace, plan, sched->action, sched->name};
    sched->has_new_text = true;
}

static struct schedule_row row_of_draft(const struct turn *turn, const struct command *c)
{
    const struct draft *d = c->save.draft;

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
    const struct draft *draft = c->save.draft;

    return (struct cursor){
        .id = id,
        .wake_at = INSTANT_NEVER,
        .mark = turn->now,
        .next_at = INSTANT_NEVER,
        .version = 1,
        .flags = (draft->is_disabled ? CURSOR_DISABLED : 0) |
                 (draft->is_paused ? CURSOR_PAUSED : 0),
        .paused_until = draft->is_paused && draft->sets_pause ? c->save.pause_until
                                                              : INSTANT_NEVER,
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

/* Adds a schedule that this turn creates to the workset. */
static struct work_schedule *add_schedule(struct turn *turn, const struct command *c,
                                          struct command_state *s, const struct plan *plan)
{
    struct work_schedule *sched = workset_schedule(turn, turn_key(turn));

    must(sched->state == SCHED_WANTED && !sched->is_loaded); /* the key is new */
    sched->state = SCHED_HELD;
    sched->is_new = sched->is_loaded = sched->is_touched = true;
    sched->has_plan = true;
    sched->plan = *plan;
    sched->plan.created = turn->now;
    sched->namespace = c->namespace;
    sched->name = arena_str(turn->arena, c->name);
    sched->action = arena_str(turn->arena, c->save.draft->action);
    sched->cursor = new_cursor(turn, sched->id, c);
    sched->ctx = advance_ctx(&sched->plan, &sched->cursor);
    sched->rows_calendars = s->calendar_rows;
    workset_read_calendars(turn, sched);
    return sched;
}

void apply_create(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct schedule_row row = row_of_draft(turn, c);
    struct plan plan;

    if (s->sched && s->sched->state != SCHED_NO_CURSOR) {
        refuse(turn, reply, RC_CONFLICT, "schedule \"%.*s\" already exists", STR_ARG(c->name));
        return;
    }
    if (c->save.backfill.count > BACKFILLS_MAX) {
        refuse(turn, reply, RC_LIMIT, "%d backfills; the limit per schedule is %d",
               c->save.backfill.count, BACKFILLS_MAX);
        return;
    }
    if (!complete_plan(turn, c, s, &plan)) {
        refuse(turn, reply, RC_BUSY, "another node holds the gate of the schedule");
        return;
    }
    plan.created = turn->now;
    row.packed = pack_plan(turn, &plan);
    row.version = 1;
    row.reason = c->save.reason;
    if (row.packed.len == 0) {
        refuse(turn, reply, RC_LIMIT,
               "the schedule is too large; the limit is %d bytes when packed", PLAN_PACKED_MAX);
        return;
    }
    if (!quota_take(turn, c, reply))
        return;
    s->sched = add_schedule(turn, c, s, &plan);
    set_plan_text(s->sched, row.packed);
    s->is_created = true;
    row.id = s->sched->id;
    schedules_insert(turn->db, &row, &s->changed);
}

/*
 * Another command of this turn, or another node, may have taken the name meanwhile: the row
 * count of the insert shows it.
 */
void applied_create(struct turn *turn, const struct command *c, struct command_state *s,
                    struct reply *reply)
{
    struct work_schedule *sched = s->sched;

    if (s->changed.changed == 0) {
        sched->state = SCHED_NO_CURSOR;
        refuse(turn, reply, c->kind == COMMAND_PUT ? RC_BUSY : RC_CONFLICT,
               "schedule \"%.*s\" already exists", STR_ARG(c->name));
        return;
    }
    must(sched->is_new && sched->state == SCHED_HELD && !sched->noted);
    reply->schedule = sched->id;
    reply->version = 1;
    sched_begin(turn, sched);
    turn_schedule_event(turn, EVENT_SCHEDULE_CREATED, sched->id, 1);
    sched->is_edited = true;
    sched->is_due = true; /* a slot "now" is due at once */
    if (c->save.draft->trigger)
        apply_start(turn, c, &c->save.start, sched, reply);
    if (c->save.backfill.count > 0)
        apply_ranges(turn, c, &c->save.backfill, sched, reply);
}

/* The time to wake is that before the turn: a pause that has just ended is not in it. */
static bool is_due(const struct turn *turn, const struct work_schedule *sched)
{
    return sched->is_due || sched->cursor.wake_at <= turn->now;
}

/*
 * Called before the schedule is barred.  Afterwards sched_decide() would ignore its waiting
 * slots, and a slot that is due now would start before them.
 */
static void decide_before_bar(struct turn *turn, struct work_schedule *sched)
{
    if (!(sched->cursor.flags & CURSOR_BARRED) && (sched->starts || sched->open_changed))
        sched_decide(turn, sched);
}

/* A pause whose end has passed ends at once: it pauses no waiting run. */
static void pause_schedule(struct turn *turn, struct work_schedule *sched, instant until,
                           struct str reason, struct str by)
{
    sched_pause(turn, sched, until, reason, by);
    sched_end_pause(turn, sched);
}

/* Accounts for what was due under the old plan, before the new one takes effect. */
static void finish_overdue(struct turn *turn, struct work_schedule *sched)
{
    struct cursor *c = &sched->cursor;

    if (!sched->has_plan)
        return;
    sched_end_pause(turn, sched);
    if (c->flags & CURSOR_BARRED) {
        sched_account_until(turn, sched, turn->now, OUTCOME_MISSED, REASON_PAUSED);
        return;
    }
    sched_account_passed(turn, sched, turn->now);
    if (c->next_at > turn->now)
        return;
    sched_account_until(turn, sched, turn->now - EDIT_GRACE, OUTCOME_MISSED, REASON_EDITED);
    sched_advance(turn, sched);
    sched_account_passed(turn, sched, turn->now);
    sched_account_until(turn, sched, turn->now, OUTCOME_MISSED,
                        REASON_EDITED); /* no room was left */
}

/* Resumes like COMMAND_RESUME, under the plan that was paused. */
static void lift_pause(struct turn *turn, struct work_schedule *sched, const struct command *c)
{
    if (!c->save.draft->sets_pause || c->save.draft->is_paused ||
        !(sched->cursor.flags & CURSOR_PAUSED))
        return;
    sched_resume(turn, sched, (struct str){NULL, 0}, c->by);
    sched_advance(turn, sched);
    decide_before_bar(turn, sched);
}

static void change_flags(struct turn *turn, struct work_schedule *sched,
                         const struct command *c)
{
    struct cursor *cursor = &sched->cursor;
    bool was = (cursor->flags & CURSOR_DISABLED) != 0;

    cursor->flags &= ~(int64_t)(CURSOR_DISABLED | CURSOR_QUARANTINED | CURSOR_FULL);
    if (c->save.draft->is_disabled)
        cursor->flags |= CURSOR_DISABLED;
    if (c->save.draft->is_disabled && !was)
        turn_schedule_event(turn, EVENT_SCHEDULE_DISABLED, sched->id, cursor->version);
}

/*
 * Adds the default jitter, as read_plan() does.  Without it, a slot would be lost if its
 * nominal time has passed and its due time has not.
 */
static void add_dispatch_jitter(struct turn *turn, struct str packed, struct plan *plan)
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
    struct work_schedule *sched = s->sched;
    struct schedule_row row = row_of_draft(turn, c);
    struct plan plan;
    instant created = sched->has_plan ? sched->plan.created : turn->now;
    int64_t remaining = sched->plan.policies.remaining_runs;
    struct day_plan day;
    bool pauses;

    if (!complete_plan(turn, c, s, &plan)) {
        refuse(turn, reply, RC_BUSY, "another node holds the gate of the schedule");
        return;
    }
    plan.created = created;
    row.packed = pack_plan(turn, &plan);
    if (row.packed.len == 0) {
        refuse(turn, reply, RC_LIMIT,
               "the schedule is too large; the limit is %d bytes when packed", PLAN_PACKED_MAX);
        return;
    }
    pauses = c->save.draft->sets_pause && c->save.draft->is_paused;
    if (sched->has_plan)
        lift_pause(turn, sched, c);
    finish_overdue(turn, sched);
    day = day_events_plan_of(sched);
    if (c->save.draft->is_disabled || pauses)
        decide_before_bar(turn, sched);
    row.id = sched->id;
    row.version = ++sched->cursor.version;
    must(row.version > sched->stored.version);
    schedules_update(turn->db, &row, row.version - 1, NULL);
    if (plan.policies.remaining_runs != remaining)
        sched->cursor.remaining = plan.policies.remaining_runs;
    change_flags(turn, sched, c);
    /* An edit of other fields must not undo a limit that was set since. */
    if (sched->has_plan && sched->plan.gate == plan.gate &&
        sched->plan.policies.gate_limit == plan.policies.gate_limit)
        s->sets_gate = false;
    sched->plan = plan;
    add_dispatch_jitter(turn, row.packed, &sched->plan);
    sched->has_plan = true;
    sched->action = arena_str(turn->arena, c->save.draft->action);
    set_plan_text(sched, row.packed);
    sched->cursor.active_at = turn->now;
    sched->ctx = advance_ctx(&sched->plan, &sched->cursor);
    sched->rows_calendars = s->calendar_rows;
    workset_read_calendars(turn, sched);
    sched_begin(turn, sched);
    sched->open_changed =
        true; /* with other policies, or enabled again, waiting runs may start */
    turn_schedule_event(turn, EVENT_SCHEDULE_UPDATED, sched->id, row.version);
    day_events_unplan(turn, sched, &day);
    sched->is_edited = true;
    if (pauses)
        pause_schedule(turn, sched, c->save.pause_until, c->save.reason, c->by);
    else
        lift_pause(turn, sched, c); /* without a plan nothing was overdue */
    reply->version = sched->cursor.version;
}

void apply_delete(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct work_schedule *sched = s->sched;
    struct cursor *cursor = &sched->cursor;

    if (sched->has_plan)
        sched_end_pause(turn, sched); /* later slots were not paused */
    sched_account_passed(turn, sched, turn->now);
    if (sched->has_plan && (cursor->flags & CURSOR_BARRED))
        sched_account_until(turn, sched, turn->now, OUTCOME_MISSED, REASON_PAUSED);
    else if (sched->has_plan && !(cursor->flags & CURSOR_CLOSED))
        sched_account_until(turn, sched, turn->now, OUTCOME_DROPPED, REASON_DELETED);
    sched_decide(turn, sched); /* starts that were requested earlier in this turn */
    reply->count = cursor->open + cursor->waiting;
    cursor->flags |= CURSOR_DELETED;
    turn->memory.walks[PRUNE_SCHEDULES].written++;
    schedules_mark_deleted(turn->db, sched->id, turn->now, c->by);
    turn_schedule_event(turn, EVENT_SCHEDULE_DELETED, sched->id, cursor->version);
    sched_clear(turn, sched);
}

/* What was due before still starts, and then the schedule has open runs and is not closed. */
void apply_close(struct turn *turn, const struct command *c, struct command_state *s,
                 struct reply *reply)
{
    struct work_schedule *sched = s->sched;
    struct cursor *cursor = &sched->cursor;
    bool is_barred = (cursor->flags & CURSOR_BARRED) != 0;

    if (!is_barred && is_due(turn, sched))
        sched_advance(turn, sched);
    sched_decide(turn, sched);
    if (cursor->open + cursor->waiting + cursor->backfills > 0) {
        refuse(turn, reply, RC_CONFLICT,
               "the schedule has open runs or backfills; pause it, and archive it when they "
               "have ended");
        return;
    }
    sched_account_passed(turn, sched, turn->now);
    sched_account_until(turn, sched, turn->now, is_barred ? OUTCOME_MISSED : OUTCOME_DROPPED,
                        is_barred ? REASON_PAUSED : REASON_DELETED);
    cursor->flags &= ~(int64_t)(CURSOR_BARRED | CURSOR_QUARANTINED | CURSOR_FULL);
    cursor->flags |= CURSOR_CLOSED;
    cursor->next_at = INSTANT_NEVER;
    cursor->version++;
    schedules_set_reason(turn->db, sched->id, cursor->version, c->pause.reason, turn->now,
                         c->by);
    turn_schedule_event(turn, EVENT_SCHEDULE_CLOSED, sched->id, cursor->version);
    sched->is_touched = sched->is_edited = true;
    reply->version = cursor->version;
}

void apply_pause(struct turn *turn, const struct command *c, struct command_state *s,
                 struct reply *reply)
{
    struct work_schedule *sched = s->sched;
    struct cursor *cursor = &sched->cursor;

    sched_end_pause(turn, sched);
    if (c->pause.keeps && (cursor->flags & CURSOR_PAUSED)) {
        reply->version = cursor->version;
        return;
    }
    if (!(cursor->flags & CURSOR_BARRED) && is_due(turn, sched))
        sched_advance(turn, sched); /* what was due before */
    decide_before_bar(turn, sched);
    pause_schedule(turn, sched, c->pause.until, c->pause.reason, c->by);
    reply->version = cursor->version;
}

/* False after a refusal: the slots since a past time can be told apart only in a pause. */
static bool check_replay(struct turn *turn, struct work_schedule *sched, struct reply *reply)
{
    int64_t flags = sched->cursor.flags;

    if (!(flags & CURSOR_PAUSED))
        refuse(turn, reply, RC_CONFLICT, "the schedule is not paused");
    else if (flags & (CURSOR_DISABLED | CURSOR_QUARANTINED | CURSOR_CLOSED))
        refuse(turn, reply, RC_CONFLICT,
               "the schedule is disabled, quarantined or closed; resume it without from");
    else if (sched->plan.follows || sched->plan.is_governed)
        refuse(turn, reply, RC_INVALID,
               "from: the slots of the schedule depend on its runs; resume it without from");
    return reply->rc == RC_OK;
}

/*
 * Requests the slots of the pause from `from` on as a backfill, in the turn that ends the
 * pause: no slot is lost between the two, and none starts twice.
 */
static bool replay_pause(struct turn *turn, const struct command *c,
                         struct work_schedule *sched, struct reply *reply)
{
    struct range range = {.from = c->pause.from < turn->now ? c->pause.from : turn->now,
                          .until = turn->now,
                          .overlap = OVERLAP_DEFAULT,
                          .flags = BACKFILL_MISSED};
    struct backfill_args args = {&range, 1};
    int64_t pass = sched->cursor.pass + 1;

    sched_end_pause(turn, sched);
    if (!check_replay(turn, sched, reply))
        return false;
    /* Also with whilePaused: its catch-up would start slots from before `from`. */
    sched_account_until(turn, sched, turn->now, OUTCOME_MISSED, REASON_PAUSED);
    apply_ranges(turn, c, &args, sched, reply);
    reply->run = (struct run_id){sched->id, 0, (uint32_t)pass};
    return reply->rc == RC_OK;
}

void apply_resume(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct cursor *cursor = &s->sched->cursor;
    struct str note = c->pause.reason;

    if (c->pause.replays && !replay_pause(turn, c, s->sched, reply))
        return;
    if (cursor->flags & CURSOR_QUARANTINED)
        sched_release(turn, s->sched);
    if (cursor->flags & CURSOR_PAUSED) {
        sched_resume(turn, s->sched, note, c->by);
    } else if (note.ptr) {
        cursor->version++;
        s->sched->is_touched = true;
        schedules_set_reason(turn->db, s->sched->id, cursor->version, note, turn->now, c->by);
    }
    reply->version = cursor->version;
}

/* False after a refusal: hints are for governed schedules only. */
static bool check_governed(struct turn *turn, struct work_schedule *sched, struct reply *reply)
{
    if (!sched->plan.is_governed)
        refuse(turn, reply, RC_INVALID, "only a schedule with a governor takes hints");
    sched->is_touched |= sched->plan.is_governed;
    return sched->plan.is_governed;
}

/* False: the limits of the governor would override the hint, so the command is refused. */
static bool check_hint(struct turn *turn, span interval, const struct plan *plan,
                       struct reply *reply)
{
    bool is_below = interval > 0 && interval < plan->governor_min;
    bool is_above = plan->governor_max > 0 && interval > plan->governor_max;

    if (is_below || is_above)
        refuse(turn, reply, RC_INVALID, "the interval is %s than the governor's %s",
               is_below ? "shorter" : "longer", is_below ? "minInterval" : "maxInterval");
    return !is_below && !is_above;
}

void apply_hint(struct turn *turn, const struct command *c, struct command_state *s,
                struct reply *reply)
{
    const struct hint_args *hint = &c->hint;
    struct cursor *cursor = &s->sched->cursor;
    instant wanted = hint->at;

    if (!check_governed(turn, s->sched, reply) ||
        !check_hint(turn, hint->interval, &s->sched->plan, reply))
        return;
    schedules_set_hint(turn->db, s->sched->id, hint->reason);
    cursor->hint_expires = hint->expires;
    cursor->hint_at = hint->at;
    cursor->hint_interval = hint->interval;
    if (hint->interval > 0) {
        instant from = cursor->last_start == INSTANT_NONE ? turn->now : cursor->last_start;

        if (from + hint->interval < wanted)
            wanted = from + hint->interval;
    }
    sched_nudge(turn, s->sched, wanted);
}

void apply_unhint(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct cursor *cursor = &s->sched->cursor;

    (void)c;
    if (!check_governed(turn, s->sched, reply))
        return;
    cursor->hint_interval = 0;
    cursor->hint_at = INSTANT_NEVER;
    cursor->hint_expires = INSTANT_NONE;
    schedules_set_hint(turn->db, s->sched->id, (struct str){NULL, 0});
}

void apply_reset(struct turn *turn, const struct command *c, struct command_state *s,
                 struct reply *reply)
{
    (void)turn;
    (void)c;
    (void)reply;
    s->sched->is_touched = true;
    s->sched->cursor.failures = 0;
}

void apply_release(struct turn *turn, const struct command *c, struct command_state *s,
                   struct reply *reply)
{
    (void)c;
    if (!(s->sched->cursor.flags & CURSOR_QUARANTINED)) {
        refuse(turn, reply, RC_CONFLICT, "the schedule is not quarantined");
        return;
    }
    sched_release(turn, s->sched);
    reply->version = s->sched->cursor.version;
}

/* A direct run: its schedule is inserted as deleted, and pruned with the run's history. */
void apply_direct(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct schedule_row row = row_of_draft(turn, c);
    struct plan plan;
    struct work_schedule *sched;
    struct work_run *work;
    char name[RUN_ID_TEXT_MAX];

    if (!complete_plan(turn, c, s, &plan)) {
        refuse(turn, reply, RC_BUSY, "another node holds the gate of the schedule");
        return;
    }
    plan.created = turn->now;
    row.packed = pack_plan(turn, &plan);
    if (row.packed.len == 0) {
        refuse(turn, reply, RC_LIMIT, "the run is too large; the limit is %d bytes when packed",
               PLAN_PACKED_MAX);
        return;
    }
    sched = add_schedule(turn, c, s, &plan);
    sched->state = SCHED_NO_CURSOR;
    reply->schedule = sched->id;
    reply->run = (struct run_id){sched->id, turn->now / SPAN_MS, 0};
    run_id_format(&reply->run, name);
    row.id = sched->id;
    row.version = 1;
    row.name = str_of(name);
    row.deleted_at = turn->now;
    turn->memory.walks[PRUNE_SCHEDULES].written++;
    schedules_insert(turn->db, &row, NULL);
    work = run_create(turn, sched,
                      &(struct start){.kind = RUN_DIRECT,
                                      .slot = turn->now / SPAN_MS * SPAN_MS,
                                      .due = turn->now,
                                      .overlap = OVERLAP_ALLOW_ALL,
                                      .priority = c->save.start.priority,
                                      .input = c->save.start.input,
                                      .trace = c->trace,
                                      .is_untraced = c->is_untraced},
                      false);
    turn->started[RUN_DIRECT]++;
    run_ready(turn, work);
    reply->count = 1;
}
