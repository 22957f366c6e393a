/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event loop of the io thread, on libuv.
 *
 * All functions are for the thread that runs the loop, except loop_wake() and loop_stop(),
 * which any thread may call, but no signal handler.  Running out of memory or descriptors at
 * the start ends the process.
 */
#pragma once

#include <stdint.h>
#include <uv.h>

#include "base/instant.h"

struct loop; /* opaque */

/* `on_wake` is called in the loop after one or more calls of loop_wake(). */
struct loop *loop_new(void (*on_wake)(void *arg), void *arg);

/* All handles on the loop must be closed.  Accepts NULL, returns NULL. */
struct loop *loop_free(struct loop *loop);

/* For the modules of io. */
uv_loop_t *loop_uv(struct loop *loop);

/* Returns after loop_stop(). */
void loop_run(struct loop *loop);

/* Any thread; the argument is a struct loop, so that a mailbox can call it. */
void loop_wake(void *loop);
void loop_stop(struct loop *loop);

/* Delivers a signal as a call in the loop from now on; one owner per signal. */
enum { LOOP_SIGNALS_MAX = 8 }; /* TERM, INT, HUP, USR1, USR2 and some to spare */

void loop_on_signal(struct loop *loop, int signal, void (*act)(void *arg, int signal),
                    void *arg);

/* One call in the future, to the millisecond and never early. */
struct loop_timer; /* opaque */

struct loop_timer *loop_timer_new(struct loop *loop, void (*act)(void *arg), void *arg);

/* Replaces the previous setting.  0 or less: in the next round of the loop. */
void loop_timer_set(struct loop_timer *timer, span after);
void loop_timer_stop(struct loop_timer *timer);

/* The call will not happen any more.  Accepts NULL, returns NULL. */
struct loop_timer *loop_timer_free(struct loop_timer *timer);
