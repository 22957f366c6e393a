/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes orders from the writer to the dispatcher, and reports back to the writer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "model/run_json.h"
#include "server/frontend/frontend_parts.h"

enum { DELAYED_MAX = 65536 }; /* heartbeats that found no room; more are dropped */

void frontend_send_delayed(struct frontend *frontend)
{
    size_t n = 0;

    if (frontend->delayed_count == 0)
        return;
    while (n < frontend->delayed_count &&
           mailbox_room(frontend->options.to_writer) > WRITER_MSGS_RESERVED) {
        frontend_post(frontend, &(struct writer_msg){.kind = WRITER_MSG_REPORT,
                                                     .reported = frontend->delayed[n]});
        n++;
    }
    if (n == 0)
        return;
    frontend->delayed_count -= n;
    memmove(frontend->delayed, frontend->delayed + n,
            frontend->delayed_count * sizeof *frontend->delayed);
}

/*
 * Publishes the number of finished dispatches, which frees capacity.  The caller wakes the
 * writer if no other message does.
 */
bool frontend_count_finished(struct frontend *frontend)
{
    bool has_changed = false;

    if (!frontend->dispatcher)
        return false;
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        int64_t finished = frontend->received[lane] -
                           dispatcher_count(frontend->dispatcher, lane);

        has_changed |= finished != atomic_exchange(&frontend->options.finished[lane], finished);
    }
    return has_changed;
}

/* Stores the result in the format of a worker's result, which may have more members. */
static void keep_result(struct dispatch_report *reported)
{
    struct run_result result = {.result = reported->report.result};

    if (result.result.len > 0)
        reported->report.result = run_result_keep(&result, reported->arena);
}

void frontend_on_report(void *arg, struct dispatch_report *reported)
{
    struct frontend *frontend = arg;
    bool can_wait = reported->report.kind == REPORT_ALIVE;

    keep_result(reported);
    frontend_test_point(frontend, SERVE_BEFORE_REPORT);
    frontend_count_finished(frontend);
    if (!can_wait || (frontend->delayed_count == 0 &&
                      mailbox_room(frontend->options.to_writer) > WRITER_MSGS_RESERVED)) {
        frontend_post(frontend,
                      &(struct writer_msg){.kind = WRITER_MSG_REPORT, .reported = reported});
        return;
    }
    if (frontend->delayed_count == DELAYED_MAX) {
        arena_free(reported->arena);
        return;
    }
    if (frontend->delayed_count == frontend->delayed_cap) {
        frontend->delayed_cap = frontend->delayed_cap == 0 ? 64 : frontend->delayed_cap * 2;
        frontend->delayed = realloc(frontend->delayed,
                                    frontend->delayed_cap * sizeof *frontend->delayed);
        must(frontend->delayed);
    }
    frontend->delayed[frontend->delayed_count++] = reported;
}

const struct dispatch_settings *frontend_settings(void *arg, int64_t namespace)
{
    const struct frontend *frontend = arg;
    const struct namespace_entry *entry = namespace_cache_at(frontend->namespaces, namespace);

    return entry ? &entry->settings : NULL;
}

/* Returns an order that arrived after the dispatcher was closed. */
static void release_order(struct frontend *frontend, struct dispatch_order *order)
{
    const struct run *run = &order->assignment.run;
    struct dispatch_report *reported = arena_take(order->arena, sizeof *reported);

    *reported = (struct dispatch_report){
        .arena = order->arena,
        .report = {.kind = REPORT_RELEASE,
                   .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
                   .fence = run->fence},
    };
    frontend_post(frontend,
                  &(struct writer_msg){.kind = WRITER_MSG_REPORT, .reported = reported});
}

void frontend_start_dispatch(struct frontend *frontend, struct dispatch_order *order)
{
    const struct namespace_entry *entry = namespace_cache_at(frontend->namespaces,
                                                             order->assignment.namespace);

    if (!frontend->dispatcher) {
        release_order(frontend, order);
        return;
    }
    frontend_test_point(frontend, SERVE_BEFORE_DISPATCH);
    order->assignment.last_result = run_result_value(order->assignment.last_result,
                                                     order->arena);
    order->namespace_name = entry ? arena_str(order->arena, entry->name) : STR("");
    frontend->received[order->assignment.run.lane]++;
    dispatcher_start(frontend->dispatcher, order);
    frontend_test_point(frontend, SERVE_AFTER_DISPATCH);
}
