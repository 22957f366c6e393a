/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread says of itself to the kernel: its name, and how soon it wants to run.
 */
#pragma once

/* As ps and debuggers show the calling thread; at most 15 bytes. */
void thread_name(const char *name);

/*
 * The calling thread runs briefly and often and somebody waits for it: when it wakes, it goes
 * before one that computes.  It gets no more of the processor than before.  Threads and
 * processes that it starts are as all others.  Without effect before Linux 6.12, where the
 * kernel is not asked for it, and for threads that are not scheduled as most are.
 */
void thread_prompt(void);
