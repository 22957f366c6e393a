/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists schedules in pages, with a filter and an order.
 */
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/schedule_scan.h"
#include "api/schedules/view.h"

enum { SCHEDULE_USUAL = 1500 }; /* bytes; a list of typical schedules is allocated once */

enum call_step schedule_list_begin(struct call *call)
{
    static const char *const names[] = {"fields"};
    struct schedule_scan *scan = arena_take(call->arena, sizeof *scan);
    struct err err;

    if (schedule_scan_begin(call, names, 1, scan, &err) != RC_OK ||
        request_fields(call, &schedule_fields, &scan->fields, &err) != RC_OK)
        return call_refuse(call, "invalid_field", &err);
    call->arg = scan;
    return CALL_READ;
}

static enum rc print_schedule(const struct call *call, const struct schedule_view *view,
                              struct arena *scratch, struct answer *out, struct err *reterr)
{
    field_set fields = ((const struct schedule_scan *)call->arg)->fields;

    return view_schedule(call, view, fields, scratch, out, reterr);
}

enum call_step schedule_list_read(struct call *call, struct db *db)
{
    /* A copy: it may be read again. */
    struct schedule_scan scan = *(const struct schedule_scan *)call->arg;
    struct err err;

    scan.print = print_schedule;
    scan.between = ",";
    scan.out = answer_new(call->arena);
    if (scan.page.limit <= LIMIT_DEFAULT)
        answer_reserve(&scan.out, (size_t)scan.page.limit * SCHEDULE_USUAL);
    page_open(&scan.out, "schedules");
    if (schedule_scan_print(call, db, &scan, &err) != RC_OK)
        return view_failed(call, &err);
    page_close(&scan.out, scan.cursor);
    return call_answer(call, 200, answer_done(&scan.out));
}
