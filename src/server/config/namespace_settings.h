/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a namespace has set for its calls: who may be called, keys that sign, upstreams.
 *
 * Read from the JSON of table namespaces.  Secrets are never printed back.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "io/client/address_policy.h"
#include "io/client/signature.h"
#include "io/client/webhook.h"

enum {
    NAMESPACE_SETTINGS_BYTES_MAX = 64 * 1024, /* of JSON                                   */
    NAMESPACE_SETTINGS_KEYS_MAX = 32,         /* names of signing keys                     */
    NAMESPACE_SETTINGS_UPSTREAMS_MAX = 16,
    NAMESPACE_SETTINGS_RATE_MAX = 1000000,     /* requests a minute; more is no limit       */
    NAMESPACE_SETTINGS_QUOTA_MAX = 1000000000, /* as quota_schedules of the configuration   */
    NAMESPACE_SETTINGS_NETS_MAX = 32,          /* networks that calls may reach all the same */
};

/* "keys": {"main": ["whsec_…", "whsec_…"]}: the one in use and the one to come. */
struct signing_keys {
    struct str name;
    struct signature_key keys[SIGNATURE_KEYS_MAX];
    int count;
};

enum upstream_type { UPSTREAM_CONDUCTOR, UPSTREAM_TEMPORAL };

/*
 * "upstreams": {"main": {"type": "conductor", "url": "https://…/api", "headers": {}},
 *               "other": {"type": "temporal", "url": "https://host:7233", "headers": {},
 *                         "namespace": "default", "apiKey": "…"}}
 */
struct upstream_settings {
    struct str name;
    enum upstream_type type;
    struct str url; /* without a slash at its end; …/workflow is added, or gRPC's paths */
    struct str namespace; /* of a Temporal */
    const struct webhook_header *headers;
    int header_count;
};

struct namespace_settings {
    bool allows_private, has_allows_private; /* "allowPrivate"; unset: as the configuration */
    struct address_net
        nets[NAMESPACE_SETTINGS_NETS_MAX]; /* "allowNetworks"                            */
    int net_count;
    struct signing_keys keys[NAMESPACE_SETTINGS_KEYS_MAX];
    int key_count;
    struct upstream_settings upstreams[NAMESPACE_SETTINGS_UPSTREAMS_MAX];
    int upstream_count;
    int rate_read, rate_write; /* "rateRead", "rateWrite": requests a minute of all its clients
                                  together; 0: no limit                                     */
    bool has_quota;            /* "quotaSchedules"; unset: as the configuration             */
    int64_t quota_schedules;   /* 0: no limit                                               */
    struct str
        default_upstream; /* "upstream": the name of the one for workflows that name none */
};

/* Errors name the field.  All that *ret points to is in `arena`. */
MUST_USE enum rc namespace_settings_read(struct str json, struct arena *arena,
                                         struct namespace_settings *ret, struct err *reterr);

/* As it may be shown: keys and header values as "set". */
struct str namespace_settings_show(struct str json, struct arena *arena);

/* Empty name: the default one; NULL: there is none. */
const struct upstream_settings *upstream_settings(const struct namespace_settings *settings,
                                                  struct str name);
const struct signing_keys *signing_keys(const struct namespace_settings *settings,
                                        struct str name);
