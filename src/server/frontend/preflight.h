/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicts which runs will fail on this server: a URL that the address policy denies, a host,
 * user or program that does not exist, a signing key or an upstream that the namespace lacks.
 *
 * For any thread.  It never waits: a thread of io/lookup.h asks the name server and the file
 * system, and the answer is used by later calls.
 */
#pragma once

#include "api/call/context.h"
#include "server/config/config.h"
#include "server/frontend/namespace_cache.h"

struct preflight_options {
    const struct config *config; /* of the start: these settings need a restart to change */
    const struct address_net *self_nets; /* listeners of this server; constant */
    int self_net_count;
    struct namespace_cache *namespaces; /* must outlive the preflight */
};

struct preflight; /* opaque */

struct preflight *preflight_new(const struct preflight_options *options);
struct preflight *preflight_free(struct preflight *preflight); /* accepts NULL, returns NULL */

/* See action_warnings of struct api_context. */
int preflight_warnings(struct preflight *preflight, const struct context_action *action,
                       struct arena *arena, struct str ret[static CONTEXT_WARNINGS_MAX]);
