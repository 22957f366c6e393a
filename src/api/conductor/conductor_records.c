/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads open and ended runs, matches them with a search, and keeps the first ones in order.
 */
#include "api/conductor/conductor_records.h"

#include <stdlib.h>

#include "api/call/read_size.h"
#include "api/conductor/conductor.h"
#include "api/schedules/view.h"
#include "base/map.h"
#include "base/must.h"
#include "model/member.h"

enum {
    READ_ROWS = 200,      /* rows of one read                                     */
    READ_BYTES = 1 << 30, /* of arena: runs and schedules of the maximum size     */
    OWNERS_MAX = 2 * RECORDS_SCAN_MAX, /* each run may be of another schedule */
    TEXTS_BYTES = 1 << 30, /* reasons and ids of all runs that are read take an eighth of it */
    REASON_MAX = 999,      /* bytes, as in Conductor                               */
};

/* The schedule of a run. */
struct owner {
    int64_t id;
    bool is_ours;       /* created with this API, and not deleted */
    bool has_own_queue; /* its runs wait in another queue than that of their workflow's name */
    struct str name, workflow, zone;
    instant edited_at; /* the definition of runs created earlier is unknown */
};

struct record_search {
    struct call *call;
    struct db *db;
    const struct conductor_query *query;
    struct arena *rows, *owner_rows, *scratch;
    struct owner *owners;
    struct map *owner_index; /* index in `owners` by key */
    int owner_count;
    struct conductor_sort sort;
    int keep; /* the list has room for twice as many */
    struct read_size runs, schedules;
    int64_t scanned[2]; /* [0]: ended runs, [1]: open runs */
    struct conductor_records records;
};

/* What the rows of open and of ended runs have in common. */
struct run_info {
    struct run_id id;
    enum run_kind kind;
    int64_t end; /* key of the row of its last attempt; 0: open */
    instant slot, created;
    struct str queue; /* where workers take it; empty: this server starts or calls it */
    bool is_held, is_over, has_succeeded;
    struct str progress; /* JSON that may name the workflow */
    struct str error;
};

/* ---- schedules ---- */

static struct owner *find_owner(const struct record_search *s, int64_t id)
{
    int32_t index = map_find(s->owner_index, id);

    return index == MAP_NONE ? NULL : &s->owners[index];
}

static enum rc store_owner(struct record_search *s, const struct db_result *row,
                           struct owner *owner, struct err *reterr)
{
    struct arena *arena = s->records.texts;
    struct conductor_shown shown;
    struct schedule_view view;
    enum rc rc;

    if (row->rows == 0)
        return RC_OK;
    schedule_views_read(row, 0, &view);
    if (view.row.dialect != DIALECTS_CONDUCTOR || view.row.namespace != s->call->namespace)
        return RC_OK;
    arena_reset(s->scratch);
    rc = conductor_show(&view, s->scratch, &shown, reterr);
    if (rc == RC_CORRUPT)
        shown = conductor_show_damaged(&view, reterr);
    else if (rc != RC_OK)
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

/* Reads owners from `first` on, as many as fit into one read.  *ret_count 0: try again. */
static enum rc read_owner_batch(struct record_search *s, int first, int *ret_count,
                                struct err *reterr)
{
    int left = s->owner_count - first;
    int count = left < s->schedules.rows ? left : s->schedules.rows;
    struct db_result rows[READ_ROWS] = {0};
    enum rc rc;

    for (int i = 0; i < count; i++)
        schedule_views_get(s->db, s->owners[first + i].id, &rows[i]);
    arena_reset(s->owner_rows);
    rc = db_flush(s->db, s->owner_rows, reterr);
    *ret_count = 0;
    if (read_size_is_cut(&s->schedules, s->db, rc))
        return RC_OK;
    for (int i = 0; rc == RC_OK && i < count; i++)
        rc = store_owner(s, &rows[i], &s->owners[first + i], reterr);
    *ret_count = count;
    return rc;
}

/* Reads the owners of these runs that have not been read yet. */
static enum rc read_owners(struct record_search *s, const struct run_info *runs, int count,
                           struct err *reterr)
{
    int next = s->owner_count;
    enum rc rc = RC_OK;

    for (int i = 0; i < count; i++) {
        if (find_owner(s, runs[i].id.schedule))
            continue;
        must(s->owner_count < OWNERS_MAX); /* read_runs() reads no more runs than that */
        map_put(s->owner_index, runs[i].id.schedule, s->owner_count);
        s->owners[s->owner_count++] = (struct owner){.id = runs[i].id.schedule};
    }
    while (rc == RC_OK && next < s->owner_count) {
        int read_count;

        rc = read_owner_batch(s, next, &read_count, reterr);
        next += read_count;
    }
    return rc;
}

/* ---- records ---- */

/* A string member of a JSON object; empty: none. */
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

/* A record keeps its first workflow; retries are attempts of the run. */
static struct str first_workflow(struct str progress, struct arena *arena)
{
    struct str id = member_of(progress, "firstWorkflowId", CALL_NAME_MAX, arena);

    return id.len > 0 ? id : member_of(progress, "workflowId", CALL_NAME_MAX, arena);
}

static struct str reason_of(const struct run_info *run, struct arena *arena)
{
    struct str text = member_of(run->error, "message", REASON_MAX, arena);

    if (text.len > 0)
        return text;
    text = str_head(run->error, REASON_MAX);
    return text.len > 0 ? arena_str(arena, text) : STR("not started");
}

static bool is_current(const struct run_info *run, const struct owner *owner)
{
    return run->created >= owner->edited_at;
}

/* If the schedule names no queue, the run waits in the queue of its workflow's name. */
static struct str workflow_of(const struct run_info *run, const struct owner *owner,
                              struct arena *arena)
{
    if (run->queue.len == 0 || owner->has_own_queue)
        return is_current(run, owner) ? owner->workflow : STR("");
    if (str_eq(run->queue, owner->workflow))
        return owner->workflow;
    return arena_str(arena, run->queue);
}

static int compare_records(const void *a, const void *b, void *sort)
{
    return conductor_sort_compare(sort, &((const struct conductor_record *)a)->found,
                                  &((const struct conductor_record *)b)->found);
}

/* Keeps the first `keep` records in order. */
static void sort_and_cut(struct record_search *s)
{
    struct conductor_records *records = &s->records;

    qsort_r(records->list, (size_t)records->count, sizeof *records->list, compare_records,
            &s->sort);
    if (records->count > s->keep)
        records->count = s->keep;
}

static void add_record(struct record_search *s, const struct run_info *run)
{
    const struct owner *owner = find_owner(s, run->id.schedule);
    struct conductor_record *record = &s->records.list[s->records.count];
    struct arena *arena = s->records.texts;
    char id[RUN_ID_TEXT_MAX];

    must(owner); /* read_owners() has read the schedules of all runs of the batch */
    if (!owner->is_ours || run->kind == RUN_TEST)
        return;
    run_id_format(&run->id, id);
    *record = (struct conductor_record){
        .found = {.id = arena_str(arena, str_of(id)),
                  .schedule = owner->name,
                  .workflow = workflow_of(run, owner, arena),
                  .slot = run->slot,
                  .executed = run->created}, /* attempts do not change it */
        .schedule = owner->id,
        .zone = is_current(run, owner) ? owner->zone : STR(""),
        .is_current = is_current(run, owner),
        .is_open = !run->is_over,
        .run = run->id,
        .input_row = run->kind == RUN_TRIGGER ? run->end : 0,
    };
    if (run->queue.len > 0 && !run->is_held)
        record->found.workflow_id = record->found.id;
    else if (run->queue.len == 0)
        record->found.workflow_id = first_workflow(run->progress, arena);
    if (run->has_succeeded || record->found.workflow_id.len > 0) {
        record->found.state = EXECUTION_EXECUTED;
    } else if (run->is_over) {
        record->found.state = EXECUTION_FAILED;
        record->reason = reason_of(run, arena);
    }
    if (!conductor_query_fits(s->query, &record->found))
        return;
    s->records.hits++;
    if (++s->records.count == 2 * s->keep + 1)
        sort_and_cut(s);
}

/* ---- rows ---- */

static struct run_info read_open_run(const struct db_result *rows, int i)
{
    struct run_view view;
    const struct run *run = &view.run;

    run_views_read(rows, i, &view);
    return (struct run_info){
        .id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
        .kind = run->kind,
        .slot = run->slot,
        .created = run->created_at,
        .queue = view.owner.queue,
        .is_held = run->state == RUN_HELD || run->state == RUN_APPROVAL,
        .progress = run->progress,
    };
}

/* False: not the last attempt of its run. */
static bool read_ended_run(const struct db_result *rows, int i, struct arena *arena,
                           struct run_info *ret)
{
    struct attempt_view view;
    const struct history_row *row = &view.row;

    attempt_views_read(rows, i, &view);
    *ret = (struct run_info){
        .id = {row->schedule, row->slot / SPAN_MS, (uint32_t)row->pass},
        .kind = (enum run_kind)row->kind,
        .end = row->id,
        .slot = row->slot,
        .created = row->created_at,
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

static enum rc add_batch(struct record_search *s, const struct db_result *rows, bool is_open,
                         struct err *reterr)
{
    struct run_info *runs = arena_array(s->rows, READ_ROWS, sizeof *runs);
    int count = 0;
    enum rc rc;

    for (int i = 0; i < rows->rows; i++) {
        if (is_open)
            runs[count++] = read_open_run(rows, i);
        else
            count += read_ended_run(rows, i, s->rows, &runs[count]);
    }
    rc = read_owners(s, runs, count, reterr);
    for (int i = 0; rc == RC_OK && i < count; i++)
        add_record(s, &runs[i]);
    return rc;
}

static enum rc read_runs(struct record_search *s, int64_t schedule, bool is_open,
                         struct err *reterr)
{
    page_fn *list = is_open ? run_views_list : attempt_views_list;
    page_fn *end = is_open ? run_views_end : attempt_views_end;
    struct view_page page = {.namespace = s->call->namespace,
                             .schedule = schedule,
                             .before = INT64_MAX,
                             .scan = VIEW_SCAN_MAX,
                             .is_brief = true};

    while (s->scanned[is_open] < RECORDS_SCAN_MAX) {
        int left = RECORDS_SCAN_MAX - (int)s->scanned[is_open];
        struct db_result rows = {0}, last = {0};
        enum rc rc;

        arena_reset(s->rows);
        page.limit = s->runs.rows < left ? s->runs.rows : left;
        list(s->db, &page, &rows);
        end(s->db, &page, &last);
        rc = db_flush(s->db, s->rows, reterr);
        if (read_size_is_cut(&s->runs, s->db, rc))
            continue;
        if (rc == RC_OK)
            rc = add_batch(s, &rows, is_open, reterr);
        if (rc != RC_OK)
            return rc;
        s->scanned[is_open] += page.limit;
        if (rows.rows == page.limit)
            page.before = db_int_at(&rows, rows.rows - 1, 0);
        else if (last.rows == 1 && db_int_at(&last, 0, 0) < page.before && schedule == 0)
            page.before = db_int_at(&last, 0, 0);
        else
            return RC_OK;
    }
    return RC_OK;
}

/* Reads the open runs, then the ended ones. */
static enum rc read_open_and_ended(struct record_search *s, int64_t schedule,
                                   struct err *reterr)
{
    enum rc rc = read_runs(s, schedule, true, reterr);

    return rc == RC_OK ? read_runs(s, schedule, false, reterr) : rc;
}

enum rc conductor_records_read(struct call *call, struct db *db,
                               const struct conductor_search *search,
                               struct conductor_records *ret, struct err *reterr)
{
    int64_t keep = search->keep < OWNERS_MAX ? search->keep : OWNERS_MAX;
    struct record_search s = {.call = call,
                              .db = db,
                              .query = &search->query,
                              .owner_index = map_new(0),
                              .sort = search->sort,
                              .keep = (int)keep,
                              .runs = read_size_of(READ_ROWS),
                              .schedules = read_size_of(READ_ROWS),
                              .rows = arena_new(READ_BYTES),
                              .owner_rows = arena_new(READ_BYTES),
                              .scratch = arena_new(SCHEDULE_BYTES_MAX)};
    enum rc rc = RC_OK;

    s.records.texts = arena_new(TEXTS_BYTES);
    s.records.list = arena_array(s.records.texts, 2 * (size_t)keep + 1, sizeof *s.records.list);
    s.owners = arena_array(s.records.texts, OWNERS_MAX, sizeof *s.owners);
    if (!search->schedules)
        rc = read_open_and_ended(&s, 0, reterr);
    for (int i = 0; rc == RC_OK && i < search->schedule_count; i++)
        rc = read_open_and_ended(&s, search->schedules[i], reterr);
    arena_free(s.rows);
    arena_free(s.owner_rows);
    arena_free(s.scratch);
    map_free(s.owner_index);
    sort_and_cut(&s);
    *ret = s.records;
    return rc;
}

void conductor_records_free(struct conductor_records *records)
{
    records->texts = arena_free(records->texts);
}
