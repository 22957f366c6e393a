/* SPDX-License-Identifier: Apache-2.0 */
#include "api/view.h"

#include <inttypes.h>

#include "api/dialects.h"
#include "core/run_id.h"
#include "model/schedule_json.h"
#include "store/cursors.h"

enum { ETAG_MAX = 24 }; /* a number in quotes */

static enum rc recall(const struct schedule_row *row, struct arena *arena,
                      struct schedule_doc *doc, struct err *reterr)
{
    const struct schedule_texts texts = {
        .spec = row->spec,
        .action = row->action,
        .policies = row->policies,
        .governor = row->governor,
        .labels = row->labels,
        .extra = row->extra,
    };

    *doc = schedule_doc_default();
    doc->id = row->name;
    doc->description = row->description;
    return schedule_recall(&texts, arena, doc, reterr);
}

/* The last automatic run; which trigger came last is not known by the cursor. */
static struct str last_run(const struct cursor *cursor, char text[static RUN_ID_TEXT_MAX])
{
    if (cursor->last_slot == INSTANT_NONE || cursor->pass > 0)
        return (struct str){NULL, 0};
    run_id_format(&(struct run_id){cursor->id, cursor->last_slot / SPAN_MS, 0}, text);
    return str_of(text);
}

enum rc view_schedule(const struct call *call, const struct schedule_row *row,
                      const struct cursor *cursor, struct arena *scratch, struct sheet *out,
                      struct err *reterr)
{
    char id[RUN_ID_TEXT_MAX];
    struct schedule_state state = {
        .cursor = cursor,
        .paused_reason = row->reason,
        .last_run = last_run(cursor, id),
        .dialect = str_of(dialects_text(row->dialect)),
        .created_at = row->created_at,
        .created_by = row->created_by,
        .updated_at = row->updated_at,
        .updated_by = row->updated_by,
    };
    struct schedule_doc doc;
    enum rc rc = recall(row, scratch, &doc, reterr);

    if (rc != RC_OK)
        return rc;
    doc.namespace = call->namespace_name;
    doc.state = &state;
    sheet_json(out, schedule_to_json(&doc, SPEC_FULL));
    return RC_OK;
}

enum call_step view_failed(struct call *call, const struct err *err)
{
    /* What was read is not in doubt: a lost connection is one to try again. */
    if (err->rc == RC_LOST || err->rc == RC_UNKNOWN || err->rc == RC_BUSY)
        return call_problem(call, 503, "unavailable", "%s", err->text);
    return call_refuse(call, NULL, err);
}

void view_etag(struct call *call, int64_t version)
{
    struct buf tag = {.ptr = arena_take(call->arena, ETAG_MAX), .cap = ETAG_MAX};

    buf_printf(&tag, "\"%" PRId64 "\"", version);
    call_field(call, STR("ETag"), buf_as_str(&tag));
}

enum rc view_find(const struct call *call, struct db *db, struct schedule_row *ret,
                  struct cursor *ret_cursor, struct err *reterr)
{
    struct db_result found = {0}, row = {0}, cursor = {0};
    enum rc rc;

    schedules_find(db, call->namespace, call->params[0], &found);
    rc = db_flush(db, call->arena, reterr);
    if (rc == RC_OK && found.rows == 1) {
        schedules_get(db, db_int_at(&found, 0, 0), &row);
        cursors_peek(db, db_int_at(&found, 0, 0), &cursor);
        rc = db_flush(db, call->arena, reterr);
    }
    if (rc != RC_OK)
        return rc;
    if (row.rows == 0 || cursor.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no schedule `%.*s`",
                       STR_ARG(call->params[0]));
    schedules_read(&row, 0, ret);
    cursors_read(&cursor, 0, ret_cursor);
    return RC_OK;
}

enum rc view_owner(const struct call *call, struct db *db, int64_t schedule,
                   struct schedule_row *ret, struct err *reterr)
{
    struct db_result result = {0};
    struct schedule_row row = {.namespace = -1};
    enum rc rc;

    schedules_get(db, schedule, &result);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (result.rows == 1)
        schedules_read(&result, 0, &row);
    if (result.rows == 0 || row.namespace != call->namespace)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no run `%.*s`",
                       STR_ARG(call->params[0]));
    if (ret)
        *ret = row;
    return RC_OK;
}
