/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of Conductor's API: /api/scheduler, /api/workflow, /api/token.  As in
 * api/native/native.h, each is the begin, read or settled step of a row of the table of
 * operations.
 *
 * This API sees only the schedules that were created with it.
 */
#pragma once

#include "api/call/call.h"
#include "api/call/error_reply.h"
#include "api/conductor/conductor_doc.h"
#include "store/views.h"

/* conductor_schedules.c */
enum call_step conductor_save_begin(struct call *call);
enum call_step conductor_save_read(struct call *call, struct db *db);
enum call_step conductor_save_settled(struct call *call);
enum call_step conductor_get_begin(struct call *call);
enum call_step conductor_get_read(struct call *call, struct db *db);
enum call_step conductor_delete_begin(struct call *call);
enum call_step conductor_pause_begin(struct call *call);
enum call_step conductor_resume_begin(struct call *call);
enum call_step conductor_change_read(struct call *call, struct db *db);
enum call_step conductor_change_settled(struct call *call);

/* conductor_error.c */
error_reply_fn conductor_error_reply;

/* conductor_tags.c */
enum call_step conductor_tags_begin(struct call *call);
enum call_step conductor_tags_read(struct call *call, struct db *db);
enum call_step conductor_tags_put_begin(struct call *call);
enum call_step conductor_tags_delete_begin(struct call *call);
enum call_step conductor_tags_change_read(struct call *call, struct db *db);
enum call_step conductor_tags_change_settled(struct call *call);

/* conductor_list.c */
enum call_step conductor_list_begin(struct call *call);
enum call_step conductor_list_read(struct call *call, struct db *db);
enum call_step conductor_search_begin(struct call *call);
enum call_step conductor_search_read(struct call *call, struct db *db);
enum call_step conductor_tagged_begin(struct call *call);
enum call_step conductor_tagged_read(struct call *call, struct db *db);

/* conductor_times.c */
enum call_step conductor_preview_begin(struct call *call);
enum call_step conductor_next_begin(struct call *call);
enum call_step conductor_next_read(struct call *call, struct db *db);

/* conductor_executions.c */
enum call_step conductor_executions_begin(struct call *call);
enum call_step conductor_executions_read(struct call *call, struct db *db);
enum call_step conductor_search_executions_begin(struct call *call);
enum call_step conductor_search_executions_read(struct call *call, struct db *db);
enum call_step conductor_requeue_begin(struct call *call);
enum call_step conductor_requeue_read(struct call *call, struct db *db);

/* conductor_bulk.c */
enum call_step conductor_bulk_pause_begin(struct call *call);
enum call_step conductor_bulk_resume_begin(struct call *call);
enum call_step conductor_bulk_read(struct call *call, struct db *db);
enum call_step conductor_bulk_settled(struct call *call);

/* conductor_admin.c */
enum call_step conductor_halt_begin(struct call *call);
enum call_step conductor_go_on_begin(struct call *call);
enum call_step conductor_nothing_begin(struct call *call);
enum call_step conductor_definition_begin(struct call *call);
enum call_step conductor_token_begin(struct call *call);

/* conductor_start.c */
enum call_step conductor_start_begin(struct call *call);
enum call_step conductor_start_named_begin(struct call *call);
enum call_step conductor_start_settled(struct call *call);

/* What they have in common. */

/* The schedule that params[0] names, if it was created with this API; RC_NOT_FOUND. */
MUST_USE enum rc conductor_find(const struct call *call, struct db *db,
                                struct schedule_view *ret, struct err *reterr);

/* Answers a failed read; a schedule that does not exist gets Conductor's message. */
enum call_step conductor_failed(struct call *call, const struct err *err);
enum call_step conductor_missing(struct call *call, struct str name);

/* 200 without a body. */
enum call_step conductor_done(struct call *call);

/*
 * Reads a query parameter, a whole number; a larger one becomes `high`.  *ret is unchanged if
 * the parameter is absent.
 */
MUST_USE enum rc conductor_number(const struct call *call, const char *name, int64_t high,
                                  int64_t *ret, struct err *reterr);

/* Compiles a document; errors name the fields of Conductor's JSON. */
MUST_USE enum rc conductor_draft(struct call *call, struct schedule_doc *doc,
                                 struct draft **ret, struct err *reterr);
