/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports a namespace as documents that can be applied again: calendars and gates first, then
 * pages of schedules.
 *
 * With format=ndjson each line is one document.  The cursor of the next page is then in the
 * header field Belfry-Cursor, percent-encoded for a query; the last page has none.
 */
#include "api/call/change.h"
#include "api/native/native.h"
#include "api/native/native_calendars.h"
#include "api/native/native_document.h"
#include "api/schedules/schedule_scan.h"

enum { NAMED_MAX = 1000 }; /* calendars of an export, and gates */

struct export
{
    struct schedule_scan scan;
    bool is_lines;
    int printed; /* entries before the schedules */
};

enum call_step schedule_export_begin(struct call *call)
{
    static const char *const names[] = {"format"};
    struct export *export = arena_take(call->arena, sizeof *export);
    struct str format;
    struct err err;

    if (schedule_scan_begin(call, names, 1, &export->scan, &err) != RC_OK)
        return call_refuse(call, "invalid_field", &err);
    format = request_query(call, "format");
    export->is_lines = str_eq(format, STR("ndjson"));
    if (format.len > 0 && !export->is_lines && !str_eq(format, STR("json"))) {
        err_set(&err, RC_INVALID, 0, (int)format.len, "must be json or ndjson");
        err_in(&err, "format");
        return call_refuse(call, NULL, &err);
    }
    call->arg = export;
    return CALL_READ;
}

static enum rc print_document(const struct call *call, const struct schedule_view *view,
                              struct arena *scratch, struct answer *out, struct err *reterr)
{
    json_t *json = NULL;

    if (native_document(call, view, scratch, SPEC_BRIEF, &json, reterr) != RC_OK)
        return reterr->rc;
    json_object_del(json, "namespace"); /* so that it can be applied to any namespace */
    answer_json(out, json);
    return RC_OK;
}

static void begin_entry(struct export *export)
{
    if (export->printed++ > 0)
        answer_text(&export->scan.out, export->scan.between);
}

static enum rc print_named(const struct call *call, struct db *db, struct export *export,
                           struct err *reterr)
{
    struct answer *out = &export->scan.out;
    struct db_result calendars = {0}, gates = {0};
    enum rc rc;

    calendars_list(db, call->namespace, STR(""), NAMED_MAX, &calendars);
    gates_list(db, call->namespace, STR(""), NAMED_MAX, &gates);
    rc = db_flush(db, call->arena, reterr);
    for (int i = 0; rc == RC_OK && i < calendars.rows; i++) {
        struct calendar_row row;

        calendars_read(&calendars, i, &row);
        begin_entry(export);
        answer_open(out);
        answer_put_text(out, "calendar", row.name);
        calendar_print_dates(row.days, call->arena, out);
        answer_text(out, "}");
    }
    for (int i = 0; rc == RC_OK && i < gates.rows; i++) {
        struct gate_row row;

        gates_read_row(&gates, i, &row);
        begin_entry(export);
        answer_open(out);
        answer_put_text(out, "gate", row.name);
        answer_put_int(out, "limit", row.gate.most);
        answer_text(out, "}");
    }
    return rc;
}

static enum call_step answer_export(struct call *call, struct export *export)
{
    struct schedule_scan *scan = &export->scan;
    enum call_step step;

    if (!export->is_lines)
        page_close(&scan->out, scan->cursor);
    else if (scan->out.buf.len > 0)
        answer_text(&scan->out, "\n");
    step = call_answer(call, 200, answer_done(&scan->out));
    if (export->is_lines)
        call->content_type = "application/x-ndjson";
    if (export->is_lines && scan->cursor.len > 0)
        call_field(call, STR("Belfry-Cursor"), change_escaped(scan->cursor, call->arena));
    return step;
}

enum call_step schedule_export_read(struct call *call, struct db *db)
{
    struct export *export = call->arg;
    struct schedule_scan *scan = &export->scan;
    struct err err;

    scan->print = print_document;
    scan->between = export->is_lines ? "\n" : ",";
    scan->out = answer_new(call->arena);
    if (!export->is_lines)
        page_open(&scan->out, "items");
    if (scan->page.after.len == 0 && schedule_filter_is_plain(&scan->filter) &&
        scan->filter.prefix.len == 0 && print_named(call, db, export, &err) != RC_OK)
        return view_failed(call, &err);
    scan->has_before = export->printed > 0;
    if (schedule_scan_print(call, db, scan, &err) != RC_OK)
        return view_failed(call, &err);
    return answer_export(call, export);
}
