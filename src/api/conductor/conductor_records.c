/* SPDX-License-Identifier: Apache-2.0 */
#include "api/conductor/conductor_records.h"

#include <stdlib.h>

#include "api/call/read_size.h"
#include "api/conductor/conductor.h"
#include "api/schedules/view.h"
#include "base/map.h"
#include "base/must.h"
#include "model/member.h"

enum {
    READ_ROWS = 200,      /* rows of one read                                      */
    READ_BYTES = 1 << 30, /* of arena: runs and schedules as large as they may be  */
    OWNERS_MAX = 2 * RECORDS_LOOKED_AT, /* each run of another schedule               */
    TEXTS_BYTES = 1 << 30, /* reasons and ids of all that is looked at: an eighth of it  */
    REASON_MAX = 999,      /* bytes, as Conductor keeps                             */
};

/* A schedule that runs were found of. */
struct owner {
    int64_t id;
    bool is_ours;       /* made in this API, and still there           */
    bool has_own_queue; /* its runs wait elsewhere than in their name's */
    struct str name, workflow, zone;
    instant edited_at; /* what it did before is not known */
};

struct gathering {
    struct call *call;
    struct db *db;
    const struct conductor_query *query;
    struct arena *rows, *of_owners, *scratch;
    struct owner *owners;
    struct map *places; /* of owners, by key */
    int owner_count;
    struct conductor_sort sort;
    int keep; /* the list has room for twice as many       */
    struct read_size runs, schedules;
    int64_t looked_at[2]; /* of those that are over and of open ones */
    struct conductor_records records;
};

/* What both kinds of rows tell of a run. */
struct told_run {
    struct run_id id;
    enum run_kind kind;
    int64_t end; /* its key; 0: it is open */
    instant slot, created, executed;
    struct str queue; /* workers take it from there; empty: an upstream does, or a call */
    bool is_held, is_over, has_succeeded;
    struct str progress; /* JSON that may name the workflow */
    struct str error;
};

/* ---- schedules ---- */

static struct owner *find_owner(const struct gathering *g, int64_t id)
{
    int32_t place = map_find(g->places, id);

    return place == MAP_NONE ? NULL : &g->owners[place];
}

static enum rc keep_owner(struct gathering *g, const struct db_result *row, struct owner *owner,
                          struct err *reterr)
{
    struct arena *arena = g->records.texts;
    struct conductor_shown shown;
    struct schedule_view view;
    enum rc rc;

    if (row->rows == 0)
        return RC_OK;
    schedule_views_read(row, 0, &view);
    if (view.row.dialect != DIALECTS_CONDUCTOR || view.row.namespace != g->call->namespace)
        return RC_OK;
    arena_reset(g->scratch);
    rc = conductor_show(&view, g->call->namespace_name, g->scratch, &shown, reterr);
    if (rc != RC_OK)
        return rc;
    owner->is_ours = true;
    owner->name = arena_str(arena, view.row.name);
    owner->workflow = arena_str(arena, str_of(shown.workflow_name));
    owner->zone = arena_str(arena, str_of(shown.zone));
    owner->has_own_queue = shown.has_own_queue;
    owner->edited_at = view.row.edited_at;
    json_decref(shown.schedule);
    return RC_OK;
}

/* Those from `first` on as many as fit into one read; how many they were, 0: try again. */
static enum rc learn_some(struct gathering *g, int first, int *ret_count, struct err *reterr)
{
    int left = g->owner_count - first;
    int count = left < g->schedules.rows ? left : g->schedules.rows;
    struct db_result rows[READ_ROWS] = {0};
    enum rc rc;

    for (int i = 0; i < count; i++)
        schedule_views_get(g->db, g->owners[first + i].id, &rows[i]);
    arena_reset(g->of_owners);
    rc = db_flush(g->db, g->of_owners, reterr);
    *ret_count = 0;
    if (read_size_is_cut(&g->schedules, g->db, rc))
        return RC_OK;
    for (int i = 0; rc == RC_OK && i < count; i++)
        rc = keep_owner(g, &rows[i], &g->owners[first + i], reterr);
    *ret_count = count;
    return rc;
}

/* Those of this portion that are not known yet. */
static enum rc learn_owners(struct gathering *g, const struct told_run *runs, int count,
                            struct err *reterr)
{
    int known = g->owner_count;
    enum rc rc = RC_OK;

    for (int i = 0; i < count; i++) {
        if (find_owner(g, runs[i].id.schedule))
            continue;
        map_put(g->places, runs[i].id.schedule, g->owner_count);
        g->owners[g->owner_count++] = (struct owner){.id = runs[i].id.schedule};
    }
    while (rc == RC_OK && known < g->owner_count) {
        int some;

        rc = learn_some(g, known, &some, reterr);
        known += some;
    }
    return rc;
}

/* ---- records ---- */

/* The member of an object of JSON; empty: there is none. */
static struct str member_of(struct str json, const char *name, size_t max, struct arena *arena)
{
    json_auto_t *object = NULL;
    const json_t *value;
    struct str text;
    struct err err;

    if (json.len == 0 || json.ptr[0] != '{' || json_read(json, &object, &err) != RC_OK)
        return (struct str){NULL, 0};
    value = json_object_get(object, name);
    if (!json_is_string(value))
        return (struct str){NULL, 0};
    text = (struct str){json_string_value(value), json_string_length(value)};
    return arena_str(arena, str_head(text, max));
}

static struct str reason_of(const struct told_run *run, struct arena *arena)
{
    struct str text = member_of(run->error, "message", REASON_MAX, arena);

    if (text.len > 0)
        return text;
    text = str_head(run->error, REASON_MAX);
    return text.len > 0 ? arena_str(arena, text) : STR("it was not started");
}

static bool is_as_now(const struct told_run *run, const struct owner *owner)
{
    return run->created >= owner->edited_at;
}

/* The queue that a run waits in has the name that its workflow had; else it may be unknown. */
static struct str workflow_of(const struct told_run *run, const struct owner *owner,
                              struct arena *arena)
{
    if (run->queue.len == 0 || owner->has_own_queue)
        return is_as_now(run, owner) ? owner->workflow : STR("");
    if (str_eq(run->queue, owner->workflow))
        return owner->workflow;
    return arena_str(arena, run->queue);
}

static int compare(const void *a, const void *b, void *sort)
{
    return conductor_sort_compare(sort, &((const struct conductor_record *)a)->found,
                                  &((const struct conductor_record *)b)->found);
}

/* In order, and without those that nobody wants. */
static void settle(struct gathering *g)
{
    struct conductor_records *records = &g->records;

    qsort_r(records->list, (size_t)records->count, sizeof *records->list, compare, &g->sort);
    if (records->count > g->keep)
        records->count = g->keep;
}

static void add_record(struct gathering *g, const struct told_run *run)
{
    const struct owner *owner = find_owner(g, run->id.schedule);
    struct conductor_record *record = &g->records.list[g->records.count];
    struct arena *arena = g->records.texts;
    char id[RUN_ID_TEXT_MAX];

    if (!owner->is_ours || run->kind == RUN_TEST)
        return;
    run_id_format(&run->id, id);
    *record = (struct conductor_record){
        .found = {.id = arena_str(arena, str_of(id)),
                  .schedule = owner->name,
                  .workflow = workflow_of(run, owner, arena),
                  .slot = run->slot,
                  .executed = run->executed},
        .schedule = owner->id,
        .zone = is_as_now(run, owner) ? owner->zone : STR(""),
        .is_as_now = is_as_now(run, owner),
        .is_open = !run->is_over,
        .run = run->id,
        .trigger = run->kind == RUN_TRIGGER ? run->end : 0,
    };
    if (run->queue.len > 0 && !run->is_held)
        record->found.workflow_id = record->found.id;
    else if (run->queue.len == 0)
        record->found.workflow_id = member_of(run->progress, "workflowId", CALL_NAME_MAX,
                                              arena);
    if (run->has_succeeded || record->found.workflow_id.len > 0) {
        record->found.state = EXECUTION_EXECUTED;
    } else if (run->is_over) {
        record->found.state = EXECUTION_FAILED;
        record->reason = reason_of(run, arena);
    }
    if (!conductor_query_fits(g->query, &record->found))
        return;
    g->records.hits++;
    if (++g->records.count == 2 * g->keep + 1)
        settle(g);
}

/* ---- rows ---- */

static instant first_of(instant started, instant created)
{
    return started == INSTANT_NONE ? created : started;
}

static struct told_run told_open(const struct db_result *rows, int i)
{
    struct run_view view;
    const struct run *run = &view.run;

    run_views_read(rows, i, &view);
    return (struct told_run){
        .id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
        .kind = run->kind,
        .slot = run->slot,
        .created = run->created_at,
        .executed = first_of(run->started_at, run->created_at),
        .queue = view.owner.queue,
        .is_held = run->state == RUN_HELD || run->state == RUN_APPROVAL,
        .progress = run->progress,
    };
}

/* False: it is not the last attempt of its run. */
static bool told_ended(const struct db_result *rows, int i, struct arena *arena,
                       struct told_run *ret)
{
    struct attempt_view view;
    const struct history_row *row = &view.row;

    attempt_views_read(rows, i, &view);
    *ret = (struct told_run){
        .id = {row->schedule, row->slot / SPAN_MS, (uint32_t)row->pass},
        .kind = (enum run_kind)row->kind,
        .end = row->id,
        .slot = row->slot,
        .created = row->created_at,
        .executed = first_of(row->started_at, row->created_at),
        .queue = view.owner.queue,
        .is_over = true,
        .has_succeeded = row->outcome == OUTCOME_SUCCEEDED,
        .progress = run_result_value(row->result, arena),
        .error = row->error,
    };
    return row->last;
}

/* run_views_list() and run_views_end(), or those of attempts. */
typedef void page_fn(struct db *db, const struct view_page *page, struct db_result *ret);

static enum rc take_portion(struct gathering *g, const struct db_result *rows, bool is_open,
                            struct err *reterr)
{
    struct told_run *runs = arena_array(g->rows, READ_ROWS, sizeof *runs);
    int count = 0;
    enum rc rc;

    for (int i = 0; i < rows->rows; i++) {
        if (is_open)
            runs[count++] = told_open(rows, i);
        else
            count += told_ended(rows, i, g->rows, &runs[count]);
    }
    rc = learn_owners(g, runs, count, reterr);
    for (int i = 0; rc == RC_OK && i < count; i++)
        add_record(g, &runs[i]);
    return rc;
}

static enum rc take_all(struct gathering *g, int64_t schedule, bool is_open, struct err *reterr)
{
    page_fn *list = is_open ? run_views_list : attempt_views_list;
    page_fn *end = is_open ? run_views_end : attempt_views_end;
    struct view_page page = {.namespace = g->call->namespace,
                             .schedule = schedule,
                             .before = INT64_MAX,
                             .scan = VIEW_SCAN_MAX,
                             .is_brief = true};

    while (g->looked_at[is_open] < RECORDS_LOOKED_AT) {
        struct db_result rows = {0}, last = {0};
        enum rc rc;

        arena_reset(g->rows);
        page.limit = g->runs.rows;
        list(g->db, &page, &rows);
        end(g->db, &page, &last);
        rc = db_flush(g->db, g->rows, reterr);
        if (read_size_is_cut(&g->runs, g->db, rc))
            continue;
        if (rc == RC_OK)
            rc = take_portion(g, &rows, is_open, reterr);
        if (rc != RC_OK)
            return rc;
        g->looked_at[is_open] += page.limit;
        if (rows.rows == page.limit)
            page.before = db_int_at(&rows, rows.rows - 1, 0);
        else if (last.rows == 1 && db_int_at(&last, 0, 0) < page.before && schedule == 0)
            page.before = db_int_at(&last, 0, 0);
        else
            return RC_OK;
    }
    return RC_OK;
}

/* Runs that are open, then those that have ended. */
static enum rc take_both(struct gathering *g, int64_t schedule, struct err *reterr)
{
    enum rc rc = take_all(g, schedule, true, reterr);

    return rc == RC_OK ? take_all(g, schedule, false, reterr) : rc;
}

enum rc conductor_records_read(struct call *call, struct db *db,
                               const struct conductor_search *search,
                               struct conductor_records *ret, struct err *reterr)
{
    int64_t keep = search->keep < OWNERS_MAX ? search->keep : OWNERS_MAX;
    struct gathering g = {.call = call,
                          .db = db,
                          .query = &search->query,
                          .places = map_new(0),
                          .sort = search->sort,
                          .keep = (int)keep,
                          .runs = read_size_of(READ_ROWS),
                          .schedules = read_size_of(READ_ROWS),
                          .rows = arena_new(READ_BYTES),
                          .of_owners = arena_new(READ_BYTES),
                          .scratch = arena_new(SCHEDULE_BYTES_MAX)};
    enum rc rc = RC_OK;

    g.records.texts = arena_new(TEXTS_BYTES);
    g.records.list = arena_array(g.records.texts, 2 * (size_t)keep + 1, sizeof *g.records.list);
    g.owners = arena_array(g.records.texts, OWNERS_MAX, sizeof *g.owners);
    if (!search->schedules)
        rc = take_both(&g, 0, reterr);
    for (int i = 0; rc == RC_OK && i < search->schedule_count; i++)
        rc = take_both(&g, search->schedules[i], reterr);
    arena_free(g.rows);
    arena_free(g.of_owners);
    arena_free(g.scratch);
    map_free(g.places);
    settle(&g);
    *ret = g.records;
    return rc;
}

void conductor_records_free(struct conductor_records *records)
{
    records->texts = arena_free(records->texts);
}
