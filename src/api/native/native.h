/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the native API, for the table of operations.
 *
 * They are named <operation>_begin, _read and _settled, after the members of struct operation.
 */
#pragma once

#include "api/call/operation.h"

/* native_schedules.c */
call_fn schedule_create_begin, schedule_put_begin, schedule_write_settled,
    schedule_delete_begin, schedule_delete_settled, schedule_pause_begin,
    schedule_trigger_begin, schedule_patch_begin, schedule_patch_settled, schedule_test_begin;
call_read_fn schedule_patch_read;

/* native_bulk.c */
call_fn schedule_bulk_begin, schedule_bulk_settled, schedule_bulk_update_begin,
    schedule_bulk_put_begin, schedule_bulk_pause_begin, schedule_bulk_resume_begin,
    schedule_bulk_delete_begin;

/* native_views.c */
call_fn schedule_get_begin;
call_read_fn schedule_get_read, schedule_written_read;

/* native_next.c */
call_fn schedule_next_begin;
call_read_fn schedule_next_read;

/* native_runs.c */
call_fn run_get_begin, run_cancel_begin, run_terminate_begin, run_change_settled;
call_read_fn run_get_read, run_change_read;

/* native_run_again.c */
call_fn run_retry_begin, run_retry_settled, run_approve_begin, run_reject_begin,
    run_attempts_begin;
call_read_fn run_retry_read, run_attempts_read;

/* native_run_logs.c */
call_fn run_logs_begin;
call_read_fn run_logs_read;

/* native_events.c */
call_fn event_list_begin;
call_read_fn event_list_read;

/* native_run_list.c */
call_fn run_list_begin;
call_read_fn run_list_read;

/* native_claim.c */
call_fn queue_claim_begin, queue_claim_settled;

/* native_workers.c: for a batch of runs, and for the run that the path names */
call_fn runs_heartbeat_begin, runs_complete_begin, runs_fail_begin, runs_release_begin,
    runs_report_settled, run_heartbeat_begin, run_complete_begin, run_fail_begin,
    run_release_begin, run_report_settled;

/* native_namespaces.c */
call_fn namespace_get_begin, namespace_put_begin, namespace_put_settled;
call_read_fn namespace_list_read, namespace_get_read;

/* native_queues.c */
call_fn queue_get_begin, queue_change_begin, queue_change_settled, queue_put_begin;
call_read_fn queue_list_read, queue_get_read, queue_pause_read, queue_resume_read;

/* native_tokens.c */
call_fn token_create_begin, token_create_settled, token_list_begin, token_delete_begin,
    token_delete_settled;
call_read_fn token_list_read, token_delete_read;

/* native_audit.c */
call_fn audit_list_begin, audit_verify_begin;
call_read_fn audit_list_read, audit_verify_read;

/* native_metrics.c, native_summary.c, native_nodes.c */
call_fn metrics_begin, summary_begin, node_list_begin;
call_read_fn metrics_read, summary_read, node_list_read;

/* native_health.c */
call_fn health_begin, ready_begin, version_begin, clock_accept_begin, clock_accept_settled;

/* native_schedule_resume.c */
call_fn schedule_resume_begin;
call_read_fn schedule_resume_read;

/* native_schedule_skip.c */
call_fn schedule_skip_begin, schedule_skip_settled, schedule_except_begin,
    schedule_unexcept_begin, schedule_except_settled, schedule_exceptions_begin;
call_read_fn schedule_skip_read, schedule_exceptions_read;

/* native_schedule_backfill.c */
call_fn schedule_backfill_begin, schedule_backfill_settled;
call_read_fn schedule_backfill_read;

/* native_schedule_hint.c */
call_fn schedule_hint_begin, schedule_unhint_begin, schedule_archive_begin,
    schedule_reset_begin;

/* native_schedule_health.c */
call_fn schedule_health_begin;
call_read_fn schedule_health_read;

/* native_schedule_slots.c */
call_fn schedule_slots_begin;
call_read_fn schedule_slots_read;

/* native_schedule_explain.c */
call_fn schedule_explain_begin;
call_read_fn schedule_explain_read;

/* native_schedule_diff.c */
call_fn schedule_diff_begin;
call_read_fn schedule_diff_read;

/* native_schedule_list.c */
call_fn schedule_list_begin;
call_read_fn schedule_list_read;

/* native_schedule_export.c */
call_fn schedule_export_begin;
call_read_fn schedule_export_read;

/* native_bulk_diff.c */
call_fn schedule_bulk_diff_begin;
call_read_fn schedule_bulk_diff_read;

/* native_preview.c */
call_fn preview_begin;
call_read_fn preview_read;

/* native_calendars.c */
call_fn calendar_put_begin, calendar_put_settled, calendar_get_begin, calendar_delete_begin,
    calendar_delete_settled;
call_read_fn calendar_get_read, calendar_list_read;

/* native_gates.c */
call_fn gate_put_begin, gate_put_settled, gate_delete_begin, gate_delete_settled,
    gate_get_begin;
call_read_fn gate_delete_read, gate_get_read, gate_list_read;
