/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The namespaces in the io thread: keys, names and settings, as the writer last sent them.
 *
 * Other threads may read too, between namespace_cache_lock() and namespace_cache_unlock().
 * Only the io thread changes it, so it needs no lock to read.
 */
#pragma once

#include "server/dispatch/dispatch_settings.h"

struct namespace_entry {
    int64_t id;
    struct str name;
    struct dispatch_settings settings;
    struct arena *arena;                 /* holds name and settings        */
    struct namespace_entry *next;        /* with the same hash of the name */
    struct search_attributes attributes; /* of the upstream of type temporal                */
    int64_t attributes_at_us;            /* clock_boot_us() when they were read; 0: never   */
    struct arena *attributes_arena;
};

struct namespace_cache; /* opaque */

struct namespace_cache *namespace_cache_new(void);
struct namespace_cache *namespace_cache_free(
    struct namespace_cache *namespaces); /* accepts NULL, returns NULL */

/* Adds or replaces a namespace.  RC_INVALID: its settings cannot be read; it then has none. */
MUST_USE enum rc namespace_cache_put(struct namespace_cache *namespaces, int64_t id,
                                     struct str name, struct str settings, struct err *reterr);

/* The answer of ListSearchAttributes of the namespace's upstream; ignored if unreadable. */
void namespace_cache_set_attributes(struct namespace_cache *namespaces, int64_t id,
                                    struct str message, int64_t now_us);

/* For other threads; what they find is valid until they unlock it. */
void namespace_cache_lock(struct namespace_cache *namespaces);
void namespace_cache_unlock(struct namespace_cache *namespaces);

/*
 * A namespace with an upstream of that type, if all such namespaces have the same upstream:
 * then requests that concern no namespace can only mean that one.  NULL otherwise.
 */
const struct namespace_entry *namespace_cache_only_upstream(
    const struct namespace_cache *namespaces, enum upstream_type type);

/* Whether any namespace has an upstream of that type. */
bool namespace_cache_has_upstream(const struct namespace_cache *namespaces,
                                  enum upstream_type type);

/* Both return NULL if there is none. */
const struct namespace_entry *namespace_cache_find(const struct namespace_cache *namespaces,
                                                   struct str name);
const struct namespace_entry *namespace_cache_at(const struct namespace_cache *namespaces,
                                                 int64_t id);
