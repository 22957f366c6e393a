/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a schedule between two times.
 */
#include <inttypes.h>

#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/slot_entries.h"

enum { CURSOR_MAX = 32 };

#define AROUND SPAN_DAY /* before and after now, when nothing is asked for */

struct asked {
    struct page page;
    instant from, to; /* both inclusive */
    instant after;
};

static enum rc read_cursor(struct asked *asked, struct err *reterr)
{
    struct str rest = asked->page.after;
    int64_t ms = 0;

    asked->after = asked->from - 1;
    if (rest.len == 0)
        return RC_OK;
    if (str_take_number(&rest, INSTANT_MAX / SPAN_MS, &ms) > 0 && rest.len == 0) {
        asked->after = ms * SPAN_MS;
        return RC_OK;
    }
    err_set(reterr, RC_INVALID, -1, 0, "is not one that this list gave");
    err_in(reterr, "cursor");
    return RC_INVALID;
}

enum call_step schedule_slots_begin(struct call *call)
{
    static const char *const names[] = {"from", "to"};
    struct asked *asked = arena_take(call->arena, sizeof *asked);
    struct err err;

    asked->from = call->now - AROUND;
    asked->to = call->now + AROUND;
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        page_begin(call, names, 2, &asked->page, &err) != RC_OK ||
        request_query_range(call, &asked->from, &asked->to, &err) != RC_OK ||
        read_cursor(asked, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = asked;
    return CALL_READ;
}

enum call_step schedule_slots_read(struct call *call, struct db *db)
{
    const struct asked *asked = call->arg;
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct answer out = answer_new(call->arena);
    struct slot_stretch stretch = {
        .after = asked->after, .until = asked->to, .limit = asked->page.limit};
    struct slot_entries found;
    char text[CURSOR_MAX] = "";
    struct buf cursor = BUF(text);
    struct err err;

    if (schedule_times_read(call, db, p, &err) != RC_OK)
        return view_failed(call, &err);
    stretch.schedule = p->view.cursor.id;
    if (slot_entries_read(call, db, p, &stretch, &found, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&out, "slots");
    for (int i = 0; i < found.count; i++) {
        answer_text(&out, i > 0 ? "," : "");
        slot_entry_print(p, &found.list[i], &out);
    }
    if (found.has_more)
        buf_printf(&cursor, "%" PRId64, found.list[found.count - 1].last / SPAN_MS);
    page_close(&out, buf_as_str(&cursor));
    return call_answer(call, 200, answer_done(&out));
}
