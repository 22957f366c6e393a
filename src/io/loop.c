/* SPDX-License-Identifier: Apache-2.0 */
#include "io/loop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/must.h"

struct sign {
    uv_signal_t handle;
    void (*act)(void *arg, int signal);
    void *arg;
};

struct loop {
    uv_loop_t uv;
    uv_async_t door;
    atomic_bool must_stop;
    void (*on_wake)(void *arg);
    void *arg;
    struct sign signs[LOOP_SIGNALS_MAX];
    int sign_count;
};

struct loop_timer {
    uv_timer_t handle;
    void (*act)(void *arg);
    void *arg;
};

static void on_door(uv_async_t *door)
{
    struct loop *loop = door->data;

    if (atomic_load(&loop->must_stop))
        uv_stop(&loop->uv);
    if (loop->on_wake)
        loop->on_wake(loop->arg);
}

struct loop *loop_new(void (*on_wake)(void *arg), void *arg)
{
    struct loop *loop = calloc(1, sizeof *loop);

    must(loop != NULL && uv_loop_init(&loop->uv) == 0);
    must(uv_async_init(&loop->uv, &loop->door, on_door) == 0);
    loop->door.data = loop;
    loop->on_wake = on_wake;
    loop->arg = arg;
    return loop;
}

struct loop *loop_free(struct loop *loop)
{
    if (!loop)
        return NULL;
    for (int i = 0; i < loop->sign_count; i++)
        uv_close((uv_handle_t *)&loop->signs[i].handle, NULL);
    uv_close((uv_handle_t *)&loop->door, NULL);
    /* One round calls back for all that was closed; what is left, its owner forgot. */
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
    /* The door keeps the loop alive, so only loop_stop() ends it. */
    while (!atomic_exchange(&loop->must_stop, false))
        uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_wake(void *loop)
{
    must(uv_async_send(&((struct loop *)loop)->door) == 0);
}

void loop_stop(struct loop *loop)
{
    atomic_store(&loop->must_stop, true);
    loop_wake(loop);
}

static void on_sign(uv_signal_t *handle, int signal)
{
    struct sign *sign = handle->data;

    sign->act(sign->arg, signal);
}

void loop_on_signal(struct loop *loop, int signal, void (*act)(void *arg, int signal),
                    void *arg)
{
    struct sign *sign = &loop->signs[loop->sign_count];

    must(loop->sign_count < LOOP_SIGNALS_MAX);
    loop->sign_count++;
    sign->act = act;
    sign->arg = arg;
    sign->handle.data = sign;
    must(uv_signal_init(&loop->uv, &sign->handle) == 0);
    must(uv_signal_start(&sign->handle, on_sign, signal) == 0);
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
    /* Rounded up, and one more: libuv counts from the last whole millisecond. */
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
