/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a schedule in English: `At 02:30 on weekdays, New York time`.
 *
 * Pure.  A description is correct for every value that can be compiled: where English has no
 * idiom, it lists the values.  Long lists end in "and N more", so the length is limited.
 */
#pragma once

#include "base/buf.h"
#include "core/cron/cron.h"
#include "core/rrule/rrule.h"
#include "core/spec/spec.h"

enum {
    DESCRIBE_CRON_MAX = 2048,      /* bytes that are enough for any cron or rule */
    DESCRIBE_SPEC_MAX = 32 * 1024, /* bytes that are enough for any spec         */
    DESCRIBE_ENTRIES_MAX = 8,      /* entries of a spec, then "and N more"       */
};

/* One pattern, without a zone: `Every 15 minutes from 09:00 to 17:45 on weekdays`. */
void describe_cron(const struct cron *cron, struct buf *out);

/* A recurrence rule: `Every 2 weeks on Mondays at 09:00, beginning at …`. */
void describe_rrule(const struct rrule *rule, struct buf *out);

/* The whole spec with zones, exclusions, bounds, window and jitter. */
void describe_spec(const struct spec *spec, struct buf *out);
