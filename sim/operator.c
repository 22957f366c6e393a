/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator knows only the answers that it received: lost answers leave it wrong about
 * versions and names, and the engine has to cope.
 */
#include "sim/operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sim/drafts.h"
#include "sim/node.h"
#include "sim/operator_request.h"
#include "sim/trace.h"
#include "sim/world.h"

static struct sim_schedule *schedule_of(struct world *world, int command)
{
    int index = world->operator.operations[command].schedule;

    return index >= 0 ? &world->operator.schedules[index] : NULL;
}

/* Submitting. */

void operator_hand_in(struct world *world, int command)
{
    struct operation *operation = &world->operator.operations[command];
    struct sim_node *node = node_any(world);

    if (operation->is_over)
        return;
    if (operation->tries == OPERATOR_TRIES_MAX) {
        world_fail(world, "command %d is not answered by any node", command);
    } else if (node) {
        operation->tries++;
        node_hand_in(world, node, command);
        if (operation->is_prompt)
            node_wake(world, node, world->now + SPAN_MS);
    } else {
        world_at(world, world->now + world_delay(world, world->profile.unit), HAPPEN_HAND_IN,
                 command, 0);
    }
}

static void hand_in_later(struct world *world, int command)
{
    world_at(world, world->now + world_delay(world, world->profile.unit / 2), HAPPEN_HAND_IN,
             command, 0);
}

void operator_unheard(struct world *world, int command)
{
    /* Some give up; then the command was never executed. */
    if (!world_is_calm(world) && prng_chance(&world->prng, 1, 4))
        world->operator.operations[command].is_over = true;
    else
        hand_in_later(world, command);
}

const struct draft *operator_draft(const struct world *world, int command)
{
    const struct checked_draft *checked = world->operator.operations[command].checked;

    return checked ? &checked->draft : NULL;
}

static int prepare_command(struct world *world, const struct command *command, int schedule,
                           const struct checked_draft *checked)
{
    struct operator* op = & world->operator;
    struct command copy = *command;
    int index;

    copy.by = STR("operator");
    copy.name = arena_str(world->recorder.arena, command->name);
    copy.request = arena_str(world->recorder.arena, command->request);
    index = recorder_command(&world->recorder, &copy, checked ? checked->index : -1);
    must(index == op->operation_count);
    op->operations = recorder_room(op->operations, index, sizeof *op->operations);
    op->operations[op->operation_count++] = (struct operation){.checked = checked,
                                                               .schedule = schedule};
    return index;
}

int operator_ask(struct world *world, const struct command *command, int schedule,
                 const struct checked_draft *checked)
{
    int index = prepare_command(world, command, schedule, checked);

    operator_hand_in(world, index);
    return index;
}

int operator_ask_at(struct world *world, const struct command *command, int schedule,
                    instant at)
{
    int index = prepare_command(world, command, schedule, NULL);

    world->operator.operations[index].is_prompt = true;
    world_at(world, at, HAPPEN_HAND_IN, index, 0);
    return index;
}

/* The beginning: a namespace, then queues, then a calendar, then schedules. */

void operator_begin(struct world *world)
{
    struct command command = {.kind = COMMAND_NAMESPACE, .name = STR("sim")};

    world->operator.last_keyed = - 1;
    operator_ask(world, &command, -1, NULL);
}

void operator_end(struct world *world)
{
    struct operator* op = & world->operator;

    for (int i = 0; i < op->schedule_count; i++)
        if (op->schedules[i].is_there)
            op->lived += world->now - op->schedules[i].lived_from;
    free(op->operations);
    op->operations = NULL;
}

static void ask_for_queue(struct world *world)
{
    struct operator* op = & world->operator;
    struct command command = {.kind = COMMAND_QUEUE, .namespace = op->namespace};

    for (int i = 0; i < SIM_QUEUES; i++)
        if (op->queues[i] == 0) {
            command.name = drafts_queue(i);
            operator_ask(world, &command, -1, NULL);
            return;
        }
    operator_request_calendar(world, 0);
}

static void begin_work(struct world *world)
{
    world->operator.has_begun = true;
    workers_begin(world);
    for (int i = 0; i < world->profile.schedules; i++)
        operator_request_create(world, -1);
    world_at(world, world->now + world->profile.command_gap, HAPPEN_OPERATE, 0, 0);
}

static void heard_name(struct world *world, const struct rec_command *command,
                       const struct reply *reply)
{
    struct operator* op = & world->operator;

    if (reply->rc != RC_OK) {
        world_fail(world, "a namespace, queue or calendar was refused: %s", rc_name(reply->rc));
        return;
    }
    if (command->command.kind == COMMAND_CALENDAR) {
        if (!op->has_begun)
            begin_work(world);
        return;
    }
    if (command->command.kind == COMMAND_NAMESPACE) {
        op->namespace = reply->schedule;
    } else {
        int i = 0;

        while (op->queues[i] != 0)
            i++;
        op->queues[i] = reply->schedule;
    }
    ask_for_queue(world);
}

/* Answers. */

static void heard_written(struct world *world, struct sim_schedule *schedule,
                          const struct operation *operation, const struct reply *reply)
{
    must(schedule); /* an operation that writes names a schedule */
    if (!schedule->is_there || schedule->key != reply->schedule) {
        if (!schedule->is_there)
            schedule->lived_from = world->now;
        schedule->created = recorder_current(&world->recorder)->now;
    }
    schedule->is_there = true;
    schedule->key = reply->schedule;
    schedule->version = reply->version;
    schedule->checked = operation->checked;
}

static void heard_deleted(struct world *world, struct sim_schedule *schedule)
{
    must(schedule);
    if (schedule->is_there)
        world->operator.lived += world->now - schedule->lived_from;
    schedule->is_there = false;
}

static void heard_ok(struct world *world, const struct rec_command *command, int index,
                     const struct reply *reply)
{
    struct sim_schedule *schedule = schedule_of(world, index);

    switch (command->command.kind) {
    case COMMAND_CREATE:
    case COMMAND_UPDATE:
    case COMMAND_PUT:
        heard_written(world, schedule, &world->operator.operations[index], reply);
        break;
    case COMMAND_DELETE:
        heard_deleted(world, schedule);
        break;
    default:
        break;
    }
}

/* Other errors must not be the answer to a command. */
static bool is_expected(enum rc rc)
{
    return rc == RC_OK || rc == RC_CONFLICT || rc == RC_NOT_FOUND || rc == RC_INVALID ||
           rc == RC_LIMIT;
}

void operator_heard(struct world *world, int index, const struct reply *reply, bool is_heard)
{
    struct rec_command *command = &world->recorder.record.commands[index];
    const struct rec_turn *turn = recorder_current(&world->recorder);
    struct operation *operation = &world->operator.operations[index];

    if (reply->rc == RC_BUSY) {
        hand_in_later(world, index);
        return;
    }
    if (!is_expected(reply->rc))
        world_fail(world, "command %d was answered %s", index, rc_name(reply->rc));
    command->order = turn->order;
    command->at = turn->now;
    command->node = turn->node;
    command->is_heard = is_heard;
    command->reply = *reply;
    command->reply.text = arena_str(world->recorder.arena, reply->text);
    operation->is_over = true;
    if (command->command.kind == COMMAND_NAMESPACE || command->command.kind == COMMAND_QUEUE ||
        command->command.kind == COMMAND_CALENDAR)
        heard_name(world, command, reply);
    else if (is_heard && reply->rc == RC_OK)
        heard_ok(world, command, index, reply);
}

void operator_act(struct world *world)
{
    span gap = world->profile.command_gap;

    if (world->now < world->healed) {
        operator_request_make(world);
        world_at(world, world->now + world_delay(world, 2 * gap), HAPPEN_OPERATE, 0, 0);
    } else {
        operator_request_repair(world);
        world_at(world, world->now + 5 * world->profile.unit, HAPPEN_OPERATE, 0, 0);
    }
}
