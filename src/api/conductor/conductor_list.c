/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and searches of Conductor's schedules.
 *
 * Conductor's lists have no cursors, and a search returns the total count: so the server walks
 * through all rows of the namespace, one batch at a time.
 */
#include <string.h>

#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/schedules/schedule_times.h"
#include "api/schedules/schedule_walk.h"
#include "api/schedules/view.h"
#include "wire/json/json_text.h"

enum {
    LIST_BYTES_MAX = 12 << 20, /* of one answer; a larger one is refused */
    SIZE_DEFAULT = 100,
    SIZE_MAX_ENTRIES = 1000, /* of one page of a search                  */
    START_MAX = 1000 * 1000 * 1000,
};

struct query {
    struct str workflow, name, text; /* empty: any      */
    struct str tag_key, tag_value;   /* empty: any      */
    int paused;                      /* 1, 0; -1: any   */
    enum schedule_order order;
    bool is_descending;
    bool is_search; /* a page with its count; else all, as an array */
    int64_t start, size;
};

struct list_state {
    const struct query *query;
    struct answer out;
    int64_t hits, written;
    bool is_too_large;
};

/* ---- queries ---- */

static struct query *query_new(struct call *call)
{
    struct query *query = arena_take(call->arena, sizeof *query);

    *query = (struct query){.paused = -1, .size = SIZE_DEFAULT};
    call->arg = query;
    return query;
}

enum call_step conductor_list_begin(struct call *call)
{
    query_new(call)->workflow = str_trim(request_query(call, "workflowName"));
    return CALL_READ;
}

/* Uses the first of the list: name:ASC, createTime:DESC. */
static void read_sort(struct str text, struct query *query)
{
    struct str first, rest, field, direction = {NULL, 0};

    if (!str_cut(text, ',', &first, &rest))
        first = text;
    if (!str_cut(first, ':', &field, &direction))
        field = first;
    field = str_trim(field);
    query->is_descending = str_eq_nocase(str_trim(direction), STR("DESC"));
    if (str_eq_nocase(field, STR("createTime")))
        query->order = ORDER_CREATED;
    else if (str_eq_nocase(field, STR("updatedTime")) ||
             str_eq_nocase(field, STR("updateTime")))
        query->order = ORDER_UPDATED;
}

static struct str free_text(const struct call *call)
{
    struct str text = str_trim(request_query(call, "freeText"));

    return str_eq(text, STR("*")) ? (struct str){NULL, 0} : text;
}

enum call_step conductor_search_begin(struct call *call)
{
    struct query *query = query_new(call);
    struct str paused = str_trim(request_query(call, "paused"));
    struct err err;

    query->is_search = true;
    query->workflow = str_trim(request_query(call, "workflowName"));
    query->name = str_trim(request_query(call, "scheduleName"));
    if (query->name.len == 0)
        query->name = str_trim(request_query(call, "name"));
    query->text = free_text(call);
    if (paused.len > 0 && !str_eq_nocase(paused, STR("true")) &&
        !str_eq_nocase(paused, STR("false")))
        return call_problem(call, 400, "invalid_field", "paused must be true or false");
    if (paused.len > 0)
        query->paused = str_eq_nocase(paused, STR("true"));
    read_sort(request_query(call, "sort"), query);
    if (conductor_read_param(call, "start", START_MAX, &query->start, &err) != RC_OK ||
        conductor_read_param(call, "size", SIZE_MAX_ENTRIES, &query->size, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

/* tag=key:value */
enum call_step conductor_tagged_begin(struct call *call)
{
    struct query *query = query_new(call);
    struct str tag = request_query(call, "tag");

    if (!str_cut(tag, ':', &query->tag_key, &query->tag_value))
        query->tag_key = tag;
    if (query->tag_key.len == 0)
        return call_problem(call, 400, "invalid_field", "tag is required: tag=key:value");
    return CALL_READ;
}

/* ---- filters ---- */

/* Does not parse the action, whose input may be large.  True also if the name has escapes. */
static bool may_start(const struct schedule_row *row, struct str workflow)
{
    struct str name = json_find_member(row->action, STR("name"));

    return workflow.len == 0 || name.len < 2 || memchr(name.ptr, '\\', name.len) ||
           str_eq((struct str){name.ptr + 1, name.len - 2}, workflow);
}

static bool fits_row(const struct query *query, const struct schedule_view *view)
{
    bool is_paused = (view->cursor.flags & CURSOR_PAUSED) != 0;

    return view->row.dialect == DIALECTS_CONDUCTOR && may_start(&view->row, query->workflow) &&
           (query->paused < 0 || is_paused == (query->paused == 1)) &&
           str_contains_nocase(view->row.name, query->name) &&
           str_contains_nocase(view->row.name, query->text);
}

static bool has_tag(const struct query *query, const json_t *schedule)
{
    const json_t *tags = json_object_get(schedule, "tags");

    if (query->tag_key.len == 0)
        return true;
    for (size_t i = 0; i < json_array_size(tags); i++) {
        const json_t *tag = json_array_get(tags, i);
        const char *value = json_string_value(json_object_get(tag, "value"));

        if (str_eq(str_of(json_string_value(json_object_get(tag, "key"))), query->tag_key) &&
            (query->tag_value.len == 0 || str_eq(str_of(value), query->tag_value)))
            return true;
    }
    return false;
}

static bool fits_shown(const struct query *query, const struct conductor_shown *shown)
{
    return (query->workflow.len == 0 ||
            str_eq(str_of(shown->workflow_name), query->workflow)) &&
           has_tag(query, shown->schedule);
}

/* ---- the walk ---- */

static bool is_on_page(const struct list_state *state)
{
    return !state->query->is_search ||
           (state->hits >= state->query->start && state->written < state->query->size);
}

/* Whether the filter needs more than the row. */
static bool needs_document(const struct query *query)
{
    return query->workflow.len > 0 || query->tag_key.len > 0;
}

static enum rc list_row(struct schedule_walk *walk, struct schedule_view *view,
                        struct arena *scratch, struct err *reterr)
{
    struct list_state *state = walk->arg;
    struct conductor_shown shown;
    enum rc rc;

    if (!fits_row(state->query, view))
        return RC_OK;
    if (!is_on_page(state) && !needs_document(state->query)) {
        state->hits++;
        return RC_OK;
    }
    rc = schedule_times_next(walk->call, walk->db, scratch, view, reterr);
    if (rc == RC_OK)
        rc = conductor_show(view, scratch, &shown, reterr);
    if (rc == RC_CORRUPT)
        shown = conductor_show_damaged(view, reterr);
    else if (rc != RC_OK)
        return rc;
    if (!fits_shown(state->query, &shown) || !is_on_page(state)) {
        state->hits += fits_shown(state->query, &shown);
        json_decref(shown.schedule);
        return RC_OK;
    }
    state->hits++;
    if (state->written > 0)
        answer_text(&state->out, ",");
    answer_json(&state->out, shown.schedule);
    walk->is_enough = state->is_too_large = state->out.buf.len > LIST_BYTES_MAX;
    state->written += !state->is_too_large;
    return RC_OK;
}

/* The client sets the offset of the next page: a page cut short would hide schedules. */
static enum call_step refuse_size(struct call *call, const struct list_state *state)
{
    if (state->query->is_search && state->is_too_large)
        return call_problem(
            call, 400, "limit",
            "the page is larger than %d MiB; request fewer entries with size=%d",
            LIST_BYTES_MAX >> 20, (int)state->written);
    return call_problem(call, 400, "limit",
                        "too many schedules for one list; request pages with "
                        "/api/scheduler/schedules/search?start=0&size=100");
}

enum call_step conductor_list_read(struct call *call, struct db *db)
{
    struct list_state state = {.query = call->arg, .out = answer_new(call->arena)};
    struct schedule_walk walk = {.call = call,
                                 .db = db,
                                 .order = state.query->order,
                                 .is_descending = state.query->is_descending,
                                 .look = list_row,
                                 .arg = &state};
    struct answer out = answer_new(call->arena);
    struct err err;

    answer_text(&state.out, "[");
    if (schedule_walk(&walk, &err) != RC_OK)
        return view_failed(call, &err);
    answer_text(&state.out, "]");
    if (state.is_too_large || (!state.query->is_search && !walk.is_done))
        return refuse_size(call, &state);
    if (!state.query->is_search)
        return call_answer(call, 200, answer_done(&state.out));
    answer_text(&out, "{\"totalHits\":");
    answer_int(&out, state.hits);
    answer_text(&out, ",\"results\":");
    answer_str(&out, answer_done(&state.out));
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
