/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a schedule says, in English: `At 02:30 on weekdays, New York time`.
 *
 * Pure.  A description is true for any value that can be compiled, also for odd ones: what
 * has no idiom is told as lists.  Long lists end in "and N more", so the length is bounded.
 */
#pragma once

#include "base/buf.h"
#include "core/cron/cron.h"
#include "core/rrule/rrule.h"
#include "core/spec/spec.h"

enum {
    DESCRIBE_CRON_MAX = 2048,      /* bytes that hold the description of any cron or rule */
    DESCRIBE_SPEC_MAX = 32 * 1024, /* … of any spec, whose lists are cut                  */
    DESCRIBE_ENTRIES_MAX = 8,      /* entries of a spec that are told, then "and N more"  */
};

/* One pattern, without a zone: `Every 15 minutes from 09:00 to 17:45 on weekdays`. */
void describe_cron(const struct cron *cron, struct buf *out);

/* A recurrence rule: `Every 2 weeks on Mondays at 09:00, from 5 January 2026 on`. */
void describe_rrule(const struct rrule *rule, struct buf *out);

/* The whole spec with zones, exclusions, bounds, window and jitter. */
void describe_spec(const struct spec *spec, struct buf *out);
