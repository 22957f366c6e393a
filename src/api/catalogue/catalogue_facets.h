/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the values of schedules during the pass of a query.
 */
#pragma once

#include "api/catalogue/catalogue_query.h"

enum catalogue_facet {
    FACET_STATUS,
    FACET_HEALTH,
    FACET_OUTCOME,
    FACET_ACTION,
    FACET_QUEUE,
    FACET_ZONE,
    FACET_LABEL,
};

struct catalogue_counter; /* opaque; in an arena */

struct catalogue_counter *catalogue_facets_begin(const struct catalogue_words *words,
                                                 struct arena *arena);

/*
 * Counts a schedule in every facet, or only in one: `mismatches` is 0 or the bit of the facet
 * whose part of the filter does not match.
 */
void catalogue_facets_count(struct catalogue_counter *counter, const struct catalogue_row *row,
                            enum catalogue_health health, uint32_t mismatches);

/* All texts are copied to the arena. */
struct catalogue_facets *catalogue_facets_end(const struct catalogue_counter *counter,
                                              struct arena *arena);
