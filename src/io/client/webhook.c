/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: libcurl's sockets and timer on the loop, the queue of waiting calls, and the
 * delivery of results.
 *
 * Ended calls stay in a list until control is back in the loop; callbacks are called only
 * there.  So a callback may start and cancel calls.
 */
#include "io/client/webhook.h"

#include <signal.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "io/client/webhook_parts.h"
#include "io/clock.h"

/* A socket that libcurl watches. */
struct watch {
    uv_poll_t poll;
    struct webhook_pool *pool;
    curl_socket_t socket;
    int events;
    bool is_closing;
};

struct webhook_pool {
    uv_loop_t *loop;
    struct webhook_limits limits;
    CURLM *multi;
    uv_timer_t timer;  /* libcurl's */
    uv_timer_t wakeup; /* expires at once: to start calls or deliver results */
    struct fair_queue *queue;
    struct map *places;          /* id to place */
    struct webhook_call **calls; /* current calls, by place */
    int32_t call_count, call_room;
    struct webhook_call *ended, *ended_last, *spare;
    int open_handles; /* of the loop */
    bool is_closing;
    void (*closed)(void *arg);
    void *closed_arg;
};

/* ---- the loop ---- */

static void free_pool(struct webhook_pool *pool)
{
    while (pool->spare) {
        struct webhook_call *call = pool->spare;

        pool->spare = call->next;
        webhook_call_free(call);
    }
    fair_queue_free(pool->queue);
    map_free(pool->places);
    free(pool->calls);
    curl_global_cleanup();
    pool->closed(pool->closed_arg);
    free(pool);
}

static void count_closed(struct webhook_pool *pool)
{
    if (--pool->open_handles == 0)
        free_pool(pool);
}

static void on_watch_closed(uv_handle_t *handle)
{
    struct watch *watch = handle->data;
    struct webhook_pool *pool = watch->pool;

    free(watch);
    count_closed(pool);
}

static void on_timer_closed(uv_handle_t *handle)
{
    count_closed(handle->data);
}

static void on_call_closed(uv_handle_t *handle)
{
    struct webhook_call *call = handle->data;

    count_closed(call->pool);
}

static void after_curl(struct webhook_pool *pool);

static void on_socket_event(uv_poll_t *poll, int status, int events)
{
    struct watch *watch = poll->data;
    struct webhook_pool *pool = watch->pool;
    int running, bits = 0;

    /*
     * On an error libuv stops watching and reports nothing more: libcurl checks the socket
     * itself, since there may be bytes to read before the error.
     */
    if (status == 0)
        bits = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
               (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
    must(curl_multi_socket_action(pool->multi, watch->socket, bits, &running) == CURLM_OK);
    if (status != 0 && !watch->is_closing)
        must(uv_poll_start(poll, watch->events, on_socket_event) == 0);
    after_curl(pool);
}

static struct watch *watch_new(struct webhook_pool *pool, curl_socket_t socket)
{
    struct watch *watch = calloc(1, sizeof *watch);

    must(watch != NULL);
    watch->pool = pool;
    watch->socket = socket;
    watch->poll.data = watch;
    must(uv_poll_init_socket(pool->loop, &watch->poll, socket) == 0);
    must(curl_multi_assign(pool->multi, socket, watch) == CURLM_OK);
    pool->open_handles++;
    return watch;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *arg, void *assigned)
{
    struct webhook_pool *pool = arg;
    struct watch *watch = assigned;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (!watch)
            return 0;
        watch->is_closing = true;
        uv_close((uv_handle_t *)&watch->poll, on_watch_closed);
        must(curl_multi_assign(pool->multi, socket, NULL) == CURLM_OK);
        return 0;
    }
    if (!watch)
        watch = watch_new(pool, socket);
    watch->events = (what & CURL_POLL_IN ? UV_READABLE : 0) |
                    (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    must(uv_poll_start(&watch->poll, watch->events, on_socket_event) == 0);
    return 0;
}

static void on_curl_time(uv_timer_t *timer)
{
    struct webhook_pool *pool = timer->data;
    int running;

    must(curl_multi_socket_action(pool->multi, CURL_SOCKET_TIMEOUT, 0, &running) == CURLM_OK);
    after_curl(pool);
}

static int on_timeout_change(CURLM *multi, long ms, void *arg)
{
    struct webhook_pool *pool = arg;

    (void)multi;
    if (ms < 0)
        must(uv_timer_stop(&pool->timer) == 0);
    else
        must(uv_timer_start(&pool->timer, on_curl_time, (uint64_t)ms, 0) == 0);
    return 0;
}

/* ---- calls ---- */

static struct webhook_call *get_spare(struct webhook_pool *pool)
{
    struct webhook_call *call = pool->spare;

    if (call) {
        pool->spare = call->next;
        return call;
    }
    call = webhook_call_new(pool);
    must(uv_timer_init(pool->loop, &call->timer) == 0);
    call->timer.data = call;
    pool->open_handles++;
    return call;
}

static void list_call(struct webhook_pool *pool, struct webhook_call *call)
{
    if (pool->call_count == pool->call_room) {
        pool->call_room = pool->call_room ? pool->call_room * 2 : 16;
        pool->calls = reallocarray(pool->calls, (size_t)pool->call_room, sizeof *pool->calls);
        must(pool->calls != NULL);
    }
    call->place = pool->call_count++;
    pool->calls[call->place] = call;
    map_put(pool->places, call->request.id, call->place);
}

/* The last call takes its place. */
static void unlist_call(struct webhook_pool *pool, struct webhook_call *call)
{
    struct webhook_call *last = pool->calls[--pool->call_count];

    map_remove(pool->places, call->request.id);
    if (last == call)
        return;
    last->place = call->place;
    pool->calls[last->place] = last;
    map_put(pool->places, last->request.id, last->place);
}

/*
 * The result is complete; it is delivered in the next round.  libcurl no longer has the handle.
 */
static void end_call(struct webhook_pool *pool, struct webhook_call *call)
{
    webhook_call_fill_result(call);
    must(uv_timer_stop(&call->timer) == 0);
    fair_queue_remove(pool->queue, &call->item);
    unlist_call(pool, call);
    call->next = NULL;
    *(pool->ended ? &pool->ended_last->next : &pool->ended) = call;
    pool->ended_last = call;
}

static void remove_from_curl(struct webhook_pool *pool, struct webhook_call *call)
{
    if (call->item.state == FAIR_RUNNING)
        must(curl_multi_remove_handle(pool->multi, call->easy) == CURLM_OK);
}

static void begin_hop(struct webhook_pool *pool, struct webhook_call *call)
{
    if (webhook_call_prepare(call, &pool->limits)) {
        must(curl_multi_add_handle(pool->multi, call->easy) == CURLM_OK);
        return;
    }
    webhook_call_time_out(call);
    end_call(pool, call);
}

static void end_hop(struct webhook_pool *pool, struct webhook_call *call, CURLcode code)
{
    remove_from_curl(pool, call);
    if (code == CURLE_OK && webhook_call_follow(call)) {
        begin_hop(pool, call);
        return;
    }
    webhook_call_conclude(call, code);
    end_call(pool, call);
}

static void begin_calls(struct webhook_pool *pool)
{
    struct fair_item *item;

    while ((item = fair_queue_next(pool->queue)) != NULL) {
        struct webhook_call *call = (struct webhook_call *)item; /* its first member */

        must(uv_timer_stop(&call->timer) == 0);
        call->begun_us = clock_boot_us();
        call->is_late = call->begun_us >= call->request.send_by_us;
        if (!call->is_late) {
            begin_hop(pool, call);
            continue;
        }
        webhook_call_conclude(call, CURLE_OK);
        end_call(pool, call);
    }
}

static void deliver_results(struct webhook_pool *pool)
{
    while (pool->ended) {
        struct webhook_call *call = pool->ended;

        pool->ended = call->next;
        call->done(call->arg, &call->result);
        call->next = pool->spare;
        pool->spare = call;
    }
}

static void close_timer(uv_timer_t *timer, uv_close_cb closed)
{
    uv_close((uv_handle_t *)timer, closed);
}

static void close_handles(struct webhook_pool *pool)
{
    must(curl_multi_cleanup(pool->multi) == CURLM_OK);
    pool->multi = NULL;
    close_timer(&pool->timer, on_timer_closed);
    close_timer(&pool->wakeup, on_timer_closed);
    for (struct webhook_call *call = pool->spare; call; call = call->next)
        close_timer(&call->timer, on_call_closed);
}

/* Whenever the loop calls: starts calls that may start, delivers results. */
static void process_calls(struct webhook_pool *pool)
{
    if (!pool->is_closing)
        begin_calls(pool);
    deliver_results(pool);
    if (pool->is_closing && pool->multi)
        close_handles(pool);
}

static void on_wakeup(uv_timer_t *timer)
{
    process_calls(timer->data);
}

static void schedule_processing(struct webhook_pool *pool)
{
    must(uv_timer_start(&pool->wakeup, on_wakeup, 0, 0) == 0);
}

static void after_curl(struct webhook_pool *pool)
{
    struct CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(pool->multi, &left)) != NULL) {
        struct webhook_call *call = NULL;
        CURLcode code = message->data.result;

        must(message->msg == CURLMSG_DONE);
        must(curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call) ==
             CURLE_OK);
        end_hop(pool, call, code);
    }
    process_calls(pool);
}

void webhook_on_time(uv_timer_t *timer)
{
    struct webhook_call *call = timer->data;
    struct webhook_pool *pool = call->pool;

    if (call->item.state == FAIR_WAITING)
        webhook_call_set_end(call, WEBHOOK_TOO_LATE,
                             "the deadline passed while the call was queued");
    else
        webhook_call_time_out(call);
    remove_from_curl(pool, call);
    end_call(pool, call);
    process_calls(pool);
}

static void cancel_call(struct webhook_pool *pool, struct webhook_call *call)
{
    webhook_call_set_end(call, WEBHOOK_CANCELLED, "the call was cancelled");
    remove_from_curl(pool, call);
    end_call(pool, call);
    schedule_processing(pool);
}

/* ---- the interface ---- */

struct webhook_pool *webhook_pool_new(uv_loop_t *loop, const struct webhook_limits *limits)
{
    struct webhook_pool *pool = calloc(1, sizeof *pool);

    must(pool != NULL && limits->all > 0 && limits->per_host > 0 && limits->waiting >= 0);
    must(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    must(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
    pool->loop = loop;
    pool->limits = *limits;
    if (limits->answer_max == 0)
        pool->limits.answer_max = WEBHOOK_ANSWER_MAX;
    pool->multi = curl_multi_init();
    must(pool->multi != NULL);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timeout_change);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, (long)limits->all);
    must(uv_timer_init(loop, &pool->timer) == 0 && uv_timer_init(loop, &pool->wakeup) == 0);
    pool->timer.data = pool->wakeup.data = pool;
    pool->open_handles = 2;
    pool->queue = fair_queue_new(limits->all, limits->per_host);
    pool->places = map_new(0);
    return pool;
}

enum rc webhook_start(struct webhook_pool *pool, const struct webhook_request *request,
                      webhook_done *done, void *arg, struct err *reterr)
{
    struct webhook_call *call;
    int64_t origin, left_us;
    enum rc rc = webhook_check(request, pool->limits.answer_max, &origin, reterr);

    if (rc)
        return rc;
    if (map_find(pool->places, request->id) != MAP_NONE)
        return err_set(reterr, RC_CONFLICT, -1, 0, "a call with this id is under way");
    if (pool->is_closing)
        return err_set(reterr, RC_BUSY, -1, 0,
                       "the server is stopping; no new calls are started");
    if (pool->call_count >= pool->limits.all + pool->limits.waiting)
        return err_set(reterr, RC_BUSY, -1, 0, "too many calls; %d are under way",
                       pool->call_count);
    call = get_spare(pool);
    webhook_call_init(call, request, origin);
    call->done = done;
    call->arg = arg;
    list_call(pool, call);
    fair_queue_add(pool->queue, &call->item, origin);
    left_us = request->send_by_us - clock_boot_us();
    must(uv_timer_start(
             &call->timer, webhook_on_time,
             webhook_call_ms(left_us < WEBHOOK_TIME_MAX ? left_us : WEBHOOK_TIME_MAX), 0) == 0);
    schedule_processing(pool);
    return RC_OK;
}

bool webhook_cancel(struct webhook_pool *pool, int64_t id)
{
    int32_t place = map_find(pool->places, id);

    if (place == MAP_NONE)
        return false;
    cancel_call(pool, pool->calls[place]);
    return true;
}

int webhook_pool_count(const struct webhook_pool *pool)
{
    return pool->call_count;
}

void webhook_pool_close(struct webhook_pool *pool, void (*closed)(void *arg), void *arg)
{
    must(!pool->is_closing);
    pool->is_closing = true;
    pool->closed = closed;
    pool->closed_arg = arg;
    while (pool->call_count > 0)
        cancel_call(pool, pool->calls[pool->call_count - 1]);
    schedule_processing(pool);
}
