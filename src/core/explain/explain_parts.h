/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files explain*.c.  For these files only.  Pure.
 */
#pragma once

#include "core/explain/explain.h"

/* The spec with only this entry, which is copied to `copy`: no exclusions, window, jitter … */
struct spec explain_alone(const struct spec *spec, int entry, struct entry *copy);

/* True if `t` is a slot of this entry alone. */
bool explain_is_raw(const struct spec *spec, const struct spec_ctx *ctx, int entry, instant t);

/* The number of entries and one-offs together, as struct slot counts them. */
static inline int explain_count(const struct spec *spec)
{
    return spec->entry_count + spec->at_count;
}

/* The next match of a wall-clock pattern at or after `local`; LOCAL_NEVER if there is none. */
int64_t explain_local_next(const struct entry *entry, int64_t local);
bool explain_is_pattern(const struct entry *entry); /* a cron or a recurrence rule */

/* Why the spec removes `t`, a slot of one of its entries; false if it does not. */
bool explain_removal(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                     struct explain *ret);

/* A change of the clocks of one zone. */
struct clock_change {
    int64_t at; /* UTC second */
    int32_t before, after;
};

/* The clock change that local_clock_effect() found at `s`. */
bool explain_change_near(const struct tz *tz, int64_t s, struct clock_change *ret);

/* "02:30 does not exist: runs at 03:00"; returns how many local times the change affects. */
int explain_affected_times(const struct entry *entry, const struct clock_change *change,
                           struct buf *out);
