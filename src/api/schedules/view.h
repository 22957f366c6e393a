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

/* Reads the schedule that params[0] names; RC_NOT_FOUND.  Calls view_count() for it. */
MUST_USE enum rc view_find(const struct call *call, struct db *db, struct schedule_view *ret,
                           struct err *reterr);

/*
 * Counts the work of printing a schedule in the budget of the call, see budget_try().
 * RC_LIMIT: the answer must be discarded.
 */
MUST_USE enum rc view_count(const struct call *call, const struct schedule_row *row,
                            struct err *reterr);

/* The document as written, except for its namespace and whether it is enabled. */
MUST_USE enum rc view_recall(const struct schedule_row *row, struct arena *arena,
                             struct schedule_doc *ret, struct err *reterr);

enum { VIEW_WARNINGS_MAX = CONTEXT_WARNINGS_MAX + 2 };

/*
 * Why runs of this action (stored form) will fail on this server or are probably not what is
 * meant; texts are in `arena`.  Returns how many.
 */
int view_warnings(const struct call *call, struct str action, struct arena *arena,
                  struct str ret[static VIEW_WARNINGS_MAX]);

/* Prints a schedule with its state.  `scratch` is for temporary memory. */
MUST_USE enum rc view_schedule(const struct call *call, const struct schedule_view *view,
                               field_set fields, struct arena *scratch, struct answer *out,
                               struct err *reterr);

/*
 * Answers with the schedule and its ETag; the status is that of a preceding write, else 200.
 * `no_next` says why no run is planned; empty: one is, or the fields exclude the state.
 */
enum call_step view_schedule_answer(struct call *call, const struct schedule_view *view,
                                    field_set fields, struct str no_next);

/* RC_NOT_FOUND unless the schedule of a run is, or was, in the call's namespace. */
MUST_USE enum rc view_check_owner(const struct call *call, struct db *db, int64_t schedule,
                                  struct err *reterr);

/*
 * An open run, or an ended attempt, as a run for printing.  The result of an attempt is read
 * only if `fields` need it.  If it is damaged, it is left out, and the error says so.
 */
struct run_doc view_run(const struct run_view *view);
struct run_doc view_attempt(const struct attempt_view *view, field_set fields,
                            struct arena *arena);

/* Answers a failed read: the database is slow, busy or not reachable. */
enum call_step view_failed(struct call *call, const struct err *err);

/* Adds the header field ETag: "version". */
void view_etag(struct call *call, int64_t version);
