/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as its executor receives it: the body of an HTTP call, the standard input of a program,
 * the grant of a worker, the input of a workflow.
 *
 * Written directly into a buffer without intermediate values, because it is done at every
 * start.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "core/run.h"
#include "model/grant_fields.h"

enum { PAYLOAD_ARENA_MAX = 8 << 20 }; /* an input and that of its run, merged */

/* Texts are UTF-8; JSON is as json_keep() wrote it. */
struct payload {
    const struct run *run;
    struct str id;                  /* r_… */
    struct str schedule, namespace; /* names; empty: no schedule */
    struct str input;               /* from payload_input(); empty: {} */
    struct str cron;         /* the expression of the slot, "0 9 * * * UTC"; empty: unknown */
    struct str last_result;  /* JSON; empty: none */
    struct str last_failure; /* JSON of an object, or text; empty: none */
    instant last_run_at;     /* INSTANT_NONE: none */
};

/* When this attempt began. */
instant payload_executed_at(const struct payload *payload);

/* Merges the action's input with the run's; the run's value wins for each key. */
struct str payload_input(struct str action_input, struct str run_input, struct arena *arena);

/*
 * The cron expression of a workflow's schedule by its index in the spec's list, read from the
 * stored action; empty if there is none, as for index -1.
 */
struct str payload_cron(struct str action, int index, struct arena *arena);

/* A workflow id as Temporal derives it from an action's id: "base-2026-01-05T10:00:00Z". */
void payload_workflow_id(struct str base, instant slot, struct buf *out);
enum { WORKFLOW_ID_SUFFIX = 32 }; /* maximum bytes after the base */

/* {"run", "schedule", "namespace", "kind", "attempt", …, "input", …}: the body of a call. */
void payload_print(const struct payload *payload, struct buf *out);

/*
 * The input of a workflow: payload->input plus scheduledTime and executionTime (milliseconds),
 * _startedByScheduler, _scheduledTime, _executedTime, _executionId and, if known,
 * _schedulerCron.  These replace the user's keys of the same names.
 */
void payload_print_workflow(const struct payload *payload, struct buf *out);

/*
 * The run as its worker receives it: the non-null fields of run_to_json(), "namespace",
 * "action", "lastResult" and "lastFailure", limited to `fields`.  `action` is stored JSON.
 *
 * The input is that of `action`, merged with that of the run; payload->input is ignored.  In
 * the queues of the jobs API, jobs:<org>, null values of its jobId and jobRunId become the id
 * of the run.  The workflowId of an action of Temporal's API gets the time of the slot
 * appended; header, memo and searchAttributes are unchanged.
 */
void grant_print(const struct payload *payload, struct str queue, struct str action,
                 field_set fields, struct buf *out);

/* Maximum bytes that a print function above writes, with the terminating zero. */
size_t payload_room(const struct payload *payload, struct str queue, struct str action);
