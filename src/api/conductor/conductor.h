/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of Conductor's API: /api/scheduler, /api/workflow, /api/token.  As in
 * api/native/native.h, each is the begin, read or settled step of a row of the table of
 * operations.
 *
 * This API sees only the schedules that were created with it.
 */
#pragma once

#include "api/call/error_reply.h"
#include "api/call/operation.h"
#include "api/conductor/conductor_doc.h"
#include "store/views.h"

/* conductor_schedules.c */
call_fn conductor_save_begin, conductor_save_settled, conductor_get_begin,
    conductor_change_begin, conductor_change_settled;
call_read_fn conductor_save_read, conductor_get_read, conductor_change_read;

/* conductor_error.c */
error_reply_fn conductor_error_reply;

/* conductor_tags.c */
call_fn conductor_tags_change_begin, conductor_tags_change_settled;
call_read_fn conductor_tags_read, conductor_tags_change_read;

/* conductor_list.c */
call_fn conductor_list_begin, conductor_search_begin, conductor_tagged_begin;
call_read_fn conductor_list_read;

/* conductor_times.c */
call_fn conductor_preview_begin, conductor_next_begin;
call_read_fn conductor_next_read;

/* conductor_executions.c */
call_fn conductor_executions_begin, conductor_search_executions_begin, conductor_requeue_begin;
call_read_fn conductor_executions_read, conductor_search_executions_read,
    conductor_requeue_read;

/* conductor_bulk.c */
call_fn conductor_bulk_begin, conductor_bulk_settled;
call_read_fn conductor_bulk_read;

/* conductor_admin.c */
call_fn conductor_halt_begin, conductor_go_on_begin, conductor_nothing_begin,
    conductor_definition_begin, conductor_token_begin;

/* conductor_start.c */
call_fn conductor_start_begin, conductor_start_named_begin, conductor_start_settled;

/*
 * conductor_paths.c: the operation of an upstream Conductor for a request; NULL: the path is
 * Belfry's.
 */
const struct operation *conductor_path(const struct http1_request *request);
extern const struct operation conductor_paths[]; /* for tests */
extern const int conductor_path_count;

/* Shared functions. */

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
MUST_USE enum rc conductor_read_param(const struct call *call, const char *name, int64_t high,
                                      int64_t *ret, struct err *reterr);

/* Compiles a document; errors name the fields of Conductor's JSON. */
MUST_USE enum rc conductor_draft(struct call *call, struct schedule_doc *doc,
                                 struct draft **ret, struct err *reterr);
