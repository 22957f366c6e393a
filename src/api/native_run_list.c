/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of a schedule, a queue or a namespace, the newest first: the open ones, then those that
 * are over.  A cursor says how far both lists were told: "o" or "e", and the key.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/native.h"
#include "api/page.h"
#include "api/view.h"
#include "store/names.h"

enum { CURSOR_TEXT_MAX = 48 };

/* What a page asks for: as sent, then with keys. */
struct asked {
    struct page page;
    struct str schedule, queue; /* names; empty: any          */
    int64_t states;             /* as struct view_page has it */
    bool wants_open, wants_ended;
    bool is_ended;     /* where the cursor stands     */
    int64_t before;    /* a key of either table       */
    struct run_id run; /* of a schedule's open ones   */
    int64_t schedule_key, queue_key;
};

/* The page as it is told. */
struct telling {
    const struct call *call;
    struct db *db;
    struct answer out;
    int left;
    int told;
    char cursor[CURSOR_TEXT_MAX]; /* "": there is no more */
};

static enum rc read_state(struct str text, struct asked *asked, struct err *reterr)
{
    static const struct {
        const char *text;
        int64_t states;
    } words[] = {
        {"held", 1 << RUN_HELD | 1 << RUN_GATED},
        {"approval", 1 << RUN_APPROVAL},
        {"ready", 1 << RUN_READY},
        {"leased", 1 << RUN_LEASED},
        {"running", 1 << RUN_RUNNING},
        {"backoff", 1 << RUN_BACKOFF},
        {"open", 0},
    };

    asked->wants_open = asked->wants_ended = text.len == 0;
    if (text.len == 0)
        return RC_OK;
    if (str_eq(text, STR("ended"))) {
        asked->wants_ended = true;
        return RC_OK;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq(text, str_of(words[i].text))) {
            asked->states = words[i].states;
            asked->wants_open = true;
            return RC_OK;
        }
    err_set(reterr, RC_INVALID, 0, (int)text.len,
            "must be open, held, approval, ready, leased, running, backoff or ended");
    err_in(reterr, "state");
    return RC_INVALID;
}

static enum rc read_cursor(struct str text, struct asked *asked, struct err *reterr)
{
    struct str rest = text.len > 0 ? str_from(text, 1) : text;
    char kind = text.len > 0 ? text.ptr[0] : 'o';
    bool is_good = kind == 'o' || kind == 'e';

    asked->before = INT64_MAX;
    asked->run = (struct run_id){.slot_ms = INSTANT_MAX / SPAN_MS, .pass = UINT32_MAX};
    asked->is_ended = kind == 'e' || !asked->wants_open;
    if (rest.len > 0 && kind == 'o' && str_starts(rest, STR("r_")))
        is_good = run_id_parse(rest, &asked->run, reterr) == RC_OK;
    else if (rest.len > 0)
        is_good = is_good && str_take_number(&rest, INT64_MAX - 1, &asked->before) > 0 &&
                  rest.len == 0;
    if (is_good)
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "is not one that this list gave");
    err_in(reterr, "cursor");
    return RC_INVALID;
}

enum call_step run_list_begin(struct call *call)
{
    static const char *const names[] = {"schedule", "state", "queue"};
    struct asked *asked = arena_take(call->arena, sizeof *asked);
    struct err err;

    if (page_begin(call, names, 3, &asked->page, &err) != RC_OK ||
        read_state(request_query(call, "state"), asked, &err) != RC_OK ||
        read_cursor(asked->page.after, asked, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    asked->schedule = request_query(call, "schedule");
    asked->queue = request_query(call, "queue");
    call->with = asked;
    return CALL_READ;
}

/* The keys of what was named. */
static enum rc find_keys(const struct call *call, struct db *db, struct asked *asked,
                         struct err *reterr)
{
    struct db_result schedule = {0}, queue = {0};
    enum rc rc;

    if (asked->schedule.len > 0)
        schedules_find(db, call->namespace, asked->schedule, &schedule);
    if (asked->queue.len > 0)
        queues_find(db, call->namespace, asked->queue, &queue);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (asked->schedule.len > 0 && schedule.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no schedule `%.*s`",
                       STR_ARG(asked->schedule));
    if (asked->queue.len > 0 && queue.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no queue `%.*s`",
                       STR_ARG(asked->queue));
    asked->schedule_key = schedule.rows > 0 ? db_int_at(&schedule, 0, 0) : 0;
    asked->queue_key = queue.rows > 0 ? db_int_at(&queue, 0, 0) : 0;
    return RC_OK;
}

static void tell(struct telling *t, const struct run_doc *doc)
{
    if (t->told++ > 0)
        answer_text(&t->out, ",");
    answer_json(&t->out, run_to_json(doc));
    t->left--;
}

static void go_on(struct telling *t, char kind, int64_t key)
{
    snprintf(t->cursor, sizeof t->cursor, "%c%" PRId64, kind, key);
}

/* run_views_end() or attempt_views_end(). */
typedef void end_fn(struct db *db, const struct view_page *page, struct db_result *ret);

/*
 * Where a page of a namespace goes on: behind what was told when it is full, or behind all
 * that was looked at, unless that was all there is.
 */
static enum rc go_on_page(struct telling *t, char kind, end_fn *end, struct view_page *page,
                          struct err *reterr)
{
    struct db_result looked_at = {0}, more = {0};
    enum rc rc;

    end(t->db, page, &looked_at);
    rc = db_flush(t->db, t->call->arena, reterr);
    if (rc != RC_OK || looked_at.rows == 0)
        return rc;
    page->before = db_int_at(&looked_at, 0, 0);
    page->scan = 1;
    end(t->db, page, &more);
    rc = db_flush(t->db, t->call->arena, reterr);
    if (rc == RC_OK && more.rows == 1)
        go_on(t, kind, page->before);
    return rc;
}

static struct view_page page_of(const struct call *call, int limit)
{
    const struct asked *asked = call->with;

    return (struct view_page){.namespace = call->namespace,
                              .queue = asked->queue_key,
                              .states = asked->states,
                              .before = asked->before,
                              .scan = VIEW_SCAN_MAX,
                              .limit = limit};
}

/* Open runs. */

static bool is_wanted(const struct asked *asked, const struct run *run)
{
    return (asked->states == 0 || (asked->states & (1 << run->state))) &&
           (asked->queue_key == 0 || asked->queue_key == run->queue);
}

static enum rc tell_open_of_schedule(struct telling *t, struct err *reterr)
{
    const struct call *call = t->call;
    const struct asked *asked = call->with;
    struct run_id before = asked->run;
    struct db_result rows = {0};
    int limit = t->left;
    enum rc rc;

    before.schedule = asked->schedule_key;
    run_views_of_schedule(t->db, &before, limit, &rows);
    rc = db_flush(t->db, call->arena, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct run_view view;
        struct run_doc doc;

        run_views_read(&rows, i, &view);
        doc = view_run(&view);
        before = doc.id;
        if (is_wanted(asked, &view.run))
            tell(t, &doc);
    }
    if (rc == RC_OK && rows.rows == limit) {
        t->cursor[0] = 'o';
        run_id_format(&before, t->cursor + 1);
    }
    return rc;
}

static enum rc tell_open(struct telling *t, struct err *reterr)
{
    const struct call *call = t->call;
    struct view_page page = page_of(call, t->left);
    struct db_result rows = {0};
    struct run_view view = {0};
    enum rc rc;

    run_views_list(t->db, &page, &rows);
    rc = db_flush(t->db, call->arena, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct run_doc doc;

        run_views_read(&rows, i, &view);
        doc = view_run(&view);
        tell(t, &doc);
    }
    if (rc == RC_OK && t->left == 0)
        go_on(t, 'o', view.run.id);
    else if (rc == RC_OK)
        rc = go_on_page(t, 'o', run_views_end, &page, reterr);
    return rc;
}

/* Runs that are over: the last attempt of each. */

static enum rc tell_attempts(const struct call *call, const struct db_result *rows,
                             struct telling *t, int64_t *ret_last, struct err *reterr)
{
    const struct asked *asked = call->with;
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < rows->rows; i++) {
        struct attempt_view view;
        struct run_doc doc;

        attempt_views_read(rows, i, &view);
        *ret_last = view.row.id;
        if (!view.row.last || (asked->queue_key != 0 && view.row.queue != asked->queue_key))
            continue;
        rc = view_attempt(&view, call->arena, &doc, reterr);
        if (rc == RC_OK)
            tell(t, &doc);
    }
    return rc;
}

static enum rc tell_ended(struct telling *t, struct err *reterr)
{
    const struct call *call = t->call;
    const struct asked *asked = call->with;
    struct view_page page = page_of(call, t->left);
    struct db_result rows = {0};
    int64_t last = 0;
    int limit = t->left;
    enum rc rc;

    page.states = 0;
    if (asked->schedule_key != 0)
        attempt_views_of_schedule(t->db, asked->schedule_key, asked->before, limit, &rows);
    else
        attempt_views_list(t->db, &page, &rows);
    rc = db_flush(t->db, call->arena, reterr);
    if (rc == RC_OK)
        rc = tell_attempts(call, &rows, t, &last, reterr);
    if (rc == RC_OK && rows.rows == limit)
        go_on(t, 'e', last);
    else if (rc == RC_OK && asked->schedule_key == 0)
        rc = go_on_page(t, 'e', attempt_views_end, &page, reterr);
    return rc;
}

static enum rc tell_page(struct telling *t, struct err *reterr)
{
    struct asked *asked = t->call->with;
    enum rc rc = find_keys(t->call, t->db, asked, reterr);

    if (rc == RC_OK && !asked->is_ended) {
        rc = asked->schedule_key != 0 ? tell_open_of_schedule(t, reterr) : tell_open(t, reterr);
        if (rc != RC_OK || t->cursor[0] != '\0' || !asked->wants_ended)
            return rc;
        asked->before = INT64_MAX;
    }
    if (rc != RC_OK || !asked->wants_ended)
        return rc;
    if (t->left > 0)
        return tell_ended(t, reterr);
    t->cursor[0] = 'e';
    return RC_OK;
}

enum call_step run_list_read(struct call *call, struct db *db)
{
    const struct asked *asked = call->with;
    struct telling t = {
        .call = call, .db = db, .out = answer_new(call->arena), .left = asked->page.limit};
    struct err err;

    page_open(&t.out, "runs");
    if (tell_page(&t, &err) != RC_OK)
        return view_failed(call, &err);
    page_close(&t.out, str_of(t.cursor));
    return call_answer(call, 200, answer_done(&t.out));
}
