/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows runs as recent and running actions, and computes future times: see temporal_info.h.
 */
#include "api/temporal/temporal_info.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/sha256.h"
#include "core/time/text.h"
#include "model/payload.h"
#include "wire/json/json.h"
#include "wire/json/json_text.h"

enum { UUID_BYTES = 16, UUID_TEXT_MAX = 37 };
enum { RUNNING = 1, COMPLETED = 2, FAILED = 3, CANCELED = 4, TERMINATED = 5, TIMED_OUT = 7 };

/* An open run, or one that has ended. */
struct listed_run {
    struct run_id id;
    instant nominal, started;
    int status;
    struct str workflow, upstream_run; /* empty: not given by an upstream */
};

static int status_of(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_SUCCEEDED:
        return COMPLETED;
    case OUTCOME_CANCELLED:
        return CANCELED;
    case OUTCOME_TERMINATED:
        return TERMINATED;
    case OUTCOME_TIMED_OUT:
        return TIMED_OUT;
    default:
        return FAILED;
    }
}

void temporal_runs_send(struct db *db, int64_t schedule, int open_max, int ended_max,
                        struct temporal_runs *ret)
{
    run_views_recent(db, schedule, open_max, ended_max, &ret->open, &ret->ended);
}

static int compare_start(const void *a, const void *b)
{
    const struct listed_run *x = a, *y = b;

    if (x->started != y->started)
        return x->started > y->started ? 1 : -1;
    return (x->nominal > y->nominal) - (x->nominal < y->nominal);
}

/* A backfill or trigger is due when it is requested; clients see the time that it is for. */
static instant nominal_of(enum run_kind kind, instant slot, instant due)
{
    return kind == RUN_SLOT ? due : slot;
}

/* The text of a JSON string as written; empty: the member is missing. */
static struct str text_of_json(struct str written, struct arena *arena)
{
    json_auto_t *json = written.len > 0 ? json_of_kept(written) : NULL;

    if (!json_is_string(json))
        return (struct str){NULL, 0};
    return arena_str(arena, (struct str){json_string_value(json), json_string_length(json)});
}

/*
 * Takes the ids that an upstream gave the workflow from the progress or result of a dispatch.
 * False: no workflow was started there.
 */
static bool read_ids(struct str text, struct listed_run *run, struct arena *arena)
{
    run->workflow = text_of_json(json_find_member(text, STR("workflowId")), arena);
    run->upstream_run = text_of_json(json_find_member(text, STR("runId")), arena);
    return run->workflow.len > 0;
}

/* The stored result begins with the one of the dispatch.  It may be cut after the ids. */
static struct str dispatch_result(struct str stored)
{
    const struct str head = STR("{\"result\":");

    if (!str_starts(stored, head))
        return stored;
    return (struct str){stored.ptr + head.len, stored.len - head.len};
}

static int collect_open(const struct db_result *rows, struct listed_run *list,
                        struct arena *arena)
{
    int n = 0;

    for (int i = 0; i < rows->rows; i++) {
        struct run_view view;
        const struct run *run = &view.run;

        run_views_read(rows, i, &view);
        list[n] = (struct listed_run){
            .id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
            .nominal = nominal_of(run->kind, run->slot, run->due),
            .started = run->started_at != INSTANT_NONE ? run->started_at : run->created_at,
            .status = RUNNING};
        if (run->lane != LANE_FLOW || read_ids(run->progress, &list[n], arena))
            n++;
    }
    return n;
}

static int collect_ended(const struct db_result *rows, struct listed_run *list,
                         struct arena *arena)
{
    int n = 0;

    for (int i = 0; i < rows->rows; i++) {
        struct attempt_view view;
        const struct history_row *row = &view.row;

        attempt_views_read(rows, i, &view);
        list[n] = (struct listed_run){
            .id = {row->schedule, row->slot / SPAN_MS, (uint32_t)row->pass},
            .nominal = nominal_of((enum run_kind)row->kind, row->slot, row->due),
            .started = row->started_at != INSTANT_NONE ? row->started_at : row->created_at,
            .status = status_of(row->outcome)};
        if (view.owner.queue.len > 0 || read_ids(dispatch_result(row->result), &list[n], arena))
            n++;
    }
    return n;
}

static char *workflow_id(struct str base, int64_t slot_ms, struct arena *arena)
{
    struct buf text = {.cap = base.len + WORKFLOW_ID_SUFFIX};

    text.ptr = arena_take(arena, text.cap);
    payload_workflow_id(base, slot_ms * SPAN_MS, &text);
    must(!text.cut);
    return text.ptr;
}

/* A UUID (version 8) that depends only on the run: Temporal's clients expect one. */
static char *uuid_of(const struct run_id *id, struct arena *arena)
{
    struct buf text = arena_buf(arena, UUID_TEXT_MAX);
    uint8_t hash[SHA256_BYTES];
    char name[RUN_ID_TEXT_MAX];
    struct sha256 sha;

    run_id_format(id, name);
    sha256_begin(&sha);
    sha256_add(&sha, name, strlen(name));
    sha256_end(&sha, hash);
    hash[6] = (hash[6] & 0x0f) | 0x80;
    hash[8] = (hash[8] & 0x3f) | 0x80;
    for (int i = 0; i < UUID_BYTES; i++)
        buf_printf(&text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", hash[i]);
    must(!text.cut);
    return text.ptr;
}

static Temporal__WorkflowExecution *execution(const struct listed_run *run, struct str base,
                                              struct arena *arena)
{
    Temporal__WorkflowExecution *m = arena_take(arena, sizeof *m);

    temporal__workflow_execution__init(m);
    m->workflow_id = run->workflow.len > 0 ? temporal_text(run->workflow, arena)
                                           : workflow_id(base, run->id.slot_ms, arena);
    m->run_id = run->upstream_run.len > 0 ? temporal_text(run->upstream_run, arena)
                                          : uuid_of(&run->id, arena);
    return m;
}

struct temporal_recent temporal_recent(const struct temporal_runs *runs, struct str base,
                                       int limit, struct arena *arena)
{
    size_t room = (size_t)(runs->open.rows + runs->ended.rows);
    struct listed_run *list = arena_array(arena, room, sizeof *list);
    int n = collect_open(&runs->open, list, arena);
    struct temporal_recent recent = {.results = arena_array(arena, room, sizeof(void *)),
                                     .running = arena_array(arena, room, sizeof(void *))};

    n += collect_ended(&runs->ended, list + n, arena);
    qsort(list, (size_t)n, sizeof *list, compare_start);
    for (int i = 0; i < n; i++)
        if (list[i].status == RUNNING)
            recent.running[recent.running_count++] = execution(&list[i], base, arena);
    for (int i = n > limit ? n - limit : 0; i < n; i++) {
        Temporal__ScheduleActionResult *m = arena_take(arena, sizeof *m);

        temporal__schedule_action_result__init(m);
        m->schedule_time = temporal_timestamp(list[i].nominal, arena);
        m->actual_time = temporal_timestamp(list[i].started, arena);
        m->start_workflow_result = execution(&list[i], base, arena);
        m->start_workflow_status = list[i].status;
        recent.results[recent.count++] = m;
    }
    return recent;
}

struct temporal_future temporal_future(const struct schedule_times *times, instant now,
                                       int limit, struct arena *arena)
{
    const struct cursor *cursor = &times->view.cursor;
    struct temporal_future future = {
        .times = arena_array(arena, (size_t)limit, sizeof *future.times)};
    instant after = now - times->plan.spec.jitter;
    struct spec_walk walk;
    struct slot slot;

    if (cursor->remaining >= 0 && cursor->remaining < limit)
        limit = (int)cursor->remaining;
    spec_walk_begin(&walk, &times->plan.spec, &times->ctx,
                    after < cursor->mark ? cursor->mark : after);
    while ((int)future.count < limit && spec_walk_next(&walk, &slot))
        if (slot.due > now && !schedule_times_is_cancelled(times, slot.at))
            future.times[future.count++] = temporal_timestamp(slot.due, arena);
    return future;
}
