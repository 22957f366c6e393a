/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of dispatches, their reports, and the orderly end of all of them.
 *
 * A timer with no delay delivers the reports, so that no callback runs inside a function that
 * its owner has called.
 */
#include "server/dispatch/dispatch.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"
#include "model/action_json.h"
#include "model/run_json.h"
#include "server/dispatch/dispatch_parts.h"

/*
 * A queued report.  The receiver of `reported` frees the arena, which also holds this struct.
 */
struct dispatch_report_node {
    struct dispatch_report reported;
    struct dispatch_report_node *next;
};

/* ---- the table ---- */

static uint64_t key_of(const struct run_id *run, int64_t fence)
{
    struct digest digest = {0};

    digest_int(&digest, run->schedule);
    digest_int(&digest, run->slot_ms);
    digest_int(&digest, run->pass);
    digest_int(&digest, fence);
    return digest.sum;
}

static struct run_id run_id_of(const struct dispatch_order *order)
{
    const struct run *run = &order->assignment.run;

    return (struct run_id){run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass};
}

/* Returns the pointer to the dispatch, or the place for a new one. */
static struct dispatch **find_link(struct dispatcher *dispatcher, const struct run_id *run,
                                   int64_t fence)
{
    struct dispatch **at = &dispatcher->buckets[key_of(run, fence) % DISPATCH_BUCKETS];

    for (; *at; at = &(*at)->next) {
        struct run_id other = run_id_of((*at)->order);

        if (other.schedule == run->schedule && other.slot_ms == run->slot_ms &&
            other.pass == run->pass && (*at)->order->assignment.run.fence == fence)
            break;
    }
    return at;
}

static struct dispatch **find_link_of_order(struct dispatcher *dispatcher,
                                            const struct dispatch_order *order)
{
    struct run_id run = run_id_of(order);

    return find_link(dispatcher, &run, order->assignment.run.fence);
}

struct run_id dispatch_run_id(const struct dispatch *dispatch)
{
    return run_id_of(dispatch->order);
}

void dispatch_free_place(struct dispatch *dispatch)
{
    dispatch->dispatcher->counts[dispatch->lane] -= dispatch->has_place;
    dispatch->has_place = false;
}

static void remove_dispatch(struct dispatch *dispatch)
{
    struct dispatcher *dispatcher = dispatch->dispatcher;
    struct dispatch **at = find_link_of_order(dispatcher, dispatch->order);

    must(*at == dispatch);
    *at = dispatch->next;
    dispatch_free_place(dispatch);
    dispatcher->followed -= dispatch->is_followed;
    dispatcher->count--;
    arena_free(dispatch->order->arena);
    arena_free(dispatch->arena);
}

/* ---- reports ---- */

/* Queues a report with its own copies of the texts. */
static void queue_report(struct dispatch *dispatch, const struct report *report)
{
    struct dispatcher *dispatcher = dispatch->dispatcher;
    struct arena *arena = arena_new(DISPATCH_ARENA_MAX);
    struct dispatch_report_node *node = arena_take(arena, sizeof *node);
    struct report *copy = &node->reported.report;

    node->reported.arena = arena;
    *copy = *report;
    copy->run = run_id_of(dispatch->order);
    copy->fence = dispatch->order->assignment.run.fence;
    copy->is_followed = dispatch->is_followed;
    copy->error = arena_str(arena, report->error);
    copy->failure = arena_str(arena, report->failure);
    copy->result = arena_str(arena, report->result);
    copy->log = arena_str(arena, report->log);
    copy->progress = arena_str(arena, report->progress);
    *dispatcher->last = node;
    dispatcher->last = &node->next;
    loop_timer_set(dispatcher->timer, 0);
}

static void finish_close(struct dispatcher *dispatcher)
{
    void (*on_closed)(void *arg) = dispatcher->on_closed;
    void *arg = dispatcher->closed_arg;

    loop_timer_free(dispatcher->timer);
    follow_close(dispatcher);
    free(dispatcher);
    on_closed(arg);
}

static void on_timer(void *arg)
{
    struct dispatcher *dispatcher = arg;

    while (dispatcher->first) {
        struct dispatch_report_node *node = dispatcher->first;

        dispatcher->first = node->next;
        if (!dispatcher->first)
            dispatcher->last = &dispatcher->first;
        dispatcher->options.on_report(dispatcher->options.arg, &node->reported);
    }
    if (dispatcher->is_closing && dispatcher->open_pools == 0 && dispatcher->count == 0)
        finish_close(dispatcher);
}

void dispatch_alive(struct dispatch *dispatch, struct str progress, struct str log)
{
    if (!dispatch->is_terminated)
        queue_report(dispatch,
                     &(struct report){.kind = REPORT_ALIVE, .progress = progress, .log = log});
}

static struct str error_json(struct dispatch *dispatch, const struct dispatch_end *end,
                             struct str failure)
{
    json_auto_t *json = json_new_object();
    struct str text = {0};
    struct err err;

    if (!end->code)
        return text;
    json_put(json, "code", json_of_word(end->code));
    json_put(json, "message", json_new_str(end->message));
    json_put(json, "retryable", json_boolean(end->is_retryable));
    if (failure.len > 0)
        json_put(json, "failure", json_new_str(failure));
    must(json_keep(json, SIZE_MAX, dispatch->arena, &text, &err) == RC_OK);
    return text;
}

void dispatch_end_first(struct dispatch *dispatch, const struct dispatch_end *end)
{
    struct report report = {
        .kind = REPORT_DONE,
        .outcome = end->outcome,
        .reason = end->reason,
        .is_retryable = end->is_retryable,
        .retry_after = end->retry_after,
        .error = error_json(dispatch, end, (struct str){0}),
        .result = end->result,
        .log = end->log,
    };

    must(end->result.len <= RESULT_KEPT_MAX);
    if (end->failure.len > 0)
        report.failure = error_json(dispatch, end, end->failure);
    if (end->outcome == OUTCOME_CANCELLED && !dispatch->is_stopped && !end->by_target)
        report.kind = dispatch->is_begun ? REPORT_LOST : REPORT_RELEASE;
    if (!dispatch->is_terminated)
        queue_report(dispatch, &report);
    dispatch->is_terminated = true;
    dispatch_free_place(dispatch);
}

void dispatch_end(struct dispatch *dispatch, const struct dispatch_end *end)
{
    dispatch_end_first(dispatch, end);
    remove_dispatch(dispatch);
}

void dispatch_note(struct dispatch *dispatch, struct str log)
{
    queue_report(dispatch, &(struct report){.kind = REPORT_NOTE,
                                            .attempt = dispatch->order->assignment.run.attempt,
                                            .log = log});
}

void dispatch_release(struct dispatch *dispatch)
{
    if (!dispatch->is_terminated)
        queue_report(dispatch, &(struct report){.kind = REPORT_RELEASE});
    remove_dispatch(dispatch);
}

void dispatch_leave(struct dispatch *dispatch)
{
    remove_dispatch(dispatch);
}

void dispatch_fail(struct dispatch *dispatch, const char *code, const struct err *err)
{
    char text[ERR_FIELD_MAX + ERR_TEXT_MAX + 2]; /* and ": " */
    struct buf message = BUF(text);

    if (err->field[0] != '\0')
        buf_printf(&message, "%s: ", err->field);
    buf_text(&message, err->text);
    dispatch_end(dispatch, &(struct dispatch_end){.outcome = OUTCOME_FAILED,
                                                  .code = code,
                                                  .message = buf_as_str(&message)});
}

/* ---- functions for the kinds ---- */

span dispatch_time_left(const struct dispatch *dispatch)
{
    const struct dispatch_order *order = dispatch->order;
    span left = order->assignment.deadline == INSTANT_NEVER
                    ? INT64_MAX
                    : order->assignment.deadline - order->now;

    return left > 0 ? left : 0;
}

struct payload dispatch_payload(const struct dispatch *dispatch)
{
    const struct dispatch_order *order = dispatch->order;
    const struct assignment *assignment = &order->assignment;

    return (struct payload){
        .run = &assignment->run,
        .id = assignment->id,
        .schedule = assignment->name,
        .namespace = order->namespace_name,
        .input = payload_input(dispatch->action.input, assignment->run.input, dispatch->arena),
        .cron = payload_cron(assignment->action, assignment->cron, dispatch->arena),
        .last_result = assignment->last_result,
        .last_failure = assignment->last_failure,
        .last_run_at = assignment->last_run_at,
    };
}

struct str dispatch_payload_text(const struct dispatch *dispatch, const struct payload *payload)
{
    struct str none = {0};
    struct buf out = arena_buf(dispatch->arena, payload_room(payload, none, none));

    payload_print(payload, &out);
    return buf_whole(&out);
}

const struct dispatch_settings *dispatcher_settings(const struct dispatcher *dispatcher,
                                                    int64_t namespace)
{
    static const struct dispatch_settings none;
    const struct dispatcher_options *options = &dispatcher->options;
    const struct dispatch_settings *settings = options->settings
                                                   ? options->settings(options->arg, namespace)
                                                   : NULL;

    return settings ? settings : &none;
}

const struct dispatch_settings *dispatch_settings(const struct dispatch *dispatch)
{
    return dispatcher_settings(dispatch->dispatcher, dispatch->order->assignment.namespace);
}

struct address_policy dispatch_address_policy(const struct dispatch *dispatch)
{
    return dispatcher_address_policy(dispatch->dispatcher,
                                     dispatch->order->assignment.namespace);
}

struct address_policy dispatcher_address_policy(const struct dispatcher *dispatcher,
                                                int64_t namespace)
{
    const struct dispatcher_options *options = &dispatcher->options;
    const struct address_policy server = {
        .allows_loopback = options->allow_loopback,
        .allows_private = options->allow_private,
        .deny = options->self_nets,
        .deny_count = options->self_net_count,
    };

    return dispatch_settings_policy(dispatcher_settings(dispatcher, namespace), &server);
}

/* ---- starting and stopping ---- */

static const struct dispatch_kind *kind_of_action(enum action_type type)
{
    switch (type) {
    case ACTION_HTTP:
        return &dispatch_http;
    case ACTION_EXEC:
        return &dispatch_exec;
    case ACTION_WORKFLOW:
        return &dispatch_workflow;
    case ACTION_QUEUE:
    case ACTION_COUNT:
        break;
    }
    return NULL;
}

static enum rc read_action(struct dispatch *dispatch, struct err *reterr)
{
    json_auto_t *json = json_of_kept(dispatch->order->assignment.action);

    if (!json)
        return err_set(reterr, RC_CORRUPT, -1, 0, "the stored action is not valid JSON");
    return action_from_json(json, dispatch->arena, true, &dispatch->action, reterr);
}

struct dispatch *dispatch_new(struct dispatcher *dispatcher, struct dispatch_order *order)
{
    struct arena *arena = arena_new(DISPATCH_ARENA_MAX);
    struct dispatch *dispatch = arena_take(arena, sizeof *dispatch);
    struct dispatch **at = find_link_of_order(dispatcher, order);

    must(*at == NULL && order->assignment.run.lane < LANE_COUNT);
    *dispatch = (struct dispatch){.dispatcher = dispatcher,
                                  .order = order,
                                  .arena = arena,
                                  .id = ++dispatcher->last_id,
                                  .lane = (enum lane)order->assignment.run.lane};
    *at = dispatch;
    dispatcher->count++;
    return dispatch;
}

void dispatcher_start(struct dispatcher *dispatcher, struct dispatch_order *order)
{
    struct dispatch *dispatch = dispatch_new(dispatcher, order);
    struct err err;

    dispatch->has_place = true;
    dispatcher->counts[dispatch->lane]++;
    if (dispatcher->is_closing || clock_boot_us() >= order->send_by_us) {
        dispatch_release(dispatch);
        return;
    }
    if (read_action(dispatch, &err) != RC_OK) {
        dispatch_fail(dispatch, "bad_action", &err);
        return;
    }
    dispatch->kind = kind_of_action(dispatch->action.type);
    if (dispatch->kind) {
        dispatch->kind->start(dispatch);
        return;
    }
    err_set(&err, RC_INVALID, -1, 0, "the server cannot carry out actions of type \"%s\"",
            action_type_text(dispatch->action.type));
    dispatch_fail(dispatch, "bad_action", &err);
}

static void kill_dispatch(struct dispatch *dispatch)
{
    if (dispatch->is_killed)
        return;
    dispatch->is_killed = true;
    dispatch->kind->kill(dispatch);
}

void dispatcher_stop(struct dispatcher *dispatcher, const struct stop *stop)
{
    struct dispatch *dispatch = *find_link(dispatcher, &stop->run, stop->fence);
    bool was_stopped;

    if (!dispatch) {
        follow_stop(dispatcher, stop);
        return;
    }
    was_stopped = dispatch->is_stopped;
    dispatch->is_stopped = true;
    dispatch->is_terminated = dispatch->is_terminated || stop->is_terminated;
    if (stop->is_terminated)
        kill_dispatch(dispatch);
    else if (!was_stopped)
        dispatch->kind->stop(dispatch);
}

void dispatcher_abort_all(struct dispatcher *dispatcher)
{
    for (int i = 0; i < DISPATCH_BUCKETS; i++)
        for (struct dispatch *dispatch = dispatcher->buckets[i], *next; dispatch;
             dispatch = next) {
            next = dispatch->next;
            dispatch->is_stopped = dispatch->is_terminated = dispatch->is_aborted = true;
            dispatch->is_killed = false; /* its workflow must not be ended any more */
            kill_dispatch(dispatch);
        }
    follow_drop_all(dispatcher);
}

void dispatcher_drain(struct dispatcher *dispatcher)
{
    dispatcher->is_draining = true;
    for (int i = 0; i < DISPATCH_BUCKETS; i++)
        for (struct dispatch *dispatch = dispatcher->buckets[i], *next; dispatch;
             dispatch = next) {
            next = dispatch->next;
            if (dispatch->kind->drain)
                dispatch->kind->drain(dispatch);
        }
    follow_drain(dispatcher);
}

int dispatcher_count(const struct dispatcher *dispatcher, enum lane lane)
{
    return dispatcher->counts[lane];
}

int dispatcher_followed(const struct dispatcher *dispatcher)
{
    return dispatcher->followed;
}

/* ---- opening and closing ---- */

static struct webhook_pool *open_webhook(struct dispatcher *dispatcher, int all, int per_host,
                                         int32_t answer_max)
{
    const struct dispatcher_options *options = &dispatcher->options;
    struct webhook_limits limits = {
        .all = all,
        .per_host = per_host,
        .waiting = all, /* requests that wait for a busy host */
        .answer_max = answer_max,
        .agent = "belfry",
        .ca_file = options->ca_file,
    };

    dispatcher->open_pools++;
    return webhook_pool_new(loop_uv(options->loop), &limits);
}

enum rc dispatcher_open(const struct dispatcher_options *options, struct dispatcher **ret,
                        struct err *reterr)
{
    struct dispatcher *dispatcher = calloc(1, sizeof *dispatcher);
    enum rc rc;

    must(dispatcher != NULL);
    dispatcher->options = *options;
    dispatcher->last = &dispatcher->first;
    if (options->exec > 0) {
        rc = exec_pool_open(loop_uv(options->loop), options->exec, &dispatcher->exec, reterr);
        if (rc != RC_OK) {
            free(dispatcher);
            return rc;
        }
        dispatcher->open_pools++;
    }
    dispatcher->http = open_webhook(dispatcher, options->http, options->http_per_host, 0);
    dispatcher->upstream = open_webhook(dispatcher, options->http, options->http_per_host, 0);
    dispatcher->follow = open_webhook(dispatcher, DISPATCH_FOLLOW_CALLS, DISPATCH_FOLLOW_CALLS,
                                      DISPATCH_FOLLOW_MAX);
    follow_open(dispatcher);
    dispatcher->timer = loop_timer_new(options->loop, on_timer, dispatcher);
    *ret = dispatcher;
    return RC_OK;
}

static void on_pool_closed(void *arg)
{
    struct dispatcher *dispatcher = arg;

    dispatcher->open_pools--;
    loop_timer_set(dispatcher->timer, 0);
}

void dispatcher_close(struct dispatcher *dispatcher, void (*on_closed)(void *arg), void *arg)
{
    must(!dispatcher->is_closing);
    dispatcher->is_closing = true;
    dispatcher->on_closed = on_closed;
    dispatcher->closed_arg = arg;
    for (int i = 0; i < DISPATCH_BUCKETS; i++)
        for (struct dispatch *dispatch = dispatcher->buckets[i], *next; dispatch;
             dispatch = next) {
            next = dispatch->next;
            kill_dispatch(dispatch);
        }
    follow_drop_all(dispatcher);
    webhook_pool_close(dispatcher->http, on_pool_closed, dispatcher);
    webhook_pool_close(dispatcher->upstream, on_pool_closed, dispatcher);
    webhook_pool_close(dispatcher->follow, on_pool_closed, dispatcher);
    if (dispatcher->exec)
        exec_pool_close(dispatcher->exec, on_pool_closed, dispatcher);
}
