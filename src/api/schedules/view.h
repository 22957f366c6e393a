/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native JSON of schedules and runs from rows of the store.
 */
#pragma once

#include "api/call/answer.h"
#include "api/call/call.h"
#include "model/run_json.h"
#include "model/schedule_json.h"
#include "model/schedule_show.h"
#include "store/views.h"

/* Reads the schedule that params[0] names in the call's namespace; RC_NOT_FOUND. */
MUST_USE enum rc view_find(const struct call *call, struct db *db, struct schedule_view *ret,
                           struct err *reterr);

/* The document as written, except for its namespace and whether it is enabled. */
MUST_USE enum rc view_recall(const struct schedule_row *row, struct arena *arena,
                             struct schedule_doc *ret, struct err *reterr);

/* Why runs of this action (stored form) cannot succeed on this server; empty: they can. */
struct str view_hindrance(const struct call *call, struct str action);

/* Prints a schedule with its state.  `scratch` is for temporary memory. */
MUST_USE enum rc view_schedule(const struct call *call, const struct schedule_view *view,
                               field_set fields, struct arena *scratch, struct answer *out,
                               struct err *reterr);

/* Answers with the schedule and its ETag; the status is that of a preceding write, else 200. */
enum call_step view_schedule_answer(struct call *call, const struct schedule_view *view,
                                    field_set fields);

/* RC_NOT_FOUND unless the schedule of a run is, or was, in the call's namespace. */
MUST_USE enum rc view_owner(const struct call *call, struct db *db, int64_t schedule,
                            struct err *reterr);

/*
 * For printing: an open run, and an ended attempt as the run that it was.  The result is read
 * only if `fields` need it.
 */
struct run_doc view_run(const struct run_view *view);
MUST_USE enum rc view_attempt(const struct attempt_view *view, field_set fields,
                              struct arena *arena, struct run_doc *ret, struct err *reterr);

/* Answers a failed read: the database is slow, busy or not reachable. */
enum call_step view_failed(struct call *call, const struct err *err);

/* Adds the header field ETag: "version". */
void view_etag(struct call *call, int64_t version);
