/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule as it is shown.
 */
#include "api/native.h"
#include "api/planned.h"
#include "api/request.h"

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
    struct schedule_view view;
    struct err err;

    if (view_find(call, db, &view, &err) != RC_OK ||
        planned_next(call, db, call->arena, &view, &err) != RC_OK)
        return view_failed(call, &err);
    return view_schedule_answer(call, &view);
}
