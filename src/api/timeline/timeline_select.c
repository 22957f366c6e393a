/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the selected schedules in batches.
 */
#include "api/timeline/timeline_select.h"

#include <stdlib.h>
#include <string.h>

#include "api/call/read_size.h"
#include "api/timeline/timeline.h"
#include "store/schedule_pages.h"

enum {
    SCAN_ROWS = 200,      /* rows of one read                          */
    READ_BYTES = 1 << 30, /* of arena: enough for rows of maximum size */
};

const char *const timeline_select_names[TIMELINE_SELECT_NAMES] = {
    "prefix", "search", "label",   "status", "action",
    "queue",  "health", "outcome", "zone",   "schedule"};

/* ---- the request ---- */

static int compare_ids(const void *a, const void *b)
{
    const struct str *x = a, *y = b;
    size_t len = x->len < y->len ? x->len : y->len;
    int order = len > 0 ? memcmp(x->ptr, y->ptr, len) : 0;

    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static enum rc read_ids(const struct call *call, struct timeline_select *s, struct err *reterr)
{
    struct str rest = request_query(call, "schedule"), id;
    int count = 0;

    if (!rest.ptr)
        return RC_OK;
    s->ids = arena_array(call->arena, TIMELINE_IDS_MAX, sizeof *s->ids);
    for (bool is_last = false; !is_last;) {
        is_last = !str_cut(rest, ',', &id, &rest);
        id = is_last ? rest : id;
        if (count == TIMELINE_IDS_MAX) {
            err_set(reterr, RC_LIMIT, -1, 0, "too many ids; the limit is %d", TIMELINE_IDS_MAX);
            return err_in(reterr, "schedule");
        }
        if (id.len == 0)
            return err_field(reterr, "schedule", "must be a comma-separated list of ids");
        s->ids[count++] = id;
    }
    if (count > 1)
        qsort(s->ids, (size_t)count, sizeof *s->ids, compare_ids);
    for (int i = 0; i < count; i++)
        if (i == 0 || !str_eq(s->ids[i], s->ids[i - 1]))
            s->ids[s->id_count++] = s->ids[i];
    return RC_OK;
}

enum rc timeline_select_begin(const struct call *call, struct timeline_select *ret,
                              struct err *reterr)
{
    struct timeline_select s = {.limit = 0};
    enum rc rc = schedule_filter_read(call, &s.filter, reterr);

    if (rc == RC_OK)
        rc = catalogue_list_filter(call, &s.filter, &s.wanted, reterr);
    if (rc == RC_OK)
        rc = read_ids(call, &s, reterr);
    if (rc != RC_OK)
        return rc;
    s.needs_catalogue = s.wanted.healths != 0 || s.wanted.outcomes != 0 ||
                        s.wanted.zone.len > 0;
    if (s.needs_catalogue && s.ids)
        return err_field(reterr, "schedule", "cannot be combined with health, outcome or zone");
    *ret = s;
    return RC_OK;
}

struct digest timeline_select_digest(const struct call *call)
{
    struct digest digest = {0};

    digest_add(&digest, call->namespace_name.ptr, call->namespace_name.len);
    for (int i = 0; i < TIMELINE_SELECT_NAMES; i++) {
        struct str value = request_query(call, timeline_select_names[i]);

        digest_add(&digest, value.ptr, value.len);
    }
    return digest;
}

/* ---- reading ---- */

/* Cursors hold only the id; ids are unique, so any key after all others will do. */
static bool query_catalogue(const struct call *call, const struct timeline_select *s, int limit,
                            struct catalogue_page *ret)
{
    struct catalogue_query query = {
        .filter = s->wanted,
        .sort = SORT_NAME,
        .has_after = s->after.len > 0,
        .after = {.name = s->after, .id = INT64_MAX},
        .limit = limit,
        .now = call->now,
    };

    query.filter.namespace = call->namespace;
    return call->context->catalogue(call->context->arg, &query, call->budget, call->arena, ret);
}

enum call_step timeline_select_open(struct call *call, struct timeline_select *s)
{
    bool has_filter = !schedule_filter_is_plain(&s->filter) || s->filter.prefix.len > 0;

    if (!s->ids && (has_filter || s->needs_catalogue) && call->context->catalogue) {
        if (!query_catalogue(call, s, s->limit, &s->page))
            return call_limit_budget(call);
        s->uses_catalogue = s->page.is_loaded;
    }
    if (s->needs_catalogue && !s->uses_catalogue)
        return catalogue_list_refuse(call, &s->page);
    s->call = call;
    while (s->next < s->id_count && s->after.len > 0 &&
           compare_ids(&s->ids[s->next], &s->after) <= 0)
        s->next++;
    s->wants_exact = s->filter.prefix.len > 0 && s->after.len == 0;
    if (s->wants_exact)
        s->after = s->filter.prefix;
    s->rows = arena_new(READ_BYTES);
    return CALL_READ;
}

int64_t timeline_select_total(const struct timeline_select *s)
{
    struct catalogue_page page = {0};

    if (s->ids)
        return s->id_count;
    if (s->uses_catalogue)
        return s->page.total;
    if (!s->call->context->catalogue || !query_catalogue(s->call, s, 1, &page) ||
        !page.is_loaded)
        return -1;
    return page.total;
}

void timeline_select_close(struct timeline_select *s)
{
    s->rows = arena_free(s->rows);
}

static bool take_view(struct timeline_select *s, const struct db_result *rows, int row,
                      struct schedule_view *ret)
{
    schedule_views_read(rows, row, ret);
    if (!s->uses_catalogue && !schedule_filter_fits(&s->filter, ret))
        return false;
    s->found++;
    return true;
}

static int room_of(const struct timeline_select *s)
{
    int left = s->limit - s->found;

    return left < TIMELINE_BATCH_MAX ? left : TIMELINE_BATCH_MAX;
}

static enum rc next_ids(struct timeline_select *s, struct schedule_view *views, int *ret_count,
                        struct err *reterr)
{
    struct db_result rows[TIMELINE_BATCH_MAX] = {0};
    int first = s->next, room = room_of(s), count = 0;
    enum rc rc;

    for (; s->next < s->id_count && s->next - first < room; s->next++)
        schedule_views_find(s->db, s->call->namespace, s->ids[s->next], &rows[s->next - first]);
    rc = db_flush(s->db, s->rows, reterr);
    for (int i = 0; rc == RC_OK && i < s->next - first; i++)
        if (rows[i].rows == 1 && take_view(s, &rows[i], 0, &views[count]))
            count++;
    s->is_done = s->next == s->id_count;
    *ret_count = count;
    return rc;
}

/* The rows come in any order. */
static int find_key(const struct db_result *rows, int64_t key)
{
    for (int i = 0; i < rows->rows; i++)
        if (db_int_at(rows, i, 0) == key)
            return i;
    return -1;
}

static enum rc next_keys(struct timeline_select *s, struct schedule_view *views, int *ret_count,
                         struct err *reterr)
{
    int64_t keys[TIMELINE_BATCH_MAX];
    struct db_result rows = {0};
    int room = room_of(s), asked = 0, count = 0;
    enum rc rc;

    for (; s->next < s->page.count && asked < room; s->next++)
        keys[asked++] = s->page.at[s->next].id;
    if (asked > 0)
        schedule_pages_keys(s->db, keys, asked, &rows);
    rc = db_flush(s->db, s->rows, reterr);
    for (int i = 0; rc == RC_OK && i < asked; i++) {
        int row = find_key(&rows, keys[i]);

        if (row >= 0 && take_view(s, &rows, row, &views[count]))
            count++;
    }
    s->is_done = s->next == s->page.count;
    *ret_count = count;
    return rc;
}

/* Reads the next rows; they stay until all of them are used. */
static enum rc read_rows(struct timeline_select *s, struct err *reterr)
{
    int room = s->limit - s->found;
    int limit = schedule_filter_is_plain(&s->filter) && room < SCAN_ROWS ? room : SCAN_ROWS;
    struct read_size size = read_size_of(limit);
    enum rc rc;

    arena_reset(s->rows);
    s->next = 0;
    do {
        struct schedule_batch batch = {.namespace = s->call->namespace,
                                       .order = ORDER_NAME,
                                       .after = {.name = s->after},
                                       .limit = size.rows};

        s->batch = (struct db_result){0};
        limit = size.rows;
        if (s->wants_exact)
            schedule_views_find(s->db, s->call->namespace, s->after, &s->batch);
        else
            schedule_pages_read(s->db, &batch, &s->batch);
        rc = db_flush(s->db, s->rows, reterr);
    } while (read_size_is_cut(&size, s->db, rc));
    if (rc == RC_OK && !s->wants_exact)
        s->is_done = s->batch.rows < limit;
    s->wants_exact = false;
    return rc;
}

static enum rc next_rows(struct timeline_select *s, struct schedule_view *views, int *ret_count,
                         struct err *reterr)
{
    int count = 0, room = room_of(s);

    if (s->next == s->batch.rows && read_rows(s, reterr) != RC_OK)
        return reterr->rc;
    for (; s->next < s->batch.rows && count < room; s->next++) {
        struct schedule_view *view = &views[count];

        count += take_view(s, &s->batch, s->next, view);
        s->after = arena_str(s->call->arena, view->row.name);
        s->scanned++;
        if (!str_starts(view->row.name, s->filter.prefix)) {
            s->is_done = true;
            s->next = s->batch.rows;
            break;
        }
    }
    *ret_count = count;
    return RC_OK;
}

enum rc timeline_select_next(struct timeline_select *s,
                             struct schedule_view views[static TIMELINE_BATCH_MAX],
                             int *ret_count, struct err *reterr)
{
    enum rc rc = RC_OK;
    int count = 0;

    while (rc == RC_OK && count == 0 && s->found < s->limit) {
        bool is_at_end = s->is_done &&
                         (s->ids || s->uses_catalogue || s->next == s->batch.rows);

        if (is_at_end || s->is_scanned_out)
            break;
        if (s->ids || s->uses_catalogue)
            arena_reset(s->rows);
        if (s->ids)
            rc = next_ids(s, views, &count, reterr);
        else if (s->uses_catalogue)
            rc = next_keys(s, views, &count, reterr);
        else
            rc = next_rows(s, views, &count, reterr);
        s->is_scanned_out = count == 0 && s->scanned - s->found >= VIEW_SCAN_MAX;
    }
    *ret_count = count;
    return rc;
}
