/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications to the service manager that started this process, if it wants them. */
#pragma once

#include <stdbool.h>

#include "base/instant.h"

/* "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=…".  False if no manager listens. */
bool sd_notify_say(const char *words);

/* The maximum time between two WATCHDOG=1; 0: no watchdog. */
span sd_notify_watchdog(void);
