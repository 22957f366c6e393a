/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The namespaces that io knows: their keys, names and settings, as the writer last said.
 */
#pragma once

#include "server/config/namespace_settings.h"

struct space {
    int64_t id;
    struct str name;
    struct namespace_settings settings;
    struct arena *arena; /* of all of it */
    struct space *next;  /* with the same hash of its name */
};

struct namespace_cache; /* opaque */

struct namespace_cache *namespace_cache_new(void);
struct namespace_cache *namespace_cache_free(
    struct namespace_cache *namespaces); /* accepts NULL, returns NULL */

/*
 * A new one, or another state of a known one.  RC_INVALID: its settings cannot be read; it
 * then counts as one without any.
 */
MUST_USE enum rc namespace_cache_put(struct namespace_cache *namespaces, int64_t id,
                                     struct str name, struct str settings, struct err *reterr);

/* NULL: there is none. */
const struct space *namespace_cache_find(const struct namespace_cache *namespaces,
                                         struct str name);
const struct space *namespace_cache_at(const struct namespace_cache *namespaces, int64_t id);
