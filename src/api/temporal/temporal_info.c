/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows runs as recent and running actions, and computes future times: see temporal_info.h.
 */
#include "api/temporal/temporal_info.h"

#include <stdlib.h>

#include "base/must.h"
#include "core/time/text.h"
#include "model/payload.h"

enum { RUNNING = 1, COMPLETED = 2, FAILED = 3, CANCELED = 4, TERMINATED = 5, TIMED_OUT = 7 };

/* An open run, or one that has ended. */
struct listed_run {
    struct run_id id;
    instant due, started;
    int status;
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

void temporal_runs_send(struct db *db, int64_t schedule, int limit, struct temporal_runs *ret)
{
    run_views_recent(db, schedule, limit, &ret->open, &ret->ended);
}

static int compare_start(const void *a, const void *b)
{
    const struct listed_run *x = a, *y = b;

    if (x->started != y->started)
        return x->started > y->started ? 1 : -1;
    return (x->due > y->due) - (x->due < y->due);
}

/* A backfill is due when it is requested; clients see its slot. */
static instant due_of(enum run_kind kind, instant slot, instant due)
{
    return kind == RUN_BACKFILL ? slot : due;
}

static int collect_runs(const struct temporal_runs *runs, struct listed_run *list)
{
    int n = 0;

    for (int i = 0; i < runs->open.rows; i++) {
        struct run_view view;

        run_views_read(&runs->open, i, &view);
        list[n++] = (struct listed_run){
            {view.run.schedule, view.run.slot / SPAN_MS, (uint32_t)view.run.pass},
            due_of(view.run.kind, view.run.slot, view.run.due),
            view.run.started_at != INSTANT_NONE ? view.run.started_at : view.run.created_at,
            RUNNING};
    }
    for (int i = 0; i < runs->ended.rows; i++) {
        struct attempt_view view;
        const struct history_row *row = &view.row;

        attempt_views_read(&runs->ended, i, &view);
        list[n++] = (struct listed_run){
            {row->schedule, row->slot / SPAN_MS, (uint32_t)row->pass},
            due_of((enum run_kind)row->kind, row->slot, row->due),
            row->started_at != INSTANT_NONE ? row->started_at : row->created_at,
            status_of(row->outcome)};
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

static Temporal__WorkflowExecution *execution(const struct listed_run *run, struct str base,
                                              struct arena *arena)
{
    Temporal__WorkflowExecution *m = arena_take(arena, sizeof *m);
    char id[RUN_ID_TEXT_MAX];

    temporal__workflow_execution__init(m);
    run_id_format(&run->id, id);
    m->workflow_id = workflow_id(base, run->id.slot_ms, arena);
    m->run_id = temporal_text(str_of(id), arena);
    return m;
}

struct temporal_recent temporal_recent(const struct temporal_runs *runs, struct str base,
                                       int limit, struct arena *arena)
{
    size_t room = (size_t)(runs->open.rows + runs->ended.rows);
    struct listed_run *list = arena_array(arena, room, sizeof *list);
    int n = collect_runs(runs, list);
    struct temporal_recent recent = {.results = arena_array(arena, room, sizeof(void *)),
                                     .running = arena_array(arena, room, sizeof(void *))};

    qsort(list, (size_t)n, sizeof *list, compare_start);
    for (int i = 0; i < n; i++)
        if (list[i].status == RUNNING)
            recent.running[recent.running_count++] = execution(&list[i], base, arena);
    for (int i = n > limit ? n - limit : 0; i < n; i++) {
        Temporal__ScheduleActionResult *m = arena_take(arena, sizeof *m);

        temporal__schedule_action_result__init(m);
        m->schedule_time = temporal_timestamp(list[i].due, arena);
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
