/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a simulated operator. */
#pragma once

#include "sim/world.h"

/* A new schedule, or an existing name: `schedule`, -1: a new one. */
void operator_request_create(struct world *world, int schedule);

/* The named calendar, which is always the same; `schedule` is ignored. */
void operator_request_calendar(struct world *world, int schedule);

/* Any request. */
void operator_request_make(struct world *world);

/* After the healing: resumes everything that only a user can resume. */
void operator_request_repair(struct world *world);
