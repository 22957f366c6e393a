/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The past executions of agents: one for each attempt, newest start first, in numbered pages.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/agents/agents_marks.h"
#include "api/call/read_size.h"
#include "api/call/request.h"
#include "api/schedules/run_lookup.h"
#include "api/schedules/view.h"

enum {
    READ_ROWS = 50,            /* attempts of one read                     */
    READ_BYTES = 1 << 30,      /* of arena: attempts may be large          */
    LIST_BYTES_MAX = 12 << 20, /* of one answer; a larger one is refused   */
    OWNERS_CACHED = 256,       /* schedules                                */
    SIZE_DEFAULT = 20,
    SIZE_MAX_ENTRIES = 1000,
    PAGE_MAX = 1000 * 1000,
    PAST_ID_MAX = RUN_ID_TEXT_MAX + 16,
};

struct owner {
    int64_t id;
    bool is_ours;
    struct str name; /* empty: deleted, or a direct run */
    struct agents_schedule schedule;
};

struct page {
    struct agents_query query;
    int64_t number, size;
};

struct listing {
    struct call *call;
    struct db *db;
    const struct page *page;
    struct arena *rows;
    struct owner *owners; /* a cache: the key modulo OWNERS_CACHED is the index */
    struct answer out;
    struct agents_marks found;
    struct read_size read_size;
    int64_t written;
};

/* ---- one attempt ---- */

static json_t *id_json(const char *run, int64_t attempt)
{
    char text[PAST_ID_MAX];

    snprintf(text, sizeof text, "%s-%" PRId64, run, attempt);
    return json_of_word(text);
}

/* Copies a member of the native run under its name in this API. */
static void put_member(json_t *json, const char *name, const json_t *run, const char *native)
{
    const json_t *value = json_object_get(run, native);

    json_put(json, name, value ? json_deep_copy(value) : json_null());
}

static json_t *past_json(const struct attempt_view *view, const struct owner *owner,
                         struct arena *arena)
{
    const struct history_row *row = &view->row;
    instant start = agents_start_time(row->started_at, row->ended_at);
    struct run_doc doc = view_attempt(view, FIELDS_ALL, arena);
    json_auto_t *run = run_to_json(&doc, FIELDS_ALL);
    const json_t *error = json_object_get(run, "error");
    json_t *json = json_new_object();

    json_put(json, "pastExecutionId",
             id_json(json_string_value(json_object_get(run, "id")), row->attempt));
    put_member(json, "executionId", run, "id");
    json_put(json, "agentId", json_new_str(owner->schedule.agent));
    json_put(json, "projectId", json_of_text(owner->schedule.project));
    json_put(json, "scheduleId", json_of_text(owner->name));
    json_put(json, "scheduledAt", json_of_moment(row->slot));
    json_put(json, "startedAt", json_of_moment(start));
    json_put(json, "endedAt", json_of_moment(row->ended_at));
    json_put(json, "durationMs", json_new_int((row->ended_at - start) / SPAN_MS));
    json_put(json, "resultStatus", json_of_word(agents_result_status(row->outcome)));
    put_member(json, "errorCode", error, "code");
    put_member(json, "errorMessage", error, "message");
    put_member(json, "responseSummary", run, "summary");
    put_member(json, "responseRefs", run, "refs");
    put_member(json, "llmMetrics", run, "llm");
    put_member(json, "toolCallSummary", run, "tools");
    put_member(json, "sessionId", run, "sessionId");
    put_member(json, "threadId", run, "threadId");
    json_put(json, "attempt", json_new_int(row->attempt));
    return json;
}

/* ---- schedules ---- */

/* Keeps only what is shown of the row: rows may be large and many. */
static enum rc read_owner(const struct call *call, struct db *db, int64_t id, struct owner *ret,
                          struct err *reterr)
{
    struct arena *scratch = arena_new(READ_BYTES);
    struct db_result rows = {0};
    struct schedule_row row;
    struct err unused;
    enum rc rc;

    *ret = (struct owner){.id = id};
    schedules_get(db, id, &rows);
    rc = db_flush(db, scratch, reterr);
    if (rc == RC_OK && rows.rows == 1) {
        schedules_read(&rows, 0, &row);
        ret->is_ours = row.dialect == DIALECTS_AGENTS && row.namespace == call->namespace &&
                       agents_stored_read(row.extra, call->arena, &ret->schedule, &unused) ==
                           RC_OK;
        if (ret->is_ours && row.deleted_at == 0)
            ret->name = arena_str(call->arena, row.name);
    }
    arena_free(scratch);
    return rc;
}

static enum rc find_owner(struct listing *l, int64_t id, struct owner **ret, struct err *reterr)
{
    *ret = &l->owners[id % OWNERS_CACHED];
    return (*ret)->id == id ? RC_OK : read_owner(l->call, l->db, id, *ret, reterr);
}

/* ---- the list ---- */

enum call_step agents_past_begin(struct call *call)
{
    struct page *page = arena_take(call->arena, sizeof *page);
    struct str s;
    struct err err;

    *page = (struct page){.size = SIZE_DEFAULT};
    call->arg = page;
    if (agents_filter_read(call, &page->query.filter, &err) != RC_OK ||
        agents_range_read(call, &page->query.range, &err) != RC_OK ||
        request_query_int(call, "page", 0, PAGE_MAX, &page->number, &err) != RC_OK ||
        request_query_int(call, "size", 1, SIZE_MAX_ENTRIES, &page->size, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    page->query.filter.enabled = -1;
    s = page->query.status = request_query(call, "resultStatus");
    if (s.len == 0 || str_eq(s, STR("SUCCESS")) || str_eq(s, STR("FAIL")) ||
        str_eq(s, STR("CANCELLED")) || str_eq(s, STR("SKIPPED")))
        return CALL_READ;
    err_set(&err, RC_INVALID, -1, 0, "must be SUCCESS, FAIL, CANCELLED or SKIPPED");
    err_in(&err, "resultStatus");
    return call_refuse(call, NULL, &err);
}

static enum rc add_attempt(struct listing *l, const struct db_result *row, struct err *reterr)
{
    struct attempt_view view;
    struct owner *owner;
    enum rc rc;

    if (row->rows == 0)
        return RC_OK; /* pruned meanwhile */
    attempt_views_read(row, 0, &view);
    rc = find_owner(l, view.row.schedule, &owner, reterr);
    if (rc != RC_OK)
        return rc;
    if (l->written > 0)
        answer_text(&l->out, ",");
    answer_json(&l->out, past_json(&view, owner, l->rows));
    /* A page cut short would hide the rest; a page of one entry is never too large. */
    if (l->out.buf.len > LIST_BYTES_MAX && l->written > 0)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the page is larger than %d MiB; request fewer entries with size=%d",
                       LIST_BYTES_MAX >> 20, (int)l->written);
    l->written++;
    return RC_OK;
}

/* Adds as many as fit into one read.  *ret_count 0: try again. */
static enum rc add_batch(struct listing *l, const struct agents_mark *marks, int64_t left,
                         int *ret_count, struct err *reterr)
{
    int count = left < l->read_size.rows ? (int)left : l->read_size.rows;
    struct db_result rows[READ_ROWS] = {0};
    enum rc rc;

    arena_reset(l->rows);
    for (int i = 0; i < count; i++)
        attempt_views_get(l->db, marks[i].id, &rows[i]);
    rc = db_flush(l->db, l->rows, reterr);
    *ret_count = 0;
    if (read_size_is_cut(&l->read_size, l->db, rc))
        return RC_OK;
    for (int i = 0; rc == RC_OK && i < count; i++)
        rc = add_attempt(l, &rows[i], reterr);
    *ret_count = count;
    return rc;
}

static enum rc add_page(struct listing *l, struct err *reterr)
{
    const struct page *page = l->page;
    int64_t first = page->number * page->size, end = first + page->size;
    enum rc rc = agents_marks_find(l->call, l->db, &page->query, &l->found, reterr);

    if (end > l->found.count)
        end = l->found.count;
    while (rc == RC_OK && first < end) {
        int count;

        rc = add_batch(l, &l->found.list[first], end - first, &count, reterr);
        first += count;
    }
    return rc;
}

/* The JSON of Spring's class Page. */
static enum call_step answer_page(struct call *call, const struct listing *l)
{
    const struct page *page = l->page;
    int64_t pages = (l->found.count + page->size - 1) / page->size;
    struct answer out = answer_new(call->arena);

    answer_text(&out, "{\"content\":[");
    answer_str(&out, answer_done(&l->out));
    answer_text(&out, "]");
    answer_put_int(&out, "totalElements", l->found.count);
    answer_put_int(&out, "totalPages", pages);
    answer_put_int(&out, "number", page->number);
    answer_put_int(&out, "size", page->size);
    answer_put_int(&out, "numberOfElements", l->written);
    answer_text(&out, page->number == 0 ? ",\"first\":true" : ",\"first\":false");
    answer_text(&out, page->number + 1 >= pages ? ",\"last\":true" : ",\"last\":false");
    answer_text(&out, l->written == 0 ? ",\"empty\":true}" : ",\"empty\":false}");
    return call_answer(call, 200, answer_done(&out));
}

enum call_step agents_past_read(struct call *call, struct db *db)
{
    struct listing l = {.call = call,
                        .db = db,
                        .page = call->arg,
                        .read_size = read_size_of(READ_ROWS),
                        .rows = arena_new(READ_BYTES),
                        .out = answer_new(call->arena)};
    struct err err;
    enum rc rc;

    l.owners = arena_array(call->arena, OWNERS_CACHED, sizeof *l.owners);
    rc = add_page(&l, &err);
    arena_free(l.rows);
    return rc == RC_OK ? answer_page(call, &l) : agents_failed(call, &err);
}

/* ---- one attempt by id ---- */

struct wanted_attempt {
    struct run_id run;
    int64_t attempt;
};

static enum rc set_not_found(const struct call *call, struct err *reterr)
{
    return err_set(reterr, RC_NOT_FOUND, -1, 0, "past execution \"%.*s\" not found",
                   STR_ARG(call->params[0]));
}

/* "r_…-2": the run and the number of the attempt. */
enum call_step agents_past_one_begin(struct call *call)
{
    struct wanted_attempt *wanted = arena_take(call->arena, sizeof *wanted);
    struct str run, attempt;
    struct err err;

    call->arg = wanted;
    if (!str_cut(call->params[0], '-', &run, &attempt) ||
        run_id_parse(run, &wanted->run, &err) != RC_OK ||
        str_take_number(&attempt, INT32_MAX, &wanted->attempt) == 0 || attempt.len > 0) {
        set_not_found(call, &err);
        return call_refuse(call, NULL, &err);
    }
    return CALL_READ;
}

/* Reads the whole row, with the result, which only the last attempt has. */
static enum rc read_attempt(struct call *call, struct db *db, int64_t key,
                            const struct owner *owner, json_t **ret, struct err *reterr)
{
    struct db_result row = {0};
    struct attempt_view view;
    enum rc rc;

    attempt_views_get(db, key, &row);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (row.rows == 0)
        return set_not_found(call, reterr);
    attempt_views_read(&row, 0, &view);
    *ret = past_json(&view, owner, call->arena);
    return RC_OK;
}

static enum rc find_attempt(struct call *call, struct db *db, json_t **ret, struct err *reterr)
{
    const struct wanted_attempt *wanted = call->arg;
    struct run_lookup found;
    struct owner owner;
    enum rc rc = read_owner(call, db, wanted->run.schedule, &owner, reterr);

    if (rc != RC_OK)
        return rc;
    if (!owner.is_ours)
        return set_not_found(call, reterr);
    rc = run_lookup_read(call, db, &wanted->run, &found, reterr);
    for (int i = 0; rc == RC_OK && i < found.attempt_count; i++)
        if (found.attempts[i].row.attempt == wanted->attempt)
            return read_attempt(call, db, found.attempts[i].row.id, &owner, ret, reterr);
    return rc == RC_OK || rc == RC_NOT_FOUND ? set_not_found(call, reterr) : rc;
}

enum call_step agents_past_one_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    json_t *json;
    struct err err;

    if (find_attempt(call, db, &json, &err) != RC_OK)
        return view_failed(call, &err);
    answer_json(&out, json);
    return call_answer(call, 200, answer_done(&out));
}
