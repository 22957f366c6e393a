/* SPDX-License-Identifier: Apache-2.0 */
#include "api/schedules/schedule_scan.h"

#include <inttypes.h>

#include "api/call/read_size.h"
#include "api/schedules/schedule_times.h"
#include "base/must.h"
#include "model/schedule_json.h"

enum {
    READ_ROWS = 200,      /* rows of one read                                        */
    READ_BYTES = 1 << 30, /* of arena: schedules as large as they may be, all of them */
    CURSOR_MAX = 64,      /* bytes of two numbers                                    */
    MORE_MAX = 4,
};

/* Between the rows of a page. */
struct walk {
    const struct call *call;
    struct db *db;
    struct schedule_scan *scan;
    struct arena *rows, *scratch; /* of a portion, of an entry */
    int left;
    struct read_size portion;
    int looked_at;
    bool is_done; /* nothing that comes can fit  */
    bool is_full; /* something fits, but has no room */
};

static enum rc wrong_cursor(struct err *reterr)
{
    err_set(reterr, RC_INVALID, -1, 0, "is not one that this list gave");
    err_in(reterr, "cursor");
    return RC_INVALID;
}

static enum rc read_order(struct str sort, struct schedule_scan *scan, struct err *reterr)
{
    static const char *const words[ORDER_COUNT] = {"id", "createdAt", "updatedAt"};
    struct str word = sort;

    scan->is_descending = word.len > 0 && word.ptr[0] == '-';
    if (scan->is_descending)
        word = str_from(word, 1);
    for (int i = 0; i < ORDER_COUNT; i++)
        if (sort.len == 0 || str_eq(word, str_of(words[i]))) {
            scan->order = (enum schedule_order)i;
            return RC_OK;
        }
    err_set(reterr, RC_INVALID, 0, (int)sort.len,
            "must be id, createdAt or updatedAt, with a - in front for the other way round");
    err_in(reterr, "sort");
    return RC_INVALID;
}

/* What a cursor is good for: pages may differ in their limits and fields. */
static struct digest digest_of(const struct call *call, const struct schedule_scan *scan)
{
    struct digest of = {0};

    digest_add(&of, call->namespace_name.ptr, call->namespace_name.len);
    digest_int(&of, scan->order);
    digest_int(&of, scan->is_descending);
    for (int i = 0; i < FILTER_NAMES; i++) {
        struct str value = request_query(call, schedule_filter_names[i]);

        digest_add(&of, value.ptr, value.len);
    }
    return of;
}

/* A place is the last id that was looked at, or its key, or the time and the key. */
static enum rc read_place(const struct call *call, struct schedule_scan *scan,
                          struct err *reterr)
{
    struct str rest = scan->page.after;
    struct buf name = {.cap = 0};

    scan->of = digest_of(call, scan);
    if (rest.len > 0 && page_unseal(&scan->of, rest, &rest, reterr) != RC_OK)
        return reterr->rc;
    scan->place = schedule_place_begin(scan->is_descending);
    if (scan->order == ORDER_NAME && rest.len > 0) {
        scan->place.name = rest;
    } else if (scan->order == ORDER_NAME && scan->filter.prefix.len > 0) {
        /* Ids with this prefix come behind it, and before it with the highest end. */
        name.cap = scan->filter.prefix.len + scan->place.name.len + 1;
        name.ptr = arena_take(call->arena, name.cap);
        buf_str(&name, scan->filter.prefix);
        buf_str(&name, scan->place.name);
        scan->place.name = buf_as_str(&name);
    } else if (rest.len > 0) {
        if (scan->order == ORDER_UPDATED &&
            (str_take_number(&rest, INSTANT_MAX, &scan->place.at) == 0 || rest.len == 0 ||
             rest.ptr[0] != '.'))
            return wrong_cursor(reterr);
        rest = scan->order == ORDER_UPDATED ? str_from(rest, 1) : rest;
        if (str_take_number(&rest, INT64_MAX - 2, &scan->place.id) == 0 || rest.len > 0)
            return wrong_cursor(reterr);
    }
    return RC_OK;
}

enum rc schedule_scan_begin(struct call *call, const char *const *more, int count,
                            struct schedule_scan *ret, struct err *reterr)
{
    const char *names[FILTER_NAMES + 1 + MORE_MAX];
    enum rc rc;

    must(count <= MORE_MAX);
    ret->fields = FIELDS_ALL;
    for (int i = 0; i < FILTER_NAMES; i++)
        names[i] = schedule_filter_names[i];
    names[FILTER_NAMES] = "sort";
    for (int i = 0; i < count; i++)
        names[FILTER_NAMES + 1 + i] = more[i];
    rc = page_begin(call, names, FILTER_NAMES + 1 + count, &ret->page, reterr);
    if (rc == RC_OK)
        rc = schedule_filter_read(call, &ret->filter, reterr);
    if (rc == RC_OK)
        rc = read_order(request_query(call, "sort"), ret, reterr);
    return rc == RC_OK ? read_place(call, ret, reterr) : rc;
}

static void move_on(struct walk *w, const struct schedule_row *row)
{
    struct schedule_place *place = &w->scan->place;

    place->name = arena_str(w->call->arena, row->name);
    place->at = row->updated_at;
    place->id = row->id;
}

/* In the order of ids those with a prefix stand together. */
static bool is_behind_prefix(const struct schedule_scan *scan, struct str name)
{
    return scan->order == ORDER_NAME && !str_starts(name, scan->filter.prefix);
}

static enum rc tell_row(struct walk *w, struct schedule_view *view, struct err *reterr)
{
    struct schedule_scan *scan = w->scan;
    enum rc rc = RC_OK;

    if (is_behind_prefix(scan, view->row.name)) {
        w->is_done = true;
        return RC_OK;
    }
    w->looked_at++;
    if (!schedule_filter_fits(&scan->filter, view)) {
        move_on(w, &view->row);
        return RC_OK;
    }
    w->is_full = w->left == 0 || scan->out.buf.len > PAGE_BYTES_MAX;
    if (w->is_full)
        return RC_OK;
    arena_reset(w->scratch);
    if (w->left-- < scan->page.limit || scan->has_before)
        answer_text(&scan->out, scan->between);
    move_on(w, &view->row);
    if (fields_have(scan->fields, SCHEDULE_FIELD_STATE))
        rc = schedule_times_next(w->call, w->db, w->scratch, view, reterr);
    return rc == RC_OK ? scan->print(w->call, view, w->scratch, &scan->out, reterr) : rc;
}

static enum rc tell_rows(struct walk *w, const struct db_result *rows, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < rows->rows && !w->is_done && !w->is_full; i++) {
        struct schedule_view view;

        schedule_views_read(rows, i, &view);
        rc = tell_row(w, &view, reterr);
    }
    return rc;
}

/* One read and what it brings. */
static enum rc tell_portion(struct walk *w, struct db *db, struct err *reterr)
{
    struct schedule_scan *scan = w->scan;
    int limit = w->portion.rows;
    const struct schedule_batch portion = {.namespace = w->call->namespace,
                                           .order = scan->order,
                                           .is_descending = scan->is_descending,
                                           .after = scan->place,
                                           .limit = limit};
    bool is_created = scan->order == ORDER_CREATED;
    struct db_result rows = {0}, end = {0};
    enum rc rc;

    arena_reset(w->rows);
    schedule_pages_read(db, &portion, &rows);
    if (is_created)
        schedule_pages_end(db, &portion, &end);
    rc = db_flush(db, w->rows, reterr);
    if (read_size_is_cut(&w->portion, db, rc))
        return RC_OK;
    if (rc == RC_OK)
        rc = tell_rows(w, &rows, reterr);
    if (rc != RC_OK || w->is_full || w->is_done)
        return rc;
    w->is_done = is_created ? end.rows == 0 : rows.rows < limit;
    if (is_created && end.rows == 1) {
        scan->place.id = db_int_at(&end, 0, 0);
        w->looked_at += limit - rows.rows; /* other namespaces' are looked at too */
    }
    return RC_OK;
}

/* The prefix may be an id itself, which then is the first of those that begin with it. */
static enum rc tell_exact(struct walk *w, struct db *db, struct err *reterr)
{
    struct schedule_scan *scan = w->scan;
    struct db_result exact = {0};
    struct schedule_place place = scan->place;
    enum rc rc;

    if (scan->order != ORDER_NAME || scan->is_descending || scan->page.after.len > 0 ||
        scan->filter.prefix.len == 0)
        return RC_OK;
    schedule_views_find(db, w->call->namespace, scan->filter.prefix, &exact);
    rc = db_flush(db, w->rows, reterr);
    if (rc == RC_OK)
        rc = tell_rows(w, &exact, reterr);
    scan->place = place;
    return rc;
}

static struct str cursor_of(const struct schedule_scan *scan, struct arena *arena)
{
    struct buf text = {.ptr = arena_take(arena, CURSOR_MAX), .cap = CURSOR_MAX};

    if (scan->order == ORDER_NAME)
        return page_seal(&scan->of, scan->place.name, arena);
    if (scan->order == ORDER_UPDATED)
        buf_printf(&text, "%" PRId64 ".", scan->place.at);
    buf_printf(&text, "%" PRId64, scan->place.id);
    return page_seal(&scan->of, buf_as_str(&text), arena);
}

enum rc schedule_scan_tell(const struct call *call, struct db *db, struct schedule_scan *scan,
                           struct err *reterr)
{
    bool is_plain = schedule_filter_is_plain(&scan->filter);
    struct walk w = {.call = call,
                     .db = db,
                     .scan = scan,
                     .portion = read_size_of(is_plain && scan->page.limit < READ_ROWS
                                                 ? scan->page.limit + 1
                                                 : READ_ROWS),
                     .rows = arena_new(READ_BYTES),
                     .scratch = arena_new(SCHEDULE_BYTES_MAX),
                     .left = scan->page.limit};
    enum rc rc = tell_exact(&w, db, reterr);

    while (rc == RC_OK && !w.is_done && !w.is_full && w.looked_at < VIEW_SCAN_MAX)
        rc = tell_portion(&w, db, reterr);
    scan->cursor = w.is_done ? (struct str){NULL, 0} : cursor_of(scan, call->arena);
    arena_free(w.rows);
    arena_free(w.scratch);
    return rc;
}
