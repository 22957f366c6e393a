/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drafts of schedules, commands, and how runs end.
 */
#include "harness_internal.h"
#include "zones.h"

enum { NAMES_MAX = 4096, POLLS_MAX = 64, SUBMIT_MAX = 1000 };

struct named_key {
    char name[64];
    int64_t key;
};

/* The end of the next attempt of a slot. */
struct end {
    instant slot, at;
    enum outcome outcome;
    const char *text;
    bool is_used;
};

static struct named_key names[NAMES_MAX], queues[8];
static int name_count, queue_count;
static struct end planned_ends[ENDS_MAX];
static int end_count;
static struct poll polls[POLLS_MAX];

void next_input_begin(void)
{
    next_input = (struct next_input){.polls = polls};
    name_count = queue_count = end_count = 0;
    read_begin();
}

static void remember_name(struct str name, int64_t key)
{
    must(name_count < NAMES_MAX);
    snprintf(names[name_count].name, sizeof names[0].name, "%.*s", STR_ARG(name));
    names[name_count++].key = key;
}

/* The latest schedule of a name: an earlier one was deleted. */
int64_t key_of(const char *name)
{
    for (int i = name_count; i-- > 0;)
        if (strcmp(names[i].name, name) == 0)
            return names[i].key;
    fail_test("no schedule %s was created", name);
}

const char *name_of(int64_t schedule)
{
    for (int i = name_count; i-- > 0;)
        if (names[i].key == schedule)
            return names[i].name;
    return "?";
}

struct test_schedule no_slots(void)
{
    struct test_schedule w = {.def = spec_def_empty()};

    w.draft = (struct draft){.spec = STR("{}"), .action = STR("{}"), .policies = STR("{}")};
    w.draft.plan.policies = policies_default();
    w.draft.plan.lane = LANE_HTTP;
    w.draft.plan.seed = STR("mynsid-myschedule");
    return w;
}

struct test_schedule every(span length)
{
    struct test_schedule w = no_slots();

    w.def.intervals = arena_take(world.arena, sizeof *w.def.intervals);
    w.def.intervals[0] = (struct interval_def){.every = length, .anchor = ANCHOR_EPOCH};
    w.def.interval_count = 1;
    return w;
}

struct test_schedule cron(const char *expr)
{
    struct test_schedule w = no_slots();

    w.def.cron = arena_take(world.arena, sizeof *w.def.cron);
    w.def.cron[0] = (struct cron_def){.expr = str_of(expr), .dialect = DIALECT_BELFRY};
    w.def.cron_count = 1;
    return w;
}

struct test_schedule once(const char *text)
{
    struct test_schedule w = no_slots();

    w.def.at = arena_take(world.arena, sizeof *w.def.at);
    w.def.at[0] = when(text);
    w.def.at_count = 1;
    return w;
}

struct test_schedule governed(span interval)
{
    struct test_schedule w = no_slots();

    w.draft.plan.is_governed = true;
    w.draft.plan.governor_backoff = true;
    w.draft.plan.governor_interval = interval;
    return w;
}

struct test_schedule temporal(struct test_schedule w)
{
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    w.draft.plan.policies.catchup_window = 365 * SPAN_DAY;
    w.draft.plan.policies.drop_when_full = true;
    w.draft.plan.policies.expires_at_start = true;
    w.draft.plan.policies.wants_last = true;
    w.draft.plan.policies.idle_close = 7 * SPAN_DAY;
    return w;
}

struct test_schedule pulled(struct test_schedule w)
{
    w.draft.plan.lane = LANE_PULL;
    w.draft.queue = STR("q");
    return w;
}

struct test_schedule overlapping(struct test_schedule w, enum overlap overlap)
{
    w.draft.plan.policies.overlap = overlap;
    return w;
}

const struct draft *draft_of(struct test_schedule *w)
{
    struct zone_source zones = {.find = zone_find};
    struct plan *plan = &w->draft.plan;
    struct err err = {.text = ""};

    if (spec_compile(&w->def, plan->seed, &zones, world.arena, &plan->spec, &err) != RC_OK)
        fail_test("%s: %s", err.field, err.text);
    plan->follows = plan_follows(plan);
    return &w->draft;
}

struct command command_for(enum command_kind kind, const char *name)
{
    struct command command = command_new(kind);

    command.tag = 7;
    command.namespace = world.namespace;
    command.name = str_of(name);
    command.by = STR("someone");
    return command;
}

struct reply submit(const struct command *command)
{
    struct reply reply = {.rc = RC_BUSY};
    struct test_node *node = first_up();

    for (int i = 0; i < SUBMIT_MAX && reply.rc == RC_BUSY; i++) {
        next_input.commands = command;
        next_input.command_count = 1;
        turn(node);
        next_input.command_count = 0;
        reply = node->out.replies[0];
    }
    if (reply.tag != command->tag)
        fail_test("the reply is to tag %llu", (unsigned long long)reply.tag);
    reply.text = arena_str(world.arena, reply.text);
    if (reply.rc == RC_OK && command_saves(command->kind) && command->kind != COMMAND_DIRECT)
        remember_name(command->name, reply.schedule);
    settle();
    return reply;
}

void submit_together(const struct command *commands, int count, enum rc *ret)
{
    struct test_node *node = first_up();

    next_input.commands = commands;
    next_input.command_count = count;
    turn(node);
    next_input.command_count = 0;
    for (int i = 0; i < count; i++)
        ret[i] = node->out.replies[i].rc;
    settle();
}

static struct reply submit_checked(const struct command *command)
{
    struct reply reply = submit(command);

    if (reply.rc != RC_OK)
        fail_test("command %d on %.*s: %s: %.*s", (int)command->kind, STR_ARG(command->name),
                  rc_name(reply.rc), STR_ARG(reply.text));
    return reply;
}

struct reply submit_ok(enum command_kind kind, const char *name)
{
    struct command command = command_for(kind, name);

    return submit_checked(&command);
}

int64_t create(const char *name, struct test_schedule w)
{
    struct command command = command_for(COMMAND_CREATE, name);

    command.save.draft = draft_of(&w);
    return submit_checked(&command).schedule;
}

struct reply update(const char *name, int64_t version, struct test_schedule w)
{
    struct command command = command_for(COMMAND_UPDATE, name);

    command.save.draft = draft_of(&w);
    command.version = version;
    return submit(&command);
}

void pause_it(const char *name, const char *reason)
{
    struct command command = command_for(COMMAND_PAUSE, name);

    command.pause.reason = str_of(reason);
    submit_checked(&command);
}

void resume(const char *name)
{
    submit_ok(COMMAND_RESUME, name);
}

struct run_id trigger(const char *name, enum overlap overlap)
{
    struct command command = command_for(COMMAND_TRIGGER, name);

    command.start.overlap = overlap;
    return submit_checked(&command).run;
}

struct reply backfill(const char *name, const char *from, const char *until,
                      enum overlap overlap)
{
    struct command command = command_for(COMMAND_BACKFILL, name);
    struct range range = {.from = when(from), .until = when(until), .overlap = overlap};

    command.backfill = (struct backfill_args){&range, 1};
    return submit_checked(&command);
}

struct run_id run_of(const char *name, const char *slot)
{
    return (struct run_id){key_of(name), when(slot) / SPAN_MS, 0};
}

struct reply submit_run(enum command_kind kind, struct run_id run)
{
    struct command command = command_for(kind, "");

    command.run.id = run;
    command.schedule = run.schedule;
    return submit(&command);
}

static const struct end *end_of(instant slot)
{
    for (int i = 0; i < end_count; i++)
        if (!planned_ends[i].is_used && planned_ends[i].slot == slot) {
            planned_ends[i].is_used = true;
            return &planned_ends[i];
        }
    return NULL;
}

static void answer_poll(uint64_t tag)
{
    for (int i = 0; i < next_input.poll_count; i++)
        if (polls[i].tag == tag && --polls[i].max == 0) {
            polls[i] = polls[--next_input.poll_count];
            return;
        }
}

void add_call(struct test_node *node, const struct assignment *work, bool is_granted)
{
    struct call *call = &world.calls[world.call_count++];
    const struct end *end = end_of(work->run.slot);

    must(world.call_count <= CALLS_MAX);
    *call = (struct call){.work = *work,
                          .node = node,
                          .is_open = true,
                          .is_granted = is_granted,
                          .at = world.now,
                          .ends_at = INSTANT_NEVER,
                          .outcome = OUTCOME_SUCCEEDED,
                          .text = NULL};
    call->work.id = arena_str(world.arena, work->id);
    call->work.name = arena_str(world.arena, work->name);
    call->work.last_result = arena_str(world.arena, work->last_result);
    call->work.last_failure = arena_str(world.arena, work->last_failure);
    call->work.run.worker = arena_str(world.arena, work->run.worker);
    call->work.run.input = arena_str(world.arena, work->run.input);
    if (end) {
        call->ends_at = end->at;
        call->outcome = end->outcome;
        call->text = end->text;
    } else if (world.call_length != INSTANT_NEVER) {
        call->ends_at = world.now + world.call_length;
    }
    if (is_granted)
        answer_poll(work->poll);
    event_start(call);
}

void ends_with(const char *slot, const char *at, enum outcome outcome, const char *text)
{
    must(end_count < ENDS_MAX);
    planned_ends[end_count++] = (struct end){when(slot), when(at), outcome, text, false};
}

void ends(const char *slot, const char *at, enum outcome outcome)
{
    ends_with(slot, at, outcome, outcome == OUTCOME_SUCCEEDED ? NULL : "oops");
}

struct call *call_of(const char *slot)
{
    struct call *found = NULL;

    for (int i = 0; i < world.call_count; i++)
        if (world.calls[i].work.run.slot == when(slot) && (!found || world.calls[i].is_open))
            found = &world.calls[i];
    if (!found)
        fail_test("no run of %s was handed out", slot);
    return found;
}

void end_now(struct call *call, enum outcome outcome)
{
    must(call->is_open);
    call->outcome = outcome;
    call->text = outcome == OUTCOME_SUCCEEDED ? NULL : "oops";
    call->ends_at = world.now;
    settle();
}

struct report make_report(const struct call *call, enum report_kind kind, enum outcome outcome)
{
    const struct run *run = &call->work.run;

    return (struct report){.kind = kind,
                           .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
                           .fence = run->fence,
                           .outcome = outcome};
}

enum rc send_report(const struct call *call, const struct report *done)
{
    struct test_node *node = call->is_granted || !call->node->is_up ? first_up() : call->node;

    next_input.report = done;
    turn(node);
    next_input.report = NULL;
    return world.last_report.rc;
}

enum rc report(const struct call *call, enum report_kind kind, enum outcome outcome)
{
    struct report done = make_report(call, kind, outcome);

    return send_report(call, &done);
}

int calls_open(void)
{
    int count = 0;

    for (int i = 0; i < world.call_count; i++)
        count += world.calls[i].is_open;
    return count;
}

int64_t queue_of(const char *name)
{
    for (int i = 0; i < queue_count; i++)
        if (strcmp(queues[i].name, name) == 0)
            return queues[i].key;
    must(queue_count < (int)(sizeof queues / sizeof queues[0]));
    snprintf(queues[queue_count].name, sizeof queues[0].name, "%s", name);
    queues[queue_count].key = submit_ok(COMMAND_QUEUE, name).schedule;
    return queues[queue_count++].key;
}

void poll_for(const char *queue, int max, const char *worker)
{
    static uint64_t tag;
    struct poll poll = {.tag = ++tag,
                        .queues = {queue_of(queue)},
                        .queue_count = 1,
                        .max = max,
                        .worker = str_of(worker),
                        .is_new = true};

    must(next_input.poll_count < POLLS_MAX);
    polls[next_input.poll_count++] = poll;
    settle();
}

void poll_none(void)
{
    next_input.poll_count = 0;
}
