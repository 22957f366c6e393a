/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports a namespace as documents that can be applied again: calendars and gates first, then
 * pages of schedules.
 *
 * With format=ndjson each line is one document.  The cursor of the next page is then in the
 * header field Belfry-Cursor, percent-encoded for a query; the last page has none.
 */
#include <assert.h>

#include "api/call/change.h"
#include "api/native/native.h"
#include "api/native/native_calendars.h"
#include "api/native/native_document.h"
#include "api/schedules/schedule_scan.h"

enum {
    KINDS = 2,          /* of objects before the schedules       */
    NAMED_AT_ONCE = 50, /* of one read: calendars have 40 KB each */
};

/* The objects before the schedules; their order is that of schedule_scan.part. */
struct named_kind {
    void (*send)(struct db *db, int64_t namespace, struct str after, int limit,
                 struct db_result *ret);
    /* Returns the name. */
    struct str (*print)(const struct call *call, const struct db_result *rows, int row,
                        struct answer *out);
};

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

    export->scan.part_count = KINDS;
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

static struct str print_calendar(const struct call *call, const struct db_result *rows, int i,
                                 struct answer *out)
{
    struct calendar_row row;

    calendars_read(rows, i, &row);
    answer_put_text(out, "calendar", row.name);
    calendar_print_dates(row.days, call->arena, out);
    return row.name;
}

static struct str print_gate(const struct call *call, const struct db_result *rows, int i,
                             struct answer *out)
{
    struct gate_row row;

    (void)call;
    gates_read_row(rows, i, &row);
    answer_put_text(out, "gate", row.name);
    answer_put_int(out, "limit", row.gate.most);
    return row.name;
}

static const struct named_kind kinds[] = {
    {calendars_list, print_calendar},
    {gates_list, print_gate},
};
static_assert(sizeof kinds / sizeof kinds[0] == KINDS, "one for each part");

/* Prints objects of one part, from a position on.  Sets the cursor if the page is full. */
static enum rc print_part(const struct call *call, struct db *db, struct export *export,
                          int part, struct str after, struct err *reterr)
{
    const struct named_kind *kind = &kinds[part - 1];
    struct schedule_scan *scan = &export->scan;
    struct db_result rows;

    do {
        rows = (struct db_result){0};
        kind->send(db, call->namespace, after, NAMED_AT_ONCE, &rows);
        if (db_flush(db, call->arena, reterr) != RC_OK)
            return reterr->rc;
        for (int i = 0; i < rows.rows; i++) {
            if (scan->out.buf.len > PAGE_BYTES_MAX) {
                scan->cursor = schedule_scan_part_cursor(scan, part, after, call->arena);
                return RC_OK;
            }
            begin_entry(export);
            answer_open(&scan->out);
            after = kind->print(call, &rows, i, &scan->out);
            answer_text(&scan->out, "}");
        }
    } while (rows.rows == NAMED_AT_ONCE);
    return RC_OK;
}

static enum rc print_named(const struct call *call, struct db *db, struct export *export,
                           struct err *reterr)
{
    struct str after = export->scan.part_after;
    enum rc rc = RC_OK;

    for (int part = export->scan.part > 0 ? export->scan.part : 1;
         rc == RC_OK && part <= KINDS && export->scan.cursor.len == 0; part++) {
        rc = print_part(call, db, export, part, after, reterr);
        after = STR("");
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
    /* A copy: it may be read again. */
    struct export export = *(const struct export *)call->arg;
    struct schedule_scan *scan = &export.scan;
    struct err err;

    scan->print = print_document;
    scan->between = export.is_lines ? "\n" : ",";
    scan->out = answer_new(call->arena);
    if (!export.is_lines)
        page_open(&scan->out, "items");
    if ((scan->page.after.len == 0 || scan->part > 0) &&
        schedule_filter_is_plain(&scan->filter) && scan->filter.prefix.len == 0 &&
        print_named(call, db, &export, &err) != RC_OK)
        return view_failed(call, &err);
    scan->has_before = export.printed > 0;
    if (scan->cursor.len == 0 && schedule_scan_print(call, db, scan, &err) != RC_OK)
        return view_failed(call, &err);
    return answer_export(call, &export);
}
