/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the slots of a schedule between two times.
 */
#include <inttypes.h>

#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/slot_entries.h"

enum { CURSOR_MAX = 32 };

#define RANGE_DEFAULT SPAN_DAY /* before and after now */

struct slots_query {
    struct page page;
    instant from, to; /* both inclusive */
    instant after;
};

static enum rc read_cursor(struct slots_query *query, struct err *reterr)
{
    struct str rest = query->page.after;
    int64_t ms = 0;

    query->after = query->from - 1;
    if (rest.len == 0)
        return RC_OK;
    if (str_take_number(&rest, INSTANT_MAX / SPAN_MS, &ms) > 0 && rest.len == 0) {
        query->after = ms * SPAN_MS;
        return RC_OK;
    }
    return err_field(reterr, "cursor", "invalid cursor; start without it");
}

enum call_step schedule_slots_begin(struct call *call)
{
    static const char *const names[] = {"from", "to"};
    struct slots_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    query->from = call->now - RANGE_DEFAULT;
    query->to = call->now + RANGE_DEFAULT;
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        page_begin(call, names, 2, &query->page, &err) != RC_OK ||
        request_query_range(call, &query->from, &query->to, &err) != RC_OK ||
        read_cursor(query, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

enum call_step schedule_slots_read(struct call *call, struct db *db)
{
    const struct slots_query *query = call->arg;
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct answer out = answer_new(call->arena);
    struct slot_range period = {
        .after = query->after, .until = query->to, .limit = query->page.limit};
    struct slot_entries found;
    char text[CURSOR_MAX] = "";
    struct buf cursor = BUF(text);
    struct err err;

    if (schedule_times_read(call, db, p, &err) != RC_OK)
        return view_failed(call, &err);
    period.schedule = p->view.cursor.id;
    if (slot_entries_read(call, db, p, &period, &found, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&out, "slots");
    for (int i = 0; i < found.count; i++)
        slot_entry_print(p, &found.list[i], &out);
    if (found.has_more)
        buf_printf(&cursor, "%" PRId64, found.list[found.count - 1].last / SPAN_MS);
    page_close(&out, buf_as_str(&cursor));
    return call_answer(call, 200, answer_done(&out));
}
