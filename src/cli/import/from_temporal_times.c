/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of Temporal's schedules: the next ones on both servers, and the last slot that the
 * source keeps.
 */
#include "cli/import/from_temporal.h"
#include "io/clock.h"
#include "model/temporal_codec.h"

/* Each window is searched only if those before it have too few times. */
static const span windows[] = {10 * SPAN_MIN, SPAN_DAY, 30 * SPAN_DAY, 366 * SPAN_DAY,
                               10 * 366 * SPAN_DAY};

enum { WINDOWS = sizeof windows / sizeof windows[0] };

/* Servers stop after 1,000 times, so the evidence around a bound is limited to this. */
#define AFTER_BOUND (15 * SPAN_MIN)

static ProtobufCMessage *times_request(struct move *move, const struct moved *one,
                                       char *namespace, instant from, instant to)
{
    Temporal__ListScheduleMatchingTimesRequest *request = arena_take(move->arena,
                                                                     sizeof *request);

    *request = (Temporal__ListScheduleMatchingTimesRequest)
        TEMPORAL__LIST_SCHEDULE_MATCHING_TIMES_REQUEST__INIT;
    request->namespace_ = namespace;
    request->schedule_id = rpc_text(move, one->id);
    request->start_time = temporal_timestamp(from, move->arena);
    request->end_time = temporal_timestamp(to, move->arena);
    return &request->base;
}

static void add_times(struct move_times *times, instant after,
                      const Temporal__ListScheduleMatchingTimesResponse *answer)
{
    for (size_t i = 0; i < answer->n_start_time && times->count < HANDOVER_TIMES; i++) {
        instant t = temporal_instant(answer->start_time[i]);

        if (t > after && (times->count == 0 || t > times->at[times->count - 1]))
            times->at[times->count++] = t;
    }
    times->is_known = true;
}

/* The times of one window on one side. */
static void read_window(struct move *move, struct moved *list, int count, bool is_there,
                        int window)
{
    struct from_temporal *f = move->state;
    struct rpc_set set = rpc_set_new(move, count);
    instant from = window == 0 ? move->now : move->now + windows[window - 1];

    for (int i = 0; i < count; i++) {
        struct move_times *times = is_there ? &list[i].times_there : &list[i].times_here;

        if (!list[i].document || times->count == HANDOVER_TIMES ||
            (list[i].is_done && list[i].here == HERE_ABSENT) ||
            (!is_there && list[i].here == HERE_ABSENT))
            continue;
        rpc_set_add(&set, &list[i], "ListScheduleMatchingTimes",
                    times_request(move, &list[i],
                                  is_there ? f->namespace_there : f->namespace_here, from,
                                  move->now + windows[window]),
                    &temporal__list_schedule_matching_times_response__descriptor);
    }
    rpc_set_run(move, is_there ? &f->there : &f->here, &set);
    for (int i = 0; i < set.count; i++)
        if (set.calls[i].answer)
            add_times(is_there ? &set.owners[i]->times_there : &set.owners[i]->times_here,
                      move->now, set.calls[i].answer);
}

void from_temporal_read_times(struct move *move, struct moved *list, int count)
{
    for (int window = 0; window < WINDOWS; window++) {
        read_window(move, list, count, true, window);
        read_window(move, list, count, false, window);
    }
}

/* ---- the last slot of the source ---- */

/* Jitter never delays a slot to the next one, so a large jitter acts like a smaller one. */
static span jitter_of(const struct moved *one)
{
    const struct move_times *times = &one->times_there;
    span widest = 0;

    for (int i = 1; i < times->count; i++)
        if (times->at[i] - times->at[i - 1] > widest)
            widest = times->at[i] - times->at[i - 1];
    return times->is_cut && 2 * widest < one->jitter ? 2 * widest : one->jitter;
}

static void set_last(struct move *move, struct moved *one,
                     const Temporal__ListScheduleMatchingTimesResponse *answer)
{
    const Temporal__DescribeScheduleResponse *d = one->document;
    size_t n = d->info->n_recent_actions;
    instant *started = arena_array(move->arena, n + 1, sizeof *started);
    instant *times = arena_array(move->arena, answer->n_start_time + 1, sizeof *times);
    struct handover_evidence evidence = {.bound = one->bound,
                                         .jitter = jitter_of(one),
                                         .started = started,
                                         .times = times,
                                         .time_count = (int)answer->n_start_time};

    for (size_t i = 0; i < n; i++)
        if (d->info->recent_actions[i]->schedule_time)
            started[evidence.started_count++] = temporal_instant(
                d->info->recent_actions[i]->schedule_time);
    for (size_t i = 0; i < answer->n_start_time; i++)
        times[i] = temporal_instant(answer->start_time[i]);
    one->last = handover_last(&evidence);
}

void from_temporal_read_last(struct move *move, struct moved *list, int count)
{
    struct from_temporal *f = move->state;
    struct rpc_set set = rpc_set_new(move, count);

    for (int i = 0; i < count; i++) {
        struct moved *one = &list[i];

        if (!one->is_done && one->is_left)
            rpc_set_add(&set, one, "ListScheduleMatchingTimes",
                        times_request(move, one, f->namespace_there,
                                      one->bound - 2 * jitter_of(one) - SPAN_MIN,
                                      one->bound + jitter_of(one) + AFTER_BOUND),
                        &temporal__list_schedule_matching_times_response__descriptor);
    }
    rpc_set_run(move, &f->there, &set);
    for (int i = 0; i < set.count; i++)
        if (!set.owners[i]->is_done)
            set_last(move, set.owners[i], set.calls[i].answer);
}
