/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files explain*.c share; nobody else includes this.  Pure.
 */
#pragma once

#include "core/explain/explain.h"

/* The spec reduced to one entry, without anything that shapes it.  `copy` holds the entry. */
struct spec explain_alone(const struct spec *spec, int entry, struct entry *copy);

/* True when `t` is a slot of this entry alone. */
bool explain_is_raw(const struct spec *spec, const struct spec_ctx *ctx, int entry, instant t);

/* Entries and one-offs together; struct slot counts them so. */
static inline int explain_count(const struct spec *spec)
{
    return spec->entry_count + spec->at_count;
}

/* A wall-clock pattern's next match at or after `local`, LOCAL_NEVER when it has none. */
int64_t explain_local_next(const struct entry *entry, int64_t local);
bool explain_has_clock(const struct entry *entry); /* cron or rule, not an interval */

/* Why the spec takes `t` away from its entries; false when it does not. */
bool explain_shut_out(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                      struct explain *ret);

/* A change of the clocks of one zone. */
struct clock_change {
    int64_t at; /* UTC second */
    int32_t before, after;
};

/* The change that made or ended what local_touch() found at `s`. */
bool explain_change_near(const struct tz *tz, int64_t s, struct clock_change *ret);

/* "02:30 does not exist: runs at 03:00"; how many local times of the entry it concerns. */
int explain_touched(const struct entry *entry, const struct clock_change *change,
                    struct buf *out);
