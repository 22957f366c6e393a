/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executions of agents that are over: one for each attempt, the latest begin first, in
 * numbered pages.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/agents/agents_marks.h"
#include "api/call/read_size.h"
#include "api/call/request.h"
#include "api/schedules/run_lookup.h"
#include "api/schedules/view.h"

enum {
    READ_ROWS = 50,            /* attempts that are asked for together       */
    READ_BYTES = 1 << 30,      /* of arena: they may be large                */
    LIST_BYTES_MAX = 12 << 20, /* of one answer; what is more is refused */
    OWNERS = 256,              /* schedules that are remembered meanwhile    */
    SIZE_DEFAULT = 20,
    SIZE_MAX_ENTRIES = 1000,
    PAGE_MAX = 1000 * 1000,
    PAST_ID_MAX = RUN_ID_TEXT_MAX + 16,
};

struct owner {
    int64_t id;
    bool is_ours;
    struct str name; /* empty: it is no more, or never was one */
    struct agents_schedule schedule;
};

struct asked {
    struct agents_query question;
    int64_t page, size;
};

struct listing {
    struct call *call;
    struct db *db;
    const struct asked *asked;
    struct arena *rows;
    struct owner *owners; /* by the last bits of their keys */
    struct answer out;
    struct agents_marks found;
    struct read_size portion;
    int64_t told;
};

/* ---- one attempt ---- */

static json_t *id_json(const char *run, int64_t attempt)
{
    char text[PAST_ID_MAX];

    snprintf(text, sizeof text, "%s-%" PRId64, run, attempt);
    return json_of_word(text);
}

/* The member of the run under the name that agents know it by. */
static void put_member(json_t *json, const char *name, const json_t *run, const char *native)
{
    const json_t *value = json_object_get(run, native);

    json_put(json, name, value ? json_deep_copy(value) : json_null());
}

static enum rc past_json(const struct attempt_view *view, const struct owner *owner,
                         struct arena *arena, json_t **ret, struct err *reterr)
{
    const struct history_row *row = &view->row;
    instant begin = agents_begin(row->started_at, row->ended_at);
    json_auto_t *run = NULL;
    const json_t *error;
    struct run_doc doc;
    json_t *json;
    enum rc rc = view_attempt(view, FIELDS_ALL, arena, &doc, reterr);

    if (rc != RC_OK)
        return rc;
    run = run_to_json(&doc, FIELDS_ALL);
    error = json_object_get(run, "error");
    json = json_new_object();
    json_put(json, "pastExecutionId",
             id_json(json_string_value(json_object_get(run, "id")), row->attempt));
    put_member(json, "executionId", run, "id");
    json_put(json, "agentId", json_new_str(owner->schedule.agent));
    json_put(json, "projectId", json_of_text(owner->schedule.project));
    json_put(json, "scheduleId", json_of_text(owner->name));
    json_put(json, "scheduledAt", json_of_moment(row->slot));
    json_put(json, "startedAt", json_of_moment(begin));
    json_put(json, "endedAt", json_of_moment(row->ended_at));
    json_put(json, "durationMs", json_new_int((row->ended_at - begin) / SPAN_MS));
    json_put(json, "resultStatus", json_of_word(agents_result(row->outcome)));
    put_member(json, "errorCode", error, "code");
    put_member(json, "errorMessage", error, "message");
    put_member(json, "responseSummary", run, "summary");
    put_member(json, "responseRefs", run, "refs");
    put_member(json, "llmMetrics", run, "llm");
    put_member(json, "toolCallSummary", run, "tools");
    put_member(json, "sessionId", run, "sessionId");
    put_member(json, "threadId", run, "threadId");
    json_put(json, "attempt", json_new_int(row->attempt));
    *ret = json;
    return RC_OK;
}

/* ---- whose it is ---- */

/* Rows may be large, and there may be many: what is kept of them is not. */
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
                       agents_recall(row.extra, call->arena, &ret->schedule, &unused) == RC_OK;
        if (ret->is_ours && row.deleted_at == 0)
            ret->name = arena_str(call->arena, row.name);
    }
    arena_free(scratch);
    return rc;
}

static enum rc find_owner(struct listing *l, int64_t id, struct owner **ret, struct err *reterr)
{
    *ret = &l->owners[id % OWNERS];
    return (*ret)->id == id ? RC_OK : read_owner(l->call, l->db, id, *ret, reterr);
}

/* ---- the list ---- */

enum call_step agents_past_begin(struct call *call)
{
    struct asked *asked = arena_take(call->arena, sizeof *asked);
    struct str s;
    struct err err;

    *asked = (struct asked){.size = SIZE_DEFAULT};
    call->arg = asked;
    if (agents_filter_read(call, &asked->question.filter, &err) != RC_OK ||
        agents_range_read(call, &asked->question.range, &err) != RC_OK ||
        request_query_int(call, "page", 0, PAGE_MAX, &asked->page, &err) != RC_OK ||
        request_query_int(call, "size", 1, SIZE_MAX_ENTRIES, &asked->size, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    asked->question.filter.enabled = -1;
    s = asked->question.status = request_query(call, "resultStatus");
    if (s.len == 0 || str_eq(s, STR("SUCCESS")) || str_eq(s, STR("FAIL")) ||
        str_eq(s, STR("CANCELLED")) || str_eq(s, STR("SKIPPED")))
        return CALL_READ;
    err_set(&err, RC_INVALID, -1, 0, "must be SUCCESS, FAIL, CANCELLED or SKIPPED");
    err_in(&err, "resultStatus");
    return call_refuse(call, NULL, &err);
}

static enum rc tell(struct listing *l, const struct db_result *row, struct err *reterr)
{
    struct attempt_view view;
    struct owner *owner;
    json_t *json;
    enum rc rc;

    if (row->rows == 0)
        return RC_OK; /* it was pruned just now */
    attempt_views_read(row, 0, &view);
    rc = find_owner(l, view.row.schedule, &owner, reterr);
    if (rc == RC_OK)
        rc = past_json(&view, owner, l->rows, &json, reterr);
    if (rc != RC_OK)
        return rc;
    if (l->told > 0)
        answer_text(&l->out, ",");
    answer_json(&l->out, json);
    if (l->out.buf.len > LIST_BYTES_MAX) /* a shorter page would hide the rest: see the size */
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the page has more than %d MiB; ask for a smaller one, with size=%d",
                       LIST_BYTES_MAX >> 20, (int)l->told);
    l->told++;
    return RC_OK;
}

/* As many as fit into one read; how many they were, 0: try again. */
static enum rc tell_some(struct listing *l, const struct agents_mark *marks, int64_t left,
                         int *ret_count, struct err *reterr)
{
    int count = left < l->portion.rows ? (int)left : l->portion.rows;
    struct db_result rows[READ_ROWS] = {0};
    enum rc rc;

    arena_reset(l->rows);
    for (int i = 0; i < count; i++)
        attempt_views_get(l->db, marks[i].id, &rows[i]);
    rc = db_flush(l->db, l->rows, reterr);
    *ret_count = 0;
    if (read_size_is_cut(&l->portion, l->db, rc))
        return RC_OK;
    for (int i = 0; rc == RC_OK && i < count; i++)
        rc = tell(l, &rows[i], reterr);
    *ret_count = count;
    return rc;
}

static enum rc tell_page(struct listing *l, struct err *reterr)
{
    const struct asked *asked = l->asked;
    int64_t first = asked->page * asked->size, end = first + asked->size;
    enum rc rc = agents_marks_find(l->call, l->db, &asked->question, &l->found, reterr);

    if (end > l->found.count)
        end = l->found.count;
    while (rc == RC_OK && first < end) {
        int some;

        rc = tell_some(l, &l->found.list[first], end - first, &some, reterr);
        first += some;
    }
    return rc;
}

/* As Spring's Page. */
static enum call_step answer_page(struct call *call, const struct listing *l)
{
    const struct asked *asked = l->asked;
    int64_t pages = (l->found.count + asked->size - 1) / asked->size;
    struct answer out = answer_new(call->arena);

    answer_text(&out, "{\"content\":[");
    answer_str(&out, answer_done(&l->out));
    answer_text(&out, "],\"totalElements\":");
    answer_int(&out, l->found.count);
    answer_text(&out, ",\"totalPages\":");
    answer_int(&out, pages);
    answer_text(&out, ",\"number\":");
    answer_int(&out, asked->page);
    answer_text(&out, ",\"size\":");
    answer_int(&out, asked->size);
    answer_text(&out, ",\"numberOfElements\":");
    answer_int(&out, l->told);
    answer_text(&out, asked->page == 0 ? ",\"first\":true" : ",\"first\":false");
    answer_text(&out, asked->page + 1 >= pages ? ",\"last\":true" : ",\"last\":false");
    answer_text(&out, l->told == 0 ? ",\"empty\":true}" : ",\"empty\":false}");
    return call_answer(call, 200, answer_done(&out));
}

enum call_step agents_past_read(struct call *call, struct db *db)
{
    struct listing l = {.call = call,
                        .db = db,
                        .asked = call->arg,
                        .portion = read_size_of(READ_ROWS),
                        .rows = arena_new(READ_BYTES),
                        .out = answer_new(call->arena)};
    struct err err;
    enum rc rc;

    l.owners = arena_array(call->arena, OWNERS, sizeof *l.owners);
    for (int i = 0; i < OWNERS; i++)
        l.owners[i] = (struct owner){0};
    rc = tell_page(&l, &err);
    arena_free(l.rows);
    return rc == RC_OK ? answer_page(call, &l) : agents_failed(call, &err);
}

/* ---- one of them ---- */

struct one {
    struct run_id run;
    int64_t attempt;
};

static enum rc no_such(const struct call *call, struct err *reterr)
{
    return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no past execution `%.*s`",
                   STR_ARG(call->params[0]));
}

/* "r_…-2": the run, and which attempt of it. */
enum call_step agents_past_one_begin(struct call *call)
{
    struct one *one = arena_take(call->arena, sizeof *one);
    struct str run, attempt;
    struct err err;

    call->arg = one;
    if (!str_cut(call->params[0], '-', &run, &attempt) ||
        run_id_parse(run, &one->run, &err) != RC_OK ||
        str_take_number(&attempt, INT32_MAX, &one->attempt) == 0 || attempt.len > 0) {
        no_such(call, &err);
        return call_refuse(call, NULL, &err);
    }
    return CALL_READ;
}

/* With what came of it, which is read of the last attempt alone. */
static enum rc show_one(struct call *call, struct db *db, int64_t key,
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
        return no_such(call, reterr);
    attempt_views_read(&row, 0, &view);
    return past_json(&view, owner, call->arena, ret, reterr);
}

static enum rc find_one(struct call *call, struct db *db, json_t **ret, struct err *reterr)
{
    const struct one *one = call->arg;
    struct run_lookup found;
    struct owner owner;
    enum rc rc = read_owner(call, db, one->run.schedule, &owner, reterr);

    if (rc != RC_OK)
        return rc;
    if (!owner.is_ours)
        return no_such(call, reterr);
    rc = run_lookup_read(call, db, &one->run, &found, reterr);
    for (int i = 0; rc == RC_OK && i < found.attempt_count; i++)
        if (found.attempts[i].row.attempt == one->attempt)
            return show_one(call, db, found.attempts[i].row.id, &owner, ret, reterr);
    return rc == RC_OK || rc == RC_NOT_FOUND ? no_such(call, reterr) : rc;
}

enum call_step agents_past_one_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    json_t *json;
    struct err err;

    if (find_one(call, db, &json, &err) != RC_OK)
        return view_failed(call, &err);
    answer_json(&out, json);
    return call_answer(call, 200, answer_done(&out));
}
