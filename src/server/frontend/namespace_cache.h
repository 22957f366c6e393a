/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The namespaces that io knows: their keys, names and settings, as the writer last said.
 */
#pragma once

#include "server/config/namespace_settings.h"

struct space {
    int64_t id;
    struct str name;
    struct settings settings;
    struct arena *arena; /* of all of it */
    struct space *next;  /* with the same hash of its name */
};

struct spaces; /* opaque */

struct spaces *spaces_new(void);
struct spaces *spaces_free(struct spaces *spaces); /* accepts NULL, returns NULL */

/*
 * A new one, or another state of a known one.  RC_INVALID: its settings cannot be read; it
 * then counts as one without any.
 */
MUST_USE enum rc spaces_put(struct spaces *spaces, int64_t id, struct str name,
                            struct str settings, struct err *reterr);

/* NULL: there is none. */
const struct space *spaces_find(const struct spaces *spaces, struct str name);
const struct space *spaces_at(const struct spaces *spaces, int64_t id);
