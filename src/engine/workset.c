/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and reads.  Cursors first; whatever hangs on a schedule is read in a later
 * statement than its cursor was locked, since a statement that waits for a lock and reads
 * other rows at once may see them as they were before.
 */
#include "engine/workset.h"

#include <string.h>

#include "base/must.h"
#include "core/spec/spec_pack.h"
#include "engine/engine_internal.h"
#include "engine/run_key.h"

enum { VEC_FIRST = 16 };

void *vec_grow(struct arena *arena, void *at, int count, int *room, size_t size)
{
    int more = *room == 0 ? VEC_FIRST : *room * 2;
    char *grown = arena_array_room(arena, (size_t)more, size);

    if (count > 0)
        memcpy(grown, at, (size_t)count * size);
    *room = more;
    return grown;
}

struct seat *desk_find(struct turn *turn, int64_t schedule)
{
    int32_t index = map_find(turn->seat_map, schedule);

    return index == MAP_NONE ? NULL : turn->seats.at[index];
}

struct seat *desk_seat(struct turn *turn, int64_t schedule)
{
    struct seat *seat = desk_find(turn, schedule);

    if (seat)
        return seat;
    seat = arena_take(turn->arena, sizeof(*seat));
    seat->id = schedule;
    seat->places_end = &seat->places;
    seat->starts_end = &seat->starts;
    seat->noted_end = &seat->noted;
    map_put(turn->seat_map, schedule, turn->seats.count);
    *VEC_ADD(turn, &turn->seats) = seat;
    return seat;
}

/* The key of a run's place; another run with the same hash gets the next number. */
static int64_t place_key(struct turn *turn, int64_t schedule, instant slot, int64_t pass)
{
    int64_t key = run_key(schedule, slot, pass);

    for (;; key++) {
        int32_t index = map_find(turn->place_map, key);
        const struct run *run;

        if (index == MAP_NONE)
            return key;
        run = &turn->places.at[index]->run;
        if (run->schedule == schedule && run->slot == slot && run->pass == pass)
            return key;
    }
}

static struct place *place_of(struct turn *turn, struct seat *seat, instant slot, int64_t pass,
                              enum place_state state)
{
    int64_t key = place_key(turn, seat->id, slot, pass);
    int32_t index = map_find(turn->place_map, key);
    struct place *place;

    if (index != MAP_NONE)
        return turn->places.at[index];
    place = arena_take(turn->arena, sizeof(*place));
    place->seat = seat;
    place->state = state;
    place->run = (struct run){.schedule = seat->id, .slot = slot, .pass = pass};
    map_put(turn->place_map, key, turn->places.count);
    *VEC_ADD(turn, &turn->places) = place;
    *seat->places_end = place;
    seat->places_end = &place->next;
    return place;
}

struct place *desk_place(struct turn *turn, struct seat *seat, instant slot, int64_t pass)
{
    return place_of(turn, seat, slot, pass, PLACE_WANTED);
}

struct place *desk_put(struct turn *turn, struct seat *seat, const struct run *run)
{
    struct place *place = place_of(turn, seat, run->slot, run->pass, PLACE_NONE);

    if (place->state == PLACE_WANTED || place->state == PLACE_NONE) {
        place->run = *run;
        place->state = PLACE_READ;
    }
    return place;
}

struct gate_seat *desk_gate(struct turn *turn, int64_t gate)
{
    int32_t index = map_find(turn->gate_map, gate);
    struct gate_seat *seat;

    if (index != MAP_NONE)
        return turn->gates.at[index];
    seat = arena_take(turn->arena, sizeof(*seat));
    seat->gate.id = gate;
    map_put(turn->gate_map, gate, turn->gates.count);
    *VEC_ADD(turn, &turn->gates) = seat;
    gates_lock(turn->db, gate, &seat->row);
    return seat;
}

/* By its key, where this node knows it. */
static void send_place(struct turn *turn, struct place *p)
{
    struct run_id id = {p->run.schedule, p->run.slot / SPAN_MS, (uint32_t)p->run.pass};
    const struct flight *flight = flights_find(turn->engine->flights, &id);

    if (flight)
        runs_lock(turn->db, flight->run.id, &p->row);
    else
        runs_lock_slot(turn->db, p->run.schedule, p->run.slot, p->run.pass, &p->row);
    p->is_sent = true;
}

/* A cursor that this node wrote last; whether it was alone is asked in this transaction. */
static const struct cursor *own_cursor(const struct turn *turn, int64_t schedule)
{
    return turn->is_single && !turn->memory.has_others
               ? known_cursor(&turn->engine->known, schedule)
               : NULL;
}

/* True when its cursor need not be read. */
static bool recall_seat(struct turn *turn, struct seat *seat)
{
    const struct cursor *cursor = own_cursor(turn, seat->id);

    if (!cursor)
        return false;
    seat->cursor = seat->was = *cursor;
    seat->state = SEAT_HELD;
    turn->trusts = true;
    return true;
}

/*
 * The cursor, then, in later statements, what is read under its lock: should the lock not be
 * had, the rest was read for nothing.
 */
void desk_send_early(struct turn *turn)
{
    for (int i = 0; i < turn->seats.count; i++) {
        struct seat *seat = turn->seats.at[i];

        if (!recall_seat(turn, seat))
            cursors_lock(turn->db, seat->id, &seat->row_cursor);
        seat->is_lock_sent = true;
        if (plans_has(turn->engine->plans, seat->id))
            continue;
        schedules_plan(turn->db, seat->id, &seat->row);
        seat->is_plan_sent = true;
    }
    for (int i = 0; i < turn->places.count; i++) {
        struct place *p = turn->places.at[i];

        if (p->state == PLACE_WANTED)
            send_place(turn, p);
    }
}

/* Locks the cursors of all wanted seats. */
enum rc desk_lock(struct turn *turn, struct err *reterr)
{
    bool any = false;
    enum rc rc;

    for (int i = 0; i < turn->seats.count; i++) {
        struct seat *seat = turn->seats.at[i];

        if (seat->state != SEAT_WANTED || seat->is_lock_sent || recall_seat(turn, seat))
            continue;
        cursors_lock(turn->db, seat->id, &seat->row_cursor);
        any = true;
    }
    rc = any ? db_flush(turn->db, turn->arena, reterr) : RC_OK;
    if (rc != RC_OK)
        return rc;
    any = false;
    for (int i = 0; i < turn->seats.count; i++) {
        struct seat *seat = turn->seats.at[i];

        if (seat->state != SEAT_WANTED)
            continue;
        if (seat->row_cursor.rows == 1) {
            cursors_read(&seat->row_cursor, 0, &seat->cursor);
            seat->was = seat->cursor;
            seat->state = SEAT_HELD;
            continue;
        }
        cursors_peek(turn->db, seat->id, &seat->row_cursor);
        any = true;
    }
    if (!any)
        return RC_OK;
    rc = db_flush(turn->db, turn->arena, reterr);
    for (int i = 0; rc == RC_OK && i < turn->seats.count; i++) {
        struct seat *seat = turn->seats.at[i];

        if (seat->state == SEAT_WANTED)
            seat->state = seat->row_cursor.rows == 0 ? SEAT_BARE : SEAT_AWAY;
    }
    return rc;
}

/* Its plan as it was kept at the version that its cursor has. */
static bool find_kept(const struct turn *turn, struct seat *seat)
{
    const struct cursor *c = seat->state == SEAT_HELD   ? &seat->cursor
                             : seat->state == SEAT_PLAN ? own_cursor(turn, seat->id)
                                                        : NULL;

    return c && seat->row.rows == 0 &&
           plans_find(turn->engine->plans, seat->id, c->version, &seat->text);
}

static void send_reads(struct turn *turn, struct seat *seat)
{
    const struct cursor *c = &seat->cursor;

    seat->has_text = find_kept(turn, seat);
    if (seat->has_text) {
        /* A copy: plans that are read meanwhile may take its place. */
        seat->text.packed = arena_str(turn->arena, seat->text.packed);
        seat->text.action = arena_str(turn->arena, seat->text.action);
        seat->text.name = arena_str(turn->arena, seat->text.name);
    } else if (!seat->is_plan_sent) {
        schedules_plan(turn->db, seat->id, &seat->row);
    }
    if (seat->state != SEAT_HELD)
        return;
    if (c->waiting > 0)
        runs_of_schedule(turn->db, seat->id, true, BUFFER_LIMIT_MAX, &seat->rows_held);
    if (c->flags & CURSOR_EXCEPTIONS)
        exceptions_of(turn->db, seat->id, c->mark, EXCEPTIONS_MAX, &seat->rows_exceptions);
    if (c->backfills > 0)
        backfills_of(turn->db, seat->id, BACKFILLS_MAX, &seat->rows_backfills);
}

/* From the row that was read, or as it was kept. */
static bool find_text(struct turn *turn, const struct seat *seat, struct plan_text *ret)
{
    if (seat->row.rows == 1) {
        ret->packed = db_blob_at(&seat->row, 0, PLAN_PACKED);
        ret->action = db_text_at(&seat->row, 0, PLAN_ACTION);
        ret->namespace = db_int_at(&seat->row, 0, PLAN_NAMESPACE);
        ret->name = db_text_at(&seat->row, 0, PLAN_NAME);
        if (seat->state == SEAT_HELD)
            plans_put(turn->engine->plans, seat->id, seat->cursor.version, ret);
        return true;
    }
    *ret = seat->text;
    return seat->has_text;
}

/* Reads a plan row into its seat.  What the store holds was packed by this program. */
static enum rc read_plan(struct turn *turn, struct seat *seat, struct err *reterr)
{
    struct plan_text text;
    struct err unbound;
    enum rc rc;

    if (!find_text(turn, seat, &text))
        return RC_OK; /* a direct run's schedule that was pruned, or none */
    seat->name = text.name;
    seat->action = text.action;
    seat->namespace = text.namespace;
    rc = plan_unpack(text.packed, turn->arena, &seat->plan, reterr);
    if (rc != RC_OK)
        return rc;
    if (seat->plan.spec.jitter == 0)
        seat->plan.spec.jitter = turn->engine->options.dispatch_jitter;
    if (spec_bind(&seat->plan.spec, &turn->engine->options.zones, &unbound) != RC_OK)
        return RC_OK; /* its zone is not known here any more: it stands still */
    seat->has_plan = true;
    return RC_OK;
}

static void read_beside(struct turn *turn, struct seat *seat)
{
    for (int i = 0; i < seat->rows_held.rows; i++) {
        struct run run;

        runs_read(&seat->rows_held, i, &run);
        turn_see_key(turn, run.id); /* what waits is in order of keys */
        desk_put(turn, seat, &run);
    }
    seat->exception_count = seat->rows_exceptions.rows;
    seat->exceptions = arena_array(turn->arena, (size_t)seat->exception_count, sizeof(instant));
    for (int i = 0; i < seat->exception_count; i++)
        seat->exceptions[i] = db_int_at(&seat->rows_exceptions, i, 0);
    seat->backfill_count = seat->rows_backfills.rows;
    seat->backfills = arena_array(turn->arena, (size_t)seat->backfill_count,
                                  sizeof(struct backfill));
    for (int i = 0; i < seat->backfill_count; i++)
        backfills_read(&seat->rows_backfills, i, &seat->backfills[i]);
}

/* True when some start of this seat may end the others. */
static bool may_end_others(const struct seat *seat)
{
    enum overlap policy = seat->plan.policies.overlap;
    bool ends = policy == OVERLAP_CANCEL_OTHER || policy == OVERLAP_TERMINATE_OTHER;

    for (int i = 0; i < seat->backfill_count; i++)
        ends |= seat->backfills[i].overlap == OVERLAP_CANCEL_OTHER ||
                seat->backfills[i].overlap == OVERLAP_TERMINATE_OTHER;
    for (const struct place *p = seat->places; p; p = p->next)
        ends |= p->run.overlap == OVERLAP_CANCEL_OTHER ||
                p->run.overlap == OVERLAP_TERMINATE_OTHER;
    return ends && seat->cursor.open > 0;
}

struct db_result *desk_send_calendars(struct turn *turn, int64_t namespace,
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

/* The second round of reads, for which the plan had to be known. */
static void send_more(struct turn *turn, struct seat *seat)
{
    if (seat->cursor.flags & CURSOR_DELETED)
        seat->want_open = true;
    if (seat->state == SEAT_HELD && (seat->want_open || may_end_others(seat))) {
        seat->want_open = true;
        runs_of_schedule(turn->db, seat->id, false, OPEN_READ_MAX, &seat->rows_open);
    }
    if (seat->want_whole && seat->state == SEAT_HELD)
        schedules_get(turn->db, seat->id, &seat->row_whole);
    if (seat->plan.policies.wants_last)
        results_get(turn->db, seat->id, &seat->row_result);
    seat->rows_calendars = desk_send_calendars(turn, seat->namespace, &seat->plan.spec);
}

void desk_read_calendars(struct turn *turn, struct seat *seat)
{
    int count = seat->plan.spec.not_named_count;
    struct day_set *sets = arena_array(turn->arena, (size_t)count, sizeof(*sets));

    for (int i = 0; seat->rows_calendars && i < count; i++) {
        const struct db_result *row = &seat->rows_calendars[i];
        struct str days;
        int32_t *list;

        if (row->rows == 0)
            continue; /* a calendar that does not exist has no days */
        days = db_blob_at(row, 0, 2);
        list = arena_take(turn->arena, days.len);
        memcpy(list, days.ptr, days.len);
        sets[i] = (struct day_set){list, (int)(days.len / sizeof(int32_t))};
    }
    seat->ctx.calendars = sets;
}

static void read_more(struct turn *turn, struct seat *seat)
{
    for (int i = 0; i < seat->rows_open.rows; i++) {
        struct run run;

        runs_read(&seat->rows_open, i, &run);
        desk_put(turn, seat, &run);
    }
    seat->has_more = seat->rows_open.rows == OPEN_READ_MAX;
    if (seat->row_result.rows == 1) {
        const struct db_value *result = db_at(&seat->row_result, 0, 0);
        const struct db_value *failure = db_at(&seat->row_result, 0, 1);

        seat->last_result = result->type == DB_NULL ? (struct str){NULL, 0} : result->bytes;
        seat->last_failure = failure->type == DB_NULL ? (struct str){NULL, 0} : failure->bytes;
    }
    seat->ctx = advance_ctx(&seat->plan, &seat->cursor);
    desk_read_calendars(turn, seat);
}

/* Tests runs count in no cursor. */
static bool is_counted(const struct run *run)
{
    return run->kind != RUN_TEST && run->state != RUN_HELD;
}

/*
 * A run may be in the hands of a node that is just claiming it, without the cursor.  When
 * not all open runs could be locked, the seat has to wait for the next turn.
 */
static void check_complete(struct seat *seat)
{
    int64_t open = 0;

    if (seat->state != SEAT_HELD || !seat->want_open || seat->has_more)
        return;
    for (const struct place *p = seat->places; p; p = p->next)
        open += p->state == PLACE_READ && is_counted(&p->run);
    if (open != seat->cursor.open)
        seat->state = SEAT_AWAY;
}

/* Where no row came, it is asked whether there is one that another node holds. */
static void take_places(struct turn *turn)
{
    for (int i = 0; i < turn->places.count; i++) {
        struct place *p = turn->places.at[i];

        if (p->state != PLACE_WANTED)
            continue;
        if (p->row.rows == 1) {
            runs_read(&p->row, 0, &p->run);
            p->state = PLACE_READ;
        } else {
            runs_peek_slot(turn->db, p->run.schedule, p->run.slot, p->run.pass, &p->peek);
        }
    }
}

static void settle_places(struct turn *turn)
{
    for (int i = 0; i < turn->places.count; i++) {
        struct place *p = turn->places.at[i];

        if (p->state == PLACE_WANTED)
            p->state = p->peek.rows > 0 ? PLACE_AWAY : PLACE_NONE;
    }
}

static enum rc load_seats(struct turn *turn, struct err *reterr)
{
    for (int i = 0; i < turn->seats.count; i++) {
        struct seat *seat = turn->seats.at[i];
        enum rc rc;

        if (seat->is_loaded || seat->is_new)
            continue;
        rc = read_plan(turn, seat, reterr);
        if (rc != RC_OK)
            return rc;
        read_beside(turn, seat);
        send_more(turn, seat);
    }
    return RC_OK;
}

enum rc desk_load(struct turn *turn, struct err *reterr)
{
    enum rc rc;

    for (int i = 0; i < turn->seats.count; i++)
        if (!turn->seats.at[i]->is_loaded && !turn->seats.at[i]->is_new)
            send_reads(turn, turn->seats.at[i]);
    for (int i = 0; i < turn->places.count; i++) {
        struct place *p = turn->places.at[i];

        if (p->state == PLACE_WANTED && !p->is_sent)
            send_place(turn, p);
    }
    rc = db_flush(turn->db, turn->arena, reterr);
    if (rc != RC_OK)
        return rc;
    take_places(turn);
    rc = load_seats(turn, reterr);
    if (rc == RC_OK)
        rc = db_flush(turn->db, turn->arena, reterr);
    if (rc == RC_OK)
        settle_places(turn);
    for (int i = 0; rc == RC_OK && i < turn->seats.count; i++) {
        struct seat *seat = turn->seats.at[i];

        if (seat->is_loaded || seat->is_new)
            continue;
        read_more(turn, seat);
        check_complete(seat);
        seat->is_loaded = true;
    }
    return rc;
}

/* The gates of all runs that hold a place in one, or wait for one. */
enum rc desk_load_gates(struct turn *turn, struct err *reterr)
{
    enum rc rc;

    for (int i = 0; i < turn->places.count; i++) {
        const struct place *p = turn->places.at[i];

        if (p->state == PLACE_READ && p->run.gate != 0 &&
            (run_is_claimed(p->run.state) || p->run.state == RUN_GATED))
            desk_gate(turn, p->run.gate);
    }
    rc = db_flush(turn->db, turn->arena, reterr);
    for (int i = 0; rc == RC_OK && i < turn->gates.count; i++) {
        struct gate_seat *gate = turn->gates.at[i];

        if (gate->is_held || gate->row.rows == 0)
            continue;
        gates_read(&gate->row, 0, &gate->gate);
        gate->is_held = true;
    }
    for (int i = 0; rc == RC_OK && i < turn->places.count; i++) {
        struct place *p = turn->places.at[i];
        bool needs = p->state == PLACE_READ && p->run.gate != 0 &&
                     (run_is_claimed(p->run.state) || p->run.state == RUN_GATED);

        if (needs && !desk_gate(turn, p->run.gate)->is_held) {
            p->state = PLACE_AWAY;
            p->seat->state = SEAT_AWAY;
        }
    }
    return rc;
}

void desk_event(struct turn *turn, enum event_type type, const struct run *run, int64_t detail)
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

void desk_schedule_event(struct turn *turn, enum event_type type, int64_t schedule,
                         int64_t version)
{
    *VEC_ADD(turn, &turn->events) = (struct event){
        .type = type, .schedule = schedule, .count = version};
}
