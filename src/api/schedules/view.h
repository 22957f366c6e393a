/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of the store as the native JSON shows them.
 */
#pragma once

#include "api/call/answer.h"
#include "api/call/call.h"
#include "model/run_json.h"
#include "model/schedule_json.h"
#include "model/schedule_show.h"
#include "store/views.h"

/* The schedule that params[0] names, of the call's namespace; RC_NOT_FOUND. */
MUST_USE enum rc view_find(const struct call *call, struct db *db, struct schedule_view *ret,
                           struct err *reterr);

/* What people wrote, but for its namespace and whether it is enabled. */
MUST_USE enum rc view_recall(const struct schedule_row *row, struct arena *arena,
                             struct schedule_doc *ret, struct err *reterr);

/* Why no run of this action, as it is kept, can succeed on this server; empty: one can. */
struct str view_hindrance(const struct call *call, struct str action);

/* A schedule with its state.  `scratch` is for what is needed meanwhile. */
MUST_USE enum rc view_schedule(const struct call *call, const struct schedule_view *view,
                               field_set fields, struct arena *scratch, struct answer *out,
                               struct err *reterr);

/* The answer is the schedule, with its ETag.  After a write that write's status stands. */
enum call_step view_schedule_answer(struct call *call, const struct schedule_view *view,
                                    field_set fields);

/* RC_NOT_FOUND unless the schedule of a run is, or was, of the call's namespace. */
MUST_USE enum rc view_owner(const struct call *call, struct db *db, int64_t schedule,
                            struct err *reterr);

/*
 * A run that is open, and an attempt that is over as the run that it was.  For printing: what
 * it handed back is left out where `fields` have nothing of it.
 */
struct run_doc view_run(const struct run_view *view);
MUST_USE enum rc view_attempt(const struct attempt_view *view, field_set fields,
                              struct arena *arena, struct run_doc *ret, struct err *reterr);

/* A read that failed: the database is slow, busy or away. */
enum call_step view_failed(struct call *call, const struct err *err);

/* ETag: "version". */
void view_etag(struct call *call, int64_t version);
