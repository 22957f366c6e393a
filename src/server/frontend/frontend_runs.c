/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs that this node carries out, on their way from the writer and back to it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "model/run_json.h"
#include "server/frontend/frontend_parts.h"

enum { LATE_MAX = 65536 }; /* signs of life that found no room; more are dropped */

void door_at(const struct door *door, enum serve_point point)
{
    const struct serve_seam *seam = door->options.seam;

    if (seam && seam->at)
        seam->at(seam->with, point);
}

void door_memo(struct door *door, const struct memo *memo)
{
    must(mailbox_push(door->options.memos, memo));
}

void door_push_late(struct door *door)
{
    size_t n = 0;

    if (door->late_count == 0)
        return;
    while (n < door->late_count && mailbox_room(door->options.memos) > MEMOS_KEPT) {
        door_memo(door, &(struct memo){.kind = MEMO_TOLD, .told = door->late[n]});
        n++;
    }
    if (n == 0)
        return;
    door->late_count -= n;
    memmove(door->late, door->late + n, door->late_count * sizeof *door->late);
}

/* What has ended makes room; the writer hears of it when nothing else tells it. */
bool door_count_finished(struct door *door)
{
    bool has_changed = false;

    if (!door->calls)
        return false;
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        int64_t finished = door->received[lane] - calls_count(door->calls, lane);

        has_changed |= finished != atomic_exchange(&door->options.finished[lane], finished);
    }
    return has_changed;
}

/* What a call came to is kept as a worker's result is, who may say more beside it. */
static void keep_result(struct told *told)
{
    struct run_result result = {.result = told->report.result};

    if (result.result.len > 0)
        told->report.result = run_result_keep(&result, told->arena);
}

void door_on_told(void *with, struct told *told)
{
    struct door *door = with;
    bool can_wait = told->report.kind == REPORT_ALIVE;

    keep_result(told);
    door_at(door, SERVE_BEFORE_TOLD);
    door_count_finished(door);
    if (!can_wait ||
        (door->late_count == 0 && mailbox_room(door->options.memos) > MEMOS_KEPT)) {
        door_memo(door, &(struct memo){.kind = MEMO_TOLD, .told = told});
        return;
    }
    if (door->late_count == LATE_MAX) {
        arena_free(told->arena);
        return;
    }
    if (door->late_count == door->late_cap) {
        door->late_cap = door->late_cap == 0 ? 64 : door->late_cap * 2;
        door->late = realloc(door->late, door->late_cap * sizeof *door->late);
        must(door->late);
    }
    door->late[door->late_count++] = told;
}

const struct settings *door_settings(void *with, int64_t namespace)
{
    const struct door *door = with;
    const struct space *space = spaces_at(door->spaces, namespace);

    return space ? &space->settings : NULL;
}

/* There is nobody left who could carry it out. */
static void refuse_task(struct door *door, struct task *task)
{
    const struct run *run = &task->work.run;
    struct told *told = arena_take(task->arena, sizeof *told);

    *told = (struct told){
        .arena = task->arena,
        .report = {.kind = REPORT_RELEASE,
                   .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
                   .fence = run->fence},
    };
    door_memo(door, &(struct memo){.kind = MEMO_TOLD, .told = told});
}

void door_start_task(struct door *door, struct task *task)
{
    const struct space *space = spaces_at(door->spaces, task->work.namespace);

    if (!door->calls) {
        refuse_task(door, task);
        return;
    }
    door_at(door, SERVE_BEFORE_CALL);
    task->work.last_result = run_result_value(task->work.last_result, task->arena);
    task->namespace_name = space ? arena_str(task->arena, space->name) : STR("");
    door->received[task->work.run.lane]++;
    calls_start(door->calls, task);
    door_at(door, SERVE_AFTER_CALL);
}
