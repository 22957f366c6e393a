/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task tokens of Temporal: the namespace that a response of a worker acts on.
 *
 * A token is opaque for clients, but a server decides by the namespace id in it, not by the
 * name beside it (docs/decisions/0050-forwarding.md).  The ids are learned from the upstream.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum {
    TEMPORAL_TOKEN_ID_MAX = 64, /* bytes of a namespace id; Temporal's are UUIDs      */
    NAMESPACE_IDS_MAX = 1024,   /* namespaces of upstreams whose ids are remembered   */
};

/* The token in a request; false: it is missing or names no namespace. */
bool temporal_token_find(struct str message, int field, struct str *ret);

/* Whether everything that a token names is in this namespace. */
bool temporal_token_is_of(struct str token, struct str id);

/* The request for the description of a namespace, with its frame. */
struct str temporal_token_describe(struct str namespace, struct arena *arena);

/* The namespace id in the answer, which has its frame; false: it has none. */
bool temporal_token_read_id(struct str answer, struct str *ret);

struct namespace_ids; /* opaque: the ids of namespaces, by the URL of the upstream and name */

struct namespace_ids *namespace_ids_new(void);
struct namespace_ids *namespace_ids_free(struct namespace_ids *ids); /* returns NULL */

/* Empty: not known.  Valid until the next change. */
struct str namespace_ids_find(const struct namespace_ids *ids, struct str url, struct str name);
/* Replaces the oldest one if there are NAMESPACE_IDS_MAX. */
void namespace_ids_set(struct namespace_ids *ids, struct str url, struct str name,
                       struct str id);
