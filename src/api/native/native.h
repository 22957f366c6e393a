/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the native API, for the table of operations.  Their names end with the member
 * of struct operation that they are for: _begin, _read or _settled.
 */
#pragma once

#include "api/call/operation.h"

/* Schedules: native_schedules.c, native_schedule_*.c, native_next.c */
call_fn schedule_create_begin, schedule_put_begin, schedule_write_settled, schedule_patch_begin,
    schedule_patch_settled, schedule_pause_begin, schedule_run_begin, schedule_get_begin,
    schedule_next_begin, schedule_resume_begin, schedule_skip_begin, schedule_skip_settled,
    schedule_exception_begin, schedule_exception_settled, schedule_backfill_begin,
    schedule_backfill_settled, schedule_hint_begin, schedule_health_begin, schedule_slots_begin,
    schedule_explain_begin, schedule_diff_begin, schedule_list_begin, schedule_export_begin;
call_read_fn schedule_patch_read, schedule_get_read, schedule_written_read, schedule_next_read,
    schedule_resume_read, schedule_skip_read, schedule_exceptions_read, schedule_backfill_read,
    schedule_health_read, schedule_slots_read, schedule_explain_read, schedule_diff_read,
    schedule_list_read, schedule_export_read;

/* Backfills: native_schedule_backfill.c, native_backfills.c */
call_fn backfill_list_begin, schedule_backfills_begin, backfill_get_begin, backfill_stop_begin;
call_read_fn backfill_list_read, schedule_backfills_read, backfill_get_read;

/* Many schedules, and a schedule that is not stored: native_bulk*.c, native_preview.c */
call_fn schedule_bulk_begin, schedule_bulk_settled, schedule_bulk_diff_begin, preview_begin;
call_read_fn schedule_bulk_diff_read, preview_read;

/* Runs: native_run*.c */
call_fn run_get_begin, run_change_begin, run_change_settled, run_retry_begin, run_retry_settled,
    run_approve_begin, run_reject_begin, run_attempts_begin, run_logs_begin, run_list_begin;
call_read_fn run_get_read, run_change_read, run_retry_read, run_attempts_read, run_logs_read,
    run_list_read;

/* Workers: native_claim.c; native_workers.c for a batch of runs and for one run */
call_fn queue_claim_begin, queue_claim_settled, runs_report_begin, runs_report_settled,
    run_report_begin, run_report_settled;

/* Named objects: native_namespaces.c, native_queues.c, native_calendars.c, native_gates.c */
call_fn namespace_put_begin, namespace_put_settled, queue_change_begin, queue_put_begin,
    calendar_put_begin, calendar_delete_begin, gate_put_begin, gate_delete_begin;
call_read_fn namespace_list_read, namespace_get_read, queue_list_read, queue_get_read,
    queue_change_read, calendar_get_read, calendar_list_read, gate_delete_read, gate_get_read,
    gate_list_read;

/* Access: native_tokens.c, native_audit.c */
call_fn token_create_begin, token_create_settled, token_list_begin, token_delete_begin,
    audit_list_begin, audit_verify_begin;
call_read_fn token_list_read, token_delete_read, audit_list_read, audit_verify_read;

/* The server: native_{events,metrics,summary,nodes,health}.c */
call_fn event_list_begin, metrics_begin, summary_begin, node_list_begin, health_begin,
    ready_begin, version_begin, clock_accept_begin, clock_accept_settled;
call_read_fn event_list_read, metrics_read, summary_read, node_list_read;
