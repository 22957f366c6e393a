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
    int steps;                               /* left */
    instant irregular_from, irregular_until; /* those of the spec, extended by the context */
    /* A search that finds no slot up to here proves that there is none; see search_from(). */
    instant first, last;
    /* While slots are moved back: the start of the day that they move to; or INSTANT_NEVER. */
    instant back_to;
};

struct search search_begin(const struct spec *spec, const struct spec_ctx *ctx);

/* If the years of the spec repeat: sets first and last for a search from `t`. */
void search_from(struct search *search, instant t);

/* How far from `t` exclusions and windows must be checked; beyond that they only repeat. */
instant search_reach_up(const struct search *search, instant t);
instant search_reach_down(const struct search *search, instant t);

/* `t` plus or minus the years that a proof needs, ignoring irregular times. */
instant search_proof_up(const struct search *search, instant t);
instant search_proof_down(const struct search *search, instant t);

/* Counts one candidate that is not a slot; false if the search must give up. */
bool search_continues(struct search *search);

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

/* As raw_next() and raw_prev(), but with spec.shift: slots of excluded days are moved. */
instant shift_next(struct search *search, instant after, int *ret_entry);
instant shift_prev(struct search *search, instant before, int *ret_entry);

/* Computes the derived members of a spec whose zones are bound. */
void spec_seal(struct spec *spec);
