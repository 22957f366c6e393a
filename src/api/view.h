/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of the store as the native JSON shows them.
 */
#pragma once

#include "api/call.h"
#include "api/sheet.h"
#include "core/cursor.h"
#include "db/db.h"
#include "store/history.h"
#include "store/schedules.h"

/* A schedule with its state.  `scratch` is for what is needed meanwhile. */
MUST_USE enum rc view_schedule(const struct call *call, const struct schedule_row *row,
                               const struct cursor *cursor, struct arena *scratch,
                               struct sheet *out, struct err *reterr);

/* A read that failed: the database is slow, busy or away. */
enum call_step view_failed(struct call *call, const struct err *err);

/* ETag: "version". */
void view_etag(struct call *call, int64_t version);

/* The schedule that params[0] names, of the call's namespace; RC_NOT_FOUND. */
MUST_USE enum rc view_find(const struct call *call, struct db *db, struct schedule_row *ret,
                           struct cursor *ret_cursor, struct err *reterr);

/* The schedule of a run, which must be of the call's namespace; `ret` may be NULL. */
MUST_USE enum rc view_owner(const struct call *call, struct db *db, int64_t schedule,
                            struct schedule_row *ret, struct err *reterr);
