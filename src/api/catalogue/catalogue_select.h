/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first few of many candidates in an order, in time proportional to their number and with
 * bounded memory.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* Ordered by key, then by name, then by id. */
struct catalogue_candidate {
    int64_t key;
    struct str name; /* must live as long as the selection; empty in orders without names */
    int64_t id;
    bool is_descending; /* of names; keys and ids are reversed by the caller */
};

struct catalogue_select {
    struct catalogue_candidate *at;
    int count, room, most;
    bool is_bounded; /* candidates from `bound` on are not among the first */
    struct catalogue_candidate bound;
};

/* Below 0 if `a` comes first. */
int catalogue_select_compare(const struct catalogue_candidate *a,
                             const struct catalogue_candidate *b);

struct catalogue_select catalogue_select_begin(int most, struct arena *arena);
void catalogue_select_add(struct catalogue_select *select,
                          const struct catalogue_candidate *candidate);
/* Leaves the first `most` candidates, in order. */
void catalogue_select_end(struct catalogue_select *select);
