/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of a simulated operator, drawn at random.
 */
#include "sim/operator_request.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/must.h"
#include "core/advance.h"
#include "sim/node.h"
#include "store/runs.h"

enum {
    RUNS_MAX = 64, /* of which one is chosen */
    READ_BYTES_MAX = 4 << 20,
    KEY_MAX = 16,
    MEND_UNITS = 40, /* for this long queues are resumed again and again */
};

static uint64_t below(struct world *world, uint64_t n)
{
    return prng_below(&world->prng, n);
}

static bool chance(struct world *world, uint64_t of)
{
    return prng_chance(&world->prng, 1, of);
}

static enum overlap some_overlap(struct world *world)
{
    return (enum overlap)below(world, OVERLAP_COUNT + 1);
}

static struct command new_command(const struct world *world, enum command_kind kind,
                                  int schedule)
{
    const struct sim_schedule *s = &world->operator.schedules[schedule];

    struct command command = command_new(kind);

    command.namespace = world->operator.namespace;
    command.name = str_of(s->name);
    return command;
}

static const struct checked_draft *make_draft(struct world *world, int schedule)
{
    struct draft_context context = {
        .profile = &world->profile,
        .prng = &world->prng,
        .zones = &world->zones,
        .arena = world->recorder.arena,
        .name = arena_str(world->recorder.arena,
                          str_of(world->operator.schedules[schedule].name)),
    };
    struct checked_draft *checked = drafts_make(&context);

    checked->index = recorder_draft(&world->recorder, &checked->record);
    return checked;
}

/* The end of a pause, if it has one. */
static void set_until(struct world *world, instant *until)
{
    if (chance(world, 2))
        *until = world_clock(world) + world_delay(world, 40 * world->profile.unit);
}

/* Some requests have a key that identifies a repetition. */
static void add_key(struct world *world, struct command *command, char key[KEY_MAX])
{
    if (!chance(world, 4))
        return;
    snprintf(key, KEY_MAX, "key-%d", world->operator.keys++);
    command->request = str_of(key);
    command->fingerprint = (int64_t)below(world, 1000000);
}

static void ask(struct world *world, struct command *command, int schedule,
                const struct checked_draft *checked)
{
    char key[KEY_MAX];
    int index;

    add_key(world, command, key);
    index = operator_ask(world, command, schedule, checked);
    if (command->request.len > 0)
        world->operator.last_keyed = index;
}

void operator_request_create(struct world *world, int schedule)
{
    struct operator* op = & world->operator;
    struct command command;

    if (schedule < 0) {
        if (op->schedule_count == OPERATOR_SCHEDULES_MAX)
            return;
        schedule = op->schedule_count++;
        snprintf(op->schedules[schedule].name, sizeof op->schedules[schedule].name, "s%d",
                 schedule);
    }
    command = new_command(world, chance(world, 4) ? COMMAND_PUT : COMMAND_CREATE, schedule);
    command.save.reason = STR("created so");
    set_until(world, &command.save.pause_until);
    ask(world, &command, schedule, make_draft(world, schedule));
}

static void update(struct world *world, int schedule)
{
    const struct sim_schedule *s = &world->operator.schedules[schedule];
    struct command command = new_command(world, chance(world, 4) ? COMMAND_PUT : COMMAND_UPDATE,
                                         schedule);
    uint64_t which = below(world, 4);

    command.version = which == 0 ? 0 : which == 1 ? s->version + 1 : s->version;
    command.save.reason = STR("updated so");
    set_until(world, &command.save.pause_until);
    ask(world, &command, schedule, make_draft(world, schedule));
}

static void pause_it(struct world *world, int schedule)
{
    struct command command = new_command(world, COMMAND_PAUSE, schedule);

    command.pause.reason = STR("as the simulator wants");
    set_until(world, &command.pause.until);
    ask(world, &command, schedule, NULL);
}

static void trigger(struct world *world, int schedule)
{
    struct command command = new_command(
        world, chance(world, 6) ? COMMAND_TEST : COMMAND_TRIGGER, schedule);

    command.start.overlap = some_overlap(world);
    if (chance(world, 3))
        command.start.priority = (int32_t)prng_between(&world->prng, PRIORITY_MIN,
                                                       PRIORITY_MAX);
    command.start.input = chance(world, 2) ? STR("{\"by\":\"hand\"}") : STR("");
    if (chance(world, 4))
        command.start.slot = (world_clock(world) -
                              world_delay(world, 10 * world->profile.unit)) /
                             SPAN_MS * SPAN_MS;
    ask(world, &command, schedule, NULL);
}

static void backfill(struct world *world, int schedule)
{
    struct command command = new_command(world, COMMAND_BACKFILL, schedule);
    int count = (int)prng_between(&world->prng, 1, 2);
    struct range *ranges = arena_array(world->recorder.arena, (size_t)count, sizeof *ranges);

    for (int i = 0; i < count; i++) {
        span unit = world->profile.unit;
        span step = i == 0 ? SPAN_S : SPAN_MIN; /* slots are often at whole minutes */

        ranges[i].until = (world_clock(world) - world_delay(world, 20 * unit)) / step * step;
        ranges[i].from = ranges[i].until - prng_between(&world->prng, 0, 60) * unit;
        ranges[i].overlap = some_overlap(world);
        ranges[i].flags = world->profile.theme == THEME_BACKFILL ? BACKFILL_MISSED
                          : chance(world, 2)                     ? 0
                          : chance(world, 3) ? BACKFILL_MISSED | BACKFILL_CANCELLED
                                             : BACKFILL_MISSED;
    }
    command.backfill = (struct backfill_args){ranges, count};
    ask(world, &command, schedule, NULL);
}

/* Stops one of its first passes, which may not be a backfill. */
static void stop_backfill(struct world *world, int schedule)
{
    struct command command = new_command(world, COMMAND_UNBACKFILL, schedule);

    command.key = prng_between(&world->prng, 1, 8);
    ask(world, &command, schedule, NULL);
}

static void skip_slot(struct world *world, int schedule, instant slot)
{
    struct operator* op = & world->operator;
    struct command command = new_command(
        world, chance(world, 3) ? COMMAND_CANCEL : COMMAND_SKIP, schedule);

    command.run.id = (struct run_id){.schedule = op->schedules[schedule].key,
                                     .slot_ms = slot / SPAN_MS};
    op->skipped[op->skipped_count++ % OPERATOR_SKIPPED_MAX] = (struct skipped){command.run.id,
                                                                               schedule};
    ask(world, &command, schedule, NULL);
}

/* Cancels one or two future slots, if they can be predicted. */
static void skip(struct world *world, int schedule)
{
    const struct sim_schedule *s = &world->operator.schedules[schedule];
    struct spec_ctx ctx = spec_ctx(s->created);
    struct slot slot = {.at = world_clock(world)};
    int ahead = (int)prng_between(&world->prng, 1, 4);
    int count = chance(world, 2) ? 2 : 1;

    if (!s->checked || s->checked->draft.plan.follows ||
        s->checked->draft.plan.spec.not_named_count > 0)
        return;
    ctx.seed = s->checked->draft.plan.seed;
    for (int i = 0; i < ahead + count - 1; i++) {
        if (!spec_next(&s->checked->draft.plan.spec, &ctx, slot.at, &slot))
            return;
        if (i >= ahead - 1)
            skip_slot(world, schedule, slot.at);
    }
}

/* Of any schedule: one of the last slots that were cancelled, which may still be to come. */
static void unskip(struct world *world, int schedule)
{
    struct operator* op = & world->operator;
    int count = op->skipped_count < OPERATOR_SKIPPED_MAX ? op->skipped_count
                                                         : OPERATOR_SKIPPED_MAX;
    const struct skipped *skipped;
    struct command command;

    (void)schedule;
    if (count == 0)
        return;
    skipped = &op->skipped[(op->skipped_count - 1 - (int)below(world, (uint64_t)count)) %
                           OPERATOR_SKIPPED_MAX];
    command = new_command(world, COMMAND_UNSKIP, skipped->schedule);
    command.run.id = skipped->id;
    ask(world, &command, skipped->schedule, NULL);
}

/* Open runs of a schedule, as a page would show them; returns their number. */
static int open_runs(struct world *world, const struct sim_schedule *s, struct run *ret)
{
    struct sim_node *node = node_any(world);
    struct arena *arena;
    struct db_result found[2];
    struct err err;
    int count = 0;

    if (!node || !s->is_there || world->disk_is_full)
        return 0;
    arena = arena_new(READ_BYTES_MAX);
    runs_of_schedule(node->db, s->key, false, RUNS_MAX / 2, &found[0]);
    runs_of_schedule(node->db, s->key, true, RUNS_MAX / 2, &found[1]);
    if (db_flush(node->db, arena, &err) == RC_OK)
        for (int i = 0; i < 2; i++)
            for (int row = 0; row < found[i].rows; row++)
                runs_read(&found[i], row, &ret[count++]);
    arena_free(arena); /* with the texts, which are not used */
    return count;
}

static struct run_id id_of(const struct run *run)
{
    return (struct run_id){
        .schedule = run->schedule, .slot_ms = run->slot / SPAN_MS, .pass = (uint32_t)run->pass};
}

static void change_run(struct world *world, int schedule)
{
    static const enum command_kind kinds[] = {COMMAND_CANCEL, COMMAND_TERMINATE,
                                              COMMAND_APPROVE, COMMAND_REJECT};
    const struct sim_schedule *s = &world->operator.schedules[schedule];
    struct run runs[RUNS_MAX];
    int count = open_runs(world, s, runs);
    struct command command = new_command(world, kinds[below(world, 4)], schedule);

    if (count == 0)
        return;
    command.run.keeps_started = command.kind == COMMAND_CANCEL && chance(world, 2);
    command.run.id = id_of(&runs[below(world, (uint64_t)count)]);
    ask(world, &command, schedule, NULL);
}

static void hint(struct world *world, int schedule)
{
    struct command command = new_command(
        world, chance(world, 4) ? COMMAND_UNHINT : COMMAND_HINT, schedule);
    span unit = world->profile.unit;

    if (command.kind == COMMAND_HINT) {
        uint64_t which = below(world, 3);

        if (which != 0)
            command.hint.interval = prng_between(&world->prng, 1, 20) * unit;
        if (which != 1)
            command.hint.at = world_clock(world) + world_delay(world, 20 * unit);
        command.hint.expires = world_clock(world) + world_delay(world, 60 * unit);
    }
    ask(world, &command, schedule, NULL);
}

static void set_queue(struct world *world, enum command_kind kind, int queue)
{
    struct command command = {
        .kind = kind,
        .namespace = world->operator.namespace,
        .key = world->operator.queues[queue],
    };

    operator_ask(world, &command, -1, NULL);
}

/* The same request again, or another one with its key. */
static void repeat(struct world *world, int schedule)
{
    struct operator* op = & world->operator;
    struct command command;

    (void)schedule;
    if (op->last_keyed < 0)
        return;
    command = world->recorder.record.commands[op->last_keyed].command;
    if (chance(world, 6))
        command.fingerprint++;
    operator_ask(world, &command, op->operations[op->last_keyed].schedule,
                 op->operations[op->last_keyed].checked);
}

static void direct(struct world *world, int schedule)
{
    struct command command = command_new(COMMAND_DIRECT);

    command.namespace = world->operator.namespace;
    command.save.start.input = STR("{\"direct\":true}");
    ask(world, &command, -1, make_draft(world, schedule));
}

static void ask_simple(struct world *world, enum command_kind kind, int schedule)
{
    struct command command = new_command(world, kind, schedule);

    ask(world, &command, schedule, NULL);
}

/* A pause that a cron job ends on time, in the same millisecond as the slots of that time. */
static void pause_for_a_while(struct world *world, int schedule)
{
    static const span steps[SPEED_COUNT] = {
        [SPEED_SECONDS] = SPAN_MIN,
        [SPEED_HOURS] = 15 * SPAN_MIN,
        [SPEED_DAYS] = SPAN_H,
    };
    span step = steps[world->profile.speed];
    struct command pause = new_command(world, COMMAND_PAUSE, schedule);
    struct command resume = new_command(world, COMMAND_RESUME, schedule);

    operator_ask(world, &pause, schedule, NULL);
    operator_ask_at(world, &resume, schedule, (world->now / step + 2) * step - SPAN_MS);
}

/* In worlds of backfills, half of them also start the slots since a past time. */
static void resume(struct world *world, int schedule)
{
    struct command command = new_command(world, COMMAND_RESUME, schedule);

    command.pause.replays = world->profile.theme == THEME_BACKFILL && chance(world, 2);
    if (command.pause.replays)
        command.pause.from = (world_clock(world) -
                              world_delay(world, 40 * world->profile.unit)) /
                             SPAN_S * SPAN_S;
    ask(world, &command, schedule, NULL);
}

static void delete (struct world *world, int schedule)
{
    ask_simple(world, COMMAND_DELETE, schedule);
}

static void reset(struct world *world, int schedule)
{
    ask_simple(world, COMMAND_RESET, schedule);
}

static void close_it(struct world *world, int schedule)
{
    ask_simple(world, COMMAND_CLOSE, schedule);
}

static void pause_or_resume_queue(struct world *world, int schedule)
{
    static const enum command_kind kinds[] = {COMMAND_QUEUE_PAUSE, COMMAND_QUEUE_RESUME};

    set_queue(world, kinds[below(world, 2)], schedule % SIM_QUEUES);
}

void operator_request_calendar(struct world *world, int schedule)
{
    struct command command = {
        .kind = COMMAND_CALENDAR,
        .namespace = world->operator.namespace,
        .name = STR(SIM_CALENDAR),
        .days = {(const char *)world->profile.holidays,
                 (size_t)world->profile.holiday_count * sizeof *world->profile.holidays},
    };

    (void)schedule;
    operator_ask(world, &command, -1, NULL);
}

static void set_gate_limit(struct world *world, int schedule)
{
    struct command command = {
        .kind = COMMAND_GATE,
        .namespace = world->operator.namespace,
        .name = drafts_gate(schedule % SIM_GATES),
        .limit = prng_between(&world->prng, 1, 4),
    };

    if (world->profile.gates_change)
        operator_ask(world, &command, -1, NULL);
}

/* Sometimes no limit at all. */
static void set_queue_limit(struct world *world, int schedule)
{
    struct command command = {
        .kind = COMMAND_QUEUE_LIMIT,
        .namespace = world->operator.namespace,
        .name = drafts_queue(schedule % SIM_QUEUES),
        .limit = prng_between(&world->prng, 0, 3),
    };

    if (world->profile.queues_change)
        operator_ask(world, &command, -1, NULL);
}

static void create(struct world *world, int schedule)
{
    bool is_there = world->operator.schedules[schedule].is_there;

    operator_request_create(world, is_there && !chance(world, 4) ? -1 : schedule);
}

static void hint_or_change_run(struct world *world, int schedule)
{
    const struct checked_draft *checked = world->operator.schedules[schedule].checked;

    if (checked && checked->record.is_governed)
        hint(world, schedule);
    else
        change_run(world, schedule);
}

/* What a world with a theme asks for half of the time. */
static void ask_by_theme(struct world *world, int schedule)
{
    enum { REQUESTS = 4 };
    static void (*const requests[][REQUESTS])(struct world *, int) = {
        [THEME_FOLLOW] = {trigger, trigger, pause_it, resume},
        [THEME_GOVERNED] = {hint, hint, pause_for_a_while, resume},
        [THEME_BACKFILL] = {skip, skip, pause_it, backfill},
    };

    requests[world->profile.theme][below(world, REQUESTS)](world, schedule);
}

void operator_request_make(struct world *world)
{
    /* Each as often as it is listed. */
    static void (*const requests[])(struct world *, int) = {
        update,
        update,
        update,
        pause_it,
        pause_it,
        resume,
        resume,
        resume,
        create,
        trigger,
        trigger,
        backfill,
        backfill,
        stop_backfill,
        skip,
        skip,
        unskip,
        delete,
        reset,
        pause_or_resume_queue,
        repeat,
        direct,
        hint_or_change_run,
        hint_or_change_run,
        hint_or_change_run,
        set_gate_limit,
        set_queue_limit,
        set_queue_limit,
        close_it,
    };
    const struct operator* op = & world->operator;
    int schedule = (int)below(world, (uint64_t)op->schedule_count);

    if (!op->schedules[schedule].is_there && chance(world, 2))
        operator_request_create(world, schedule);
    else if (world->profile.theme != THEME_NONE && chance(world, 2))
        ask_by_theme(world, schedule);
    else
        requests[below(world, sizeof requests / sizeof *requests)](world, schedule);
}

static void approve_all(struct world *world, int schedule)
{
    struct run runs[RUNS_MAX];
    int count = open_runs(world, &world->operator.schedules[schedule], runs);

    for (int i = 0; i < count; i++) {
        struct command command = new_command(world, COMMAND_APPROVE, schedule);

        if (runs[i].state != RUN_APPROVAL)
            continue;
        command.run.id = id_of(&runs[i]);
        operator_ask(world, &command, schedule, NULL);
    }
}

void operator_request_repair(struct world *world)
{
    const struct operator* op = & world->operator;

    /* More than once: an earlier pause may still be under way. */
    if (world->now < world->healed + MEND_UNITS * world->profile.unit)
        for (int i = 0; i < SIM_QUEUES; i++)
            set_queue(world, COMMAND_QUEUE_RESUME, i);
    for (int i = 0; i < op->schedule_count; i++)
        approve_all(world, i);
}
