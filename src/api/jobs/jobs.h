/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the jobs API: /api/orgs/{org}/schedules.  As api/native/native.h: each is
 * begin, read or settled of a row of the table of operations.
 *
 * An organisation is a namespace.  Everything here sees the schedules that were made here,
 * and no others.
 */
#pragma once

#include "api/call/call.h"
#include "api/jobs/jobs_doc.h"

/* The organisation of the path; params[0] is then the schedule. */
MUST_USE enum rc jobs_namespace(struct call *call, struct err *reterr);

/* It is not there: made with its first schedule where nobody needs a token. */
enum call_step jobs_no_org(struct call *call);

/* jobs_list.c */
enum call_step jobs_list_begin(struct call *call);
enum call_step jobs_list_read(struct call *call, struct db *db);

/* jobs_schedules.c */
enum call_step jobs_create_begin(struct call *call);
enum call_step jobs_create_settled(struct call *call);
enum call_step jobs_get_begin(struct call *call);
enum call_step jobs_get_read(struct call *call, struct db *db);
enum call_step jobs_put_begin(struct call *call);
enum call_step jobs_patch_begin(struct call *call);
enum call_step jobs_edit_read(struct call *call, struct db *db);
enum call_step jobs_edit_settled(struct call *call);
enum call_step jobs_delete_begin(struct call *call);
enum call_step jobs_delete_read(struct call *call, struct db *db);
enum call_step jobs_delete_settled(struct call *call);
