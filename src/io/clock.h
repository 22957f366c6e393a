/* SPDX-License-Identifier: Apache-2.0 */
/* The only reader of time in the program; all other code is passed `now`. */
#pragma once

#include <stdint.h>

#include "base/instant.h"

/*
 * The wall clock.  It may step in either direction, and stops at the ends of the years that
 * Belfry supports.
 */
instant clock_now(void);

/* Microseconds since the machine started, including time asleep.  Never goes back. */
int64_t clock_boot_us(void);

/* Processor time of the calling thread, in microseconds. */
int64_t clock_thread_us(void);
