/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table.  Of two paths that fit a request the first one counts, so that a word stands
 * before a variable.
 */
#include "api/native.h"
#include "api/operation.h"

enum { SMALL_BODY = 4096 }; /* bytes: a reason, a few names */

#define V1 "/api/v1"

const struct operation operations[] = {
    /* Workers come first: they ask most. */
    {"queue.claim", "POST", V1 "/queues/claim", RIGHT_WORK, 64 * 1024,
     "Take runs from queues, waiting for them", queue_claim_begin, NULL, queue_claim_settled},
    {"runs.complete", "POST", V1 "/runs/complete", RIGHT_WORK, CALL_BODY_MAX,
     "Say that runs have succeeded", runs_complete_begin, NULL, runs_report_settled},
    {"runs.heartbeat", "POST", V1 "/runs/heartbeat", RIGHT_WORK, CALL_BODY_MAX,
     "Say that runs are being worked on", runs_heartbeat_begin, NULL, runs_report_settled},
    {"runs.fail", "POST", V1 "/runs/fail", RIGHT_WORK, CALL_BODY_MAX,
     "Say that runs have failed", runs_fail_begin, NULL, runs_report_settled},
    {"runs.release", "POST", V1 "/runs/release", RIGHT_WORK, CALL_BODY_MAX, "Hand runs back",
     runs_release_begin, NULL, runs_report_settled},
    {"run.complete", "POST", V1 "/runs/{run}/complete", RIGHT_WORK, CALL_BODY_MAX,
     "Say that a run has succeeded", run_complete_begin, NULL, run_report_settled},
    {"run.heartbeat", "POST", V1 "/runs/{run}/heartbeat", RIGHT_WORK, CALL_BODY_MAX,
     "Say that a run is being worked on", run_heartbeat_begin, NULL, run_report_settled},
    {"run.fail", "POST", V1 "/runs/{run}/fail", RIGHT_WORK, CALL_BODY_MAX,
     "Say that a run has failed", run_fail_begin, NULL, run_report_settled},
    {"run.release", "POST", V1 "/runs/{run}/release", RIGHT_WORK, CALL_BODY_MAX,
     "Hand a run back", run_release_begin, NULL, run_report_settled},

    {"schedule.create", "POST", V1 "/schedules", RIGHT_EDIT, CALL_BODY_MAX, "Create a schedule",
     schedule_create_begin, schedule_get_read, schedule_write_settled},
    {"schedule.list", "GET", V1 "/schedules", RIGHT_VIEW, 0, "List schedules by id",
     schedule_list_begin, schedule_list_read, NULL},
    {"schedule.get", "GET", V1 "/schedules/{schedule}", RIGHT_VIEW, 0, "Show a schedule",
     schedule_get_begin, schedule_get_read, NULL},
    {"schedule.put", "PUT", V1 "/schedules/{schedule}", RIGHT_EDIT, CALL_BODY_MAX,
     "Create or replace a schedule", schedule_put_begin, schedule_get_read,
     schedule_write_settled},
    {"schedule.delete", "DELETE", V1 "/schedules/{schedule}", RIGHT_EDIT, 0,
     "Delete a schedule", schedule_delete_begin, NULL, schedule_delete_settled},
    {"schedule.pause", "POST", V1 "/schedules/{schedule}/pause", RIGHT_OPERATE, SMALL_BODY,
     "Pause a schedule, until a time or until it is resumed", schedule_pause_begin,
     schedule_get_read, schedule_write_settled},
    {"schedule.resume", "POST", V1 "/schedules/{schedule}/resume", RIGHT_OPERATE, SMALL_BODY,
     "Resume a schedule", schedule_resume_begin, schedule_get_read, schedule_write_settled},
    {"schedule.trigger", "POST", V1 "/schedules/{schedule}/trigger", RIGHT_OPERATE,
     CALL_BODY_MAX, "Start a run of a schedule now", schedule_trigger_begin, NULL,
     schedule_trigger_settled},
    {"schedule.next", "GET", V1 "/schedules/{schedule}/next", RIGHT_VIEW, 0,
     "Show when a schedule will run", schedule_next_begin, schedule_next_read, NULL},
    {"schedule.bulk", "POST", V1 "/bulk/schedules", RIGHT_EDIT, CALL_BODY_MAX,
     "Create many schedules", schedule_bulk_begin, NULL, schedule_bulk_settled},

    {"run.list", "GET", V1 "/runs", RIGHT_VIEW, 0, "List runs, the newest first",
     run_list_begin, run_list_read, NULL},
    {"run.get", "GET", V1 "/runs/{run}", RIGHT_VIEW, 0, "Show a run with its attempts",
     run_get_begin, run_get_read, NULL},
    {"run.cancel", "POST", V1 "/runs/{run}/cancel", RIGHT_OPERATE, SMALL_BODY,
     "Cancel a run: ask whoever works on it to stop", run_cancel_begin, NULL,
     run_change_settled},
    {"run.terminate", "POST", V1 "/runs/{run}/terminate", RIGHT_OPERATE, SMALL_BODY,
     "End a run at once", run_terminate_begin, NULL, run_change_settled},
    {"run.logs", "GET", V1 "/runs/{run}/logs", RIGHT_VIEW, 0, "Show what a run has logged",
     run_logs_begin, run_logs_read, NULL},

    {"queue.list", "GET", V1 "/queues", RIGHT_VIEW, 0, "List queues by name", queue_list_begin,
     queue_list_read, NULL},
    {"queue.get", "GET", V1 "/queues/{queue}", RIGHT_VIEW, 0,
     "Show a queue: how many runs wait, and since when", queue_get_begin, queue_get_read, NULL},
    {"queue.pause", "POST", V1 "/queues/{queue}/pause", RIGHT_OPERATE, SMALL_BODY,
     "Give out no runs of a queue", queue_change_begin, queue_pause_read, queue_change_settled},
    {"queue.resume", "POST", V1 "/queues/{queue}/resume", RIGHT_OPERATE, SMALL_BODY,
     "Give out runs of a queue again", queue_change_begin, queue_resume_read,
     queue_change_settled},

    {"namespace.list", "GET", V1 "/namespaces", RIGHT_SERVER, 0, "List namespaces",
     namespace_list_begin, namespace_list_read, NULL},
    {"namespace.put", "PUT", V1 "/namespaces/{namespace}", RIGHT_SERVER, 128 * 1024,
     "Create a namespace or change its settings", namespace_put_begin, NULL,
     namespace_put_settled},

    {"token.create", "POST", V1 "/tokens", RIGHT_ADMIN, SMALL_BODY,
     "Make a token; its secret is shown this once", token_create_begin, NULL,
     token_create_settled},
    {"token.list", "GET", V1 "/tokens", RIGHT_ADMIN, 0, "List tokens", token_list_begin,
     token_list_read, NULL},
    {"token.delete", "DELETE", V1 "/tokens/{token}", RIGHT_ADMIN, 0, "Revoke a token",
     token_delete_begin, token_delete_read, token_delete_settled},
    {"audit.verify", "GET", V1 "/audit/verify", RIGHT_SERVER, 0,
     "Check that no entry of the audit was changed", audit_verify_begin, audit_verify_read,
     NULL},
    {"audit.list", "GET", V1 "/audit", RIGHT_ADMIN, 0,
     "List who changed what, the newest first", audit_list_begin, audit_list_read, NULL},

    {"health", "GET", "/healthz", RIGHT_NONE, 0, "Whether the process lives", health_begin,
     NULL, NULL},
    {"ready", "GET", "/readyz", RIGHT_NONE, 0, "Whether the server may be used", ready_begin,
     NULL, NULL},
    {"version", "GET", "/version", RIGHT_NONE, 0, "What the server is", version_begin, NULL,
     NULL},
    {"clock.accept", "POST", V1 "/clock/accept", RIGHT_SERVER, SMALL_BODY,
     "Go on after a jump of the clock", clock_accept_begin, NULL, clock_accept_settled},
};

const int operation_count = sizeof operations / sizeof operations[0];
