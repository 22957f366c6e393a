/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as whoever carries it out gets to know it: the body of a call, the standard input of
 * a program, the grant of a worker, the input of a workflow.
 *
 * Written straight into a buffer, without values in between: it is done at every fire.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "core/run.h"
#include "model/grant_fields.h"

enum { PAYLOAD_ARENA_MAX = 4 << 20 }; /* two inputs of ACTION_INPUT_MAX as one */

/* Texts are UTF-8, and JSON is as json_keep() kept it. */
struct payload {
    const struct run *run;
    struct str id;                  /* r_…                                        */
    struct str schedule, namespace; /* names; no schedule: empty                  */
    struct str input;               /* payload_input(); empty: {}                 */
    struct str cron;                /* "0 9 * * * UTC", whose slot it is; empty: not known */
    struct str last_result;         /* JSON; empty: none                                   */
    struct str last_failure;        /* JSON of an object, or text; empty: none             */
    instant last_run_at;            /* INSTANT_NONE: none                                  */
};

/* When this attempt began. */
instant payload_executed_at(const struct payload *payload);

/* An action's input with that of the run; the run's wins key by key. */
struct str payload_input(struct str action_input, struct str run_input, struct arena *arena);

/*
 * The expression of a workflow's schedule by its place in the spec's list, out of the action
 * that was kept; empty when there is none, as for a place of -1.
 */
struct str payload_cron(struct str action, int place, struct arena *arena);

/* A workflow's id as Temporal makes it of an action's: "base-2026-01-05T10:00:00Z". */
void payload_workflow_id(struct str base, instant slot, struct buf *out);
enum { WORKFLOW_ID_SUFFIX = 32 }; /* bytes of it behind the base, at the most */

/* {"run", "schedule", "namespace", "kind", "attempt", …, "input", …}: what a call says. */
void payload_print(const struct payload *payload, struct buf *out);

/*
 * The input of a workflow: payload->input with scheduledTime and executionTime (milliseconds),
 * _startedByScheduler, _scheduledTime, _executedTime, _executionId and, where it is known,
 * _schedulerCron, which come before the user's keys of these names.
 */
void payload_print_workflow(const struct payload *payload, struct buf *out);

/*
 * The run as its worker gets it: the fields of run_to_json() that are not null, "namespace",
 * "action", "lastResult" and "lastFailure"; of them those that are asked for.  payload->input
 * does not count: the input is put together from the run's and that of `action`, the JSON that
 * was kept.  In the queues of the jobs API, jobs:<org>, its jobId and jobRunId are the run's id
 * where they are null: whoever made the schedule could not know it.  An action of Temporal's
 * API has the slot's time behind its workflowId, and header, memo and searchAttributes as they
 * are.
 */
void grant_print(const struct payload *payload, struct str queue, struct str action,
                 field_set fields, struct buf *out);

/* Bytes that any of the three takes at the most, with the closing zero. */
size_t payload_room(const struct payload *payload, struct str queue, struct str action);
