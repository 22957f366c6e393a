/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules as they are shown: one, and pages of many in the order of their names.
 */
#include "api/native.h"
#include "api/request.h"
#include "api/view.h"
#include "store/cursors.h"

enum call_step schedule_get_begin(struct call *call)
{
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

enum call_step schedule_get_read(struct call *call, struct db *db)
{
    struct sheet out = sheet_new(call->arena);
    struct schedule_row row;
    struct cursor cursor;
    struct err err;
    enum rc rc = view_find(call, db, &row, &cursor, &err);

    if (rc == RC_OK)
        rc = view_schedule(call, &row, &cursor, call->arena, &out, &err);
    if (rc != RC_OK)
        return view_failed(call, &err);
    view_etag(call, cursor.version);
    /* After a write its own status stands. */
    return call_answer(call, call->status != 0 ? call->status : 200, sheet_done(&out));
}
