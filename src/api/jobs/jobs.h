/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the jobs API: /api/orgs/{org}/schedules.  As in api/native/native.h, each is
 * the begin, read or settled step of a row of the table of operations.
 *
 * An organisation is a namespace.  This API sees only the schedules that were created with it.
 */
#pragma once

#include "api/call/error_reply.h"
#include "api/call/operation.h"
#include "api/jobs/jobs_doc.h"

/* Reads the organisation from the path; params[0] is the schedule afterwards. */
MUST_USE enum rc jobs_namespace(struct call *call, struct err *reterr);

/* The step for a missing organisation: an answer; without tokens, jobs.create creates it. */
enum call_step jobs_no_org(struct call *call);

/* jobs_error.c */
error_reply_fn jobs_error_reply;

/* jobs_list.c */
call_fn jobs_list_begin;
call_read_fn jobs_list_read;

/* jobs_schedules.c */
call_fn jobs_create_begin, jobs_create_settled, jobs_get_begin, jobs_edit_begin,
    jobs_edit_settled, jobs_delete_begin, jobs_delete_settled;
call_read_fn jobs_get_read, jobs_edit_read, jobs_delete_read;
