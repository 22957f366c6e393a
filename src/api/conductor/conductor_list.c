/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of Conductor's API by the list, and those that a search finds.
 *
 * Conductor's lists have no cursors, and a search tells how many there are in all: the rows of
 * the namespace are walked through, a portion at a time.
 */
#include <string.h>

#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "api/schedules/schedule_times.h"
#include "api/schedules/schedule_walk.h"
#include "api/schedules/view.h"
#include "wire/json/json_text.h"

enum {
    LIST_BYTES_MAX = 12 << 20, /* of one answer; what is more is refused                */
    SIZE_DEFAULT = 100,
    SIZE_MAX_ENTRIES = 1000, /* of one page of a search                               */
    START_MAX = 1000 * 1000 * 1000,
};

struct asked {
    struct str workflow, name, text; /* empty: any                              */
    struct str tag_key, tag_value;   /* likewise                                */
    int paused;                      /* 1 and 0; -1: either                     */
    enum schedule_order order;
    bool is_descending;
    bool is_search; /* a page with its count; else all, as an array */
    int64_t start, size;
};

struct telling {
    const struct asked *asked;
    struct answer out;
    int64_t hits, told;
    bool is_too_large;
};

/* ---- what is asked ---- */

static struct asked *asked_new(struct call *call)
{
    struct asked *asked = arena_take(call->arena, sizeof *asked);

    *asked = (struct asked){.paused = -1, .size = SIZE_DEFAULT};
    call->arg = asked;
    return asked;
}

enum call_step conductor_list_begin(struct call *call)
{
    asked_new(call)->workflow = str_trim(request_query(call, "workflowName"));
    return CALL_READ;
}

/* Of a list of them the first counts: name:ASC, createTime:DESC. */
static void read_sort(struct str text, struct asked *asked)
{
    struct str first, rest, field, way = {NULL, 0};

    if (!str_cut(text, ',', &first, &rest))
        first = text;
    if (!str_cut(first, ':', &field, &way))
        field = first;
    field = str_trim(field);
    asked->is_descending = str_eq_nocase(str_trim(way), STR("DESC"));
    if (str_eq_nocase(field, STR("createTime")))
        asked->order = ORDER_CREATED;
    else if (str_eq_nocase(field, STR("updatedTime")) ||
             str_eq_nocase(field, STR("updateTime")))
        asked->order = ORDER_UPDATED;
}

static struct str free_text(const struct call *call)
{
    struct str text = str_trim(request_query(call, "freeText"));

    return str_eq(text, STR("*")) ? (struct str){NULL, 0} : text;
}

enum call_step conductor_search_begin(struct call *call)
{
    struct asked *asked = asked_new(call);
    struct str paused = str_trim(request_query(call, "paused"));
    struct err err;

    asked->is_search = true;
    asked->workflow = str_trim(request_query(call, "workflowName"));
    asked->name = str_trim(request_query(call, "scheduleName"));
    if (asked->name.len == 0)
        asked->name = str_trim(request_query(call, "name"));
    asked->text = free_text(call);
    if (paused.len > 0)
        asked->paused = str_eq_nocase(paused, STR("true"));
    read_sort(request_query(call, "sort"), asked);
    if (conductor_number(call, "start", START_MAX, &asked->start, &err) != RC_OK ||
        conductor_number(call, "size", SIZE_MAX_ENTRIES, &asked->size, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

/* tag=key:value */
enum call_step conductor_tagged_begin(struct call *call)
{
    struct asked *asked = asked_new(call);
    struct str tag = request_query(call, "tag");

    if (!str_cut(tag, ':', &asked->tag_key, &asked->tag_value))
        asked->tag_key = tag;
    if (asked->tag_key.len == 0)
        return call_problem(call, 400, "invalid_field", "tag is required: tag=key:value");
    return CALL_READ;
}

/* ---- what fits ---- */

/* Without reading its input, which may be large.  True: it may, where its name is escaped. */
static bool may_start(const struct schedule_row *row, struct str workflow)
{
    struct str name = json_find_member(row->action, STR("name"));

    return workflow.len == 0 || name.len < 2 || memchr(name.ptr, '\\', name.len) ||
           str_eq((struct str){name.ptr + 1, name.len - 2}, workflow);
}

static bool fits_row(const struct asked *asked, const struct schedule_view *view)
{
    bool is_paused = (view->cursor.flags & CURSOR_PAUSED) != 0;

    return view->row.dialect == DIALECTS_CONDUCTOR && may_start(&view->row, asked->workflow) &&
           (asked->paused < 0 || is_paused == (asked->paused == 1)) &&
           str_contains_nocase(view->row.name, asked->name) &&
           str_contains_nocase(view->row.name, asked->text);
}

static bool has_tag(const struct asked *asked, const json_t *schedule)
{
    const json_t *tags = json_object_get(schedule, "tags");

    if (asked->tag_key.len == 0)
        return true;
    for (size_t i = 0; i < json_array_size(tags); i++) {
        const json_t *tag = json_array_get(tags, i);
        const char *value = json_string_value(json_object_get(tag, "value"));

        if (str_eq(str_of(json_string_value(json_object_get(tag, "key"))), asked->tag_key) &&
            (asked->tag_value.len == 0 || str_eq(str_of(value), asked->tag_value)))
            return true;
    }
    return false;
}

static bool fits_shown(const struct asked *asked, const struct conductor_shown *shown)
{
    return (asked->workflow.len == 0 ||
            str_eq(str_of(shown->workflow_name), asked->workflow)) &&
           has_tag(asked, shown->schedule);
}

/* ---- the walk ---- */

static bool is_on_page(const struct telling *t)
{
    return !t->asked->is_search || (t->hits >= t->asked->start && t->told < t->asked->size);
}

/* What its row alone cannot tell. */
static bool asks_for_more(const struct asked *asked)
{
    return asked->workflow.len > 0 || asked->tag_key.len > 0;
}

static enum rc tell_row(struct schedule_walk *walk, struct schedule_view *view,
                        struct arena *scratch, struct err *reterr)
{
    struct telling *t = walk->arg;
    struct conductor_shown shown;
    enum rc rc;

    if (!fits_row(t->asked, view))
        return RC_OK;
    if (!is_on_page(t) && !asks_for_more(t->asked)) {
        t->hits++;
        return RC_OK;
    }
    rc = schedule_times_next(walk->call, walk->db, scratch, view, reterr);
    if (rc == RC_OK)
        rc = conductor_show(view, walk->call->namespace_name, scratch, &shown, reterr);
    if (rc != RC_OK)
        return rc;
    if (!fits_shown(t->asked, &shown) || !is_on_page(t)) {
        t->hits += fits_shown(t->asked, &shown);
        json_decref(shown.schedule);
        return RC_OK;
    }
    t->hits++;
    if (t->told > 0)
        answer_text(&t->out, ",");
    answer_json(&t->out, shown.schedule);
    walk->is_enough = t->is_too_large = t->out.buf.len > LIST_BYTES_MAX;
    t->told += !t->is_too_large;
    return RC_OK;
}

/* Pages are numbered by what is asked for: one that ended early would hide the rest of it. */
static enum call_step refuse(struct call *call, const struct telling *t)
{
    if (t->asked->is_search && t->is_too_large)
        return call_problem(call, 400, "limit",
                            "the page has more than %d MiB; ask for fewer, with size=%d",
                            LIST_BYTES_MAX >> 20, (int)t->told);
    return call_problem(call, 400, "limit",
                        "there are too many for one list; ask for pages, with "
                        "/api/scheduler/schedules/search?start=0&size=100");
}

static enum call_step tell(struct call *call, struct db *db)
{
    struct telling t = {.asked = call->arg, .out = answer_new(call->arena)};
    struct schedule_walk walk = {.call = call,
                                 .db = db,
                                 .order = t.asked->order,
                                 .is_descending = t.asked->is_descending,
                                 .look = tell_row,
                                 .arg = &t};
    struct answer out = answer_new(call->arena);
    struct err err;

    answer_text(&t.out, "[");
    if (schedule_walk(&walk, &err) != RC_OK)
        return view_failed(call, &err);
    answer_text(&t.out, "]");
    if (t.is_too_large || (!t.asked->is_search && !walk.is_done))
        return refuse(call, &t);
    if (!t.asked->is_search)
        return call_answer(call, 200, answer_done(&t.out));
    answer_text(&out, "{\"totalHits\":");
    answer_int(&out, t.hits);
    answer_text(&out, ",\"results\":");
    answer_str(&out, answer_done(&t.out));
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}

enum call_step conductor_list_read(struct call *call, struct db *db)
{
    return tell(call, db);
}

enum call_step conductor_search_read(struct call *call, struct db *db)
{
    return tell(call, db);
}

enum call_step conductor_tagged_read(struct call *call, struct db *db)
{
    return tell(call, db);
}
