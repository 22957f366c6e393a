/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedules of an organisation as one list, newest first.
 */
#include "api/jobs/jobs.h"
#include "api/schedules/schedule_times.h"
#include "api/schedules/schedule_walk.h"
#include "api/schedules/view.h"

enum { LIST_BYTES_MAX = 12 << 20 }; /* of one answer */

enum call_step jobs_list_begin(struct call *call)
{
    (void)call;
    return CALL_READ;
}

static enum rc list_row(struct schedule_walk *walk, struct schedule_view *view,
                        struct arena *scratch, struct err *reterr)
{
    struct answer *out = walk->arg;
    json_t *schedule = NULL;
    enum rc rc;

    if (view->row.dialect != DIALECTS_JOBS)
        return RC_OK;
    rc = schedule_times_next(walk->call, walk->db, scratch, view, reterr);
    if (rc == RC_OK)
        rc = jobs_show(view, walk->call->namespace_name, scratch, &schedule, reterr);
    if (rc == RC_CORRUPT)
        schedule = json_pack("{s:o,s:s}", "id", json_new_str(view->row.name), "description",
                             reterr->text);
    else if (rc != RC_OK)
        return rc;
    jobs_hide_secrets(json_object_get(schedule, "payload"));
    if (out->buf.len > 1)
        answer_text(out, ",");
    answer_json(out, schedule);
    walk->is_enough = out->buf.len > LIST_BYTES_MAX;
    return RC_OK;
}

enum call_step jobs_list_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct schedule_walk walk = {.call = call,
                                 .db = db,
                                 .order = ORDER_CREATED,
                                 .is_descending = true,
                                 .look = list_row,
                                 .arg = &out};
    struct err err;

    answer_text(&out, "[");
    if (schedule_walk(&walk, &err) != RC_OK)
        return view_failed(call, &err);
    answer_text(&out, "]");
    if (walk.is_enough || !walk.is_done)
        return call_problem(call, 400, "limit",
                            "too many schedules for one list; request pages with "
                            "/api/v1/schedules?namespace=%.*s",
                            STR_ARG(call->namespace_name));
    return call_answer(call, 200, answer_done(&out));
}
