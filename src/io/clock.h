/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only reader of time in the program; everyone else is handed `now`.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

/* Wall clock.  It may step in either direction, and stands still where Belfry's years end. */
instant clock_now(void);

/* Microseconds since the machine started, time asleep included.  Never goes back. */
int64_t clock_boot_us(void);
