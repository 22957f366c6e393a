/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates the counters after a turn (writer thread) and after a request (io thread).
 */
#include "server/counters.h"

#include "api/call/operation.h"
#include "base/must.h"

static void observe(struct counter_histogram *h, span length)
{
    length = length > 0 ? length : 0; /* negative after a clock step */
    counter_add(&h->counts[prometheus_bucket(length)], 1);
    counter_add(&h->sum, length);
}

/*
 * Clears the key first and sets it last, so that a reader never assigns the lateness of one
 * schedule to another.
 */
static void put_late(struct counter_late *at, int64_t schedule, span late, instant now)
{
    atomic_store_explicit(&at->schedule, 0, memory_order_release);
    atomic_store_explicit(&at->late, late, memory_order_release);
    atomic_store_explicit(&at->noted_at, now, memory_order_release);
    atomic_store_explicit(&at->schedule, schedule, memory_order_release);
}

/* Replaces the entry of the same schedule, an expired entry, or the least late one. */
static void note_late(struct counters *m, int64_t schedule, span late, instant now)
{
    struct counter_late *least = &m->latest[0];

    for (int i = 0; i < CONTEXT_LATEST_MAX; i++) {
        struct counter_late *at = &m->latest[i];
        bool is_old = counter_read(&at->schedule) == 0 ||
                      now - counter_read(&at->noted_at) > COUNTER_LATE_AGE;

        if (counter_read(&at->schedule) == schedule) {
            if (is_old || late >= counter_read(&at->late))
                put_late(at, schedule, late, now);
            return;
        }
        if (is_old && counter_read(&at->late) >= 0)
            counter_set(&at->late, -1);
        if (counter_read(&at->late) < counter_read(&least->late))
            least = at;
    }
    if (late > counter_read(&least->late))
        put_late(least, schedule, late, now);
}

static void count_start(struct counters *m, const struct assignment *assignment, instant now)
{
    const struct run *run = &assignment->run;
    span late = now - run->due;

    if (run->attempt != 1)
        return;
    observe(&m->lateness, late);
    observe(&m->wait, now - (run->created_at > run->due ? run->created_at : run->due));
    if (late > COUNTER_LATE_FROM && assignment->name.len > 0)
        note_late(m, run->schedule, late, now);
}

static void count_end(struct counters *m, const struct ended *ended)
{
    must(ended->lane < LANE_COUNT && (int)ended->outcome < COUNTER_OUTCOMES);
    if (ended->is_last)
        counter_add(&m->runs[ended->lane][ended->outcome], 1);
    if (ended->took < 0)
        return;
    counter_add(&m->attempts[ended->lane][ended->outcome], 1);
    observe(&m->duration[ended->lane], ended->took);
}

static void count_event(struct counters *m, const struct event *event)
{
    int64_t outcome = event->detail / 256, reason = event->detail % 256;

    switch ((enum event_type)event->type) {
    case EVENT_SLOT_SKIPPED:
    case EVENT_SLOT_MISSED:
    case EVENT_SLOT_DROPPED:
    case EVENT_SLOT_CANCELLED:
        must(outcome < COUNTER_OUTCOMES && reason < COUNTER_REASONS);
        counter_add(&m->slots[outcome][reason], event->count);
        break;
    case EVENT_RUN_RETRYING:
        counter_add(&m->retries, 1);
        break;
    case EVENT_RUN_LATE:
        counter_add(&m->late, 1);
        break;
    case EVENT_SCHEDULE_QUARANTINED:
        counter_add(&m->quarantines, 1);
        break;
    case EVENT_LEASE_EXPIRED: /* detail 0: of a worker; otherwise of a dead node */
        counter_add(event->detail == 0 ? &m->expiries : &m->taken_back, 1);
        break;
    case EVENT_LEASE_STALE:
        counter_add(&m->stale_reports, 1);
        break;
    default:
        break;
    }
}

void counters_turn(struct counters *m, const struct counter_turn *turn)
{
    const struct turn_out *out = turn->out;

    observe(&m->turn, turn->took);
    observe(&m->commit, turn->commit);
    counter_set(&m->polls, turn->polls);
    for (int i = 0; i < RUN_KINDS; i++)
        counter_add(&m->started[i], out->started[i]);
    for (int i = 0; i < out->dispatch_count; i++)
        count_start(m, &out->dispatches[i], turn->now);
    for (int i = 0; i < out->grant_count; i++)
        count_start(m, &out->grants[i], turn->now);
    for (int i = 0; i < out->ended_count; i++)
        count_end(m, &out->ended[i]);
    for (int i = 0; i < out->event_count; i++)
        count_event(m, &out->events[i]);
}

/* Its place in the table; after it: unknown requests, and those for upstreams of each type. */
static int index_of(const struct operation *operation)
{
    int forwarded = operation_count + COUNTER_TEMPORAL;
    uintptr_t first = (uintptr_t)operations, at = (uintptr_t)operation;

    if (!operation)
        return operation_count;
    if (operation->is_forwarded && operation->dialect == DIALECTS_CONDUCTOR)
        forwarded = operation_count + COUNTER_CONDUCTOR;
    return at >= first && at < first + (size_t)operation_count * sizeof operations[0]
               ? (int)(operation - operations)
               : forwarded;
}

static void count_request(struct counters *m, int operation, int status)
{
    int digit = status / 100;

    must(operation_count + COUNTER_CONDUCTOR < COUNTER_OPERATIONS_MAX && digit > 0 &&
         digit < COUNTER_CLASSES);
    counter_add(&m->requests[operation][digit], 1);
}

void counters_forwarded(struct counters *m, const struct operation *operation, int status)
{
    count_request(m, index_of(operation), status);
}

void counters_request(struct counters *m, const struct call *call, int status)
{
    count_request(m, index_of(call->operation), status);
    if (call->denied > 0 && (int)call->denied < COUNTER_DENIALS)
        counter_add(&m->denied[call->denied], 1);
    if (status == 429)
        counter_add(&m->limited, 1);
}
