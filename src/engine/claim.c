/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims ready runs: searches queues that may have some, in order of rank, for as many runs as
 * this node and the waiting workers can take.
 *
 * A run enters its gate here, in the transaction that claims it: a run that only waits to be
 * claimed does not occupy the gate.
 */
#include "engine/claim.h"

#include <stdlib.h>

#include "base/must.h"
#include "engine/due.h"
#include "engine/engine_internal.h"
#include "engine/restricted_queues.h"
#include "engine/transitions.h"
#include "engine/waiting_workers.h"

/* The search of one queue, and its results. */
struct search {
    int64_t lane, queue;
    int limit;
    bool is_limited; /* before its row is locked: it may have a limit; after: it has one */
    int64_t room;    /* if is_limited: how many more of its runs may be claimed          */
    int processed;   /* runs that are no longer ready: claimed or gated                  */
    int claimed;
    struct db_result queue_row, claimed_row, rows;
    struct work_run **found; /* one for each row */
};

static bool is_listed(const struct engine_memory *m, int64_t lane, int64_t queue)
{
    for (int i = 0; i < m->search_count; i++)
        if (m->search_queues[i].lane == lane && m->search_queues[i].queue == queue)
            return true;
    return false;
}

/* When the list is full, periodic_queues() finds the queue later. */
void claim_add_queue(struct engine_memory *m, int64_t lane, int64_t queue)
{
    must(lane >= 0 && lane < LANE_COUNT);
    if (m->search_count < SEARCH_QUEUES_MAX && !is_listed(m, lane, queue))
        m->search_queues[m->search_count++] = (struct search_queue){lane, queue};
}

static void remove_queue(struct engine_memory *m, int64_t lane, int64_t queue)
{
    for (int i = 0; i < m->search_count; i++)
        if (m->search_queues[i].lane == lane && m->search_queues[i].queue == queue)
            m->search_queues[i] = m->search_queues[--m->search_count];
}

/* Index of the cron expression that gives the run's slot; -1: none, or no longer. */
static int cron_of(const struct work_schedule *sched, const struct run *run)
{
    const struct spec *spec = &sched->plan.spec;
    struct slot slot;

    if ((run->kind != RUN_SLOT && run->kind != RUN_BACKFILL) || spec->entry_count == 0)
        return -1;
    if (spec->entry_count == 1 && spec->at_count == 0)
        return spec->entries->list == LIST_CRON ? spec->entries->index : -1;
    if (!spec_next(spec, &sched->ctx, run->slot - 1, &slot) || slot.at != run->slot ||
        slot.entry >= spec->entry_count || spec->entries[slot.entry].list != LIST_CRON)
        return -1;
    return spec->entries[slot.entry].index;
}

static struct assignment assignment_of(struct turn *turn, const struct work_run *work, int poll)
{
    const struct work_schedule *sched = work->sched;
    const struct policies *p = &sched->plan.policies;
    const struct run *run = &work->run;
    struct run_id id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass};
    char text[RUN_ID_TEXT_MAX];
    struct assignment assignment = {
        .run = *run,
        .name = run->kind == RUN_DIRECT ? (struct str){NULL, 0} : sched->name,
        .action = sched->action,
        .last_run_at = run->last_run_at,
        .namespace = sched->namespace,
        .cron = cron_of(sched, run),
        .timeout = p->timeout,
        .deadline = INSTANT_NEVER,
        .is_once = p->at_most_once,
        .poll = poll >= 0 ? turn->in->polls[poll].tag : 0,
    };

    run_id_format(&id, text);
    assignment.id = arena_str(turn->arena, str_of(text));
    if (p->wants_last && p->overlap != OVERLAP_ALLOW_ALL) {
        assignment.last_result = sched->last_result;
        assignment.last_failure = sched->last_failure;
    }
    if (p->timeout > 0)
        assignment.deadline = run->attempt_at + p->timeout;
    if (p->max_run_time > 0 && run->started_at + p->max_run_time < assignment.deadline)
        assignment.deadline = run->started_at + p->max_run_time;
    return assignment;
}

/* Claims a ready run for this node (poll < 0) or for the worker of a poll. */
static void claim_run(struct turn *turn, struct work_run *work, int poll)
{
    struct run *run = &work->run;
    const struct policies *p = &work->sched->plan.policies;

    must(!turn->in->hold && run->due <= turn->now);
    must(work->state == WORK_READ || work->state == WORK_NEW);
    must(run->state == RUN_READY && !run->lacks_input && work->sched->has_plan);
    must(run->node == 0 && run->worker.len == 0); /* it has no other holder */
    must((poll < 0) == (run->lane != LANE_PULL));
    run->attempt++;
    run->fence++;
    must(run->fence > work->fence && run->attempt > run->losses);
    run->attempt_at = turn->now;
    if (run->started_at == INSTANT_NONE)
        run->started_at = turn->now;
    run->wake_at = INSTANT_NEVER;
    run->flags &= ~(int64_t)(RUN_CANCELLING | RUN_FOR_OTHER);
    work->is_changed = true;
    run_set_state(run, RUN_LEASED);
    if (poll < 0) {
        run_set_state(run, RUN_RUNNING); /* the call starts at once */
        run->node = turn->node;
        run->lease_until = INSTANT_NEVER;
    } else {
        instant wake;

        run->worker = arena_str(turn->arena, turn->in->polls[poll].worker);
        run->lease_until = turn->now + p->lease;
        wake = run->lease_until + p->grace;
        if (p->timeout > 0 && run->attempt_at + p->timeout < wake)
            wake = run->attempt_at + p->timeout;
        if (p->max_run_time > 0 && run->started_at + p->max_run_time < wake)
            wake = run->started_at + p->max_run_time;
        run->wake_at = wake;
        waiting_workers_granted(turn, run->queue);
    }
    turn_event(turn, EVENT_RUN_CLAIMED, run, run->node);
    run_emit_late(turn, work);
    if (poll < 0) {
        turn_event(turn, EVENT_RUN_STARTED, run, 0);
        must(turn->capacity[run->lane] > 0);
        turn->capacity[run->lane]--;
        *VEC_ADD(turn, &turn->dispatches) = assignment_of(turn, work, poll);
    } else {
        *VEC_ADD(turn, &turn->grants) = assignment_of(turn, work, poll);
    }
}

/* The workflow goes on as if nothing had happened; only reports of the last node are stale. */
void claim_adopt(struct turn *turn, struct work_run *work)
{
    struct run *run = &work->run;

    must(!turn->in->hold && turn->capacity[LANE_FLOW] > 0);
    must(work->state == WORK_READ && work->sched->has_plan);
    must(run_is_claimed(run->state) && run->lane == LANE_FLOW && (run->flags & RUN_FOLLOWED));
    run->fence++;
    must(run->fence > work->fence);
    run->node = turn->node;
    run->wake_at = run->flags & RUN_CANCELLING ? turn->now : INSTANT_NEVER; /* to stop it */
    work->is_changed = true;
    turn_event(turn, EVENT_RUN_CLAIMED, run, run->node);
    turn->capacity[LANE_FLOW]--;
    *VEC_ADD(turn, &turn->dispatches) = assignment_of(turn, work, -1);
}

static int by_rank(const void *a, const void *b)
{
    const struct run *x = &(*(struct work_run *const *)a)->run;
    const struct run *y = &(*(struct work_run *const *)b)->run;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Claims a run that became ready in this turn; false when it has to wait. */
static bool try_claim(struct turn *turn, struct work_run *work)
{
    const struct run *run = &work->run;
    int poll = -1;

    if (run->gate != 0 || run->due > turn->now || run->lacks_input)
        return false;
    if (run->lane == LANE_PULL) {
        if (restricted_state(&turn->memory, run->queue) != RESTRICTION_NONE)
            return false; /* the search checks the limit */
        poll = waiting_workers_next(turn, run->queue);
        if (poll < 0)
            return false;
    } else if (turn->capacity[run->lane] <= 0) {
        return false;
    }
    claim_run(turn, work, poll);
    return true;
}

/* Writes the run at once: the search that follows must find it. */
static void make_ready_again(struct turn *turn, struct run *run)
{
    struct work_schedule *sched = workset_find(turn, run->schedule);
    struct work_run *work = sched ? workset_put_run(turn, sched, run) : NULL;

    run_set_state(run, RUN_READY);
    if (work && work->state == WORK_READ)
        run_set_state(&work->run, RUN_READY);
    runs_update(turn->db, run);
}

enum rc claim_open_gates(struct turn *turn, struct err *reterr)
{
    int count = turn->gates.count;
    struct db_result *rows = arena_array(turn->arena, (size_t)count, sizeof(*rows));
    bool any = false;
    enum rc rc = RC_OK;

    for (int i = 0; i < count; i++) {
        const struct work_gate *g = turn->gates.at[i];
        int64_t room = g->gate.most - g->gate.open;

        if (!g->is_held || room <= 0 || g->gate.waiting <= 0)
            continue;
        runs_gated(turn->db, g->gate.id, room > BATCH_ROWS ? BATCH_ROWS : (int)room, &rows[i]);
        any = true;
    }
    if (any)
        rc = db_flush(turn->db, turn->arena, reterr);
    for (int i = 0; rc == RC_OK && i < count; i++) {
        struct work_gate *g = turn->gates.at[i];

        for (int r = 0; r < rows[i].rows; r++) {
            struct run run;

            if (!turn_read_run(turn, &rows[i], r, &run))
                continue;
            make_ready_again(turn, &run);
            turn_count_down(turn, &g->gate.waiting, g->gate.id,
                            "a gate counts fewer waiting runs than it has");
            g->is_changed = true;
            claim_add_queue(&turn->memory, run.lane, run.queue);
            turn->made_ready = true; /* a worker that can take it may be at another node */
        }
    }
    return rc;
}

/* For runs that became ready in this turn. */
static bool is_unclaimed(const struct work_run *work)
{
    return work->state != WORK_ENDED && work->run.state == RUN_READY && work->sched->has_plan;
}

static bool has_fresh(const struct turn *turn, int64_t lane, int64_t queue)
{
    for (int i = 0; i < turn->fresh.count; i++) {
        const struct work_run *work = turn->fresh.at[i];

        if (work->run.queue == queue && work->run.lane == lane && is_unclaimed(work))
            return true;
    }
    return false;
}

/* Removes queues that no poll waits for: a new poll adds them again. */
static void drop_unpolled(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    for (int i = 0; i < m->search_count; i++)
        if (m->search_queues[i].lane == LANE_PULL &&
            waiting_workers_room(turn, m->search_queues[i].queue, 1) == 0)
            m->search_queues[i--] = m->search_queues[--m->search_count];
}

/*
 * Chooses the queues to search, and the limit of each.  Queues of a lane share the capacity of
 * this node equally, and queues of workers share the rows of the turn.  If there are more
 * queues than rows, each turn begins with another queue.
 */
static int plan_searches(struct turn *turn, bool for_fresh, struct search *searches)
{
    struct engine_memory *m = &turn->memory;
    int count = 0, first, sharers[LANE_COUNT] = {0};

    drop_unpolled(turn);
    first = m->search_count > 0 ? (int)(m->turn % m->search_count) : 0;
    for (int i = 0; i < m->search_count; i++)
        sharers[m->search_queues[i].lane]++;
    for (int i = 0; i < m->search_count && count < turn->in->rows; i++) {
        struct search_queue next = m->search_queues[(first + i) % m->search_count];
        bool pull = next.lane == LANE_PULL;
        enum queue_restriction restriction = pull ? restricted_state(m, next.queue)
                                                  : RESTRICTION_NONE;
        int most = pull ? turn->in->rows : turn->capacity[next.lane];
        int limit = (most + sharers[next.lane] - 1) / sharers[next.lane];

        limit = limit > turn->in->rows ? turn->in->rows : limit;
        must(limit >= 0 && (pull || limit <= turn->capacity[next.lane]));
        if (for_fresh &&
            (restriction != RESTRICTION_NONE || !has_fresh(turn, next.lane, next.queue)))
            continue;
        if (pull)
            limit = restriction == RESTRICTION_PAUSED
                        ? 0
                        : waiting_workers_room(turn, next.queue, limit);
        if (limit > 0)
            searches[count++] = (struct search){.lane = next.lane,
                                                .queue = next.queue,
                                                .limit = limit,
                                                .is_limited = restriction ==
                                                              RESTRICTION_LIMITED};
    }
    return count;
}

/* When the list cannot hold the queues of all polls, each turn begins with another queue. */
void claim_add_polled(struct turn *turn)
{
    int count = turn->queues.count;
    int first = count > 0 ? (int)(turn->memory.turn * SEARCH_QUEUES_MAX % count) : 0;

    for (int i = 0; i < count; i++) {
        const struct poll_queue *queue = &turn->queues.at[(first + i) % count];

        if (queue->has_new || turn->is_periodic)
            claim_add_queue(&turn->memory, LANE_PULL, queue->queue);
    }
}

/* Adds runs to the workset; a run that this turn has changed keeps its changes. */
static void read_rows(struct turn *turn, struct search *search)
{
    search->found = arena_array(turn->arena, (size_t)search->rows.rows,
                                sizeof(struct work_run *));
    for (int r = 0; r < search->rows.rows; r++) {
        struct work_schedule *sched;
        struct run run;

        if (!turn_read_run(turn, &search->rows, r, &run))
            continue;
        sched = workset_find(turn, run.schedule);
        if (!sched) {
            sched = workset_schedule(turn, run.schedule);
            sched->state = SCHED_PLAN;
        }
        search->found[r] = workset_put_run(turn, sched, &run);
        search->found[r]->run.input = run.input;
        search->found[r]->run.lacks_input = false;
        if (run.gate != 0)
            workset_gate(turn, run.gate);
    }
}

/* Adds the found runs to the workset, and reads their gates and plans. */
static enum rc read_found(struct turn *turn, struct search *searches, int count,
                          struct err *reterr)
{
    enum rc rc;

    for (int i = 0; i < count; i++)
        read_rows(turn, &searches[i]);
    rc = workset_load_gates(turn, reterr);
    return rc == RC_OK ? workset_load(turn, reterr) : rc;
}

/* False when the gate is full: the run waits for it. */
static bool enter_gate(struct turn *turn, struct work_run *work)
{
    struct work_gate *g;

    if (work->run.gate == 0)
        return true;
    g = workset_gate(turn, work->run.gate);
    must(g->is_held);
    g->is_changed = true;
    if (g->gate.open < g->gate.most) {
        g->gate.open++;
        return true;
    }
    g->gate.waiting++;
    run_set_state(&work->run, RUN_GATED);
    work->is_changed = true;
    return false;
}

/*
 * Claims the fresh runs of a queue that rank before a run that was found.  False when one of
 * them must wait: it is written first, so that no run of worse rank is claimed before it.
 */
static bool claim_better_fresh(struct turn *turn, const struct search *search,
                               const struct work_run *found, int *at)
{
    for (; *at < turn->fresh.count; ++*at) {
        struct work_run *work = turn->fresh.at[*at];

        if (work->run.queue != search->queue || work->run.lane != search->lane ||
            !is_unclaimed(work))
            continue;
        if (by_rank(&work, &found) > 0)
            return true;
        if (!try_claim(turn, work))
            return false;
    }
    return true;
}

/* Claims the found runs.  True when the queue has no more runs that can be claimed now. */
static bool claim_found(struct turn *turn, struct search *search)
{
    bool all = search->rows.rows < search->limit;
    int at = 0;

    for (int r = 0; r < search->rows.rows; r++) {
        struct work_run *work = search->found[r];
        int poll;

        if (!work)
            continue;
        if (!claim_better_fresh(turn, search, work, &at))
            return false;
        poll = search->lane == LANE_PULL ? waiting_workers_next(turn, search->queue) : -1;
        if (search->lane == LANE_PULL ? poll < 0 : turn->capacity[search->lane] <= 0)
            return false;
        if (work->state != WORK_READ || work->run.state != RUN_READY || !work->sched->has_plan)
            continue;
        if (work->run.due > turn->now) {
            all = false; /* the clock was set back: no run starts before it is due */
            continue;
        }
        if (work->run.gate != 0 && !workset_gate(turn, work->run.gate)->is_held)
            continue;
        if (enter_gate(turn, work)) {
            claim_run(turn, work, poll);
            search->claimed++;
        }
        search->processed++;
    }
    return all;
}

/* Reads the limit of the queue; false: this turn may claim none of its runs. */
static bool read_queue_limit(struct turn *turn, struct search *search)
{
    struct queue_row row;

    if (search->queue_row.rows == 0) { /* another node claims from it */
        turn->retry_at = turn->now + QUEUE_RETRY;
        return false;
    }
    queues_read(&search->queue_row, 0, &row);
    search->is_limited = row.most > 0;
    search->room = row.most - db_int_at(&search->claimed_row, 0, 0);
    if (row.is_paused || (search->is_limited && search->room <= 0)) {
        /* The step that makes room adds it again. */
        remove_queue(&turn->memory, LANE_PULL, search->queue);
        return false;
    }
    if (search->is_limited && search->room < search->limit)
        search->limit = (int)search->room;
    must(search->limit > 0);
    return true;
}

/*
 * Locks the rows of queues that may have a limit, then counts their claimed runs: only while
 * this node holds the lock can no other node claim more.  Runs that this turn has released are
 * written already.
 */
static enum rc lock_limited(struct turn *turn, struct search *searches, int *count,
                            struct err *reterr)
{
    int kept = 0;
    bool any = false;
    enum rc rc;

    for (int i = 0; i < *count; i++) {
        struct search *search = &searches[i];

        if (!search->is_limited)
            continue;
        queues_lock(turn->db, search->queue, &search->queue_row);
        runs_count_claimed(turn->db, search->queue, &search->claimed_row);
        any = true;
    }
    rc = any ? db_flush(turn->db, turn->arena, reterr) : RC_OK;
    for (int i = 0; rc == RC_OK && i < *count; i++)
        if (!searches[i].is_limited || read_queue_limit(turn, &searches[i]))
            searches[kept++] = searches[i];
    *count = kept;
    return rc;
}

/* Claims the found runs.  True when the queue need not be searched again for now. */
static bool finish_search(struct turn *turn, struct search *search)
{
    bool all = claim_found(turn, search);

    must(search->claimed <= search->processed && search->processed <= search->rows.rows);
    must(!search->is_limited || search->claimed <= search->room);
    return all || (search->is_limited && search->claimed >= search->room);
}

/* Searches all listed queues once; for_fresh: only those with fresh runs. */
static enum rc search_all(struct turn *turn, bool for_fresh, struct err *reterr)
{
    struct search *searches = arena_array_raw(turn->arena, (size_t)turn->memory.search_count,
                                              sizeof(*searches));
    int count = plan_searches(turn, for_fresh, searches);
    enum rc rc = lock_limited(turn, searches, &count, reterr);

    if (rc != RC_OK || count == 0)
        return rc;
    for (int i = 0; i < count; i++)
        runs_ready(turn->db, searches[i].lane, searches[i].queue, searches[i].limit,
                   &searches[i].rows);
    rc = db_flush(turn->db, turn->arena, reterr);
    if (rc == RC_OK)
        rc = read_found(turn, searches, count, reterr);
    for (int i = 0; rc == RC_OK && i < count; i++) {
        struct search *search = &searches[i];

        if (finish_search(turn, search))
            remove_queue(&turn->memory, search->lane, search->queue);
        else if (search->processed > 0)
            turn->turn_again |= search->lane == LANE_PULL
                                    ? waiting_workers_next(turn, search->queue) >= 0
                                    : turn->capacity[search->lane] > 0;
    }
    return rc;
}

/*
 * Queues that may have older ready runs are searched first, so that older and fresh runs are
 * claimed in order of rank.  Runs that are left are written as ready.
 */
enum rc claim_fresh(struct turn *turn, struct err *reterr)
{
    bool can_claim = !turn->in->hold &&
                     !turn->is_first; /* runs of an earlier boot may be ready */
    bool some_wait = false;
    enum rc rc = RC_OK;

    if (turn->fresh.count > 1)
        qsort(turn->fresh.at, (size_t)turn->fresh.count, sizeof(*turn->fresh.at), by_rank);
    if (can_claim && turn->fresh.count > 0)
        rc = search_all(turn, true, reterr);
    for (int i = 0; i < turn->fresh.count; i++) {
        struct work_run *work = turn->fresh.at[i];
        const struct run *run = &work->run;

        must(work->is_fresh); /* it is in the list once */
        work->is_fresh = false;
        if (!is_unclaimed(work) ||
            (can_claim && !is_listed(&turn->memory, run->lane, run->queue) &&
             try_claim(turn, work)))
            continue;
        claim_add_queue(&turn->memory, run->lane, run->queue);
        turn->made_ready = true;
        some_wait = true;
    }
    due_set_claimed(turn, !some_wait);
    turn->fresh.count = 0;
    return rc;
}

enum rc claim_ready(struct turn *turn, struct err *reterr)
{
    enum rc rc = turn->in->hold ? RC_OK : search_all(turn, false, reterr);

    if (turn->grants.count > 0)
        turn->memory.granted_at = turn->now;
    return rc;
}
