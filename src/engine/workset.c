/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and reads rows, cursors first.  A later statement than the one that locks a cursor
 * reads the other rows of the schedule: PostgreSQL takes the snapshot of a statement before the
 * statement waits for a lock, so that it would read the other rows as they were before.
 */
#include "engine/workset.h"

#include <string.h>

#include "base/must.h"
#include "core/spec/spec_pack.h"
#include "engine/engine_internal.h"
#include "engine/inflight.h"
#include "engine/start_slots.h"

enum { VEC_ROOM_MIN = 16 };

void *vec_grow(struct arena *arena, void *at, int count, int *room, size_t size)
{
    int more = *room == 0 ? VEC_ROOM_MIN : *room * 2;
    char *grown = arena_array_raw(arena, (size_t)more, size);

    if (count > 0)
        memcpy(grown, at, (size_t)count * size);
    *room = more;
    return grown;
}

struct work_schedule *workset_find(struct turn *turn, int64_t schedule)
{
    int32_t index = map_find(turn->sched_map, schedule);

    return index == MAP_NONE ? NULL : turn->scheds.at[index];
}

struct work_schedule *workset_schedule(struct turn *turn, int64_t schedule)
{
    struct work_schedule *sched = workset_find(turn, schedule);

    if (sched)
        return sched;
    sched = arena_take(turn->arena, sizeof(*sched));
    sched->id = schedule;
    sched->runs_end = &sched->runs;
    sched->starts_end = &sched->starts;
    sched->noted_end = &sched->noted;
    map_put(turn->sched_map, schedule, turn->scheds.count);
    *VEC_ADD(turn, &turn->scheds) = sched;
    return sched;
}

/* The key of a run in work_map; another run with the same hash gets the next number. */
static int64_t work_key(struct turn *turn, int64_t schedule, instant slot, int64_t pass)
{
    int64_t key = run_hash(schedule, slot, pass);

    for (;; key++) {
        int32_t index = map_find(turn->work_map, key);
        const struct run *run;

        if (index == MAP_NONE)
            return key;
        run = &turn->runs.at[index]->run;
        if (run->schedule == schedule && run->slot == slot && run->pass == pass)
            return key;
    }
}

static struct work_run *find_or_add_run(struct turn *turn, struct work_schedule *sched,
                                        instant slot, int64_t pass, enum work_state state)
{
    int64_t key = work_key(turn, sched->id, slot, pass);
    int32_t index = map_find(turn->work_map, key);
    struct work_run *work;

    if (index != MAP_NONE) {
        must(turn->runs.at[index]->sched == sched); /* a run is in one list */
        return turn->runs.at[index];
    }
    work = arena_take(turn->arena, sizeof(*work));
    work->sched = sched;
    work->state = state;
    work->run = (struct run){.schedule = sched->id, .slot = slot, .pass = pass};
    map_put(turn->work_map, key, turn->runs.count);
    *VEC_ADD(turn, &turn->runs) = work;
    *sched->runs_end = work;
    sched->runs_end = &work->next;
    return work;
}

struct work_run *workset_run(struct turn *turn, struct work_schedule *sched, instant slot,
                             int64_t pass)
{
    return find_or_add_run(turn, sched, slot, pass, WORK_WANTED);
}

struct work_run *workset_put_run(struct turn *turn, struct work_schedule *sched,
                                 const struct run *run)
{
    struct work_run *work = find_or_add_run(turn, sched, run->slot, run->pass, WORK_ABSENT);

    must(run->schedule == sched->id);
    if (work->state == WORK_WANTED || work->state == WORK_ABSENT) {
        work->run = *run;
        work->fence = run->fence;
        work->state = WORK_READ;
    }
    return work;
}

struct work_gate *workset_gate(struct turn *turn, int64_t gate)
{
    int32_t index = map_find(turn->gate_map, gate);
    struct work_gate *work;

    if (index != MAP_NONE)
        return turn->gates.at[index];
    work = arena_take(turn->arena, sizeof(*work));
    work->gate.id = gate;
    map_put(turn->gate_map, gate, turn->gates.count);
    *VEC_ADD(turn, &turn->gates) = work;
    gates_lock(turn->db, gate, &work->row);
    return work;
}

/* Locks and reads a run, by its key if this node has cached it. */
static void send_run(struct turn *turn, struct work_run *p)
{
    struct run_id id = {p->run.schedule, p->run.slot / SPAN_MS, (uint32_t)p->run.pass};
    const struct inflight_run *entry = inflight_find(turn->engine->inflight, &id);

    if (entry)
        runs_lock(turn->db, entry->run.id, &p->row);
    else
        runs_lock_slot(turn->db, p->run.schedule, p->run.slot, p->run.pass, &p->row);
    p->is_sent = true;
}

/* A cursor that this node wrote last; nodes_others() verifies that no other node was active. */
static const struct cursor *cached_cursor(const struct turn *turn, int64_t schedule)
{
    return turn->is_single && !turn->memory.has_others
               ? committed_cursor(&turn->engine->committed, schedule)
               : NULL;
}

/* True when the cursor is cached and need not be read. */
static bool use_cached_cursor(struct turn *turn, struct work_schedule *sched)
{
    const struct cursor *cursor = cached_cursor(turn, sched->id);

    if (!cursor)
        return false;
    must(cursor->id == sched->id && sched->state == SCHED_WANTED);
    sched->cursor = sched->stored = *cursor;
    sched->state = SCHED_HELD;
    turn->uses_cache = true;
    return true;
}

/*
 * Sends the lock of the cursor, then, in later statements, the reads under that lock.  If the
 * lock is not granted, the answers to those are ignored.
 */
void workset_send_early(struct turn *turn)
{
    for (int i = 0; i < turn->scheds.count; i++) {
        struct work_schedule *sched = turn->scheds.at[i];

        if (!use_cached_cursor(turn, sched))
            cursors_lock(turn->db, sched->id, &sched->row_cursor);
        sched->is_lock_sent = true;
        if (plan_cache_has(turn->engine->plan_cache, sched->id))
            continue;
        schedules_plan(turn->db, sched->id, &sched->row);
        sched->is_plan_sent = true;
    }
    for (int i = 0; i < turn->runs.count; i++) {
        struct work_run *p = turn->runs.at[i];

        if (p->state == WORK_WANTED)
            send_run(turn, p);
    }
}

enum rc workset_lock(struct turn *turn, struct err *reterr)
{
    bool any = false;
    enum rc rc;

    for (int i = 0; i < turn->scheds.count; i++) {
        struct work_schedule *sched = turn->scheds.at[i];

        if (sched->state != SCHED_WANTED || sched->is_lock_sent ||
            use_cached_cursor(turn, sched))
            continue;
        cursors_lock(turn->db, sched->id, &sched->row_cursor);
        any = true;
    }
    rc = any ? db_flush(turn->db, turn->arena, reterr) : RC_OK;
    if (rc != RC_OK)
        return rc;
    any = false;
    for (int i = 0; i < turn->scheds.count; i++) {
        struct work_schedule *sched = turn->scheds.at[i];

        if (sched->state != SCHED_WANTED)
            continue;
        if (sched->row_cursor.rows == 1 &&
            turn_read_cursor(turn, &sched->row_cursor, 0, &sched->cursor)) {
            sched->stored = sched->cursor;
            sched->state = SCHED_HELD;
            continue;
        }
        cursors_peek(turn->db, sched->id, &sched->row_cursor);
        any = true;
    }
    if (!any)
        return RC_OK;
    rc = db_flush(turn->db, turn->arena, reterr);
    for (int i = 0; rc == RC_OK && i < turn->scheds.count; i++) {
        struct work_schedule *sched = turn->scheds.at[i];

        if (sched->state == SCHED_WANTED)
            sched->state = sched->row_cursor.rows == 0 ? SCHED_NO_CURSOR : SCHED_BUSY;
    }
    return rc;
}

/* Finds the cached plan of the version that the cursor has. */
static bool find_cached_plan(const struct turn *turn, struct work_schedule *sched)
{
    const struct cursor *c = sched->state == SCHED_HELD   ? &sched->cursor
                             : sched->state == SCHED_PLAN ? cached_cursor(turn, sched->id)
                                                          : NULL;

    return c && sched->row.rows == 0 &&
           plan_cache_find(turn->engine->plan_cache, sched->id, c->version, &sched->text);
}

static void send_reads(struct turn *turn, struct work_schedule *sched)
{
    const struct cursor *c = &sched->cursor;

    must(sched->state != SCHED_WANTED); /* its rows are read under its lock */
    sched->has_text = find_cached_plan(turn, sched);
    if (sched->has_text) {
        /* A copy: plans that are read meanwhile may evict it. */
        sched->text.packed = arena_str(turn->arena, sched->text.packed);
        sched->text.action = arena_str(turn->arena, sched->text.action);
        sched->text.name = arena_str(turn->arena, sched->text.name);
    } else if (!sched->is_plan_sent) {
        schedules_plan(turn->db, sched->id, &sched->row);
    }
    if (sched->state != SCHED_HELD)
        return;
    if (c->waiting > 0)
        runs_of_schedule(turn->db, sched->id, true, BUFFER_LIMIT_MAX, &sched->rows_held);
    if (c->flags & CURSOR_EXCEPTIONS)
        exceptions_of(turn->db, sched->id, c->mark, EXCEPTIONS_MAX, &sched->rows_exceptions);
    if (c->backfills > 0)
        backfills_of(turn->db, sched->id, BACKFILLS_READ_MAX, &sched->rows_backfills);
}

/* Takes the texts from the row that was read, or from the cache. */
static bool find_plan_text(struct turn *turn, const struct work_schedule *sched,
                           struct plan_text *ret)
{
    if (sched->row.rows == 1) {
        ret->packed = db_blob_at(&sched->row, 0, PLAN_PACKED);
        ret->action = db_text_at(&sched->row, 0, PLAN_ACTION);
        ret->namespace = db_int_at(&sched->row, 0, PLAN_NAMESPACE);
        ret->name = db_text_at(&sched->row, 0, PLAN_NAME);
        if (sched->state == SCHED_HELD)
            plan_cache_put(turn->engine->plan_cache, sched->id, sched->cursor.version, ret);
        return true;
    }
    *ret = sched->text;
    return sched->has_text;
}

/* Unpacks the plan of a schedule.  RC_CORRUPT: the stored plan is damaged. */
static enum rc read_plan(struct turn *turn, struct work_schedule *sched, struct err *reterr)
{
    struct plan_text text;
    struct err unbound;
    enum rc rc;

    if (!find_plan_text(turn, sched, &text))
        return RC_OK; /* a direct run's schedule that was pruned, or none */
    sched->name = text.name;
    sched->action = text.action;
    sched->namespace = text.namespace;
    rc = plan_unpack(text.packed, turn->arena, &sched->plan, reterr);
    if (rc != RC_OK)
        return rc;
    plan_drop_old_maximum(&sched->plan, text.action);
    if (sched->plan.spec.jitter == 0)
        sched->plan.spec.jitter = turn->engine->options.dispatch_jitter;
    if (spec_bind(&sched->plan.spec, &turn->engine->options.zones, &unbound) != RC_OK)
        return RC_OK; /* its zone is not known here any more: the schedule does nothing */
    sched->has_plan = true;
    return RC_OK;
}

static void read_dependents(struct turn *turn, struct work_schedule *sched)
{
    for (int i = 0; i < sched->rows_held.rows; i++) {
        struct run run;

        if (!turn_read_run(turn, &sched->rows_held, i, &run))
            continue;
        turn_set_key_after(turn, run.id); /* waiting runs are in order of keys */
        workset_put_run(turn, sched, &run);
    }
    sched->exception_count = sched->rows_exceptions.rows;
    sched->exceptions = arena_array(turn->arena, (size_t)sched->exception_count,
                                    sizeof(instant));
    for (int i = 0; i < sched->exception_count; i++) {
        sched->exceptions[i] = db_int_at(&sched->rows_exceptions, i, 0);
        if (i > 0 && sched->exceptions[i] <= sched->exceptions[i - 1])
            turn_damage(turn, sched->id, "cancelled slots are not in order");
    }
    sched->backfill_count = sched->rows_backfills.rows;
    sched->backfills = arena_array(turn->arena, (size_t)sched->backfill_count,
                                   sizeof(struct work_backfill));
    for (int i = 0; i < sched->backfill_count; i++) {
        struct backfill *b = &sched->backfills[i].row;

        backfills_read(&sched->rows_backfills, i, b);
        if (b->pass < 1 || b->pass > sched->cursor.pass || b->overlap < 0 ||
            b->overlap > OVERLAP_DEFAULT)
            turn_damage(turn, b->id, "a backfill is damaged");
    }
}

/* True when a start of this schedule may end its open runs. */
static bool may_end_others(const struct work_schedule *sched)
{
    enum overlap policy = sched->plan.policies.overlap;
    bool ends = policy == OVERLAP_CANCEL_OTHER || policy == OVERLAP_TERMINATE_OTHER;

    for (int i = 0; i < sched->backfill_count; i++)
        ends |= sched->backfills[i].row.stage == BACKFILL_FILLING &&
                (sched->backfills[i].row.overlap == OVERLAP_CANCEL_OTHER ||
                 sched->backfills[i].row.overlap == OVERLAP_TERMINATE_OTHER);
    for (const struct work_run *p = sched->runs; p; p = p->next)
        ends |= p->run.overlap == OVERLAP_CANCEL_OTHER ||
                p->run.overlap == OVERLAP_TERMINATE_OTHER;
    return ends && sched->cursor.open > 0;
}

struct db_result *workset_send_calendars(struct turn *turn, int64_t namespace,
                                         const struct spec *spec)
{
    struct db_result *rows;

    if (spec->not_named_count == 0)
        return NULL;
    rows = arena_array(turn->arena, (size_t)spec->not_named_count, sizeof(*rows));
    for (int i = 0; i < spec->not_named_count; i++)
        calendars_find(turn->db, namespace, spec->not_named[i], &rows[i]);
    return rows;
}

/* The second round of reads, which depends on the plan. */
static void send_plan_reads(struct turn *turn, struct work_schedule *sched)
{
    if (sched->cursor.flags & CURSOR_DELETED)
        sched->want_open = true;
    if (sched->state == SCHED_HELD && (sched->want_open || may_end_others(sched))) {
        sched->want_open = true;
        runs_of_schedule(turn->db, sched->id, false, OPEN_READ_MAX, &sched->rows_open);
    }
    if (sched->want_row && sched->state == SCHED_HELD)
        schedules_get(turn->db, sched->id, &sched->row_all);
    if (sched->plan.policies.wants_last)
        results_get(turn->db, sched->id, &sched->row_result);
    sched->rows_calendars = workset_send_calendars(turn, sched->namespace, &sched->plan.spec);
    sched_send_missed(turn, sched);
}

void workset_read_calendars(struct turn *turn, struct work_schedule *sched)
{
    int count = sched->plan.spec.not_named_count;
    struct day_set *sets = arena_array(turn->arena, (size_t)count, sizeof(*sets));

    for (int i = 0; sched->rows_calendars && i < count; i++) {
        const struct db_result *row = &sched->rows_calendars[i];
        struct str days;
        int32_t *list;

        if (row->rows == 0)
            continue; /* a calendar that does not exist has no days */
        days = db_blob_at(row, 0, 2);
        list = arena_take(turn->arena, days.len);
        memcpy(list, days.ptr, days.len);
        sets[i] = (struct day_set){list, (int)(days.len / sizeof(int32_t))};
    }
    sched->ctx.calendars = sets;
}

static void read_plan_rows(struct turn *turn, struct work_schedule *sched)
{
    for (int i = 0; i < sched->rows_open.rows; i++) {
        struct run run;

        if (!turn_read_run(turn, &sched->rows_open, i, &run))
            continue;
        workset_put_run(turn, sched, &run);
    }
    sched->has_unread = sched->rows_open.rows == OPEN_READ_MAX;
    if (sched->row_result.rows == 1) {
        const struct db_value *result = db_at(&sched->row_result, 0, 0);
        const struct db_value *failure = db_at(&sched->row_result, 0, 1);

        sched->last_result = result->type == DB_NULL ? (struct str){NULL, 0} : result->bytes;
        sched->last_failure = failure->type == DB_NULL ? (struct str){NULL, 0} : failure->bytes;
    }
    sched->ctx = advance_ctx(&sched->plan, &sched->cursor);
    workset_read_calendars(turn, sched);
}

/* Test runs and held runs are not in cursor.open. */
static bool is_counted(const struct run *run)
{
    return run->kind != RUN_TEST && run->state != RUN_HELD;
}

/*
 * Another node may hold the row of a run without the cursor: it claims the run, or a command
 * names it.  If not all runs could be locked, the schedule has to wait for the next turn.
 */
static void check_complete(struct work_schedule *sched)
{
    bool all_held = sched->rows_held.rows < BUFFER_LIMIT_MAX;
    int64_t open = 0, held = 0;

    if (sched->state != SCHED_HELD || !sched->want_open || sched->has_unread)
        return;
    for (const struct work_run *p = sched->runs; p; p = p->next) {
        open += p->state == WORK_READ && is_counted(&p->run);
        held += p->state == WORK_READ && p->run.state == RUN_HELD;
    }
    if (open != sched->cursor.open || (all_held && held != sched->cursor.waiting))
        sched->state = SCHED_BUSY;
}

/* Where no row was returned, queries whether there is one that another node holds. */
static void read_runs(struct turn *turn)
{
    for (int i = 0; i < turn->runs.count; i++) {
        struct work_run *p = turn->runs.at[i];

        if (p->state != WORK_WANTED)
            continue;
        if (p->row.rows == 1) {
            p->state = turn_read_run(turn, &p->row, 0, &p->run) ? WORK_READ : WORK_BUSY;
            p->fence = p->run.fence;
        } else {
            runs_peek_slot(turn->db, p->run.schedule, p->run.slot, p->run.pass, &p->peek);
        }
    }
}

static void resolve_missing_runs(struct turn *turn)
{
    for (int i = 0; i < turn->runs.count; i++) {
        struct work_run *p = turn->runs.at[i];

        if (p->state == WORK_WANTED)
            p->state = p->peek.rows > 0 ? WORK_BUSY : WORK_ABSENT;
        must(p->state != WORK_READ || p->run.id != 0);
    }
}

static enum rc load_schedules(struct turn *turn, struct err *reterr)
{
    for (int i = 0; i < turn->scheds.count; i++) {
        struct work_schedule *sched = turn->scheds.at[i];
        enum rc rc;

        if (sched->is_loaded || sched->is_new)
            continue;
        rc = read_plan(turn, sched, reterr);
        if (rc != RC_OK)
            return rc;
        read_dependents(turn, sched);
        send_plan_reads(turn, sched);
    }
    return RC_OK;
}

enum rc workset_load(struct turn *turn, struct err *reterr)
{
    enum rc rc;

    for (int i = 0; i < turn->scheds.count; i++)
        if (!turn->scheds.at[i]->is_loaded && !turn->scheds.at[i]->is_new)
            send_reads(turn, turn->scheds.at[i]);
    for (int i = 0; i < turn->runs.count; i++) {
        struct work_run *p = turn->runs.at[i];

        if (p->state == WORK_WANTED && !p->is_sent)
            send_run(turn, p);
    }
    rc = db_flush(turn->db, turn->arena, reterr);
    if (rc != RC_OK)
        return rc;
    read_runs(turn);
    rc = load_schedules(turn, reterr);
    if (rc == RC_OK)
        rc = db_flush(turn->db, turn->arena, reterr);
    if (rc == RC_OK)
        resolve_missing_runs(turn);
    for (int i = 0; rc == RC_OK && i < turn->scheds.count; i++) {
        struct work_schedule *sched = turn->scheds.at[i];

        if (sched->is_loaded || sched->is_new)
            continue;
        read_plan_rows(turn, sched);
        check_complete(sched);
        sched->is_loaded = true;
    }
    return rc;
}

enum rc workset_load_gates(struct turn *turn, struct err *reterr)
{
    enum rc rc;

    for (int i = 0; i < turn->runs.count; i++) {
        const struct work_run *p = turn->runs.at[i];

        if (p->state == WORK_READ && p->run.gate != 0 &&
            (run_is_claimed(p->run.state) || p->run.state == RUN_GATED))
            workset_gate(turn, p->run.gate);
    }
    rc = db_flush(turn->db, turn->arena, reterr);
    for (int i = 0; rc == RC_OK && i < turn->gates.count; i++) {
        struct work_gate *gate = turn->gates.at[i];

        if (gate->is_held || gate->row.rows == 0)
            continue;
        gates_read(&gate->row, 0, &gate->gate);
        gate->is_held = true;
        if (gate->gate.open < 0 || gate->gate.waiting < 0)
            turn_damage(turn, gate->gate.id, "a gate counts fewer runs than none");
    }
    for (int i = 0; rc == RC_OK && i < turn->runs.count; i++) {
        struct work_run *p = turn->runs.at[i];
        bool needs = p->state == WORK_READ && p->run.gate != 0 &&
                     (run_is_claimed(p->run.state) || p->run.state == RUN_GATED);

        if (needs && !workset_gate(turn, p->run.gate)->is_held) {
            p->state = WORK_BUSY;
            p->sched->state = SCHED_BUSY;
        }
    }
    return rc;
}

void turn_event(struct turn *turn, enum event_type type, const struct run *run, int64_t detail)
{
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = type,
        .schedule = run->schedule,
        .slot = run->slot,
        .pass = run->pass,
        .fence = run->fence,
        .attempt = run->attempt,
        .detail = detail,
        .count = 1,
    };
}

void turn_schedule_event(struct turn *turn, enum event_type type, int64_t schedule,
                         int64_t version)
{
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = type, .schedule = schedule, .count = version};
}
