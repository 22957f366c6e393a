/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one page of schedules in an order, applies the filter and prints the matching ones.
 */
#include "api/schedules/schedule_scan.h"

#include <inttypes.h>

#include "api/call/read_size.h"
#include "api/schedules/schedule_times.h"
#include "base/must.h"
#include "model/schedule_json.h"

enum {
    READ_ROWS = 200,      /* rows of one read                              */
    READ_BYTES = 1 << 30, /* of arena: enough for rows of the maximum size */
    CURSOR_MAX = 64,      /* bytes of two numbers                          */
    MORE_MAX = 5,         /* parameters of the operation itself            */
    KEYS_READ = 50,       /* schedules that are read by key at a time      */
};

/* The progress of one page. */
struct progress {
    const struct call *call;
    struct db *db;
    struct schedule_scan *scan;
    struct arena *rows, *scratch; /* memory of a batch, of an entry */
    int left;                     /* entries that the page may still have */
    struct read_size size;
    int scanned;  /* rows                                */
    bool is_done; /* no later row can match              */
    bool is_full; /* a row matches, but the page is full */
};

static enum rc wrong_cursor(struct err *reterr)
{
    return err_field(reterr, "cursor", "invalid cursor; start without it");
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
            "must be id, createdAt or updatedAt; a - in front reverses the order");
    return err_in(reterr, "sort");
}

/* A cursor is valid for one order and filter; pages may differ in limit and fields. */
static struct digest digest_query(const struct call *call, const struct schedule_scan *scan)
{
    struct digest digest = {0};

    digest_add(&digest, call->namespace_name.ptr, call->namespace_name.len);
    digest_int(&digest, scan->order);
    digest_int(&digest, scan->is_descending);
    for (int i = 0; i < FILTER_NAMES; i++) {
        struct str value = request_query(call, schedule_filter_names[i]);

        digest_add(&digest, value.ptr, value.len);
    }
    return digest;
}

static struct digest part_context(const struct schedule_scan *scan, int part)
{
    struct digest digest = scan->context;

    if (part > 0)
        digest_int(&digest, part);
    return digest;
}

struct str schedule_scan_part_cursor(const struct schedule_scan *scan, int part,
                                     struct str after, struct arena *arena)
{
    struct digest context = part_context(scan, part);

    return page_seal(&context, after, arena);
}

/* Sets the part of a cursor, and *ret to its position. */
static enum rc unseal(struct schedule_scan *scan, struct str *ret, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (scan->part = 0; scan->part <= scan->part_count; scan->part++) {
        struct digest context = part_context(scan, scan->part);

        rc = page_unseal(&context, scan->page.after, ret, reterr);
        if (rc == RC_OK)
            return rc;
    }
    return rc;
}

/* A position is the last id that was read, or its key, or its update time and key. */
static enum rc read_position(const struct call *call, struct schedule_scan *scan,
                             struct err *reterr)
{
    struct str rest = scan->page.after;
    struct buf name = {.cap = 0};

    scan->context = digest_query(call, scan);
    if (rest.len > 0 && unseal(scan, &rest, reterr) != RC_OK)
        return reterr->rc;
    if (scan->part > 0) {
        scan->part_after = rest;
        rest = (struct str){NULL, 0};
    }
    scan->place = schedule_position_begin(scan->is_descending);
    if (scan->order == ORDER_NAME && rest.len > 0) {
        scan->place.name = rest;
    } else if (scan->order == ORDER_NAME && scan->filter.prefix.len > 0) {
        /* Ids with this prefix sort after it, and before it with the highest suffix. */
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
    return rc == RC_OK ? read_position(call, ret, reterr) : rc;
}

static void advance_position(struct progress *progress, const struct schedule_row *row)
{
    struct schedule_position *place = &progress->scan->place;

    place->name = arena_str(progress->call->arena, row->name);
    place->at = row->updated_at;
    place->id = row->id;
}

/* In the order of ids, those with the prefix are contiguous. */
static bool is_past_prefix(const struct schedule_scan *scan, struct str name)
{
    return scan->order == ORDER_NAME && !str_starts(name, scan->filter.prefix);
}

/* A damaged schedule does not end the list: it has only its id and the error. */
static enum rc print_entry(struct progress *progress, struct schedule_view *view,
                           struct err *reterr)
{
    struct schedule_scan *scan = progress->scan;
    enum rc rc;
    size_t before;

    progress->is_full = progress->left == 0 || scan->out.buf.len > PAGE_BYTES_MAX;
    if (progress->is_full)
        return RC_OK;
    arena_reset(progress->scratch);
    if (progress->left-- < scan->page.limit || scan->has_before)
        answer_text(&scan->out, scan->between);
    before = scan->out.buf.len;
    advance_position(progress, &view->row);
    rc = view_count(progress->call, &view->row, reterr);
    if (rc == RC_OK && fields_have(scan->fields, SCHEDULE_FIELD_STATE))
        rc = schedule_times_next(progress->call, progress->db, progress->scratch, view, reterr);
    if (rc == RC_OK)
        rc = scan->print(progress->call, view, progress->scratch, &scan->out, reterr);
    if (rc != RC_CORRUPT)
        return rc;
    scan->out.buf.len = before;
    answer_text(&scan->out, "{");
    answer_put_text(&scan->out, "id", view->row.name);
    answer_put_text(&scan->out, "damaged", str_of(reterr->text));
    answer_text(&scan->out, "}");
    return RC_OK;
}

static enum rc print_row(struct progress *progress, struct schedule_view *view,
                         struct err *reterr)
{
    struct schedule_scan *scan = progress->scan;

    if (is_past_prefix(scan, view->row.name)) {
        progress->is_done = true;
        return RC_OK;
    }
    progress->scanned++;
    if (schedule_filter_fits(&scan->filter, view))
        return print_entry(progress, view, reterr);
    advance_position(progress, &view->row);
    return RC_OK;
}

static enum rc print_rows(struct progress *progress, const struct db_result *rows,
                          struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < rows->rows && !progress->is_done && !progress->is_full;
         i++) {
        struct schedule_view view;

        schedule_views_read(rows, i, &view);
        rc = print_row(progress, &view, reterr);
    }
    return rc;
}

/* Reads and prints one batch of rows. */
static enum rc print_batch(struct progress *progress, struct db *db, struct err *reterr)
{
    struct schedule_scan *scan = progress->scan;
    int limit = progress->size.rows;
    const struct schedule_batch batch = {.namespace = progress->call->namespace,
                                         .order = scan->order,
                                         .is_descending = scan->is_descending,
                                         .after = scan->place,
                                         .limit = limit};
    bool is_created = scan->order == ORDER_CREATED;
    struct db_result rows = {0}, end = {0};
    enum rc rc;

    arena_reset(progress->rows);
    schedule_pages_read(db, &batch, &rows);
    if (is_created)
        schedule_pages_end(db, &batch, &end);
    rc = db_flush(db, progress->rows, reterr);
    if (read_size_is_cut(&progress->size, db, rc))
        return RC_OK;
    if (rc == RC_OK)
        rc = print_rows(progress, &rows, reterr);
    if (rc != RC_OK || progress->is_full || progress->is_done)
        return rc;
    progress->is_done = is_created ? end.rows == 0 : rows.rows < limit;
    if (is_created && end.rows == 1) {
        scan->place.id = db_int_at(&end, 0, 0);
        progress->scanned += limit - rows.rows; /* rows of other namespaces count too */
    }
    return RC_OK;
}

/* The prefix may be an id itself; that one is the first of the ids with the prefix. */
static enum rc print_exact(struct progress *progress, struct db *db, struct err *reterr)
{
    struct schedule_scan *scan = progress->scan;
    struct db_result exact = {0};
    struct schedule_position place = scan->place;
    enum rc rc;

    if (scan->order != ORDER_NAME || scan->is_descending || scan->page.after.len > 0 ||
        scan->filter.prefix.len == 0)
        return RC_OK;
    schedule_views_find(db, progress->call->namespace, scan->filter.prefix, &exact);
    rc = db_flush(db, progress->rows, reterr);
    if (rc == RC_OK)
        rc = print_rows(progress, &exact, reterr);
    scan->place = place;
    return rc;
}

static struct str make_cursor(const struct schedule_scan *scan, struct arena *arena)
{
    struct buf text = {.ptr = arena_take(arena, CURSOR_MAX), .cap = CURSOR_MAX};

    if (scan->order == ORDER_NAME)
        return page_seal(&scan->context, scan->place.name, arena);
    if (scan->order == ORDER_UPDATED)
        buf_printf(&text, "%" PRId64 ".", scan->place.at);
    buf_printf(&text, "%" PRId64, scan->place.id);
    return page_seal(&scan->context, buf_as_str(&text), arena);
}

enum rc schedule_scan_print(const struct call *call, struct db *db, struct schedule_scan *scan,
                            struct err *reterr)
{
    bool is_plain = schedule_filter_is_plain(&scan->filter);
    struct progress progress = {.call = call,
                                .db = db,
                                .scan = scan,
                                .size = read_size_of(is_plain && scan->page.limit < READ_ROWS
                                                         ? scan->page.limit + 1
                                                         : READ_ROWS),
                                .rows = arena_new(READ_BYTES),
                                .scratch = arena_new(SCHEDULE_BYTES_MAX),
                                .left = scan->page.limit};
    enum rc rc = print_exact(&progress, db, reterr);

    while (rc == RC_OK && !progress.is_done && !progress.is_full &&
           progress.scanned < VIEW_SCAN_MAX)
        rc = print_batch(&progress, db, reterr);
    scan->cursor = progress.is_done ? (struct str){NULL, 0} : make_cursor(scan, call->arena);
    arena_free(progress.rows);
    arena_free(progress.scratch);
    return rc;
}

/* Reads and prints the next keys. */
static enum rc print_some_keys(struct progress *progress, struct schedule_keys *keys,
                               struct err *reterr)
{
    int left = keys->count - keys->done, first = keys->done;
    int part = left < progress->size.rows ? left : progress->size.rows;
    struct db_result rows[KEYS_READ] = {0};
    enum rc rc;

    arena_reset(progress->rows);
    for (int i = 0; i < part; i++)
        schedule_views_get(progress->db, keys->at[first + i], &rows[i]);
    rc = db_flush(progress->db, progress->rows, reterr);
    if (read_size_is_cut(&progress->size, progress->db, rc))
        return RC_OK;
    for (int i = 0; rc == RC_OK && i < part; i++) {
        struct schedule_view view;

        if (rows[i].rows == 1) {
            schedule_views_read(&rows[i], 0, &view);
            rc = print_entry(progress, &view, reterr);
        }
        if (progress->is_full)
            break;
        keys->done++;
    }
    return rc;
}

enum rc schedule_scan_print_keys(const struct call *call, struct db *db,
                                 struct schedule_scan *scan, struct schedule_keys *keys,
                                 struct err *reterr)
{
    struct progress progress = {.call = call,
                                .db = db,
                                .scan = scan,
                                .size = read_size_of(KEYS_READ),
                                .rows = arena_new(READ_BYTES),
                                .scratch = arena_new(SCHEDULE_BYTES_MAX),
                                .left = scan->page.limit};
    enum rc rc = RC_OK;

    keys->done = 0;
    while (rc == RC_OK && keys->done < keys->count && !progress.is_full)
        rc = print_some_keys(&progress, keys, reterr);
    arena_free(progress.rows);
    arena_free(progress.scratch);
    return rc;
}
