/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words to the service manager that started this process, if one asked for them.
 */
#pragma once

#include <stdbool.h>

#include "base/instant.h"

/* "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=…".  False when nobody listens. */
bool sd_notify_say(const char *words);

/* How often it wants to hear WATCHDOG=1 at the least; 0: it does not. */
span sd_notify_watchdog(void);
