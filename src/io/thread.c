/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets attributes of the calling thread.
 */
#include "io/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/must.h"

/* The kernel's minimum slice: it gives the earliest deadline, so the thread runs first. */
#define SLICE_NS 100000

enum {
    RESET_ON_FORK = 1,
    NICE_MORE = 5, /* a third of the share of other threads */
};

/* The kernel's struct since 3.14; the C library of Debian 12 does not declare it. */
struct sched_attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void thread_set_name(const char *name)
{
    must(pthread_setname_np(pthread_self(), name) == 0);
}

void thread_wake_promptly(void)
{
    struct sched_attributes attr = {0};

    if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0 || attr.policy != SCHED_OTHER)
        return;
    attr.size = sizeof attr;
    attr.flags |= RESET_ON_FORK;
    attr.runtime = SLICE_NS;
    /* A service manager may forbid it; then the thread wakes as slowly as before. */
    (void)syscall(SYS_sched_setattr, 0, &attr, 0);
}

/* On Linux the nice value belongs to the thread.  Raising it is always allowed. */
void thread_yield_to_others(void)
{
    int nice = getpriority(PRIO_PROCESS, 0);

    (void)setpriority(PRIO_PROCESS, 0, nice + NICE_MORE);
}
