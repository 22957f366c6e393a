/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of errands, what is told of them, and the end of all.
 *
 * Reports go out from a timer that runs out at once, so that nobody is called from within a
 * function that they called.
 */
#include "server/dispatch/dispatch.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"
#include "model/action_json.h"
#include "model/run_json.h"
#include "server/dispatch/dispatch_parts.h"

/* A report on its way out; its owner gets the told, whose arena holds this too. */
struct parcel {
    struct told told;
    struct parcel *next;
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

static struct run_id run_id_of(const struct task *task)
{
    const struct run *run = &task->work.run;

    return (struct run_id){run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass};
}

/* Where the pointer to the errand stands, or would. */
static struct errand **place_of(struct calls *calls, const struct run_id *run, int64_t fence)
{
    struct errand **at = &calls->buckets[key_of(run, fence) % CALLS_BUCKETS];

    for (; *at; at = &(*at)->next) {
        struct run_id other = run_id_of((*at)->task);

        if (other.schedule == run->schedule && other.slot_ms == run->slot_ms &&
            other.pass == run->pass && (*at)->task->work.run.fence == fence)
            break;
    }
    return at;
}

static struct errand **place_of_task(struct calls *calls, const struct task *task)
{
    struct run_id run = run_id_of(task);

    return place_of(calls, &run, task->work.run.fence);
}

static void remove_errand(struct errand *errand)
{
    struct calls *calls = errand->calls;
    struct errand **at = place_of_task(calls, errand->task);

    must(*at == errand);
    *at = errand->next;
    calls->counts[errand->lane]--;
    calls->count--;
    arena_free(errand->task->arena);
    arena_free(errand->arena);
}

/* ---- telling ---- */

/* A report on its way with texts of its own. */
static void tell(struct errand *errand, const struct report *report)
{
    struct calls *calls = errand->calls;
    struct arena *arena = arena_new(ERRAND_ARENA_MAX);
    struct parcel *parcel = arena_take(arena, sizeof *parcel);
    struct report *own = &parcel->told.report;

    parcel->told.arena = arena;
    *own = *report;
    own->run = run_id_of(errand->task);
    own->fence = errand->task->work.run.fence;
    own->error = arena_str(arena, report->error);
    own->result = arena_str(arena, report->result);
    own->log = arena_str(arena, report->log);
    own->progress = arena_str(arena, report->progress);
    *calls->last = parcel;
    calls->last = &parcel->next;
    loop_timer_set(calls->timer, 0);
}

static void end_of_calls(struct calls *calls)
{
    void (*on_closed)(void *with) = calls->on_closed;
    void *with = calls->closed_with;

    loop_timer_free(calls->timer);
    free(calls);
    on_closed(with);
}

static void on_time(void *with)
{
    struct calls *calls = with;

    while (calls->first) {
        struct parcel *parcel = calls->first;

        calls->first = parcel->next;
        if (!calls->first)
            calls->last = &calls->first;
        calls->options.on_told(calls->options.with, &parcel->told);
    }
    if (calls->is_closing && calls->open_pools == 0 && calls->count == 0)
        end_of_calls(calls);
}

void errand_alive(struct errand *errand, struct str progress, struct str log)
{
    if (!errand->is_terminated)
        tell(errand, &(struct report){.kind = REPORT_ALIVE, .progress = progress, .log = log});
}

static struct str error_json(struct errand *errand, const struct errand_end *end)
{
    json_auto_t *json = json_new_object();
    struct str text = {0};
    struct err err;

    if (!end->code)
        return text;
    json_put(json, "code", json_of_word(end->code));
    json_put(json, "message", json_new_str(end->message));
    json_put(json, "retryable", json_boolean(end->is_retryable));
    must(json_keep(json, SIZE_MAX, errand->arena, &text, &err) == RC_OK);
    return text;
}

void errand_end(struct errand *errand, const struct errand_end *end)
{
    struct report report = {
        .kind = REPORT_DONE,
        .outcome = end->outcome,
        .reason = end->reason,
        .is_retryable = end->is_retryable,
        .retry_after = end->retry_after,
        .error = error_json(errand, end),
        .result = end->result,
        .log = end->log,
    };

    must(end->result.len <= RESULT_KEPT_MAX);
    if (end->outcome == OUTCOME_CANCELLED && !errand->is_stopped && !end->is_own)
        report.kind = errand->is_begun ? REPORT_LOST : REPORT_RELEASE;
    if (!errand->is_terminated)
        tell(errand, &report);
    remove_errand(errand);
}

void errand_release(struct errand *errand)
{
    if (!errand->is_terminated)
        tell(errand, &(struct report){.kind = REPORT_RELEASE});
    remove_errand(errand);
}

void errand_refuse(struct errand *errand, const char *code, const struct err *err)
{
    char text[ERR_FIELD_MAX + ERR_TEXT_MAX + 2]; /* and ": " */
    struct buf message = BUF(text);

    if (err->field[0] != '\0')
        buf_printf(&message, "%s: ", err->field);
    buf_text(&message, err->text);
    errand_end(errand, &(struct errand_end){.outcome = OUTCOME_FAILED,
                                            .code = code,
                                            .message = buf_as_str(&message)});
}

/* ---- what the kinds ask ---- */

span errand_left(const struct errand *errand)
{
    const struct task *task = errand->task;
    span left = task->work.deadline == INSTANT_NEVER ? INT64_MAX
                                                     : task->work.deadline - task->now;

    return left > 0 ? left : 0;
}

struct payload errand_payload(const struct errand *errand)
{
    const struct task *task = errand->task;
    const struct work *work = &task->work;

    return (struct payload){
        .run = &work->run,
        .id = work->id,
        .schedule = work->name,
        .namespace = task->namespace_name,
        .input = payload_input(errand->action.input, work->run.input, errand->arena),
        .cron = payload_cron(work->action, work->cron, errand->arena),
        .last_result = work->last_result,
        .last_failure = work->last_failure,
        .last_run_at = work->last_run_at,
    };
}

struct str errand_payload_text(const struct errand *errand, const struct payload *payload)
{
    struct str none = {0};
    struct buf out = {.cap = payload_room(payload, none, none)};

    out.ptr = arena_take(errand->arena, out.cap);
    payload_print(payload, &out);
    must(!out.cut);
    return buf_as_str(&out);
}

const struct settings *errand_settings(const struct errand *errand)
{
    static const struct settings none;
    const struct calls_options *options = &errand->calls->options;
    const struct settings *settings = options->settings
                                          ? options->settings(options->with,
                                                              errand->task->work.namespace)
                                          : NULL;

    return settings ? settings : &none;
}

struct guard_policy errand_guard(const struct errand *errand)
{
    const struct calls_options *options = &errand->calls->options;
    const struct settings *settings = errand_settings(errand);

    return (struct guard_policy){
        .allows_loopback = options->allow_loopback,
        .allows_private = settings->has_allows_private ? settings->allows_private
                                                       : options->allow_private,
        .allow = settings->nets,
        .allow_count = settings->net_count,
        .deny = options->own,
        .deny_count = options->own_count,
    };
}

/* ---- starting and stopping ---- */

static const struct errand_kind *kind_of(enum action_type type)
{
    switch (type) {
    case ACTION_HTTP:
        return &errand_http;
    case ACTION_EXEC:
        return &errand_exec;
    case ACTION_WORKFLOW:
        return &errand_flow;
    case ACTION_QUEUE:
    case ACTION_COUNT:
        break;
    }
    return NULL;
}

static enum rc read_action(struct errand *errand, struct err *reterr)
{
    json_auto_t *json = json_of_kept(errand->task->work.action);

    if (!json)
        return err_set(reterr, RC_CORRUPT, -1, 0, "the action that was kept is not JSON");
    return action_from_json(json, errand->arena, true, &errand->action, reterr);
}

void calls_start(struct calls *calls, struct task *task)
{
    struct arena *arena = arena_new(ERRAND_ARENA_MAX);
    struct errand *errand = arena_take(arena, sizeof *errand);
    struct errand **at = place_of_task(calls, task);
    struct err err;

    must(*at == NULL && task->work.run.lane < LANE_COUNT);
    *errand = (struct errand){.calls = calls,
                              .task = task,
                              .arena = arena,
                              .id = ++calls->last_id,
                              .lane = (enum lane)task->work.run.lane};
    *at = errand;
    calls->counts[errand->lane]++;
    calls->count++;
    if (calls->is_closing || clock_boot_us() >= task->send_by_us) {
        errand_release(errand);
        return;
    }
    if (read_action(errand, &err) != RC_OK) {
        errand_refuse(errand, "bad_action", &err);
        return;
    }
    errand->kind = kind_of(errand->action.type);
    if (errand->kind) {
        errand->kind->start(errand);
        return;
    }
    err_set(&err, RC_INVALID, -1, 0, "actions of type `%s` are not carried out by the server",
            action_type_text(errand->action.type));
    errand_refuse(errand, "bad_action", &err);
}

static void kill_errand(struct errand *errand)
{
    if (errand->is_killed)
        return;
    errand->is_killed = true;
    errand->kind->kill(errand);
}

void calls_stop(struct calls *calls, const struct stop *stop)
{
    struct errand *errand = *place_of(calls, &stop->run, stop->fence);
    bool was_stopped;

    if (!errand)
        return;
    was_stopped = errand->is_stopped;
    errand->is_stopped = true;
    errand->is_terminated = errand->is_terminated || stop->is_terminated;
    if (stop->is_terminated)
        kill_errand(errand);
    else if (!was_stopped)
        errand->kind->stop(errand);
}

void calls_forget(struct calls *calls)
{
    for (int i = 0; i < CALLS_BUCKETS; i++)
        for (struct errand *e = calls->buckets[i], *next; e; e = next) {
            next = e->next;
            e->is_stopped = e->is_terminated = true;
            kill_errand(e);
        }
}

int calls_count(const struct calls *calls, enum lane lane)
{
    return calls->counts[lane];
}

/* ---- opening and closing ---- */

static struct webhook_pool *open_webhook(struct calls *calls, int per_host, int32_t answer_max)
{
    const struct calls_options *options = &calls->options;
    struct webhook_limits limits = {
        .all = options->http,
        .per_host = per_host,
        .waiting = options->http, /* those whose host is busy; there are never more */
        .answer_max = answer_max,
        .agent = "belfry",
        .ca_file = options->ca_file,
    };

    calls->open_pools++;
    return webhook_pool_new(loop_uv(options->loop), &limits);
}

enum rc calls_open(const struct calls_options *options, struct calls **ret, struct err *reterr)
{
    struct calls *calls = calloc(1, sizeof *calls);
    enum rc rc;

    must(calls != NULL);
    calls->options = *options;
    calls->last = &calls->first;
    if (options->exec > 0) {
        rc = exec_pool_open(loop_uv(options->loop), options->exec, &calls->exec, reterr);
        if (rc != RC_OK) {
            free(calls);
            return rc;
        }
        calls->open_pools++;
    }
    calls->http = open_webhook(calls, options->http_per_host, 0);
    calls->upstream = open_webhook(calls, options->http_per_host, 0);
    calls->follow = open_webhook(calls, options->http, CALLS_FOLLOW_MAX);
    calls->timer = loop_timer_new(options->loop, on_time, calls);
    *ret = calls;
    return RC_OK;
}

static void on_pool_closed(void *with)
{
    struct calls *calls = with;

    calls->open_pools--;
    loop_timer_set(calls->timer, 0);
}

void calls_close(struct calls *calls, void (*on_closed)(void *with), void *with)
{
    must(!calls->is_closing);
    calls->is_closing = true;
    calls->on_closed = on_closed;
    calls->closed_with = with;
    for (int i = 0; i < CALLS_BUCKETS; i++)
        for (struct errand *errand = calls->buckets[i], *next; errand; errand = next) {
            next = errand->next;
            kill_errand(errand);
        }
    webhook_pool_close(calls->http, on_pool_closed, calls);
    webhook_pool_close(calls->upstream, on_pool_closed, calls);
    webhook_pool_close(calls->follow, on_pool_closed, calls);
    if (calls->exec)
        exec_pool_close(calls->exec, on_pool_closed, calls);
}
