/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of Conductor's API by the list, and those that a search finds.
 *
 * Conductor's lists have no cursors, and a search tells how many there are in all: the rows of
 * the namespace are walked through, a portion at a time.
 */
#include "api/conductor.h"
#include "api/request.h"
#include "api/view.h"
#include "model/schedule_json.h"
#include "store/schedule_pages.h"

enum {
    PORTION = 200,              /* rows of one read                                      */
    PORTION_BYTES = 1 << 30,    /* of arena: schedules as large as they may be           */
    LOOKED_AT_MAX = 200 * 1000, /* rows of one search: about a second                    */
    LIST_BYTES_MAX = 12 << 20,  /* of one answer                                         */
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

struct walk {
    struct call *call;
    const struct asked *asked;
    struct schedule_place place;
    struct arena *rows, *scratch;
    struct answer out;
    int64_t hits, told, looked_at;
    bool is_done, is_too_long;
};

/* ---- what is asked ---- */

static struct asked *asked_new(struct call *call)
{
    struct asked *asked = arena_take(call->arena, sizeof *asked);

    *asked = (struct asked){.paused = -1, .size = SIZE_DEFAULT};
    call->with = asked;
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

static bool contains(struct str text, struct str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (str_eq_nocase((struct str){text.ptr + i, part.len}, part))
            return true;
    return false;
}

static bool fits_row(const struct asked *asked, const struct schedule_view *view)
{
    bool is_paused = (view->cursor.flags & CURSOR_PAUSED) != 0;

    return view->row.dialect == DIALECTS_CONDUCTOR &&
           (asked->paused < 0 || is_paused == (asked->paused == 1)) &&
           contains(view->row.name, asked->name) && contains(view->row.name, asked->text);
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

static bool is_on_page(const struct walk *w)
{
    return !w->asked->is_search || (w->hits >= w->asked->start && w->told < w->asked->size);
}

static enum rc tell_row(struct walk *w, const struct schedule_view *view, struct err *reterr)
{
    struct conductor_shown shown;
    enum rc rc;

    w->place = (struct schedule_place){.name = arena_str(w->call->arena, view->row.name),
                                       .at = view->row.updated_at,
                                       .id = view->row.id};
    if (!fits_row(w->asked, view))
        return RC_OK;
    arena_reset(w->scratch);
    rc = conductor_show(view, w->call->namespace_name, w->scratch, &shown, reterr);
    if (rc != RC_OK)
        return rc;
    if (!fits_shown(w->asked, &shown) || !is_on_page(w)) {
        w->hits += fits_shown(w->asked, &shown);
        json_decref(shown.schedule);
        return RC_OK;
    }
    w->hits++;
    if (w->told++ > 0)
        answer_text(&w->out, ",");
    answer_json(&w->out, shown.schedule);
    w->is_too_long = w->out.buf.len > LIST_BYTES_MAX;
    return RC_OK;
}

static enum rc tell_portion(struct walk *w, struct db *db, struct err *reterr)
{
    const struct schedule_portion portion = {.namespace = w->call->namespace,
                                             .order = w->asked->order,
                                             .is_descending = w->asked->is_descending,
                                             .after = w->place,
                                             .limit = PORTION};
    bool is_created = w->asked->order == ORDER_CREATED;
    struct db_result rows = {0}, end = {0};
    enum rc rc;

    arena_reset(w->rows);
    schedule_pages_read(db, &portion, &rows);
    if (is_created)
        schedule_pages_end(db, &portion, &end);
    rc = db_flush(db, w->rows, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct schedule_view view;

        schedule_views_read(&rows, i, &view);
        rc = tell_row(w, &view, reterr);
    }
    w->looked_at += PORTION;
    w->is_done = is_created ? end.rows == 0 : rows.rows < PORTION;
    if (is_created && end.rows == 1)
        w->place.id = db_int_at(&end, 0, 0);
    return rc;
}

static enum rc tell_all(struct walk *w, struct db *db, struct err *reterr)
{
    enum rc rc = RC_OK;

    w->place = schedule_place_begin(w->asked->is_descending);
    w->rows = arena_new(PORTION_BYTES);
    w->scratch = arena_new(SCHEDULE_BYTES_MAX);
    answer_text(&w->out, "[");
    while (rc == RC_OK && !w->is_done && !w->is_too_long && w->looked_at < LOOKED_AT_MAX)
        rc = tell_portion(w, db, reterr);
    answer_text(&w->out, "]");
    arena_free(w->rows);
    arena_free(w->scratch);
    return rc;
}

static enum call_step tell(struct call *call, struct db *db)
{
    struct walk w = {.call = call, .asked = call->with, .out = answer_new(call->arena)};
    struct answer out = answer_new(call->arena);
    struct err err;

    if (tell_all(&w, db, &err) != RC_OK)
        return view_failed(call, &err);
    if (!w.asked->is_search && !w.is_done)
        return call_problem(call, 400, "limit",
                            "there are too many for one list; ask for pages, with "
                            "/api/scheduler/schedules/search?start=0&size=100");
    if (!w.asked->is_search)
        return call_answer(call, 200, answer_done(&w.out));
    answer_text(&out, "{\"totalHits\":");
    answer_int(&out, w.hits);
    answer_text(&out, ",\"results\":");
    answer_str(&out, answer_done(&w.out));
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
