/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules as they are shown: one, and pages of many in the order of their names.
 */
#include "api/native.h"
#include "api/page.h"
#include "api/request.h"
#include "api/view.h"
#include "model/schedule_json.h"

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
    struct answer out = answer_new(call->arena);
    struct schedule_view view;
    struct err err;
    enum rc rc = view_find(call, db, &view, &err);

    if (rc == RC_OK)
        rc = view_schedule(call, &view, call->arena, &out, &err);
    if (rc != RC_OK)
        return view_failed(call, &err);
    view_etag(call, view.cursor.version);
    /* After a write its own status stands. */
    return call_answer(call, call->status != 0 ? call->status : 200, answer_done(&out));
}

struct listing {
    struct page page;
    struct str prefix; /* of names; empty: all */
};

enum call_step schedule_list_begin(struct call *call)
{
    static const char *const names[] = {"prefix"};
    struct listing *listing = arena_take(call->arena, sizeof *listing);
    struct err err;

    if (page_begin(call, names, 1, &listing->page, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    listing->prefix = request_query(call, "prefix");
    call->with = listing;
    return CALL_READ;
}

/* Where a page stands between its entries. */
struct paging {
    struct answer out;
    struct arena *scratch;
    int left;
    struct str last; /* the name that was told last */
    bool is_full;    /* there is more, but no room  */
};

/* False at the end of the page, or of the names that were asked for. */
static bool tell(const struct call *call, const struct schedule_view *view, struct paging *p,
                 struct err *reterr, enum rc *ret_rc)
{
    const struct listing *listing = call->with;

    if (!str_starts(view->row.name, listing->prefix))
        return false;
    p->is_full = p->left == 0 || p->out.buf.len > PAGE_BYTES_MAX;
    if (p->is_full)
        return false;
    arena_reset(p->scratch);
    if (p->left-- < listing->page.limit)
        answer_text(&p->out, ",");
    *ret_rc = view_schedule(call, view, p->scratch, &p->out, reterr);
    p->last = view->row.name;
    return *ret_rc == RC_OK;
}

static enum rc tell_all(const struct call *call, const struct db_result *rows,
                        struct paging *paging, struct err *reterr)
{
    struct schedule_view view;
    enum rc rc = RC_OK;

    for (int i = 0; i < rows->rows; i++) {
        schedule_views_read(rows, i, &view);
        if (!tell(call, &view, paging, reterr, &rc))
            break;
    }
    return rc;
}

/* Names that begin with the prefix come after it; the prefix itself may be one. */
enum call_step schedule_list_read(struct call *call, struct db *db)
{
    const struct listing *listing = call->with;
    struct str after = listing->page.after;
    struct db_result exact = {0}, rows = {0};
    struct paging paging = {.out = answer_new(call->arena), .left = listing->page.limit};
    struct err err;
    enum rc rc;

    if (after.len == 0 && listing->prefix.len > 0) {
        after = listing->prefix;
        schedule_views_find(db, call->namespace, after, &exact);
    }
    schedule_views_list(db, call->namespace, after, listing->page.limit + 1, &rows);
    rc = db_flush(db, call->arena, &err);
    if (rc != RC_OK)
        return view_failed(call, &err);
    paging.scratch = arena_new(SCHEDULE_BYTES_MAX);
    page_open(&paging.out, "schedules");
    rc = tell_all(call, &exact, &paging, &err);
    if (rc == RC_OK)
        rc = tell_all(call, &rows, &paging, &err);
    arena_free(paging.scratch);
    if (rc != RC_OK)
        return view_failed(call, &err);
    page_close(&paging.out, paging.is_full ? paging.last : (struct str){NULL, 0});
    return call_answer(call, 200, answer_done(&paging.out));
}
