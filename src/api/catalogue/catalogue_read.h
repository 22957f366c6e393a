/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of the catalogue from rows of the store.
 */
#pragma once

#include "api/catalogue/catalogue.h"
#include "base/arena.h"
#include "store/catalogue_rows.h"

#define CATALOGUE_LATE_AFTER SPAN_MIN /* as in the health of one schedule */

/* The members that come from the cursor; without texts. */
struct catalogue_entry catalogue_read_cursor(const struct cursor *cursor);

/* Everything; texts are in the arena. */
struct catalogue_entry catalogue_read_stored(const struct catalogue_stored *stored,
                                             struct arena *arena);
