/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the clocks of the kernel.
 */
#include "io/clock.h"

#include <time.h>

#include "base/must.h"

static int64_t read_us(clockid_t clock)
{
    struct timespec t;

    must(clock_gettime(clock, &t) == 0);
    return (int64_t)t.tv_sec * SPAN_S + t.tv_nsec / 1000;
}

instant clock_now(void)
{
    return instant_clamp(read_us(CLOCK_REALTIME));
}

int64_t clock_boot_us(void)
{
    return read_us(CLOCK_BOOTTIME);
}

int64_t clock_thread_us(void)
{
    return read_us(CLOCK_THREAD_CPUTIME_ID);
}
