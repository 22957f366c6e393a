/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a search in a spec, for the files spec_*.c only.  Pure.
 *
 *     raw        union of the entries
 *     survivor   raw, not before start, minus exclusions, or moved to a free day (shift)
 *     shaped     survivor, inside the window; not after end
 *     slot       shaped, with jitter
 *
 * Each step gets its candidates from the step before.  "Next" is strictly after, "prev"
 * strictly before.  A search gives up after SPEC_STEPS_MAX candidates that are not slots.
 */
#pragma once

#include "core/spec/interval.h"
#include "core/spec/spec.h"

struct search {
    const struct spec *spec;
    const struct spec_ctx *ctx;
    int steps;                   /* left                                       */
    instant odd_from, odd_until; /* those of the spec, extended by the context */
    instant first, last; /* no slot up to here proves that there is none; see search_from()   */
    instant back_to;     /* start of the day to which a shift moves slots back; INSTANT_NEVER */
};

struct search search_begin(const struct spec *spec, const struct spec_ctx *ctx);

/* Sets how far a search from `t` must go: to INSTANT_MIN and INSTANT_MAX without a proof. */
void search_from(struct search *search, instant t);

/* How far from `t` exclusions and windows must be checked; further on they only repeat. */
instant search_reach_up(const struct search *search, instant t);
instant search_reach_down(const struct search *search, instant t);

/* `t` plus or minus the length of a proof, even if odd times are further away. */
instant search_near_up(const struct search *search, instant t);
instant search_near_down(const struct search *search, instant t);

/* Counts one candidate that is not a slot; false if the search must give up. */
bool search_continues(struct search *search);

/* A step from day to day costs as much as this many steps from candidate to candidate. */
enum { SEARCH_DAY_STEP = 8 };

/* INSTANT_NEVER or INSTANT_NONE if there is none; *ret_entry as in struct slot. */
instant raw_next(const struct search *search, instant after, int *ret_entry);
instant raw_prev(const struct search *search, instant before, int *ret_entry);

/* The times from which an interval entry counts. */
struct interval_origin entry_origin(const struct search *search, const struct entry *entry);

/* The instant of spec.at[i]; for "now" the creation. */
instant spec_at_time(const struct search *search, int i);

instant survivor_next(struct search *search, instant after, int *ret_entry);
instant survivor_prev(struct search *search, instant before, int *ret_entry);

instant shaped_next(struct search *search, instant after, int *ret_entry);
instant shaped_prev(struct search *search, instant before, int *ret_entry);

/* First instant at or after `t` that is not excluded; last one at or before `t`. */
instant free_next(struct search *search, instant t);
instant free_prev(struct search *search, instant t);

/* True unless an exclusion covers this whole local day. */
bool day_is_free(const struct search *search, int64_t day);

/* survivor_next() and survivor_prev() if spec.shift is set. */
instant shift_next(struct search *search, instant after, int *ret_entry);
instant shift_prev(struct search *search, instant before, int *ret_entry);

/* Computes the derived members of a spec whose zones are bound. */
void spec_seal(struct spec *spec);
