/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More handlers of the native API: other operations on schedules, calendars and gates.  See
 * api/native/native.h.
 */
#pragma once

#include "api/call/call.h"

/* native_schedules.c */
enum call_step schedule_patch_begin(struct call *call);
enum call_step schedule_patch_read(struct call *call, struct db *db);
enum call_step schedule_patch_settled(struct call *call);
enum call_step schedule_test_begin(struct call *call);

/* native_schedule_resume.c */
enum call_step schedule_resume_begin(struct call *call);
enum call_step schedule_resume_read(struct call *call, struct db *db);

/* native_schedule_skip.c */
enum call_step schedule_skip_begin(struct call *call);
enum call_step schedule_skip_read(struct call *call, struct db *db);
enum call_step schedule_skip_settled(struct call *call);
enum call_step schedule_except_begin(struct call *call);
enum call_step schedule_unexcept_begin(struct call *call);
enum call_step schedule_except_settled(struct call *call);
enum call_step schedule_exceptions_begin(struct call *call);
enum call_step schedule_exceptions_read(struct call *call, struct db *db);

/* native_schedule_backfill.c */
enum call_step schedule_backfill_begin(struct call *call);
enum call_step schedule_backfill_read(struct call *call, struct db *db);
enum call_step schedule_backfill_settled(struct call *call);

/* native_schedule_hint.c */
enum call_step schedule_hint_begin(struct call *call);
enum call_step schedule_unhint_begin(struct call *call);
enum call_step schedule_archive_begin(struct call *call);
enum call_step schedule_reset_begin(struct call *call);

/* native_schedule_health.c */
enum call_step schedule_health_begin(struct call *call);
enum call_step schedule_health_read(struct call *call, struct db *db);

/* native_schedule_slots.c */
enum call_step schedule_slots_begin(struct call *call);
enum call_step schedule_slots_read(struct call *call, struct db *db);

/* native_schedule_explain.c */
enum call_step schedule_explain_begin(struct call *call);
enum call_step schedule_explain_read(struct call *call, struct db *db);

/* native_schedule_diff.c */
enum call_step schedule_diff_begin(struct call *call);
enum call_step schedule_diff_read(struct call *call, struct db *db);

/* native_schedule_list.c */
enum call_step schedule_list_begin(struct call *call);
enum call_step schedule_list_read(struct call *call, struct db *db);

/* native_schedule_export.c */
enum call_step schedule_export_begin(struct call *call);
enum call_step schedule_export_read(struct call *call, struct db *db);

/* native_bulk.c */
enum call_step schedule_bulk_update_begin(struct call *call);
enum call_step schedule_bulk_put_begin(struct call *call);
enum call_step schedule_bulk_pause_begin(struct call *call);
enum call_step schedule_bulk_resume_begin(struct call *call);
enum call_step schedule_bulk_delete_begin(struct call *call);

/* native_bulk_diff.c */
enum call_step schedule_bulk_diff_begin(struct call *call);
enum call_step schedule_bulk_diff_read(struct call *call, struct db *db);

/* native_preview.c */
enum call_step preview_begin(struct call *call);
enum call_step preview_read(struct call *call, struct db *db);

/* native_calendars.c */
enum call_step calendar_put_begin(struct call *call);
enum call_step calendar_put_settled(struct call *call);
enum call_step calendar_get_begin(struct call *call);
enum call_step calendar_get_read(struct call *call, struct db *db);
enum call_step calendar_delete_begin(struct call *call);
enum call_step calendar_delete_settled(struct call *call);
enum call_step calendar_list_read(struct call *call, struct db *db);

/* native_gates.c */
enum call_step gate_put_begin(struct call *call);
enum call_step gate_put_settled(struct call *call);
enum call_step gate_delete_begin(struct call *call);
enum call_step gate_delete_read(struct call *call, struct db *db);
enum call_step gate_delete_settled(struct call *call);
enum call_step gate_get_begin(struct call *call);
enum call_step gate_get_read(struct call *call, struct db *db);
enum call_step gate_list_read(struct call *call, struct db *db);
