/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel attributes of a thread: its name, and how soon it runs after waking. */
#pragma once

/* The name in ps and debuggers of the calling thread; at most 15 bytes. */
void thread_set_name(const char *name);

/*
 * For a thread that runs briefly and often while others wait for it: when it wakes, it runs
 * before threads that compute.  It gets no larger share of the processor.  Threads and
 * processes that it starts do not inherit this.  Kernels before Linux 6.12 ignore it; it has no
 * effect on a thread whose scheduling policy is not SCHED_OTHER.
 */
void thread_wake_promptly(void);

/*
 * For a thread that works in the background: others get most of the processor when it is busy.
 * Threads and processes that it starts inherit this.
 */
void thread_yield_to_others(void);
