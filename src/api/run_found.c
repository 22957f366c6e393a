/* SPDX-License-Identifier: Apache-2.0 */
#include "api/run_found.h"

/* From when on its attempts can have ended; a trigger may be for a time to come. */
static instant first_end(const struct call *call, const struct run_id *id,
                         const struct run_found *found)
{
    instant slot = id->slot_ms * SPAN_MS;

    if (found->is_open)
        return found->open.run.created_at;
    return slot < call->now ? slot : call->now - SPAN_DAY;
}

enum rc run_found_read(const struct call *call, struct db *db, const struct run_id *id,
                       struct run_found *ret, struct err *reterr)
{
    struct db_result open = {0}, attempts = {0};
    struct run_found found = {0};
    int64_t namespace = call->namespace;
    enum rc rc;

    run_views_get(db, id, &open);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    found.is_open = open.rows == 1;
    if (found.is_open) {
        run_views_read(&open, 0, &found.open);
        namespace = found.open.owner.namespace;
    }
    attempt_views_of_run(db, id, first_end(call, id, &found), &attempts);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    found.attempt_count = attempts.rows;
    found.attempts = arena_array(call->arena, (size_t)attempts.rows, sizeof *found.attempts);
    for (int i = 0; i < attempts.rows; i++) {
        attempt_views_read(&attempts, i, &found.attempts[i]);
        namespace = found.attempts[i].owner.namespace;
    }
    if ((!found.is_open && attempts.rows == 0) || namespace != call->namespace)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no run `%.*s`",
                       STR_ARG(call->params[0]));
    *ret = found;
    return RC_OK;
}

json_t *run_attempt_json(const json_t *run)
{
    static const char *const names[] = {"attempt", "fence",   "worker", "startedAt",
                                        "endedAt", "outcome", "reason", "error"};
    json_t *json = json_new_object();

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        json_put(json, names[i], json_incref(json_object_get(run, names[i])));
    return json;
}
