/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about runs: trigger, test, backfill, skip, unskip, approve, reject, cancel,
 * terminate.
 */
#include "base/must.h"
#include "engine/apply.h"
#include "engine/engine_internal.h"
#include "engine/reports.h"
#include "engine/start_slots.h"
#include "engine/transitions.h"

/* The next free pass; a run id has 32 bits for it. */
static int64_t next_pass(struct work_schedule *sched)
{
    must(sched->state == SCHED_HELD && sched->cursor.pass < UINT32_MAX);
    sched->is_touched = true;
    return ++sched->cursor.pass;
}

void apply_start(struct turn *turn, const struct command *c, const struct start_args *args,
                 struct work_schedule *sched, struct reply *reply)
{
    instant slot = (args->slot != 0 ? args->slot : turn->now) / SPAN_MS * SPAN_MS;
    struct start start = {
        .kind = c->kind == COMMAND_TEST ? RUN_TEST : RUN_TRIGGER,
        .slot = slot,
        .due = turn->now,
        .pass = next_pass(sched),
        .overlap = args->overlap < OVERLAP_COUNT ? (uint8_t)args->overlap : OVERLAP_DEFAULT,
        .priority = args->priority,
        .input = args->input,
        .trace = c->trace,
        .is_untraced = c->is_untraced,
        .reply = reply,
    };

    sched->cursor.active_at = turn->now;
    reply->run = (struct run_id){sched->id, slot / SPAN_MS, (uint32_t)start.pass};
    reply->count = 1;
    if (start.kind == RUN_TEST)
        run_ready(turn, run_create(turn, sched, &start, false));
    else
        sched_start(turn, sched, &start);
}

void apply_trigger(struct turn *turn, const struct command *c, struct command_state *s,
                   struct reply *reply)
{
    apply_start(turn, c, &c->start, s->sched, reply);
}

/* True when the schedule has room for `count` more backfills; else the command is refused. */
static bool check_backfills(struct turn *turn, const struct work_schedule *sched, int count,
                            struct reply *reply)
{
    int filling = 0;

    for (int i = 0; i < sched->backfill_count; i++)
        filling += sched->backfills[i].row.stage == BACKFILL_FILLING;
    if (filling + count > BACKFILLS_MAX)
        refuse(turn, reply, RC_LIMIT,
               "the schedule has %d unfinished backfills; the limit is %d, wait for some to "
               "end",
               filling, BACKFILLS_MAX);
    else if (sched->cursor.backfills + count > BACKFILLS_OPEN_MAX)
        refuse(turn, reply, RC_LIMIT,
               "runs of %lld backfills have not ended; the limit is %d, wait for some to end",
               (long long)sched->cursor.backfills, BACKFILLS_OPEN_MAX);
    return reply->rc == RC_OK;
}

/* Gives the slots of a pause their outcome, so that a backfill of missed slots finds them. */
static void account_for_pause(struct turn *turn, struct work_schedule *sched)
{
    sched_end_pause(turn, sched);
    if ((sched->cursor.flags & CURSOR_BARRED) && !sched->plan.policies.catchup_paused &&
        !sched->plan.is_governed)
        sched_account_until(turn, sched, turn->now, OUTCOME_MISSED, REASON_PAUSED);
}

static struct backfill new_backfill(struct turn *turn, const struct command *c,
                                    struct work_schedule *sched, const struct range *range)
{
    return (struct backfill){
        .id = turn_key(turn),
        .schedule = sched->id,
        .namespace = sched->namespace,
        .pass = next_pass(sched),
        .from = range->from,
        .until = range->until,
        .mark = range->from - 1,
        .overlap = range->overlap < OVERLAP_COUNT ? (int64_t)range->overlap : OVERLAP_DEFAULT,
        .stage = BACKFILL_FILLING,
        .flags = range->flags,
        .slots = range->slots > 0 ? range->slots : BACKFILL_SLOTS_UNKNOWN,
        .created_at = turn->now,
        .created_by = c->by,
        .ended_at = INSTANT_NEVER,
    };
}

void apply_ranges(struct turn *turn, const struct command *c, const struct backfill_args *args,
                  struct work_schedule *sched, struct reply *reply)
{
    struct cursor *cursor = &sched->cursor;
    struct work_backfill *all;

    if (!check_backfills(turn, sched, args->count, reply))
        return;
    all = arena_array(turn->arena, (size_t)(sched->backfill_count + args->count), sizeof(*all));
    for (int i = 0; i < sched->backfill_count; i++)
        all[i] = sched->backfills[i];
    backfills_forget(turn->db, sched->id, BACKFILLS_KEPT);
    for (int i = 0; i < args->count; i++) {
        struct work_backfill *w = &all[sched->backfill_count + i];

        must(!(args->ranges[i].flags & ~BACKFILL_ASKED));
        if (args->ranges[i].flags & BACKFILL_MISSED)
            account_for_pause(turn, sched);
        w->row = new_backfill(turn, c, sched, &args->ranges[i]);
        w->is_new = true;
        backfills_insert(turn->db, &w->row);
    }
    sched->backfills = all;
    sched->backfill_count += args->count;
    cursor->backfills += args->count;
    must(cursor->backfills <= BACKFILLS_OPEN_MAX);
    cursor->active_at = turn->now;
    reply->count = args->count;
    sched->is_due = true;
}

void apply_backfill(struct turn *turn, const struct command *c, struct command_state *s,
                    struct reply *reply)
{
    int64_t first = s->sched->cursor.pass + 1;

    apply_ranges(turn, c, &c->backfill, s->sched, reply);
    reply->run = (struct run_id){s->sched->id, 0, (uint32_t)first};
}

/* Cancels its starts that wait, and requests no more; runs that began continue. */
static void stop_backfill(struct turn *turn, struct work_schedule *sched,
                          struct work_backfill *w)
{
    struct backfill *b = &w->row;

    must(sched->state == SCHED_HELD && b->stage != BACKFILL_ENDED);
    for (struct work_run *p = sched->runs; p; p = p->next)
        if ((p->state == WORK_READ || p->state == WORK_NEW) && p->run.state == RUN_HELD &&
            p->run.kind == RUN_BACKFILL && p->run.pass == b->pass)
            held_end(turn, p, OUTCOME_SLOT_CANCELLED, REASON_USER);
    b->stage = BACKFILL_FILLED;
    b->flags |= BACKFILL_STOPPED;
    w->is_changed = sched->is_touched = true;
    turn_backfill_event(turn, EVENT_BACKFILL_STOPPED, b);
}

void apply_unbackfill(struct turn *turn, const struct command *c, struct command_state *s,
                      struct reply *reply)
{
    for (int i = 0; i < s->sched->backfill_count; i++) {
        struct work_backfill *w = &s->sched->backfills[i];

        if (w->row.pass != c->key || w->row.stage == BACKFILL_ENDED)
            continue;
        stop_backfill(turn, s->sched, w);
        reply->count = 1;
        return;
    }
    refuse(turn, reply, RC_NOT_FOUND, "backfill %lld has ended or does not exist",
           (long long)c->key);
}

static bool is_planned(const struct turn *turn, const struct work_schedule *sched,
                       const struct run_id *run)
{
    instant slot = run->slot_ms * SPAN_MS;
    struct spec_ctx ctx = sched->ctx;
    struct slot found;

    if (run->pass != 0 || slot <= sched->cursor.mark)
        return false;
    if (sched->plan.is_governed) {
        if (slot == sched->cursor.next_at)
            return true;
        if (slot <= turn->now || !plan_has_grid(&sched->plan))
            return false; /* a grid time that has passed is skipped(governor) */
        ctx = plan_grid_ctx(&sched->ctx);
    }
    return spec_next(&sched->plan.spec, &ctx, slot - 1, &found) && found.at == slot;
}

/* The index of a slot among the cancelled ones, or where it would be inserted. */
static int exception_index(const struct work_schedule *sched, instant slot)
{
    int i = 0;

    while (i < sched->exception_count && sched->exceptions[i] < slot)
        i++;
    return i;
}

static void remove_exception(struct turn *turn, struct work_schedule *sched, int index)
{
    must(index >= 0 && index < sched->exception_count);
    exceptions_delete(turn->db, sched->id, sched->exceptions[index], NULL);
    sched->exception_count--;
    for (int i = index; i < sched->exception_count; i++)
        sched->exceptions[i] = sched->exceptions[i + 1];
}

static void add_exception(struct turn *turn, struct work_schedule *sched, int index,
                          instant slot)
{
    instant *all = arena_array(turn->arena, (size_t)sched->exception_count + 1, sizeof(*all));

    must(index == 0 || sched->exceptions[index - 1] < slot); /* the list stays in order */
    must(index == sched->exception_count || sched->exceptions[index] > slot);
    must(slot > sched->cursor.mark); /* a slot with an outcome is not cancelled */
    for (int i = 0; i < sched->exception_count; i++)
        all[i < index ? i : i + 1] = sched->exceptions[i];
    all[index] = slot;
    sched->exceptions = all;
    sched->exception_count++;
    must(sched->exception_count <= EXCEPTIONS_MAX);
    sched->cursor.flags |= CURSOR_EXCEPTIONS;
    sched->is_touched = true;
}

/* The index of the run's slot among the cancelled ones; is_skipped: whether it is one. */
static int find_skipped(const struct work_schedule *sched, const struct run_id *run,
                        bool *is_skipped)
{
    instant slot = run->slot_ms * SPAN_MS;
    int index = exception_index(sched, slot);

    *is_skipped = index < sched->exception_count && sched->exceptions[index] == slot;
    return index;
}

void apply_skip(struct turn *turn, const struct command *c, struct command_state *s,
                struct reply *reply)
{
    struct work_schedule *sched = s->sched;
    instant slot = c->run.id.slot_ms * SPAN_MS;
    bool is_skipped;
    int index = find_skipped(sched, &c->run.id, &is_skipped);

    reply->run = c->run.id;
    reply->count = !is_skipped; /* 0: nothing changes */
    if (!is_planned(turn, sched, &c->run.id)) {
        refuse(turn, reply, RC_NOT_FOUND, "the schedule has no planned slot at this time");
        return;
    }
    if (is_skipped)
        return;
    if (sched->exception_count >= EXCEPTIONS_MAX) {
        refuse(turn, reply, RC_LIMIT,
               "%d planned slots are already cancelled; that is the limit", EXCEPTIONS_MAX);
        return;
    }
    exceptions_insert(turn->db, sched->id, slot, turn->now, c->by, NULL);
    add_exception(turn, sched, index, slot);
}

void apply_unskip(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    bool is_skipped;
    int index = find_skipped(s->sched, &c->run.id, &is_skipped);

    reply->run = c->run.id;
    reply->count = is_skipped;
    if (is_skipped)
        remove_exception(turn, s->sched, index);
}

/* Also for a run of another namespace, so that the client cannot tell the two apart. */
void refuse_run(struct turn *turn, struct reply *reply)
{
    refuse(turn, reply, RC_NOT_FOUND, "the run is not open: it has ended or does not exist");
}

/* *ret is NULL if the run is not open.  False after a refusal: another node holds the run. */
static bool find_run(struct turn *turn, const struct command *c, const struct command_state *s,
                     struct reply *reply, struct work_run **ret)
{
    struct work_run *work = s->work;
    bool is_busy = work->state == WORK_BUSY || work->sched->state == SCHED_BUSY;

    reply->run = c->run.id;
    *ret = work->state == WORK_READ || work->state == WORK_NEW ? work : NULL;
    if (is_busy)
        refuse(turn, reply, RC_BUSY, "another node is working on this run");
    return !is_busy;
}

/* The run of a command; NULL after a refusal. */
static struct work_run *find_open_run(struct turn *turn, const struct command *c,
                                      const struct command_state *s, struct reply *reply)
{
    struct work_run *work;

    if (!find_run(turn, c, s, reply, &work))
        return NULL;
    if (!work)
        refuse_run(turn, reply);
    return work;
}

static void terminate_run(struct turn *turn, struct work_run *work, struct reply *reply)
{
    struct run *run = &work->run;

    reply->count = 1;
    if (run->state == RUN_HELD) {
        held_end(turn, work, OUTCOME_SLOT_CANCELLED, REASON_USER);
        return;
    }
    run_stop(turn, run, true);
    run_end(turn, work, &(struct ending){.outcome = OUTCOME_TERMINATED, .reason = REASON_USER});
}

void apply_terminate(struct turn *turn, const struct command *c, struct command_state *s,
                     struct reply *reply)
{
    struct work_run *work = find_open_run(turn, c, s, reply);

    if (work)
        terminate_run(turn, work, reply);
}

static void cancel_run(struct turn *turn, const struct command *c, struct work_run *work,
                       struct reply *reply)
{
    enum run_state state = work->run.state;
    enum reason reason = c->run.is_voided ? REASON_EDITED : REASON_USER;

    if (c->run.is_voided && (state == RUN_HELD || run_is_claimed(state))) {
        refuse(turn, reply, RC_CONFLICT, "the run is %s", run_state_text(state));
        return;
    }
    if (c->run.keeps_started && state == RUN_RUNNING) {
        refuse(turn, reply, RC_CONFLICT, "the run has started");
        return;
    }
    if (c->run.keeps_started && state == RUN_LEASED) {
        terminate_run(turn, work, reply);
        return;
    }
    reply->count = 1;
    if (state == RUN_HELD)
        held_end(turn, work, OUTCOME_SLOT_CANCELLED, REASON_USER);
    else if (run_is_claimed(state))
        run_request_stop(turn, work, false);
    else
        run_end(turn, work, &(struct ending){.outcome = OUTCOME_CANCELLED, .reason = reason});
}

void apply_cancel(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct work_run *work;

    if (!find_run(turn, c, s, reply, &work))
        return;
    if (work)
        cancel_run(turn, c, work, reply);
    else if (sched_is_held(s->sched) && is_planned(turn, s->sched, &c->run.id))
        apply_skip(turn, c, s, reply);
    else
        refuse_run(turn, reply);
}

/* The run of a command, if it waits for approval; NULL after a refusal. */
static struct work_run *find_run_to_approve(struct turn *turn, const struct command *c,
                                            const struct command_state *s, struct reply *reply)
{
    struct work_run *work = find_open_run(turn, c, s, reply);

    if (work && work->run.state != RUN_APPROVAL) {
        refuse(turn, reply, RC_CONFLICT, "the run does not wait for approval; it is %s",
               run_state_text(work->run.state));
        return NULL;
    }
    reply->count = work != NULL;
    return work;
}

void apply_approve(struct turn *turn, const struct command *c, struct command_state *s,
                   struct reply *reply)
{
    struct work_run *work = find_run_to_approve(turn, c, s, reply);

    if (!work)
        return;
    reports_append_log(turn, work, c->run.log);
    run_ready(turn, work);
}

void apply_reject(struct turn *turn, const struct command *c, struct command_state *s,
                  struct reply *reply)
{
    struct work_run *work = find_run_to_approve(turn, c, s, reply);

    if (work)
        run_end(turn, work,
                &(struct ending){.outcome = OUTCOME_CANCELLED,
                                 .reason = REASON_REJECTED,
                                 .error = c->run.error});
}
