/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a run by its id, in the table of open runs and in history.
 */
#include "api/schedules/run_lookup.h"

#include "base/must.h"
#include "store/text.h"

static enum rc read_open(const struct call *call, struct db *db, const struct run_id *id,
                         struct run_lookup *found, struct err *reterr)
{
    struct db_result open = {0};
    enum rc rc;

    run_views_get(db, id, &open);
    rc = db_flush(db, call->arena, reterr);
    found->is_open = rc == RC_OK && open.rows == 1;
    if (found->is_open)
        run_views_read(&open, 0, &found->open);
    return rc;
}

/*
 * Searches history from the slot on, because no attempt ends before its slot.  Most end soon
 * after it, so the first search is short; the second is for a run that ended after thousands of
 * later ones.
 */
static enum rc read_attempts(const struct call *call, struct db *db, const struct run_id *id,
                             struct run_lookup *found, struct err *reterr)
{
    static const int scans[] = {VIEW_ATTEMPTS_SCAN, VIEW_ATTEMPTS_MOST};
    instant from = found->is_open ? found->open.run.created_at : id->slot_ms * SPAN_MS;
    struct db_result attempts = {0};

    for (int i = 0; i < 2 && attempts.rows == 0; i++) {
        enum rc rc;

        if (i > 0 && (found->is_open || id->pass > 0))
            break; /* there are none */
        attempt_views_of_run(db, id, from, scans[i], &attempts);
        rc = db_flush(db, call->arena, reterr);
        if (rc != RC_OK)
            return rc;
    }
    found->attempt_count = attempts.rows;
    found->attempts = arena_array(call->arena, (size_t)attempts.rows, sizeof *found->attempts);
    for (int i = 0; i < attempts.rows; i++)
        attempt_views_read(&attempts, i, &found->attempts[i]);
    return RC_OK;
}

static bool is_in_namespace(const struct call *call, const struct run_lookup *found)
{
    int count = found->attempt_count;

    if (count > 0)
        return found->attempts[count - 1].owner.namespace == call->namespace;
    return found->is_open && found->open.owner.namespace == call->namespace;
}

static enum rc find_run(const struct call *call, struct db *db, const struct run_id *id,
                        bool wants_attempts, struct run_lookup *ret, struct err *reterr)
{
    struct run_lookup found = {0};
    enum rc rc = read_open(call, db, id, &found, reterr);

    if (rc == RC_OK && (wants_attempts || !found.is_open))
        rc = read_attempts(call, db, id, &found, reterr);
    if (rc != RC_OK)
        return rc;
    if (!is_in_namespace(call, &found))
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "run \"%.*s\" does not exist",
                       STR_ARG(call->params[0]));
    *ret = found;
    return RC_OK;
}

enum rc run_lookup_read(const struct call *call, struct db *db, const struct run_id *id,
                        struct run_lookup *ret, struct err *reterr)
{
    return find_run(call, db, id, true, ret, reterr);
}

enum rc run_lookup_last(const struct call *call, struct db *db, const struct run_id *id,
                        struct run_lookup *ret, struct err *reterr)
{
    return find_run(call, db, id, false, ret, reterr);
}

/* It is stored with the last attempt. */
enum rc run_lookup_input(const struct call *call, struct db *db, const struct run_lookup *found,
                         struct str *ret, struct err *reterr)
{
    struct db_result row = {0};
    enum rc rc;

    must(!found->is_open && found->attempt_count > 0);
    history_input(db, found->attempts[found->attempt_count - 1].row.id, &row);
    rc = db_flush(db, call->arena, reterr);
    if (rc == RC_OK && row.rows == 1)
        *ret = text_or_empty(&row, 0, 0);
    return rc;
}
