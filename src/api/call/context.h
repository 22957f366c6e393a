/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server as operations see it: its settings, and functions that they may call.
 *
 * The server fills in one for each thread; operations use no sockets, threads or clocks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "core/policy/policies.h"
#include "core/spec/spec.h"

struct budget;
struct catalogue_page;     /* api/catalogue/catalogue_query.h */
struct catalogue_query;    /* the same                        */
struct catalogue_visit;    /* api/catalogue/catalogue_visit.h */
struct context_attributes; /* api/call/context_attributes.h */
struct ledger_balance;     /* api/overview/ledger_balance.h */
struct openapi;
struct tz_now; /* core/time/tz_type.h */
struct part_cache;
enum {
    CONTEXT_REASONS_MAX = 6,  /* reasons at a time why a server is not ready            */
    CONTEXT_WARNINGS_MAX = 6, /* about one action                                      */
    CONTEXT_LATEST_MAX = 10,  /* most delayed schedules: bounds the labels of a metric  */
};

/* A code for programs and a sentence for people. */
struct context_reason {
    const char *code, *text;
    bool is_ready; /* only a warning: the server is ready */
};

/* An action in its stored form. */
struct context_action {
    struct str namespace; /* name */
    struct str json;
};

/* A schedule whose runs recently started late, and the largest lateness. */
struct context_latest {
    int64_t schedule;
    span late;
};

/* Versions of the program and its libraries; NULL: unknown. */
struct context_parts {
    const char *commit, *sqlite, *libpq, *openssl;
    instant started_at;
};

struct answer;

struct api_context {
    struct zone_source zones;
    struct str default_timezone;
    struct policies policies;  /* defaults of a schedule                                     */
    span min_interval;         /* minimum time between slots of a schedule; 0: none          */
    span dispatch_jitter;      /* spreads starts that have no jitter; 0: does not            */
    span future_ttl;           /* how long agents see planned runs that did not start        */
    int64_t conductor_keep;    /* records per Conductor schedule; 0: as Conductor's server   */
    bool has_no_exec;          /* runs of exec actions fail: this server runs no programs    */
    bool has_no_page;          /* it does not serve the web page                             */
    int64_t plan_warn_per_day; /* warn of schedules with more slots per day; 0: never        */
    const char *version;
    const char *node;              /* name of this node, "" until it is assigned            */
    const struct openapi *openapi; /* the answer of /openapi.json                           */
    struct part_cache *part_cache; /* of the thread, api/schedules/part_cache.h; NULL: none */
    struct context_parts parts;
    /* Whether the namespace has this upstream; empty name: the one for unnamed workflows. */
    bool (*has_upstream)(void *arg, struct str namespace, struct str upstream);
    /* The search attributes of a namespace; lists are in the arena.  NULL: all are valid. */
    void (*search_attributes)(void *arg, struct str namespace, struct arena *arena,
                              struct context_attributes *ret);
    /* Maximum number of schedules of the namespace; 0: unlimited. */
    int64_t (*quota_schedules)(void *arg, struct str namespace);
    /* An unpredictable number, for generated ids. */
    uint64_t (*random)(void *arg);
    /* NULL: the server is ready; else why it is not. */
    const char *(*not_ready)(void *arg);
    /* Stores all reasons why it is not ready and returns their number. */
    int (*reasons)(void *arg, struct context_reason reasons[static CONTEXT_REASONS_MAX]);
    /*
     * Prints the counters of the server since its start, in Prometheus' format, and stores the
     * most delayed schedules; unused entries have key 0.  Returns true if the database can be
     * read for more metrics.
     */
    bool (*print_metrics)(void *arg, struct answer *out,
                          struct context_latest latest[static CONTEXT_LATEST_MAX]);
    /* Logs a warning that a schedule's owner got, for the operator of the server. */
    void (*warn)(void *arg, struct str namespace, struct str schedule, struct str text);
    /*
     * Stores why runs of an action (stored form) of the namespace will fail on this server, in
     * the arena, and returns how many reasons there are.  Never waits: a slow check runs in the
     * background, and a later call returns its result.  NULL: the server checks nothing.
     */
    int (*action_warnings)(void *arg, const struct context_action *action, struct arena *arena,
                           struct str ret[static CONTEXT_WARNINGS_MAX]);
    /*
     * Asks the catalogue of schedules; the answer is in the arena.  False: the budget is used
     * up.  NULL: this server has no catalogue.
     */
    bool (*catalogue)(void *arg, const struct catalogue_query *query, struct budget *budget,
                      struct arena *arena, struct catalogue_page *ret);
    /* Lets a function read the catalogue; the rest is as above. */
    bool (*visit_catalogue)(void *arg, struct catalogue_visit *visit, struct budget *budget);
    /* Tells the catalogue that a schedule has changed; never waits.  NULL: nobody needs it. */
    void (*note_change)(void *arg, int64_t schedule);
    /* All zones of the server, see zoneinfo_now() (io/zoneinfo.h); `user` is zones.user. */
    const struct tz_now *(*list_zones)(void *user, instant now, struct arena *arena,
                                       int *ret_count, const char **ret_version);
    /* The balance of the ledger of a namespace; texts are in the arena.  NULL: unknown. */
    void (*ledger_balance)(void *arg, int64_t namespace, struct arena *arena,
                           struct ledger_balance *ret);
    /* Makes this node start no runs, or start runs again; it is not stored. */
    void (*halt)(void *arg, bool is_halted);
    /* Validates the settings of a namespace, as JSON; errors name the field. */
    enum rc (*check_settings)(void *arg, struct str json, struct arena *arena,
                              struct err *reterr);
    void *arg;
};

/* After a reload: copies the settings, but keeps what belongs to the thread. */
static inline void context_renew(struct api_context *context, const struct api_context *fresh)
{
    struct zone_source zones = context->zones;
    struct part_cache *part_cache = context->part_cache;

    *context = *fresh;
    context->zones = zones;
    context->part_cache = part_cache;
}
