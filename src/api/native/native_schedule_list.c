/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists schedules in pages, with a filter and an order.
 */
#include "api/call/request.h"
#include "api/catalogue/catalogue_list.h"
#include "api/native/native.h"
#include "api/schedules/schedule_scan.h"
#include "api/schedules/view.h"

enum { SCHEDULE_USUAL = 1500 }; /* bytes; a list of typical schedules is allocated once */

/* The scan is not used if the catalogue answers. */
struct listing {
    struct schedule_scan scan;
    struct catalogue_list *sorted; /* NULL: the database answers */
};

enum call_step schedule_list_begin(struct call *call)
{
    const char *names[1 + CATALOGUE_LIST_NAMES] = {"fields"};
    struct listing *listing = arena_take(call->arena, sizeof *listing);
    struct schedule_scan *scan = &listing->scan;
    struct err err;
    enum rc rc;

    for (int i = 0; i < CATALOGUE_LIST_NAMES; i++)
        names[1 + i] = catalogue_list_names[i];
    if (catalogue_list_is_wanted(call)) {
        listing->sorted = arena_take(call->arena, sizeof *listing->sorted);
        scan = &listing->sorted->scan;
        rc = catalogue_list_begin(call, listing->sorted, &err);
    } else {
        rc = schedule_scan_begin(call, names, 1 + CATALOGUE_LIST_NAMES, scan, &err);
    }
    if (rc != RC_OK || request_fields(call, &schedule_fields, &scan->fields, &err) != RC_OK)
        return call_refuse(call, "invalid_field", &err);
    call->arg = listing;
    return CALL_READ;
}

static field_set asked_fields(const struct listing *listing)
{
    return listing->sorted ? listing->sorted->scan.fields : listing->scan.fields;
}

static enum rc print_schedule(const struct call *call, const struct schedule_view *view,
                              struct arena *scratch, struct answer *out, struct err *reterr)
{
    return view_schedule(call, view, asked_fields(call->arg), scratch, out, reterr);
}

/* Lists of typical schedules are allocated once. */
static void prepare_scan(struct call *call, struct schedule_scan *scan)
{
    scan->print = print_schedule;
    scan->between = ",";
    scan->out = answer_new(call->arena);
    if (scan->page.limit <= LIMIT_DEFAULT)
        answer_reserve(&scan->out, (size_t)scan->page.limit * SCHEDULE_USUAL);
}

enum call_step schedule_list_read(struct call *call, struct db *db)
{
    /* Copies: it may be read again. */
    struct listing listing = *(const struct listing *)call->arg;
    struct schedule_scan *scan = &listing.scan;
    struct err err;

    if (listing.sorted) {
        struct catalogue_list sorted = *listing.sorted;

        prepare_scan(call, &sorted.scan);
        return catalogue_list_read(call, db, &sorted);
    }
    prepare_scan(call, scan);
    page_open(&scan->out, "schedules");
    if (schedule_scan_print(call, db, scan, &err) != RC_OK)
        return view_failed(call, &err);
    page_close(&scan->out, scan->cursor);
    return call_answer(call, 200, answer_done(&scan->out));
}
