/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones for the simulator: the few names that its schedules use, read once. */
#pragma once

#include "core/spec/spec.h"

struct zones; /* opaque */

struct zones *zones_new(void);
struct zones *zones_free(struct zones *zones); /* accepts NULL, returns NULL */

/* Valid as long as the zones. */
struct zone_source zones_source(struct zones *zones);
