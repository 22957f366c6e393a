/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists execution records: those of a schedule, the results of a search, and those that wait.
 */
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/conductor/conductor_records.h"
#include "api/schedules/view.h"
#include "base/must.h"
#include "core/time/civil.h"
#include "model/schedule_json.h"
#include "store/text.h"

enum {
    LIST_LIMIT_DEFAULT = 10,
    SIZE_DEFAULT = 100,
    SIZE_LIMIT = 1000,               /* records of one answer                       */
    START_LIMIT = 1000 * 1000,       /* more than a search can find                 */
    EXECUTIONS_BYTES_MAX = 12 << 20, /* of one answer; a larger one is refused      */
    SAMPLE_MAX = 10,
};

struct page {
    struct conductor_search search;
    int64_t start, size;
    const char *size_name; /* of the query parameter that sets the size */
};

static struct page *page_new(struct call *call, int64_t size)
{
    struct page *page = arena_take(call->arena, sizeof *page);

    *page = (struct page){.size = size, .size_name = "size"};
    page->search.query = conductor_query_all;
    call->arg = page;
    return page;
}

/* ---- printing ---- */

static void put_text(json_t *object, const char *name, struct str text)
{
    if (text.len > 0)
        json_put(object, name, json_new_str(text));
}

/* Takes ownership of the request, which may be NULL. */
static json_t *record_json(const struct conductor_record *record, json_t *request)
{
    const struct conductor_found *found = &record->found;
    json_t *object = json_new_object();

    put_text(object, "executionId", found->id);
    put_text(object, "scheduleName", found->schedule);
    json_put(object, "scheduledTime", json_new_int(floor_div(found->slot, SPAN_MS)));
    json_put(object, "executionTime", json_new_int(floor_div(found->executed, SPAN_MS)));
    put_text(object, "workflowName", found->workflow);
    put_text(object, "workflowId", found->workflow_id);
    json_put(object, "state", json_new_str(str_of(execution_state_text(found->state))));
    put_text(object, "reason", record->reason);
    if (request)
        json_put(object, "startWorkflowRequest", request);
    put_text(object, "zoneId", record->zone);
    return object;
}

/* The request of the last schedule; the next record is often of the same schedule. */
struct request_cache {
    struct arena *scratch;
    int64_t schedule;
    json_t *shown;
};

static enum rc find_request(struct db *db, int64_t schedule, struct request_cache *cache,
                            struct err *reterr)
{
    struct db_result row = {0};
    struct conductor_shown shown;
    struct schedule_view view;
    enum rc rc;

    if (cache->schedule == schedule)
        return RC_OK;
    arena_reset(cache->scratch);
    json_decref(cache->shown);
    cache->shown = NULL;
    cache->schedule = schedule;
    schedule_views_get(db, schedule, &row);
    rc = db_flush(db, cache->scratch, reterr);
    if (rc != RC_OK || row.rows == 0)
        return rc;
    schedule_views_read(&row, 0, &view);
    rc = conductor_show(&view, cache->scratch, &shown, reterr);
    if (rc == RC_CORRUPT)
        shown = conductor_show_damaged(&view, reterr);
    else if (rc != RC_OK)
        return rc;
    cache->shown = shown.schedule;
    return RC_OK;
}

/* The input that this run alone was given, as JSON in cache->scratch; empty: none. */
static enum rc read_input(struct db *db, const struct conductor_record *record,
                          struct request_cache *cache, struct str *ret, struct err *reterr)
{
    struct db_result row = {0};
    struct run_view view;
    enum rc rc;

    *ret = (struct str){NULL, 0};
    if (!record->is_open && record->input_row == 0)
        return RC_OK;
    arena_reset(cache->scratch);
    if (record->is_open)
        run_views_get(db, &record->run, &row);
    else
        history_input(db, record->input_row, &row);
    rc = db_flush(db, cache->scratch, reterr);
    if (rc != RC_OK || row.rows == 0)
        return rc;
    if (record->is_open) {
        run_views_read(&row, 0, &view);
        *ret = view.run.input;
    } else {
        *ret = text_or_empty(&row, 0, 0);
    }
    return RC_OK;
}

/* The request of a record with the input of its run; NULL if the schedule was edited since. */
static enum rc read_request(struct db *db, const struct conductor_record *record,
                            struct request_cache *cache, json_t **ret, struct err *reterr)
{
    json_auto_t *input = NULL;
    struct str run_input;
    json_t *request;
    enum rc rc = RC_OK;

    *ret = NULL;
    if (record->is_current)
        rc = find_request(db, record->schedule, cache, reterr);
    request = json_object_get(cache->shown, "startWorkflowRequest");
    if (rc != RC_OK || !record->is_current || !request)
        return rc;
    rc = read_input(db, record, cache, &run_input, reterr);
    if (rc != RC_OK)
        return rc;
    input = run_input.len > 0 ? json_of_kept(run_input) : NULL;
    *ret = input ? json_deep_copy(request) : json_incref(request);
    must(*ret);
    if (input)
        must(json_object_update(json_object_get(*ret, "input"), input) == 0);
    return rc;
}

/*
 * The client sets the offset of the next page: a page cut short would hide records.  A page of
 * one record is never too large.
 */
static enum rc refuse_size(const struct page *page, int fit, struct err *reterr)
{
    return err_set(reterr, RC_LIMIT, -1, 0,
                   "the page is larger than %d MiB; request fewer records with %s=%d",
                   EXECUTIONS_BYTES_MAX >> 20, page->size_name, fit);
}

static enum rc print_page(const struct call *call, struct db *db,
                          const struct conductor_records *records, struct answer *out,
                          struct err *reterr)
{
    const struct page *page = call->arg;
    struct request_cache cache = {.scratch = arena_new(2 * SCHEDULE_BYTES_MAX)};
    enum rc rc = RC_OK;

    answer_text(out, "[");
    for (int64_t i = page->start;
         rc == RC_OK && i < records->count && i < page->start + page->size; i++) {
        const struct conductor_record *record = &records->list[i];
        json_t *request;

        rc = read_request(db, record, &cache, &request, reterr);
        if (rc != RC_OK)
            break;
        if (i > page->start)
            answer_text(out, ",");
        answer_json(out, record_json(record, request));
        if (out->buf.len > EXECUTIONS_BYTES_MAX && i > page->start)
            rc = refuse_size(page, (int)(i - page->start), reterr);
    }
    answer_text(out, "]");
    json_decref(cache.shown);
    arena_free(cache.scratch);
    return rc;
}

/* ---- of one schedule ---- */

enum call_step conductor_executions_begin(struct call *call)
{
    struct page *page = page_new(call, LIST_LIMIT_DEFAULT);
    struct err err;

    page->size_name = "limit";
    if (conductor_read_param(call, "count", SIZE_LIMIT, &page->size, &err) != RC_OK ||
        conductor_read_param(call, "limit", SIZE_LIMIT, &page->size, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return conductor_get_begin(call);
}

enum call_step conductor_executions_read(struct call *call, struct db *db)
{
    const struct page *page = call->arg;
    struct conductor_search search = page->search;
    struct answer out = answer_new(call->arena);
    struct conductor_records records = {0};
    struct schedule_view view;
    struct err err;
    enum rc rc;

    if (conductor_find(call, db, &view, &err) != RC_OK)
        return conductor_failed(call, &err);
    search.schedules = &view.row.id;
    search.schedule_count = 1;
    search.keep = page->size;
    rc = conductor_records_read(call, db, &search, &records, &err);
    if (rc == RC_OK)
        rc = print_page(call, db, &records, &out, &err);
    conductor_records_free(&records);
    if (rc != RC_OK)
        return view_failed(call, &err);
    return call_answer(call, 200, answer_done(&out));
}

/* ---- a search ---- */

enum call_step conductor_search_executions_begin(struct call *call)
{
    struct page *page = page_new(call, SIZE_DEFAULT);
    struct err err;

    if (conductor_read_param(call, "start", START_LIMIT, &page->start, &err) != RC_OK ||
        conductor_read_param(call, "size", SIZE_LIMIT, &page->size, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (conductor_query_read(request_query(call, "query"), request_query(call, "freeText"),
                             &page->search.query, &err) != RC_OK) {
        err_in(&err, "query");
        return call_refuse(call, NULL, &err);
    }
    page->search.sort = conductor_sort_read(request_query(call, "sort"));
    return CALL_READ;
}

/* Reads only the runs of named schedules: other runs would use up the scan limit. */
static enum rc find_named(const struct call *call, struct db *db,
                          struct conductor_search *search, struct err *reterr)
{
    const struct query_list *names = &search->query.schedules;
    struct db_result rows[QUERY_LIST_MAX] = {0};
    int64_t *keys;
    enum rc rc;

    if (!names->is_set)
        return RC_OK;
    keys = arena_array(call->arena, QUERY_LIST_MAX, sizeof *keys);
    for (int i = 0; i < names->count; i++)
        schedules_find(db, call->namespace, names->names[i], &rows[i]);
    rc = db_flush(db, call->arena, reterr);
    search->schedules = keys;
    for (int i = 0; rc == RC_OK && i < names->count; i++) {
        bool is_skipped = rows[i].rows == 0;

        for (int n = 0; n < search->schedule_count && !is_skipped; n++)
            is_skipped = keys[n] == db_int_at(&rows[i], 0, 0);
        if (!is_skipped)
            keys[search->schedule_count++] = db_int_at(&rows[i], 0, 0);
    }
    return rc;
}

static enum rc find_records(struct call *call, struct db *db, struct conductor_records *ret,
                            struct err *reterr)
{
    const struct page *page = call->arg;
    struct conductor_search search = page->search;
    enum rc rc = find_named(call, db, &search, reterr);

    search.keep = page->start + page->size;
    return rc == RC_OK ? conductor_records_read(call, db, &search, ret, reterr) : rc;
}

enum call_step conductor_search_executions_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct conductor_records records = {0};
    struct err err;
    enum rc rc = find_records(call, db, &records, &err);

    if (rc == RC_OK) {
        answer_open(&out);
        answer_put_int(&out, "totalHits", records.hits);
        answer_text(&out, ",\"results\":");
        rc = print_page(call, db, &records, &out, &err);
        answer_text(&out, "}");
    }
    conductor_records_free(&records);
    if (rc != RC_OK)
        return view_failed(call, &err);
    return call_answer(call, 200, answer_done(&out));
}

/* ---- records that wait ---- */

/* Nothing has to be requeued: POLLED runs are in the database and are taken from there. */
enum call_step conductor_requeue_begin(struct call *call)
{
    struct page *page = page_new(call, SAMPLE_MAX);

    page->search.query.states = (struct query_list){
        .names = {str_of(execution_state_text(EXECUTION_POLLED))}, .count = 1, .is_set = true};
    return CALL_READ;
}

enum call_step conductor_requeue_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct conductor_records records = {0};
    struct err err;

    if (find_records(call, db, &records, &err) != RC_OK) {
        conductor_records_free(&records);
        return view_failed(call, &err);
    }
    answer_text(&out, "{\"recordIds.size\":");
    answer_int(&out, records.hits);
    answer_text(&out, ",\"sampleIds\":[");
    for (int i = 0; i < records.count && i < SAMPLE_MAX; i++) {
        if (i > 0)
            answer_text(&out, ",");
        answer_quoted(&out, records.list[i].found.id);
    }
    answer_text(&out, "]}");
    conductor_records_free(&records);
    return call_answer(call, 200, answer_done(&out));
}
