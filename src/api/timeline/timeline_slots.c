/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the slots of many schedules in a window.
 */
#include "api/schedules/page.h"
#include "api/timeline/timeline.h"
#include "api/timeline/timeline_row.h"
#include "api/timeline/timeline_select.h"

enum {
    ROWS_MAX = 200 * 1000,       /* of history, ledger and runs that a page reads: 0.3 s */
    BYTES_MAX = 8 << 20,         /* a page ends early when its answer is longer */
    STEPS_RESERVE = 2000 * 1000, /* of struct budget: a page ends before it has less */
    SCRATCH_MAX = 256 << 20,     /* of arena: one batch with the most rows that it may have */
    PARAMETERS = 6,
};

struct slots_query {
    struct timeline_window window;
    struct timeline_select select;
    struct digest digest;
    struct str after;
    int64_t limit, slots;
};

/* A page as it is read. */
struct slots_page {
    struct call *call;
    struct db *db;
    const struct slots_query *query;
    struct timeline_buckets buckets;
    struct arena *scratch; /* of a batch */
    struct answer out;
    int64_t rows;
    int printed;
    bool is_full;    /* there is another schedule, but no room         */
    const char *cut; /* why the page is shorter than its limit         */
    struct str last; /* the id of the last schedule that it contains   */
};

/* ---- the request ---- */

static enum rc read_query(struct call *call, struct slots_query *q, struct err *reterr)
{
    const char *names[TIMELINE_SELECT_NAMES + PARAMETERS] = {"from",  "to",    "step",
                                                             "slots", "limit", "cursor"};
    struct str cursor;
    enum rc rc;

    for (int i = 0; i < TIMELINE_SELECT_NAMES; i++)
        names[PARAMETERS + i] = timeline_select_names[i];
    rc = request_query_check(call, names, TIMELINE_SELECT_NAMES + PARAMETERS, reterr);
    if (rc == RC_OK)
        rc = timeline_window_read(call, &q->window, reterr);
    if (rc == RC_OK)
        rc = timeline_select_begin(call, &q->select, reterr);
    if (rc == RC_OK)
        rc = request_query_int(call, "slots", 0, TIMELINE_SLOTS_MAX, &q->slots, reterr);
    if (rc == RC_OK)
        rc = request_query_int(call, "limit", 1, TIMELINE_SCHEDULES_MAX, &q->limit, reterr);
    cursor = rc == RC_OK ? request_query(call, "cursor") : (struct str){NULL, 0};
    q->digest = timeline_select_digest(call);
    return cursor.len == 0 ? rc : page_unseal(&q->digest, cursor, &q->after, reterr);
}

enum call_step timeline_slots_begin(struct call *call)
{
    struct slots_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    query->limit = LIMIT_DEFAULT;
    query->slots = TIMELINE_SLOTS_DEFAULT;
    if (read_query(call, query, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

/* ---- reading ---- */

/* The caller of a trial gets the whole answer from another reader. */
static bool is_short_of_steps(const struct call *call)
{
    return call->budget && !call->budget->is_trial && call->budget->left < STEPS_RESERVE;
}

static const char *find_end(const struct slots_page *page)
{
    if (page->rows >= ROWS_MAX)
        return "the page ends early, because its schedules have many runs; continue with "
               "cursor";
    if (page->out.buf.len > BYTES_MAX)
        return "the page ends early, because the answer is long; continue with cursor";
    if (is_short_of_steps(page->call))
        return "the page ends early, because its times take long to compute; continue with "
               "cursor";
    return NULL;
}

static enum rc print_batch(struct slots_page *page, const struct schedule_view *views,
                           int count, struct err *reterr)
{
    struct timeline_row *rows = arena_array_raw(page->scratch, (size_t)count, sizeof *rows);
    struct timeline_past *past = arena_array(page->scratch, (size_t)count, sizeof *past);
    const struct timeline_past_query query = {.window = &page->query->window,
                                              .now = page->call->now,
                                              .after = TIMELINE_END_AFTER,
                                              .db = page->db,
                                              .arena = page->scratch,
                                              .budget = page->call->budget,
                                              .rows = &page->rows};
    struct call inner = *page->call;
    enum rc rc = RC_OK;

    inner.arena = page->scratch;
    for (int i = 0; rc == RC_OK && i < count; i++) {
        rows[i].times = (struct schedule_times){.view = views[i]};
        rc = timeline_row_begin(&inner, page->db, &rows[i], reterr);
        past[i].cursor = &rows[i].times.view.cursor;
        if (rc == RC_OK)
            past[i].expected = timeline_row_expected(&rows[i], &page->query->window,
                                                     page->call->now);
    }
    if (rc == RC_OK)
        rc = timeline_past_read(&query, past, count, reterr);
    for (int i = 0; rc == RC_OK && i < count; i++) {
        timeline_row_print(&inner, &rows[i], &past[i], &page->buckets, page->query->slots,
                           &page->out);
        page->last = arena_str(page->call->arena, views[i].row.name);
        page->printed++;
    }
    return rc;
}

/* Also finds out whether the client has gone. */
static enum rc count_batch(const struct slots_page *page, struct err *reterr)
{
    if (budget_spend(page->call->budget, BUDGET_ASK_EVERY))
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0, "the request takes too long");
}

static enum rc read_page(struct slots_page *page, struct timeline_select *select,
                         struct err *reterr)
{
    struct schedule_view views[TIMELINE_BATCH_MAX];
    int count = 0;
    enum rc rc = RC_OK;

    while (rc == RC_OK && !page->is_full) {
        arena_reset(page->scratch);
        rc = count_batch(page, reterr);
        if (rc == RC_OK)
            rc = timeline_select_next(select, views, &count, reterr);
        if (rc != RC_OK || count == 0)
            break;
        page->cut = page->printed > 0 ? find_end(page) : NULL;
        page->is_full = page->cut || page->printed + count > page->query->limit;
        if (!page->cut)
            rc = print_batch(page, views, count - page->is_full, reterr);
    }
    if (select->is_scanned_out) {
        page->cut = "the page ends early, because many schedules do not match; continue with "
                    "cursor";
        page->is_full = true;
        page->last = select->after;
    }
    return rc;
}

static enum call_step answer_page(struct slots_page *page)
{
    struct call *call = page->call;
    struct str cursor = {NULL, 0};

    if (page->is_full)
        cursor = page_seal(&page->query->digest, page->last, call->arena);
    answer_text(&page->out, "]");
    answer_put_some(&page->out, "cursor", cursor);
    answer_put_word(&page->out, "cut", page->cut);
    answer_text(&page->out, "}");
    return call_answer(call, 200, answer_done(&page->out));
}

enum call_step timeline_slots_read(struct call *call, struct db *db)
{
    const struct slots_query *query = call->arg;
    struct timeline_select select = query->select;
    struct slots_page page = {
        .call = call, .db = db, .query = query, .out = answer_new(call->arena)};
    enum call_step step;
    struct err err;
    enum rc rc;

    select.db = db;
    select.after = query->after;
    select.limit = (int)query->limit + 1;
    step = timeline_select_open(call, &select);
    if (step != CALL_READ)
        return step;
    page.buckets = timeline_buckets_new(&query->window, call->now, call->arena);
    page.scratch = arena_new(SCRATCH_MAX);
    answer_text(&page.out, "{");
    timeline_window_print(&query->window, call->now, &page.out);
    answer_text(&page.out, ",\"schedules\":[");
    rc = read_page(&page, &select, &err);
    page.scratch = arena_free(page.scratch);
    timeline_select_close(&select);
    return rc == RC_OK ? answer_page(&page) : view_failed(call, &err);
}
