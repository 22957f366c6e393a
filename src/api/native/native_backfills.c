/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backfills: list those of a schedule or of a namespace, show one with its progress, stop one.
 */
#include <inttypes.h>

#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "store/exceptions_backfills.h"

static void put_slots(struct answer *out, const char *name, int64_t n)
{
    if (n >= 0) {
        answer_put_int(out, name, n);
        return;
    }
    answer_name(out, name);
    answer_text(out, "null");
}

/* Slots that it has not requested yet; negative: not known. */
static int64_t count_pending(const struct backfill *b)
{
    if (b->stage != BACKFILL_FILLING)
        return 0;
    if (b->slots == BACKFILL_SLOTS_UNKNOWN)
        return BACKFILL_SLOTS_UNKNOWN;
    return b->slots > b->requested ? b->slots - b->requested : 0;
}

static void print_backfill(struct str schedule, const struct backfill *b, struct answer *out)
{
    bool has_overlap = b->overlap >= 0 && b->overlap < OVERLAP_COUNT;

    answer_open(out);
    answer_put_int(out, "id", b->pass);
    answer_put_text(out, "schedule", schedule);
    answer_put_word(out, "state", b->stage == BACKFILL_ENDED ? "ended" : "running");
    answer_put_instant(out, "from", b->from);
    answer_put_instant(out, "to", b->until);
    answer_put_word(out, "overlap",
                    has_overlap ? overlap_text((enum overlap)b->overlap) : NULL);
    answer_put_word(out, "only", b->flags & BACKFILL_MISSED ? "missed" : "all");
    put_slots(out, "slots", b->slots);
    put_slots(out, "pending", count_pending(b));
    answer_put_int(out, "started", b->begun);
    answer_put_int(out, "skipped", b->skipped);
    answer_put_int(out, "buffered", backfill_buffered(b));
    answer_put_int(out, "open", backfill_open(b));
    answer_put_int(out, "succeeded", b->succeeded);
    answer_put_int(out, "failed", b->failed);
    answer_put_int(out, "cancelled", b->cancelled + b->withdrawn);
    answer_put_bool(out, "stopped", b->flags & BACKFILL_STOPPED);
    answer_put_bool(out, "expired", b->flags & BACKFILL_EXPIRED);
    answer_put_instant(out, "createdAt", b->created_at);
    answer_put_text(out, "createdBy", b->created_by);
    answer_put_instant(out, "endedAt", b->ended_at);
    answer_text(out, "}");
}

/* ---- lists ---- */

struct backfill_query {
    struct page page;
    struct digest context; /* the namespace, path and filter for which a cursor is valid */
    int64_t before;        /* the key after which the page begins, newest first          */
    bool has_running, has_ended;
};

static enum rc read_state(const struct call *call, struct backfill_query *query,
                          struct err *reterr)
{
    struct str state = request_query(call, "state");

    query->has_running = state.len == 0 || str_eq(state, STR("running"));
    query->has_ended = state.len == 0 || str_eq(state, STR("ended"));
    if (!query->has_running && !query->has_ended)
        return err_field(reterr, "state", "must be running or ended");
    return RC_OK;
}

static enum rc read_position(const struct call *call, struct backfill_query *query,
                             struct err *reterr)
{
    struct str position;

    query->context = (struct digest){0};
    digest_add(&query->context, call->namespace_name.ptr, call->namespace_name.len);
    digest_add(&query->context, call->params[0].ptr, call->params[0].len);
    digest_int(&query->context, query->has_running * 2 + query->has_ended);
    query->before = INT64_MAX;
    if (query->page.after.len == 0)
        return RC_OK;
    if (page_unseal(&query->context, query->page.after, &position, reterr) != RC_OK)
        return reterr->rc;
    if (str_take_number(&position, INT64_MAX, &query->before) == 0 || position.len > 0)
        return err_field(reterr, "cursor", "is invalid; start without a cursor");
    return RC_OK;
}

enum call_step schedule_backfills_begin(struct call *call)
{
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return backfill_list_begin(call);
}

enum call_step backfill_list_begin(struct call *call)
{
    static const char *const names[] = {"state"};
    struct backfill_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    if (page_begin(call, names, 1, &query->page, &err) != RC_OK ||
        read_state(call, query, &err) != RC_OK || read_position(call, query, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

struct backfill_list {
    const struct backfill_query *query;
    struct answer out;
    int count;
    int64_t last; /* the key of the last that was printed or passed over */
    bool has_more;
};

/* False when the page is full. */
static bool add_backfill(struct backfill_list *list, struct str schedule,
                         const struct backfill *b)
{
    bool is_ended = b->stage == BACKFILL_ENDED;

    if (b->id >= list->query->before ||
        !(is_ended ? list->query->has_ended : list->query->has_running))
        return true;
    list->has_more = list->count == list->query->page.limit;
    if (list->has_more)
        return false;
    print_backfill(schedule, b, &list->out);
    list->count++;
    list->last = b->id;
    return true;
}

static enum call_step finish_list(struct call *call, struct backfill_list *list)
{
    char text[24];
    struct buf position = BUF(text);
    struct str cursor = {NULL, 0};

    buf_printf(&position, "%" PRId64, list->last);
    if (list->has_more)
        cursor = page_seal(&list->query->context, buf_as_str(&position), call->arena);
    page_close(&list->out, cursor);
    return call_answer(call, 200, answer_done(&list->out));
}

/* Newest first. */
enum call_step schedule_backfills_read(struct call *call, struct db *db)
{
    struct backfill_list list = {.query = call->arg, .out = answer_new(call->arena)};
    struct schedule_view view;
    struct db_result rows = {0};
    struct backfill b;
    struct err err;

    if (view_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    backfills_of(db, view.cursor.id, BACKFILLS_READ_MAX, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&list.out, "backfills");
    for (int i = rows.rows - 1; i >= 0; i--) {
        backfills_read(&rows, i, &b);
        if (!add_backfill(&list, call->params[0], &b))
            break;
    }
    return finish_list(call, &list);
}

/* Merges those that are running and those that have ended: each kind has an index. */
static void add_newest(struct backfill_list *list, const struct db_result rows[2])
{
    int at[2] = {0, 0};
    bool has_room = true;

    while (has_room && (at[0] < rows[0].rows || at[1] < rows[1].rows)) {
        struct backfill b[2] = {{.id = -1}, {.id = -1}};
        struct str name;
        int kind;

        for (int i = 0; i < 2; i++)
            if (at[i] < rows[i].rows)
                backfills_read(&rows[i], at[i], &b[i]);
        kind = b[1].id > b[0].id;
        name = backfills_read_name(&rows[kind], at[kind]++);
        if (name.len > 0)
            has_room = add_backfill(list, name, &b[kind]);
        if (!has_room)
            return;
        list->last = b[kind].id;
        /* A schedule that is being deleted is left out, so a page may end before it is full. */
        list->has_more = at[kind] > list->query->page.limit;
        has_room = !list->has_more;
    }
}

enum call_step backfill_list_read(struct call *call, struct db *db)
{
    const struct backfill_query *query = call->arg;
    struct backfill_list list = {.query = query, .out = answer_new(call->arena)};
    struct backfill_page page = {call->namespace, query->before, false, query->page.limit + 1};
    struct db_result rows[2] = {{0}, {0}};
    struct err err;

    if (query->has_running)
        backfills_list(db, &page, &rows[0]);
    page.is_ended = true;
    if (query->has_ended)
        backfills_list(db, &page, &rows[1]);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&list.out, "backfills");
    add_newest(&list, rows);
    return finish_list(call, &list);
}

/* ---- one of them ---- */

/* The number in the path; false after an answer. */
static bool read_id(struct call *call, int64_t *ret)
{
    struct str rest = call->params[1];

    if (rest.len > 0 && str_take_number(&rest, UINT32_MAX, ret) > 0 && rest.len == 0 &&
        *ret > 0)
        return true;
    (void)change_refuse(call, "backfill", "must be the number of a backfill");
    return false;
}

enum call_step backfill_get_begin(struct call *call)
{
    int64_t *id = arena_take(call->arena, sizeof *id);
    enum call_step step = request_named(call);

    if (step == CALL_ANSWER || !read_id(call, id))
        return CALL_ANSWER;
    call->arg = id;
    return CALL_READ;
}

enum call_step backfill_get_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    const int64_t *id = call->arg;
    struct schedule_view view;
    struct db_result rows = {0};
    struct backfill b;
    struct err err;

    if (view_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    backfills_find(db, view.cursor.id, *id, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    if (rows.rows == 0)
        return call_problem(call, 404, "not_found",
                            "the schedule has no backfill %lld; the last %d that have ended "
                            "are kept",
                            (long long)*id, BACKFILLS_KEPT);
    backfills_read(&rows, 0, &b);
    print_backfill(call->params[0], &b, &out);
    return call_answer(call, 200, answer_done(&out));
}

enum call_step backfill_stop_begin(struct call *call)
{
    int64_t *id = arena_take(call->arena, sizeof *id);
    enum call_step step = change_named_begin(call);

    if (step == CALL_ANSWER || !read_id(call, id))
        return CALL_ANSWER;
    call->commands->key = *id;
    call->arg = id;
    return CALL_COMMANDS;
}
