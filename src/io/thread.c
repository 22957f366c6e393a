/* SPDX-License-Identifier: Apache-2.0 */
#include "io/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/must.h"

/* What a slice is for the kernel at the least: its deadline is then the nearest there is. */
#define SLICE_NS 100000

enum { RESET_ON_FORK = 1 };

/* As the kernel has it since 3.14; the C library of Debian 12 does not. */
struct schedule_of_thread {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void thread_name(const char *name)
{
    must(pthread_setname_np(pthread_self(), name) == 0);
}

void thread_prompt(void)
{
    struct schedule_of_thread attr = {0};

    if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0 || attr.policy != SCHED_OTHER)
        return;
    attr.size = sizeof attr;
    attr.flags |= RESET_ON_FORK;
    attr.runtime = SLICE_NS;
    /* A service manager may forbid it: then it is as slow to wake as it was. */
    (void)syscall(SYS_sched_setattr, 0, &attr, 0);
}
