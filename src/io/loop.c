/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event loop of the io thread, on libuv.
 */
#include "io/loop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/must.h"

struct signal_watch {
    uv_signal_t handle;
    void (*act)(void *arg, int signal);
    void *arg;
};

struct loop {
    uv_loop_t uv;
    uv_async_t async;
    atomic_bool must_stop;
    void (*on_wake)(void *arg);
    void *arg;
    struct signal_watch signals[LOOP_SIGNALS_MAX];
    int signal_count;
};

struct loop_timer {
    uv_timer_t handle;
    void (*act)(void *arg);
    void *arg;
};

static void on_async(uv_async_t *async)
{
    struct loop *loop = async->data;

    if (atomic_load(&loop->must_stop))
        uv_stop(&loop->uv);
    if (loop->on_wake)
        loop->on_wake(loop->arg);
}

struct loop *loop_new(void (*on_wake)(void *arg), void *arg)
{
    struct loop *loop = calloc(1, sizeof *loop);

    must(loop != NULL && uv_loop_init(&loop->uv) == 0);
    must(uv_async_init(&loop->uv, &loop->async, on_async) == 0);
    loop->async.data = loop;
    loop->on_wake = on_wake;
    loop->arg = arg;
    return loop;
}

struct loop *loop_free(struct loop *loop)
{
    if (!loop)
        return NULL;
    for (int i = 0; i < loop->signal_count; i++)
        uv_close((uv_handle_t *)&loop->signals[i].handle, NULL);
    uv_close((uv_handle_t *)&loop->async, NULL);
    /* One round runs all close callbacks; anything left was forgotten by its owner. */
    must(uv_run(&loop->uv, UV_RUN_NOWAIT) == 0);
    must(uv_loop_close(&loop->uv) == 0);
    free(loop);
    return NULL;
}

uv_loop_t *loop_uv(struct loop *loop)
{
    return &loop->uv;
}

void loop_run(struct loop *loop)
{
    /* The async handle keeps the loop alive, so only loop_stop() ends it. */
    while (!atomic_exchange(&loop->must_stop, false))
        uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_wake(void *loop)
{
    must(uv_async_send(&((struct loop *)loop)->async) == 0);
}

void loop_stop(struct loop *loop)
{
    atomic_store(&loop->must_stop, true);
    loop_wake(loop);
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct signal_watch *signal_watch = handle->data;

    signal_watch->act(signal_watch->arg, signal);
}

void loop_on_signal(struct loop *loop, int signal, void (*act)(void *arg, int signal),
                    void *arg)
{
    struct signal_watch *signal_watch = &loop->signals[loop->signal_count];

    must(loop->signal_count < LOOP_SIGNALS_MAX);
    loop->signal_count++;
    signal_watch->act = act;
    signal_watch->arg = arg;
    signal_watch->handle.data = signal_watch;
    must(uv_signal_init(&loop->uv, &signal_watch->handle) == 0);
    must(uv_signal_start(&signal_watch->handle, on_signal, signal) == 0);
}

struct loop_timer *loop_timer_new(struct loop *loop, void (*act)(void *arg), void *arg)
{
    struct loop_timer *timer = calloc(1, sizeof *timer);

    must(timer != NULL && uv_timer_init(&loop->uv, &timer->handle) == 0);
    timer->handle.data = timer;
    timer->act = act;
    timer->arg = arg;
    return timer;
}

static void on_time(uv_timer_t *handle)
{
    struct loop_timer *timer = handle->data;

    timer->act(timer->arg);
}

void loop_timer_set(struct loop_timer *timer, span after)
{
    /* Rounded up, plus one: libuv counts from the last whole millisecond. */
    uint64_t ms = after > 0 ? (uint64_t)((after - 1) / SPAN_MS) + 2 : 0;

    uv_update_time(timer->handle.loop);
    must(uv_timer_start(&timer->handle, on_time, ms, 0) == 0);
}

void loop_timer_stop(struct loop_timer *timer)
{
    must(uv_timer_stop(&timer->handle) == 0);
}

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle->data);
}

struct loop_timer *loop_timer_free(struct loop_timer *timer)
{
    if (timer)
        uv_close((uv_handle_t *)&timer->handle, on_timer_closed);
    return NULL;
}
