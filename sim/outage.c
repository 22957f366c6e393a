/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world: one node, one worker that claims every run at once and ends it after the time
 * of its schedule, and a stop of all of it.
 */
#include "sim/outage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/prng.h"
#include "engine/engine.h"
#include "sim/recorder.h"
#include "sim/vfs.h"
#include "sim/world_profile.h"
#include "store/cursors.h"
#include "store/runs.h"
#include "store/schema.h"

enum {
    BYTES_MAX = 64 << 20, /* of drafts and results */
    ROWS_MAX = 8192,
    TURNS_MAX = 200000, /* more is an endless loop */
    REPORTS_MAX = 1000,
};

#define URL       "sqlite:world.db?vfs=world"
#define LEASE_ALL (30 * SPAN_DAY) /* longer than any world: no run is lost */

/* A run that the worker holds. */
struct held_run {
    int schedule;
    struct run_id run;
    int64_t fence;
    instant started, ends;
};

struct outage_world {
    struct prng prng;
    struct world_profile profile;
    struct zone_source zones;
    struct arena *arena;
    struct sim_vfs *vfs;
    struct db *db;
    struct engine *engine;
    int64_t namespace, queue;
    struct outage_plan plan;
    struct day_set calendar;
    struct outage_schedule schedules[SIM_SCHEDULES_MAX];
    int made; /* schedules; the next one may start a run when it is created */
    struct held_run *held;
    int held_count;
    instant now, wake_at;
    int64_t turns, fires;
    struct report reports[REPORTS_MAX];
    int report_count;
    struct turn_out out;
};

static void say(const struct outage_world *w, const char *what, int64_t n)
{
    if (w->plan.is_verbose)
        printf("%10.3f %s %" PRId64 "\n", (double)(w->now - w->profile.begin) / (double)SPAN_S,
               what, n);
}

/* ---- the node ---- */

static enum rc start_node(struct outage_world *w, struct err *reterr)
{
    struct engine_options options = {.node = STR("n0"), .zones = w->zones};
    enum rc rc = db_open(URL, NULL, &w->db, reterr);

    sim_vfs_set_now(w->vfs, w->now);
    if (rc == RC_OK)
        rc = schema_migrate(w->db, w->now, w->arena, reterr);
    if (rc != RC_OK)
        return rc;
    w->engine = engine_new(&options);
    w->wake_at = w->now;
    return engine_boot(w->engine, w->db, w->now, reterr);
}

static void stop_node(struct outage_world *w)
{
    w->engine = engine_free(w->engine);
    w->db = db_close(w->db);
}

static void take_grants(struct outage_world *w)
{
    for (int i = 0; i < w->out.grant_count; i++) {
        const struct run *run = &w->out.grants[i].run;
        int s = 0;

        while (s < w->made && w->schedules[s].key != run->schedule)
            s++;
        w->held = recorder_room(w->held, w->held_count, sizeof *w->held);
        w->held[w->held_count++] = (struct held_run){
            .schedule = s,
            .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
            .fence = run->fence,
            .started = w->now,
            .ends = w->now + w->schedules[s].duration,
        };
        w->fires++;
    }
}

static enum rc turn(struct outage_world *w, const struct command *command, struct err *reterr)
{
    struct poll poll = {.tag = 1,
                        .queues = {w->queue},
                        .queue_count = w->queue > 0 ? 1 : 0,
                        .max = POLL_RUNS_MAX,
                        .worker = STR("w"),
                        .is_new = true};
    struct turn_in in = {
        .now = w->now,
        .rows = TURN_ROWS_MAX,
        .commands = command,
        .command_count = command ? 1 : 0,
        .reports = w->reports,
        .report_count = w->report_count,
        .polls = &poll,
        .poll_count = w->queue > 0 ? 1 : 0,
    };
    enum rc rc;

    if (++w->turns > TURNS_MAX)
        return err_set(reterr, RC_CORRUPT, -1, 0, "no end: more than %d turns", TURNS_MAX);
    sim_vfs_set_now(w->vfs, w->now);
    rc = engine_turn(w->engine, &in, &w->out, reterr);
    w->report_count = 0;
    if (rc != RC_OK)
        return rc;
    w->wake_at = w->out.wake_at;
    take_grants(w);
    return RC_OK;
}

/* ---- the worker ---- */

/* Reports the runs that have ended by now, in the order of their ends. */
static void report_ends(struct outage_world *w)
{
    int left = 0;

    for (int i = 0; i < w->held_count; i++) {
        const struct held_run *held = &w->held[i];

        if (held->ends > w->now || w->report_count == REPORTS_MAX)
            w->held[left++] = *held;
        else
            w->reports[w->report_count++] = (struct report){
                .kind = REPORT_DONE,
                .namespace = w->namespace,
                .run = held->run,
                .fence = held->fence,
                .outcome = OUTCOME_SUCCEEDED,
            };
    }
    w->held_count = left;
}

static instant next_at(const struct outage_world *w)
{
    instant at = w->wake_at;

    for (int i = 0; i < w->held_count; i++)
        at = w->held[i].ends < at ? w->held[i].ends : at;
    if (at == INSTANT_NEVER)
        return at;
    at = (at + SPAN_MS - 1) / SPAN_MS * SPAN_MS;
    return at > w->now ? at : w->now;
}

/* All turns before `until`. */
static enum rc run_until(struct outage_world *w, instant until, struct err *reterr)
{
    enum rc rc = RC_OK;

    while (rc == RC_OK && next_at(w) < until) {
        w->now = next_at(w);
        report_ends(w);
        rc = turn(w, NULL, reterr);
    }
    return rc;
}

/* ---- the schedules ---- */

static enum rc send(struct outage_world *w, const struct command *command, struct err *reterr)
{
    enum rc rc = turn(w, command, reterr);

    if (rc == RC_OK && w->out.replies[0].rc != RC_OK)
        return err_set(reterr, RC_CORRUPT, -1, 0, "a command was refused: %.*s",
                       STR_ARG(w->out.replies[0].text));
    return rc;
}

static enum rc make_names(struct outage_world *w, struct err *reterr)
{
    struct command space = {.kind = COMMAND_NAMESPACE, .name = STR("sim"), .by = STR("sim")};
    struct command queue = {.kind = COMMAND_QUEUE, .name = drafts_queue(0), .by = STR("sim")};
    struct command calendar = {
        .kind = COMMAND_CALENDAR,
        .name = STR(SIM_CALENDAR),
        .by = STR("sim"),
        .days = {(const char *)w->profile.holidays,
                 (size_t)w->profile.holiday_count * sizeof *w->profile.holidays}};
    enum rc rc = send(w, &space, reterr);

    w->namespace = rc == RC_OK ? w->out.replies[0].schedule : 0;
    queue.namespace = calendar.namespace = w->namespace;
    if (rc == RC_OK)
        rc = send(w, &calendar, reterr);
    if (rc == RC_OK)
        rc = send(w, &queue, reterr);
    w->queue = rc == RC_OK ? w->out.replies[0].schedule : 0;
    return rc;
}

/*
 * Runs begin at once and always succeed: policies about anything else have no effect.  When a
 * cancelled run ends is up to its holder, so that other runs are terminated instead.  With
 * expires_at_start, a waiting slot may begin when the engine happens to read its schedule.
 */
static void simplify(struct policies *p)
{
    if (p->overlap == OVERLAP_CANCEL_OTHER)
        p->overlap = OVERLAP_TERMINATE_OTHER;
    p->approval = p->pause_on_failure = p->at_most_once = false;
    p->start_within = p->timeout = p->max_run_time = p->idle_close = 0;
    p->retry.attempts = 1;
    p->gate = (struct str){NULL, 0};
    p->gate_limit = 0;
    p->retention_age = 0;
    p->retention_count = 0;
    p->expires_at_start = false;
    p->lease = LEASE_ALL;
}

static void read_open(struct outage_world *w, int schedule, struct outage_open *ret)
{
    ret->runs = arena_array(w->arena, (size_t)w->held_count, sizeof *ret->runs);
    for (int i = 0; i < w->held_count; i++)
        if (w->held[i].schedule == schedule)
            ret->runs[ret->count++] = (struct forecast_run){w->held[i].started,
                                                            w->held[i].ends};
}

/* Some runs are longer than most intervals, so that slots overlap and wait. */
static span draw_duration(struct outage_world *w)
{
    int64_t most = prng_chance(&w->prng, 1, 3) ? 120 : 10;

    return prng_between(&w->prng, 1, most * w->profile.unit / SPAN_MS) * SPAN_MS;
}

/* Cancels some of the next slots, if they are known. */
static enum rc cancel_slots(struct outage_world *w, struct outage_schedule *s,
                            struct err *reterr)
{
    struct spec_ctx ctx = advance_ctx(&s->plan, &s->cursor);
    struct command command = command_new(COMMAND_SKIP);
    struct slot slot = {.at = s->cursor.mark};
    enum rc rc = RC_OK;

    if (forecast_depends_on_runs(&s->plan, &s->cursor) || !prng_chance(&w->prng, 1, 4))
        return RC_OK;
    ctx.calendars = w->plan.calendars;
    command.namespace = w->namespace;
    command.by = STR("sim");
    while (rc == RC_OK && s->cancelled_count < OUTAGE_CANCELLED_MAX &&
           spec_next(&s->plan.spec, &ctx, slot.at, &slot)) {
        if (prng_chance(&w->prng, 1, 2))
            continue;
        command.run.id = (struct run_id){.schedule = s->key, .slot_ms = slot.at / SPAN_MS};
        rc = turn(w, &command, reterr);
        if (rc == RC_OK && w->out.replies[0].rc == RC_OK)
            s->cancelled[s->cancelled_count++] = slot.at;
        else if (rc == RC_OK)
            break; /* it has started already */
    }
    return rc;
}

static enum rc make_schedule(struct outage_world *w, int i, struct err *reterr)
{
    struct outage_schedule *s = &w->schedules[i];
    struct draft_context context = {.profile = &w->profile,
                                    .prng = &w->prng,
                                    .zones = &w->zones,
                                    .arena = w->arena,
                                    .name = arena_str(w->arena, str_of(s->name))};
    struct command command = command_new(COMMAND_CREATE);
    struct checked_draft *checked;
    enum rc rc;

    snprintf(s->name, sizeof s->name, "s%d", i);
    context.name = arena_str(w->arena, str_of(s->name));
    checked = drafts_make(&context);
    simplify(&checked->draft.plan.policies);
    checked->draft.plan.lane = LANE_PULL;
    checked->draft.queue = drafts_queue(0);
    checked->draft.trigger = false;
    s->plan = checked->draft.plan;
    s->duration = draw_duration(w);
    command.namespace = w->namespace;
    command.name = str_of(s->name);
    command.by = STR("sim");
    command.save.draft = &checked->draft;
    if (prng_chance(&w->prng, 3, 4))
        command.save.pause_until = w->now + prng_between(&w->prng, 1, 100) * w->profile.unit;
    rc = send(w, &command, reterr);
    if (rc != RC_OK)
        return rc;
    s->key = w->out.replies[0].schedule;
    s->cursor = *w->out.replies[0].cursor;
    s->created = s->plan.created = w->now;
    w->made = i + 1;
    read_open(w, i, &s->opened);
    return cancel_slots(w, s, reterr);
}

/* ---- what is compared ---- */

static enum rc read_stopped(struct outage_world *w, int i, struct err *reterr)
{
    struct outage_schedule *s = &w->schedules[i];
    struct db_result cursor, waiting;
    struct run run;
    enum rc rc;

    cursors_peek(w->db, s->key, &cursor);
    runs_of_schedule(w->db, s->key, true, ROWS_MAX, &waiting);
    rc = db_flush(w->db, w->arena, reterr);
    if (rc != RC_OK)
        return rc;
    must(cursor.rows == 1);
    cursors_read(&cursor, 0, &s->stopped);
    s->waiting = arena_array(w->arena, (size_t)waiting.rows, sizeof *s->waiting);
    read_open(w, i, &s->open);
    for (s->waiting_count = 0; s->waiting_count < waiting.rows; s->waiting_count++) {
        runs_read(&waiting, s->waiting_count, &run);
        s->waiting[s->waiting_count] = (struct due_slot){run.slot, run.due};
    }
    return RC_OK;
}

static void add_run(struct outage_schedule *s, instant slot, bool waits)
{
    if (slot > s->cursor.mark) /* else it started when the schedule was created */
        *outage_add(&s->played) = (struct outage_item){
            slot, slot, 1, waits ? OUTCOME_NONE : OUTCOME_STARTED, REASON_NONE};
}

static enum rc read_played(struct outage_world *w, struct outage_schedule *s,
                           struct err *reterr)
{
    struct db_result open, waiting, ended, ledger;
    enum rc rc;

    runs_of_schedule(w->db, s->key, false, ROWS_MAX, &open);
    runs_of_schedule(w->db, s->key, true, ROWS_MAX, &waiting);
    history_of_schedule(w->db, s->key, INT64_MAX, ROWS_MAX, &ended);
    ledger_of_schedule(w->db, s->key, INSTANT_NONE, DB_ROWS_MAX, &ledger);
    rc = db_flush(w->db, w->arena, reterr);
    if (rc != RC_OK)
        return rc;
    must(ended.rows < ROWS_MAX && ledger.rows < DB_ROWS_MAX);
    for (int i = 0; i < open.rows + waiting.rows; i++) {
        struct run run;

        runs_read(i < open.rows ? &open : &waiting, i < open.rows ? i : i - open.rows, &run);
        add_run(s, run.slot, i >= open.rows);
    }
    for (int i = 0; i < ended.rows; i++) {
        struct history_row row;

        history_read(&ended, i, &row);
        add_run(s, row.slot, false);
    }
    for (int i = 0; i < ledger.rows; i++) {
        struct ledger_entry entry;
        const struct account *a = &entry.account;

        ledger_read(&ledger, i, &entry);
        *outage_add(&s->played) = (struct outage_item){a->first, a->last, a->count, a->outcome,
                                                       a->reason};
    }
    return RC_OK;
}

static enum rc compare_all(struct outage_world *w, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < w->profile.schedules; i++)
        rc = read_played(w, &w->schedules[i], reterr);
    for (int i = 0; rc == RC_OK && i < w->profile.schedules; i++)
        rc = outage_compare(&w->plan, &w->schedules[i], reterr);
    return rc;
}

/* ---- the world ---- */

static enum rc play_world(struct outage_world *w, struct err *reterr)
{
    enum rc rc = start_node(w, reterr);

    if (rc == RC_OK)
        rc = make_names(w, reterr);
    for (int i = 0; rc == RC_OK && i < w->profile.schedules; i++)
        rc = make_schedule(w, i, reterr);
    if (rc == RC_OK)
        rc = run_until(w, w->plan.down_from, reterr);
    for (int i = 0; rc == RC_OK && i < w->profile.schedules; i++)
        rc = read_stopped(w, i, reterr);
    if (rc != RC_OK)
        return rc;
    say(w, "stops; turns", w->turns);
    stop_node(w);
    w->now = w->plan.down_to;
    rc = start_node(w, reterr);
    say(w, "is back; runs held", w->held_count);
    if (rc == RC_OK)
        rc = run_until(w, w->plan.end, reterr);
    return rc == RC_OK ? compare_all(w, reterr) : rc;
}

static instant some_time(struct outage_world *w, instant after, span most)
{
    return (after + prng_between(&w->prng, 1, most / SPAN_MS) * SPAN_MS) / SPAN_MS * SPAN_MS;
}

static void begin_world(struct outage_world *w, uint64_t seed)
{
    struct outage_plan *plan = &w->plan;

    prng_seed(&w->prng, seed);
    world_profile_draw(&w->profile, &w->prng);
    w->arena = arena_new(BYTES_MAX);
    w->vfs = sim_vfs_new("world", seed);
    w->now = w->profile.begin / SPAN_MS * SPAN_MS;
    plan->down_from = some_time(w, w->now, w->profile.trouble);
    plan->down_to = some_time(w, plan->down_from, w->profile.trouble);
    plan->end = plan->down_to + w->profile.trouble / 2;
    w->calendar = (struct day_set){w->profile.holidays, w->profile.holiday_count};
    plan->calendars = &w->calendar;
    plan->room = arena_take(w->arena, sizeof *plan->room);
}

static void end_world(struct outage_world *w)
{
    stop_node(w);
    for (int i = 0; i < w->profile.schedules; i++)
        free(w->schedules[i].played.list);
    free(w->held);
    sim_vfs_free(w->vfs);
    arena_free(w->arena);
}

enum rc outage_run(uint64_t seed, const struct zone_source *zones,
                   const struct world_options *options, struct tally *tally, struct err *reterr)
{
    struct outage_world *w = calloc(1, sizeof *w);
    enum rc rc;

    must(w);
    w->zones = *zones;
    begin_world(w, seed);
    w->plan.is_verbose = options->is_verbose;
    rc = play_world(w, reterr);
    tally->seeds++;
    tally->turns += w->turns;
    tally->fires += w->fires;
    tally->lived += w->profile.schedules * (w->now - w->profile.begin);
    end_world(w);
    free(w);
    return rc;
}
