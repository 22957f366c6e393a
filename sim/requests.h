/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a simulated operator asks for.
 */
#pragma once

#include "sim/world.h"

/* A new schedule, or that of a name that is known: `schedule`, -1: a new one. */
void requests_create(struct world *world, int schedule);

/* The named calendar, which is always the same; `schedule` is of no account. */
void requests_calendar(struct world *world, int schedule);

/* Anything. */
void requests_make(struct world *world);

/* After the healing: whatever only a person can set going again. */
void requests_mend(struct world *world);
