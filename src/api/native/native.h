/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the native API, for the table of operations.
 *
 * They are named <operation>_begin, _read and _settled, after the members of struct operation.
 */
#pragma once

#include "api/call/call.h"
#include "api/native/native_schedule.h"

struct db;

/* native_schedules.c */
enum call_step schedule_create_begin(struct call *call);
enum call_step schedule_put_begin(struct call *call);
enum call_step schedule_write_settled(struct call *call);
enum call_step schedule_delete_begin(struct call *call);
enum call_step schedule_delete_settled(struct call *call);
enum call_step schedule_pause_begin(struct call *call);
enum call_step schedule_trigger_begin(struct call *call);

/* native_bulk.c */
enum call_step schedule_bulk_begin(struct call *call);
enum call_step schedule_bulk_settled(struct call *call);

/* native_views.c */
enum call_step schedule_get_begin(struct call *call);
enum call_step schedule_get_read(struct call *call, struct db *db);
enum call_step schedule_written_read(struct call *call, struct db *db);

/* native_next.c */
enum call_step schedule_next_begin(struct call *call);
enum call_step schedule_next_read(struct call *call, struct db *db);

/* native_runs.c */
enum call_step run_get_begin(struct call *call);
enum call_step run_get_read(struct call *call, struct db *db);
enum call_step run_cancel_begin(struct call *call);
enum call_step run_terminate_begin(struct call *call);
enum call_step run_change_settled(struct call *call);
enum call_step run_change_read(struct call *call, struct db *db);

/* native_run_again.c */
enum call_step run_retry_begin(struct call *call);
enum call_step run_retry_read(struct call *call, struct db *db);
enum call_step run_retry_settled(struct call *call);
enum call_step run_approve_begin(struct call *call);
enum call_step run_reject_begin(struct call *call);
enum call_step run_attempts_begin(struct call *call);
enum call_step run_attempts_read(struct call *call, struct db *db);

/* native_run_logs.c */
enum call_step run_logs_begin(struct call *call);
enum call_step run_logs_read(struct call *call, struct db *db);

/* native_events.c */
enum call_step event_list_begin(struct call *call);
enum call_step event_list_read(struct call *call, struct db *db);

/* native_run_list.c */
enum call_step run_list_begin(struct call *call);
enum call_step run_list_read(struct call *call, struct db *db);

/* native_claim.c */
enum call_step queue_claim_begin(struct call *call);
enum call_step queue_claim_settled(struct call *call);

/* native_workers.c: for a batch of runs, and for the run that the path names */
enum call_step runs_heartbeat_begin(struct call *call);
enum call_step runs_complete_begin(struct call *call);
enum call_step runs_fail_begin(struct call *call);
enum call_step runs_release_begin(struct call *call);
enum call_step runs_report_settled(struct call *call);
enum call_step run_heartbeat_begin(struct call *call);
enum call_step run_complete_begin(struct call *call);
enum call_step run_fail_begin(struct call *call);
enum call_step run_release_begin(struct call *call);
enum call_step run_report_settled(struct call *call);

/* native_namespaces.c */
enum call_step namespace_list_read(struct call *call, struct db *db);
enum call_step namespace_get_begin(struct call *call);
enum call_step namespace_get_read(struct call *call, struct db *db);
enum call_step namespace_put_begin(struct call *call);
enum call_step namespace_put_settled(struct call *call);

/* native_queues.c */
enum call_step queue_list_read(struct call *call, struct db *db);
enum call_step queue_get_begin(struct call *call);
enum call_step queue_get_read(struct call *call, struct db *db);
enum call_step queue_change_begin(struct call *call);
enum call_step queue_pause_read(struct call *call, struct db *db);
enum call_step queue_resume_read(struct call *call, struct db *db);
enum call_step queue_change_settled(struct call *call);
enum call_step queue_put_begin(struct call *call);

/* native_tokens.c */
enum call_step token_create_begin(struct call *call);
enum call_step token_create_settled(struct call *call);
enum call_step token_list_begin(struct call *call);
enum call_step token_list_read(struct call *call, struct db *db);
enum call_step token_delete_begin(struct call *call);
enum call_step token_delete_read(struct call *call, struct db *db);
enum call_step token_delete_settled(struct call *call);

/* native_audit.c */
enum call_step audit_list_begin(struct call *call);
enum call_step audit_list_read(struct call *call, struct db *db);
enum call_step audit_verify_begin(struct call *call);
enum call_step audit_verify_read(struct call *call, struct db *db);

/* native_metrics.c, native_summary.c, native_nodes.c */
enum call_step metrics_begin(struct call *call);
enum call_step metrics_read(struct call *call, struct db *db);
enum call_step summary_begin(struct call *call);
enum call_step summary_read(struct call *call, struct db *db);
enum call_step node_list_begin(struct call *call);
enum call_step node_list_read(struct call *call, struct db *db);

/* native_health.c */
enum call_step health_begin(struct call *call);
enum call_step ready_begin(struct call *call);
enum call_step version_begin(struct call *call);
enum call_step clock_accept_begin(struct call *call);
enum call_step clock_accept_settled(struct call *call);
