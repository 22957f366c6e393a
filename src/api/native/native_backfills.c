/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backfills of a schedule: list them, show one with its progress, stop one.
 */
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

static void print_backfill(const struct call *call, const struct backfill *b,
                           struct answer *out)
{
    bool has_overlap = b->overlap >= 0 && b->overlap < OVERLAP_COUNT;

    answer_open(out);
    answer_put_int(out, "id", b->pass);
    answer_put_text(out, "schedule", call->params[0]);
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

/* Newest first.  A schedule has so few that they always fit into one page. */
enum call_step backfill_list_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct schedule_view view;
    struct db_result rows = {0};
    struct err err;

    if (view_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    backfills_of(db, view.cursor.id, BACKFILLS_READ_MAX, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&out, "backfills");
    for (int i = rows.rows - 1; i >= 0; i--) {
        struct backfill b;

        backfills_read(&rows, i, &b);
        print_backfill(call, &b, &out);
    }
    page_close(&out, (struct str){NULL, 0});
    return call_answer(call, 200, answer_done(&out));
}

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
    print_backfill(call, &b, &out);
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
