/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine as a subject: creates schedules by commands and fires by turns.  Every call of a
 * turn has succeeded by the next turn.
 */
#include <string.h>

#include "core/spec/spec_def.h"
#include "rig.h"

enum {
    TEXT_BYTES = 96,            /* a name, or a spec in JSON */
    BATCH_BYTES_MAX = 64 << 20, /* drafts of one turn */
};

#define ACTION                                                                       \
    "{\"type\":\"http\",\"method\":\"POST\",\"url\":\"http://127.0.0.1:7227/hook\"," \
    "\"timeout\":\"30s\"}"

struct maker {
    struct rig rig;
    const struct load *load;
    struct arena *arena;
    int64_t namespace;
    struct command commands[BATCH];
};

struct subject_state {
    struct rig rig;
    struct load load;
    int64_t turns, started;
    struct report reports[TURN_REPORTS_MAX];
    int report_count;
};

static void check_replies(const struct turn_out *out)
{
    for (int i = 0; i < out->reply_count; i++)
        if (out->replies[i].rc != RC_OK)
            DIE("command %d was refused: %.*s", i, STR_ARG(out->replies[i].text));
}

static int64_t make_namespace(struct maker *maker)
{
    struct command command = {.kind = COMMAND_NAMESPACE, .name = STR("bench"), .by = STR("me")};
    struct turn_in in = rig_due(EPOCH, BATCH);
    struct turn_out out;

    in.commands = &command;
    in.command_count = 1;
    rig_turn(&maker->rig, &in, &out);
    check_replies(&out);
    return out.replies[0].schedule;
}

static struct buf text_buf(struct arena *arena)
{
    return (struct buf){.ptr = arena_take(arena, TEXT_BYTES), .cap = TEXT_BYTES};
}

static struct str compile(struct maker *maker, int64_t index, struct spec *ret)
{
    struct arena *arena = maker->arena;
    span phase = load_phase(maker->load, index);
    struct cron_def cron = {.expr = STR("* * * * *"), .dialect = DIALECT_BELFRY};
    struct interval_def interval = {.every = SPAN_MIN, .phase = phase % SPAN_MIN};
    struct spec_def def = spec_def_empty();
    struct buf text;
    struct err err;

    if (maker->load->spread == ON_THE_MINUTE) {
        def.cron = &cron;
        def.cron_count = 1;
    } else {
        def.intervals = &interval;
        def.interval_count = 1;
    }
    if (spec_compile(&def, STR("bench"), &maker->rig.source, arena, ret, &err) != RC_OK)
        DIE("spec: %s", err.text);
    if (maker->load->spread == ON_THE_MINUTE)
        return STR("{\"cron\":[\"* * * * *\"]}");
    text = text_buf(arena);
    buf_printf(&text, "{\"intervals\":[{\"every\":\"1m\",\"phase\":\"%lldms\"}]}",
               (long long)(interval.phase / SPAN_MS));
    return buf_as_str(&text);
}

static struct command create(struct maker *maker, int64_t index)
{
    struct draft *draft = arena_take(maker->arena, sizeof *draft);
    struct buf name = text_buf(maker->arena);

    buf_printf(&name, "bench-%lld", (long long)index);
    draft->plan.policies = policies_default();
    draft->plan.lane = LANE_HTTP;
    draft->plan.seed = STR("bench");
    draft->spec = compile(maker, index, &draft->plan.spec);
    draft->action = STR(ACTION);
    draft->policies = STR("{}");
    draft->description = STR("");
    return (struct command){
        .kind = COMMAND_CREATE,
        .namespace = maker->namespace,
        .name = buf_as_str(&name),
        .by = STR("me"),
        .save = {.draft = draft, .start.overlap = OVERLAP_DEFAULT},
    };
}

static void make_batch(struct maker *maker, int64_t first)
{
    struct turn_in in = rig_due(EPOCH, BATCH);
    struct turn_out out;

    arena_reset(maker->arena);
    for (int i = 0; i < BATCH; i++)
        maker->commands[i] = create(maker, first + i);
    in.commands = maker->commands;
    in.command_count = BATCH;
    rig_turn(&maker->rig, &in, &out);
    check_replies(&out);
}

static void engine_make(const struct load *load)
{
    struct maker *maker = calloc(1, sizeof *maker);

    if (!maker)
        DIE("out of memory");
    rig_open(&maker->rig, load->url, EPOCH);
    maker->load = load;
    maker->arena = arena_new(BATCH_BYTES_MAX);
    maker->namespace = make_namespace(maker);
    for (int64_t first = 0; first < load->schedules; first += BATCH)
        make_batch(maker, first);
    arena_free(maker->arena);
    rig_close(&maker->rig);
    free(maker);
}

static void *engine_open(const struct load *load)
{
    struct subject_state *state = calloc(1, sizeof *state);

    if (!state)
        DIE("out of memory");
    state->load = *load;
    rig_open(&state->rig, load->url, EPOCH);
    return state;
}

static struct report success_of(const struct run *run)
{
    return (struct report){
        .kind = REPORT_DONE,
        .run = {.schedule = run->schedule,
                .slot_ms = run->slot / SPAN_MS,
                .pass = (uint32_t)run->pass},
        .fence = run->fence,
        .outcome = OUTCOME_SUCCEEDED,
    };
}

static int64_t turn(struct subject_state *state, struct turn_in in)
{
    struct turn_out out;
    int64_t ended = state->report_count;

    in.reports = state->reports;
    in.report_count = state->report_count;
    rig_turn(&state->rig, &in, &out);
    for (int i = 0; i < out.report_count; i++)
        if (out.report_replies[i].rc != RC_OK)
            DIE("report %d was refused", i);
    for (int i = 0; i < out.dispatch_count; i++)
        state->reports[i] = success_of(&out.dispatches[i].run);
    state->report_count = out.dispatch_count;
    state->started += out.dispatch_count;
    return ended;
}

static int64_t engine_fire(void *subject, int64_t count)
{
    struct subject_state *state = subject;
    int64_t ended = 0;

    while (ended < count) {
        instant now = load_now(&state->load, state->turns++, state->started);

        ended += turn(state, rig_due(now, load_batch(&state->load)));
        if (state->report_count == 0)
            DIE("the engine finds nothing due");
    }
    return ended;
}

static void engine_close(void *subject)
{
    struct subject_state *state = subject;
    struct turn_in last = rig_due(load_now(&state->load, state->turns, state->started), BATCH);

    last.hold = true;
    turn(state, last);
    rig_close(&state->rig);
    free(state);
}

const struct subject subject_engine = {engine_make, engine_open, engine_fire, engine_close};
