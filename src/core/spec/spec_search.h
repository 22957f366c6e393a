/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a search in a spec, for the files spec_*.c alone.  Pure.
 *
 *     raw        union of the entries
 *     survivor   raw, not before start, minus exclusions, or moved to a free day (shift)
 *     shaped     survivor, inside the window; not after end
 *     slot       shaped, with jitter
 *
 * Each step asks the one before for the next candidate.  "Next" is strictly after, "prev"
 * strictly before.  A search passes at most SPEC_STEPS_MAX candidates that come to nothing.
 */
#pragma once

#include "core/spec/interval.h"
#include "core/spec/spec.h"

struct search {
    const struct spec *spec;
    const struct spec_ctx *ctx;
    int steps;                   /* left */
    instant odd_from, odd_until; /* those of the spec and of the context */
    instant first, last; /* where a search that found nothing is proof; see search_from() */
    instant back_to; /* begin of the day that what is found is moved back to; INSTANT_NEVER */
};

struct search search_begin(const struct spec *spec, const struct spec_ctx *ctx);

/* Sets how far a search from `t` on must look: INSTANT_MIN and INSTANT_MAX without proof. */
void search_from(struct search *search, instant t);

/* As far from `t` as exclusions and windows must be looked at, for they always repeat. */
instant search_reach_up(const struct search *search, instant t);
instant search_reach_down(const struct search *search, instant t);

/* One proof's length from `t`, whether or not odd times lie further off. */
instant search_near_up(const struct search *search, instant t);
instant search_near_down(const struct search *search, instant t);

/* Counts one candidate that came to nothing; false when the search must give up. */
bool search_goes_on(struct search *search);

/* A step from day to day is that much dearer than one from candidate to candidate. */
enum { SEARCH_DAY_STEP = 8 };

/* INSTANT_NEVER / INSTANT_NONE when there is none; *ret_entry as in struct slot. */
instant raw_next(const struct search *search, instant after, int *ret_entry);
instant raw_prev(const struct search *search, instant before, int *ret_entry);

/* What an interval entry counts from. */
struct interval_origin entry_origin(const struct search *search, const struct entry *entry);

/* The instant of spec.at[i], "now" replaced. */
instant spec_at_time(const struct search *search, int i);

instant survivor_next(struct search *search, instant after, int *ret_entry);
instant survivor_prev(struct search *search, instant before, int *ret_entry);

instant shaped_next(struct search *search, instant after, int *ret_entry);
instant shaped_prev(struct search *search, instant before, int *ret_entry);

/* First instant at or after `t` that no exclusion takes; last one at or before it. */
instant free_next(struct search *search, instant t);
instant free_prev(struct search *search, instant t);

/* No exclusion takes this local day as a whole. */
bool day_is_free(const struct search *search, int64_t day);

/* survivor_next() and survivor_prev() where spec.shift is set. */
instant shift_next(struct search *search, instant after, int *ret_entry);
instant shift_prev(struct search *search, instant before, int *ret_entry);

/* Computes what is derived from a spec whose zones are bound. */
void spec_seal(struct spec *spec);
