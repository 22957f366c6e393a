/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a namespace: allowed networks, signing keys, upstreams and limits.
 *
 * They are stored as JSON in the table `namespaces`.  Secrets are never printed.  Networks and
 * keys are texts here; server/dispatch/dispatch_settings.h parses them.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/member.h"
#include "model/pairs.h"
#include "model/search_attributes.h"
#include "model/texts.h"

enum {
    NAMESPACE_SETTINGS_BYTES_MAX = 64 * 1024, /* of the JSON           */
    NAMESPACE_SETTINGS_KEYS_MAX = 32,         /* names of signing keys */
    NAMESPACE_SETTINGS_SECRETS_MAX = 2,       /* of one name           */
    NAMESPACE_SETTINGS_UPSTREAMS_MAX = 16,
    NAMESPACE_SETTINGS_RATE_MAX = 1000000,     /* requests per minute                    */
    NAMESPACE_SETTINGS_QUOTA_MAX = 1000000000, /* as for the server's quota_schedules    */
    NAMESPACE_SETTINGS_NETS_MAX = 32,          /* entries of allowNetworks               */
    NAMESPACE_SETTINGS_PEM_MAX = 16 * 1024,    /* bytes of a certificate with its chain  */
    UPSTREAM_FOLLOW_RATE = 50,                 /* default of followRate                  */
    UPSTREAM_FOLLOW_RATE_MAX = 10000,
    UPSTREAM_LONG_POLLS = 100, /* default of longPolls: they share a quota with workers  */
    UPSTREAM_LONG_POLLS_MAX = 1000,
};

/* "keys": {"main": ["whsec_…", "whsec_…"]}: the current key and the next one. */
struct key_settings {
    struct str name;
    struct texts secrets;
};

enum upstream_type { UPSTREAM_CONDUCTOR, UPSTREAM_TEMPORAL, UPSTREAM_TYPES };

/*
 * "upstreams": {"main": {"type": "conductor", "url": "https://…/api", "headers": {},
 *                        "uniqueCorrelation": false, "tls": {…}},
 *               "other": {"type": "temporal", "url": "https://host:7233", "headers": {},
 *                         "namespace": "default", "apiKey": "…",
 *                         "tls": {"ca": "PEM", "cert": "PEM", "key": "PEM",
 *                                 "serverName": "…"}}}
 */
struct upstream_tls {
    struct str ca;          /* empty: the authorities of the server's configuration */
    struct str cert, key;   /* of Belfry; empty: none                               */
    struct str server_name; /* in the upstream's certificate; empty: that of the URL */
};

struct upstream_settings {
    struct str name;
    enum upstream_type type;
    struct str url;       /* without a trailing slash; …/workflow or gRPC paths are added */
    struct str namespace; /* Temporal only                                                */
    struct pairs headers;
    bool has_unique_correlation; /* Conductor only: add the run's id to a correlation id */
    struct upstream_tls tls;     /* with https                                            */
    int follow_rate; /* "followRate": requests per second about workflows that run       */
    int long_polls;  /* "longPolls", Temporal only: workflows that wait for their end there */
};

struct namespace_settings {
    bool allows_private, has_allows_private; /* "allowPrivate"; unset: the server's setting */
    struct texts nets;                       /* "allowNetworks" */
    struct key_settings *keys;
    int key_count;
    struct upstream_settings *upstreams;
    int upstream_count;
    /* "rateRead", "rateWrite": requests per minute of all clients together; 0: no limit */
    int rate_read, rate_write;
    bool has_quota;              /* "quotaSchedules"; unset: the server's setting */
    int64_t quota_schedules;     /* 0: no limit                                   */
    struct str default_upstream; /* "upstream": for workflows that name none      */
    /* "searchAttributes": {"Team": "Keyword"}; without it, and without an upstream: any */
    struct search_attributes attributes;
    bool has_attributes;
};

/*
 * Checks everything but the networks and the keys.  Errors name the field.  *ret points into
 * `arena`.
 */
MUST_USE enum rc namespace_settings_read(struct str json, struct arena *arena,
                                         struct namespace_settings *ret, struct err *reterr);

/* Returns the JSON with signing keys, API keys and header values replaced by "set". */
struct str namespace_settings_show(struct str json, struct arena *arena);

/* An empty name means the default upstream.  Returns NULL if there is none. */
const struct upstream_settings *upstream_settings(const struct namespace_settings *settings,
                                                  struct str name);

/*
 * The upstream that requests of another system's clients are forwarded to: the default one, or
 * the only one of that type.  Returns NULL if there is none.
 */
const struct upstream_settings *upstream_of_type(const struct namespace_settings *settings,
                                                 enum upstream_type type);
